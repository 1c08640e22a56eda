//! Clocks that tests set, each test its own.

use std::{
    sync::atomic::{AtomicU64, Ordering},
    time::Duration,
};

use fivefold_server::process::clock::Clock;
use tokio::time::sleep;

use crate::harness::within;

pub(crate) const HOUR: u64 = 60 * 60 * 1_000;
/// What they show at the beginning: 2026-11-21.
pub(crate) const BEGIN: u64 = 1_795_230_000_000;

/// A clock that runs by itself, and that the test can also move forward.
pub(crate) struct SetClock {
    pub(crate) set: &'static AtomicU64,
    pub(crate) clock: Clock,
}

impl SetClock {
    /// Moves it forward by so many milliseconds, and waits until the server has noticed.
    pub(crate) async fn advance(&self, ms: u64) {
        let then = self.clock.now() + ms;
        self.set.fetch_add(ms, Ordering::Relaxed);
        within(async {
            while self.clock.now() < then {
                sleep(Duration::from_millis(10)).await;
            }
        })
        .await;
    }
}

/// A clock of the test that calls it. Clocks of servers are static.
macro_rules! set_clock {
    () => {{
        use std::{
            sync::{
                LazyLock,
                atomic::{AtomicU64, Ordering},
            },
            time::Instant,
        };

        use fivefold_server::process::clock::{Clock, WallClock};

        static SET: AtomicU64 = AtomicU64::new($crate::set_clock::BEGIN);
        static BEGUN: LazyLock<Instant> = LazyLock::new(Instant::now);
        static WALL: WallClock = WallClock::new(|| {
            let passed = u64::try_from(BEGUN.elapsed().as_millis()).unwrap_or(u64::MAX);
            SET.load(Ordering::Relaxed) + passed
        });
        $crate::set_clock::SetClock { set: &SET, clock: Clock::following(&WALL) }
    }};
}
pub(crate) use set_clock;
