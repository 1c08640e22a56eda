//! Rooms that sleep: they have no owner, and lists show what was stored when they fell asleep. It does not know
//! what their logs mean.
//!
//! A row whose room has an owner is ignored: an older server, which did not know this table, has claimed the room.

use fivefold_shared::protocol::{MemberId, RoomCode};

use super::{
    Row, Sql,
    daily_seats::{self, HAS_NEWS},
    values,
};
use crate::{Append, Appended, Conflict, Sleep, StorageError, contradiction::Contradiction};

/// Stands for the owner of a room that sleeps.
pub(crate) const NOBODY: i64 = -1;

/// Rows that contradict others.
pub(crate) const CONTRADICTIONS: [Contradiction; 2] = [
    Contradiction {
        since: "sleeping_room",
        table: "room",
        rows: "owner = -1 AND id NOT IN (SELECT room FROM sleeping_room)",
        problem: "rooms have no owner, and nothing says when they have to be opened",
        // The next server opens them.
        sets: Some("owner = 0"),
    },
    Contradiction {
        since: "sleeping_room",
        table: "sleeping_room",
        rows: "room NOT IN (SELECT id FROM room WHERE owner = -1)",
        problem: "rooms sleep that have an owner, or are not there",
        sets: None,
    },
];

/// Lets a room sleep, unless it has another owner.
pub(crate) fn fall_asleep(
    sql: &dyn Sql,
    append: &Append,
    sleep: &Sleep,
) -> Result<Appended, StorageError> {
    let open = sql.dialect().pick("state = 0", "closed_at IS NULL");
    // The owner before appends nothing more.
    let release = format!(
        "UPDATE room SET owner = {NOBODY}, epoch = epoch + 1
         WHERE code = $1 AND epoch = $2 AND {open} RETURNING id"
    );
    let released = sql.row(&release, values![append.room.as_str(), append.epoch.0], Row::get)?;
    let Some(room): Option<i64> = released else { return Ok(Err(Conflict::Owner)) };
    forget(sql, room)?;
    if let Some(seats) = &append.daily {
        daily_seats::set(sql, room, seats)?;
    }
    let Sleep { empty_since, due, public_rank, members, listing } = sleep;
    sql.defer(
        "INSERT INTO sleeping_room (room, empty_since, due, public_rank, listing)
         VALUES ($1, $2, $3, $4, $5)",
        values![room, *empty_since, *due, public_rank.map(i64::from), listing],
    )?;
    for member in members {
        sql.defer(
            "INSERT INTO sleeping_member (member, room) VALUES ($1, $2)",
            values![member, room],
        )?;
    }
    Ok(Ok(Vec::new()))
}

/// Forgets that a room sleeps. Returns since when nobody has been there.
pub(crate) fn wake(sql: &dyn Sql, room: i64) -> Result<Option<u64>, StorageError> {
    let statement = "SELECT empty_since FROM sleeping_room WHERE room = $1";
    let empty_since = sql.row(statement, values![room], Row::get)?;
    forget(sql, room)?;
    Ok(empty_since.flatten())
}

fn forget(sql: &dyn Sql, room: i64) -> Result<(), StorageError> {
    sql.defer("DELETE FROM sleeping_member WHERE room = $1", values![room])?;
    sql.defer("DELETE FROM sleeping_room WHERE room = $1", values![room])
}

/// The codes of rooms that are due by then, the earliest first, and then of those that have to learn something about a player.
pub(crate) fn due(
    sql: &dyn Sql,
    due: u64,
    rooms_max: usize,
) -> Result<Vec<RoomCode>, StorageError> {
    let statement = format!(
        "SELECT code FROM sleeping_room JOIN room ON room.id = sleeping_room.room
         WHERE due <= $1 AND owner = {NOBODY} ORDER BY due LIMIT $2"
    );
    let mut rooms = sql.rows(&statement, values![due, rooms_max], Row::get)?;
    let news = format!(
        "SELECT DISTINCT code FROM daily_seat JOIN room ON room.id = daily_seat.room
         WHERE {HAS_NEWS} AND owner = {NOBODY} LIMIT $1"
    );
    rooms.extend(sql.rows(&news, values![rooms_max - rooms.len()], Row::get)?);
    Ok(rooms)
}

/// What lists show of the room with this code.
pub(super) fn listing(sql: &dyn Sql, room: &RoomCode) -> Result<Option<String>, StorageError> {
    let statement = format!(
        "SELECT listing FROM room JOIN sleeping_room ON sleeping_room.room = room.id
         WHERE code = $1 AND owner = {NOBODY}"
    );
    sql.row(&statement, values![room.as_str()], Row::get)
}

/// What lists show of a member's rooms: those with a game that is not over, then the rest, the newest first.
pub(super) fn of_member(
    sql: &dyn Sql,
    member: &MemberId,
    rooms_max: usize,
) -> Result<Vec<String>, StorageError> {
    let statement = format!(
        "SELECT listing FROM sleeping_member
             JOIN sleeping_room ON sleeping_room.room = sleeping_member.room
             JOIN room ON room.id = sleeping_member.room
         WHERE member = $1 AND owner = {NOBODY}
         ORDER BY EXISTS (SELECT 1 FROM daily_seat WHERE daily_seat.member = sleeping_member.member
                 AND daily_seat.room = sleeping_member.room) DESC,
             sleeping_member.room DESC LIMIT $2"
    );
    sql.rows(&statement, values![member, rooms_max], Row::get)
}

/// What lists show of public rooms, and how many there are.
pub(super) fn public(
    sql: &dyn Sql,
    rooms_max: usize,
) -> Result<(Vec<String>, usize), StorageError> {
    let statement = format!(
        "SELECT listing FROM sleeping_room JOIN room ON room.id = sleeping_room.room
         WHERE public_rank IS NOT NULL AND owner = {NOBODY} ORDER BY public_rank, room.id DESC
         LIMIT $1"
    );
    let listings = sql.rows(&statement, values![rooms_max], Row::get)?;
    let count = format!(
        "SELECT count(*) FROM sleeping_room JOIN room ON room.id = sleeping_room.room
         WHERE public_rank IS NOT NULL AND owner = {NOBODY}"
    );
    Ok((listings, sql.count(&count, values![])?))
}
