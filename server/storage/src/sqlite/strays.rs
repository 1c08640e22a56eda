//! Events and games in a file that are filed under a room whose log does not have them. They are taken out, so that
//! the room stays as it is.

use std::collections::BTreeSet;

use fivefold_shared::room::RoomState;
use rusqlite::Connection;

use super::{
    cells::{self, Mended},
    schema::CLOSED_WITHOUT_LOG,
};
use crate::{StorageError, sqlite::read_log, values::name};

/// Takes out what is in the log of no room, if the log of this room is whole without it.
pub(crate) fn take_out(
    connection: &Connection,
    room: i64,
    mended: &mut Mended,
) -> Result<(), StorageError> {
    match take_out_events(connection, room, mended)
        .and_then(|()| take_out_games(connection, room, mended))
    {
        // The room is damaged itself.
        Err(StorageError::Damaged(_)) => Ok(()),
        result => result,
    }
}

fn take_out_events(
    connection: &Connection,
    room: i64,
    mended: &mut Mended,
) -> Result<(), StorageError> {
    let mut tail = connection.prepare_cached("SELECT state, seq, last FROM room WHERE id = ?")?;
    let (state, seq, last): (i64, i64, i64) =
        tail.query_row((room,), |row| Ok((row.get(0)?, row.get(1)?, row.get(2)?)))?;
    let log = if state == i64::from(CLOSED_WITHOUT_LOG) {
        BTreeSet::new()
    } else {
        match events_in_log(connection, room, seq, last)? {
            Some(log) => log,
            None => return Ok(()),
        }
    };
    let mut select =
        connection.prepare_cached("SELECT id, seq, previous FROM event WHERE room = ?")?;
    let rows = select.query_map((room,), |row| Ok((row.get(0)?, row.get(1)?, row.get(2)?)))?;
    let events: Vec<(i64, i64, i64)> = rows.collect::<Result<_, _>>()?;
    let strays: Vec<_> = events.into_iter().filter(|(id, ..)| !log.contains(id)).collect();
    // The room has forgotten the end of its log.
    if !log.is_empty() && strays.iter().any(|(_, at, before)| *at == seq + 1 && *before == last) {
        return Ok(());
    }
    for (id, ..) in strays {
        cells::take_out(connection, "event", "id = ?", (id,), mended)?;
    }
    Ok(())
}

/// The events of a log that is whole.
fn events_in_log(
    connection: &Connection,
    room: i64,
    seq: i64,
    last: i64,
) -> Result<Option<BTreeSet<i64>>, StorageError> {
    let mut select = connection
        .prepare_cached("SELECT previous FROM event WHERE id = ? AND room = ? AND seq = ?")?;
    let (mut log, mut place) = (BTreeSet::new(), last);
    for due in (1..=seq).rev() {
        let mut rows = select.query((place, room, due))?;
        let Some(row) = rows.next()? else { return Ok(None) };
        log.insert(place);
        place = row.get(0)?;
    }
    Ok(Some(log))
}

/// Takes out the games that are not in the room's log, if all that are in it are there.
fn take_out_games(
    connection: &Connection,
    room: i64,
    mended: &mut Mended,
) -> Result<(), StorageError> {
    let (code, state): (String, i64) = connection
        .prepare_cached("SELECT code, state FROM room WHERE id = ?")?
        .query_row((room,), |row| Ok((row.get(0)?, row.get(1)?)))?;
    if state == i64::from(CLOSED_WITHOUT_LOG) {
        return Ok(());
    }
    let log = read_log(connection, &name(code)?)?;
    let Ok(logged) = RoomState::finished_games(log.iter().map(|entry| &entry.event)) else {
        return Ok(());
    };
    let logged: BTreeSet<_> = logged.iter().map(|game| game.id.as_str()).collect();
    let mut select = connection.prepare_cached("SELECT id, code FROM game WHERE room = ?")?;
    let rows = select.query_map((room,), |row| {
        Ok((row.get(0)?, String::from_utf8_lossy(row.get_ref(1)?.as_bytes()?).into_owned()))
    })?;
    let games: Vec<(i64, String)> = rows.collect::<Result<_, _>>()?;
    let (own, strays): (Vec<_>, Vec<_>) =
        games.into_iter().partition(|(_, code)| logged.contains(code.as_str()));
    if own.len() == logged.len() {
        for (id, _) in strays {
            cells::take_out(connection, "player", "game = ?", (id,), mended)?;
            cells::take_out(connection, "game", "id = ?", (id,), mended)?;
        }
    }
    Ok(())
}
