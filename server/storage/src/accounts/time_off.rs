//! Time off from daily games, as accounts have it: see [`TimeOff`].

use fivefold_shared::{clock::TimeOff, protocol::MemberId};

use crate::{StorageError, contradiction::Contradiction};

/// What changes in a member's time off. Each may be repeated.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum TimeOffStep {
    /// Adds a period, if the member can have it, and forgets those of earlier years.
    Begin(TimeOff),
    /// Shortens the period that begins at the same time; deletes it if nothing is left.
    End(TimeOff),
}

impl TimeOffStep {
    /// The period that the member's places get after this step at this time, when `latest` is stored. Another request may
    /// have ended the same period already, and a new one may have begun.
    pub(crate) const fn period_now(self, latest: TimeOff, at: u64) -> TimeOff {
        let (Self::Begin(off) | Self::End(off)) = self;
        if latest.from < off.from && !latest.is_open(at) { off } else { latest }
    }
}

/// Reads time off. Calls may block.
pub trait TimeOffReader {
    /// The periods of a member, the earliest first. Those that ended in earlier years may be missing: they no longer count.
    ///
    /// # Errors
    /// When they cannot be read.
    fn times_off(&mut self, member: &MemberId) -> Result<Vec<TimeOff>, StorageError>;
}

/// Rows that contradict themselves.
pub(crate) const CONTRADICTIONS: [Contradiction; 1] = [Contradiction {
    since: "time_off",
    table: "time_off",
    rows: "starts >= ends OR member NOT IN (SELECT member FROM account)",
    problem: "periods of time off are empty or nobody's",
    sets: None,
}];
