//! The server's clock: what time it is, for everything that the server decides by time.
//!
//! The system's clock may be set, forward or back, while games are played; a flag must not fall by
//! that. So the system is asked once, when the server starts, and from then on time only passes.

use std::time::{Duration, SystemTime, UNIX_EPOCH};

use tokio::time::Instant;

/// A wait that is as good as forever.
const LONG: Duration = Duration::from_secs(365 * 24 * 60 * 60);

/// Shows the time; copies show the same.
#[derive(Clone, Copy, Debug)]
pub struct Clock {
    /// What the clock said at `since`, in milliseconds since the Unix epoch.
    epoch_ms: u64,
    since: Instant,
}

impl Clock {
    /// A clock that is right by the system's clock as that is now.
    pub fn of_system() -> Self {
        #[expect(clippy::disallowed_methods, reason = "nobody else asks the system's clock")]
        let since_epoch = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
        Self::starting_at(u64::try_from(since_epoch.as_millis()).unwrap_or(u64::MAX))
    }

    /// A clock that now says this, in milliseconds since the Unix epoch.
    pub fn starting_at(epoch_ms: u64) -> Self {
        Self { epoch_ms, since: Instant::now() }
    }

    /// The time, in milliseconds since the Unix epoch. Never goes back.
    pub fn now(&self) -> u64 {
        let passed = u64::try_from(self.since.elapsed().as_millis()).unwrap_or(u64::MAX);
        self.epoch_ms.saturating_add(passed)
    }

    /// The instant at which this clock shows a time; `since` for times before it was set.
    pub(crate) fn instant(&self, at_ms: u64) -> Instant {
        let passed = Duration::from_millis(at_ms.saturating_sub(self.epoch_ms));
        // Times are sums of limits that fit; one beyond the end of time is as good as a long wait.
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
