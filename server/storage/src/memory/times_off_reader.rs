//! What time off has to do with places in daily games, and reading it, in memory.

use fivefold_shared::{clock::TimeOff, protocol::MemberId};

use super::{Memory, Tables};
use crate::{AccountChanged, Call, StorageError, TimeOffReader, TimeOffStep};

impl Tables {
    /// Changes a member's time off, and what their daily games have to learn of it.
    pub(super) fn change_time_off(
        &mut self,
        member: &MemberId,
        at: u64,
        step: TimeOffStep,
    ) -> AccountChanged {
        let changed = match step {
            TimeOffStep::Begin(_) if !self.accounts.has_row(member) => return AccountChanged::Gone,
            TimeOffStep::Begin(off) => self.times_off.begin(member, off, at),
            TimeOffStep::End(off) => {
                self.times_off.end(member, off);
                AccountChanged::Done
            }
        };
        if changed == AccountChanged::Done {
            let off = step.period_now(self.times_off.latest(member), at);
            self.set_off(member, off);
        }
        changed
    }

    /// Gives the places of a member's guests the time off that the member has, or will have.
    pub(super) fn share_time_off(&mut self, member: &MemberId, at: u64) {
        let off = self.times_off.latest(member);
        if off.is_open(at) {
            self.set_off(member, off);
        }
    }
}

impl TimeOffReader for Memory {
    fn times_off(&mut self, member: &MemberId) -> Result<Vec<TimeOff>, StorageError> {
        Ok(self.tables_for(Call::Browse)?.times_off.of(member).to_vec())
    }
}
