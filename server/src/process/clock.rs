//! The server's clock: the time for every decision that depends on time.
//!
//! Somebody may set the system clock while games are played, and no player may lose on time because
//! of that. So this counts monotonic time from one reading of the system clock. When that is found to be
//! set, the time that is stored follows it, and whoever counts time, such as a room, goes on with a
//! steady clock, which never follows.

use std::{
    sync::atomic::{AtomicI64, Ordering},
    time::{Duration, SystemTime, UNIX_EPOCH},
};

use fivefold_shared::clock::millis;
use tokio::time::Instant;

use crate::limits::operators::CLOCK_DRIFT_FOLLOWED;

/// A wait that never ends in practice.
const LONG: Duration = Duration::from_secs(365 * 24 * 60 * 60);

/// A clock on the wall, which somebody may set: the system's.
#[derive(Debug)]
pub struct WallClock {
    /// Reads it, in milliseconds since the Unix epoch.
    read: fn() -> u64,
    /// By how much it was set while the process ran, in milliseconds.
    set_by: AtomicI64,
}

/// There is one for the process, as there is one for the system.
static SYSTEM: WallClock = WallClock::new(system_time);

fn system_time() -> u64 {
    #[expect(clippy::disallowed_methods, reason = "nobody else asks the system's clock")]
    let since_epoch = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    millis(since_epoch)
}

impl WallClock {
    /// A clock that is read so.
    pub const fn new(read: fn() -> u64) -> Self {
        Self { read, set_by: AtomicI64::new(0) }
    }
}

/// Reads the time; copies show the same time.
#[derive(Clone, Copy, Debug)]
pub struct Clock {
    /// The clock's reading at `since`, in milliseconds since the Unix epoch.
    epoch_ms: u64,
    since: Instant,
    /// What it follows, if it does.
    wall: Option<&'static WallClock>,
}

impl Clock {
    /// Starts from the current system time, and follows it.
    pub fn of_system() -> Self {
        Self::following(&SYSTEM)
    }

    /// Starts from the time on this wall, and follows it.
    pub fn following(wall: &'static WallClock) -> Self {
        let set_by = wall.set_by.load(Ordering::Relaxed);
        let epoch_ms = (wall.read)().saturating_add_signed(-set_by);
        Self { wall: Some(wall), ..Self::starting_at(epoch_ms) }
    }

    /// Starts at this time, in milliseconds since the Unix epoch, and follows nothing.
    pub fn starting_at(epoch_ms: u64) -> Self {
        Self { epoch_ms, since: Instant::now(), wall: None }
    }

    /// The current time in milliseconds since the Unix epoch. Goes back only if the clock on the wall is
    /// set back.
    pub fn now(&self) -> u64 {
        let steady = self.steady();
        steady.epoch_ms.saturating_add(millis(self.since.elapsed()))
    }

    /// A clock that shows the same now, and goes on whatever happens to the one on the wall.
    #[must_use]
    pub(crate) fn steady(&self) -> Self {
        let set_by = self.wall.map_or(0, |wall| wall.set_by.load(Ordering::Relaxed));
        Self {
            epoch_ms: self.epoch_ms.saturating_add_signed(set_by),
            since: self.since,
            wall: None,
        }
    }

    /// Compares this clock with the one on the wall, and follows that if it was set by more than
    /// [`CLOCK_DRIFT_FOLLOWED`]. Returns by how much they differed, in milliseconds; nothing if this clock
    /// follows none.
    pub(crate) fn follow(&self) -> Option<i64> {
        let wall = self.wall?;
        let drift = (wall.read)().cast_signed().saturating_sub(self.now().cast_signed());
        if u128::from(drift.unsigned_abs()) > CLOCK_DRIFT_FOLLOWED.as_millis() {
            wall.set_by.fetch_add(drift, Ordering::Relaxed);
        }
        Some(drift)
    }

    /// The instant at which this clock shows `at_ms`; `since` for earlier times.
    pub(crate) fn instant(&self, at_ms: u64) -> Instant {
        let passed = Duration::from_millis(at_ms.saturating_sub(self.steady().epoch_ms));
        // All times here fit: they are sums of limits. On overflow a long wait does as well.
        self.since.checked_add(passed).unwrap_or_else(|| Instant::now() + LONG)
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::AtomicU64;

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

    #[tokio::test(start_paused = true)]
    async fn a_clock_follows_the_wall_and_a_steady_one_does_not() {
        static SHOWN: AtomicU64 = AtomicU64::new(1_795_230_000_000);
        static WALL: WallClock = WallClock::new(|| SHOWN.load(Ordering::Relaxed));
        let hours = 2 * 60 * 60 * 1_000;
        let limit = i64::try_from(CLOCK_DRIFT_FOLLOWED.as_millis()).unwrap();

        let clock = Clock::following(&WALL);
        let (begun, steady) = (clock.now(), clock.steady());
        assert_eq!(clock.follow(), Some(0));
        for (set_by, follows) in [(hours, true), (-hours, true), (limit, false)] {
            let before = clock.now();
            SHOWN.fetch_add(set_by.cast_unsigned(), Ordering::Relaxed);
            assert_eq!(clock.follow(), Some(set_by));
            let after = if follows { before.saturating_add_signed(set_by) } else { before };
            assert_eq!(
                (clock.now(), clock.follow()),
                (after, Some(if follows { 0 } else { limit }))
            );
            assert_eq!(steady.now(), begun);
            // It goes on from there.
            assert_eq!(clock.steady().now(), after);
            assert_eq!(clock.instant(after + 5), Instant::now() + Duration::from_millis(5));
        }
        // One that begins now shows the time of the wall, too.
        assert_eq!(Clock::following(&WALL).now(), SHOWN.load(Ordering::Relaxed));
        SHOWN.fetch_add(1, Ordering::Relaxed);
        assert_eq!(clock.follow(), Some(limit + 1), "past the limit");
        assert_eq!(clock.now(), SHOWN.load(Ordering::Relaxed));
        assert_eq!((steady.follow(), steady.now()), (None, begun));
    }
}
