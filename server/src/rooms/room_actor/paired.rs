//! The games of a room whose players were paired: nobody is in two such games, and the pairing learns
//! how they end.

use fivefold_shared::{
    protocol::{Event, Reason, Refusal, RoomRequest},
    room::Input,
    seat::Seat,
};
use fivefold_storage::{NowPlaying, Playing};

use super::actor::Actor;
use crate::rooms::paired_games::PairedGame;

impl Actor {
    /// Whether an input may begin a game between people: none of them may be in another paired game.
    /// Returns whether the game counts as begun now; after the input, call
    /// [`settle_paired`](Self::settle_paired) then.
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

    /// After an input that may have begun a game: takes it back if it has not.
    pub(super) fn settle_paired(&mut self) {
        self.has_begun = self.room.state().running().is_some();
        if !self.has_begun {
            self.withdraw_paired();
        }
    }

    /// Takes back a game that has begun and is not stored, before any command is refused for that:
    /// the players may seek again.
    pub(super) fn withdraw_unstored(&mut self) {
        if std::mem::take(&mut self.has_begun) || !self.is_stored {
            self.withdraw_paired();
        }
    }

    fn withdraw_paired(&self) {
        if let Some(games) = self.listed.paired_games() {
            games.withdraw(self.code());
        }
    }

    /// Who plays after an event that the room has appended, for the storage.
    pub(super) fn now_playing(&self, event: &Event) -> NowPlaying {
        let state = self.room.state();
        if !state.paired || !matches!(event, Event::Started { .. } | Event::Ended { .. }) {
            return NowPlaying::Unchanged;
        }
        let players = state.paired_players().map(Box::new);
        players.map_or(NowPlaying::Nobody, NowPlaying::These)
    }

    /// The storage has refused a game because one of its players plays elsewhere. For a new room,
    /// the one who paired them is notified.
    pub(super) fn note_playing(&mut self, playing: &Playing) {
        tracing::info!(room.id = %self.code(), other = %playing.room, "a player plays elsewhere");
        if let Some(on_stored) = self.on_stored.take() {
            self.withdraw_unstored();
            // Nobody waits if the server is about to stop.
            on_stored.send(Err(playing.clone())).ok();
        }
    }

    /// The room is what its log says again: so is its place among the games of paired players.
    pub(super) fn restore_paired(&self) {
        let Some(games) = self.listed.paired_games() else { return };
        match PairedGame::running(&self.room) {
            Some(game) => {
                if let Err(playing) = games.restore(self.code(), game) {
                    tracing::error!(room.id = %self.code(), other = %playing.room, "a player is in two paired games");
                }
            }
            None => games.withdraw(self.code()),
        }
    }

    /// The end of a game is stored.
    pub(super) fn end_paired(&self, aborted_by: Option<Seat>) {
        if let Some(games) = self.listed.paired_games() {
            games.end(self.code(), aborted_by, PairedGame::running(&self.room));
        }
    }
}

/// Why a command is refused when the game that was to begin cannot be stored: a player plays
/// elsewhere. `kind` is its metric label. What came after such a command may be sent again.
pub(super) fn reason_without_game(kind: &str) -> Reason {
    let begins = [
        RoomRequest::Rematch,
        RoomRequest::Sit { seat: None },
        RoomRequest::SitAsEngine { seat: None },
    ];
    let may_begin = begins.iter().any(|request| request.kind() == kind);
    if may_begin { Reason::GameRunning } else { Reason::Unavailable }
}
