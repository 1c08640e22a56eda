//! What was dropped or went wrong, counted: nothing is lost silently.

use std::sync::atomic::{AtomicU64, Ordering};

/// Counts since the start of the server.
#[derive(Debug, Default)]
pub(crate) struct Counters {
    /// Connections and sessions that were turned away because a limit was reached.
    pub(crate) turned_away: Counter,
    /// Commands refused as too fast.
    pub(crate) too_fast: Counter,
    /// Inputs that found a room's mailbox full.
    pub(crate) busy: Counter,
    /// Sessions ended because they read too slowly.
    pub(crate) too_slow: Counter,
    /// Times that a room's events could not be stored.
    pub(crate) commits_failed: Counter,
    /// Rooms ended by a fault.
    pub(crate) rooms_failed: Counter,
}

/// One count.
#[derive(Debug, Default)]
pub(crate) struct Counter(AtomicU64);

impl Counter {
    /// Counts one more.
    pub(crate) fn add(&self) {
        self.0.fetch_add(1, Ordering::Relaxed);
    }

    /// The count.
    pub(crate) fn get(&self) -> u64 {
        self.0.load(Ordering::Relaxed)
    }
}
