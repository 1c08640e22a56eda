//! Deleting what is old: members without a game, the logs of rooms that closed long ago, and whole
//! partitions of events when nothing in them is kept.

use tokio_postgres::Error;

use super::{connection::Session, schema::make_partitions_ahead, values::signed};
use crate::limits::EVENT_PARTITION_ROOMS;

const PRUNE_MEMBERS: &str = "
    DELETE FROM member WHERE id IN (
        SELECT id FROM member WHERE NOT has_game AND NOT renewed AND seen_at < $1
        LIMIT $2 FOR UPDATE SKIP LOCKED
    )";

/// Nodes that prune at the same time take different rooms.
const PRUNE_LOGS: &str = "
    WITH old AS MATERIALIZED (
        SELECT id FROM room WHERE closed_at < $1 AND NOT forgotten
        ORDER BY closed_at LIMIT $2 FOR UPDATE SKIP LOCKED
    ), deleted AS (
        DELETE FROM event USING old WHERE event.room = old.id
    )
    UPDATE room SET forgotten = true, seq = 0 FROM old WHERE room.id = old.id";

/// The partitions of `event`, with the room at which each begins.
const SELECT_PARTITIONS: &str = "
    SELECT substring(c.relname FROM '^event_([0-9]+)$')::bigint
    FROM pg_inherits i JOIN pg_class c ON c.oid = i.inhrelid
    WHERE i.inhparent = 'fivefold.event'::regclass ORDER BY 1";

/// Whether no room from $1 on and before $2 has a log, and no later room will be one of them.
const IS_FORGOTTEN: &str = "
    SELECT NOT EXISTS (SELECT FROM room WHERE id >= $1 AND id < $2 AND NOT forgotten)
        AND EXISTS (SELECT FROM room WHERE id >= $2)";

/// # Errors
/// As the database.
pub(super) async fn prune_members(
    session: &Session,
    before: u64,
    members_max: usize,
) -> Result<u64, Error> {
    session.execute(PRUNE_MEMBERS, &[&signed(before), &limit(members_max)]).await
}

/// # Errors
/// As the database.
pub(super) async fn prune_logs(
    session: &Session,
    before: u64,
    rooms_max: usize,
) -> Result<u64, Error> {
    session.execute(PRUNE_LOGS, &[&signed(before), &limit(rooms_max)]).await
}

/// Makes partitions for the rooms to come, and drops those whose rooms are all forgotten.
///
/// # Errors
/// As the database; the rest is left for the next time.
pub(super) async fn tend_partitions(session: &Session) -> Result<(), Error> {
    make_partitions_ahead(session).await?;
    for row in session.query(SELECT_PARTITIONS, &[]).await? {
        let Some(partition) = row.try_get::<_, Option<i64>>(0)? else { continue };
        let bounds = (partition * EVENT_PARTITION_ROOMS, (partition + 1) * EVENT_PARTITION_ROOMS);
        if is_forgotten(session, bounds).await? {
            let begin = "LOCK TABLE fivefold.event IN ACCESS EXCLUSIVE MODE";
            session.transaction(begin, drop_partition(session, partition, bounds)).await?;
        }
    }
    Ok(())
}

/// Looks again, now that the lock has waited for all appends under way: one of them may have created
/// a room with an earlier number.
async fn drop_partition(
    session: &Session,
    partition: i64,
    bounds: (i64, i64),
) -> Result<(), Error> {
    if is_forgotten(session, bounds).await? {
        session
            .batch(&format!(
                "ALTER TABLE fivefold.event DETACH PARTITION fivefold.event_{partition}; \
                 DROP TABLE fivefold.event_{partition}"
            ))
            .await?;
        tracing::info!(partition, "a partition of old events is dropped");
    }
    Ok(())
}

async fn is_forgotten(session: &Session, (from, to): (i64, i64)) -> Result<bool, Error> {
    let rows = session.query(IS_FORGOTTEN, &[&from, &to]).await?;
    rows.first().map_or(Ok(false), |row| row.try_get(0))
}

fn limit(rows: usize) -> i64 {
    i64::try_from(rows).unwrap_or(i64::MAX)
}
