//! Keys: what a point sees on one axis, up to a few points to either side, as one number.
//!
//! A key is made of the two sides of the point. The number of a side says how many points it has before
//! the border, and has a digit of base three for each: empty, black or white. So the keys fill their
//! range without a gap, tables by key stay small, and a stone that comes or goes changes the key of
//! each point that sees it by an addition.

use fivefold_shared::rules::Stone;

/// The powers of three that numbers of sides are made of.
const POWERS: [u32; REACH_MAX as usize + 2] = [1, 3, 9, 27, 81, 243, 729];

/// The greatest reach.
pub(super) const REACH_MAX: u8 = 5;

/// How the keys are numbered that see so many points to either side.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Keys {
    reach: u8,
    /// How many numbers a side has.
    sides: u32,
}

/// What a point of a key holds.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(super) enum Content {
    /// No stone.
    Empty,
    /// A stone of this colour.
    Stone(Stone),
    /// Nothing: it is beyond the border.
    Border,
}

impl Keys {
    /// Those that see so many points to either side, at most [`REACH_MAX`].
    pub(super) const fn new(reach: u8) -> Self {
        Self { reach, sides: first(reach + 1) }
    }

    /// How many keys there are.
    pub(super) const fn count(self) -> u32 {
        self.sides * self.sides
    }

    /// How many numbers a side has.
    pub(super) const fn sides(self) -> u32 {
        self.sides
    }

    /// How many points they see to either side.
    pub(super) const fn reach(self) -> u8 {
        self.reach
    }

    /// The steps to every point that they see.
    pub(super) fn steps(self) -> impl Iterator<Item = i32> {
        let reach = i32::from(self.reach);
        (-reach..=reach).filter(|steps| *steps != 0)
    }

    /// The key without stones, that many points away from the borders, or farther.
    pub(super) fn empty(self, behind: u8, before: u8) -> u32 {
        self.join([behind, before].map(|points| first(points.min(self.reach))))
    }

    /// What a stone adds to the key of a point that sees it that far away, behind it or before it.
    #[inline(always)]
    pub(super) const fn part(self, stone: Stone, is_behind: bool, distance: u8) -> u32 {
        digit(stone) * POWERS[distance as usize - 1] * if is_behind { self.sides } else { 1 }
    }

    /// As [`Keys::part`], so many steps before it or (less than zero) behind it.
    pub(super) fn part_at(self, stone: Stone, steps: i32) -> u32 {
        let distance = u8::try_from(steps.unsigned_abs()).expect("a key does not reach far");
        self.part(stone, steps < 0, distance)
    }

    /// What lies so many steps before a point or (less than zero) behind it.
    pub(super) fn content(self, key: u32, steps: i32) -> Content {
        let [behind, before] = self.split(key);
        let side = if steps < 0 { behind } else { before };
        let (points, distance) = (length(side), steps.unsigned_abs());
        if distance > points.into() {
            return Content::Border;
        }
        match (side - first(points)) / POWERS[distance as usize - 1] % 3 {
            0 => Content::Empty,
            1 => Content::Stone(Stone::Black),
            _ => Content::Stone(Stone::White),
        }
    }

    /// The key with black and white stones exchanged.
    pub(super) fn exchanged(self, key: u32) -> u32 {
        self.join(self.split(key).map(exchanged))
    }

    /// The same point's key among those of a shorter reach.
    pub(super) fn cut(self, key: u32, to: Self) -> u32 {
        to.join(self.split(key).map(|side| cut(side, to.reach)))
    }

    /// The sides behind a point and before it.
    pub(super) const fn split(self, key: u32) -> [u32; 2] {
        [key / self.sides, key % self.sides]
    }

    /// The inverse of [`Keys::split`].
    pub(super) const fn join(self, [behind, before]: [u32; 2]) -> u32 {
        behind * self.sides + before
    }
}

/// The digit of a point with a stone.
pub(super) const fn digit(stone: Stone) -> u32 {
    match stone {
        Stone::Black => 1,
        Stone::White => 2,
    }
}

/// The number of the first side with so many points before the border.
const fn first(points: u8) -> u32 {
    (POWERS[points as usize] - 1) / 2
}

/// How many points a side has before the border.
fn length(side: u32) -> u8 {
    (0..=REACH_MAX).rev().find(|points| side >= first(*points)).expect("the first of all is zero")
}

/// The nearest points of a side.
pub(super) fn cut(side: u32, reach: u8) -> u32 {
    let points = length(side).min(reach);
    first(points) + (side - first(length(side))) % POWERS[usize::from(points)]
}

/// A side with the colours exchanged.
pub(super) fn exchanged(side: u32) -> u32 {
    let first = first(length(side));
    let digits = POWERS.map(|power| (side - first) / power % 3);
    first + digits.iter().zip(POWERS).map(|(digit, power)| (3 - digit) % 3 * power).sum::<u32>()
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use proptest::prelude::*;

    use super::*;

    /// A point's surroundings: how many points lie before the border to either side, and the stones
    /// there, the nearest first.
    type Sides = [(u8, [Option<Stone>; REACH_MAX as usize]); 2];

    fn sides() -> impl Strategy<Value = Sides> {
        let stone = prop_oneof![Just(None), Just(Some(Stone::Black)), Just(Some(Stone::White))];
        let stones = prop::collection::vec(stone, usize::from(REACH_MAX));
        let side = (0..=REACH_MAX, stones.prop_map(|stones| stones.try_into().unwrap()));
        [side.clone(), side]
    }

    fn key(keys: Keys, sides: &Sides) -> u32 {
        let mut key = keys.empty(sides[0].0, sides[1].0);
        for (is_behind, (points, stones)) in [true, false].into_iter().zip(sides) {
            for (distance, stone) in (1..=keys.reach().min(*points)).zip(stones) {
                key += stone.map_or(0, |stone| keys.part(stone, is_behind, distance));
            }
        }
        key
    }

    proptest! {
        #[test]
        fn a_key_holds_what_is_in_sight(reach in 1..=REACH_MAX, sides in sides()) {
            let keys = Keys::new(reach);
            let key = key(keys, &sides);
            prop_assert!(key < keys.count());
            for steps in keys.steps() {
                let (points, stones) = sides[usize::from(steps > 0)];
                let distance = steps.unsigned_abs() as usize;
                let content = match stones[distance - 1] {
                    _ if distance > points.into() => Content::Border,
                    None => Content::Empty,
                    Some(stone) => Content::Stone(stone),
                };
                prop_assert_eq!(keys.content(key, steps), content, "{}", steps);
            }
        }

        #[test]
        fn stones_of_the_other_colour_or_out_of_sight(
            (reach, shorter) in (1..=REACH_MAX).prop_flat_map(|reach| (Just(reach), 1..=reach)),
            sides in sides(),
        ) {
            let (keys, to) = (Keys::new(reach), Keys::new(shorter));
            prop_assert_eq!(keys.cut(key(keys, &sides), to), key(to, &sides));
            let others = sides.map(|(points, stones)| (points, stones.map(|stone| stone.map(Stone::opponent))));
            prop_assert_eq!(keys.exchanged(key(keys, &sides)), key(keys, &others));
        }
    }

    #[test]
    fn every_number_below_the_count_is_a_key() {
        let keys = Keys::new(2);
        let contents = |key| keys.steps().map(|steps| keys.content(key, steps)).collect::<Vec<_>>();
        let different: HashSet<_> = (0..keys.count()).map(contents).collect();
        // Two points, or one, or none before the border, each empty or with a stone of either colour.
        assert_eq!(different.len(), (9 + 3 + 1) * (9 + 3 + 1));
    }
}
