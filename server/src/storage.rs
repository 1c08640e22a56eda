//! The store: the logs of rooms, the games that ended in them, and who is called what.
//!
//! [`Storage`] is what a back end must do; [`Memory`] and [`Sqlite`] are the two there are. One
//! writer (`store/writer.rs`) owns the storage and groups what is queued into one commit; beside
//! it, what is not a log is read (`store/read_pool.rs`). None of them knows what the events mean.
//!
//! A room has one owner at a time, told by its [`Epoch`]: who claims a room raises the epoch, and
//! what an earlier owner still appends is refused. So a second server on the same storage, which
//! a shared database will allow, cannot write into a room that it has lost.

mod blocking;
mod check;
mod data_folder;
mod log_writer;
mod memory;
mod read_pool;
mod repair;
mod schema;
mod sqlite;

use std::{fmt, hint::black_box, mem};

use fivefold_shared::{
    protocol::{GameId, MemberId, Name, RoomCode},
    record::{FinishedGame, GameList, Record},
    room::Entry,
};

pub use self::{
    blocking::Blocking,
    check::{BackupError, Findings, backup, check},
    data_folder::DataFolder,
    memory::Memory,
    repair::{RepairError, Repaired, repair},
    sqlite::Sqlite,
};
pub(crate) use self::{
    log_writer::{LogWriter, Replacement, Reply, WriterPermit},
    read_pool::{ReadError, ReadPool},
};

/// Where the logs of rooms are kept. Its calls may block.
pub trait Storage: Send + fmt::Debug + 'static {
    /// Makes the caller the owner of every open room.
    ///
    /// # Errors
    /// When that could not be kept; nothing is then claimed.
    fn claim(&mut self) -> Result<Vec<Claim>, StorageError>;

    /// Appends to the logs of rooms, in one commit. What it answers for each of them, in the same
    /// order, holds from then on: `Ok` is kept whatever happens to the process or the machine; of
    /// a conflict nothing is kept, and it does not touch the others.
    ///
    /// # Errors
    /// When the commit failed; nothing of the batch is then in any log.
    fn append(&mut self, batch: &[Append]) -> Result<Vec<Result<(), Conflict>>, StorageError>;

    /// Updates the names of those members who are stored, and when they were last seen, in one
    /// commit. Others stay unknown: a member is stored with the first seat they take
    /// ([`Append::members`]).
    ///
    /// # Errors
    /// When the commit failed.
    fn update_members(&mut self, members: &[KnownMember]) -> Result<(), StorageError>;

    /// Replaces the hash of a member's identity, if `old` is the current one. The member is never
    /// pruned from then on, so that the old identity stays refused. Returns whether it was done: not
    /// for members who are not stored, nor with an identity that is somebody's.
    ///
    /// # Errors
    /// When the commit failed.
    fn replace_identity(
        &mut self,
        member: &MemberId,
        old: IdentityHash,
        new: IdentityHash,
    ) -> Result<bool, StorageError>;

    /// Deletes members who were last seen before `before`, in milliseconds since the Unix epoch,
    /// and have finished no game: at most so many at once. Returns how many.
    ///
    /// # Errors
    /// When the commit failed; nobody is then deleted.
    fn prune_members(&mut self, before: u64, members_max: usize) -> Result<usize, StorageError>;

    /// Forgets the logs of closed rooms whose last event is older than `before`, in milliseconds
    /// since the Unix epoch, of at most so many at once; the games that ended there stay. Of how
    /// many. There is nothing to do for a storage that keeps no logs of closed rooms.
    ///
    /// # Errors
    /// When the commit failed; nothing is then forgotten.
    fn forget(&mut self, before: u64, rooms_max: usize) -> Result<usize, StorageError> {
        let _ = (before, rooms_max);
        Ok(0)
    }

    /// A room's log, in order and without gaps; empty for a room that is not there, or whose log
    /// is forgotten.
    ///
    /// # Errors
    /// When it cannot be read.
    fn read(&mut self, room: &RoomCode) -> Result<Vec<Entry>, StorageError>;

    /// Another way to finished games and members, which may be used at the same time: nobody's
    /// move waits for somebody else to browse.
    ///
    /// # Errors
    /// When it cannot be opened.
    fn reader(&self) -> Result<Box<dyn StorageReader>, StorageError>;
}

/// Finished games and members, to be read. Its calls may block.
pub trait StorageReader: Send + fmt::Debug {
    /// The member whose identity has this hash, or otherwise the one with this public id.
    ///
    /// # Errors
    /// When it cannot be read.
    fn member(
        &mut self,
        id: &MemberId,
        hash: IdentityHash,
    ) -> Result<Option<KnownMember>, StorageError>;

    /// The game with this id, listed or not.
    ///
    /// # Errors
    /// When it cannot be read.
    fn game(&mut self, id: &GameId) -> Result<Option<Record>, StorageError>;

    /// The listed games that are asked for, the newest first.
    ///
    /// # Errors
    /// When they cannot be read.
    fn games(&mut self, query: &GameQuery) -> Result<GameList, StorageError>;

    /// The space that the storage takes and has left; absent where it has no disk.
    ///
    /// # Errors
    /// When it cannot be measured.
    fn disk_space(&mut self) -> Result<Option<DiskSpace>, StorageError>;
}

/// Space on the disk, in bytes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct DiskSpace {
    /// Taken by the database and its log.
    pub used: u64,
    /// Free for the server's user.
    pub free: u64,
}

/// A member who has taken a seat.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct KnownMember {
    /// His public id.
    pub id: MemberId,
    /// A hash of the identity, longer than the public id. The id is derived from the member's first
    /// identity, the hash from the current one.
    pub hash: IdentityHash,
    /// What he is called.
    pub name: Name,
    /// When he was last seen, in milliseconds since the Unix epoch; to a day or so.
    pub seen_at: u64,
}

/// A hash from which an identity cannot be found. Comparing two takes the same time whatever they
/// are, so that nobody can find one byte by byte.
#[derive(Clone, Copy, Debug)]
pub struct IdentityHash(pub [u8; 32]);

impl PartialEq for IdentityHash {
    fn eq(&self, other: &Self) -> bool {
        let differences = self.0.iter().zip(other.0).fold(0, |all, (a, b)| all | (a ^ b));
        black_box(differences) == 0
    }
}

impl Eq for IdentityHash {}

/// Which finished games are asked for.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct GameQuery {
    /// Only those older than the place in the list that an earlier answer named as its `next`.
    pub before: Option<u64>,
    /// Only those in which this member played.
    pub member: Option<MemberId>,
    /// Also those of private rooms. Only for the member himself.
    pub unlisted: bool,
    /// Most games in the answer.
    pub max: usize,
}

/// Which owner of a room, counted from 1.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct Epoch(pub u64);

impl Epoch {
    /// The owner who makes the room.
    pub const FIRST: Self = Self(1);
}

/// An open room that now belongs to who claimed it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Claim {
    /// The room.
    pub room: RoomCode,
    /// What the new owner appends by.
    pub epoch: Epoch,
}

/// The next entries of one room's log, and what comes with them.
#[derive(Clone, PartialEq, Debug)]
pub struct Append {
    /// The room. It is made by the entry number 1.
    pub room: RoomCode,
    /// The owner who appends.
    pub epoch: Epoch,
    /// The entries, in order. The first follows the last one that is in the log.
    pub entries: Vec<Entry>,
    /// The members who take a seat by these entries. Those who are stored already get the name
    /// and the time.
    pub members: Vec<KnownMember>,
    /// The games that these entries end.
    pub games: Vec<FinishedGame>,
    /// Whether the room is closed by this. Its games stay.
    pub closes: bool,
}

impl Append {
    /// Appends nothing, so far.
    pub fn nothing(room: RoomCode, epoch: Epoch) -> Self {
        let (entries, members, games) = (Vec::new(), Vec::new(), Vec::new());
        Self { room, epoch, entries, members, games, closes: false }
    }

    /// Takes the entries and the games out, to be appended.
    pub(crate) fn take(&mut self) -> Self {
        Self {
            room: self.room.clone(),
            epoch: self.epoch,
            entries: mem::take(&mut self.entries),
            members: mem::take(&mut self.members),
            games: mem::take(&mut self.games),
            closes: self.closes,
        }
    }
}

/// Why entries do not belong into a room's log.
#[derive(Clone, Copy, PartialEq, Eq, Debug, thiserror::Error)]
pub enum Conflict {
    /// The room has another owner, is closed, or is not there; or it is to be made and is there.
    #[error("the room is not the writer's")]
    Owner,
    /// The log ends elsewhere.
    #[error("the log ends at event {last}")]
    Seq {
        /// The number of its last event.
        last: u64,
    },
}

/// The storage has failed.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum StorageError {
    /// It may work again later: there is no space, or the disk or the connection is gone.
    #[error("the store failed: {0}")]
    Failed(String),
    /// What is stored makes no sense.
    #[error(
        "the database is damaged: {0}. Stop the server and put a backup in its place; \
         `fivefold-server check` says what is wrong"
    )]
    Damaged(String),
}

/// Why entries were not appended.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum AppendError {
    /// They do not belong into the log.
    #[error(transparent)]
    Conflict(#[from] Conflict),
    /// The storage has failed.
    #[error(transparent)]
    Storage(#[from] StorageError),
}

/// Why a database cannot be opened.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum OpenError {
    /// The folder or a file in it cannot be used.
    #[error("cannot use {path}: {reason}. Make it writable, or choose another folder by --data")]
    Folder {
        /// What cannot be used.
        path: String,
        /// Why.
        reason: String,
    },
    /// There is no database.
    #[error("there is no database at {path}; say by --data where it is")]
    Missing {
        /// The file.
        path: String,
    },
    /// Another server has the folder.
    #[error("{path} is in use by another server. Stop that one, or choose another --data")]
    InUse {
        /// The folder.
        path: String,
    },
    /// The file is a database of something else.
    #[error("{path} is not a database of Fivefold, and is left as it is. Choose another --data")]
    Foreign {
        /// The file.
        path: String,
    },
    /// The file was written by a newer server.
    #[error(
        "{path} has format {found}, and this server knows formats up to {known}; it is left as \
         it is. Start the newer server again"
    )]
    Newer {
        /// The file.
        path: String,
        /// Its format.
        found: u32,
        /// The newest format that is known here.
        known: u32,
    },
    /// It cannot be read or written.
    #[error("{path}: {error}")]
    Storage {
        /// The file.
        path: String,
        /// Why.
        error: StorageError,
    },
}
