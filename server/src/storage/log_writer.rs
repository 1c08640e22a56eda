//! The one writer: it owns the storage, on a thread of its own.
//!
//! Rooms hand their events to it; it takes whatever is queued, appends it to the storage in one
//! commit, and answers each room. There is no timer: while one commit is under way, the next batch
//! gathers. A room never waits for it: the answer is a channel that the room looks at when it
//! likes.

use std::io;

use fivefold_shared::protocol::{MemberId, RoomCode};
use fivefold_shared::room::Entry;
use tokio::sync::{mpsc, oneshot};

use super::{
    Append, AppendError, Blocking, Claim, IdentityHash, KnownMember, Storage, StorageError,
};
use crate::limits::{FORGET_ROOMS_MAX, PRUNED_MEMBERS_MAX, WRITER_QUEUE_MAX};

/// The way to the writer; cheap to clone. The writer ends when all of these are dropped.
#[derive(Clone, Debug)]
pub(crate) struct LogWriter {
    requests: mpsc::Sender<Request>,
}

/// Ends when the writer has ended.
#[derive(Debug)]
pub(crate) struct WriterEnd(oneshot::Receiver<()>);

impl WriterEnd {
    /// Waits until it ends: when everything that was asked of it is done and nobody can
    /// ask any more, or because the storage panicked. May be dropped and called again before that.
    pub(crate) async fn wait(&mut self) {
        // The writer drops its end without a word, so this is always an error.
        (&mut self.0).await.unwrap_or_default();
    }
}

/// A room's turn to ask something of the writer.
#[derive(Debug)]
pub(crate) struct WriterPermit<'a>(mpsc::Permit<'a, Request>);

/// What the writer answers; an error also when the writer is gone.
#[derive(Debug)]
pub(crate) struct Reply<T, E>(oneshot::Receiver<Result<T, E>>);

#[derive(Debug)]
enum Request {
    UpdateMember(KnownMember, oneshot::Sender<Result<(), StorageError>>),
    Claim(oneshot::Sender<Result<Vec<Claim>, StorageError>>),
    Append(Append, oneshot::Sender<Result<(), AppendError>>),
    Read(RoomCode, oneshot::Sender<Result<Vec<Entry>, StorageError>>),
    ReplaceIdentity(Replacement, oneshot::Sender<Result<bool, StorageError>>),
    Forget(u64, oneshot::Sender<Result<usize, StorageError>>),
    PruneMembers(u64, oneshot::Sender<Result<usize, StorageError>>),
}

/// The identity of a member before and after it is replaced.
#[derive(Debug)]
pub(crate) struct Replacement {
    pub(crate) member: MemberId,
    pub(crate) old: IdentityHash,
    pub(crate) new: IdentityHash,
}

impl LogWriter {
    /// Starts the writer.
    ///
    /// # Errors
    /// When its thread cannot be started.
    pub(crate) fn start(
        storage: Box<dyn Storage>,
        blocking: &Blocking,
    ) -> io::Result<(Self, WriterEnd)> {
        let (requests, queue) = mpsc::channel(WRITER_QUEUE_MAX);
        let (alive, end) = oneshot::channel();
        let mut writer = Writer { storage, group: Group::default(), _alive: alive };
        blocking.serve("store", queue, move |first, queue| writer.write(first, queue))?;
        Ok((Self { requests }, WriterEnd(end)))
    }

    /// How many requests wait for the writer.
    pub(crate) fn queued(&self) -> usize {
        self.requests.max_capacity() - self.requests.capacity()
    }

    /// Waits for room in the writer's queue. Dropping the future gives up the place.
    ///
    /// # Errors
    /// When the writer is gone.
    pub(crate) async fn reserve(&self) -> Result<WriterPermit<'_>, StorageError> {
        self.requests.reserve().await.map(WriterPermit).map_err(|_| gone())
    }
}

impl WriterPermit<'_> {
    /// Asks for entries to be appended.
    pub(crate) fn append(self, append: Append) -> Reply<(), AppendError> {
        let (answer, reply) = oneshot::channel();
        self.0.send(Request::Append(append, answer));
        Reply(reply)
    }

    /// Asks for a member's name and time to be updated; see [`Storage::update_members`].
    pub(crate) fn update_member(self, member: KnownMember) -> Reply<(), StorageError> {
        let (answer, reply) = oneshot::channel();
        self.0.send(Request::UpdateMember(member, answer));
        Reply(reply)
    }

    /// Asks for a member's identity to be replaced; see [`Storage::replace_identity`].
    pub(crate) fn replace_identity(self, replacement: Replacement) -> Reply<bool, StorageError> {
        let (answer, reply) = oneshot::channel();
        self.0.send(Request::ReplaceIdentity(replacement, answer));
        Reply(reply)
    }

    /// Asks for idle members to be deleted; see [`Storage::prune_members`].
    pub(crate) fn prune_members(self, before: u64) -> Reply<usize, StorageError> {
        let (answer, reply) = oneshot::channel();
        self.0.send(Request::PruneMembers(before, answer));
        Reply(reply)
    }

    /// Asks for every open room.
    pub(crate) fn claim(self) -> Reply<Vec<Claim>, StorageError> {
        let (answer, reply) = oneshot::channel();
        self.0.send(Request::Claim(answer));
        Reply(reply)
    }

    /// Asks for logs of closed rooms to be forgotten; see [`Storage::forget`].
    pub(crate) fn forget(self, before: u64) -> Reply<usize, StorageError> {
        let (answer, reply) = oneshot::channel();
        self.0.send(Request::Forget(before, answer));
        Reply(reply)
    }

    /// Asks for a room's log.
    pub(crate) fn read(self, room: RoomCode) -> Reply<Vec<Entry>, StorageError> {
        let (answer, reply) = oneshot::channel();
        self.0.send(Request::Read(room, answer));
        Reply(reply)
    }
}

impl<T, E: From<StorageError>> Reply<T, E> {
    /// The answer, when it is there. May be dropped and called again before that.
    pub(crate) async fn wait(&mut self) -> Result<T, E> {
        (&mut self.0).await.unwrap_or_else(|_| Err(gone().into()))
    }
}

fn gone() -> StorageError {
    StorageError::Failed("its writer is gone".into())
}

/// The owner of the storage.
struct Writer {
    storage: Box<dyn Storage>,
    group: Group,
    /// Dropped last: who sees the writer's end finds the storage given up.
    _alive: oneshot::Sender<()>,
}

impl Writer {
    /// Groups what is queued, and keeps everything in order.
    fn write(&mut self, first: Request, queue: &mut mpsc::Receiver<Request>) {
        let Self { storage, group, .. } = self;
        let storage = storage.as_mut();
        let mut next = Some(first);
        while let Some(request) = next {
            match request {
                Request::Append(append, answer) => {
                    group.appends.push(append);
                    group.append_answers.push(answer);
                }
                Request::UpdateMember(member, answer) => {
                    group.members.push(member);
                    group.member_answers.push(answer);
                }
                Request::Claim(answer) => {
                    group.commit(storage);
                    report(answer, storage.claim());
                }
                Request::Read(room, answer) => {
                    group.commit(storage);
                    report(answer, storage.read(&room));
                }
                Request::ReplaceIdentity(Replacement { member, old, new }, answer) => {
                    // Earlier seats may store the member only now.
                    group.commit(storage);
                    report(answer, storage.replace_identity(&member, old, new));
                }
                Request::Forget(before, answer) => {
                    group.commit(storage);
                    report(answer, storage.forget(before, FORGET_ROOMS_MAX));
                }
                Request::PruneMembers(before, answer) => {
                    group.commit(storage);
                    report(answer, storage.prune_members(before, PRUNED_MEMBERS_MAX));
                }
            }
            let is_full = group.appends.len().max(group.members.len()) >= WRITER_QUEUE_MAX;
            next = if is_full { None } else { queue.try_recv().ok() };
        }
        group.commit(storage);
    }
}

/// What is written together, and who waits for it.
#[derive(Default)]
struct Group {
    appends: Vec<Append>,
    append_answers: Vec<oneshot::Sender<Result<(), AppendError>>>,
    members: Vec<KnownMember>,
    member_answers: Vec<oneshot::Sender<Result<(), StorageError>>>,
}

impl Group {
    /// Writes everything, and answers everybody. A failure is everybody's, a conflict only the
    /// one's whose it is. Moves go first.
    fn commit(&mut self, storage: &mut dyn Storage) {
        if !self.appends.is_empty() {
            self.commit_appends(storage);
        }
        if !self.members.is_empty() {
            let result = storage.update_members(&self.members);
            if let Err(error) = &result {
                tracing::error!(%error, "cannot store the names of members");
            }
            self.members.clear();
            for answer in self.member_answers.drain(..) {
                report(answer, result.clone());
            }
        }
    }

    fn commit_appends(&mut self, storage: &mut dyn Storage) {
        match storage.append(&self.appends) {
            Ok(results) => {
                debug_assert_eq!(results.len(), self.append_answers.len(), "one for each");
                for (answer, result) in self.append_answers.drain(..).zip(results) {
                    report(answer, result.map_err(AppendError::from));
                }
            }
            Err(error) => {
                tracing::error!(rooms = self.appends.len(), %error, "cannot store events");
                for answer in self.append_answers.drain(..) {
                    report(answer, Err(error.clone().into()));
                }
            }
        }
        self.appends.clear();
    }
}

fn report<T, E>(answer: oneshot::Sender<Result<T, E>>, result: Result<T, E>) {
    // A room that has ended meanwhile does not want to know.
    drop(answer.send(result));
}
