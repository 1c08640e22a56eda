//! The server's clock as this client knows it: the sample with the shortest round trip, carried on by a
//! clock that nobody can set.

use std::time::{Duration, Instant};

/// Times are in whole milliseconds, so a difference of a few means nothing.
const ROUNDING_MS: u64 = 5;

/// A reading of the server's clock.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct ServerClock {
    /// The moment when it was learned.
    at: Instant,
    /// The clock's time at that moment, in milliseconds since the Unix epoch.
    shows: u64,
    /// How long the question and its answer took; the error is at most half of that.
    round_trip: Duration,
}

impl ServerClock {
    /// From an answer that came now, to a question that was sent then. The server read its clock about
    /// half-way.
    pub(super) fn answered(sent_at: Instant, at: Instant, answer: u64) -> Self {
        let round_trip = at.saturating_duration_since(sent_at);
        Self { at, shows: answer.saturating_add(millis(round_trip / 2)), round_trip }
    }

    /// From news that may have been on its way for any time.
    pub(super) const fn late(at: Instant, shows: u64) -> Self {
        Self { at, shows, round_trip: Duration::MAX }
    }

    /// The clock's time at a later moment.
    pub(super) fn now(self, at: Instant) -> u64 {
        self.shows.saturating_add(millis(at.saturating_duration_since(self.at)))
    }

    /// The same for another server: any sample of it is better.
    pub(super) const fn of_another(self) -> Self {
        Self { round_trip: Duration::MAX, ..self }
    }

    /// The better of two samples. The later one is also better if they differ by more than both may be
    /// wrong: then a clock was set, or this machine has slept.
    pub(super) fn or_better(self, later: Self) -> Self {
        let differs = self.now(later.at).abs_diff(later.shows);
        let may_differ = millis(self.round_trip / 2).saturating_add(millis(later.round_trip / 2));
        let is_better =
            later.round_trip <= self.round_trip || differs > may_differ.saturating_add(ROUNDING_MS);
        if is_better { later } else { self }
    }
}

fn millis(duration: Duration) -> u64 {
    u64::try_from(duration.as_millis()).unwrap_or(u64::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_shortest_round_trip_wins() {
        let start = Instant::now();
        let at = |ms| start + Duration::from_millis(ms);
        // The server shows 1,000,000 at the start. The time in an answer is right when the server
        // reads its clock.
        let joined = ServerClock::late(at(3_000), 1_000_000);
        assert_eq!(joined.now(at(3_000)), 1_000_000, "3 s late");
        let slow = ServerClock::answered(at(3_000), at(5_000), 1_003_100);
        let known = joined.or_better(slow);
        assert_eq!(known.now(at(5_000)), 1_004_100, "0.9 s late");
        let fast = ServerClock::answered(at(5_000), at(5_040), 1_005_020);
        let known = known.or_better(fast);
        assert_eq!(known.now(at(6_000)), 1_006_000);
        let slow = ServerClock::answered(at(6_000), at(7_000), 1_006_010);
        assert_eq!(known.or_better(slow), known);
        // The server's clock is set back by a minute.
        let set = ServerClock::answered(at(8_000), at(8_100), 948_050);
        assert_eq!(known.or_better(set).now(at(9_000)), 949_000);
        // Another server's clock.
        let other = ServerClock::late(at(9_000), 5);
        assert_eq!(known.of_another().or_better(other), other);
        assert_eq!(known.or_better(other), known);
    }
}
