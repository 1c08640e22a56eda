//! Reading finished games and members beside the writer, by a few readers, off the runtime's threads.

use std::{
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    time::Duration,
};

use tokio::sync::Semaphore;

use super::{Blocking, ReplicaLag, Storage, StorageError, StorageReader};
use crate::limits::READ_QUEUE_MAX;

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

fn broken() -> StorageError {
    StorageError::Failed("the reader broke".into())
}
