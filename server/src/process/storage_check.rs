//! Whether the storage takes commits and answers reads now: the writer and a reader are asked, within a
//! time limit.

use std::{
    sync::{Arc, Mutex as StdMutex, PoisonError},
    time::Duration,
};

use fivefold_storage::{LogWriter, StorageError};
use tokio::{
    join,
    sync::Mutex,
    time::{Instant, timeout},
};

use crate::process::read_pool::ReadPool;

/// A storage that takes longer to answer does not work.
const STORAGE_ANSWERS_WITHIN: Duration = Duration::from_secs(2);
/// The shortest time between two questions to the storage.
const STORAGE_CHECKED_AGAIN: Duration = Duration::from_secs(1);
/// A writer that has served nobody for this time, although somebody waits, is stuck. It is longer than anything that
/// one request may wait for: a PostgreSQL database with several hosts is given up after less than a minute.
const STORAGE_STUCK_AFTER: Duration = Duration::from_secs(90);

/// The writer may need a second more for so many bytes of a long write-ahead log, which it copies into the database when
/// a backup or another reader has ended: a slow disk takes as long.
const LOG_BYTES_PER_SECOND: u64 = 2 << 20;

/// What the storage answers.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum StorageAnswer {
    Works,
    /// It says that it cannot store or read.
    Fails,
    /// It says that what it has stored is invalid.
    Damaged,
    /// It says nothing in time.
    Silent,
}

/// Asks the storage, and remembers the answer for a moment: many may want to know.
#[derive(Debug)]
pub(crate) struct StorageCheck {
    log_writer: LogWriter,
    read_pool: Arc<ReadPool>,
    /// The last answer. Locked while the storage is asked, so that one asks for all.
    last: Mutex<Option<(Instant, StorageAnswer)>>,
    /// Empty until it is asked for: before that, rooms are opened, which may take long.
    progress: StdMutex<Option<Progress>>,
}

/// What the writer had served when it was last seen to get on.
#[derive(Clone, Copy, Debug)]
struct Progress {
    served: u64,
    seen: Instant,
}

impl StorageCheck {
    pub(crate) fn new(log_writer: LogWriter, read_pool: Arc<ReadPool>) -> Self {
        Self { log_writer, read_pool, last: Mutex::default(), progress: StdMutex::default() }
    }

    /// Whether the storage works. Returns in a few seconds, whatever the storage does.
    pub(crate) async fn answer(&self) -> StorageAnswer {
        let mut last = self.last.lock().await;
        if let Some((at, answer)) = *last
            && at.elapsed() < STORAGE_CHECKED_AGAIN
        {
            return answer;
        }
        let answer = match timeout(STORAGE_ANSWERS_WITHIN, self.ask()).await {
            Ok(Ok(())) => StorageAnswer::Works,
            Ok(Err(error)) => {
                tracing::warn!(%error, "not ready: the storage fails");
                match error {
                    StorageError::Failed(_) | StorageError::InDoubt(_) => StorageAnswer::Fails,
                    StorageError::Damaged(_) => StorageAnswer::Damaged,
                }
            }
            Err(_) => {
                tracing::warn!("not ready: the storage does not answer");
                StorageAnswer::Silent
            }
        };
        *last = Some((Instant::now(), answer));
        answer
    }

    /// Whether the writer hangs: it has served nobody for long, although somebody waits. One whose requests fail gets
    /// on, and so does one that copies a write-ahead log of so many bytes into the database. Ask after
    /// [`answer`](Self::answer), which gives the writer something to do.
    pub(crate) fn is_stuck(&self, log_bytes: u64) -> bool {
        let mut progress = self.progress.lock().unwrap_or_else(PoisonError::into_inner);
        let (served, queued) = (self.log_writer.served(), self.log_writer.queued());
        let now = Instant::now();
        let progress = progress.get_or_insert(Progress { served, seen: now });
        progress.is_stuck(served, queued, log_bytes, now)
    }

    async fn ask(&self) -> Result<(), StorageError> {
        let commit = async { self.log_writer.reserve().await?.try_commit().wait().await };
        // Nobody has this name.
        let read = self.read_pool.read(|reader| reader.account_named("").map(drop));
        let (committed, read) = join!(commit, read);
        committed.and(read)
    }
}

impl Progress {
    fn is_stuck(&mut self, served: u64, queued: usize, log_bytes: u64, now: Instant) -> bool {
        if served != self.served || queued == 0 {
            *self = Self { served, seen: now };
        }
        let copying = Duration::from_secs(log_bytes / LOG_BYTES_PER_SECOND);
        now.duration_since(self.seen) >= STORAGE_STUCK_AFTER + copying
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_writer_is_stuck_if_it_serves_nobody_for_long_although_somebody_waits() {
        let start = Instant::now();
        let mut progress = Progress { served: 0, seen: start };
        // When it is asked, how many it has served, how many wait, and whether it is stuck.
        let cases = [
            (0, 0, 0, false),
            // An idle writer may rest.
            (1_000, 7, 0, false),
            (2_000, 7, 0, false),
            // A slow one gets on, also if all it serves fails.
            (2_001, 7, 5, false),
            (2_089, 8, 1_024, false),
            (2_178, 8, 1_024, false),
            (2_179, 8, 1_024, true),
            (2_300, 8, 1_024, true),
            (2_301, 9, 1_023, false),
            (2_390, 9, 1_023, false),
            (2_391, 9, 1_023, true),
        ];
        for (at, served, queued, expected) in cases {
            let now = start + Duration::from_secs(at);
            assert_eq!(progress.is_stuck(served, queued, 0, now), expected, "after {at} s");
        }
        // A log of 512 MiB takes up to 256 seconds more.
        for (waiting, expected) in [(90, false), (345, false), (346, true)] {
            let mut progress = Progress { served: 9, seen: start };
            let now = start + Duration::from_secs(waiting);
            assert_eq!(progress.is_stuck(9, 1, 512 << 20, now), expected, "after {waiting} s");
        }
    }
}
