//! Conditional moves of accounts in their daily games. Only their owners see them.

use fivefold_shared::{
    conditional_moves::{ConditionalMoves, ConditionalMovesStatus, GameConditionalMoves},
    protocol::{MemberId, Reason, Refusal, RoomCode},
    room::{Game, RoomState},
    seat::Seat,
};
use fivefold_storage::{Account, AccountStep, ConditionalMovesStep};

use super::Accounts;

impl Accounts {
    /// Reads the lines of a member's plan that are still possible in a game.
    ///
    /// # Errors
    /// If the member does not play there, or the plan cannot be read.
    pub(crate) async fn conditional_moves(
        &self,
        own: &Account,
        room: RoomCode,
    ) -> Result<ConditionalMovesStatus, Refusal> {
        let (member, planned) = self.own_place(own, &room).await?;
        let state = self.room_state(&room).await?;
        let (_, game) = playing(&state, &member)?;
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
        let (member, _) = self.own_place(own, &room).await?;
        let state = self.room_state(&room).await?;
        let (seat, game) = playing(&state, &member)?;
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

    /// Reads the place of a member, or of a guest of theirs, in the daily game of a room: whose it is, and what they have
    /// planned there.
    async fn own_place(
        &self,
        own: &Account,
        room: &RoomCode,
    ) -> Result<(MemberId, Option<String>), Refusal> {
        let member = own.member.clone();
        let places = self.read(move |reader| reader.conditional_moves(&member)).await?;
        let place = places.into_iter().find(|(of, ..)| of == room);
        place.map(|(_, member, planned)| (member, planned)).ok_or_else(|| Reason::NotSeated.into())
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
}

/// The running game of a room, and a member's seat in it.
fn playing<'s>(state: &'s RoomState, member: &MemberId) -> Result<(Seat, &'s Game), Refusal> {
    let game = state.running().ok_or(Reason::NoGame)?;
    Ok((state.seats.of_member(member).ok_or(Reason::NotSeated)?, game))
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
