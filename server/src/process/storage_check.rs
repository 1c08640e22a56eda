//! Whether the storage takes commits and answers reads now: the writer and a reader are asked, within a
//! time limit.

use std::{sync::Arc, time::Duration};

use fivefold_storage::{LogWriter, StorageError};
use tokio::{
    join,
    sync::Mutex,
    time::{Instant, timeout},
};

use crate::process::read_pool::ReadPool;

/// A storage that takes longer to answer whether it works does not work.
const STORAGE_ANSWERS_WITHIN: Duration = Duration::from_secs(2);
/// It is not asked again sooner.
const STORAGE_CHECKED_AGAIN: Duration = Duration::from_secs(1);

/// Asks the storage, and remembers the answer for a moment: many may want to know.
#[derive(Debug)]
pub(crate) struct StorageCheck {
    log_writer: LogWriter,
    read_pool: Arc<ReadPool>,
    /// The last answer. Locked while the storage is asked, so that one asks for all.
    last: Mutex<Option<(Instant, bool)>>,
}

impl StorageCheck {
    pub(crate) fn new(log_writer: LogWriter, read_pool: Arc<ReadPool>) -> Self {
        Self { log_writer, read_pool, last: Mutex::default() }
    }

    /// Whether the storage works.
    pub(crate) async fn works(&self) -> bool {
        let mut last = self.last.lock().await;
        if let Some((at, works)) = *last
            && at.elapsed() < STORAGE_CHECKED_AGAIN
        {
            return works;
        }
        let works = match timeout(STORAGE_ANSWERS_WITHIN, self.ask()).await {
            Ok(Ok(())) => true,
            Ok(Err(error)) => {
                tracing::warn!(%error, "not ready: the storage fails");
                false
            }
            Err(_) => {
                tracing::warn!("not ready: the storage does not answer");
                false
            }
        };
        *last = Some((Instant::now(), works));
        works
    }

    async fn ask(&self) -> Result<(), StorageError> {
        let commit = async { self.log_writer.reserve().await?.try_commit().wait().await };
        // Nobody has this name.
        let read = self.read_pool.read(|reader| reader.account_named("").map(drop));
        let (committed, read) = join!(commit, read);
        committed.and(read)
    }
}
