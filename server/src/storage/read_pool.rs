//! Reading finished games and members beside the writer, one at a time, off the runtime's threads.

use std::sync::{Arc, Mutex, PoisonError};

use tokio::sync::Semaphore;

use super::{Blocking, StorageError, StorageReader};
use crate::limits::READ_QUEUE_MAX;

/// Reads finished games and members.
#[derive(Debug)]
pub(crate) struct ReadPool {
    /// Locked for one read, on a thread that may block.
    reader: Arc<Mutex<Box<dyn StorageReader>>>,
    /// One permit, so that waiting reads hold no threads.
    turn: Arc<Semaphore>,
    /// Slots for waiting reads that may be refused.
    places: Semaphore,
    blocking: Blocking,
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
    pub(crate) fn new(reader: Box<dyn StorageReader>, blocking: Blocking) -> Self {
        Self {
            reader: Arc::new(Mutex::new(reader)),
            turn: Arc::new(Semaphore::new(1)),
            places: Semaphore::new(READ_QUEUE_MAX),
            blocking,
        }
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
        let turn = Arc::clone(&self.turn).acquire_owned().await.map_err(|_| broken())?;
        let reader = Arc::clone(&self.reader);
        let reading = self.blocking.call(move || {
            // A read continues when its caller is gone, and others wait until it is done.
            let _turn = turn;
            // A read changes nothing that a panic could leave half done.
            read(reader.lock().unwrap_or_else(PoisonError::into_inner).as_mut())
        });
        reading.await.ok_or_else(broken)?
    }
}

fn broken() -> StorageError {
    StorageError::Failed("the reader broke".into())
}
