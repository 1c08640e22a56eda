//! Timed changes in a running game: flags fall, first acts are too late, and times resume after a
//! server outage or after a bot waited for somebody to come.

use crate::{clock::SideTime, protocol::Event, rules::Outcome};

use super::{Moment, Room};
use crate::room::limits::{RESUME_GRACE_MS, RESUME_RETRY_MS, ROOM_EVENTS_MAX};

impl Room {
    /// Does everything that is due before handling an input, so that a move after the fall of the
    /// flag finds the game ended.
    pub(super) fn keep_time(&mut self, moment: &mut Moment<'_>) {
        if self.closed {
            return;
        }
        if self.resume_at.is_some_and(|at| at <= moment.now) {
            self.resume(moment);
            // What was due before the fault costs no time.
            self.follow_conditional_moves(moment);
        }
        self.end_unbegun(moment);
        if self.flag_at().is_some_and(|at| at <= moment.now)
            && let Some(seat) = self.state.to_act()
        {
            let winner = seat.other();
            self.end_game(Outcome::Time { winner }, moment);
        }
        self.end_abandoned(moment);
    }

    /// When the flag of the seat to act falls, if its time runs.
    pub(super) fn flag_at(&self) -> Option<u64> {
        if self.resume_at.is_some() || self.is_suspended() {
            return None;
        }
        self.state.running()?.clock?.flag_at()
    }

    /// Whether the game waits for somebody to come: a bot is on turn, and it does not think in an
    /// empty room, except in a daily game with a person. Neither clock runs.
    pub(super) fn is_suspended(&self) -> bool {
        self.presence.is_empty() && !self.is_daily() && self.is_bot_on_turn()
    }

    fn is_bot_on_turn(&self) -> bool {
        self.state.to_act().is_some_and(|seat| self.bot_in(seat).is_some())
    }

    /// The time that the seat to act has left after a move made now, if its time runs.
    pub(super) fn time_after_move(&mut self, moment: &mut Moment<'_>) -> Option<SideTime> {
        if self.resume_at.take().is_some() {
            self.resume_clock(moment);
        }
        let clock = self.state.running()?.clock?;
        // In a daily game, time runs on while nothing can be stored, but no flag falls then.
        let now =
            clock.flag_at().map_or(moment.now, |flag_at| moment.now.min(flag_at.saturating_sub(1)));
        clock.after_move(now, moment.lag_ms).expect("whose flag falls has lost before")
    }

    /// Resumes after a server outage: the player on turn gets back the time from the start of the
    /// turn, for their first act, or since they were nudged, after a grace period. In a daily game,
    /// a person's time runs on: with days for a turn, they could have moved before the outage. A bot could not, so it
    /// gets its time back.
    pub(super) fn resume(&mut self, moment: &mut Moment<'_>) {
        self.resume_at = None;
        if self.is_daily() {
            if self.is_bot_on_turn() {
                self.resume_bot(moment);
            }
            return;
        }
        self.resume_clock(moment);
        let from = moment.now.saturating_add(RESUME_GRACE_MS);
        self.await_first_act(from, moment);
        self.renew_nudge(from, moment);
    }

    fn resume_clock(&mut self, moment: &mut Moment<'_>) {
        if self.is_clock_running() && !self.is_suspended() && !self.is_daily() {
            let from = moment.now.saturating_add(RESUME_GRACE_MS);
            self.log(Event::Resumed { from }, moment);
        }
    }

    /// Resumes the turn of a bot that waited for somebody to come, with the time from the start of
    /// the turn. A full log cannot record that.
    pub(super) fn resume_bot(&mut self, moment: &mut Moment<'_>) {
        if self.is_clock_running() && self.state.seq < ROOM_EVENTS_MAX {
            self.resume_at = None;
            self.log(Event::Resumed { from: moment.now }, moment);
        }
    }

    /// Schedules a resume after a failed commit; no time is up until then. Not at once, because
    /// storing the resume may fail, too.
    pub(super) fn resume_soon(&mut self, moment: &Moment<'_>) {
        let at = moment.now.saturating_add(RESUME_RETRY_MS);
        self.resume_at = self.is_timed().then_some(at);
    }

    /// Stops the time of the seat to act until then, except in a daily game.
    /// [`resume`](Self::resume) gives it back.
    pub(super) fn pause_clock(&mut self, until: u64) {
        if self.is_timed() && !self.is_daily() {
            self.resume_at = Some(until);
        }
    }

    /// The player on turn is back: a paused clock resumes soon.
    pub(super) fn end_pause(&mut self, moment: &Moment<'_>) {
        let soon = moment.now.saturating_add(RESUME_RETRY_MS);
        self.resume_at = self.resume_at.map(|at| at.min(soon));
    }

    /// Whether the time of the seat to act is limited now.
    fn is_timed(&self) -> bool {
        let is_nudged = self.state.running().is_some_and(|game| game.nudge.is_some());
        self.is_clock_running() || self.first_actor().is_some() || is_nudged
    }

    fn is_clock_running(&self) -> bool {
        let clock = self.state.running().and_then(|game| game.clock);
        clock.is_some_and(|clock| clock.running().is_some())
    }
}
