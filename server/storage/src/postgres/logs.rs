//! Reading the logs of rooms.

use std::collections::BTreeMap;

use fivefold_shared::{protocol::RoomCode, room::Entry};
use tokio_postgres::{Error, Row};

use super::{connection::Session, values::unsigned};
use crate::{
    StorageError,
    values::{self, missing_event},
};

const SELECT_LOGS: &str = "
    SELECT room, seq, at, member, command, event FROM event
    WHERE room = ANY($1::bigint[]) ORDER BY room, seq";

const SELECT_ROOM: &str = "SELECT id, seq FROM room WHERE code = $1";

/// The log of one room; empty for a room that is not there.
///
/// # Errors
/// As the database; the inner error means that the log is damaged.
pub(super) async fn read_log(
    session: &Session,
    room: &RoomCode,
) -> Result<Result<Vec<Entry>, StorageError>, Error> {
    let found = session.query(SELECT_ROOM, &[&room.as_str()]).await?;
    let Some(row) = found.first() else { return Ok(Ok(Vec::new())) };
    let seq = unsigned(row.try_get(1)?);
    let room = (room.as_str().to_owned(), seq);
    let mut logs = read_logs(session, &BTreeMap::from([(row.try_get(0)?, room)])).await?;
    Ok(logs.pop().unwrap_or_else(|| Ok(Vec::new())))
}

/// Rooms whose logs are to be read, by their number in the database: the code, and the number of the
/// last event.
pub(super) type Logs = BTreeMap<i64, (String, u64)>;

/// The logs of these rooms. The inner error means that a log is damaged.
///
/// # Errors
/// As the database.
pub(super) async fn read_logs(
    session: &Session,
    rooms: &Logs,
) -> Result<Vec<Result<Vec<Entry>, StorageError>>, Error> {
    if rooms.is_empty() {
        return Ok(Vec::new());
    }
    let ids: Vec<_> = rooms.keys().copied().collect();
    let mut logs: BTreeMap<i64, Vec<Result<Entry, StorageError>>> =
        ids.iter().map(|id| (*id, Vec::new())).collect();
    for row in session.query(SELECT_LOGS, &[&ids]).await? {
        logs.entry(row.try_get(0)?).or_default().push(entry(&row)?);
    }
    let check = |((code, seq), entries): (&(String, u64), _)| whole(code, *seq, entries);
    Ok(rooms.values().zip(logs.into_values()).map(check).collect())
}

/// A log, if it ends with this number and has no gap.
fn whole(
    room: &str,
    seq: u64,
    entries: Vec<Result<Entry, StorageError>>,
) -> Result<Vec<Entry>, StorageError> {
    let log: Vec<_> = entries.into_iter().collect::<Result<_, _>>()?;
    let mut numbers = log.iter().map(|entry| entry.event.seq);
    match (1..=seq).find(|due| numbers.next() != Some(*due)) {
        Some(due) => Err(missing_event(room, due)),
        None if numbers.next().is_some() => Err(missing_event(room, seq + 1)),
        None => Ok(log),
    }
}

/// The entry in a row of room, seq, at, member, command and event. The inner error means that it is
/// damaged.
fn entry(row: &Row) -> Result<Result<Entry, StorageError>, Error> {
    let number = (unsigned(row.try_get(1)?), unsigned(row.try_get(2)?));
    Ok(values::entry(number, (row.try_get(3)?, row.try_get(4)?), row.try_get(5)?))
}
