//! Time off from daily games: periods in which all daily clocks of a player stand still, and how many days of them a
//! player has.

use serde::{Deserialize, Serialize};

use super::dates::{DAY_MS, year};

/// How many days of time off a player has in a calendar year (UTC). Those that are not used expire with the year.
pub const DAYS_A_YEAR: u64 = 30;
/// How far ahead a period can begin.
pub const TIME_OFF_AHEAD_MAX_MS: u64 = 365 * DAY_MS;

/// A period of time off, in milliseconds since the Unix epoch. One that was taken back ends when it begins.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema, ts_rs::TS))]
pub struct TimeOff {
    /// When it begins.
    pub from: u64,
    /// When it ends.
    pub until: u64,
}

/// Why a period of time off cannot begin.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum NoTimeOff {
    /// A period runs or is planned: there can be only one.
    Open,
    /// Too few days are left in a year of the period.
    TooFewDays {
        /// How many are left.
        left: u64,
    },
}

impl TimeOff {
    /// No time off.
    pub const NONE: Self = Self { from: 0, until: 0 };

    /// A period of so many days.
    pub const fn of_days(from: u64, days: u64) -> Self {
        Self { from, until: from.saturating_add(days.saturating_mul(DAY_MS)) }
    }

    /// Whether it runs.
    pub const fn is_at(self, now: u64) -> bool {
        self.from <= now && now < self.until
    }

    /// Whether it runs or is to come.
    pub const fn is_open(self, now: u64) -> bool {
        now < self.until
    }

    /// The end of a length of time that begins at `start` and stands still during this period.
    pub fn end_of(self, start: u64, length_ms: u64) -> u64 {
        let end = start.saturating_add(length_ms);
        if end <= self.from { end } else { end.saturating_add(self.overlap(start, u64::MAX)) }
    }

    /// How much of the time between these two passes outside of this period.
    pub fn spent(self, start: u64, end: u64) -> u64 {
        end.saturating_sub(start).saturating_sub(self.overlap(start, end))
    }

    /// How much of this period is between these two.
    pub fn overlap(self, start: u64, end: u64) -> u64 {
        self.until.min(end).saturating_sub(self.from.max(start))
    }

    /// The period after its player has ended it at this time: it ends now, at the earliest after its first day. One that
    /// has not begun is taken back.
    pub fn ended(self, now: u64) -> Self {
        let until = if now < self.from { self.from } else { now.max(self.from + DAY_MS) };
        Self { until: until.min(self.until), ..self }
    }

    /// How many days of the year this period takes. A day that has begun counts, in the year in which it begins.
    pub fn days_in(self, in_year: u64) -> u64 {
        let days = self.until.saturating_sub(self.from).div_ceil(DAY_MS);
        let is_there = |day: &u64| year(self.from + day * DAY_MS) == in_year;
        (0..days).filter(is_there).count() as u64
    }

    /// Checks that a player with these periods can have this one, too.
    ///
    /// # Errors
    /// If another one is open, or too few days are left.
    pub fn check(self, periods: &[Self], now: u64) -> Result<(), NoTimeOff> {
        if periods.iter().any(|period| period.is_open(now)) {
            return Err(NoTimeOff::Open);
        }
        for in_year in year(self.from)..=year(self.until) {
            let left = days_left(periods, in_year);
            if self.days_in(in_year) > left {
                return Err(NoTimeOff::TooFewDays { left });
            }
        }
        Ok(())
    }
}

/// How many days a player with these periods has left in a year.
pub fn days_left(periods: &[TimeOff], in_year: u64) -> u64 {
    let used: u64 = periods.iter().map(|period| period.days_in(in_year)).sum();
    DAYS_A_YEAR.saturating_sub(used)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// 2026-12-31T12:00:00Z.
    const LAST_NOON: u64 = 1_798_718_400_000;
    const OFF: TimeOff = TimeOff { from: 1_000, until: 3_000 };

    #[test]
    fn a_length_of_time_stands_still_in_it() {
        let cases = [
            ((0, 999), 999),
            ((0, 1_000), 1_000),
            ((0, 1_001), 3_001),
            ((500, 700), 3_200),
            ((1_000, 1), 3_001),
            ((2_999, 1), 3_001),
            ((3_000, 1), 3_001),
            ((9_000, 5), 9_005),
        ];
        for ((start, length), end) in cases {
            assert_eq!(OFF.end_of(start, length), end, "{start} {length}");
            assert_eq!(OFF.spent(start, end), length, "{start} {length}");
            assert!(OFF.spent(start, end - 1) < length);
        }
        assert_eq!(OFF.spent(0, 2_000), 1_000);
        assert_eq!(OFF.spent(1_500, 2_500), 0);
        let none = TimeOff { until: 1_000, ..OFF };
        assert_eq!((none.end_of(0, 5_000), none.spent(0, 5_000)), (5_000, 5_000));
    }

    #[test]
    fn it_ends_early_after_a_day() {
        let off = TimeOff::of_days(DAY_MS, 3);
        let cases = [
            (DAY_MS - 1, DAY_MS),
            (DAY_MS, 2 * DAY_MS),
            (2 * DAY_MS - 1, 2 * DAY_MS),
            (2 * DAY_MS + 5, 2 * DAY_MS + 5),
            (9 * DAY_MS, 4 * DAY_MS),
        ];
        for (now, until) in cases {
            assert_eq!(off.ended(now), TimeOff { until, ..off }, "{now}");
        }
    }

    #[test]
    fn each_day_counts_in_the_year_in_which_it_begins() {
        let off = TimeOff::of_days(LAST_NOON, 3);
        assert_eq!([2025, 2026, 2027].map(|year| off.days_in(year)), [0, 1, 2]);
        // Whole days: one that has begun counts.
        assert_eq!(off.ended(LAST_NOON + DAY_MS + 1).days_in(2027), 1);
        assert_eq!(off.ended(LAST_NOON + DAY_MS).days_in(2027), 0);
        assert_eq!(off.ended(LAST_NOON - 1).days_in(2026), 0);
    }

    #[test]
    fn a_year_has_so_many_days() {
        let january = LAST_NOON + DAY_MS;
        let used = [TimeOff::of_days(LAST_NOON - 40 * DAY_MS, 20)];
        let now = LAST_NOON - 15 * DAY_MS;
        let check = |from, days| TimeOff::of_days(from, days).check(&used, now);
        assert_eq!(check(now, 10), Ok(()));
        assert_eq!(check(now, 11), Err(NoTimeOff::TooFewDays { left: 10 }));
        // One in the old year, and the whole of the new one.
        assert_eq!(check(LAST_NOON, 31), Ok(()));
        assert_eq!(check(LAST_NOON, 32), Err(NoTimeOff::TooFewDays { left: 30 }));
        assert_eq!(check(january, 30), Ok(()));
        assert_eq!(check(january, 31), Err(NoTimeOff::TooFewDays { left: 30 }));
        assert_eq!((days_left(&used, 2026), days_left(&used, 2027)), (10, 30));
        let open = [TimeOff::of_days(january, 1)];
        assert_eq!(TimeOff::of_days(now, 1).check(&open, now), Err(NoTimeOff::Open));
    }
}
