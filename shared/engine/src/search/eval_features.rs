//! The input of the evaluation network: how features and threat classes are numbered, and the types
//! and scales of the accumulator.

use super::pattern::Pattern;

/// Number of patterns.
pub(super) const PATTERNS: usize = Pattern::COUNT;

/// Number of features: the patterns and their pairs, a pattern with itself
/// among them.
pub(super) const FEATURES: usize = PATTERNS + PATTERNS * (PATTERNS + 1) / 2;

/// Number of threat classes: for the side to move and for the other, whether
/// there are no, few or many points where it makes a four, and likewise an open three.
pub(super) const THREAT_CLASSES: usize = 81;

/// Length of an accumulator.
pub(super) const ACCUMULATOR_SIZE: usize = 16;

/// Number of hidden units.
pub(super) const HIDDEN_SIZE: usize = 16;

/// Fixed-point scale of accumulators.
pub(super) const ACCUMULATOR_SCALE: i32 = 128;

/// Fixed-point scale of the weights between accumulators and hidden units.
pub(super) const HIDDEN_SCALE: i32 = 256;

/// Fixed-point scale of the output, in units of the search.
pub(super) const OUTPUT_SCALE: i32 = 16;

/// How far ahead in value a chance of winning of 73 % is: one unit of the logistic function. Fitted
/// to the outcomes of games of the engine against itself.
pub(super) const CHANCE_SCALE: f32 = 600.0;

/// The accumulator of one side.
pub(super) type Accumulator = [i16; ACCUMULATOR_SIZE];

/// The contribution of an empty point to the accumulators.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
#[repr(align(64))]
pub(super) struct Delta {
    /// For the side that would make its patterns.
    pub(super) own: Accumulator,
    /// For the other side.
    pub(super) other: Accumulator,
}

impl Delta {
    /// The sum of both.
    pub(super) fn with(&self, other: &Self) -> Self {
        self.each(other, i16::saturating_add)
    }

    /// The difference from the other.
    pub(super) fn without(&self, other: &Self) -> Self {
        self.each(other, i16::saturating_sub)
    }

    fn each(&self, other: &Self, operation: fn(i16, i16) -> i16) -> Self {
        let both = |one: &Accumulator, other: &Accumulator| {
            std::array::from_fn(|index| operation(one[index], other[index]))
        };
        Self { own: both(&self.own, &other.own), other: both(&self.other, &other.other) }
    }
}

/// How urgent it is to play on an empty point, in the units of the order.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(super) struct Urgency {
    /// The urgency of making its patterns.
    pub(super) to_make: i16,
    /// The urgency of preventing them.
    pub(super) to_prevent: i16,
}

/// The features of an empty board where five in a row win. They add nothing to the accumulators.
pub(super) const IDLE: [usize; 2] = [OPEN_ONE, pair(OPEN_ONE, OPEN_ONE)];
const OPEN_ONE: usize = Pattern::OpenOne as usize;

/// The numbers of the patterns and pairs in a combination of four patterns. Leaves out dead
/// patterns, which weigh nothing.
pub(super) fn features(four: [u8; 4]) -> impl Iterator<Item = usize> {
    let four = four.map(usize::from);
    let pairs = (0..4).flat_map(|first| (first + 1..4).map(move |second| (first, second)));
    let pairs = pairs
        .map(move |(first, second)| (four[first], four[second]))
        .filter(|(first, second)| *first > 0 && *second > 0)
        .map(|(first, second)| pair(first, second));
    four.into_iter().filter(|number| *number > 0).chain(pairs)
}

/// The number of a pair of patterns, whichever comes first.
const fn pair(first: usize, second: usize) -> usize {
    let (low, high) = if first < second { (first, second) } else { (second, first) };
    PATTERNS + high * (high + 1) / 2 + low
}

/// The number of a threat class: by side, the one to move first, the points where it
/// makes a four and those where it makes an open three.
pub(super) fn threat_class(points: [[u16; 2]; 2]) -> usize {
    let [fours, threes] = [3, 4];
    let degree = |points: u16, many: u16| usize::from(points > 0) + usize::from(points >= many);
    points
        .into_iter()
        .fold(0, |sum, side| 9 * sum + 3 * degree(side[0], fours) + degree(side[1], threes))
}
