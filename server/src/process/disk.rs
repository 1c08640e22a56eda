//! Watches the free disk space. Below a threshold the server refuses new rooms and games for collections, to keep
//! the remaining space for running games.

use std::{
    convert::Infallible,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
};

use fivefold_shared::protocol::{Reason, Refusal};
use fivefold_storage::DiskSpace;
use tokio::time::sleep;

use crate::{limits::DISK_CHECK_INTERVAL, metrics::Metrics, process::read_pool::ReadPool};

/// Whether the disk has space for more than running games.
#[derive(Debug)]
pub(crate) struct Disk {
    read_pool: Arc<ReadPool>,
    metrics: Arc<Metrics>,
    /// In bytes.
    reserve: u64,
    /// The last measurement; none where the database is not on a disk of this machine. Locked only to read or replace it.
    last: Mutex<Option<DiskSpace>>,
}

/// How much space there is for the database.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum DiskLevel {
    /// At least the reserve.
    Enough,
    /// Less than the reserve.
    Low,
    /// The database is not on a disk of this machine.
    Elsewhere,
}

impl Disk {
    /// Assumes enough space until the first measurement.
    pub(crate) fn new(
        read_pool: &Arc<ReadPool>,
        metrics: &Arc<Metrics>,
        reserve: u64,
    ) -> Arc<Self> {
        let (read_pool, metrics) = (Arc::clone(read_pool), Arc::clone(metrics));
        Arc::new(Self { read_pool, metrics, reserve, last: Mutex::default() })
    }

    /// Checks that a room may be created, or games added to a collection.
    ///
    /// # Errors
    /// If the last measurement found less space than the reserve.
    pub(crate) fn may_grow(&self) -> Result<(), Refusal> {
        if self.level() == DiskLevel::Low {
            return Err(Refusal::new(Reason::DiskFull));
        }
        Ok(())
    }

    /// The bytes that stay free for running games.
    pub(crate) const fn reserve(&self) -> u64 {
        self.reserve
    }

    /// The size of the database's write-ahead log at the last measurement, in bytes.
    pub(crate) fn log_bytes(&self) -> u64 {
        self.last().map_or(0, |space| space.log)
    }

    /// What the last measurement found.
    pub(crate) fn level(&self) -> DiskLevel {
        match *self.last() {
            None => DiskLevel::Elsewhere,
            Some(space) if space.free < self.reserve => DiskLevel::Low,
            Some(_) => DiskLevel::Enough,
        }
    }

    fn last(&self) -> MutexGuard<'_, Option<DiskSpace>> {
        // Nothing panics while the lock is held.
        self.last.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Measures the free space.
    pub(crate) async fn measure(&self) {
        match self.read_pool.read(|reader| reader.disk_space()).await {
            Ok(Some(space)) => self.note(space),
            Ok(None) => {}
            Err(error) => tracing::warn!(%error, "cannot measure the space on the disk"),
        }
    }

    pub(crate) fn note(&self, space: DiskSpace) {
        self.metrics.note_disk(space);
        let was_low = self.level() == DiskLevel::Low;
        *self.last() = Some(space);
        let is_low = self.level() == DiskLevel::Low;
        let DiskSpace { free, .. } = space;
        if is_low && !was_low {
            tracing::warn!(
                free,
                reserve = self.reserve,
                "the disk is almost full: no rooms are made until there is more space (see the \
                 setting disk-reserve)"
            );
        } else if was_low && !is_low {
            tracing::info!(free, "the disk has space again: rooms are made");
        }
    }

    /// Measures at intervals; never returns.
    pub(crate) async fn watch(&self) -> Infallible {
        loop {
            sleep(DISK_CHECK_INTERVAL).await;
            self.measure().await;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use fivefold_storage::{Blocking, Memory, Storage};

    #[test]
    fn rooms_are_made_down_to_the_reserve() {
        let reader = Memory::default().reader().unwrap();
        let read_pool = Arc::new(ReadPool::new(vec![reader], Blocking::Threads));
        let disk = Disk::new(&read_pool, &Arc::new(Metrics::new()), 1_000);
        assert_eq!(disk.level(), DiskLevel::Elsewhere);
        for (free, may_grow) in [(1_000, true), (999, false), (0, false), (1_000, true)] {
            disk.note(DiskSpace { used: 5_000, log: 0, free });
            assert_eq!(disk.may_grow().is_ok(), may_grow, "{free}");
            let level = if may_grow { DiskLevel::Enough } else { DiskLevel::Low };
            assert_eq!(disk.level(), level, "{free}");
        }
    }
}
