//! The storage in a SQLite file.
//!
//! A commit is written to the write-ahead log with full sync: when it returns, it is on the disk.
//! Of what is stored only ratings are kept in memory, and no longer after a commit that fails.

pub(crate) mod backup;
pub(crate) mod backup_folder;
pub(crate) mod cells;
pub(crate) mod check;
pub(crate) mod data_folder;
pub(super) mod games;
mod log;
mod open;
pub(super) mod process;
pub(super) mod puzzle_check;
pub(super) mod puzzle_repair;
pub(super) mod rating_repair;
pub(super) mod ratings;
pub(crate) mod raw_value;
mod reader;
pub(crate) mod repair;
mod replace;
pub(crate) mod restore;
pub(crate) mod salvage;
pub(crate) mod schema;
mod sql;
pub(crate) mod strays;
pub(crate) mod write_ahead_log;

use std::{
    collections::BTreeSet,
    path::{Path, PathBuf},
    time::Duration,
};

use fivefold_shared::{
    protocol::{GameId, MemberId, RoomCode},
    room::Entry,
};
use rusqlite::{Connection, ErrorCode, Transaction, TransactionBehavior, ffi};

use self::{
    log::Appender,
    open::{open_error, prepare_once},
    reader::SqliteSource,
};
use super::{
    AccountChange, AccountChanged, Append, Appended, Claimed, CollectionChange, CollectionChanged,
    DataFolder, IdentityHash, KnownMember, ModerationChange, ModerationChanged, OpenError,
    PushChange, PushChanged, PuzzleAttempt, PuzzleCounted, Storage, StorageError, StorageReader,
    Undone,
};
use crate::{
    node_id::NodeId,
    sql::{
        Sql, accounts, collections, moderation, pushes, puzzles, sleeping_rooms,
        source::DatabaseReader,
    },
    sqlite::{
        backup::before_upgrade,
        data_folder::database_in,
        schema::{CLOSED_WITHOUT_LOG, FORMAT},
        write_ahead_log::{BUSY_TIMEOUT, LogKeeper},
    },
};

pub(super) use self::{
    log::{EPOCH_MAX, read_log},
    open::{change_file, has_journal, inspect, open_to_read},
};

/// How long a server that stops waits for readers before it leaves something in the write-ahead log.
const EMPTY_LOG_WITHIN: Duration = Duration::from_millis(500);

/// How much of the database the writing connection keeps in memory, in KiB. SQLite keeps 2 MiB by itself: the
/// pages of a thousand players are more, and each commit would read some again.
const CACHE_KIB: i32 = 16 * 1024;

/// The database of a data folder.
#[derive(Debug)]
pub struct Sqlite {
    connection: Connection,
    /// Owns the rooms that are created or claimed here.
    process: i64,
    known_ratings: ratings::WrittenRatings,
    log_keeper: LogKeeper,
    /// Open rooms that cannot be claimed.
    unclaimable: BTreeSet<RoomCode>,
    /// Whether all rooms that were open at the start have been claimed or set aside.
    has_opened_all: bool,
    /// Unlocked after the connection is closed.
    folder: DataFolder,
}

impl Sqlite {
    /// Opens the folder's database, and creates it where there is none. Of an older file, it makes a backup beside it
    /// and then upgrades it.
    ///
    /// # Errors
    /// When the file is not a database of this format, and is then left as it is; or when it cannot
    /// be read or written.
    pub fn open(folder: DataFolder) -> Result<Self, OpenError> {
        let file = folder.database();
        let failed = |error: rusqlite::Error| open_error(&file, error.into());
        folder.remove_partial_copies();
        if folder.is_temporary() {
            create(&file).map_err(failed)?;
        } else if folder.has_no_database()? {
            folder.add_database(create)?;
            tracing::info!(file = %file.display(), "there was no database here, and a new one is made");
        }
        let format = inspect(&file)?;
        let before = if format == FORMAT { None } else { Some(before_upgrade(&file, format)?) };
        let mut connection = Connection::open(&file).map_err(failed)?;
        set_up(&connection, &folder).map_err(failed)?;
        if let Some(backup) = before {
            schema::upgrade(&mut connection, format).map_err(failed)?;
            tracing::info!(
                from = format,
                to = FORMAT,
                backup = %backup.display(),
                "upgraded the format of the database. To go back to an older server, stop this one and run \
                 `fivefold-server restore` with the backup; everything from now on is lost then"
            );
        }
        let process = process::begin(&mut connection).map_err(failed)?;
        match write_ahead_log::empty(&connection, BUSY_TIMEOUT) {
            Ok(true) => folder.note_process(process)?,
            Ok(false) => {}
            Err(error) => tracing::warn!(%error, "the write-ahead log stays"),
        }
        Ok(Self {
            connection,
            process,
            known_ratings: ratings::WrittenRatings::default(),
            log_keeper: LogKeeper::default(),
            unclaimable: BTreeSet::new(),
            has_opened_all: false,
            folder,
        })
    }

    /// Whether a file has the current format.
    ///
    /// # Errors
    /// If it is not a database that this server reads.
    pub(super) fn is_current(file: &Path) -> Result<bool, OpenError> {
        Ok(inspect(file)? == FORMAT)
    }

    /// A reader of a file.
    ///
    /// # Errors
    /// If it cannot be opened.
    pub(super) fn reader_of(file: PathBuf) -> Result<Box<dyn StorageReader>, StorageError> {
        let source = SqliteSource { connection: open_to_read(&file)?, file };
        Ok(Box::new(DatabaseReader(Box::new(source))))
    }

    fn begin(&mut self) -> rusqlite::Result<Transaction<'_>> {
        begin(&mut self.connection)
    }

    /// Runs statements that both databases understand, in one transaction.
    fn transact<T>(
        &mut self,
        work: impl FnOnce(&dyn Sql) -> Result<T, StorageError>,
    ) -> Result<T, StorageError> {
        let transaction = self.begin()?;
        let value = work(&*transaction)?;
        commit(transaction)?;
        Ok(value)
    }

    fn try_to_append(&mut self, batch: &[Append]) -> Result<Vec<Appended>, StorageError> {
        // Dropped without a commit, the transaction is rolled back.
        let transaction = begin(&mut self.connection)?;
        let mut appender = Appender::new(&transaction, self.process, &mut self.known_ratings)?;
        let answers =
            batch.iter().map(|append| appender.append(append)).collect::<Result<_, _>>()?;
        drop(appender);
        commit(transaction)?;
        Ok(answers)
    }

    /// The connection, for maintenance.
    pub(super) const fn connection(&mut self) -> &mut Connection {
        &mut self.connection
    }

    /// The folder.
    pub fn folder(&self) -> &DataFolder {
        &self.folder
    }
}

/// When the server stops, the file alone has everything.
impl Drop for Sqlite {
    fn drop(&mut self) {
        match write_ahead_log::empty(&self.connection, EMPTY_LOG_WITHIN) {
            Ok(true) => {}
            Ok(false) => {
                tracing::warn!("another program reads the database: its -wal file is needed");
            }
            Err(error) => tracing::warn!(%error, "the -wal file of the database is needed"),
        }
    }
}

/// Creates a database that the caller syncs.
fn create(file: &Path) -> rusqlite::Result<()> {
    let mut connection = Connection::open(file)?;
    connection.pragma_update(None, "synchronous", "off")?;
    schema::create(&mut connection)
}

fn set_up(connection: &Connection, folder: &DataFolder) -> rusqlite::Result<()> {
    prepare_once(connection)?;
    connection.busy_timeout(BUSY_TIMEOUT)?;
    let synchronous = if folder.is_temporary() { "off" } else { "full" };
    connection.pragma_update(None, "synchronous", synchronous)?;
    connection.pragma_update(None, "journal_mode", "wal")?;
    connection.pragma_update(None, "wal_autocheckpoint", write_ahead_log::CHECKPOINT_PAGES)?;
    connection.pragma_update(None, "journal_size_limit", write_ahead_log::BYTES_KEPT)?;
    // A negative number is one of KiB, a positive one of pages.
    connection.pragma_update(None, "cache_size", -CACHE_KIB)?;
    // Only where a plain sync does not reach the disk, which is on macOS.
    connection.pragma_update(None, "fullfsync", true)?;
    connection.pragma_update(None, "checkpoint_fullfsync", true)?;
    connection.pragma_update(None, "foreign_keys", true)?;
    connection.pragma_update(None, "trusted_schema", false)
}

fn begin(connection: &mut Connection) -> rusqlite::Result<Transaction<'_>> {
    connection.transaction_with_behavior(TransactionBehavior::Immediate)
}

/// Rooms in a state that there is none of: neither open nor closed.
const STATELESS: &str = "SELECT code, id FROM room WHERE state NOT IN (0, 1, 2) ORDER BY id";

/// Open rooms that this process has neither made nor claimed, and that do not sleep. 0 is `OPEN`, as in the index.
const ORPHANS: &str =
    "SELECT code, id FROM room WHERE state = 0 AND owner <> -1 AND owner <> ? ORDER BY id";

impl Storage for Sqlite {
    fn unattended(&mut self, due: u64, rooms_max: usize) -> Result<Vec<RoomCode>, StorageError> {
        let (mut orphans, mut unnamed) = (Vec::new(), Vec::new());
        // The others come last, and only once: finding them reads the whole table, and only damage causes them.
        let stateless = (!self.has_opened_all).then_some((STATELESS, None));
        for (statement, owner) in [(ORPHANS, Some(self.process))].into_iter().chain(stateless) {
            let mut select = self.connection.prepare_cached(statement)?;
            let mut rows = select.query(rusqlite::params_from_iter(owner))?;
            while orphans.len() < rooms_max
                && let Some(row) = rows.next()?
            {
                let code = row.get_ref(0)?.as_bytes().unwrap_or_default();
                let code = String::from_utf8_lossy(code).into_owned();
                match RoomCode::try_from(code.clone()) {
                    Ok(code) if self.unclaimable.contains(&code) => {}
                    Ok(code) => orphans.push(code),
                    Err(_) => unnamed.push((row.get::<_, i64>(1)?, code)),
                }
            }
            if !orphans.is_empty() {
                break;
            }
        }
        if orphans.is_empty() && !self.has_opened_all {
            self.has_opened_all = true;
            for (row, code) in unnamed {
                tracing::error!(
                    row,
                    code = code.escape_debug().to_string(),
                    "the code of a room is damaged: nobody can enter it; the others are served. To export \
                     and close it, stop the server and run `fivefold-server check --repair`"
                );
            }
        }
        let left = rooms_max - orphans.len();
        orphans.extend(sleeping_rooms::due(&self.connection, due, left)?);
        Ok(orphans)
    }

    fn claim(&mut self, rooms: &[RoomCode], _: NodeId) -> Result<Vec<Claimed>, StorageError> {
        let process = self.process;
        let transaction = self.begin()?;
        let claimed: Vec<_> = rooms
            .iter()
            .map(|room| log::claim(&transaction, process, room))
            .collect::<Result<_, _>>()?;
        commit(transaction)?;
        let damaged = rooms.iter().zip(&claimed).filter(|(_, claimed)| match claimed {
            Claimed::Damaged(_) => true,
            Claimed::Mine { .. } | Claimed::Elsewhere(_) | Claimed::Closed | Claimed::Newer => {
                false
            }
        });
        self.unclaimable.extend(damaged.map(|(room, _)| room.clone()));
        Ok(claimed)
    }

    fn append(&mut self, batch: &[Append]) -> Result<Vec<Appended>, StorageError> {
        let answers = self.try_to_append(batch);
        if answers.is_err() {
            self.known_ratings.forget_all();
        }
        answers
    }

    fn undo_ratings(&mut self, game: &GameId, at: u64) -> Result<Undone, StorageError> {
        let transaction = self.begin()?;
        let undone = ratings::undo(&transaction, game, at)?;
        commit(transaction)?;
        self.known_ratings.forget_all();
        Ok(undone)
    }

    fn count_puzzle(&mut self, attempt: &PuzzleAttempt) -> Result<PuzzleCounted, StorageError> {
        self.transact(|sql| puzzles::count(sql, attempt))
    }

    fn update_members(&mut self, members: &[KnownMember]) -> Result<(), StorageError> {
        let transaction = self.begin()?;
        for KnownMember { id, hash, name, seen_at } in members {
            transaction
                .prepare_cached(
                    "UPDATE member SET name = ?, seen_at = ? WHERE id = ? AND hash = ?",
                )?
                .execute((name.as_str(), seen_at, id.as_str(), hash.0))?;
        }
        commit(transaction)
    }

    fn try_commit(&mut self) -> Result<(), StorageError> {
        let transaction = begin(&mut self.connection)?;
        // Writes a page though it changes nothing: a transaction without one needs no disk.
        transaction
            .prepare_cached("UPDATE process SET id = id WHERE id = ?")?
            .execute([self.process])?;
        commit(transaction)
    }

    fn replace_identity(
        &mut self,
        member: &MemberId,
        old: IdentityHash,
        new: IdentityHash,
    ) -> Result<bool, StorageError> {
        self.connection
            .prepare_cached(
                "UPDATE OR IGNORE member SET hash = ?, renewed = 1 WHERE id = ? AND hash = ?",
            )?
            .execute((new.0, member.as_str(), old.0))?;
        let is_replaced = self
            .connection
            .prepare_cached("SELECT 1 FROM member WHERE id = ? AND hash = ?")?
            .exists((member.as_str(), new.0))?;
        Ok(is_replaced)
    }

    fn change_account(&mut self, change: &AccountChange) -> Result<AccountChanged, StorageError> {
        self.transact(|sql| accounts::change(sql, change))
    }

    fn moderate(&mut self, change: &ModerationChange) -> Result<ModerationChanged, StorageError> {
        self.transact(|sql| moderation::change(sql, change))
    }

    fn change_pushes(&mut self, change: &PushChange) -> Result<PushChanged, StorageError> {
        self.transact(|sql| pushes::change(sql, change))
    }

    fn change_collection(
        &mut self,
        change: &CollectionChange,
    ) -> Result<CollectionChanged, StorageError> {
        self.transact(|sql| collections::change(sql, change))
    }

    fn prune_moderation(&mut self, now: u64, rows_max: usize) -> Result<usize, StorageError> {
        self.transact(|sql| moderation::prune(sql, now, rows_max))
    }

    fn prune_accounts(&mut self, now: u64, rows_max: usize) -> Result<usize, StorageError> {
        self.transact(|sql| accounts::prune(sql, now, rows_max))
    }

    fn prune_collections(&mut self, rows_max: usize) -> Result<usize, StorageError> {
        self.transact(|sql| collections::prune(sql, rows_max))
    }

    fn prune_members(&mut self, before: u64, members_max: usize) -> Result<usize, StorageError> {
        let pruned = self
            .connection
            .prepare_cached(
                "DELETE FROM member WHERE id IN
                     (SELECT id FROM member
                      WHERE has_game = 0 AND renewed = 0 AND seen_at < ? LIMIT ?)",
            )?
            .execute((before.min(i64::MAX.cast_unsigned()), members_max))?;
        Ok(pruned)
    }

    fn prune_logs(&mut self, before: u64, rooms_max: usize) -> Result<usize, StorageError> {
        let transaction = self.begin()?;
        let rooms = {
            let mut old = transaction.prepare_cached(
                "SELECT room.id, room.last FROM room
                     JOIN event ON event.id = room.last AND event.room = room.id
                 WHERE room.state = 1 AND event.at BETWEEN 0 AND ? - 1 LIMIT ?",
            )?;
            let before = before.min(i64::MAX.cast_unsigned());
            let rows = old.query_map((before, rooms_max), |row| Ok((row.get(0)?, row.get(1)?)))?;
            rows.collect::<Result<Vec<(i64, i64)>, _>>()?
        };
        for (room, last) in &rooms {
            transaction
                .prepare_cached(
                    // A damaged event may lead to another room, or to itself.
                    "WITH RECURSIVE log (id, previous) AS (
                         SELECT id, previous FROM event WHERE id = ?1
                         UNION ALL
                         SELECT event.id, event.previous FROM event
                             JOIN log ON event.id = log.previous AND event.id < log.id
                         WHERE event.room = ?2
                     )
                     DELETE FROM event WHERE id IN (SELECT id FROM log)",
                )?
                .execute((last, room))?;
            transaction
                .prepare_cached("UPDATE room SET seq = 0, last = 0, state = ? WHERE id = ?")?
                .execute((CLOSED_WITHOUT_LOG, room))?;
        }
        commit(transaction)?;
        Ok(rooms.len())
    }

    fn read(&mut self, room: &RoomCode) -> Result<Vec<Entry>, StorageError> {
        log::read_log(&self.connection, room)
    }

    fn rest(&mut self) {
        self.log_keeper.look(&self.folder.database(), &self.connection);
    }

    fn reader(&self) -> Result<Box<dyn StorageReader>, StorageError> {
        Self::reader_of(database_in(self.folder.path()))
    }
}

/// Commits. An error may leave the commit in doubt: after a failed sync, the frames in the
/// write-ahead log may be on the disk, and count if the process ends before the next commit
/// overwrites them.
fn commit(transaction: Transaction<'_>) -> Result<(), StorageError> {
    transaction.commit().map_err(|error| {
        match error.sqlite_error().map(|code| code.extended_code) {
            // A frame that is not written completely never counts.
            Some(ffi::SQLITE_IOERR_WRITE) => error.into(),
            Some(code) if code & 0xFF == ffi::SQLITE_IOERR => {
                StorageError::InDoubt(error.to_string())
            }
            Some(_) | None => error.into(),
        }
    })
}

impl From<rusqlite::Error> for StorageError {
    fn from(error: rusqlite::Error) -> Self {
        // Other crates' enums, with dozens of variants and codes.
        match &error {
            rusqlite::Error::FromSqlConversionFailure(..)
            | rusqlite::Error::IntegralValueOutOfRange(..)
            | rusqlite::Error::InvalidColumnType(..)
            | rusqlite::Error::Utf8Error(..) => return Self::Damaged(error.to_string()),
            _ => {}
        }
        let is_damaged = error.sqlite_error().is_some_and(|code| {
            matches!(code.code, ErrorCode::DatabaseCorrupt | ErrorCode::NotADatabase)
                // A value in the row is of another type than its column.
                || code.extended_code == ffi::SQLITE_CONSTRAINT_DATATYPE
        });
        if is_damaged { Self::Damaged(error.to_string()) } else { Self::Failed(error.to_string()) }
    }
}

#[cfg(test)]
mod tests {
    use rusqlite::StatementStatus;

    use super::*;

    /// The options of `.cargo/config.toml` arrive together or not at all, and SQLite does not list
    /// `HAVE_FDATASYNC`.
    #[test]
    fn sqlite_is_compiled_with_our_options() {
        let connection = Connection::open_in_memory().unwrap();
        let mut options = connection.prepare("PRAGMA compile_options").unwrap();
        let options: Vec<String> =
            options.query_map((), |row| row.get(0)).unwrap().map(Result::unwrap).collect();
        let has = |option: &str| options.iter().any(|one| one == option);
        assert!(
            has("OMIT_SHARED_CACHE"),
            "build in a folder of the repository, for .cargo/config.toml"
        );
        assert!(has("THREADSAFE=2") && !has("ENABLE_FTS5"), "{options:?}");
    }

    #[test]
    fn a_statement_is_prepared_once_whatever_it_is_asked() {
        let folder = tempfile::tempdir().unwrap();
        let storage = Sqlite::open(DataFolder::take(folder.path()).unwrap()).unwrap();
        let reader = open_to_read(&storage.folder.database()).unwrap();
        for connection in [&storage.connection, &reader] {
            let mut select = connection
                .prepare_cached("SELECT value FROM rating WHERE member = ? AND pool = ? LIMIT ?")
                .unwrap();
            for number in 1..9 {
                let member = format!("member {number}");
                assert!(!select.exists((member, "standard/15/fast", number)).unwrap());
            }
            assert_eq!(select.get_status(StatementStatus::RePrepare), 0);
        }
    }

    /// One column of what SQLite explains.
    fn explained(storage: &Sqlite, statement: &str, column: &str) -> Vec<String> {
        let mut explain = storage.connection.prepare(statement).unwrap();
        let unbound = (1..=explain.parameter_count()).map(|_| rusqlite::types::Null);
        let rows = explain.query_map(rusqlite::params_from_iter(unbound), |row| row.get(column));
        rows.unwrap().map(Result::unwrap).collect()
    }

    #[test]
    fn a_change_of_a_rating_is_inserted_without_a_table_of_its_own() {
        let folder = tempfile::tempdir().unwrap();
        let storage = Sqlite::open(DataFolder::take(folder.path()).unwrap()).unwrap();
        let steps = explained(&storage, &format!("EXPLAIN {}", ratings::INSERT_CHANGE), "opcode");
        assert!(steps.iter().any(|step| step == "IdxInsert"), "{steps:?}");
        assert!(!steps.iter().any(|step| step == "OpenEphemeral"), "{steps:?}");
    }

    #[test]
    fn rooms_without_an_owner_and_leaders_are_found_by_their_indexes() {
        let folder = tempfile::tempdir().unwrap();
        let storage = Sqlite::open(DataFolder::take(folder.path()).unwrap()).unwrap();
        for (statement, index) in [
            (ORPHANS, "room_open"),
            ("SELECT 1 FROM rating WHERE pool = ? ORDER BY band DESC, value DESC", "rating_band"),
            (
                "SELECT game FROM rating_change WHERE kind = 'game' AND at >= ? ORDER BY at, game",
                "PRIMARY KEY (at>?)",
            ),
        ] {
            let plan = explained(&storage, &format!("EXPLAIN QUERY PLAN {statement}"), "detail");
            assert!(plan[0].contains(index), "{statement}: {plan:?}");
        }
    }
}
