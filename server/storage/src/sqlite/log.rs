//! Rooms and their logs in a SQLite file: claiming, appending and reading.

use fivefold_shared::{
    protocol::{NumberedEvent, Player, RoomCode, Visibility},
    record::{FinishedGame, Record},
    room::Entry,
};
use rusqlite::{CachedStatement, Connection, OptionalExtension, Row, Transaction};

use crate::{
    Append, Appended, Claimed, Conflict, Epoch, KnownMember, StorageError,
    sql::{daily_seats, sleeping_rooms},
    sqlite::{
        ratings,
        schema::{CLOSED, CLOSED_WITHOUT_LOG, OPEN},
    },
    values::{self, missing_event, to_json},
};

/// More owners than any room has had.
pub(crate) const EPOCH_MAX: i64 = 1 << 52;

const SELECT_TAIL: &str = "SELECT id, epoch, seq, last, state FROM room WHERE code = ?";

/// Raises the epoch of a room, and then reads its log. A code without a room is closed, so that an
/// append in doubt cannot create the room later.
pub(super) fn claim(
    transaction: &Transaction<'_>,
    process: i64,
    room: &RoomCode,
) -> Result<Claimed, StorageError> {
    let claimed = raise_epoch(transaction, process, room).and_then(|epoch| match epoch {
        Some((epoch, id)) => {
            let empty_since = sleeping_rooms::wake(&**transaction, id)?;
            let news = daily_seats::news_of(&**transaction, id)?;
            let log = read_log(transaction, room)?;
            Ok(Claimed::Mine { epoch: Epoch(epoch), log, empty_since, news })
        }
        None => close(transaction, process, room),
    });
    match claimed {
        Err(StorageError::Damaged(problem)) => Ok(Claimed::Damaged(problem)),
        claimed => claimed,
    }
}

/// The new epoch of a room, which this process owns from then on, and the room's number; nothing if the room is not
/// open.
fn raise_epoch(
    transaction: &Transaction<'_>,
    process: i64,
    room: &RoomCode,
) -> Result<Option<(u64, i64)>, StorageError> {
    let raised: Option<(i64, i64)> = transaction
        .prepare_cached(
            "UPDATE room SET owner = ?1,
                 epoch = CASE WHEN epoch BETWEEN 0 AND ?2 THEN epoch + 1 ELSE epoch END
             WHERE code = ?3 AND state = ?4 RETURNING epoch, id",
        )?
        .query_row((process, EPOCH_MAX, room.as_str(), OPEN), |row| Ok((row.get(0)?, row.get(1)?)))
        .optional()?;
    let Some((epoch, id)) = raised else { return Ok(None) };
    match u64::try_from(epoch) {
        Ok(raised) if epoch <= EPOCH_MAX => Ok(Some((raised, id))),
        Ok(_) | Err(_) => Err(StorageError::Damaged(format!("the room has {epoch} owners"))),
    }
}

/// Closes a code that has no open room.
fn close(
    transaction: &Transaction<'_>,
    process: i64,
    room: &RoomCode,
) -> Result<Claimed, StorageError> {
    let state: Option<i64> = transaction
        .prepare_cached("SELECT state FROM room NOT INDEXED WHERE code = ?")?
        .query_row((room.as_str(),), |row| row.get(0))
        .optional()?;
    match state {
        Some(state) if state == i64::from(OPEN) => {
            return Err(StorageError::Damaged("an index leads to no room".to_owned()));
        }
        Some(state) if ![CLOSED, CLOSED_WITHOUT_LOG].map(i64::from).contains(&state) => {
            return Err(StorageError::Damaged(format!("the room is in state {state}")));
        }
        Some(_) | None => {}
    }
    transaction
        .prepare_cached(
            "INSERT INTO room (code, owner, epoch, seq, last, state) VALUES (?, ?, 0, 0, 0, ?)
             ON CONFLICT DO NOTHING",
        )?
        .execute((room.as_str(), process, CLOSED_WITHOUT_LOG))?;
    Ok(Claimed::Closed)
}

/// Where a room's log ends.
struct Tail {
    room: i64,
    epoch: u64,
    seq: u64,
    last: i64,
    state: u8,
}

/// Appends to the logs of rooms. Prepares a move's statements once per batch.
pub(super) struct Appender<'t> {
    transaction: &'t Transaction<'t>,
    process: i64,
    select_tail: CachedStatement<'t>,
    insert_event: CachedStatement<'t>,
    update_tail: CachedStatement<'t>,
    known_ratings: &'t mut ratings::WrittenRatings,
}

impl<'t> Appender<'t> {
    pub(super) fn new(
        transaction: &'t Transaction<'t>,
        process: i64,
        known_ratings: &'t mut ratings::WrittenRatings,
    ) -> Result<Self, StorageError> {
        Ok(Self {
            transaction,
            process,
            select_tail: transaction.prepare_cached(SELECT_TAIL)?,
            insert_event: transaction.prepare_cached(
                "INSERT INTO event (room, seq, at, member, command, event, previous)
                 VALUES (?, ?, ?, ?, ?, ?, ?)",
            )?,
            update_tail: transaction
                .prepare_cached("UPDATE room SET seq = ?, last = ? WHERE id = ?")?,
            known_ratings,
        })
    }

    /// Appends to the log of one room. After a conflict nothing of it is stored.
    pub(super) fn append(&mut self, append: &Append) -> Result<Appended, StorageError> {
        let begins = append.entries.first().is_some_and(|entry| entry.event.seq == 1);
        if begins && !self.create(append)? {
            return Ok(Err(Conflict::Owner));
        }
        let Some(mut tail) = tail_of(&mut self.select_tail, &append.room)? else {
            return Ok(Err(Conflict::Owner));
        };
        if tail.epoch != append.epoch.0 || tail.state != OPEN {
            return Ok(Err(Conflict::Owner));
        }
        if let Some(sleep) = &append.sleeps {
            return sleeping_rooms::fall_asleep(&**self.transaction, append, sleep);
        }
        if append.entries.first().is_some_and(|entry| entry.event.seq != tail.seq + 1) {
            return Ok(Err(Conflict::Seq { last: tail.seq }));
        }
        for Entry { event: NumberedEvent { seq, at, event }, cause } in &append.entries {
            let member = cause.as_ref().map(|cause| cause.member.as_str());
            let command = cause.as_ref().map(|cause| cause.command.as_str());
            let event = to_json(event)?;
            tail.last = self
                .insert_event
                .insert((tail.room, seq, at, member, command, event, tail.last))?;
            tail.seq = *seq;
        }
        self.update_tail.execute((tail.seq, tail.last, tail.room))?;
        for member in &append.members {
            save_member(self.transaction, member)?;
        }
        for game in &append.games {
            save_game(self.transaction, tail.room, game)?;
        }
        if let Some(seats) = append.now_daily() {
            daily_seats::set(&**self.transaction, tail.room, &seats)?;
        }
        if append.closes {
            self.transaction
                .prepare_cached("UPDATE room SET state = ? WHERE id = ?")?
                .execute((CLOSED, tail.room))?;
        }
        ratings::count(self.transaction, &append.games, self.known_ratings).map(Ok)
    }

    /// Creates the row of a room, unless its code is taken.
    fn create(&self, append: &Append) -> Result<bool, StorageError> {
        let created = self
            .transaction
            .prepare_cached(
                "INSERT INTO room (code, owner, epoch, seq, last, state) VALUES (?, ?, ?, 0, 0, ?)
                 ON CONFLICT DO NOTHING",
            )?
            .execute((append.room.as_str(), self.process, append.epoch.0, OPEN))?;
        Ok(created > 0)
    }
}

/// Stores a member, or updates the time, and the name if the identity is the current one. Does nothing
/// if the identity belongs to somebody else.
fn save_member(transaction: &Transaction<'_>, member: &KnownMember) -> Result<(), StorageError> {
    let KnownMember { id, hash, name, seen_at } = member;
    transaction
        .prepare_cached(
            "INSERT INTO member (id, hash, name, seen_at) VALUES (?, ?, ?, ?)
             ON CONFLICT (id) DO UPDATE SET seen_at = excluded.seen_at,
                 name = CASE WHEN hash = excluded.hash THEN excluded.name ELSE name END
             ON CONFLICT (hash) DO NOTHING",
        )?
        .execute((id.as_str(), hash.0, name.as_str(), seen_at))?;
    Ok(())
}

fn save_game(
    transaction: &Transaction<'_>,
    room: i64,
    game: &FinishedGame,
) -> Result<(), StorageError> {
    let FinishedGame { id, record: Record { summary, moves } } = game;
    let is_listed = match summary.visibility {
        Visibility::Public => true,
        Visibility::Private => false,
    };
    transaction
        .prepare_cached(
            "INSERT INTO game (code, room, listed, summary, moves) VALUES (?, ?, ?, ?, ?)",
        )?
        .execute((id.as_str(), room, is_listed, to_json(summary)?, to_json(moves)?))?;
    let number = transaction.last_insert_rowid();
    for player in [&summary.players.first, &summary.players.second] {
        if let Player::Member { member, .. } = player {
            transaction
                .prepare_cached(
                    "INSERT INTO player (member, listed, game) VALUES (?, ?, ?)
                     ON CONFLICT DO NOTHING",
                )?
                .execute((member.as_str(), is_listed, number))?;
            transaction
                .prepare_cached("UPDATE member SET has_game = 1 WHERE id = ? AND has_game = 0")?
                .execute((member.as_str(),))?;
        }
    }
    Ok(())
}

fn tail_of(select: &mut CachedStatement<'_>, room: &RoomCode) -> rusqlite::Result<Option<Tail>> {
    select
        .query_row((room.as_str(),), |row| {
            Ok(Tail {
                room: row.get(0)?,
                epoch: row.get(1)?,
                seq: row.get(2)?,
                last: row.get(3)?,
                state: row.get(4)?,
            })
        })
        .optional()
}

/// Reads a room's log, from its end to its beginning. Nothing may be appended while this
/// reads.
pub(crate) fn read_log(
    connection: &Connection,
    room: &RoomCode,
) -> Result<Vec<Entry>, StorageError> {
    let tail = tail_of(&mut connection.prepare_cached(SELECT_TAIL)?, room)?;
    let Some(tail) = tail else { return Ok(Vec::new()) };
    let mut select = connection.prepare_cached(
        "SELECT room, seq, at, member, command, event, previous FROM event WHERE id = ?",
    )?;
    let mut log = Vec::new();
    let mut place = tail.last;
    for due in (1..=tail.seq).rev() {
        let found = select
            .query_row((place,), |row| Ok((row.get(0)?, entry(row)?, row.get(6)?)))
            .optional()?;
        match found {
            Some((owner, entry, previous)) => {
                let entry: Entry = entry?;
                let room_id: i64 = owner;
                if room_id != tail.room || entry.event.seq != due {
                    return Err(missing_event(room, due));
                }
                log.push(entry);
                place = previous;
            }
            None => return Err(missing_event(room, due)),
        }
    }
    log.reverse();
    Ok(log)
}

/// The entry in a row that begins with room, seq, at, member, command and event. The inner error
/// means that it is damaged.
fn entry(row: &Row<'_>) -> rusqlite::Result<Result<Entry, StorageError>> {
    let cause = (row.get(3)?, row.get(4)?);
    Ok(values::entry((row.get(1)?, row.get(2)?), cause, row.get_ref(5)?.as_str()?))
}
