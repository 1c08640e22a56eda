//! A storage in memory, for tests and for servers that keep nothing.

use std::{
    collections::{HashMap, HashSet, VecDeque},
    sync::{Arc, Mutex, MutexGuard, PoisonError},
};

use fivefold_shared::{
    protocol::{GameId, MemberId, RoomCode, Visibility},
    record::{FinishedGame, GameList, ListedGame, Record},
    room::Entry,
};

use super::{
    Append, Claimed, Conflict, DiskSpace, Epoch, GameQuery, IdentityHash, KnownMember, Storage,
    StorageError, StorageReader,
};
use crate::{
    limits::{MEMORY_GAMES_MAX, MEMORY_MEMBERS_MAX},
    node_id::NodeId,
};

/// The open rooms and the last finished games, in memory. A clone is another handle of the same
/// process.
#[derive(Clone, Debug, Default)]
pub struct Memory {
    /// Held for one call.
    tables: Arc<Mutex<Tables>>,
    /// Which process owns the rooms that are created or claimed by this handle.
    process: u64,
}

#[derive(Debug, Default)]
struct Tables {
    /// The last process that has opened the storage.
    process: u64,
    rooms: HashMap<RoomCode, OpenRoom>,
    /// Codes claimed before their room was stored: the room can no longer be created.
    void: HashSet<RoomCode>,
    /// Oldest first.
    games: VecDeque<FinishedGame>,
    members: HashMap<MemberId, KnownMember>,
    /// Members whose identity was replaced.
    renewed: HashSet<MemberId>,
    /// Number of games dropped because there were too many.
    dropped: u64,
}

#[derive(Debug)]
struct OpenRoom {
    owner: u64,
    epoch: Epoch,
    log: Vec<Entry>,
}

impl Memory {
    /// Opens the same storage as the next process would: it owns no rooms.
    pub fn reopen(&self) -> Self {
        let mut tables = self.tables();
        tables.process += 1;
        Self { tables: Arc::clone(&self.tables), process: tables.process }
    }

    fn tables(&self) -> MutexGuard<'_, Tables> {
        // Nothing here panics between two changes that belong together.
        self.tables.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Storage for Memory {
    fn orphans(&mut self, rooms_max: usize) -> Result<Vec<RoomCode>, StorageError> {
        let tables = self.tables();
        let orphans = tables.rooms.iter().filter(|(_, room)| room.owner != self.process);
        Ok(orphans.map(|(code, _)| code.clone()).take(rooms_max).collect())
    }

    fn claim(&mut self, rooms: &[RoomCode], _: NodeId) -> Result<Vec<Claimed>, StorageError> {
        let mut tables = self.tables();
        let claim = |code| match tables.rooms.get_mut(code) {
            Some(room) => {
                room.owner = self.process;
                room.epoch = Epoch(room.epoch.0 + 1);
                Claimed::Mine { epoch: room.epoch, log: room.log.clone() }
            }
            None => {
                tables.void.insert(code.clone());
                Claimed::Closed
            }
        };
        Ok(rooms.iter().map(claim).collect())
    }

    fn append(&mut self, batch: &[Append]) -> Result<Vec<Result<(), Conflict>>, StorageError> {
        let mut tables = self.tables();
        Ok(batch.iter().map(|append| tables.append(append, self.process)).collect())
    }

    fn update_members(&mut self, members: &[KnownMember]) -> Result<(), StorageError> {
        let mut tables = self.tables();
        for member in members {
            if let Some(known) = tables.members.get_mut(&member.id)
                && known.hash == member.hash
            {
                known.name = member.name.clone();
                known.seen_at = member.seen_at;
            }
        }
        Ok(())
    }

    fn replace_identity(
        &mut self,
        member: &MemberId,
        old: IdentityHash,
        new: IdentityHash,
    ) -> Result<bool, StorageError> {
        let mut tables = self.tables();
        if let Some(other) = tables.members.values().find(|other| other.hash == new) {
            return Ok(other.id == *member);
        }
        let Some(known) = tables.members.get_mut(member).filter(|known| known.hash == old) else {
            return Ok(false);
        };
        known.hash = new;
        tables.renewed.insert(member.clone());
        Ok(true)
    }

    fn prune_members(&mut self, before: u64, members_max: usize) -> Result<usize, StorageError> {
        let mut tables = self.tables();
        let Tables { members, games, renewed, .. } = &mut *tables;
        let mut pruned = 0;
        members.retain(|id, member| {
            let is_idle = pruned < members_max
                && member.seen_at < before
                && !renewed.contains(id)
                && !games.iter().any(|game| game.record.summary.has_player(id));
            pruned += usize::from(is_idle);
            !is_idle
        });
        Ok(pruned)
    }

    fn read(&mut self, room: &RoomCode) -> Result<Vec<Entry>, StorageError> {
        Ok(self.tables().rooms.get(room).map(|room| room.log.clone()).unwrap_or_default())
    }

    fn reader(&self) -> Result<Box<dyn StorageReader>, StorageError> {
        Ok(Box::new(self.clone()))
    }
}

impl Tables {
    fn append(&mut self, append: &Append, owner: u64) -> Result<(), Conflict> {
        let begins = append.entries.first().is_some_and(|entry| entry.event.seq == 1);
        match self.rooms.get_mut(&append.room) {
            Some(room) if room.epoch == append.epoch && !begins => {
                let last = room.log.last().map_or(0, |entry| entry.event.seq);
                if append.entries.first().is_some_and(|entry| entry.event.seq != last + 1) {
                    return Err(Conflict::Seq { last });
                }
                room.log.extend_from_slice(&append.entries);
            }
            None if begins && !self.void.contains(&append.room) => {
                let room = OpenRoom { owner, epoch: append.epoch, log: append.entries.clone() };
                self.rooms.insert(append.room.clone(), room);
            }
            Some(_) | None => return Err(Conflict::Owner),
        }
        for member in &append.members {
            self.save_member(member);
        }
        if append.closes {
            self.rooms.remove(&append.room);
        }
        self.games.extend(append.games.iter().cloned());
        while self.games.len() > MEMORY_GAMES_MAX {
            self.games.pop_front();
            self.dropped += 1;
        }
        Ok(())
    }

    /// The member whose identity was replaced by this one. Only such members have a hash that does
    /// not match their id.
    fn renewed_with(&self, hash: IdentityHash) -> Option<&KnownMember> {
        let mut renewed = self.renewed.iter().filter_map(|id| self.members.get(id));
        renewed.find(|known| known.hash == hash)
    }

    fn save_member(&mut self, member: &KnownMember) {
        if let Some(known) = self.members.get_mut(&member.id) {
            known.name = member.name.clone();
            known.seen_at = member.seen_at;
        } else if self.members.len() < MEMORY_MEMBERS_MAX
            && self.renewed_with(member.hash).is_none()
        {
            self.members.insert(member.id.clone(), member.clone());
        }
    }
}

impl StorageReader for Memory {
    fn member(
        &mut self,
        id: &MemberId,
        hash: IdentityHash,
    ) -> Result<Option<KnownMember>, StorageError> {
        let tables = self.tables();
        let by_id = tables.members.get(id);
        if by_id.is_some_and(|known| known.hash == hash) || tables.renewed.is_empty() {
            return Ok(by_id.cloned());
        }
        Ok(tables.renewed_with(hash).or(by_id).cloned())
    }

    fn game(&mut self, id: &GameId) -> Result<Option<Record>, StorageError> {
        let tables = self.tables();
        Ok(tables.games.iter().find(|game| game.id == *id).map(|game| game.record.clone()))
    }

    fn games(&mut self, query: &GameQuery) -> Result<GameList, StorageError> {
        let tables = self.tables();
        let is_asked_for = |(number, game): &(u64, &FinishedGame)| {
            let summary = &game.record.summary;
            (query.unlisted || summary.visibility == Visibility::Public)
                && query.before.is_none_or(|before| *number < before)
                && query.member.as_ref().is_none_or(|member| summary.has_player(member))
        };
        let numbered = (tables.dropped + 1..).zip(&tables.games).filter(is_asked_for);
        let mut newest: Vec<_> = numbered.collect();
        newest.reverse();
        let next = (newest.len() > query.max).then(|| query.max.checked_sub(1)).flatten();
        let list = |(_, game): &(u64, &FinishedGame)| ListedGame {
            id: game.id.clone(),
            summary: game.record.summary.clone(),
        };
        Ok(GameList {
            games: newest.iter().take(query.max).map(list).collect(),
            next: next.map(|last| newest[last].0),
        })
    }

    fn disk_space(&mut self) -> Result<Option<DiskSpace>, StorageError> {
        Ok(None)
    }
}
