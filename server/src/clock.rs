//! The server's clock: the time for every decision that depends on time.
//!
//! Somebody may set the system clock while games are played, and no player may lose on time because
//! of that. So this reads the system clock once at the start and counts monotonic time from there.

use std::time::{Duration, SystemTime, UNIX_EPOCH};

use fivefold_shared::clock::millis;
use tokio::time::Instant;

/// A wait that never ends in practice.
const LONG: Duration = Duration::from_secs(365 * 24 * 60 * 60);

/// Reads the time; copies show the same time.
#[derive(Clone, Copy, Debug)]
pub struct Clock {
    /// The clock's reading at `since`, in milliseconds since the Unix epoch.
    epoch_ms: u64,
    since: Instant,
}

impl Clock {
    /// Starts from the current system time.
    pub fn of_system() -> Self {
        #[expect(clippy::disallowed_methods, reason = "nobody else asks the system's clock")]
        let since_epoch = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
        Self::starting_at(millis(since_epoch))
    }

    /// Starts at this time, in milliseconds since the Unix epoch.
    pub fn starting_at(epoch_ms: u64) -> Self {
        Self { epoch_ms, since: Instant::now() }
    }

    /// The current time in milliseconds since the Unix epoch. Never goes back.
    pub fn now(&self) -> u64 {
        let passed = millis(self.since.elapsed());
        self.epoch_ms.saturating_add(passed)
    }

    /// The instant at which this clock shows `at_ms`; `since` for earlier times.
    pub(crate) fn instant(&self, at_ms: u64) -> Instant {
        let passed = Duration::from_millis(at_ms.saturating_sub(self.epoch_ms));
        // All times here fit: they are sums of limits. On overflow a long wait does as well.
        self.since.checked_add(passed).unwrap_or_else(|| Instant::now() + LONG)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test(start_paused = true)]
    async fn time_passes_and_nothing_else_changes_it() {
        let clock = Clock::starting_at(1_795_230_000_000);
        let mut expected = clock.now();
        assert_eq!(expected, 1_795_230_000_000);
        for passed in [0, 1, 999, 86_400_000] {
            tokio::time::advance(Duration::from_millis(passed)).await;
            expected += passed;
            assert_eq!(clock.now(), expected);
        }
    }

    #[test]
    fn the_system_is_asked_when_it_begins() {
        let hour = 60 * 60 * 1_000;
        let (first, second) = (Clock::of_system().now(), Clock::of_system().now());
        assert!(first > 1_700_000_000_000 && second.abs_diff(first) < hour, "{first}, {second}");
    }
}
