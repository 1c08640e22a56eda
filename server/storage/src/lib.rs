//! Storage: the logs of rooms, the games that ended in them, and the members who played them.
//!
//! [`Storage`] is what a back end must do. `sqlite.rs` is for one server, `postgres.rs` for several
//! nodes, and `memory.rs` is a model for tests. One writer (`log_writer.rs`) owns the storage and
//! groups what is queued into one commit; games and members are read through other connections.
//! Nothing here knows what the events mean.
//!
//! A room has one owner at a time, identified by its [`Epoch`]. [`Storage::claim`] raises the epoch
//! and then reads the log; from then on, appends of an earlier owner are refused. It is the only
//! way into a room that this process has not made.

mod account_session;
mod accounts;
mod blocking;
mod contradiction;
mod dealings;
mod deleted_players;
mod error;
mod examination;
mod findings;
pub mod glicko;
mod hashes;
mod keys;
pub mod limits;
mod log_writer;
#[cfg(feature = "testing")]
mod memory;
mod moderation;
mod name_keys;
mod node_id;
mod node_name;
mod open_error;
mod operators;
mod postgres;
mod puzzles;
mod ratings;
mod recovery;
mod registry;
mod replica_lag;
mod sql;
mod sqlite;
mod undo;
mod values;

use std::{borrow::Cow, fmt, mem, slice};

use fivefold_shared::{
    protocol::{ChallengesFrom, GameId, MemberId, Name, RoomCode},
    rating_pool::RatingPool,
    record::{FinishedGame, GameList, Record},
    room::Entry,
    seat::BySeat,
};

#[cfg(feature = "testing")]
pub use self::memory::{Call, Hook, Memory};
pub use self::{
    account_session::{AccountSession, Sessions},
    accounts::{
        Account, AccountChange, AccountChanged, AccountKeys, AccountStep, NewAccount, NewBot,
        OldName, PasswordHash,
        collections::{
            CollectedGames, CollectedGamesQuery, CollectionChange, CollectionChanged,
            CollectionStep, CollectionsReader, KeyedGame, KnownCollection,
        },
        daily_seats::{
            ConditionalMovesStep, DailyNews, DailyReader, DailySeat, DailySeats, DailyTurn,
            OwnDailyGames, PlannedMoves, RatedPosition,
        },
        email::{Email, EmailReader, EmailStep},
        friends::{
            FriendChallenge, FriendRefused, FriendStep, FriendsReader, KnownFriend, RequestState,
        },
        notes::NotesReader,
        pushes::{
            MovePushes, PushChange, PushChanged, PushGame, PushMember, PushReader, PushServer,
            PushSettings, PushState, PushSubscription, QuietHours, WaitingNews,
        },
        time_off::{TimeOffReader, TimeOffStep},
    },
    blocking::Blocking,
    dealings::{DealingsReader, Meeting, Trace, TraceKind},
    error::StorageError,
    examination::{
        ExaminationClaim, ExaminationReader, ExaminedGame, GameMark, MarkKind, MoveTimes,
        PlayerFacts, Unexamined,
    },
    findings::Findings,
    hashes::{IdentityHash, KeyHash},
    keys::{ApiToken, KeyStep, Passkey, UsedPasskey},
    moderation::{
        BlockEntry, BlockKind, BlockLists, CASE_ID_LENGTH, CaseId, CaseIdError, ModerationChange,
        ModerationChanged, ModerationReader, OpenReport, OpenReports, Report, ReportKind,
        ReportQuery, ReportState, ReportedLine, Sanction, SanctionKind, Standing, Waiting,
    },
    name_keys::name_key,
    node_id::NodeId,
    node_name::{NodeName, NodeNameError},
    open_error::OpenError,
    operators::{OperatorDatabase, OperatorError},
    postgres::{
        DatabaseUrl, MigrateError, Migrated, Postgres, PostgresRegistry, PostgresRooms, SoleNode,
        check_postgres, migrate, migrate_to_file,
    },
    puzzles::{PuzzleAttempt, PuzzleChange, PuzzleCounted, PuzzleRating, PuzzleReader, PuzzleTry},
    ratings::{
        ChangeKind, GameResult, Leaderboard, LeaderboardQuery, MemberRatings, Placed, PoolRating,
        RatingChange, Undone, rating_before,
    },
    recovery::{Database, RecoverError, add_recovery_code},
    registry::{
        BUS_VERSION, JoinError, LivingNode, MadeRoom, NodeReport, Playing, Pulse, Registry,
        SharedRooms,
    },
    sqlite::{
        Sqlite,
        backup::{BackupError, BackupStopper, backup},
        backup_folder::{Backup, BackupFolder, BackupLock},
        check::check,
        data_folder::DataFolder,
        repair::{RepairError, Repaired, repair},
        restore::{RestoreError, Restored, restore},
    },
    undo::{TakenBack, UndoError, undo},
};
pub use self::{
    accounts::DELETED_NAME,
    keys::OIDC_KEY_PREFIX,
    log_writer::{LogWriter, Replacement, Reply, WriterEnd, WriterPermit},
    replica_lag::ReplicaLag,
};

/// The logs of rooms. Calls may block.
pub trait Storage: Send + fmt::Debug + 'static {
    /// At most `rooms_max` rooms that this server may claim and has to load: open rooms without an owner, and
    /// sleeping rooms that are due by `due`, in milliseconds since the Unix epoch, or have to learn something
    /// about a player ([`DailyReader::daily_news`]). Where one
    /// process has the storage, the rooms without an owner are those that it has neither made nor claimed.
    /// Where nodes share it, they are the rooms whose node is dead.
    ///
    /// # Errors
    /// When they cannot be read.
    fn unattended(&mut self, due: u64, rooms_max: usize) -> Result<Vec<RoomCode>, StorageError>;

    /// Takes ownership of these rooms for a node, then reads their logs. A sleeping room is awake from then on.
    /// Returns one answer for each, in the same order. The node may own a room already, as after a commit in
    /// doubt. A log is final: an append that is still under way is in it, or is refused.
    ///
    /// # Errors
    /// When the commit failed or is in doubt. Claim again: a second claim does no harm.
    fn claim(&mut self, rooms: &[RoomCode], node: NodeId) -> Result<Vec<Claimed>, StorageError>;

    /// Appends to the logs of rooms, in one commit. Returns one answer for each, in the same order.
    /// `Ok` survives the process and the machine; it has what the games that these entries end have
    /// changed in ratings. A conflict stores nothing of that append and does not touch the others.
    ///
    /// # Errors
    /// With [`StorageError::InDoubt`], all of the batch that has no conflict is stored, or nothing
    /// is: the owners claim their rooms again and read which. With other errors nothing is stored.
    fn append(&mut self, batch: &[Append]) -> Result<Vec<Appended>, StorageError>;

    /// Takes back what a game has changed in ratings, at a time in milliseconds since the Unix epoch:
    /// as many points as it has changed, whatever has changed since. Asking again changes nothing.
    ///
    /// # Errors
    /// When the commit failed or is in doubt; asking again does no harm.
    fn undo_ratings(&mut self, game: &GameId, at: u64) -> Result<Undone, StorageError>;

    /// Counts a member's first try at a puzzle: changes both ratings. A later one changes nothing.
    ///
    /// # Errors
    /// When the commit failed or is in doubt; asking again does no harm.
    fn count_puzzle(&mut self, attempt: &PuzzleAttempt) -> Result<PuzzleCounted, StorageError>;

    /// Updates the names of stored members, and when they were last seen, in one commit. Others
    /// stay unknown: a member is stored with the first seat they take ([`Append::members`]).
    ///
    /// # Errors
    /// When the commit failed.
    fn update_members(&mut self, members: &[KnownMember]) -> Result<(), StorageError>;

    /// Makes a commit that changes nothing, to find out whether others would be stored.
    ///
    /// # Errors
    /// When the commit failed or is in doubt.
    fn try_commit(&mut self) -> Result<(), StorageError> {
        self.update_members(&[])
    }

    /// Replaces the hash of a member's identity, if `old` is the current one. The member is never
    /// pruned from then on, so that the old identity stays refused. Returns whether `new` is the
    /// member's identity now: `false` for members who are not stored, or if it belongs to another
    /// member.
    ///
    /// # Errors
    /// When the commit failed or is in doubt; asking again does no harm.
    fn replace_identity(
        &mut self,
        member: &MemberId,
        old: IdentityHash,
        new: IdentityHash,
    ) -> Result<bool, StorageError>;

    /// Changes an account, in one commit. The same change again does no harm.
    ///
    /// # Errors
    /// When the commit failed or is in doubt; asking again does no harm.
    fn change_account(&mut self, change: &AccountChange) -> Result<AccountChanged, StorageError>;

    /// Changes blocks, reports or sanctions, in one commit. The same change again does no harm.
    ///
    /// # Errors
    /// When the commit failed or is in doubt; asking again does no harm.
    fn moderate(&mut self, change: &ModerationChange) -> Result<ModerationChanged, StorageError>;

    /// Changes what is stored about pushes, in one commit. The same change again does no harm.
    ///
    /// # Errors
    /// When the commit failed or is in doubt; asking again does no harm.
    fn change_pushes(&mut self, change: &PushChange) -> Result<PushChanged, StorageError>;

    /// Changes a collection, in one commit. Repeating a change does no harm; its games are then duplicates.
    ///
    /// # Errors
    /// When the commit failed or is in doubt; asking again does no harm.
    fn change_collection(
        &mut self,
        change: &CollectionChange,
    ) -> Result<CollectionChanged, StorageError>;

    /// Deletes at most so many rows, of each kind, whose time is over at `now`, in milliseconds since
    /// the Unix epoch: reports decided [`CLOSED_REPORT_KEPT`](crate::limits::CLOSED_REPORT_KEPT)
    /// before, the texts of sanctions against people without an account that ended
    /// [`SANCTION_TEXT_KEPT`](crate::limits::SANCTION_TEXT_KEPT) before, what is kept of games
    /// that ended
    /// [`EXAMINED_KEPT`](crate::limits::EXAMINED_KEPT) before, and blocks by members who
    /// are not stored, made [`UNKNOWN_BLOCKS_KEPT`](crate::limits::UNKNOWN_BLOCKS_KEPT)
    /// before. Returns how many.
    ///
    /// # Errors
    /// When the commit failed; nothing is then deleted.
    fn prune_moderation(&mut self, now: u64, rows_max: usize) -> Result<usize, StorageError>;

    /// Deletes at most so many sessions and accounts whose time is over at `now`, in milliseconds since
    /// the Unix epoch: sessions that have expired, what opens accounts that were deleted
    /// [`DELETED_ACCOUNT_KEPT`](crate::limits::DELETED_ACCOUNT_KEPT) before, with the names and
    /// texts of their sanctions and the reports about them, and names that
    /// nobody may take for [`DELETED_NAME_KEPT`](crate::limits::DELETED_NAME_KEPT), and requests for friends
    /// declined [`FRIEND_DECLINED_PAUSE`](crate::limits::FRIEND_DECLINED_PAUSE) before, and games that have waited
    /// for a member for [`PUSH_GAME_KEPT`](crate::limits::PUSH_GAME_KEPT), and news for them that is
    /// of no use any more. Returns how many.
    ///
    /// # Errors
    /// When the commit failed; nothing is then deleted.
    fn prune_accounts(&mut self, now: u64, rows_max: usize) -> Result<usize, StorageError>;

    /// Deletes at most so many games of deleted collections, and the deleted collections that have none left. Returns
    /// the number of games and collections together; 0 if nothing is left to delete.
    ///
    /// # Errors
    /// When the commit failed; nothing is then deleted.
    fn prune_collections(&mut self, rows_max: usize) -> Result<usize, StorageError>;

    /// Deletes at most so many members who were last seen before `before`, in milliseconds since
    /// the Unix epoch, and have finished no game. Returns how many.
    ///
    /// # Errors
    /// When the commit failed; nobody is then deleted.
    fn prune_members(&mut self, before: u64, members_max: usize) -> Result<usize, StorageError>;

    /// Deletes the logs of at most this many closed rooms whose last event is older than `before`,
    /// in milliseconds since the Unix epoch. The games that ended there stay. Returns how many; 0
    /// for a storage that keeps no logs of closed rooms.
    ///
    /// # Errors
    /// When the commit failed; nothing is then deleted.
    fn prune_logs(&mut self, before: u64, rooms_max: usize) -> Result<usize, StorageError> {
        let _ = (before, rooms_max);
        Ok(0)
    }

    /// A room's log, in order and without gaps; empty for a room that is not there, or whose log
    /// was pruned. Only the room's owner knows that it is still final when they use it.
    ///
    /// # Errors
    /// When it cannot be read.
    fn read(&mut self, room: &RoomCode) -> Result<Vec<Entry>, StorageError>;

    /// Does what can wait until nobody waits. Called at intervals, between commits.
    fn rest(&mut self) {}

    /// Opens a reader, which may be used at the same time: browsing delays no move.
    ///
    /// # Errors
    /// When it cannot be opened.
    fn reader(&self) -> Result<Box<dyn StorageReader>, StorageError>;

    /// How many readers are useful at the same time.
    fn readers_max(&self) -> usize {
        1
    }

    /// How far the standby is behind from which readers may read; absent without one.
    fn replica_lag(&self) -> Option<ReplicaLag> {
        None
    }
}

/// The reading half of the storage: finished games, members, and what [`ModerationReader`],
/// [`PuzzleReader`], [`ExaminationReader`], [`DealingsReader`], [`FriendsReader`], [`NotesReader`],
/// [`TimeOffReader`], [`CollectionsReader`], [`EmailReader`], [`DailyReader`] and [`PushReader`] read. Calls may block.
pub trait StorageReader:
    ModerationReader
    + PuzzleReader
    + ExaminationReader
    + DealingsReader
    + FriendsReader
    + NotesReader
    + TimeOffReader
    + CollectionsReader
    + EmailReader
    + DailyReader
    + PushReader
    + Send
    + fmt::Debug
{
    /// The member whose identity has this hash, or otherwise the one with this public id.
    ///
    /// # Errors
    /// When it cannot be read.
    fn member(
        &mut self,
        id: &MemberId,
        hash: IdentityHash,
    ) -> Result<Option<KnownMember>, StorageError>;

    /// The account that this key of a name finds (see [`name_key`]), also one that is deleted.
    ///
    /// # Errors
    /// When it cannot be read.
    fn account_named(&mut self, key: &str) -> Result<Option<Account>, StorageError>;

    /// The account that had the name of this key a while ago, also one that is deleted.
    ///
    /// # Errors
    /// When it cannot be read.
    fn account_once_named(&mut self, key: &str) -> Result<Option<Account>, StorageError>;

    /// The account that this key of a name finds, or which had such a name a while ago.
    ///
    /// # Errors
    /// When it cannot be read.
    fn account_called(&mut self, key: &str) -> Result<Option<Account>, StorageError> {
        match self.account_named(key)? {
            Some(account) => Ok(Some(account)),
            None => self.account_once_named(key),
        }
    }

    /// From whom a member takes challenges: from everybody, if they are not stored.
    ///
    /// # Errors
    /// When it cannot be read.
    fn challenges_from(&mut self, member: &MemberId) -> Result<ChallengesFrom, StorageError>;

    /// The names that an account had, the newest first.
    ///
    /// # Errors
    /// When they cannot be read.
    fn old_names(&mut self, member: &MemberId) -> Result<Vec<OldName>, StorageError>;

    /// The guests that belong to an account, the oldest first.
    ///
    /// # Errors
    /// When they cannot be read.
    fn aliases(&mut self, member: &MemberId) -> Result<Vec<MemberId>, StorageError>;

    /// The guests of the accounts that are these members, or that one of these guests belongs to. Each comes
    /// with its account.
    ///
    /// # Errors
    /// When they cannot be read.
    fn guests_around(
        &mut self,
        members: &[MemberId],
    ) -> Result<Vec<(MemberId, MemberId)>, StorageError>;

    /// The session with this hash, and its account. It may have expired.
    ///
    /// # Errors
    /// When it cannot be read.
    fn account_of_session(
        &mut self,
        session: KeyHash,
    ) -> Result<Option<(Account, AccountSession)>, StorageError>;

    /// The passkey that its device calls so, and its account.
    ///
    /// # Errors
    /// If the storage cannot be read.
    fn account_of_passkey(&mut self, id: &[u8])
    -> Result<Option<(Account, Passkey)>, StorageError>;

    /// The token with this hash, and its account. It may have expired.
    ///
    /// # Errors
    /// If the storage cannot be read.
    fn account_of_token(
        &mut self,
        token: KeyHash,
    ) -> Result<Option<(Account, ApiToken)>, StorageError>;

    /// What opens an account, and its sessions, the one seen last first.
    ///
    /// # Errors
    /// When it cannot be read.
    fn account_keys(&mut self, member: &MemberId) -> Result<AccountKeys, StorageError>;

    /// The bots of an account that are not deleted, the oldest first.
    ///
    /// # Errors
    /// When it cannot be read.
    fn bots_of(&mut self, owner: &MemberId) -> Result<Vec<Account>, StorageError>;

    /// The accounts that were deleted at this time or later, and their bots.
    ///
    /// # Errors
    /// When they cannot be read.
    fn deleted_since(&mut self, at: u64) -> Result<Vec<MemberId>, StorageError>;

    /// The names that these members have now, if they have an account or are deleted.
    ///
    /// # Errors
    /// When they cannot be read.
    fn current_names(
        &mut self,
        members: &[MemberId],
    ) -> Result<Vec<(MemberId, Name)>, StorageError>;

    /// What lists show of the sleeping room with this code.
    ///
    /// # Errors
    /// When it cannot be read.
    fn sleeping_room(&mut self, room: &RoomCode) -> Result<Option<String>, StorageError>;

    /// What lists show of a member's sleeping rooms: of at most so many, first those with a daily game that is not
    /// over, and the newest first.
    ///
    /// # Errors
    /// When they cannot be read.
    fn sleeping_rooms_of(
        &mut self,
        member: &MemberId,
        rooms_max: usize,
    ) -> Result<Vec<String>, StorageError>;

    /// What lists show of public sleeping rooms: of at most so many, those with the smallest rank first; and how
    /// many there are.
    ///
    /// # Errors
    /// When they cannot be read.
    fn public_sleeping_rooms(
        &mut self,
        rooms_max: usize,
    ) -> Result<(Vec<String>, usize), StorageError>;

    /// The game with this id, public or private.
    ///
    /// # Errors
    /// When it cannot be read.
    fn game(&mut self, id: &GameId) -> Result<Option<Record>, StorageError>;

    /// The games that match the query, the newest first.
    ///
    /// # Errors
    /// When they cannot be read.
    fn games(&mut self, query: &GameQuery) -> Result<GameList, StorageError>;

    /// A member's ratings, one for each pool in which they have played, by the pools' names.
    ///
    /// # Errors
    /// When they cannot be read.
    fn ratings(&mut self, member: &MemberId) -> Result<Vec<PoolRating>, StorageError> {
        let ratings = self.ratings_of(slice::from_ref(member))?;
        Ok(ratings.into_iter().map(|(_, rating)| rating).collect())
    }

    /// The ratings of these members, those of each by the pools' names.
    ///
    /// # Errors
    /// When they cannot be read.
    fn ratings_of(&mut self, members: &[MemberId]) -> Result<MemberRatings, StorageError>;

    /// How a member's rating in a pool has changed, the oldest change first; of more than
    /// [`RATING_HISTORY_MAX`](crate::limits::RATING_HISTORY_MAX) the last ones.
    ///
    /// # Errors
    /// When it cannot be read.
    fn rating_history(
        &mut self,
        member: &MemberId,
        pool: RatingPool,
    ) -> Result<Vec<RatingChange>, StorageError>;

    /// The best players of a pool: accounts with a sure rating who play there. The limits are in
    /// [`limits`].
    ///
    /// # Errors
    /// When it cannot be read.
    fn leaderboard(&mut self, query: &LeaderboardQuery) -> Result<Leaderboard, StorageError>;

    /// What a game has changed: two changes by member, and two more if an operator took it back;
    /// nothing for a game that does not count.
    ///
    /// # Errors
    /// When it cannot be read.
    fn game_ratings(&mut self, game: &GameId) -> Result<Vec<RatingChange>, StorageError>;

    /// The space that the storage uses and has left; absent where the disk is another machine's.
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
    /// Taken by the log alone.
    pub log: u64,
    /// Free for the server's user.
    pub free: u64,
}

/// A reader, as functions take it.
pub type Reader = dyn StorageReader;

/// A member who has taken a seat.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct KnownMember {
    /// The public id.
    pub id: MemberId,
    /// A hash of the identity, longer than the public id. The id is derived from the member's first
    /// identity, the hash from the current one.
    pub hash: IdentityHash,
    /// The name the member chose last.
    pub name: Name,
    /// When the member was last seen, in milliseconds since the Unix epoch; accurate to about a
    /// day.
    pub seen_at: u64,
}

/// A query for finished games.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct GameQuery {
    /// Only games before this place in the list: the `next` of an earlier answer.
    pub before: Option<u64>,
    /// Only games in which this member played.
    pub member: Option<MemberId>,
    /// Only those of the member's games in which this one played, too: of the last
    /// [`AGAINST_LOOKED_AT_MAX`](crate::limits::AGAINST_LOOKED_AT_MAX) of each.
    pub opponent: Option<MemberId>,
    /// Also games of private rooms. Only for the members themselves.
    pub unlisted: bool,
    /// Most games in the answer.
    pub max: usize,
}

/// Number of a room's owner, counted from 1.
///
/// [`Storage::claim`] raises it, and every append names the epoch of its owner. The storage compares
/// both in the transaction that writes. So a server that was frozen, and wakes after another one has
/// claimed the room, cannot write into its log. No clock takes part in this: epochs alone keep a room
/// from being played by two owners.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct Epoch(pub u64);

impl Epoch {
    /// The owner who created the room.
    pub const FIRST: Self = Self(1);
}

/// The result of a claim to one room.
#[derive(Clone, PartialEq, Debug)]
pub enum Claimed {
    /// The caller owns the room.
    Mine {
        /// Comes with every append.
        epoch: Epoch,
        /// All that is stored of the room.
        log: Vec<Entry>,
        /// Since when nobody has been in the room, if it slept.
        empty_since: Option<u64>,
        /// What the room has to learn about its players before a flag falls, if it has a daily game, and all their
        /// conditional moves.
        news: Vec<(MemberId, DailyNews)>,
    },
    /// Another node, which is alive, owns the room. Never where one process has the storage.
    Elsewhere(NodeId),
    /// The room is closed, or was never stored; nobody can create it any more.
    Closed,
    /// A newer server has written events that this one may not know. Never where one process has
    /// the storage.
    Newer,
    /// The caller owns the room, and its log cannot be read.
    Damaged(String),
}

/// The next entries of one room's log, and what comes with them.
#[derive(Clone, PartialEq, Debug)]
pub struct Append {
    /// The room. Entry number 1 creates it.
    pub room: RoomCode,
    /// The node that appends. It owns the room that entry 1 creates.
    pub node: NodeId,
    /// The owner who appends.
    pub epoch: Epoch,
    /// The entries, in order. The first follows the last one that is in the log.
    pub entries: Vec<Entry>,
    /// The members who take a seat by these entries. Members already stored get the new time, and the
    /// new name if the identity is their current one, and keep the rest. A member whose identity
    /// belongs to somebody else is not stored.
    pub members: Vec<KnownMember>,
    /// The games that these entries end. Those that count change ratings in the same commit.
    pub games: Vec<FinishedGame>,
    /// Who plays after these entries, in a room of paired players.
    pub playing: NowPlaying,
    /// Who has a place in the room's daily game after these entries; absent if that has not changed.
    pub daily: Option<Box<DailySeats>>,
    /// Whether this closes the room. Its games stay, and nobody plays in it any more.
    pub closes: bool,
    /// How the room sleeps after this: it has no owner then, and whoever needs it claims it. Such an append has
    /// nothing else but `daily`.
    pub sleeps: Option<Box<Sleep>>,
}

/// A sleeping room, as it can be seen without opening it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Sleep {
    /// Since when nobody has been there, in milliseconds since the Unix epoch.
    pub empty_since: Option<u64>,
    /// When somebody has to open it; absent if it may sleep forever.
    pub due: Option<u64>,
    /// Its place among the public rooms, the smaller the earlier; absent for a private room.
    pub public_rank: Option<u8>,
    /// The members who have it in their lists.
    pub members: Vec<MemberId>,
    /// What lists show of it. The storage does not know what it means.
    pub listing: String,
}

/// Who plays in a room of paired players after an append.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub enum NowPlaying {
    /// The same as before.
    #[default]
    Unchanged,
    /// Nobody: no game between people is running.
    Nobody,
    /// These two. Where nodes share the storage, it refuses the append if one of them plays in
    /// another room.
    These(Box<BySeat<MemberId>>),
}

impl Append {
    /// An append without entries.
    pub fn nothing(room: RoomCode, node: NodeId, epoch: Epoch) -> Self {
        let (entries, members, games) = (Vec::new(), Vec::new(), Vec::new());
        let (playing, daily, closes, sleeps) = (NowPlaying::Unchanged, None, false, None);
        Self { room, node, epoch, entries, members, games, playing, daily, closes, sleeps }
    }

    /// Who plays after this: nobody in a room that it closes.
    pub fn now_playing(&self) -> &NowPlaying {
        if self.closes { &NowPlaying::Nobody } else { &self.playing }
    }

    /// Who has a place in the room's daily game after this, if that changes: nobody in a room that it closes.
    pub(crate) fn now_daily(&self) -> Option<Cow<'_, DailySeats>> {
        let closed = self.closes.then(|| Cow::Owned(DailySeats::default()));
        closed.or_else(|| self.daily.as_deref().map(Cow::Borrowed))
    }

    /// Moves the entries and what comes with them out.
    pub fn take(&mut self) -> Self {
        Self {
            room: self.room.clone(),
            node: self.node,
            epoch: self.epoch,
            entries: mem::take(&mut self.entries),
            members: mem::take(&mut self.members),
            games: mem::take(&mut self.games),
            playing: mem::take(&mut self.playing),
            daily: self.daily.take(),
            closes: self.closes,
            sleeps: self.sleeps.take(),
        }
    }
}

/// The answer to an append: what the games that it ends have changed in ratings.
pub type Appended = Result<Vec<RatingChange>, Conflict>;

/// Why a room's log does not take an append.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum Conflict {
    /// The room has another owner, is closed, or is missing; or it exists and should be created.
    #[error("the room has another owner, or is closed")]
    Owner,
    /// The log ends elsewhere.
    #[error("the log ends at event {last}")]
    Seq {
        /// The number of its last event.
        last: u64,
    },
    /// One of the players plays in another room of paired players. Never where one process has the
    /// storage: it knows all of its rooms.
    #[error("{} plays in room {}", .0.member, .0.room)]
    Playing(Playing),
}

/// Why an append was not acknowledged.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum AppendError {
    /// The log does not take it.
    #[error(transparent)]
    Conflict(#[from] Conflict),
    /// The storage has failed.
    #[error(transparent)]
    Storage(#[from] StorageError),
}
