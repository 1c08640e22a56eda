//! Dates in UTC, as files and feeds have them.

/// A day. A game with a main time or a time for a move from here on is daily.
pub const DAY_MS: u64 = 86_400_000;

/// The day of a time in milliseconds since the Unix epoch, in UTC, such as `2026-11-21`.
pub fn day(at: u64) -> String {
    let (year, month, day) = date(at);
    format!("{year:04}-{month:02}-{day:02}")
}

/// When a day begins that is written like `2026-11-21`, in milliseconds since the Unix epoch; nothing if there is no
/// such day, or it is before 1970 or after 9999.
pub fn day_begins(text: &str) -> Option<u64> {
    let mut parts = text.splitn(3, '-').map(|part| part.parse::<u64>().ok());
    let (year, month, of_month) = (parts.next()??, parts.next()??, parts.next()??);
    if !(1970..=9999).contains(&year) || !(1..=12).contains(&month) || of_month > 31 {
        return None;
    }
    // Years are taken to begin in March here, too.
    let (year, month) = if month > 2 { (year, month - 3) } else { (year - 1, month + 9) };
    let (era, year_of_era) = (year / 400, year % 400);
    let day_of_year = (153 * month + 2) / 5 + of_month;
    let day_of_era = year_of_era * 365 + year_of_era / 4 - year_of_era / 100 + day_of_year;
    let at = (era * 146_097 + day_of_era).checked_sub(719_469)?.checked_mul(DAY_MS)?;
    (day(at) == text).then_some(at)
}

/// The year of such a time.
pub fn year(at: u64) -> u64 {
    date(at).0
}

/// The year, the month and the day of such a time, by the civil calendar, whose years are taken to begin in March.
const fn date(at: u64) -> (u64, u64, u64) {
    let days = at / DAY_MS + 719_468;
    let (era, day_of_era) = (days / 146_097, days % 146_097);
    let year_of_era =
        (day_of_era - day_of_era / 1_460 + day_of_era / 36_524 - day_of_era / 146_096) / 365;
    let day_of_year = day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    let shifted = (5 * day_of_year + 2) / 153;
    let day = day_of_year - (153 * shifted + 2) / 5 + 1;
    let month = if shifted < 10 { shifted + 3 } else { shifted - 9 };
    let year = era * 400 + year_of_era + if month <= 2 { 1 } else { 0 };
    (year, month, day)
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
        for (at, text) in cases {
            assert_eq!(day_begins(text), Some(at - at % DAY_MS));
        }
        let wrong = [
            "",
            "2026",
            "2026-13-01",
            "2026-02-29",
            "2026-1-1",
            "1969-12-31",
            "2026-04-31",
            "x-1-1",
        ];
        for text in wrong {
            assert_eq!(day_begins(text), None, "{text}");
        }
        assert_eq!(utc(1_795_230_000_000 + 3_599_999), "2026-11-21T03:59:59Z");
    }
}
