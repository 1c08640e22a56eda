//! Times, spans and counts in words, for the command line.

use fivefold_shared::clock::{DAY_MS, HOUR_MS, MINUTE_MS, day};

/// A time in milliseconds since the Unix epoch, such as `2026-11-21 17:04 UTC`.
pub fn time(at: u64) -> String {
    format!("{} {:02}:{:02} UTC", day(at), at % DAY_MS / HOUR_MS, at % HOUR_MS / MINUTE_MS)
}

/// A number of things.
pub fn number(count: usize, one: &str, several: &str) -> String {
    format!("{count} {}", if count == 1 { one } else { several })
}

/// How long something takes or waits.
pub(super) fn span(milliseconds: u64) -> String {
    let whole = |unit: u64| usize::try_from(milliseconds / unit).unwrap_or(usize::MAX);
    match milliseconds {
        DAY_MS.. => number(whole(DAY_MS), "day", "days"),
        HOUR_MS.. => number(whole(HOUR_MS), "hour", "hours"),
        _ => number(whole(MINUTE_MS), "minute", "minutes"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_and_spans_are_readable() {
        assert_eq!(time(1_795_230_000_000 + 17 * HOUR_MS + 4 * MINUTE_MS), "2026-11-21 20:04 UTC");
        for (milliseconds, expected) in [
            (0, "0 minutes"),
            (MINUTE_MS, "1 minute"),
            (HOUR_MS - 1, "59 minutes"),
            (HOUR_MS, "1 hour"),
            (DAY_MS - 1, "23 hours"),
            (DAY_MS, "1 day"),
            (9 * DAY_MS, "9 days"),
        ] {
            assert_eq!(span(milliseconds), expected);
        }
    }
}
