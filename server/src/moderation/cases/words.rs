//! Times, spans and counts in words, for the command line.

use fivefold_shared::clock::day;

const MINUTE: u64 = 60_000;
const HOUR: u64 = 60 * MINUTE;
const DAY: u64 = 24 * HOUR;

/// A time in milliseconds since the Unix epoch, such as `2026-11-21 17:04 UTC`.
pub fn time(at: u64) -> String {
    format!("{} {:02}:{:02} UTC", day(at), at % DAY / HOUR, at % HOUR / MINUTE)
}

/// A number of things.
pub fn number(count: usize, one: &str, several: &str) -> String {
    format!("{count} {}", if count == 1 { one } else { several })
}

/// How long something takes or waits.
pub(super) fn span(milliseconds: u64) -> String {
    let whole = |unit: u64| usize::try_from(milliseconds / unit).unwrap_or(usize::MAX);
    match milliseconds {
        DAY.. => number(whole(DAY), "day", "days"),
        HOUR.. => number(whole(HOUR), "hour", "hours"),
        _ => number(whole(MINUTE), "minute", "minutes"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_and_spans_are_readable() {
        assert_eq!(time(1_795_230_000_000 + 17 * HOUR + 4 * MINUTE), "2026-11-21 20:04 UTC");
        for (milliseconds, expected) in [
            (0, "0 minutes"),
            (MINUTE, "1 minute"),
            (HOUR - 1, "59 minutes"),
            (HOUR, "1 hour"),
            (DAY - 1, "23 hours"),
            (DAY, "1 day"),
            (9 * DAY, "9 days"),
        ] {
            assert_eq!(span(milliseconds), expected);
        }
    }
}
