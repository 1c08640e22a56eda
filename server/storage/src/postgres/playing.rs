//! The table of who plays in rooms of paired players. A member has at most one row in it, so nobody
//! begins a second game, whatever the nodes believe.
//!
//! The statement of an append changes it (`append.rs`). This reads it, and derives it from logs.

use std::collections::{BTreeMap, BTreeSet};

use fivefold_shared::{
    room::{Entry, RoomState},
    seat::Seat,
};
use tokio_postgres::{Error, error::SqlState};

use super::{
    connection::Session,
    logs::{Logs, read_logs},
    rooms::playing,
    sql,
    values::unsigned,
};
use crate::{Append, NowPlaying, Playing, StorageError};

const SELECT_ELSEWHERE: &str = "
    SELECT member, room, seat FROM playing WHERE member IN ($1, $2) AND room <> $3
    ORDER BY member LIMIT 1";

const SELECT_PLAYERS: &str = "
    SELECT room, member, seat FROM playing WHERE room = ANY($1::text[])";

/// The open rooms that were made for paired players.
const SELECT_PAIRED: &str = "
    SELECT room.id, room.code, room.seq FROM room
    JOIN event AS first ON first.room = room.id AND first.seq = 1
    WHERE closed_at IS NULL AND strpos(first.event, '\"paired\":true') > 0";

const INSERT: &str = "
    INSERT INTO playing (member, room, seat) VALUES ($1, $2, $3) ON CONFLICT DO NOTHING";

/// Rooms whose logs are read at a time.
const PART: usize = 200;

/// Players as they are stored: the member and the seat.
pub(super) type Players = BTreeSet<(String, String)>;

/// Whether a statement has failed because one who was to play is in the game of another room: it
/// writes a null there then, which the column refuses.
pub(super) fn is_refused(error: &Error) -> bool {
    error.as_db_error().is_some_and(|db| {
        *db.code() == SqlState::NOT_NULL_VIOLATION && db.table() == Some("playing")
    })
}

/// The game in another room of one who is to play after this append. The inner error means that its
/// row is damaged.
///
/// # Errors
/// As the database.
pub(super) async fn elsewhere(
    session: &Session,
    append: &Append,
) -> Result<Option<Result<Playing, StorageError>>, Error> {
    let NowPlaying::These(players) = append.now_playing() else { return Ok(None) };
    let (first, second) = (players.first.as_str(), players.second.as_str());
    let rows = session.query(SELECT_ELSEWHERE, &[&first, &second, &append.room.as_str()]).await?;
    Ok(rows.first().map(sql::row).transpose()?.map(|mut row| playing(&mut row)))
}

/// The players in the table, by room.
///
/// # Errors
/// As the database.
pub(super) async fn by_rooms(
    session: &Session,
    rooms: &[&str],
) -> Result<BTreeMap<String, Players>, Error> {
    let mut players: BTreeMap<String, Players> = BTreeMap::new();
    for row in session.query(SELECT_PLAYERS, &[&rooms]).await? {
        let player = (row.try_get(1)?, row.try_get(2)?);
        players.entry(row.try_get(0)?).or_default().insert(player);
    }
    Ok(players)
}

/// The players that the table must have for an open room with this log.
pub(super) fn by_log(log: &[Entry]) -> Players {
    let state = RoomState::from_log(log.iter().map(|entry| &entry.event));
    let Some(players) = state.ok().and_then(|state| state.paired_players()) else {
        return Players::new();
    };
    Seat::BOTH.map(|seat| (players[seat].to_string(), seat.to_string())).into()
}

/// Fills the table by the logs of open rooms. It is left as it is for a room whose log is damaged.
///
/// # Errors
/// As the database.
pub(super) async fn fill(session: &Session) -> Result<(), Error> {
    let mut rooms = Vec::new();
    for row in session.query(SELECT_PAIRED, &[]).await? {
        rooms.push((row.try_get(0)?, (row.try_get(1)?, unsigned(row.try_get(2)?))));
    }
    for part in rooms.chunks(PART) {
        let part: Logs = part.iter().cloned().collect();
        let logs = read_logs(session, &part).await?;
        for ((code, _), log) in part.values().zip(logs) {
            for (member, seat) in by_log(&log.unwrap_or_default()) {
                session.execute(INSERT, &[&member, code, &seat]).await?;
            }
        }
    }
    Ok(())
}
