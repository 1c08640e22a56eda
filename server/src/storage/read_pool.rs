//! Reading finished games and members beside the writer, by a few readers, off the runtime's threads.

use std::{
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    time::Duration,
};

use fivefold_shared::protocol::{Reason, Refusal};
use tokio::{
    sync::Semaphore,
    time::{Instant, sleep},
};

use super::{Blocking, ReplicaLag, Storage, StorageError, StorageReader};
use crate::limits::READ_QUEUE_MAX;

/// Somebody who comes waits for at most this long until the storage can be read again.
const READ_PATIENCE: Duration = Duration::from_secs(3);
/// It is tried again after this time.
const READ_AGAIN_AFTER: Duration = Duration::from_millis(150);

/// Reads finished games and members.
#[derive(Debug)]
pub(crate) struct ReadPool {
    readers: Arc<Readers>,
    /// A permit for each reader, so that waiting reads hold no threads.
    turns: Arc<Semaphore>,
    /// Slots for waiting reads that may be refused.
    places: Semaphore,
    blocking: Blocking,
    replica_lag: Option<ReplicaLag>,
}

/// The readers that read nothing now. Locked only to take or put back one.
#[derive(Debug)]
struct Readers(Mutex<Vec<Box<dyn StorageReader>>>);

/// A reader that was taken, and is put back even after a panic: a read changes nothing that a panic
/// could leave half done.
struct Taken<'a> {
    reader: Option<Box<dyn StorageReader>>,
    readers: &'a Readers,
}

/// Why a read failed.
#[derive(Debug, thiserror::Error)]
pub(crate) enum ReadError {
    /// The queue is full.
    #[error("too many ask at once")]
    Busy,
    /// The storage has failed.
    #[error(transparent)]
    Storage(#[from] StorageError),
}

impl ReadPool {
    /// A pool of as many readers as are useful for this storage.
    ///
    /// # Errors
    /// When a reader cannot be opened.
    pub(crate) fn open(storage: &dyn Storage, blocking: Blocking) -> Result<Self, StorageError> {
        let readers = (0..storage.readers_max()).map(|_| storage.reader());
        let pool = Self::new(readers.collect::<Result<_, _>>()?, blocking);
        Ok(Self { replica_lag: storage.replica_lag(), ..pool })
    }

    pub(crate) fn new(readers: Vec<Box<dyn StorageReader>>, blocking: Blocking) -> Self {
        Self {
            turns: Arc::new(Semaphore::new(readers.len())),
            readers: Arc::new(Readers(Mutex::new(readers))),
            places: Semaphore::new(READ_QUEUE_MAX),
            blocking,
            replica_lag: None,
        }
    }

    /// How far the standby is behind from which games may be read; absent without one.
    pub(crate) fn replica_lag(&self) -> Option<Duration> {
        self.replica_lag.as_ref().map(ReplicaLag::get)
    }

    /// Reads something, or refuses when busy: the client can try again.
    ///
    /// # Errors
    /// If too many reads wait, or the storage fails.
    pub(crate) async fn try_read<T: Send + 'static>(
        &self,
        read: impl FnOnce(&mut dyn StorageReader) -> Result<T, StorageError> + Send + 'static,
    ) -> Result<T, ReadError> {
        let _place = self.places.try_acquire().map_err(|_| ReadError::Busy)?;
        Ok(self.read(read).await?)
    }

    /// As [`read`](Self::read), and again for a while if the storage fails: a database that is restarted is
    /// back soon, and those who come in between need not come again.
    ///
    /// # Errors
    /// If the storage fails for longer.
    pub(crate) async fn read_patiently<T: Send + 'static>(
        &self,
        read: impl FnOnce(&mut dyn StorageReader) -> Result<T, StorageError> + Clone + Send + 'static,
    ) -> Result<T, StorageError> {
        let deadline = Instant::now() + READ_PATIENCE;
        loop {
            match self.read(read.clone()).await {
                Err(StorageError::Failed(_)) if Instant::now() < deadline => {
                    sleep(READ_AGAIN_AFTER).await;
                }
                done => return done,
            }
        }
    }

    /// Reads something, however many others wait. The callers are limited elsewhere.
    ///
    /// # Errors
    /// If the storage fails.
    pub(crate) async fn read<T: Send + 'static>(
        &self,
        read: impl FnOnce(&mut dyn StorageReader) -> Result<T, StorageError> + Send + 'static,
    ) -> Result<T, StorageError> {
        let turn = Arc::clone(&self.turns).acquire_owned().await.map_err(|_| broken())?;
        let readers = Arc::clone(&self.readers);
        let reading = self.blocking.call(move || {
            // A read continues when its caller is gone, and others wait until it is done.
            let _turn = turn;
            let mut taken = readers.take();
            read(taken.reader.as_mut().ok_or_else(broken)?.as_mut())
        });
        reading.await.ok_or_else(broken)?
    }
}

impl Readers {
    fn take(&self) -> Taken<'_> {
        Taken { reader: self.lock().pop(), readers: self }
    }

    fn lock(&self) -> MutexGuard<'_, Vec<Box<dyn StorageReader>>> {
        // Nothing panics while it is locked.
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Drop for Taken<'_> {
    fn drop(&mut self) {
        self.readers.lock().extend(self.reader.take());
    }
}

/// The refusal when something cannot be read. Nothing was to be stored.
pub(crate) fn cannot_read() -> Refusal {
    let text = "The server cannot read its database right now. Try again in a moment.".to_owned();
    Refusal { text, ..Refusal::new(Reason::Unavailable) }
}

fn broken() -> StorageError {
    StorageError::Failed("the reader broke".into())
}
