//! Digests of a position and of those that differ little from it: with one or two stones less, or with one more
//! near the others. A digest is the same however the position is turned, mirrored or moved, and with the colours
//! exchanged.
//!
//! A digest is the least of the sums in all ways to see the position. Each stone adds `A^x * B^y * COLOUR` to
//! a sum, modulo a prime, with `x` and `y` counted from the corner. So a stone less is one subtraction, and another
//! corner one multiplication, however many stones there are. It does not know which positions are looked for.

use fivefold_shared::{
    rules::{Point, Stone},
    symmetry::{self, turned},
};

/// A stone more is looked for so near another one that both can be in one five.
const NEAR: i32 = 4;
/// In positions with more stones, two are not left out, and none is added: a full board of 15x15, and two.
const VARIED_STONES_MAX: usize = 227;

/// The prime 2^61 - 1. The other numbers are less, and nothing else is known about them.
const PRIME: u64 = (1 << 61) - 1;
const A: u64 = 0x1A09_E667_F3BC_C908;
const B: u64 = 0x1B67_AE85_84CA_A73B;
const BLACK: u64 = 0x0C6E_F372_FE94_F82B;
const WHITE: u64 = 0x154F_F53A_5F1D_36F1;
const A_INVERSE: u64 = power(A, PRIME - 2);
const B_INVERSE: u64 = power(B, PRIME - 2);

/// The powers of a number with the exponents from `-NEAR` to `NEAR`.
type NearPowers = [u64; 2 * NEAR as usize + 1];
const A_NEAR: NearPowers = near_powers(A, A_INVERSE);
const B_NEAR: NearPowers = near_powers(B, B_INVERSE);

/// A position, seen in one way.
struct View {
    /// The sum of the shares.
    sum: u64,
    stones: Vec<Seen>,
    left: Edge,
    top: Edge,
    way: u8,
    /// The factors of a black and a white stone.
    colours: [u64; 2],
}

/// A stone, seen from the corner.
struct Seen {
    x: i64,
    y: i64,
    /// `A^x * B^y`.
    place: u64,
    /// With the factor of the colour.
    share: u64,
}

/// The three stones that are nearest to an edge: one of them is the first that stays when two are left out.
struct Edge([NearEdge; 3]);

#[derive(Clone, Copy, Default)]
struct NearEdge {
    stone: usize,
    /// What the sum is multiplied with if the stone is at the edge.
    factor: u64,
}

/// An empty point near a stone.
#[derive(Clone, Copy)]
struct Free {
    stone: usize,
    offset: Point,
}

/// The digest of a position.
pub(super) fn digest(stones: &[(Point, Stone)]) -> u64 {
    View::all(stones).map(|view| view.sum).min().unwrap_or_default()
}

/// The digests of a position of three stones or more, and of all that differ little from it.
pub(super) fn varied(stones: &[(Point, Stone)]) -> Vec<u64> {
    let views: Vec<View> = View::all(stones).collect();
    let least = |sum: &dyn Fn(&View) -> u64| views.iter().map(sum).min().unwrap_or_default();
    let mut digests = vec![least(&|view| view.sum)];
    let count = stones.len();
    digests.extend((0..count).map(|one| least(&|view| view.without([one, one]))));
    if count > VARIED_STONES_MAX {
        return digests;
    }
    let pairs = (0..count).flat_map(|one| (one + 1..count).map(move |other| [one, other]));
    digests.extend(pairs.map(|pair| least(&|view| view.without(pair))));
    for free in free_points(stones) {
        digests.extend(
            [Stone::Black, Stone::White].map(|stone| least(&|view| view.with(free, stone))),
        );
    }
    digests
}

impl View {
    /// All ways to see a position: turned and mirrored, and with the colours exchanged.
    fn all(stones: &[(Point, Stone)]) -> impl Iterator<Item = Self> {
        let ways =
            (0..symmetry::COUNT).flat_map(|way| [(way, [BLACK, WHITE]), (way, [WHITE, BLACK])]);
        ways.map(|(way, colours)| Self::new(stones, way, colours))
    }

    fn new(stones: &[(Point, Stone)], way: u8, colours: [u64; 2]) -> Self {
        let points: Vec<_> = stones
            .iter()
            .map(|(point, _)| {
                let Point { x, y } = turned(*point, way);
                (i64::from(x), i64::from(y))
            })
            .collect();
        let corner = (
            points.iter().map(|(x, _)| *x).min().unwrap_or_default(),
            points.iter().map(|(_, y)| *y).min().unwrap_or_default(),
        );
        let seen = points.iter().zip(stones).map(|((x, y), (_, stone))| {
            let (x, y) = (x - corner.0, y - corner.1);
            let place = times(power(A, x.cast_unsigned()), power(B, y.cast_unsigned()));
            Seen { x, y, place, share: times(place, colours[usize::from(*stone == Stone::White)]) }
        });
        let stones: Vec<Seen> = seen.collect();
        let sum = stones.iter().fold(0, |sum, stone| plus(sum, stone.share));
        let left = Edge::new(stones.iter().map(|stone| stone.x), A_INVERSE);
        let top = Edge::new(stones.iter().map(|stone| stone.y), B_INVERSE);
        Self { sum, stones, left, top, way, colours }
    }

    /// The sum without one stone, which is named twice, or without two.
    fn without(&self, [one, other]: [usize; 2]) -> u64 {
        let mut sum = plus(self.sum, PRIME - self.stones[one].share);
        if one != other {
            sum = plus(sum, PRIME - self.stones[other].share);
        }
        times(times(sum, self.left.factor([one, other])), self.top.factor([one, other]))
    }

    /// The sum with another stone.
    fn with(&self, Free { stone, offset }: Free, colour: Stone) -> u64 {
        let near = &self.stones[stone];
        let Point { x, y } = turned(offset, self.way);
        let place = times(times(near.place, near_power(&A_NEAR, x)), near_power(&B_NEAR, y));
        let share = times(place, self.colours[usize::from(colour == Stone::White)]);
        // How far it is beyond the edges.
        let beyond = |at: i64, by: i32| i32::try_from(-(at + i64::from(by)).min(0)).unwrap_or(NEAR);
        let (left, top) = (beyond(near.x, x), beyond(near.y, y));
        let sum = plus(self.sum, share);
        times(times(sum, near_power(&A_NEAR, left)), near_power(&B_NEAR, top))
    }
}

impl Edge {
    fn new(distances: impl Iterator<Item = i64>, inverse: u64) -> Self {
        let mut by_distance: Vec<_> =
            distances.enumerate().map(|(stone, at)| (at, stone)).collect();
        by_distance.sort_unstable();
        let mut nearest = [NearEdge::default(); 3];
        for (near, (at, stone)) in nearest.iter_mut().zip(by_distance) {
            *near = NearEdge { stone, factor: power(inverse, at.cast_unsigned()) };
        }
        Self(nearest)
    }

    /// What the sum is multiplied with when these stones are left out.
    fn factor(&self, without: [usize; 2]) -> u64 {
        let first = self.0.iter().find(|near| !without.contains(&near.stone));
        first.map_or(1, |near| near.factor)
    }
}

/// The empty points near the stones.
fn free_points(stones: &[(Point, Stone)]) -> Vec<Free> {
    let around = || (-NEAR..=NEAR).flat_map(|x| (-NEAR..=NEAR).map(move |y| Point::new(x, y)));
    let places = stones.iter().enumerate().flat_map(|(stone, (point, _))| {
        around().map(move |offset| {
            let (x, y) = (point.x.wrapping_add(offset.x), point.y.wrapping_add(offset.y));
            ((x, y), Free { stone, offset })
        })
    });
    let mut places: Vec<_> = places.collect();
    places.sort_unstable_by_key(|(place, _)| *place);
    places.dedup_by_key(|(place, _)| *place);
    let mut taken: Vec<_> = stones.iter().map(|(point, _)| (point.x, point.y)).collect();
    taken.sort_unstable();
    places.retain(|(place, _)| taken.binary_search(place).is_err());
    places.into_iter().map(|(_, free)| free).collect()
}

const fn plus(one: u64, other: u64) -> u64 {
    let sum = one + other;
    if sum >= PRIME { sum - PRIME } else { sum }
}

#[expect(clippy::cast_possible_truncation, reason = "both parts have fewer than 64 bits")]
const fn times(one: u64, other: u64) -> u64 {
    let product = one as u128 * other as u128;
    plus((product & PRIME as u128) as u64, (product >> 61) as u64)
}

const fn power(base: u64, mut exponent: u64) -> u64 {
    let (mut result, mut square) = (1, base);
    while exponent > 0 {
        if exponent & 1 == 1 {
            result = times(result, square);
        }
        square = times(square, square);
        exponent >>= 1;
    }
    result
}

const fn near_powers(base: u64, inverse: u64) -> NearPowers {
    let mut powers = [1; 2 * NEAR as usize + 1];
    let mut exponent = 1;
    while exponent <= NEAR as usize {
        powers[NEAR as usize + exponent] = power(base, exponent as u64);
        powers[NEAR as usize - exponent] = power(inverse, exponent as u64);
        exponent += 1;
    }
    powers
}

/// The power with an exponent from `-NEAR` to `NEAR`.
fn near_power(powers: &NearPowers, exponent: i32) -> u64 {
    usize::try_from(exponent + NEAR).ok().and_then(|place| powers.get(place)).copied().unwrap_or(1)
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use proptest::prelude::*;

    use super::*;

    type Stones = Vec<(Point, Stone)>;

    /// Different points, small and large, with colours.
    fn position() -> impl Strategy<Value = Stones> {
        let near = prop::collection::btree_map((0..9, 0..9), any::<bool>(), 4..12);
        let far = prop::collection::btree_map((-90..90, -90..90), any::<bool>(), 0..3);
        (near, far).prop_map(|(near, far)| {
            let all = near
                .into_iter()
                .chain(far.into_iter().map(|((x, y), stone)| ((x + 200, y), stone)));
            let stone = |is_black| if is_black { Stone::Black } else { Stone::White };
            all.map(|((x, y), is_black)| (Point::new(x, y), stone(is_black))).collect()
        })
    }

    fn image(stones: &Stones, way: u8, by: (i32, i32), exchanges: bool) -> Stones {
        let one = |(point, stone): &(Point, Stone)| {
            let Point { x, y } = turned(*point, way);
            let stone = if exchanges { stone.opponent() } else { *stone };
            (Point::new(x + by.0, y + by.1), stone)
        };
        stones.iter().map(one).collect()
    }

    fn without(stones: &Stones, left_out: &[usize]) -> Stones {
        let kept = stones.iter().enumerate().filter(|(place, _)| !left_out.contains(place));
        kept.map(|(_, stone)| *stone).collect()
    }

    proptest! {
        #[test]
        fn a_digest_is_the_same_for_all_images_and_no_others(
            stones in position(), way in 0..symmetry::COUNT, by in (-50..50, -50..50), exchanges: bool,
        ) {
            prop_assert_eq!(digest(&stones), digest(&image(&stones, way, by, exchanges)));
            let mut other = stones.clone();
            other[0].0.x += 1000;
            prop_assert_ne!(digest(&stones), digest(&other));
        }

        #[test]
        fn the_varied_digests_are_those_of_the_variations(stones in position()) {
            let mut expected = vec![digest(&stones)];
            let count = stones.len();
            for one in 0..count {
                expected.push(digest(&without(&stones, &[one])));
                expected.extend((one + 1..count).map(|other| digest(&without(&stones, &[one, other]))));
            }
            let taken = |point: Point| stones.iter().any(|(other, _)| *other == point);
            let around = |point: Point| {
                (-NEAR..=NEAR).flat_map(move |x| {
                    (-NEAR..=NEAR).map(move |y| (point.x + x, point.y + y))
                })
            };
            let near: BTreeSet<_> = stones.iter().flat_map(|(point, _)| around(*point)).collect();
            for (x, y) in near.into_iter().filter(|(x, y)| !taken(Point::new(*x, *y))) {
                for stone in [Stone::Black, Stone::White] {
                    let more: Stones = stones.iter().copied().chain([(Point::new(x, y), stone)]).collect();
                    expected.push(digest(&more));
                }
            }
            let mut found = varied(&stones);
            found.sort_unstable();
            expected.sort_unstable();
            prop_assert_eq!(found, expected);
        }
    }

    #[test]
    fn two_are_left_out_up_to_a_full_board_and_two() {
        let row = |count: usize| -> Stones {
            (0..).map(|x| (Point::new(x, 0), Stone::Black)).take(count).collect()
        };
        let two_less = |count| varied(&row(count)).contains(&digest(&row(count - 2)));
        assert!(two_less(VARIED_STONES_MAX) && !two_less(VARIED_STONES_MAX + 1));
        let one_less = |count| varied(&row(count)).contains(&digest(&row(count - 1)));
        assert!(one_less(VARIED_STONES_MAX + 1));
    }
}
