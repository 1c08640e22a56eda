//! Reading finished games and members beside the writer, by a few readers, off the runtime's threads.

use std::{
    fmt,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    time::Duration,
};

use fivefold_shared::protocol::{Reason, Refusal};
use fivefold_storage::{Blocking, Reader, ReplicaLag, Storage, StorageError};
use tokio::{
    sync::{OwnedSemaphorePermit, Semaphore},
    time::{Instant, sleep},
};

use crate::{
    limits::{READ_QUEUE_MAX, READS_PER_ADDRESS_MAX},
    process::fair_queue::{FairPlace, FairQueue, NoPlace, Shares, asker},
};

/// Somebody who comes waits for at most this long until the storage can be read again.
const READ_PATIENCE: Duration = Duration::from_secs(3);
/// It is tried again after this time.
const READ_AGAIN_AFTER: Duration = Duration::from_millis(150);

/// How addresses share the readers; a turn for each.
const SHARES: Shares = Shares {
    running_max: 1,
    places_max: READ_QUEUE_MAX,
    reserved: 0,
    per_address_max: READS_PER_ADDRESS_MAX,
    pace: None,
};

/// A pool of readers: those of finished games and members, unless others are named.
#[derive(Debug)]
pub(crate) struct ReadPool<R: ?Sized = Reader> {
    readers: Arc<Readers<R>>,
    /// A permit for each reader, so that waiting reads hold no threads.
    turns: Arc<Semaphore>,
    /// For the reads that clients ask for.
    queue: FairQueue,
    blocking: Blocking,
    replica_lag: Option<ReplicaLag>,
}

/// The readers that read nothing now. Locked only to take or put back one.
#[derive(Debug)]
struct Readers<R: ?Sized>(Mutex<Vec<Box<R>>>);

/// The turn of a read, with a reader that is put back even after a panic: a read changes nothing that a panic
/// could leave half done.
struct ReadTurn<R: ?Sized> {
    reader: Option<Box<R>>,
    readers: Arc<Readers<R>>,
    _turn: OwnedSemaphorePermit,
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

impl From<NoPlace> for ReadError {
    fn from(NoPlace: NoPlace) -> Self {
        Self::Busy
    }
}

/// What the client gets; the log says why.
impl From<ReadError> for Refusal {
    fn from(error: ReadError) -> Self {
        match error {
            ReadError::Busy => Self::new(Reason::Busy),
            ReadError::Storage(error) => {
                tracing::warn!(%error, "cannot read the database");
                // Nothing was to be stored.
                let text = "The server cannot read its database right now. Try again in a moment.";
                Self { text: text.to_owned(), ..Self::new(Reason::Unavailable) }
            }
        }
    }
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
}

impl<R: ?Sized + Send + fmt::Debug + 'static> ReadPool<R> {
    /// A pool of these readers.
    pub(crate) fn new(readers: Vec<Box<R>>, blocking: Blocking) -> Self {
        Self {
            turns: Arc::new(Semaphore::new(readers.len())),
            queue: FairQueue::new(Shares { running_max: readers.len(), ..SHARES }),
            readers: Arc::new(Readers(Mutex::new(readers))),
            blocking,
            replica_lag: None,
        }
    }

    /// How far the standby is behind from which games may be read; absent without one.
    pub(crate) fn replica_lag(&self) -> Option<Duration> {
        self.replica_lag.as_ref().map(ReplicaLag::get)
    }

    /// Reads something for a client, or refuses when busy: the client can try again. Addresses have fair shares.
    ///
    /// # Errors
    /// If too many reads wait, or the storage fails.
    pub(crate) async fn try_read<T: Send + 'static>(
        &self,
        read: impl FnOnce(&mut R) -> Result<T, StorageError> + Send + 'static,
    ) -> Result<T, ReadError> {
        let _place = self.place().await?;
        Ok(self.read(read).await?)
    }

    /// As [`read`](Self::read), and again for a while if the storage fails: a database that is restarted is
    /// back soon, and those who come in between need not come again.
    ///
    /// # Errors
    /// If the storage fails for longer.
    pub(crate) async fn read_patiently<T: Send + 'static>(
        &self,
        read: impl FnOnce(&mut R) -> Result<T, StorageError> + Clone + Send + 'static,
    ) -> Result<T, ReadError> {
        let deadline = Instant::now() + READ_PATIENCE;
        loop {
            match self.read(read.clone()).await {
                Err(StorageError::Failed(_)) if Instant::now() < deadline => {
                    sleep(READ_AGAIN_AFTER).await;
                }
                done => return Ok(done?),
            }
        }
    }

    /// Reads something, however many others wait. The callers are limited elsewhere.
    ///
    /// # Errors
    /// If the storage fails.
    pub(crate) async fn read<T: Send + 'static>(
        &self,
        read: impl FnOnce(&mut R) -> Result<T, StorageError> + Send + 'static,
    ) -> Result<T, StorageError> {
        let mut turn = self.turn().await?;
        // A read continues when its caller is gone, and others wait until it is done.
        let reading = self.blocking.call(move || read(turn.reader()?));
        reading.await.ok_or_else(broken)?
    }

    /// The asker's place, when its turn has come; none for the server itself.
    async fn place(&self) -> Result<Option<FairPlace>, NoPlace> {
        let place = asker().map(|address| self.queue.place(address, false)).transpose()?;
        if let Some(place) = &place {
            place.turn().await?;
        }
        Ok(place)
    }

    async fn turn(&self) -> Result<ReadTurn<R>, StorageError> {
        let turn = Arc::clone(&self.turns).acquire_owned().await.map_err(|_| broken())?;
        let readers = Arc::clone(&self.readers);
        let reader = readers.lock().pop();
        Ok(ReadTurn { reader, readers, _turn: turn })
    }
}

impl<R: ?Sized> Readers<R> {
    fn lock(&self) -> MutexGuard<'_, Vec<Box<R>>> {
        // Nothing panics while it is locked.
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl<R: ?Sized> ReadTurn<R> {
    fn reader(&mut self) -> Result<&mut R, StorageError> {
        self.reader.as_deref_mut().ok_or_else(broken)
    }
}

impl<R: ?Sized> Drop for ReadTurn<R> {
    fn drop(&mut self) {
        self.readers.lock().extend(self.reader.take());
    }
}

fn broken() -> StorageError {
    StorageError::Failed("the reader broke".into())
}

#[cfg(test)]
mod tests {
    use std::{net::IpAddr, sync::mpsc};

    use futures_util::future::{join_all, poll_immediate};

    use super::*;
    use crate::process::fair_queue::asked_from;
    use fivefold_storage::Memory;

    fn host(number: u8) -> IpAddr {
        [192, 0, 2, number].into()
    }

    #[tokio::test]
    async fn an_address_has_a_share_of_the_reads() {
        let pool = ReadPool::new(vec![Memory::default().reader().unwrap()], Blocking::Threads);
        let (open, gate) = mpsc::channel::<()>();
        let first = pool.try_read(move |_| Ok(gate.recv().is_err()));
        let mut first = Box::pin(asked_from(host(1), first));
        assert!(poll_immediate(first.as_mut()).await.is_none());
        let ask = |from| Box::pin(asked_from(from, pool.try_read(|_| Ok(true))));
        let mut waiting: Vec<_> = (1..READS_PER_ADDRESS_MAX).map(|_| ask(host(1))).collect();
        for read in &mut waiting {
            assert!(poll_immediate(read.as_mut()).await.is_none());
        }
        assert!(matches!(poll_immediate(ask(host(1))).await, Some(Err(ReadError::Busy))));
        // Another address finds a place, and the server itself always does.
        let mut other = ask(host(2));
        assert!(poll_immediate(other.as_mut()).await.is_none());
        drop(open);
        assert!(matches!(first.await, Ok(true)));
        assert!(matches!(pool.try_read(|_| Ok(true)).await, Ok(true)));
        waiting.push(other);
        assert!(join_all(waiting).await.iter().all(|read| matches!(read, Ok(true))));
    }
}
