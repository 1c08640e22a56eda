//! Who plays a rated game, and which of them are bots. It does not know when a game is rated.

use crate::{
    protocol::{MemberId, Player, Seats},
    seat::{BySeat, Seat},
};

/// The players of a rated game.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct RatedPlayers {
    pub(super) members: BySeat<MemberId>,
    /// Which of them are bots: no other programs play rated games.
    pub(super) bots: BySeat<bool>,
}

impl RatedPlayers {
    /// The two members in the seats of a room.
    pub(super) fn of(seats: &Seats) -> Option<Self> {
        let player = |seat| match seats.get(seat)? {
            Player::Member { member, engine, .. } => Some((member.clone(), *engine)),
            Player::Bot { .. } => None,
        };
        let [(first, is_first_bot), (second, is_second_bot)] =
            [player(Seat::First)?, player(Seat::Second)?];
        Some(Self {
            members: BySeat { first, second },
            bots: BySeat { first: is_first_bot, second: is_second_bot },
        })
    }
}
