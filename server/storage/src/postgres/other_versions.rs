//! Finds servers that use the database but cannot share it with this one: nodes of another version of the bus, and
//! servers without a bus.
//!
//! Nodes that understand each other keep sharing a database while one of them upgrades its tables, because a migration
//! only adds. If other nodes are running, the tables must not change: those nodes could not start again.

use std::{thread, time::Instant};

use tokio_postgres::Error;

use super::{
    connection::{Connection, Session},
    format::format,
    schema::FORMAT,
    values::{node_number, unsigned},
};
use crate::{
    OpenError,
    limits::{DATABASE_READ_WITHIN, SOLE_NODE_HEARTBEAT, SOLE_NODE_WATCHES},
    node_id::NodeId,
    open_error::shown,
    registry::BUS_VERSION,
};

/// Living servers that cannot share the database with this one: all, or those with another version of the bus. Servers
/// without a bus have version 0.
const SELECT: &str = "
    SELECT id, heartbeat, bus_max > 0, name FROM fivefold.node
    WHERE NOT dead AND id <> $1 AND ($2 OR bus_min > $3 OR bus_max < $3) ORDER BY id";

/// A server that cannot share the database with this one. It is alive while its heartbeat advances.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Rival {
    pub(super) id: NodeId,
    pub(super) heartbeat: u64,
    pub(super) has_bus: bool,
    name: String,
}

/// The rivals of this server, which may itself have joined: all other servers, or those that do not understand it.
///
/// # Errors
/// As the database.
pub(super) async fn rivals(
    session: &Session,
    me: Option<NodeId>,
    are_all: bool,
) -> Result<Vec<Rival>, Error> {
    let me = me.map_or(0, node_number);
    let mut rivals = Vec::new();
    for row in session.query(SELECT, &[&me, &are_all, &BUS_VERSION]).await? {
        let id: i32 = row.try_get(0)?;
        let Some(id) = NodeId::new(id.cast_unsigned()) else { continue };
        let (heartbeat, has_bus) = (unsigned(row.try_get(1)?), row.try_get(2)?);
        let name = shown(row.try_get(3)?);
        rivals.push(Rival { id, heartbeat, has_bus, name });
    }
    Ok(rivals)
}

/// The names of nodes, for people.
pub(super) fn names(rivals: &[Rival]) -> String {
    rivals.iter().map(|rival| rival.name.as_str()).collect::<Vec<_>>().join(", ")
}

/// Checks whether the tables may be upgraded, if they must be. If a server was killed, it takes two seconds to find
/// out.
///
/// # Errors
/// If servers that do not understand this one use the tables, or the database does not answer.
pub(super) fn look(connection: &mut Connection) -> Result<(), OpenError> {
    let database = connection.address().name.clone();
    let failed = |error| OpenError::Storage { path: database.clone(), error };
    let format = connection.read(DATABASE_READ_WITHIN, &format).map_err(failed)?;
    if !(1..FORMAT).contains(&format) {
        return Ok(());
    }
    let rivals = async |session: &Session| rivals(session, None, false).await;
    let first = connection.read(DATABASE_READ_WITHIN, &rivals).map_err(failed)?;
    let begun = Instant::now();
    while !first.is_empty() && begun.elapsed() < SOLE_NODE_WATCHES {
        thread::sleep(SOLE_NODE_HEARTBEAT);
        let mut living = connection.read(DATABASE_READ_WITHIN, &rivals).map_err(failed)?;
        living.retain(|rival| !first.contains(rival));
        if living.is_empty() {
            continue;
        }
        return Err(if living.iter().all(|rival| rival.has_bus) {
            OpenError::OtherVersions { database, nodes: names(&living) }
        } else {
            OpenError::DatabaseInUse { database }
        });
    }
    Ok(())
}
