//! Time off in a daily game: the time of a player stands still in a period that their account has chosen. They may
//! move all the same.

use crate::{
    clock::TimeOff,
    protocol::{Event, MemberId},
    room::{Moment, Room},
};

impl Room {
    /// Applies a member's time off if they play a daily game here. Their turn, and the limit for their first act, end later
    /// by the part of the period that they contain.
    pub(in crate::room) fn take_time_off(
        &mut self,
        member: &MemberId,
        off: TimeOff,
        moment: &mut Moment<'_>,
    ) {
        if !self.is_daily() {
            return;
        }
        let Ok((seat, game)) = self.playing(member) else { return };
        let before = game.clock.and_then(|clock| clock.off(seat));
        if before == Some(off) {
            return;
        }
        let first_act = game.first_act.filter(|act| act.seat == seat);
        self.log(Event::TimeOff { seat, off }, moment);
        if let Some(act) = first_act {
            let start = if before.is_some_and(|before| before.from == off.from) {
                // The same period with another end.
                off.from
            } else {
                // It may have begun before the game, or a moment ago.
                off.from.max(act.until.saturating_sub(self.first_act_limit()))
            };
            let start = moment.now.min(start);
            let left = before.unwrap_or(TimeOff::NONE).spent(start, act.until);
            self.log(Event::FirstActDue { seat, until: off.end_of(start, left) }, moment);
        }
    }
}
