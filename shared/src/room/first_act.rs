//! The first acts in a paired room, and in daily games: each player must begin within a limit, or the
//! game is aborted. Until both have acted, either of them may abort it. Later games of a paired room
//! are as any other.

use super::{Game, Moment, Room};
use crate::{
    clock::millis,
    protocol::{Event, MemberId, Reason, Refusal},
    rules::Outcome,
    seat::Seat,
};

impl Room {
    /// Aborts the game for one of its players.
    pub(super) fn abort(
        &mut self,
        member: &MemberId,
        moment: &mut Moment<'_>,
    ) -> Result<(), Refusal> {
        let (by, _) = self.playing(member)?;
        if !self.state.is_abortable() {
            return Err(Refusal::new(Reason::NotAbortable));
        }
        self.end_game(Outcome::Aborted { by: Some(by) }, moment);
        Ok(())
    }

    /// The seat to act, if that is a person's first act in a game that can be aborted.
    pub(super) fn first_actor(&self) -> Option<Seat> {
        let game = self.state.running().filter(|_| self.state.is_abortable())?;
        game.to_act().filter(|&seat| !game.has_acted(seat) && self.bot_in(seat).is_none())
    }

    /// When the game is aborted because its player to act has not begun.
    pub(super) fn first_act_until(&self) -> Option<u64> {
        if self.resume_at.is_some() {
            return None;
        }
        Some(self.state.running()?.first_act?.until)
    }

    /// Starts the time for a first act, unless it runs or must wait.
    pub(super) fn attend_first_act(&mut self, moment: &mut Moment<'_>) {
        let runs = self.state.running().is_some_and(|game| game.first_act.is_some());
        if !runs && self.resume_at.is_none() {
            self.await_first_act(moment.now, moment);
        }
    }

    /// Gives the seat to act the whole time for its first act, from `from` on.
    pub(super) fn await_first_act(&mut self, from: u64, moment: &mut Moment<'_>) {
        let Some(seat) = self.first_actor() else { return };
        let limit = self.first_act_limit();
        let clock = self.state.running().and_then(|game| game.clock);
        let until =
            clock.map_or(from.saturating_add(limit), |clock| clock.end_of(seat, from, limit));
        self.log(Event::FirstActDue { seat, until }, moment);
    }

    /// How long the seat to act has for its first act, in milliseconds.
    pub(super) fn first_act_limit(&self) -> u64 {
        let ask = self.state.running().and_then(Game::ask);
        let stones = ask.map_or(1, |ask| ask.put.len());
        millis(self.limits.first_act.of(self.state.time, stones))
    }

    /// Aborts the game if its player to act has not begun in time. Where their flag has fallen
    /// before, that counts.
    pub(super) fn end_unbegun(&mut self, moment: &mut Moment<'_>) {
        if let (Some(by), Some(until)) = (self.first_actor(), self.first_act_until())
            && until <= moment.now
            && self.flag_at().is_none_or(|flag_at| until <= flag_at)
        {
            self.end_game(Outcome::Aborted { by: Some(by) }, moment);
        }
    }
}
