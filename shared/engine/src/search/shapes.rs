//! Shapes: what lies around a point on one axis, the point itself and up to five points to either
//! side, as one number.
//!
//! A number is a sum: one part for where the borders are, and one for each stone, by its colour and
//! distance. So a stone that comes or goes changes the numbers of the points that see it by
//! an addition.

use fivefold_shared::rules::Stone;

use super::keys::{Keys, REACH_MAX, cut, digit, exchanged};

/// How far a shape reaches to either side.
pub(super) const REACH: u8 = REACH_MAX;

/// What a shape says of the points around its middle.
pub(super) const KEYS: Keys = Keys::new(REACH);

/// How many shapes there are.
pub(super) const SHAPES: u32 = KEYS.count() * 3;

/// The shape of an empty point with no stone in sight, that many points away from the borders, or
/// farther.
pub(super) fn empty(behind: u8, before: u8) -> u32 {
    KEYS.empty(behind, before) * 3
}

/// What a stone adds to the shapes of the point it is on.
pub(super) const fn on(stone: Stone) -> u32 {
    digit(stone)
}

/// What a stone adds to the shape of a point before it or behind it, that far away, from one on.
pub(super) const fn near(stone: Stone, is_behind: bool, distance: u8) -> u32 {
    KEYS.part(stone, is_behind, distance) * 3
}

/// Numbers shapes as the colours see them, cut to fewer points to either side, so that a shape and
/// its mirror image have one number.
#[derive(Debug)]
pub(super) struct Folding {
    /// By colour: the number of each side.
    sides: [Vec<u32>; 2],
    keys: Keys,
}

impl Folding {
    /// Of shapes with so many points to either side, at most [`REACH`].
    pub(super) fn new(reach: u8) -> Self {
        let black: Vec<u32> = (0..KEYS.sides()).map(|side| cut(side, reach)).collect();
        let white = black.iter().map(|side| exchanged(*side)).collect();
        Self { sides: [black, white], keys: Keys::new(reach) }
    }

    /// How many numbers there are.
    pub(super) const fn count(&self) -> usize {
        (self.keys.count() * 3) as usize
    }

    /// The number of a shape as a colour sees it.
    pub(super) fn number(&self, shape: u32, stone: Stone) -> u32 {
        let sides = &self.sides[stone as usize];
        let [behind, before] = KEYS.split(shape / 3).map(|side| sides[side as usize]);
        let middle = match (shape % 3, stone) {
            (1 | 2, Stone::White) => 3 - shape % 3,
            (middle, _) => middle,
        };
        self.keys.join([behind.max(before), behind.min(before)]) * 3 + middle
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A shape by its points, from behind to before; `#` is beyond the border.
    fn shape(points: &str) -> u32 {
        let (behind, rest) = points.split_at(usize::from(REACH));
        let (middle, before) = rest.split_at(1);
        let side =
            |points: Vec<char>| points.into_iter().take_while(|point| *point != '#').collect();
        let (behind, before): (Vec<char>, Vec<char>) =
            (side(behind.chars().rev().collect()), side(before.chars().collect()));
        let stone = |point: char| match point {
            'X' => Some(Stone::Black),
            'O' => Some(Stone::White),
            _ => None,
        };
        let [points_behind, points_before] =
            [&behind, &before].map(|side| u8::try_from(side.len()).unwrap());
        let mut shape = empty(points_behind, points_before);
        shape += middle.chars().find_map(stone).map_or(0, on);
        for (side, is_behind) in [(behind, true), (before, false)] {
            for (point, distance) in side.into_iter().zip(1..) {
                shape += stone(point).map_or(0, |stone| near(stone, is_behind, distance));
            }
        }
        shape
    }

    #[test]
    fn mirror_images_and_exchanged_colours_have_one_number() {
        let folding = Folding::new(REACH);
        let number = |points: &str, stone| folding.number(shape(points), stone);
        for (one, other) in [("..X.O....X#", "#X....O.X.."), ("##X.XOXXX..", "..XXXOX.X##")] {
            assert_eq!(number(one, Stone::Black), number(other, Stone::Black), "{one}");
            assert_eq!(number(one, Stone::White), number(other, Stone::White), "{one}");
            assert_ne!(number(one, Stone::Black), number(one, Stone::White), "{one}");
        }
        assert_eq!(number("..X.O....X#", Stone::Black), number("..O.X....O#", Stone::White));
        assert_eq!(number("###.XXOX.##", Stone::White), number("##.OXOO.###", Stone::Black));
    }

    #[test]
    fn a_number_says_all_but_the_direction_and_is_less_than_the_count() {
        for reach in [1, 3, REACH] {
            let folding = Folding::new(reach);
            let mut is_used = vec![false; folding.count()];
            for shape in 0..SHAPES {
                is_used[folding.number(shape, Stone::Black) as usize] = true;
                assert!((folding.number(shape, Stone::White) as usize) < folding.count());
            }
            // Of two sides that differ, one order of the two is used.
            let sides = Keys::new(reach).sides() as usize;
            let used = is_used.into_iter().filter(|is_used| *is_used).count();
            assert_eq!(used, 3 * sides * (sides + 1) / 2);
        }
    }

    #[test]
    fn what_is_cut_off_does_not_count() {
        let folding = Folding::new(REACH - 1);
        let number = |points: &str| folding.number(shape(points), Stone::Black);
        assert_eq!(number("X.X.O....X#"), number("O.X.O....X#"));
        assert_eq!(number("..X.O....X#"), number("#.X.O....X."));
        assert_ne!(number("..X.O....X#"), number(".XX.O....X#"));
    }
}
