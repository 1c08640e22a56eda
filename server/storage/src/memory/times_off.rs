//! Time off from daily games, in memory.

use std::collections::BTreeMap;

use fivefold_shared::{
    clock::{TimeOff, year},
    protocol::MemberId,
};

use crate::AccountChanged;

/// All periods, by their members, the earliest first.
#[derive(Debug, Default)]
pub(super) struct TimesOff(BTreeMap<MemberId, Vec<TimeOff>>);

impl TimesOff {
    /// A member's periods.
    pub(super) fn of(&self, member: &MemberId) -> &[TimeOff] {
        self.0.get(member).map_or(&[], Vec::as_slice)
    }

    /// The last period of a member, the only one that can be open; [`TimeOff::NONE`] if there is none.
    pub(super) fn latest(&self, member: &MemberId) -> TimeOff {
        self.of(member).last().copied().unwrap_or(TimeOff::NONE)
    }

    pub(super) fn begin(&mut self, member: &MemberId, off: TimeOff, at: u64) -> AccountChanged {
        let own = self.0.entry(member.clone()).or_default();
        if own.contains(&off) {
            return AccountChanged::Done;
        }
        if let Err(why) = off.check(own, at) {
            return AccountChanged::NoTimeOff(why);
        }
        own.retain(|period| year(period.until) >= year(at));
        own.push(off);
        AccountChanged::Done
    }

    pub(super) fn end(&mut self, member: &MemberId, off: TimeOff) {
        let own = self.0.entry(member.clone()).or_default();
        if off.from == off.until {
            own.retain(|period| period.from != off.from);
        } else if let Some(known) = own.iter_mut().find(|period| period.from == off.from) {
            known.until = known.until.min(off.until);
        }
    }

    /// Forgets those of these members.
    pub(super) fn forget(&mut self, members: &[MemberId]) {
        self.0.retain(|member, _| !members.contains(member));
    }
}
