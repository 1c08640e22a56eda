//! Whether a room may help with a position: not with that of a rated game that is running. Whether it may
//! begin another rated game. And the position of the room's own rated game.

use fivefold_shared::{
    protocol::{MemberId, Reason, Refusal, RoomRequest},
    room::{Game, Input, SessionId},
    rules::Point,
    seat::{BySeat, Seat},
};

use super::actor::Actor;

impl Actor {
    /// The position with which an input asks for help: of the engine, or by playing it against a bot.
    pub(super) fn asked_position(&self, request: &RoomRequest) -> Option<Vec<Point>> {
        let moves = self.room.state().game.as_ref()?.position.moves();
        let first = |ply: Option<usize>| &moves[..ply.unwrap_or(moves.len()).min(moves.len())];
        if let RoomRequest::Weights { ply, .. } | RoomRequest::Analyse { ply, .. } = request {
            Some(first(*ply).to_vec())
        } else if let RoomRequest::BotMove { .. } = request {
            Some(moves.to_vec())
        } else if let RoomRequest::Play { point, .. } = request
            && Seat::BOTH.into_iter().any(|seat| self.room.bot_in(seat).is_some())
        {
            Some(moves.iter().chain([point]).copied().collect())
        } else {
            None
        }
    }

    /// Whether an input begins, or asks for, no rated game of somebody who may play none.
    ///
    /// # Errors
    /// If an operator has decided so since the last game: the player learns why, and the opponent only
    /// that there is no rated game with that player.
    pub(super) fn may_be_rated(&self, input: &Input) -> Result<(), Refusal> {
        let Input::Command { session, request, .. } = input else { return Ok(()) };
        let sits = matches!(request, RoomRequest::Sit { .. } | RoomRequest::SitAsEngine { .. });
        if !sits && *request != RoomRequest::Rematch {
            return Ok(());
        }
        let Some((member, opponent)) = self.next_rated(*session, sits) else { return Ok(()) };
        let (sanctions, now) = (&self.context.sanctions, self.context.clock.now());
        sanctions.may_play_rated(member, now)?;
        sanctions.may_play_rated(opponent, now).map_err(|_| Refusal::new(Reason::OpponentNotRated))
    }

    /// The member of a session and their opponent, if another rated game of these two is to begin when the
    /// member sits down, or asks for one.
    pub(super) fn next_rated(
        &self,
        session: SessionId,
        sits: bool,
    ) -> Option<(&MemberId, &MemberId)> {
        let member = self.room.member(session)?;
        let players: &BySeat<MemberId> = self.room.rated_players()?;
        let seat = Seat::BOTH.into_iter().find(|seat| players[*seat] == *member)?;
        let seats = &self.room.state().seats;
        let is_seated = |seat: Seat| seats.of_member(&players[seat]) == Some(seat);
        let plays = is_seated(seat.other()) && (sits || is_seated(seat));
        plays.then(|| (member, &players[seat.other()]))
    }

    /// Has the position of the room's rated game known, or that it has none. That of a daily one is stored.
    pub(super) fn note_rated(&self) {
        let state = self.room.state();
        let is_rated = |game: &&Game| game.rated && !state.time.is_daily();
        match state.running().filter(is_rated) {
            Some(game) => self.context.rated.set(self.code(), game.position.moves()),
            None => self.context.rated.clear(self.code()),
        }
    }

    /// The task ends: another node may have the room.
    pub(super) fn forget_rated(&self) {
        self.context.rated.clear(self.code());
    }
}
