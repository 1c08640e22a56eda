//! How far the standby is behind from which readers may read.

use std::{
    sync::{
        Arc,
        atomic::{AtomicU64, Ordering},
    },
    time::Duration,
};

/// How far a standby is behind its primary. Clones share the value.
#[derive(Clone, Debug, Default)]
pub struct ReplicaLag(Arc<AtomicU64>);

impl ReplicaLag {
    /// The time since what it has was all there was; for one that does not answer, since it was last
    /// known to have everything.
    pub fn get(&self) -> Duration {
        Duration::from_millis(self.0.load(Ordering::Relaxed))
    }

    pub(super) fn set(&self, lag: Duration) {
        self.0.store(u64::try_from(lag.as_millis()).unwrap_or(u64::MAX), Ordering::Relaxed);
    }
}
