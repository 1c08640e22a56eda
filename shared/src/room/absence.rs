//! Since when players are away, and since when the seat to act has been on turn.
//!
//! A restart loses both: everybody then counts as away since the server came back.

use std::collections::BTreeMap;

use super::{presence::Presence, state::RoomState};
use crate::{
    protocol::{MemberId, Player},
    seat::Seat,
};

/// Since when players are away, and since when the seat to act has been on turn.
#[derive(Clone, Debug, Default)]
pub(super) struct Absence {
    pub(super) since: BTreeMap<MemberId, u64>,
    /// The game, how far it has come, and the seat that must act.
    pub(super) turn: Option<(u32, (usize, usize), Seat)>,
    pub(super) turn_since: u64,
}

impl Absence {
    /// Records who is away now, and whether the turn has changed.
    pub(super) fn note(&mut self, now: u64, state: &RoomState, presence: &Presence) {
        let is_away = |id: &MemberId| !presence.is_present(id);
        self.since.retain(|id, _| is_away(id) && state.seats.of_member(id).is_some());
        for seat in Seat::BOTH {
            if let Some(Player::Member { member, .. }) = state.seats.get(seat)
                && is_away(member)
            {
                self.since.entry(member.clone()).or_insert(now);
            }
        }
        let turn =
            state.running().and_then(|game| Some((game.number, game.progress(), game.to_act()?)));
        if turn != self.turn {
            self.turn = turn;
            self.turn_since = now;
        }
    }
}
