//! The input of the evaluation network: how features and threat classes are numbered, and the types
//! and scales of the accumulator.

use super::pattern::Pattern;

/// How many patterns there are.
const PATTERNS: usize = Pattern::COUNT;

/// How many features of combinations there are: the patterns, and their pairs, a pattern with itself
/// among them.
pub(super) const FEATURES: usize = PATTERNS + PATTERNS * (PATTERNS + 1) / 2;

/// How many constellations of threats are told apart: for each side to move and other whether
/// there are no, few or many points where it makes a four, and likewise an open three.
pub(super) const THREAT_CLASSES: usize = 81;

/// How many accumulators a side has.
pub(super) const ACCUMULATOR_SIZE: usize = 16;

/// How many hidden units there are.
pub(super) const HIDDEN_SIZE: usize = 16;

/// How finely accumulators are told: so many integers make one.
pub(super) const ACCUMULATOR_SCALE: i32 = 128;

/// The same for the weights between accumulators and hidden units.
pub(super) const HIDDEN_SCALE: i32 = 256;

/// The same for what hidden units and threats are worth: so many make a unit of the search.
pub(super) const OUTPUT_SCALE: i32 = 16;

/// The accumulators of one side.
pub(super) type Accumulator = [i16; ACCUMULATOR_SIZE];

/// What an empty point adds to the accumulators.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
#[repr(align(64))]
pub(super) struct Delta {
    /// Of the side that would make its patterns.
    pub(super) own: Accumulator,
    /// Of the other side.
    pub(super) other: Accumulator,
}

impl Delta {
    /// Both together.
    pub(super) fn with(&self, other: &Self) -> Self {
        self.each(other, i16::saturating_add)
    }

    /// What this adds more than the other.
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
    /// To make its patterns.
    pub(super) to_make: i16,
    /// To prevent them.
    pub(super) to_prevent: i16,
}

/// The features of what an empty board shows where five in a row win. They add nothing to the accumulators.
pub(super) const IDLE: [usize; 2] = [OPEN_ONE, pair(OPEN_ONE, OPEN_ONE)];
const OPEN_ONE: usize = Pattern::OpenOne as usize;

/// The numbers of the patterns and pairs that four patterns consist of. Those with nothing are left
/// out, as they weigh nothing.
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

/// The number of a constellation of threats: by side, the one to move first, the points where it
/// makes a four and those where it makes an open three.
pub(super) fn threat_class(points: [[u16; 2]; 2]) -> usize {
    let [fours, threes] = [3, 4];
    let degree = |points: u16, many: u16| usize::from(points > 0) + usize::from(points >= many);
    points
        .into_iter()
        .fold(0, |sum, side| 9 * sum + 3 * degree(side[0], fours) + degree(side[1], threes))
}
