//! A room from one member's perspective: their colours, and whether it is their turn.

use fivefold_shared::{protocol::MemberId, room::RoomState, rules::Stone};

/// A room as one member sees it.
#[derive(Clone, Copy, Debug)]
pub struct Perspective<'a> {
    /// The room as it is now.
    pub room: &'a RoomState,
    /// The public id of the one who sees it.
    pub me: &'a MemberId,
}

impl Perspective<'_> {
    /// Whether this member plays a colour: none for a spectator, both for two people at one
    /// keyboard.
    pub fn plays(self, stone: Stone) -> bool {
        self.room.seats.get(stone).is_some_and(|player| player.is_member(self.me))
    }

    /// The colour that this member plays; with both, the one whose turn it is. `None` for a
    /// spectator.
    pub fn seat(self) -> Option<Stone> {
        let turn = self.room.game.as_ref().map_or(Stone::Black, |game| game.position.turn());
        [turn, turn.opponent()].into_iter().find(|&stone| self.plays(stone))
    }

    /// Whether a game is running and this member is to move.
    pub fn is_my_turn(self) -> bool {
        self.room.running().is_some_and(|game| self.plays(game.position.turn()))
    }
}
