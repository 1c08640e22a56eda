//! Dates in UTC, as files and feeds have them.

/// The day of a time in milliseconds since the Unix epoch, in UTC, such as `2026-11-21`. By the
/// civil calendar, whose years are taken to begin in March.
pub fn day(at: u64) -> String {
    let days = at / 86_400_000 + 719_468;
    let (era, day_of_era) = (days / 146_097, days % 146_097);
    let year_of_era =
        (day_of_era - day_of_era / 1_460 + day_of_era / 36_524 - day_of_era / 146_096) / 365;
    let day_of_year = day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    let shifted = (5 * day_of_year + 2) / 153;
    let day = day_of_year - (153 * shifted + 2) / 5 + 1;
    let month = if shifted < 10 { shifted + 3 } else { shifted - 9 };
    let year = era * 400 + year_of_era + u64::from(month <= 2);
    format!("{year:04}-{month:02}-{day:02}")
}

/// The second of a time in milliseconds since the Unix epoch, in UTC, such as `2026-11-21T09:30:00Z` (RFC 3339).
pub fn utc(at: u64) -> String {
    let second = at / 1_000;
    let (hour, minute, second) = (second / 3_600 % 24, second / 60 % 60, second % 60);
    format!("{}T{hour:02}:{minute:02}:{second:02}Z", day(at))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn days_are_those_of_the_calendar() {
        let cases = [
            (0, "1970-01-01"),
            (5_097_600_000, "1970-03-01"),
            (951_782_400_005, "2000-02-29"),
            (951_868_800_000, "2000-03-01"),
            (1_795_230_000_000, "2026-11-21"),
            (4_102_444_799_999, "2099-12-31"),
        ];
        for (at, expected) in cases {
            assert_eq!(day(at), expected);
        }
        assert_eq!(utc(1_795_230_000_000 + 3_599_999), "2026-11-21T03:59:59Z");
    }
}
