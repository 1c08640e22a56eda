//! How good a position looks to the side to move, from the patterns of its empty points.
//!
//! A small network tells. Each empty point adds to a few *traits* of either side: what the patterns
//! weigh that the side would make there, and, by other weights, those that its opponent would make.
//! The grid keeps the sums up to date as stones come and go (the idea of Y. Nasu, *Efficiently
//! Updatable Neural-Network-based Evaluation Functions*, 2018). A layer of hidden units, which also
//! know what threats both sides have, brings the traits of the side to move and of the other
//! together.
//!
//! What a combination of four patterns weighs is the sum of what they and their six pairs weigh, so
//! that those that are rarely seen are judged by what they have in common with others. The
//! [`weights`](super::weights) come from games.

use super::{pattern::Pattern, weights::Weights};

/// How many patterns there are.
const PATTERNS: usize = Pattern::COUNT;

/// How many parts of combinations there are: the patterns, and their pairs, a pattern with itself
/// among them.
pub(super) const PARTS: usize = PATTERNS + PATTERNS * (PATTERNS + 1) / 2;

/// How many constellations of threats are told apart: for each side to move and other whether
/// there are no, few or many points where it makes a four, and likewise an open three.
pub(super) const THREATS: usize = 81;

/// How many traits a side has.
pub(super) const TRAITS: usize = 16;

/// How many hidden units there are.
pub(super) const HIDDEN: usize = 16;

/// How finely traits are told: so many integers make one.
pub(super) const TRAIT_UNITS: i32 = 128;

/// The same for the weights between traits and hidden units.
pub(super) const HIDDEN_UNITS: i32 = 256;

/// The same for what hidden units and threats are worth: so many make a unit of the search.
pub(super) const WORTH_UNITS: i32 = 16;

/// The traits of one side.
pub(super) type Traits = [i16; TRAITS];

/// What an empty point adds to the traits.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
#[repr(align(64))]
pub(super) struct Share {
    /// Of the side that would make its patterns.
    pub(super) own: Traits,
    /// Of the other side.
    pub(super) other: Traits,
}

impl Share {
    /// Both together.
    pub(super) fn with(&self, other: &Self) -> Self {
        self.each(other, i16::saturating_add)
    }

    /// What this adds more than the other.
    pub(super) fn without(&self, other: &Self) -> Self {
        self.each(other, i16::saturating_sub)
    }

    fn each(&self, other: &Self, operation: fn(i16, i16) -> i16) -> Self {
        let both = |one: &Traits, other: &Traits| {
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

/// What the traits of both sides and the threats, see [`threats`], are worth to the side to move,
/// whose traits come first.
pub(super) fn value(weights: &Weights, traits: [&Traits; 2], threats: usize) -> i32 {
    let traits = traits.map(|side| side.map(|trait_| trait_.max(0)));
    let threats = &weights.threats[threats];
    let mut sum = threats.worth;
    for (unit, begin) in weights.hidden.iter().zip(&threats.begins) {
        let [own, other] = [0, 1].map(|side| dot(&traits[side], &unit.traits[side]));
        let active = (begin + own + other).max(0) / HIDDEN_UNITS;
        sum += active * i32::from(unit.worth) / TRAIT_UNITS;
    }
    sum / WORTH_UNITS
}

fn dot(one: &Traits, other: &Traits) -> i32 {
    one.iter().zip(other).map(|(one, other)| i32::from(*one) * i32::from(*other)).sum()
}

/// The parts of what an empty board shows where five in a row win. They add nothing to the traits.
pub(super) const IDLE: [usize; 2] = [OPEN_ONE, pair(OPEN_ONE, OPEN_ONE)];
const OPEN_ONE: usize = Pattern::OpenOne as usize;

/// The numbers of the patterns and pairs that four patterns consist of. Those with nothing are left
/// out, as they weigh nothing.
pub(super) fn parts(four: [u8; 4]) -> impl Iterator<Item = usize> {
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
pub(super) fn threats(points: [[u16; 2]; 2]) -> usize {
    let [fours, threes] = [3, 4];
    let degree = |points: u16, many: u16| usize::from(points > 0) + usize::from(points >= many);
    points
        .into_iter()
        .fold(0, |sum, side| 9 * sum + 3 * degree(side[0], fours) + degree(side[1], threes))
}
