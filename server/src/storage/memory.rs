//! A storage that keeps everything in memory and forgets it with the process.

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
    Append, Claim, Conflict, DiskSpace, Epoch, GameQuery, IdentityHash, KnownMember, Storage,
    StorageError, StorageReader,
};
use crate::limits::{MEMORY_GAMES_MAX, MEMORY_MEMBERS_MAX};

/// The open rooms and the last finished games, in memory. A clone is another way to the same.
#[derive(Clone, Debug, Default)]
pub struct Memory {
    /// Held for one call.
    shelves: Arc<Mutex<Shelves>>,
}

#[derive(Debug, Default)]
struct Shelves {
    rooms: HashMap<RoomCode, OpenRoom>,
    /// The oldest first.
    games: VecDeque<FinishedGame>,
    members: HashMap<MemberId, KnownMember>,
    /// Those whose identity was replaced.
    renewed: HashSet<MemberId>,
    /// How many games have been forgotten to make place.
    forgotten: u64,
}

#[derive(Debug)]
struct OpenRoom {
    epoch: Epoch,
    log: Vec<Entry>,
}

impl Memory {
    fn shelves(&self) -> MutexGuard<'_, Shelves> {
        // Nothing here panics between two changes that belong together.
        self.shelves.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Storage for Memory {
    fn claim(&mut self) -> Result<Vec<Claim>, StorageError> {
        let claim = |(code, room): (&RoomCode, &mut OpenRoom)| {
            room.epoch = Epoch(room.epoch.0 + 1);
            Claim { room: code.clone(), epoch: room.epoch }
        };
        Ok(self.shelves().rooms.iter_mut().map(claim).collect())
    }

    fn append(&mut self, batch: &[Append]) -> Result<Vec<Result<(), Conflict>>, StorageError> {
        let mut shelves = self.shelves();
        Ok(batch.iter().map(|append| shelves.append(append)).collect())
    }

    fn update_members(&mut self, members: &[KnownMember]) -> Result<(), StorageError> {
        let mut shelves = self.shelves();
        for member in members {
            if let Some(known) = shelves.members.get_mut(&member.id)
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
        let mut shelves = self.shelves();
        if shelves.members.values().any(|other| other.hash == new) {
            return Ok(false);
        }
        let Some(known) = shelves.members.get_mut(member).filter(|known| known.hash == old) else {
            return Ok(false);
        };
        known.hash = new;
        shelves.renewed.insert(member.clone());
        Ok(true)
    }

    fn prune_members(&mut self, before: u64, members_max: usize) -> Result<usize, StorageError> {
        let mut shelves = self.shelves();
        let Shelves { members, games, renewed, .. } = &mut *shelves;
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
        Ok(self.shelves().rooms.get(room).map(|room| room.log.clone()).unwrap_or_default())
    }

    fn reader(&self) -> Result<Box<dyn StorageReader>, StorageError> {
        Ok(Box::new(self.clone()))
    }
}

impl Shelves {
    fn append(&mut self, append: &Append) -> Result<(), Conflict> {
        let begins = append.entries.first().is_some_and(|entry| entry.event.seq == 1);
        match self.rooms.get_mut(&append.room) {
            Some(room) if room.epoch == append.epoch && !begins => {
                let last = room.log.last().map_or(0, |entry| entry.event.seq);
                if append.entries.first().is_some_and(|entry| entry.event.seq != last + 1) {
                    return Err(Conflict::Seq { last });
                }
                room.log.extend_from_slice(&append.entries);
            }
            None if begins => {
                let room = OpenRoom { epoch: append.epoch, log: append.entries.clone() };
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
            self.forgotten += 1;
        }
        Ok(())
    }

    fn save_member(&mut self, member: &KnownMember) {
        if let Some(known) = self.members.get_mut(&member.id) {
            known.name = member.name.clone();
            known.seen_at = member.seen_at;
        } else if self.members.len() < MEMORY_MEMBERS_MAX {
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
        let shelves = self.shelves();
        let by_id = shelves.members.get(id);
        if by_id.is_some_and(|known| known.hash == hash) || shelves.renewed.is_empty() {
            return Ok(by_id.cloned());
        }
        // Only these are known by another identity than the one that their id is from.
        let mut renewed = shelves.renewed.iter().filter_map(|id| shelves.members.get(id));
        Ok(renewed.find(|known| known.hash == hash).or(by_id).cloned())
    }

    fn game(&mut self, id: &GameId) -> Result<Option<Record>, StorageError> {
        let shelves = self.shelves();
        Ok(shelves.games.iter().find(|game| game.id == *id).map(|game| game.record.clone()))
    }

    fn games(&mut self, query: &GameQuery) -> Result<GameList, StorageError> {
        let shelves = self.shelves();
        let is_asked_for = |(number, game): &(u64, &FinishedGame)| {
            let summary = &game.record.summary;
            (query.unlisted || summary.visibility == Visibility::Public)
                && query.before.is_none_or(|before| *number < before)
                && query.member.as_ref().is_none_or(|member| summary.has_player(member))
        };
        let numbered = (shelves.forgotten + 1..).zip(&shelves.games).filter(is_asked_for);
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
