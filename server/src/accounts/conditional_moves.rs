//! Conditional moves of accounts in their daily games. Only their owners see them.

use fivefold_shared::{
    conditional_moves::{ConditionalMoves, ConditionalMovesStatus, GameConditionalMoves},
    protocol::{MemberId, Player, Reason, Refusal, RoomCode},
    room::{Game, RoomState},
    seat::Seat,
};
use fivefold_storage::{Account, AccountStep, ConditionalMovesStep};

use super::Accounts;

impl Accounts {
    /// What is left of the lines that a member has planned in a game.
    ///
    /// # Errors
    /// If the member does not play there, or the plan cannot be read.
    pub(crate) async fn conditional_moves(
        &self,
        own: &Account,
        room: RoomCode,
    ) -> Result<ConditionalMovesStatus, Refusal> {
        let planned = self.own_place(own, &room).await?;
        let state = self.room_state(&room).await?;
        let (_, game) = self.own_game(own, &state).await?;
        let planned = planned.and_then(|text| serde_json::from_str(&text).ok());
        Ok(status(&state, game, planned.as_ref()))
    }

    /// Replaces what a member has planned in a game. An empty list deletes it.
    ///
    /// # Errors
    /// If the member plays no daily game there, or the storage fails. For a list that is not empty, also during the
    /// opening, on the member's turn, or if the lines cannot be played.
    pub(crate) async fn set_conditional_moves(
        &self,
        own: &Account,
        room: RoomCode,
        moves: ConditionalMoves,
    ) -> Result<ConditionalMovesStatus, Refusal> {
        self.own_place(own, &room).await?;
        let state = self.room_state(&room).await?;
        let (seat, game) = self.own_game(own, &state).await?;
        let planned = if moves.lines.is_empty() {
            None
        } else {
            if !game.opening.is_over() {
                return Err(Reason::OpeningRunning.into());
            }
            moves.check(&game.position)?;
            if game.to_act() == Some(seat) {
                return Err(Reason::YourTurn.into());
            }
            Some(game.planned(moves))
        };
        let text = |planned| serde_json::to_string(planned).expect("moves are plain data");
        let step = ConditionalMovesStep::Set { room, moves: planned.as_ref().map(text) };
        self.change(&own.member, AccountStep::ConditionalMoves(step), Reason::NotSeated).await?;
        Ok(status(&state, game, planned.as_ref()))
    }

    /// What a member has stored for their place in the daily game of a room.
    async fn own_place(&self, own: &Account, room: &RoomCode) -> Result<Option<String>, Refusal> {
        let member = own.member.clone();
        let places = self.read(move |reader| reader.conditional_moves(&member)).await?;
        let place = places.into_iter().find(|(of, _)| of == room);
        place.map(|(_, planned)| planned).ok_or_else(|| Reason::NotSeated.into())
    }

    /// The state that a room's log has.
    async fn room_state(&self, room: &RoomCode) -> Result<RoomState, Refusal> {
        let log = self.log_writer.settle(|permit| permit.read(room.clone())).await;
        let log = log.map_err(|error| {
            tracing::warn!(%error, room.id = %room, "cannot read the log of a room");
            Refusal::new(Reason::Unavailable)
        })?;
        RoomState::from_log(log.iter().map(|entry| &entry.event))
            .map_err(|_| Refusal::new(Reason::NoSuchRoom))
    }

    /// The running game of a room, and the seat in it of the member or a guest of theirs.
    async fn own_game<'s>(
        &self,
        own: &Account,
        state: &'s RoomState,
    ) -> Result<(Seat, &'s Game), Refusal> {
        let game = state.running().ok_or(Reason::NoGame)?;
        let guests = self.guests_of(&own.member).await?;
        let is_own = |member: &MemberId| *member == own.member || guests.contains(member);
        let seat = Seat::BOTH.into_iter().find(|&seat| match &game.players[seat] {
            Player::Member { member, .. } => is_own(member),
            Player::Bot { .. } => false,
        });
        Ok((seat.ok_or(Reason::NotSeated)?, game))
    }
}

fn status(
    state: &RoomState,
    game: &Game,
    planned: Option<&GameConditionalMoves>,
) -> ConditionalMovesStatus {
    let moves = game.position.moves();
    let none = || ConditionalMoves { ply: moves.len(), lines: Vec::new() };
    let plan = planned.and_then(|planned| game.plan(planned));
    let moves = plan.map_or_else(none, |plan| plan.after(moves));
    ConditionalMovesStatus { rules: state.rules, moves }
}
