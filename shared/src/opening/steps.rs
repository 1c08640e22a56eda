//! The opening protocols as tables of steps. `opening.rs` interprets them.
//!
//! Sources: the Renju International Federation's opening rules (RIF, Yamaguchi, Soosyrv-8,
//! Taraguchi-10), and Gomocup's and the gomoku federations' rules for the others.

use super::{OpeningKind, Zone};

/// The end of an opening, in place of the index of a step.
pub(super) const OVER: usize = usize::MAX;

/// One step: a seat acts by one of several choices.
pub(super) struct Step {
    pub(super) by: Actor,
    pub(super) choices: &'static [Choice],
}

/// The seat that acts in a step.
#[derive(Clone, Copy)]
pub(super) enum Actor {
    /// The seat that began.
    First,
    /// The other one.
    Second,
    /// The seat that holds Black at that moment.
    Black,
    /// The other one.
    White,
}

/// One thing to do in a step, and the index of the step after it.
#[derive(Clone, Copy)]
pub(super) struct Choice {
    pub(super) deed: Deed,
    pub(super) then: usize,
}

/// A kind of act.
#[derive(Clone, Copy)]
pub(super) enum Deed {
    /// Put stones, one in each zone; the first of them after `from` moves. With `declare`, also say
    /// how many fifth stones will be offered, from 1 to that number.
    Put { from: usize, zones: &'static [Zone], declare: Option<u8> },
    /// Take a colour: the held one, or the other one.
    Take,
    /// Offer fifth stones, no two of them the same.
    Offer(Count),
    /// Select one of the offered stones.
    Select,
}

impl Deed {
    /// The fifth stone, where only one is offered.
    pub(super) const FIFTH: Self = Self::Put { from: 4, zones: &[ANYWHERE], declare: None };
}

/// How many fifth stones are offered.
#[derive(Clone, Copy)]
pub(super) enum Count {
    Fixed(u8),
    Declared,
}

const ANYWHERE: Zone = Zone::Anywhere;
const CENTRE: Zone = Zone::Within(0);
/// The 26 canonical openings, in any orientation: White in the central 3x3, Black in the 5x5.
const CANONICAL: &[Zone] = &[CENTRE, Zone::Within(1), Zone::Within(2)];

const fn put(from: usize, zones: &'static [Zone], then: usize) -> Choice {
    Choice { deed: Deed::Put { from, zones, declare: None }, then }
}

const fn declare(from: usize, zones: &'static [Zone], most: u8, then: usize) -> Choice {
    Choice { deed: Deed::Put { from, zones, declare: Some(most) }, then }
}

const fn take(then: usize) -> Choice {
    Choice { deed: Deed::Take, then }
}

const fn offer(count: Count, then: usize) -> Choice {
    Choice { deed: Deed::Offer(count), then }
}

const SELECT: Choice = Choice { deed: Deed::Select, then: OVER };

const SWAP1: &[Step] = &[
    Step { by: Actor::First, choices: &[put(0, &[ANYWHERE], 1)] },
    Step { by: Actor::Second, choices: &[take(OVER)] },
];

const SWAP: &[Step] = &[
    Step { by: Actor::First, choices: &[put(0, &[ANYWHERE; 3], 1)] },
    Step { by: Actor::Second, choices: &[take(OVER)] },
];

const SWAP2: &[Step] = &[
    Step { by: Actor::First, choices: &[put(0, &[ANYWHERE; 3], 1)] },
    Step { by: Actor::Second, choices: &[take(OVER), put(3, &[ANYWHERE; 2], 2)] },
    Step { by: Actor::First, choices: &[take(OVER)] },
];

const PRO: &[Step] = &[
    Step { by: Actor::Black, choices: &[put(0, &[CENTRE], 1)] },
    Step { by: Actor::White, choices: &[put(1, &[ANYWHERE], 2)] },
    Step { by: Actor::Black, choices: &[put(2, &[Zone::Beyond(3)], OVER)] },
];

const LONG_PRO: &[Step] = &[
    Step { by: Actor::Black, choices: &[put(0, &[CENTRE], 1)] },
    Step { by: Actor::White, choices: &[put(1, &[ANYWHERE], 2)] },
    Step { by: Actor::Black, choices: &[put(2, &[Zone::Beyond(4)], OVER)] },
];

const RIF: &[Step] = &[
    Step { by: Actor::First, choices: &[put(0, CANONICAL, 1)] },
    Step { by: Actor::Second, choices: &[take(2)] },
    Step { by: Actor::White, choices: &[put(3, &[ANYWHERE], 3)] },
    Step { by: Actor::Black, choices: &[offer(Count::Fixed(2), 4)] },
    Step { by: Actor::White, choices: &[SELECT] },
];

const YAMAGUCHI: &[Step] = &[
    Step { by: Actor::First, choices: &[declare(0, CANONICAL, 12, 1)] },
    Step { by: Actor::Second, choices: &[take(2)] },
    Step { by: Actor::White, choices: &[put(3, &[ANYWHERE], 3)] },
    Step { by: Actor::Black, choices: &[offer(Count::Declared, 4)] },
    Step { by: Actor::White, choices: &[SELECT] },
];

const SOOSYRV_8: &[Step] = &[
    Step { by: Actor::First, choices: &[put(0, CANONICAL, 1)] },
    Step { by: Actor::Second, choices: &[take(2)] },
    Step { by: Actor::White, choices: &[declare(3, &[ANYWHERE], 8, 3)] },
    Step { by: Actor::Black, choices: &[take(4)] },
    Step { by: Actor::Black, choices: &[offer(Count::Declared, 5)] },
    Step { by: Actor::White, choices: &[SELECT] },
];

const TARAGUCHI_10: &[Step] = &[
    Step { by: Actor::First, choices: &[put(0, &[CENTRE], 1)] },
    Step { by: Actor::White, choices: &[take(2)] },
    Step { by: Actor::White, choices: &[put(1, &[Zone::Within(1)], 3)] },
    Step { by: Actor::Black, choices: &[take(4)] },
    Step { by: Actor::Black, choices: &[put(2, &[Zone::Within(2)], 5)] },
    Step { by: Actor::White, choices: &[take(6)] },
    Step { by: Actor::White, choices: &[put(3, &[Zone::Within(3)], 7)] },
    Step {
        by: Actor::Black,
        choices: &[put(4, &[Zone::Within(4)], 9), take(8), offer(Count::Fixed(10), 10)],
    },
    // The seat that is Black after that choice of a colour puts the fifth stone.
    Step { by: Actor::Black, choices: &[put(4, &[Zone::Within(4)], 9)] },
    Step { by: Actor::White, choices: &[take(OVER)] },
    Step { by: Actor::White, choices: &[SELECT] },
];

impl OpeningKind {
    /// The steps of the protocol; none where the game is free.
    pub(super) const fn steps(self) -> &'static [Step] {
        match self {
            Self::Free => &[],
            Self::Swap1 => SWAP1,
            Self::Swap => SWAP,
            Self::Swap2 => SWAP2,
            Self::Pro => PRO,
            Self::LongPro => LONG_PRO,
            Self::Rif => RIF,
            Self::Yamaguchi => YAMAGUCHI,
            Self::Soosyrv8 => SOOSYRV_8,
            Self::Taraguchi10 => TARAGUCHI_10,
        }
    }
}
