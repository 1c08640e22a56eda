//! The registry of nodes in PostgreSQL: who has joined, and who is dead.
//!
//! It has a connection of its own, so that a slow commit delays no heartbeat.

use std::{collections::BTreeMap, sync::Arc, thread, time::Instant};

use super::{
    DatabaseUrl, OpenError,
    address::Address,
    connection::{Connection, Role, Session},
    other_versions::{Rival, names, rivals},
    schema::EVENT_FORMAT,
    values::{node_number, signed, unsigned},
};
use crate::{
    StorageError,
    limits::{DATABASE_HEARTBEAT_WITHIN, SOLE_NODE_HEARTBEAT, SOLE_NODE_WATCHES},
    node_id::NodeId,
    node_name::NodeName,
    registry::{BUS_VERSION, JoinError, LivingNode, NO_BUS, NodeReport, Pulse, Registry},
};

/// A number is used up even if its node never lives. It must survive a crash: otherwise a later node
/// would get the same.
const JOIN: &str = "
    INSERT INTO node (name, format, bus_min, bus_max)
    VALUES ($3, $1, $2, $2) RETURNING id";

const SELECT_NAMES: &str = "SELECT id, name FROM node";

/// A dead node whose row is gone stays dead.
const DELETE_DEAD: &str = "DELETE FROM node WHERE dead";

/// A heartbeat, and what follows from those of others, need not survive the server, so they wait for
/// no disk. The setting ends with the statement: no session has it, so no pooler can give it to
/// somebody else's commit.
const BEAT: &str = "
    WITH beat AS (
        UPDATE node SET heartbeat = heartbeat + 1, sees_bus = $2, rooms = $3, draining = $4
        WHERE id = $1 AND NOT dead AND set_config('synchronous_commit', 'off', true) = 'off'
        RETURNING *
    ), living AS (
        SELECT * FROM beat UNION ALL SELECT * FROM node WHERE NOT dead AND id <> $1
    )
    SELECT id, heartbeat, sees_bus, rooms, draining,
        (extract(epoch FROM clock_timestamp()) * 1000)::bigint
    FROM living ORDER BY id";

const SELECT_TIME: &str = "SELECT (extract(epoch FROM clock_timestamp()) * 1000)::bigint";

const DECLARE_DEAD: &str = "
    UPDATE node SET dead = true WHERE id = $1 AND heartbeat = $2 AND NOT dead
        AND set_config('synchronous_commit', 'off', true) = 'off'";

const IS_ALIVE: &str = "SELECT 1 FROM node WHERE id = $1 AND NOT dead";

const RETIRE: &str = "
    UPDATE node SET dead = true
    WHERE id = $1 AND set_config('synchronous_commit', 'off', true) = 'off'";

/// The nodes that share a PostgreSQL database.
#[derive(Debug)]
pub struct PostgresRegistry {
    connection: Connection,
    /// Of this node.
    node_name: NodeName,
}

impl PostgresRegistry {
    /// The registry of a database that has its tables. It connects when it is first used.
    ///
    /// # Errors
    /// If the address is unusable.
    pub fn open(url: &DatabaseUrl) -> Result<Self, OpenError> {
        let address = Arc::new(Address::parse(url)?);
        let connection = super::connection::open(&address, Role::Heartbeat)
            .map_err(|error| OpenError::Storage { path: address.name.clone(), error })?;
        Ok(Self { connection, node_name: NodeName::of_host() })
    }

    /// Gives this node a name that is not its host's.
    #[must_use]
    pub fn named(self, node_name: NodeName) -> Self {
        Self { node_name, ..self }
    }

    /// Hosts and database, for messages: no password.
    pub(super) fn name(&self) -> &str {
        &self.connection.address().name
    }

    /// Joins as the only server of the database.
    ///
    /// # Errors
    /// If any other server uses the database, or it does not answer.
    pub(super) fn join_alone(&mut self) -> Result<NodeId, JoinError> {
        self.join_as(NO_BUS)
    }

    /// Adds the row first, so that of two servers that start together one sees the other.
    fn join_as(&mut self, bus: i32) -> Result<NodeId, JoinError> {
        let id = self.add(bus)?;
        let outlived = self.outlive_rivals(id, bus == NO_BUS);
        if outlived.is_err()
            && let Err(error) = self.retire(id)
        {
            tracing::warn!(%error, "the next server must wait a moment");
        }
        outlived.map(|()| id)
    }

    fn add(&mut self, bus: i32) -> Result<NodeId, StorageError> {
        let node_name = self.node_name.clone();
        let id = self.commit(&async |session| {
            let join = async {
                session.execute(DELETE_DEAD, &[]).await?;
                let rows = session.query(JOIN, &[&EVENT_FORMAT, &bus, &node_name.as_str()]).await?;
                rows.first().map_or(Ok(0), |row| row.try_get(0))
            };
            session.transaction("SET LOCAL synchronous_commit = on", join).await
        })?;
        let no_number = || StorageError::Failed(format!("{id} is no number of a node"));
        NodeId::new(i32::cast_unsigned(id)).ok_or_else(no_number)
    }

    /// Declares rivals dead whose heartbeat stands still.
    fn outlive_rivals(&mut self, me: NodeId, are_all: bool) -> Result<(), JoinError> {
        let first = self.rivals(me, are_all)?;
        if first.is_empty() {
            return Ok(());
        }
        tracing::info!("another server was here lately; waiting to see whether it lives");
        let begun = Instant::now();
        while begun.elapsed() < SOLE_NODE_WATCHES {
            thread::sleep(SOLE_NODE_HEARTBEAT);
            if self.heartbeat(me, NodeReport::default())? == Pulse::Dead {
                let reason = "another server starts, too".to_owned();
                return Err(StorageError::Failed(reason).into());
            }
            let mut living = self.rivals(me, are_all)?;
            living.retain(|rival| !first.contains(rival));
            if !living.is_empty() {
                return Err(in_use(&living));
            }
        }
        for rival in first {
            if !self.declare_dead(rival.id, rival.heartbeat)? {
                return Err(in_use(&[rival]));
            }
        }
        Ok(())
    }

    fn rivals(&mut self, me: NodeId, are_all: bool) -> Result<Vec<Rival>, StorageError> {
        self.commit(&async |session| rivals(session, Some(me), are_all).await)
    }

    fn commit<T>(
        &mut self,
        work: &impl AsyncFn(&Session) -> Result<T, tokio_postgres::Error>,
    ) -> Result<T, StorageError> {
        self.connection.commit(DATABASE_HEARTBEAT_WITHIN, work)
    }
}

impl Registry for PostgresRegistry {
    fn join(&mut self) -> Result<NodeId, JoinError> {
        self.join_as(BUS_VERSION)
    }

    fn now(&mut self) -> Result<Option<u64>, StorageError> {
        let mut now = 0;
        // The first question takes longer, as its statement is prepared.
        for _ in 0..2 {
            let begun = Instant::now();
            let time: i64 = self.commit(&async |session| {
                let rows = session.query(SELECT_TIME, &[]).await?;
                rows.first().map_or(Ok(0), |row| row.try_get(0))
            })?;
            now = unsigned(time) + half_since(begun);
        }
        Ok(Some(now))
    }

    fn names(&mut self) -> Result<BTreeMap<NodeId, String>, StorageError> {
        self.commit(&async |session| {
            let mut names = BTreeMap::new();
            for row in session.query(SELECT_NAMES, &[]).await? {
                let id: i32 = row.try_get(0)?;
                if let Some(id) = NodeId::new(id.cast_unsigned()) {
                    names.insert(id, row.try_get(1)?);
                }
            }
            Ok(names)
        })
    }

    fn heartbeat(&mut self, node: NodeId, report: NodeReport) -> Result<Pulse, StorageError> {
        let NodeReport { sees_bus, rooms, draining } = report;
        let (id, rooms) = (node_number(node), i64::from(rooms));
        let begun = Instant::now();
        let (living, time) = self.commit(&async |session| {
            let rows = session.query(BEAT, &[&id, &sees_bus, &rooms, &draining]).await?;
            let (mut living, mut time) = (Vec::new(), 0);
            for row in rows {
                let id: i32 = row.try_get(0)?;
                let Some(id) = NodeId::new(id.cast_unsigned()) else { continue };
                let rooms: i64 = row.try_get(3)?;
                let report = NodeReport {
                    sees_bus: row.try_get(2)?,
                    rooms: u32::try_from(rooms).unwrap_or(u32::MAX),
                    draining: row.try_get(4)?,
                };
                living.push(LivingNode { id, heartbeat: unsigned(row.try_get(1)?), report });
                time = unsigned(row.try_get(5)?);
            }
            Ok((living, time))
        })?;
        let now = Some(time + half_since(begun));
        let is_alive = living.iter().any(|row| row.id == node);
        Ok(if is_alive { Pulse::Alive { living, now } } else { Pulse::Dead })
    }

    fn declare_dead(&mut self, node: NodeId, seen: u64) -> Result<bool, StorageError> {
        let (id, seen) = (node_number(node), signed(seen));
        self.commit(&async |session| {
            session.execute(DECLARE_DEAD, &[&id, &seen]).await?;
            Ok(session.query(IS_ALIVE, &[&id]).await?.is_empty())
        })
    }

    fn retire(&mut self, node: NodeId) -> Result<(), StorageError> {
        let id = node_number(node);
        self.commit(&async |session| session.execute(RETIRE, &[&id]).await.map(drop))
    }
}

/// Why a node cannot join while rivals are alive.
fn in_use(rivals: &[Rival]) -> JoinError {
    if rivals.iter().all(|rival| rival.has_bus) {
        JoinError::OtherVersion { nodes: names(rivals) }
    } else {
        JoinError::InUse
    }
}

/// Half of the time since then in milliseconds: about how long an answer was under way.
fn half_since(begun: Instant) -> u64 {
    u64::try_from(begun.elapsed().as_millis() / 2).unwrap_or(u64::MAX)
}
