//! The store: the logs of rooms, kept by one writer.
//!
//! Rooms hand their events to the writer's thread; it takes whatever is queued, appends it to the
//! storage at once, and answers each room. It does not know what the events mean, and a room never
//! waits for it: the answer is a channel that the room looks at when it likes.

mod memory;

use std::{fmt, io, thread};

use fivefold_shared::protocol::RoomCode;
use tokio::sync::{mpsc, oneshot};

pub use self::memory::Memory;
use crate::{limits::WRITER_QUEUE_MAX, room::Entry};

/// Where the logs of rooms are kept. Its calls may block.
pub trait Storage: Send + fmt::Debug + 'static {
    /// Appends to the logs of rooms: all of it, or nothing. When it returns, it is kept.
    ///
    /// # Errors
    /// When it could not be kept; nothing of it is then in any log.
    fn append(&mut self, batch: &[Append]) -> Result<(), StorageError>;

    /// A room's log, in order; empty for a room that is not there.
    ///
    /// # Errors
    /// When it cannot be read.
    fn read(&mut self, room: &RoomCode) -> Result<Vec<Entry>, StorageError>;

    /// Forgets a room.
    ///
    /// # Errors
    /// When that could not be kept.
    fn remove(&mut self, room: &RoomCode) -> Result<(), StorageError>;
}

/// The next entries of one room's log.
#[derive(Clone, PartialEq, Debug)]
pub struct Append {
    /// The room.
    pub room: RoomCode,
    /// The entries, in order and at least one.
    pub entries: Vec<Entry>,
}

/// The storage has failed, or is gone.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[error("the store failed: {0}")]
pub struct StorageError(pub String);

/// The way to the writer; cheap to clone. The writer ends when all of these are dropped.
#[derive(Clone, Debug)]
pub(crate) struct Store {
    requests: mpsc::Sender<Request>,
}

/// Ends when the writer's thread has ended.
#[derive(Debug)]
pub(crate) struct WriterEnd(oneshot::Receiver<()>);

impl WriterEnd {
    /// Waits until the thread ends: when everything that was asked of it is done and nobody can
    /// ask any more, or because the storage panicked. May be dropped and called again before that.
    pub(crate) async fn wait(&mut self) {
        // The thread drops its end without a word, so this is always an error.
        (&mut self.0).await.unwrap_or_default();
    }
}

/// A room's turn to ask something of the writer.
#[derive(Debug)]
pub(crate) struct Turn<'a>(mpsc::Permit<'a, Request>);

/// What the writer answers; an error also when the writer is gone.
#[derive(Debug)]
pub(crate) struct Reply<T>(oneshot::Receiver<Result<T, StorageError>>);

#[derive(Debug)]
enum Request {
    Append(Append, oneshot::Sender<Result<(), StorageError>>),
    Read(RoomCode, oneshot::Sender<Result<Vec<Entry>, StorageError>>),
    Remove(RoomCode),
}

impl Store {
    /// Starts the writer.
    ///
    /// # Errors
    /// When its thread cannot be started.
    pub(crate) fn start(storage: Box<dyn Storage>) -> io::Result<(Self, WriterEnd)> {
        let (requests, queue) = mpsc::channel(WRITER_QUEUE_MAX);
        let (alive, end) = oneshot::channel();
        thread::Builder::new().name("store".into()).spawn(move || {
            write(storage, queue);
            drop(alive);
        })?;
        Ok((Self { requests }, WriterEnd(end)))
    }

    /// Waits for room in the writer's queue. Dropping the future gives up the place.
    ///
    /// # Errors
    /// When the writer is gone.
    pub(crate) async fn turn(&self) -> Result<Turn<'_>, StorageError> {
        self.requests.reserve().await.map(Turn).map_err(|_| gone())
    }
}

impl Turn<'_> {
    /// Asks for entries to be appended.
    pub(crate) fn append(self, append: Append) -> Reply<()> {
        let (answer, reply) = oneshot::channel();
        self.0.send(Request::Append(append, answer));
        Reply(reply)
    }

    /// Asks for a room's log.
    pub(crate) fn read(self, room: RoomCode) -> Reply<Vec<Entry>> {
        let (answer, reply) = oneshot::channel();
        self.0.send(Request::Read(room, answer));
        Reply(reply)
    }

    /// Asks for a room to be forgotten. When that fails, it is logged and a later start of the
    /// server meets the room again.
    pub(crate) fn remove(self, room: RoomCode) {
        self.0.send(Request::Remove(room));
    }
}

impl<T> Reply<T> {
    /// The answer, when it is there. May be dropped and called again before that.
    pub(crate) async fn wait(&mut self) -> Result<T, StorageError> {
        (&mut self.0).await.unwrap_or_else(|_| Err(gone()))
    }
}

fn gone() -> StorageError {
    StorageError("its writer is gone".into())
}

/// The writer: groups the appends that are queued, and keeps everything in order.
fn write(mut storage: Box<dyn Storage>, mut queue: mpsc::Receiver<Request>) {
    let mut batch = Vec::new();
    let mut answers = Vec::new();
    while let Some(first) = queue.blocking_recv() {
        let mut next = Some(first);
        while let Some(request) = next {
            match request {
                Request::Append(append, answer) => {
                    batch.push(append);
                    answers.push(answer);
                }
                Request::Read(room, answer) => {
                    commit(storage.as_mut(), &mut batch, &mut answers);
                    report(answer, storage.read(&room));
                }
                Request::Remove(room) => {
                    commit(storage.as_mut(), &mut batch, &mut answers);
                    if let Err(error) = storage.remove(&room) {
                        tracing::error!(room.id = %room, %error, "cannot remove a room");
                    }
                }
            }
            next = if batch.len() < WRITER_QUEUE_MAX { queue.try_recv().ok() } else { None };
        }
        commit(storage.as_mut(), &mut batch, &mut answers);
    }
}

fn commit(
    storage: &mut dyn Storage,
    batch: &mut Vec<Append>,
    answers: &mut Vec<oneshot::Sender<Result<(), StorageError>>>,
) {
    if batch.is_empty() {
        return;
    }
    let result = storage.append(batch);
    if let Err(error) = &result {
        tracing::error!(rooms = batch.len(), %error, "cannot store events");
    }
    batch.clear();
    for answer in answers.drain(..) {
        report(answer, result.clone());
    }
}

fn report<T>(answer: oneshot::Sender<Result<T, StorageError>>, result: Result<T, StorageError>) {
    // A room that has ended meanwhile does not want to know.
    drop(answer.send(result));
}
