//! How good a position looks to the side to move, from the patterns of its empty points.
//!
//! A point is worth more to the side that can play it at once, so each combination of patterns has
//! two worths: in the hands of the side to move, and in those of the other. The grid keeps their
//! sums up to date; here they are defined and brought together.

use super::pattern::Pattern;

/// How good it is to have a point that makes certain patterns, in hundredths of an open three or
/// so.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(super) struct Worth {
    /// To the side to move.
    pub(super) moving: i16,
    /// To the other side.
    pub(super) waiting: i16,
    /// How urgent it is to play there, for whoever would make the patterns or prevent them.
    pub(super) urge: i16,
}

impl Worth {
    /// The worth of an empty point where a stone would make these patterns.
    pub(super) fn of(patterns: [Pattern; 4]) -> Self {
        let sum = |by: fn(Pattern) -> i16| patterns.map(by).iter().sum::<i16>();
        Self { moving: sum(moving), waiting: sum(waiting), urge: sum(urge) }
    }
}

const fn moving(pattern: Pattern) -> i16 {
    match pattern {
        Pattern::Dead | Pattern::Overline | Pattern::DoubleFour => 0,
        Pattern::One => 1,
        Pattern::OpenOne => 2,
        Pattern::Two => 3,
        Pattern::OpenTwo => 9,
        Pattern::BroadTwo => 14,
        Pattern::Three => 12,
        Pattern::OpenThree => 32,
        Pattern::BroadThree => 42,
        Pattern::Four => 44,
        Pattern::OpenFour => 150,
        Pattern::Five => 300,
    }
}

const fn waiting(pattern: Pattern) -> i16 {
    match pattern {
        Pattern::Dead | Pattern::Overline | Pattern::DoubleFour => 0,
        Pattern::One => 1,
        Pattern::OpenOne => 2,
        Pattern::Two => 2,
        Pattern::OpenTwo => 6,
        Pattern::BroadTwo => 9,
        Pattern::Three => 8,
        Pattern::OpenThree => 18,
        Pattern::BroadThree => 24,
        Pattern::Four => 22,
        Pattern::OpenFour => 60,
        Pattern::Five => 100,
    }
}

const fn urge(pattern: Pattern) -> i16 {
    match pattern {
        Pattern::Dead | Pattern::Overline | Pattern::DoubleFour => 0,
        Pattern::One => 1,
        Pattern::OpenOne => 3,
        Pattern::Two => 6,
        Pattern::OpenTwo => 14,
        Pattern::BroadTwo => 20,
        Pattern::Three => 22,
        Pattern::OpenThree => 60,
        Pattern::BroadThree => 75,
        Pattern::Four => 80,
        Pattern::OpenFour => 800,
        Pattern::Five => 2_000,
    }
}
