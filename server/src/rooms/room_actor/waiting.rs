//! Inputs that wait because the room has to learn something before it takes them: what two players have had to
//! do with each other, before another rated game of theirs, and whether a position with which somebody wants
//! help is that of a rated game. Those that come after them wait, too; commits and the clock do not.

use std::{collections::VecDeque, future::Future, pin::Pin};

use fivefold_shared::{
    protocol::{MemberId, Refusal},
    room::{Dealings, Input},
    rules::Point,
    seat::BySeat,
};

use super::route::Route;

/// Inputs in their order. What the first one needs is being looked up.
#[derive(Default)]
pub(super) struct Waiting {
    pub(super) inputs: VecDeque<(Input, Route)>,
    pub(super) search: Option<Search>,
}

pub(super) type Search = Pin<Box<dyn Future<Output = (Need, Learned)> + Send>>;

/// What the room has to learn before it takes an input.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) enum Need {
    /// Whether this member may take a place in one more daily game, and what these two have had to do with each
    /// other, who are about to play a rated one.
    Game { place: Option<MemberId>, dealings: Option<BySeat<MemberId>> },
    /// Whether this member may get help with the position after these moves.
    Help { moves: Vec<Point>, member: MemberId },
}

/// What was learned.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) enum Learned {
    /// Nothing was needed.
    Nothing,
    Dealings(Dealings),
    /// The input is refused.
    Refused(Refusal),
}

impl Waiting {
    pub(super) fn is_empty(&self) -> bool {
        self.inputs.is_empty()
    }

    /// Waits until the next thing is learned; forever if none is looked up. Cancel safe.
    pub(super) async fn found(&mut self) -> (Need, Learned) {
        let Some(search) = &mut self.search else { return std::future::pending().await };
        let found = search.await;
        self.search = None;
        found
    }

    /// Takes all inputs out.
    pub(super) fn take(&mut self) -> VecDeque<(Input, Route)> {
        self.search = None;
        std::mem::take(&mut self.inputs)
    }
}
