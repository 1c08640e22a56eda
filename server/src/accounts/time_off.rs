//! Time off of accounts from daily games.

use fivefold_shared::{
    clock::{DAYS_A_YEAR, NoTimeOff, TIME_OFF_AHEAD_MAX_MS, TimeOff, days_left, year},
    protocol::{Reason, Refusal},
    time_off_status::{TimeOffStatus, TimeOffWish},
};
use fivefold_storage::{Account, AccountChanged, AccountStep, TimeOffStep};
use tokio::time::Instant;

use super::Accounts;
use crate::online::pushes::PushNews;

/// A period goes over one New Year at most.
const DAYS_MAX: u64 = 2 * DAYS_A_YEAR;

impl Accounts {
    /// A member's time off.
    ///
    /// # Errors
    /// If it cannot be read.
    pub(crate) async fn time_off(&self, own: &Account) -> Result<TimeOffStatus, Refusal> {
        let periods = self.times_off(own).await?;
        let now = self.clock.now();
        Ok(TimeOffStatus {
            days_left: days_left(&periods, year(now)),
            days_left_next_year: days_left(&periods, year(now) + 1),
            period: periods.into_iter().find(|period| period.is_open(now)),
        })
    }

    /// Begins or plans time off.
    ///
    /// # Errors
    /// If the wish makes no sense, there is time off already, too few days are left, the account has tried too often,
    /// or the storage fails.
    pub(crate) async fn begin_time_off(
        &self,
        own: &Account,
        TimeOffWish { days, from }: TimeOffWish,
    ) -> Result<(), Refusal> {
        self.tries.time_off(&own.member, Instant::now())?;
        let now = self.clock.now();
        let from = from.unwrap_or(now).max(now);
        if !(1..=DAYS_MAX).contains(&days) || from - now > TIME_OFF_AHEAD_MAX_MS {
            let problem = format!("time off is 1 to {DAYS_MAX} days and begins within a year");
            return Err(Refusal::malformed(problem));
        }
        let begin = TimeOffStep::Begin(TimeOff::of_days(from, days));
        self.change_time_off(own, begin).await
    }

    /// Ends a member's time off now, at the earliest after its first day. If it has not begun, it is taken back. Returns
    /// whether there was any.
    ///
    /// # Errors
    /// If the storage fails.
    pub(crate) async fn end_time_off(&self, own: &Account) -> Result<bool, Refusal> {
        let now = self.clock.now();
        let periods = self.times_off(own).await?;
        let Some(period) = periods.into_iter().find(|period| period.is_open(now)) else {
            return Ok(false);
        };
        self.change_time_off(own, TimeOffStep::End(period.ended(now))).await.map(|()| true)
    }

    async fn times_off(&self, own: &Account) -> Result<Vec<TimeOff>, Refusal> {
        let member = own.member.clone();
        self.read(move |reader| reader.times_off(&member)).await
    }

    async fn change_time_off(&self, own: &Account, step: TimeOffStep) -> Result<(), Refusal> {
        match self.try_change(&own.member, AccountStep::TimeOff(step)).await? {
            AccountChanged::Done => {
                self.pushes.note(PushNews::Times { member: own.member.clone() });
                Ok(())
            }
            AccountChanged::NoTimeOff(NoTimeOff::Open) => Err(Reason::TimeOffOpen.into()),
            AccountChanged::NoTimeOff(NoTimeOff::TooFewDays { left }) => {
                let left = usize::try_from(left).unwrap_or(usize::MAX);
                Err(Refusal::at_most(Reason::TooFewDaysOff, left))
            }
            AccountChanged::Gone
            | AccountChanged::NameTaken
            | AccountChanged::Full
            | AccountChanged::NoFriend(_) => Err(Reason::SignedOut.into()),
        }
    }
}
