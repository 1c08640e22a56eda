//! A place in a room: the room's state, and who one is there.

use fivefold_shared::{protocol::MemberId, room::RoomState, seat::Seat};

/// A room as it is seen by one who is in it.
#[derive(Clone, Copy, Debug)]
pub struct Place<'a> {
    /// The room as it is now.
    pub room: &'a RoomState,
    /// The public id of the one who sees it.
    pub me: &'a MemberId,
}

impl Place<'_> {
    /// Whether this seat is played from here: neither by a spectator, both for two people at one
    /// keyboard.
    pub fn plays(self, seat: Seat) -> bool {
        self.room.seats.get(seat).is_some_and(|player| player.is_member(self.me))
    }

    /// The seat that is played from here; with both, the one that must act. `None` for a
    /// spectator.
    pub fn seat(self) -> Option<Seat> {
        let first = self.room.to_act().unwrap_or(Seat::First);
        [first, first.other()].into_iter().find(|&seat| self.plays(seat))
    }

    /// Whether a game is running and a seat that is played from here must act.
    pub fn is_my_turn(self) -> bool {
        self.room.to_act().is_some_and(|seat| self.plays(seat))
    }
}
