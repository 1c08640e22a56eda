//! Taking ownership of rooms.

use std::collections::{BTreeMap, HashMap};

use fivefold_shared::{
    clock::TimeOff,
    protocol::{MemberId, RoomCode},
};
use tokio_postgres::{Error, Row};

use super::{
    connection::Session,
    logs::{Logs, read_logs},
    schema::EVENT_FORMAT,
    values::unsigned,
};
use crate::{
    Claimed, DailyNews, Epoch, PlannedMoves, StorageError,
    accounts::daily_seats::PlaceNews,
    node_id::NodeId,
    sql::daily_seats::{HAS_NEWS, NEWS},
};

/// Raises the epoch. Its row lock waits for an append that is still under way. It matches nothing
/// for a node that is dead.
const CLAIM: &str = "
    WITH claimed AS (
        UPDATE room SET epoch = epoch + 1, owner = $2
        WHERE code = ANY($1::text[]) AND closed_at IS NULL AND format <= $3
            AND (owner = $2 OR NOT EXISTS (SELECT FROM node WHERE node.id = room.owner AND NOT dead))
            AND EXISTS (SELECT FROM node WHERE node.id = $2 AND NOT dead)
        RETURNING code, id, epoch, seq
    ), woken AS (
        DELETE FROM sleeping_room WHERE room IN (SELECT id FROM claimed) RETURNING room, empty_since
    ), listed AS (
        DELETE FROM sleeping_member WHERE room IN (SELECT id FROM claimed)
    )
    SELECT code, id, epoch, seq, empty_since FROM claimed LEFT JOIN woken ON woken.room = id";

/// Closes codes without a room, so that an append in doubt cannot create the room later. Waits for
/// one that creates it now.
const CLOSE_UNKNOWN: &str = "
    INSERT INTO room (code, owner, epoch, seq, format, closed_at, forgotten)
    SELECT code, $2, 0, 0, $3, 0, true FROM unnest($1::text[]) AS code
    ON CONFLICT DO NOTHING
    RETURNING code";

const SELECT_OWNERS: &str = "
    SELECT code, owner, closed_at IS NOT NULL, format > $2,
        EXISTS (SELECT FROM node WHERE node.id = room.owner AND NOT dead)
    FROM room WHERE code = ANY($1::text[])";

/// What claimed rooms have to learn about the players of their daily games.
fn select_news() -> String {
    format!(
        "SELECT room, member, {NEWS} FROM daily_seat
         WHERE room = ANY($1::bigint[]) AND ({HAS_NEWS} OR conditional_moves IS NOT NULL)"
    )
}

const SELECT_NODE: &str = "SELECT 1 FROM node WHERE id = $1 AND NOT dead";

/// A claim tries again when a room changed between its statements. Each time means that another
/// node died at that moment.
const TRIES_MAX: usize = 4;

/// Claims rooms for a node. The inner error means that the node is dead.
///
/// # Errors
/// As the database.
pub(super) async fn claim(
    session: &Session,
    rooms: &[RoomCode],
    node: NodeId,
) -> Result<Result<Vec<Claimed>, StorageError>, Error> {
    let owner = node.get().cast_signed();
    let mut claimed: HashMap<String, Claimed> = HashMap::new();
    let mut mine: Logs = BTreeMap::new();
    let mut epochs = BTreeMap::new();
    for _ in 0..TRIES_MAX {
        let is_open = |room: &&RoomCode| {
            !claimed.contains_key(room.as_str())
                && !mine.values().any(|(code, _)| code == room.as_str())
        };
        let left: Vec<_> = rooms.iter().filter(is_open).map(RoomCode::as_str).collect();
        if left.is_empty() {
            break;
        }
        for row in session.query(CLAIM, &[&left, &owner, &EVENT_FORMAT]).await? {
            let (code, id, epoch, seq): (String, i64, i64, i64) =
                (row.try_get(0)?, row.try_get(1)?, row.try_get(2)?, row.try_get(3)?);
            mine.insert(id, (code, unsigned(seq)));
            let empty_since: Option<i64> = row.try_get(4)?;
            epochs.insert(id, (Epoch(unsigned(epoch)), empty_since.map(unsigned)));
        }
        if mine.len() + claimed.len() == rooms.len() {
            break;
        }
        if session.query(SELECT_NODE, &[&owner]).await?.is_empty() {
            return Ok(Err(StorageError::Failed(format!("node {node} is declared dead"))));
        }
        let taken: Vec<_> = mine.values().map(|(code, _)| code.as_str()).collect();
        let left: Vec<_> = left.into_iter().filter(|code| !taken.contains(code)).collect();
        for row in session.query(CLOSE_UNKNOWN, &[&left, &owner, &EVENT_FORMAT]).await? {
            claimed.insert(row.try_get(0)?, Claimed::Closed);
        }
        for row in session.query(SELECT_OWNERS, &[&left, &EVENT_FORMAT]).await? {
            if let Some(answer) = not_mine(&row)? {
                claimed.insert(row.try_get(0)?, answer);
            }
        }
    }
    let mut news = read_news(session, mine.keys().copied().collect()).await?;
    let logs = read_logs(session, &mine).await?;
    let owned = mine.into_iter().zip(epochs.into_values());
    for (((id, (code, _)), (epoch, empty_since)), log) in owned.zip(logs) {
        let news = news.remove(&id).unwrap_or_default();
        claimed.insert(
            code,
            match log {
                Ok(log) => Claimed::Mine { epoch, log, empty_since, news },
                Err(problem) => Claimed::Damaged(problem.to_string()),
            },
        );
    }
    let answer = |room: &RoomCode| {
        let changed =
            || StorageError::Failed(format!("room {room} changes its owner again and again"));
        claimed.get(room.as_str()).cloned().ok_or_else(changed)
    };
    Ok(rooms.iter().map(answer).collect())
}

/// Why a room was not claimed; `None` if it can be by now.
fn not_mine(row: &Row) -> Result<Option<Claimed>, Error> {
    let (owner, is_closed, is_newer, is_alive): (i32, bool, bool, bool) =
        (row.try_get(1)?, row.try_get(2)?, row.try_get(3)?, row.try_get(4)?);
    let owner = NodeId::new(owner.cast_unsigned()).filter(|_| is_alive);
    Ok(match owner {
        _ if is_closed => Some(Claimed::Closed),
        _ if is_newer => Some(Claimed::Newer),
        Some(owner) => Some(Claimed::Elsewhere(owner)),
        None => None,
    })
}

/// What rooms have to learn about their players, by the numbers of the rooms.
async fn read_news(
    session: &Session,
    rooms: Vec<i64>,
) -> Result<HashMap<i64, Vec<(MemberId, DailyNews)>>, Error> {
    let mut news: HashMap<i64, Vec<_>> = HashMap::new();
    for row in session.query(&select_news(), &[&rooms]).await? {
        let member: String = row.try_get(1)?;
        let (from, until): (i64, i64) = (row.try_get(3)?, row.try_get(4)?);
        let place = PlaceNews {
            leaves: row.try_get(2)?,
            off: TimeOff { from: unsigned(from), until: unsigned(until) },
            is_off_new: row.try_get(5)?,
            moves: PlannedMoves { number: unsigned(row.try_get(6)?), moves: row.try_get(7)? },
            are_moves_new: row.try_get(8)?,
        };
        // What is no member id was never one of a player.
        let Ok(member) = MemberId::try_from(member) else { continue };
        let place = place.for_next_owner().into_iter().map(|news| (member.clone(), news));
        news.entry(row.try_get(0)?).or_default().extend(place);
    }
    Ok(news)
}
