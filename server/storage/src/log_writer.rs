//! The one writer: it owns the storage, on a thread of its own.
//!
//! Rooms send it their events. It takes everything in its queue, appends it to the storage in one
//! commit, and replies to each room. There is no timer: the next batch gathers during a commit, and
//! until the rooms that can go on have done so. A room never blocks on it: the reply is a channel that
//! the room polls.

use std::{
    io,
    sync::{
        Arc,
        atomic::{AtomicU64, Ordering},
    },
};

use fivefold_shared::protocol::{MemberId, RoomCode};
use fivefold_shared::room::Entry;
use tokio::sync::{mpsc, oneshot};

use super::{
    AccountChange, AccountChanged, Append, AppendError, Blocking, Claimed, CollectionChange,
    CollectionChanged, IdentityHash, KnownMember, ModerationChange, ModerationChanged, PushChange,
    PushChanged, PuzzleAttempt, PuzzleCounted, RatingChange, Storage, StorageError,
};
use crate::{
    limits::{
        CLAIMED_ROOMS_MAX, PRUNED_ACCOUNTS_MAX, PRUNED_COLLECTED_GAMES_MAX, PRUNED_LOGS_MAX,
        PRUNED_MEMBERS_MAX, PRUNED_MODERATION_MAX, WRITER_QUEUE_MAX,
    },
    node_id::NodeId,
};

/// Sends requests to the writer; cheap to clone. The writer ends when all clones are dropped.
#[derive(Clone, Debug)]
pub struct LogWriter {
    requests: mpsc::Sender<Request>,
    /// How many requests and groups of them the writer has served.
    served: Arc<AtomicU64>,
}

/// Ends when the writer has ended.
#[derive(Debug)]
pub struct WriterEnd(oneshot::Receiver<()>);

impl WriterEnd {
    /// Waits until the writer ends: after the last request when all [`LogWriter`]s are dropped, or
    /// when the storage panics. Cancel safe.
    pub async fn wait(&mut self) {
        // The writer drops the sender, so this is always an error.
        (&mut self.0).await.unwrap_or_default();
    }
}

/// A reserved slot in the writer's queue.
#[derive(Debug)]
pub struct WriterPermit<'a>(mpsc::Permit<'a, Request>);

/// The writer's reply. Where the writer ends before it replies, the request is in doubt.
#[derive(Debug)]
pub struct Reply<T, E>(oneshot::Receiver<Result<T, E>>);

enum Request {
    Append(Append, Answer<Vec<RatingChange>, AppendError>),
    UpdateMember(KnownMember, Answer<(), StorageError>),
    /// What is not grouped, and sends its answer itself.
    Other(Box<Work>),
}

type Work = dyn FnOnce(&mut dyn Storage) + Send;

type Answer<T, E> = oneshot::Sender<Result<T, E>>;

/// The identity of a member before and after it is replaced.
#[derive(Clone, Debug)]
pub struct Replacement {
    pub member: MemberId,
    pub old: IdentityHash,
    pub new: IdentityHash,
}

impl LogWriter {
    /// Starts the writer, in a runtime.
    ///
    /// # Errors
    /// When its thread cannot be started.
    pub fn start(storage: Box<dyn Storage>, blocking: &Blocking) -> io::Result<(Self, WriterEnd)> {
        let (requests, queue) = mpsc::channel(WRITER_QUEUE_MAX);
        let (alive, end) = oneshot::channel();
        let served = Arc::<AtomicU64>::default();
        let mut writer =
            Writer { storage, group: Group::default(), served: Arc::clone(&served), _alive: alive };
        blocking.serve("storage", queue, move |first, queue| writer.write(first, queue))?;
        Ok((Self { requests, served }, WriterEnd(end)))
    }

    /// How many requests wait for the writer.
    pub fn queued(&self) -> usize {
        self.requests.max_capacity() - self.requests.capacity()
    }

    /// A number that grows each time that the writer has served requests, whether they failed or not. If it stands
    /// still while requests wait, the writer hangs.
    pub fn served(&self) -> u64 {
        self.served.load(Ordering::Relaxed)
    }

    /// Waits for a slot in the writer's queue. Cancel safe.
    ///
    /// # Errors
    /// When the writer has ended; nothing is requested then.
    pub async fn reserve(&self) -> Result<WriterPermit<'_>, StorageError> {
        let ended = |_| StorageError::Failed(ENDED.to_owned());
        self.requests.reserve().await.map(WriterPermit).map_err(ended)
    }

    /// Makes a request, and once more after a doubt; for requests that do no harm when they are repeated.
    ///
    /// # Errors
    /// When the second one fails too, or the first failed without a doubt.
    pub async fn settle<T>(
        &self,
        request: impl Fn(WriterPermit<'_>) -> Reply<T, StorageError>,
    ) -> Result<T, StorageError> {
        let ask = async || request(self.reserve().await?).wait().await;
        match ask().await {
            Err(StorageError::InDoubt(_)) => ask().await,
            settled => settled,
        }
    }
}

/// Message of an error after the writer has ended.
const ENDED: &str = "its writer has ended";

impl WriterPermit<'_> {
    /// Requests [`Storage::append`], in one commit with what else is queued.
    pub fn append(self, append: Append) -> Reply<Vec<RatingChange>, AppendError> {
        let (answer, reply) = oneshot::channel();
        self.0.send(Request::Append(append, answer));
        Reply(reply)
    }

    /// Requests [`Storage::update_members`].
    pub fn update_member(self, member: KnownMember) -> Reply<(), StorageError> {
        let (answer, reply) = oneshot::channel();
        self.0.send(Request::UpdateMember(member, answer));
        Reply(reply)
    }

    /// Requests anything else. What is queued before it is committed first: a member whom it concerns may
    /// be stored by a seat there.
    fn request<T: Send + 'static>(
        self,
        work: impl FnOnce(&mut dyn Storage) -> Result<T, StorageError> + Send + 'static,
    ) -> Reply<T, StorageError> {
        let (answer, reply) = oneshot::channel();
        self.0.send(Request::Other(Box::new(|storage| report(answer, work(storage)))));
        Reply(reply)
    }

    /// Requests [`Storage::try_commit`].
    pub fn try_commit(self) -> Reply<(), StorageError> {
        self.request(|storage| storage.try_commit())
    }

    /// Requests [`Storage::replace_identity`].
    pub fn replace_identity(self, replacement: Replacement) -> Reply<bool, StorageError> {
        let Replacement { member, old, new } = replacement;
        self.request(move |storage| storage.replace_identity(&member, old, new))
    }

    /// Requests [`Storage::change_account`].
    pub fn change_account(self, change: AccountChange) -> Reply<AccountChanged, StorageError> {
        self.request(move |storage| storage.change_account(&change))
    }

    /// Requests [`Storage::moderate`].
    pub fn moderate(self, change: ModerationChange) -> Reply<ModerationChanged, StorageError> {
        self.request(move |storage| storage.moderate(&change))
    }

    /// Requests [`Storage::change_pushes`].
    pub fn change_pushes(self, change: PushChange) -> Reply<PushChanged, StorageError> {
        self.request(move |storage| storage.change_pushes(&change))
    }

    /// Requests [`Storage::change_collection`].
    pub fn change_collection(
        self,
        change: Arc<CollectionChange>,
    ) -> Reply<CollectionChanged, StorageError> {
        self.request(move |storage| storage.change_collection(&change))
    }

    /// Requests [`Storage::count_puzzle`].
    pub fn count_puzzle(self, attempt: PuzzleAttempt) -> Reply<PuzzleCounted, StorageError> {
        self.request(move |storage| storage.count_puzzle(&attempt))
    }

    /// Requests [`Storage::prune_moderation`], of at most [`PRUNED_MODERATION_MAX`] of each kind.
    pub fn prune_moderation(self, now: u64) -> Reply<usize, StorageError> {
        self.request(move |storage| storage.prune_moderation(now, PRUNED_MODERATION_MAX))
    }

    /// Requests [`Storage::prune_accounts`], of at most [`PRUNED_ACCOUNTS_MAX`].
    pub fn prune_accounts(self, now: u64) -> Reply<usize, StorageError> {
        self.request(move |storage| storage.prune_accounts(now, PRUNED_ACCOUNTS_MAX))
    }

    /// Requests [`Storage::prune_collections`], of at most [`PRUNED_COLLECTED_GAMES_MAX`].
    pub fn prune_collections(self) -> Reply<usize, StorageError> {
        self.request(|storage| storage.prune_collections(PRUNED_COLLECTED_GAMES_MAX))
    }

    /// Requests [`Storage::prune_members`], of at most [`PRUNED_MEMBERS_MAX`].
    pub fn prune_members(self, before: u64) -> Reply<usize, StorageError> {
        self.request(move |storage| storage.prune_members(before, PRUNED_MEMBERS_MAX))
    }

    /// Requests [`Storage::rest`].
    pub fn rest(self) {
        self.0.send(Request::Other(Box::new(|storage| storage.rest())));
    }

    /// Requests [`Storage::unattended`], at most [`CLAIMED_ROOMS_MAX`].
    pub fn unattended(self, due: u64) -> Reply<Vec<RoomCode>, StorageError> {
        self.request(move |storage| storage.unattended(due, CLAIMED_ROOMS_MAX))
    }

    /// Requests [`Storage::claim`].
    pub fn claim(self, rooms: Vec<RoomCode>, node: NodeId) -> Reply<Vec<Claimed>, StorageError> {
        self.request(move |storage| storage.claim(&rooms, node))
    }

    /// Requests [`Storage::prune_logs`], of at most [`PRUNED_LOGS_MAX`] rooms.
    pub fn prune_logs(self, before: u64) -> Reply<usize, StorageError> {
        self.request(move |storage| storage.prune_logs(before, PRUNED_LOGS_MAX))
    }

    /// Requests [`Storage::read`].
    pub fn read(self, room: RoomCode) -> Reply<Vec<Entry>, StorageError> {
        self.request(move |storage| storage.read(&room))
    }
}

impl<T, E: From<StorageError>> Reply<T, E> {
    /// Waits for the reply. Cancel safe.
    pub async fn wait(&mut self) -> Result<T, E> {
        let ended = |_| Err(StorageError::InDoubt(ENDED.to_owned()).into());
        (&mut self.0).await.unwrap_or_else(ended)
    }
}

/// The owner of the storage.
struct Writer {
    storage: Box<dyn Storage>,
    group: Group,
    served: Arc<AtomicU64>,
    /// Dropped last, so that the storage is closed when [`WriterEnd`] sees the end.
    _alive: oneshot::Sender<()>,
}

impl Writer {
    /// Serves what is queued, in order and in groups.
    fn write(&mut self, first: Request, queue: &mut mpsc::Receiver<Request>) {
        let Self { storage, group, served, .. } = self;
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
                Request::Other(work) => {
                    group.commit(storage);
                    work(storage);
                    served.fetch_add(1, Ordering::Relaxed);
                }
            }
            let is_full = group.appends.len().max(group.members.len()) >= WRITER_QUEUE_MAX;
            next = if is_full { None } else { queue.try_recv().ok() };
        }
        group.commit(storage);
        served.fetch_add(1, Ordering::Relaxed);
    }
}

/// Requests that are written together, and where their replies go.
#[derive(Default)]
struct Group {
    appends: Vec<Append>,
    append_answers: Vec<Answer<Vec<RatingChange>, AppendError>>,
    members: Vec<KnownMember>,
    member_answers: Vec<Answer<(), StorageError>>,
}

impl Group {
    /// Writes everything, and sends all replies. A failure affects every request; a conflict only
    /// its room. Moves go first.
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
                tracing::error!(rooms = self.appends.len(), %error, "events are not stored");
                for answer in self.append_answers.drain(..) {
                    report(answer, Err(error.clone().into()));
                }
            }
        }
        self.appends.clear();
    }
}

fn report<T, E>(answer: Answer<T, E>, result: Result<T, E>) {
    // The receiver may have ended.
    drop(answer.send(result));
}
