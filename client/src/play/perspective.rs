//! A room from one member's perspective: their seats, and whether it is their turn.

use fivefold_shared::{protocol::MemberId, room::RoomState, seat::Seat};

/// A room as one member sees it.
#[derive(Clone, Copy, Debug)]
pub struct Perspective<'a> {
    /// The room as it is now.
    pub room: &'a RoomState,
    /// The public id of this member.
    pub me: &'a MemberId,
}

impl Perspective<'_> {
    /// Whether this member plays a seat. Spectators play none; two people at one keyboard play
    /// both.
    pub fn plays(self, seat: Seat) -> bool {
        self.room.seats.get(seat).is_some_and(|player| player.is_member(self.me))
    }

    /// The seat that this member plays; with both, the one that must act. `None` for a spectator.
    pub fn seat(self) -> Option<Seat> {
        let first = self.room.to_act().unwrap_or(Seat::First);
        [first, first.other()].into_iter().find(|&seat| self.plays(seat))
    }

    /// Whether a game is running and this member is to move.
    pub fn is_my_turn(self) -> bool {
        self.room.to_act().is_some_and(|seat| self.plays(seat))
    }
}
