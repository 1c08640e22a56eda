//! The games of a room whose players were paired: nobody is in two such games, and the pairing learns
//! how they end.

use fivefold_shared::{
    protocol::{Reason, Refusal, RoomRequest},
    room::Input,
    seat::Seat,
};

use super::actor::Actor;
use crate::paired_games::PairedGame;

impl Actor {
    /// Whether an input may begin a game between people: none of them may be in another paired game.
    /// Returns whether the game counts as begun now. If the input does not begin it after all, call
    /// [`withdraw_paired`](Self::withdraw_paired).
    ///
    /// # Errors
    /// If one of the players is in another game.
    pub(super) fn begin_paired(&self, input: &Input) -> Result<bool, Refusal> {
        let Some(games) = self.listed.paired_games() else { return Ok(false) };
        let Input::Command { session, request, .. } = input else { return Ok(false) };
        let sits = matches!(request, RoomRequest::Sit { .. } | RoomRequest::SitAsEngine { .. });
        if !sits && *request != RoomRequest::Rematch {
            return Ok(false);
        }
        let sitter = if sits { self.room.member(*session) } else { None };
        let Some(game) = PairedGame::of(&self.room, sitter) else { return Ok(false) };
        games.begin(self.code(), game).map_err(|_| Refusal::new(Reason::GameRunning))
    }

    /// The input before has not begun a game.
    pub(super) fn withdraw_paired(&self) {
        if let Some(games) = self.listed.paired_games()
            && self.room.state().running().is_none()
        {
            games.withdraw(self.code());
        }
    }

    /// The end of a game is stored.
    pub(super) fn end_paired(&self, aborted_by: Option<Seat>) {
        if let Some(games) = self.listed.paired_games() {
            let is_running = self.room.state().running().is_some();
            let next = is_running.then(|| PairedGame::of(&self.room, None)).flatten();
            games.end(self.code(), aborted_by, next);
        }
    }
}
