//! The storage in a PostgreSQL database, which several nodes may share.
//!
//! The trait blocks, so each connection drives its own small runtime inside the thread that calls
//! it. An append is one statement, and what both databases understand (`../sql.rs`) runs as short
//! statements in a transaction. When a commit returns, it is as durable as the database's
//! `synchronous_commit` makes it. Nothing about rooms is kept in memory.

mod address;
mod append;
mod check;
mod claim;
mod connection;
mod format;
#[cfg(test)]
mod games;
mod logs;
mod migrate;
mod name_keys;
mod other_versions;
mod ownership;
mod playing;
mod pooler;
mod puzzle_check;
mod ratings;
mod reader;
mod registry;
mod retention;
mod rooms;
mod schema;
mod sole_node;
mod sql;
mod standby;
mod values;

use std::{collections::HashSet, sync::Arc};

use fivefold_shared::{
    protocol::{GameId, MemberId, RoomCode},
    room::Entry,
};

use self::{
    address::Address,
    append::{Group, begins_game},
    connection::{Connection, Role, connect_error, open},
    reader::PostgresSource,
    schema::{Database, EVENT_FORMAT, FORMAT},
    standby::Standby,
    values::signed,
};
pub use self::{
    address::DatabaseUrl,
    check::check_postgres,
    migrate::{MigrateError, Migrated, migrate, migrate_to_file},
    registry::PostgresRegistry,
    rooms::PostgresRooms,
    sole_node::SoleNode,
};
use super::{
    AccountChange, AccountChanged, Append, Appended, Claimed, CollectionChange, CollectionChanged,
    IdentityHash, KnownMember, ModerationChange, ModerationChanged, OpenError, PoolRating,
    PushChange, PushChanged, PuzzleAttempt, PuzzleCounted, ReplicaLag, Storage, StorageError,
    StorageReader, Undone,
    ratings::{known_ratings::KnownRatings, rated_members},
    values::name,
};
use crate::{
    limits::{
        DATABASE_ANSWER_WITHIN, DATABASE_MAINTENANCE_WITHIN, DATABASE_READ_WITHIN, DATABASE_READERS,
    },
    node_id::NodeId,
    sql::{
        Sql, accounts, collections, moderation, pushes, puzzles, sleeping_rooms,
        source::DatabaseReader,
    },
};

/// Rooms that a node may claim: not those whose events a newer server has written. Rooms that sleep have the owner
/// -1.
const SELECT_ORPHANS: &str = "
    SELECT code FROM room WHERE closed_at IS NULL AND format <= $1 AND owner >= 0
        AND NOT EXISTS (SELECT FROM node WHERE node.id = room.owner AND NOT dead)
    LIMIT $2";

const UPDATE_MEMBERS: &str = "
    UPDATE member SET name = m.name, seen_at = m.seen_at FROM (
        SELECT DISTINCT ON (id) * FROM unnest($1::text[], $2::bytea[], $3::text[], $4::bigint[])
            WITH ORDINALITY AS m (id, hash, name, seen_at, number)
        ORDER BY id, number DESC
    ) AS m
    WHERE member.id = m.id AND member.hash = m.hash";

const REPLACE_IDENTITY: &str = "
    UPDATE member SET hash = $3, renewed = true WHERE id = $1 AND hash = $2
        AND NOT EXISTS (SELECT FROM member WHERE hash = $3)";

const HAS_IDENTITY: &str = "SELECT 1 FROM member WHERE id = $1 AND hash = $2";

/// A PostgreSQL database.
#[derive(Debug)]
pub struct Postgres {
    writer: Connection,
    /// A standby for finished games.
    standby: Option<Standby>,
    known_ratings: KnownRatings<PoolRating>,
}

impl Postgres {
    /// Opens a database, and creates the tables where there are none. Finished games are read from
    /// the replica, if one is given, answers, and has them.
    ///
    /// Blocks; call it outside of a runtime.
    ///
    /// # Errors
    /// When the database cannot be used, or is of a newer format; it is then left as it is. The
    /// replica may be away.
    pub fn open(url: &DatabaseUrl, replica: Option<&DatabaseUrl>) -> Result<Self, OpenError> {
        let address = Arc::new(Address::parse(url)?);
        let replica = replica.map(Address::parse).transpose()?.map(Arc::new);
        pooler::look(&address)?;
        let mut writer = open(&address, Role::Writer)
            .map_err(|error| OpenError::Storage { path: address.name.clone(), error })?;
        writer.connect().map_err(|error| connect_error(&address, &error))?;
        ownership::look(&mut writer)?;
        other_versions::look(&mut writer)?;
        let found = writer
            .commit(DATABASE_MAINTENANCE_WITHIN, &async |session| schema::prepare(session).await);
        let database = address.name.clone();
        match found {
            Ok(Database::Ready) => {
                let standby =
                    replica.map(|replica| Standby::watch(&address, replica)).transpose()?;
                Ok(Self { writer, standby, known_ratings: KnownRatings::default() })
            }
            Ok(Database::OldServer(version)) => {
                Err(OpenError::OldServer { database, found: version / 10_000 })
            }
            Ok(Database::Newer(found, version)) => Err(OpenError::Newer {
                path: database,
                found: found.cast_unsigned(),
                known: FORMAT.cast_unsigned(),
                version,
            }),
            Err(error) => Err(OpenError::Storage { path: database, error }),
        }
    }

    /// Hosts and database, for messages: no password.
    pub fn name(&self) -> &str {
        &self.writer.address().name
    }

    /// Appends of different rooms, or one alone that begins a game of paired players.
    fn append_group(&mut self, batch: &[Append]) -> Result<Vec<Appended>, StorageError> {
        if let [Append { sleeps: Some(_), .. }, ..] = batch {
            return self.writer.transact(DATABASE_ANSWER_WITHIN, &mut |sql| {
                let asleep =
                    batch.iter().filter_map(|append| Some((append, append.sleeps.as_ref()?)));
                asleep
                    .map(|(append, sleep)| sleeping_rooms::fall_asleep(sql, append, sleep))
                    .collect()
            });
        }
        let group = Group::of(batch)?;
        let known = &self.known_ratings;
        self.writer.commit(DATABASE_ANSWER_WITHIN, &async |session| {
            append::append(session, batch, &group, known).await
        })?
    }
}

impl Storage for Postgres {
    fn unattended(&mut self, due: u64, rooms_max: usize) -> Result<Vec<RoomCode>, StorageError> {
        let max = signed(rooms_max as u64);
        let codes: Vec<String> = self.writer.read(DATABASE_READ_WITHIN, &async |session| {
            let rows = session.query(SELECT_ORPHANS, &[&EVENT_FORMAT, &max]).await?;
            rows.iter().map(|row| row.try_get(0)).collect()
        })?;
        let mut rooms: Vec<_> = codes.into_iter().map(name).collect::<Result<_, _>>()?;
        let left = rooms_max - rooms.len();
        let due = &mut |sql: &dyn Sql| sleeping_rooms::due(sql, due, left);
        rooms.extend(self.writer.select(DATABASE_READ_WITHIN, due)?);
        Ok(rooms)
    }

    fn claim(&mut self, rooms: &[RoomCode], node: NodeId) -> Result<Vec<Claimed>, StorageError> {
        self.writer.commit(DATABASE_READ_WITHIN, &async |session| {
            claim::claim(session, rooms, node).await
        })?
    }

    fn append(&mut self, batch: &[Append]) -> Result<Vec<Appended>, StorageError> {
        let mut answers = Vec::with_capacity(batch.len());
        for group in groups(batch) {
            match self.append_group(group) {
                Ok(some) => answers.extend(some),
                // What came before is stored.
                Err(StorageError::Failed(reason)) if !answers.is_empty() => {
                    return Err(StorageError::InDoubt(reason));
                }
                Err(error) => return Err(error),
            }
        }
        Ok(answers)
    }

    fn undo_ratings(&mut self, game: &GameId, at: u64) -> Result<Undone, StorageError> {
        self.writer.commit(DATABASE_ANSWER_WITHIN, &async |session| {
            ratings::undo(session, game, at).await
        })?
    }

    fn count_puzzle(&mut self, attempt: &PuzzleAttempt) -> Result<PuzzleCounted, StorageError> {
        self.writer.transact(DATABASE_ANSWER_WITHIN, &mut |sql| puzzles::count(sql, attempt))
    }

    fn update_members(&mut self, members: &[KnownMember]) -> Result<(), StorageError> {
        let id: Vec<_> = members.iter().map(|member| member.id.as_str()).collect();
        let hash: Vec<_> = members.iter().map(|member| member.hash.0.as_slice()).collect();
        let name: Vec<_> = members.iter().map(|member| member.name.as_str()).collect();
        let seen_at: Vec<_> = members.iter().map(|member| signed(member.seen_at)).collect();
        self.writer.commit(DATABASE_ANSWER_WITHIN, &async |session| {
            session.execute(UPDATE_MEMBERS, &[&id, &hash, &name, &seen_at]).await.map(drop)
        })
    }

    fn replace_identity(
        &mut self,
        member: &MemberId,
        old: IdentityHash,
        new: IdentityHash,
    ) -> Result<bool, StorageError> {
        let (member, old, new) = (member.as_str(), old.0.as_slice(), new.0.as_slice());
        self.writer.commit(DATABASE_ANSWER_WITHIN, &async |session| {
            session.execute(REPLACE_IDENTITY, &[&member, &old, &new]).await?;
            Ok(!session.query(HAS_IDENTITY, &[&member, &new]).await?.is_empty())
        })
    }

    fn change_account(&mut self, change: &AccountChange) -> Result<AccountChanged, StorageError> {
        self.writer.transact(DATABASE_ANSWER_WITHIN, &mut |sql| accounts::change(sql, change))
    }

    fn moderate(&mut self, change: &ModerationChange) -> Result<ModerationChanged, StorageError> {
        self.writer.transact(DATABASE_ANSWER_WITHIN, &mut |sql| moderation::change(sql, change))
    }

    fn change_pushes(&mut self, change: &PushChange) -> Result<PushChanged, StorageError> {
        self.writer.transact(DATABASE_ANSWER_WITHIN, &mut |sql| pushes::change(sql, change))
    }

    fn change_collection(
        &mut self,
        change: &CollectionChange,
    ) -> Result<CollectionChanged, StorageError> {
        self.writer.transact(DATABASE_ANSWER_WITHIN, &mut |sql| collections::change(sql, change))
    }

    fn prune_moderation(&mut self, now: u64, rows_max: usize) -> Result<usize, StorageError> {
        self.writer
            .transact(DATABASE_ANSWER_WITHIN, &mut |sql| moderation::prune(sql, now, rows_max))
    }

    fn prune_accounts(&mut self, now: u64, rows_max: usize) -> Result<usize, StorageError> {
        self.writer.transact(DATABASE_ANSWER_WITHIN, &mut |sql| accounts::prune(sql, now, rows_max))
    }

    fn prune_collections(&mut self, rows_max: usize) -> Result<usize, StorageError> {
        self.writer.transact(DATABASE_ANSWER_WITHIN, &mut |sql| collections::prune(sql, rows_max))
    }

    fn prune_members(&mut self, before: u64, members_max: usize) -> Result<usize, StorageError> {
        let pruned = self.writer.commit(DATABASE_ANSWER_WITHIN, &async |session| {
            retention::prune_members(session, before, members_max).await
        })?;
        Ok(usize::try_from(pruned).unwrap_or(usize::MAX))
    }

    fn prune_logs(&mut self, before: u64, rooms_max: usize) -> Result<usize, StorageError> {
        let pruned = self.writer.commit(DATABASE_ANSWER_WITHIN, &async |session| {
            retention::prune_logs(session, before, rooms_max).await
        })?;
        let pruned = usize::try_from(pruned).unwrap_or(usize::MAX);
        if pruned < rooms_max {
            // Nothing old is left.
            self.writer.commit(DATABASE_ANSWER_WITHIN, &retention::tend_partitions)?;
        }
        Ok(pruned)
    }

    fn read(&mut self, room: &RoomCode) -> Result<Vec<Entry>, StorageError> {
        self.writer
            .read(DATABASE_READ_WITHIN, &async |session| logs::read_log(session, room).await)?
    }

    fn reader(&self) -> Result<Box<dyn StorageReader>, StorageError> {
        let primary = open(self.writer.address(), Role::Reader)?;
        let standby = match &self.standby {
            Some(standby) => {
                let reader = open(standby.address(), Role::ReplicaReader)?;
                Some((reader, standby.health()))
            }
            None => None,
        };
        Ok(Box::new(DatabaseReader(Box::new(PostgresSource { primary, standby }))))
    }

    fn replica_lag(&self) -> Option<ReplicaLag> {
        self.standby.as_ref().map(Standby::lag)
    }

    fn readers_max(&self) -> usize {
        DATABASE_READERS
    }
}

/// Splits a batch so that no part has two appends of one room: an `UPDATE` would silently take one
/// of them. The log writer never sends such a batch. For the same reason no part has two appends with
/// rated games of one member. Rooms that fall asleep are written by statements of their own. A game of
/// paired players that begins is a part of its own, because a player who plays elsewhere makes the whole
/// statement fail.
fn groups(batch: &[Append]) -> Vec<&[Append]> {
    let (mut groups, mut rest) = (Vec::new(), batch);
    while !rest.is_empty() {
        let (mut rooms, mut rated) = (HashSet::new(), HashSet::new());
        let sleeps = rest.first().is_some_and(|append| append.sleeps.is_some());
        let next = rest.iter().position(|append| {
            begins_game(append)
                || append.sleeps.is_some() != sleeps
                || !rooms.insert(&append.room)
                || !rated_members(&append.games).into_iter().all(|member| rated.insert(member))
        });
        let end = next.unwrap_or(rest.len()).max(1);
        let (group, left) = rest.split_at(end);
        groups.push(group);
        rest = left;
    }
    groups
}
