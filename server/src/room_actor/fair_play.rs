//! Whether a room may help with a position: not with that of a rated game that is running. And the position
//! of the room's own rated game.

use fivefold_shared::{
    protocol::{Refusal, RoomRequest},
    room::Input,
    rules::Point,
    seat::Seat,
};

use super::actor::Actor;

impl Actor {
    /// Whether an input asks for no help with a position with which nobody gets any: of the engine, or by
    /// playing it against a bot.
    ///
    /// # Errors
    /// If a rated game that is running has this position.
    pub(super) fn may_help(&self, input: &Input) -> Result<(), Refusal> {
        let Input::Command { request, .. } = input else { return Ok(()) };
        let Some(game) = &self.room.state().game else { return Ok(()) };
        let moves = game.position.moves();
        let first = |ply: Option<usize>| &moves[..ply.unwrap_or(moves.len()).min(moves.len())];
        let rated = &self.context.rated;
        if let RoomRequest::Weights { ply, .. } | RoomRequest::Analyse { ply, .. } = request {
            rated.may_help(first(*ply))
        } else if let RoomRequest::BotMove { .. } = request {
            rated.may_help(moves)
        } else if let RoomRequest::Play { point, .. } = request
            && Seat::BOTH.into_iter().any(|seat| self.room.bot_in(seat).is_some())
        {
            let after: Vec<Point> = moves.iter().chain([point]).copied().collect();
            rated.may_help(&after)
        } else {
            Ok(())
        }
    }

    /// Has the position of the room's rated game known, or that it has none.
    pub(super) fn note_rated(&self) {
        let state = self.room.state();
        match state.running().filter(|game| game.rated) {
            Some(game) => self.context.rated.set(self.code(), game.position.moves()),
            None => self.context.rated.clear(self.code()),
        }
    }

    /// The task ends: another node may have the room.
    pub(super) fn forget_rated(&self) {
        self.context.rated.clear(self.code());
    }
}
