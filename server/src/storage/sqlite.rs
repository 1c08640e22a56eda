//! The storage in a SQLite file.
//!
//! A commit is a write-ahead log frame with full sync: when it returns, it is on the disk. Nothing
//! about rooms is kept in memory, so a commit that fails leaves nothing behind to be undone.

use std::{
    fs, io,
    path::{Path, PathBuf},
    time::Duration,
};

use fivefold_shared::{
    protocol::{GameId, MemberId, NumberedEvent, Player, RoomCode, Visibility},
    record::{FinishedGame, GameList, ListedGame, Record},
    room::{Cause, Entry},
};
use rusqlite::{
    Connection, ErrorCode, OpenFlags, OptionalExtension, Row, Transaction, TransactionBehavior,
    named_params,
};
use serde::de::DeserializeOwned;

use super::{
    Append, Claim, Conflict, DataFolder, DiskSpace, Epoch, GameQuery, IdentityHash, KnownMember,
    OpenError, Storage, StorageError, StorageReader,
    data_folder::database_in,
    schema::{self, FORMAT, Kind},
};

/// How long to wait for another process that uses the file, such as a backup that begins.
const BUSY_TIMEOUT: Duration = Duration::from_secs(5);

/// When the write-ahead log has so many pages, 32 MiB of them, they are put into the database.
/// Nothing is committed meanwhile: done rarely, it takes less time in all, and fewer moves wait.
const CHECKPOINT_PAGES: u32 = 8 * 1024;

/// The database of a data folder.
#[derive(Debug)]
pub struct Sqlite {
    connection: Connection,
    /// Given up when the connection is closed.
    folder: DataFolder,
}

impl Sqlite {
    /// Opens the folder's database; makes it, or brings it to the newest format, where that is
    /// due.
    ///
    /// # Errors
    /// When the file is not to be used, and is then not touched; or when that fails.
    pub fn open(folder: DataFolder) -> Result<Self, OpenError> {
        let file = folder.database()?;
        let failed = |error: rusqlite::Error| open_error(&file, error.into());
        let format = look(&file)?.unwrap_or(0);
        let mut connection = Connection::open(&file).map_err(failed)?;
        set_up(&connection).map_err(failed)?;
        schema::migrate(&mut connection, format).map_err(failed)?;
        Ok(Self { connection, folder })
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

/// Looks whether a file is a database for this server, by a connection that cannot write. Its
/// format, unless it is empty.
pub(super) fn look(file: &Path) -> Result<Option<u32>, OpenError> {
    let path = file.display().to_string();
    let kind = open_to_read(file).and_then(|connection| schema::kind(&connection));
    match kind.map_err(|error| open_error(file, error.into()))? {
        Kind::Empty => Ok(None),
        Kind::Ours(found) if found > FORMAT => Err(OpenError::Newer { path, found, known: FORMAT }),
        Kind::Ours(format) => Ok(Some(format)),
        Kind::Foreign => Err(OpenError::Foreign { path }),
    }
}

/// A connection that cannot write.
pub(super) fn open_to_read(file: &Path) -> rusqlite::Result<Connection> {
    let flags = OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    let connection = Connection::open_with_flags(file, flags)?;
    connection.busy_timeout(BUSY_TIMEOUT)?;
    Ok(connection)
}

fn set_up(connection: &Connection) -> rusqlite::Result<()> {
    connection.busy_timeout(BUSY_TIMEOUT)?;
    connection.pragma_update(None, "journal_mode", "wal")?;
    connection.pragma_update(None, "synchronous", "full")?;
    connection.pragma_update(None, "wal_autocheckpoint", CHECKPOINT_PAGES)?;
    // Only where a plain sync does not reach the disk, which is on macOS.
    connection.pragma_update(None, "fullfsync", true)?;
    connection.pragma_update(None, "checkpoint_fullfsync", true)?;
    connection.pragma_update(None, "foreign_keys", true)?;
    connection.pragma_update(None, "trusted_schema", false)
}

fn open_error(file: &Path, error: StorageError) -> OpenError {
    OpenError::Storage { path: file.display().to_string(), error }
}

impl Storage for Sqlite {
    fn claim(&mut self) -> Result<Vec<Claim>, StorageError> {
        let transaction =
            self.connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
        let claims = {
            let mut claim = transaction.prepare(
                "UPDATE room SET epoch = epoch + 1 WHERE closed = 0 RETURNING code, epoch",
            )?;
            let rows = claim.query_map((), |row| Ok((row.get(0)?, row.get(1)?)))?;
            let mut claims = Vec::new();
            for row in rows {
                let (code, epoch): (String, u64) = row?;
                match name(code) {
                    Ok(room) => claims.push(Claim { room, epoch: Epoch(epoch) }),
                    // It cannot be named, so that nobody can enter it.
                    Err(error) => tracing::error!(%error, "a room is damaged and set aside"),
                }
            }
            claims
        };
        transaction.commit()?;
        Ok(claims)
    }

    fn append(&mut self, batch: &[Append]) -> Result<Vec<Result<(), Conflict>>, StorageError> {
        // Dropped without a commit, the transaction is rolled back.
        let transaction =
            self.connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
        let answers = batch
            .iter()
            .map(|append| append_to_room(&transaction, append))
            .collect::<Result<_, _>>()?;
        transaction.commit()?;
        Ok(answers)
    }

    fn update_members(&mut self, members: &[KnownMember]) -> Result<(), StorageError> {
        let transaction =
            self.connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
        for KnownMember { id, hash, name, seen_at } in members {
            transaction
                .prepare_cached(
                    "UPDATE member SET name = ?, seen_at = ? WHERE id = ? AND hash = ?",
                )?
                .execute((name.as_str(), seen_at, id.as_str(), hash.0))?;
        }
        Ok(transaction.commit()?)
    }

    fn replace_identity(
        &mut self,
        member: &MemberId,
        old: IdentityHash,
        new: IdentityHash,
    ) -> Result<bool, StorageError> {
        let replaced = self
            .connection
            .prepare_cached(
                "UPDATE OR IGNORE member SET hash = ?, renewed = 1 WHERE id = ? AND hash = ?",
            )?
            .execute((new.0, member.as_str(), old.0))?;
        Ok(replaced > 0)
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

    fn forget(&mut self, before: u64, rooms_max: usize) -> Result<usize, StorageError> {
        let transaction =
            self.connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
        let rooms = {
            let mut old = transaction.prepare_cached(
                "SELECT room.id, room.last FROM room JOIN event ON event.id = room.last
                 WHERE room.closed = 1 AND room.seq > 0 AND event.at < ? LIMIT ?",
            )?;
            let rows = old.query_map((before.min(i64::MAX.cast_unsigned()), rooms_max), |row| {
                Ok((row.get(0)?, row.get(1)?))
            })?;
            rows.collect::<Result<Vec<(i64, i64)>, _>>()?
        };
        for (room, last) in &rooms {
            transaction
                .prepare_cached(
                    "WITH RECURSIVE log (id, before) AS (
                         SELECT id, before FROM event WHERE id = ?
                         UNION ALL
                         SELECT event.id, event.before FROM event JOIN log ON event.id = log.before
                     )
                     DELETE FROM event WHERE id IN (SELECT id FROM log)",
                )?
                .execute((last,))?;
            transaction
                .prepare_cached("UPDATE room SET seq = 0, last = 0 WHERE id = ?")?
                .execute((room,))?;
        }
        transaction.commit()?;
        Ok(rooms.len())
    }

    fn read(&mut self, room: &RoomCode) -> Result<Vec<Entry>, StorageError> {
        read_log(&self.connection, room)
    }

    fn reader(&self) -> Result<Box<dyn StorageReader>, StorageError> {
        let file = database_in(self.folder.path());
        Ok(Box::new(SqliteArchive { connection: open_to_read(&file)?, file }))
    }
}

/// Where a room's log ends.
struct Tail {
    room: i64,
    epoch: u64,
    seq: u64,
    last: i64,
    is_closed: bool,
}

fn append_to_room(
    transaction: &Transaction<'_>,
    append: &Append,
) -> Result<Result<(), Conflict>, StorageError> {
    let begins = append.entries.first().is_some_and(|entry| entry.event.seq == 1);
    if begins {
        let made = transaction
            .prepare_cached(
                "INSERT INTO room (code, epoch, seq, last) VALUES (?, ?, 0, 0)
                 ON CONFLICT DO NOTHING",
            )?
            .execute((append.room.as_str(), append.epoch.0))?;
        if made == 0 {
            return Ok(Err(Conflict::Owner));
        }
    }
    let Some(mut tail) = tail_of(transaction, &append.room)? else {
        return Ok(Err(Conflict::Owner));
    };
    if tail.epoch != append.epoch.0 || tail.is_closed {
        return Ok(Err(Conflict::Owner));
    }
    if append.entries.first().is_some_and(|entry| entry.event.seq != tail.seq + 1) {
        return Ok(Err(Conflict::Seq { last: tail.seq }));
    }
    let mut insert = transaction.prepare_cached(
        "INSERT INTO event (room, seq, at, member, command, event, before)
         VALUES (?, ?, ?, ?, ?, ?, ?)",
    )?;
    for Entry { event: NumberedEvent { seq, at, event }, cause } in &append.entries {
        let member = cause.as_ref().map(|cause| cause.member.as_str());
        let command = cause.as_ref().map(|cause| cause.command.as_str());
        insert.execute((tail.room, seq, at, member, command, json(event)?, tail.last))?;
        tail.seq = *seq;
        tail.last = transaction.last_insert_rowid();
    }
    transaction
        .prepare_cached("UPDATE room SET seq = ?, last = ? WHERE id = ?")?
        .execute((tail.seq, tail.last, tail.room))?;
    for member in &append.members {
        save_member(transaction, member)?;
    }
    for game in &append.games {
        save(transaction, tail.room, game)?;
    }
    if append.closes {
        transaction
            .prepare_cached("UPDATE room SET closed = 1 WHERE id = ?")?
            .execute((tail.room,))?;
    }
    Ok(Ok(()))
}

fn save_member(transaction: &Transaction<'_>, member: &KnownMember) -> Result<(), StorageError> {
    let KnownMember { id, hash, name, seen_at } = member;
    transaction
        .prepare_cached(
            "INSERT INTO member (id, hash, name, seen_at) VALUES (?, ?, ?, ?)
             ON CONFLICT DO UPDATE SET name = excluded.name, seen_at = excluded.seen_at",
        )?
        .execute((id.as_str(), hash.0, name.as_str(), seen_at))?;
    Ok(())
}

fn save(transaction: &Transaction<'_>, room: i64, game: &FinishedGame) -> Result<(), StorageError> {
    let FinishedGame { id, record: Record { summary, moves } } = game;
    let is_listed = match summary.visibility {
        Visibility::Public => true,
        Visibility::Private => false,
    };
    transaction
        .prepare_cached(
            "INSERT INTO game (code, room, listed, summary, moves) VALUES (?, ?, ?, ?, ?)",
        )?
        .execute((id.as_str(), room, is_listed, json(summary)?, json(moves)?))?;
    let number = transaction.last_insert_rowid();
    for player in [&summary.players.first, &summary.players.second] {
        if let Player::Member { member, .. } = player {
            transaction
                .prepare_cached(
                    "INSERT INTO player (member, game) VALUES (?, ?) ON CONFLICT DO NOTHING",
                )?
                .execute((member.as_str(), number))?;
            transaction
                .prepare_cached("UPDATE member SET has_game = 1 WHERE id = ?")?
                .execute((member.as_str(),))?;
        }
    }
    Ok(())
}

fn tail_of(connection: &Connection, room: &RoomCode) -> rusqlite::Result<Option<Tail>> {
    connection
        .prepare_cached("SELECT id, epoch, seq, last, closed FROM room WHERE code = ?")?
        .query_row((room.as_str(),), |row| {
            Ok(Tail {
                room: row.get(0)?,
                epoch: row.get(1)?,
                seq: row.get(2)?,
                last: row.get(3)?,
                is_closed: row.get(4)?,
            })
        })
        .optional()
}

/// Reads a room's log, from its end to its beginning. Nothing is to be appended meanwhile.
pub(super) fn read_log(
    connection: &Connection,
    room: &RoomCode,
) -> Result<Vec<Entry>, StorageError> {
    let Some(tail) = tail_of(connection, room)? else { return Ok(Vec::new()) };
    let mut select = connection.prepare_cached(
        "SELECT room, seq, at, member, command, event, before FROM event WHERE id = ?",
    )?;
    let mut log = Vec::new();
    let mut place = tail.last;
    for due in (1..=tail.seq).rev() {
        let found = select
            .query_row((place,), |row| Ok((row.get(0)?, entry(row)?, row.get(6)?)))
            .optional()?;
        match found {
            Some((owner, entry, before)) => {
                let entry: Entry = entry?;
                let room_id: i64 = owner;
                if room_id != tail.room || entry.event.seq != due {
                    return Err(lost(room, due));
                }
                log.push(entry);
                place = before;
            }
            None => return Err(lost(room, due)),
        }
    }
    log.reverse();
    Ok(log)
}

fn lost(room: &RoomCode, seq: u64) -> StorageError {
    StorageError::Damaged(format!("event {seq} of room {room} is missing"))
}

/// The entry in a row that begins with room, seq, at, member, command and event. The error inside
/// is about its meaning.
fn entry(row: &Row<'_>) -> rusqlite::Result<Result<Entry, StorageError>> {
    let (seq, at): (u64, u64) = (row.get(1)?, row.get(2)?);
    let (member, command): (Option<String>, Option<String>) = (row.get(3)?, row.get(4)?);
    let event = row.get_ref(5)?.as_str()?;
    let parse = || {
        let cause = match member.zip(command) {
            Some((member, command)) => {
                Some(Cause { member: name(member)?, command: name(command)? })
            }
            None => None,
        };
        Ok(Entry { event: NumberedEvent { seq, at, event: value(event)? }, cause })
    };
    Ok(parse())
}

/// Finished games and members, by a connection of their own.
#[derive(Debug)]
struct SqliteArchive {
    connection: Connection,
    file: PathBuf,
}

impl StorageReader for SqliteArchive {
    fn member(
        &mut self,
        id: &MemberId,
        hash: IdentityHash,
    ) -> Result<Option<KnownMember>, StorageError> {
        let found = self
            .connection
            .prepare_cached(
                "SELECT id, hash, name, seen_at FROM member WHERE hash = ?1 OR id = ?2
                 ORDER BY hash = ?1 DESC LIMIT 1",
            )?
            .query_row((hash.0, id.as_str()), |row| {
                Ok((row.get(0)?, row.get(1)?, row.get(2)?, row.get(3)?))
            })
            .optional()?;
        found
            .map(|(id, hash, called, seen_at)| {
                let hash = IdentityHash(hash);
                Ok(KnownMember { id: name(id)?, hash, name: name(called)?, seen_at })
            })
            .transpose()
    }

    fn game(&mut self, id: &GameId) -> Result<Option<Record>, StorageError> {
        let found = self
            .connection
            .prepare_cached("SELECT summary, moves FROM game WHERE code = ?")?
            .query_row((id.as_str(),), |row| {
                Ok((row.get::<_, String>(0)?, row.get::<_, String>(1)?))
            })
            .optional()?;
        found
            .map(|(summary, moves)| Ok(Record { summary: value(&summary)?, moves: value(&moves)? }))
            .transpose()
    }

    fn games(&mut self, query: &GameQuery) -> Result<GameList, StorageError> {
        let mut select = self.connection.prepare_cached(match query.member {
            Some(_) => {
                "SELECT game.id, code, summary FROM player JOIN game ON game.id = player.game
                 WHERE player.member = :member AND player.game < :before
                     AND (listed = 1 OR :unlisted)
                 ORDER BY player.game DESC LIMIT :max"
            }
            None => {
                "SELECT id, code, summary FROM game
                 WHERE listed = 1 AND id < :before AND :member IS NULL AND NOT :unlisted
                 ORDER BY id DESC LIMIT :max"
            }
        })?;
        let before = query.before.map_or(i64::MAX, |before| before.try_into().unwrap_or(i64::MAX));
        let rows = select.query_map(
            named_params! {
                ":member": query.member.as_ref().map(MemberId::as_str),
                ":before": before,
                ":unlisted": query.unlisted,
                // One more tells whether the list goes on.
                ":max": query.max.saturating_add(1),
            },
            |row| Ok((row.get(0)?, row.get(1)?, row.get(2)?)),
        )?;
        let mut list = GameList::default();
        let mut last = None;
        for row in rows {
            let (number, code, summary): (u64, String, String) = row?;
            if list.games.len() == query.max {
                list.next = last;
                break;
            }
            list.games.push(ListedGame { id: name(code)?, summary: value(&summary)? });
            last = Some(number);
        }
        Ok(list)
    }

    fn disk_space(&mut self) -> Result<Option<DiskSpace>, StorageError> {
        let measure = || -> io::Result<DiskSpace> {
            let mut log = self.file.clone().into_os_string();
            log.push("-wal");
            // Where nothing was written since the start there is no log.
            let log = fs::metadata(log).map_or(0, |log| log.len());
            let disk = rustix::fs::statvfs(&self.file)?;
            let free = disk.f_bavail.saturating_mul(disk.f_frsize);
            Ok(DiskSpace { used: fs::metadata(&self.file)?.len() + log, free })
        };
        measure().map(Some).map_err(|error| StorageError::Failed(error.to_string()))
    }
}

/// A checked text as it was stored.
pub(super) fn name<T: TryFrom<String>>(text: String) -> Result<T, StorageError>
where
    T::Error: std::fmt::Display,
{
    T::try_from(text).map_err(|error| StorageError::Damaged(error.to_string()))
}

pub(super) fn value<T: DeserializeOwned>(json: &str) -> Result<T, StorageError> {
    serde_json::from_str(json).map_err(|error| StorageError::Damaged(error.to_string()))
}

fn json(value: &impl serde::Serialize) -> Result<String, StorageError> {
    serde_json::to_string(value).map_err(|error| StorageError::Failed(error.to_string()))
}

impl From<rusqlite::Error> for StorageError {
    fn from(error: rusqlite::Error) -> Self {
        match error.sqlite_error_code() {
            Some(ErrorCode::DatabaseCorrupt | ErrorCode::NotADatabase) => {
                Self::Damaged(error.to_string())
            }
            // A foreign enumeration with dozens of codes.
            Some(_) | None => Self::Failed(error.to_string()),
        }
    }
}
