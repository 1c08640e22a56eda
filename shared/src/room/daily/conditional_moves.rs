//! Conditional moves: the room plays a reply that a player has planned in the same batch of events as the move that it
//! answers.

use crate::{
    conditional_moves::GameConditionalMoves,
    protocol::MemberId,
    room::{Moment, Room, data::Planned, limits::ROOM_EVENTS_MAX},
    rules::Point,
};

impl Room {
    /// Replaces what a member has planned, unless that has a higher number. The numbers begin anew in each game.
    pub(in crate::room) fn take_conditional_moves(
        &mut self,
        member: &MemberId,
        number: u64,
        moves: Option<GameConditionalMoves>,
    ) {
        let Ok((seat, game)) = self.playing(member) else { return };
        let game = game.number;
        let known = &mut self.conditional_moves[seat];
        if known.game != game || known.number <= number {
            *known = Planned { game, number, moves };
        }
    }

    /// Plays what the player on turn has planned, without using time; then what the other has planned, and so on.
    pub(in crate::room) fn follow_conditional_moves(&mut self, moment: &mut Moment<'_>) {
        while let Some(point) = self.conditional_move() {
            let clock = self.state.running().and_then(|game| game.clock);
            let time = clock.and_then(|clock| clock.after_no_time());
            self.log_stone(point, false, time, moment);
        }
    }

    /// The planned reply that is due. None while a draw offer or a takeback request waits for an answer, or until the
    /// room resumes after a failed commit.
    fn conditional_move(&self) -> Option<Point> {
        let game = self.state.running().filter(|_| self.resume_at.is_none())?;
        let seat = game.to_act()?;
        let planned = game.plan(self.conditional_moves[seat].moves.as_ref()?)?;
        let is_asked = game.draw_offer == Some(seat.other()) || game.takeback_ask.is_some();
        if is_asked || self.state.seq >= ROOM_EVENTS_MAX {
            return None;
        }
        let reply = planned.reply(game.position.moves())?;
        game.position.legality(reply).is_ok().then_some(reply)
    }
}
