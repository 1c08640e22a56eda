//! What happens in a running game by itself: flags fall, and a clock runs again after time in
//! which the server was away, or a bot waited for somebody to come.

use crate::{clock::SideTime, protocol::Event, rules::Outcome};

use super::{Moment, Room};
use crate::room::limits::{RESUME_GRACE_MS, RESUME_RETRY_MS, ROOM_EVENTS_MAX};

impl Room {
    /// Lets everything happen that is due, before anybody is heard: so a move that comes after
    /// the flag has fallen finds the game ended.
    pub(super) fn keep_time(&mut self, moment: &mut Moment<'_>) {
        if self.closed {
            return;
        }
        if self.resume_at.is_some_and(|at| at <= moment.now) {
            self.resume(moment);
        }
        if self.flag_at().is_some_and(|at| at <= moment.now)
            && let Some(seat) = self.state.to_act()
        {
            let winner = seat.other();
            self.log(Event::Ended { outcome: Outcome::Time { winner } }, moment);
        }
        self.end_abandoned(moment);
    }

    /// When the flag of the seat that must act falls, if its time runs.
    pub(super) fn flag_at(&self) -> Option<u64> {
        if self.resume_at.is_some() || self.is_suspended() {
            return None;
        }
        self.state.running()?.clock?.flag_at()
    }

    /// Whether the game waits for somebody to come: a bot must act, and it does not think for
    /// an empty room. This time is nobody's.
    pub(super) fn is_suspended(&self) -> bool {
        let must_act = self.state.to_act();
        self.presence.is_empty() && must_act.is_some_and(|seat| self.bot_in(seat).is_some())
    }

    /// What the seat that must act has left after a move made now, if its time runs.
    pub(super) fn time_after_move(&mut self, moment: &mut Moment<'_>) -> Option<SideTime> {
        if self.resume_at.is_some() {
            self.resume(moment);
        }
        let clock = self.state.running()?.clock?;
        clock.after_move(moment.now, moment.lag_ms).expect("whose flag falls has lost before")
    }

    /// The server was away: the one on turn has what he had when it became his turn, after a
    /// moment to come back.
    pub(super) fn resume(&mut self, moment: &mut Moment<'_>) {
        self.resume_at = None;
        if self.is_clock_running() && !self.is_suspended() {
            let from = moment.now.saturating_add(RESUME_GRACE_MS);
            self.log(Event::Resumed { from }, moment);
        }
    }

    /// Somebody has come, and the bot on turn, which has waited for that, begins anew: with the
    /// time that it had when it became its turn. A log that is full cannot say so.
    pub(super) fn resume_bot(&mut self, moment: &mut Moment<'_>) {
        if self.is_clock_running() && self.state.seq < ROOM_EVENTS_MAX {
            self.resume_at = None;
            self.log(Event::Resumed { from: moment.now }, moment);
        }
    }

    /// The same after a commit that failed: until it is done no flag falls. Not at once, as
    /// storing that may fail, too.
    pub(super) fn resume_soon(&mut self, moment: &Moment<'_>) {
        let at = moment.now.saturating_add(RESUME_RETRY_MS);
        self.resume_at = self.is_clock_running().then_some(at);
    }

    fn is_clock_running(&self) -> bool {
        let clock = self.state.running().and_then(|game| game.clock);
        clock.is_some_and(|clock| clock.running().is_some())
    }
}
