//! What happens in a running game by itself: flags fall, and a clock runs again after time in
//! which the server was away.

use fivefold_shared::{clock::SideTime, protocol::Event, rules::Outcome};

use super::{Moment, Room};
use crate::limits::{RESUME_GRACE_MS, RESUME_RETRY_MS};

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
            && let Some(game) = self.state.running()
        {
            let winner = game.position.turn().opponent();
            self.log(Event::Ended { outcome: Outcome::Time { winner } }, moment);
        }
        self.end_abandoned(moment);
    }

    /// When the flag of the person on turn falls, if his time runs. A bot's never does: see
    /// [`Self::time_after_move`].
    pub(super) fn flag_at(&self) -> Option<u64> {
        let game = self.state.running()?;
        if self.resume_at.is_some() || self.bot_in(game.position.turn()).is_some() {
            return None;
        }
        game.clock?.flag_at()
    }

    /// What the one on turn has left after a move made now, if his time runs. A bot is asked to
    /// move in time, and only a busy server can make it late: then it has moved in the last
    /// moment.
    pub(super) fn time_after_move(&mut self, moment: &mut Moment<'_>) -> Option<SideTime> {
        if self.resume_at.is_some() {
            self.resume(moment);
        }
        let game = self.state.running()?;
        let clock = game.clock?;
        let flag_at = clock.flag_at()?;
        let now = match self.bot_in(game.position.turn()) {
            Some(_) => moment.now.min(flag_at.saturating_sub(1)),
            None => moment.now,
        };
        clock.after_move(now, moment.lag_ms).expect("people whose flag falls have lost before")
    }

    /// The server was away: the one on turn has what he had when it became his turn, after a
    /// moment to come back.
    pub(super) fn resume(&mut self, moment: &mut Moment<'_>) {
        self.resume_at = None;
        if self.is_clock_running() {
            let from = moment.now.saturating_add(RESUME_GRACE_MS);
            self.log(Event::Resumed { from }, moment);
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
