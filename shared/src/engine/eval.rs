//! How good a position looks to the side to move, from the patterns of its empty points.
//!
//! A point is worth more to the side that can play it at once, so each combination of patterns has
//! two worths: in the hands of the side to move, and in those of the other. The grid keeps their
//! sums up to date; here they are defined and brought together. To the sums comes what the
//! threats are worth that both sides have.
//!
//! A combination's worth is the sum of what its four patterns and their six pairs weigh, so that
//! those that are rarely seen are judged by what they have in common with others. The
//! [`weights`](super::weights) come from games.

use super::{
    pattern::Pattern,
    weights::{MOVING, TO_MAKE, TO_PREVENT, WAITING},
};

/// How many patterns there are.
pub(super) const PATTERNS: usize = Pattern::COUNT;

/// How many pairs of patterns there are, a pattern with itself among them.
pub(super) const PAIRS: usize = PATTERNS * (PATTERNS + 1) / 2;

/// How many constellations of threats are told apart: for each side to move and other whether
/// there are no, few or many points where it makes a four, and likewise an open three.
pub(super) const THREATS: usize = 81;

/// The weights of one kind of worth.
#[derive(Debug)]
pub(super) struct Weights {
    /// By pattern.
    pub(super) single: [i16; PATTERNS],
    /// By pair, see [`pair`].
    pub(super) pair: [i16; PAIRS],
}

/// How good it is to have a point that makes certain patterns.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(super) struct Worth {
    /// To the side to move, in the units of the search.
    pub(super) moving: i16,
    /// To the other side.
    pub(super) waiting: i16,
    /// How urgent it is to make the patterns, and to prevent them; in the units of the order.
    pub(super) to_make: i16,
    /// See above.
    pub(super) to_prevent: i16,
}

impl Worth {
    /// The worth of an empty point where a stone would make these patterns.
    pub(super) fn of(patterns: [Pattern; 4]) -> Self {
        Self {
            moving: MOVING.sum(patterns),
            waiting: WAITING.sum(patterns),
            to_make: TO_MAKE.sum(patterns),
            to_prevent: TO_PREVENT.sum(patterns),
        }
    }
}

impl Weights {
    fn sum(&self, patterns: [Pattern; 4]) -> i16 {
        let numbers = patterns.map(|pattern| pattern as usize);
        let singles = numbers.iter().map(|number| self.single[*number]);
        let pairs = (0..4).flat_map(|first| (first + 1..4).map(move |second| (first, second)));
        let pairs = pairs.map(|(first, second)| self.pair[pair(numbers[first], numbers[second])]);
        singles.chain(pairs).fold(0, i16::saturating_add)
    }
}

/// The number of a pair of patterns, whichever comes first.
pub(super) const fn pair(first: usize, second: usize) -> usize {
    let (low, high) = if first < second { (first, second) } else { (second, first) };
    high * (high + 1) / 2 + low
}

/// The number of a constellation of threats: by side, the one to move first, the points where it
/// makes a four and those where it makes an open three.
pub(super) fn threats(points: [[u16; 2]; 2]) -> usize {
    let [fours, threes] = [3, 4];
    let degree = |points: u16, many: u16| usize::from(points > 0) + usize::from(points >= many);
    points
        .into_iter()
        .fold(0, |sum, side| 9 * sum + 3 * degree(side[0], fours) + degree(side[1], threes))
}
