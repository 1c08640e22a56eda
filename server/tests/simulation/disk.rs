//! The storage of the simulated servers: what is committed to it outlives them. Sometimes a commit
//! fails, and sometimes nobody knows whether it did. The nodes of a cluster share it, and each may
//! lose the way to it.

use std::{
    collections::HashMap,
    sync::{
        Arc, Mutex, MutexGuard,
        atomic::{AtomicBool, Ordering},
    },
};

use fivefold_shared::{
    protocol::{MemberId, RoomCode},
    room::{Entry, RoomState},
    seat::{BySeat, Seat},
};
use fivefold_storage::{
    Append, Appended, Call, Claimed, Epoch, Hook, JoinError, Memory, NodeId, NodeReport,
    NowPlaying, Pulse, Registry, Storage, StorageError,
};
use rand::{RngExt, rngs::StdRng};

use crate::findings::{ANOTHER_EVENT, REFUSED_AND_DONE, TWO_GAMES};

/// How often a commit fails.
const FAILURES: f64 = 0.01;

/// How often a commit ends in doubt.
const DOUBTS: f64 = 0.02;

/// A fault that is built in on purpose, to see that the judge finds it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Planted {
    /// Appends of earlier owners are not refused.
    NoEpochs,
    /// A commit in doubt is reported as one that has failed.
    DoubtIsFailure,
    /// Players may begin a game while they are in another one.
    NoPlaying,
}

impl Planted {
    /// Its name between two processes.
    pub(crate) const fn name(self) -> &'static str {
        match self {
            Self::NoEpochs => "no_epochs",
            Self::DoubtIsFailure => "doubt_is_failure",
            Self::NoPlaying => "no_playing",
        }
    }

    /// The fault with this name.
    pub(crate) fn named(name: &str) -> Option<Self> {
        let all = [Self::NoEpochs, Self::DoubtIsFailure, Self::NoPlaying];
        all.into_iter().find(|planted| planted.name() == name)
    }

    /// What the judge must find because of it, on some day. An append of an earlier owner is stored
    /// after the next owner has read the log, and so has refused its command, or takes the event for
    /// its own. A command whose commit is in doubt is refused, and stored.
    pub(crate) const fn findings(self) -> &'static [&'static str] {
        match self {
            Self::NoEpochs => &[ANOTHER_EVENT, REFUSED_AND_DONE],
            Self::DoubtIsFailure => &[REFUSED_AND_DONE],
            Self::NoPlaying => &[TWO_GAMES],
        }
    }
}

/// A clone is the same disk, used by the same process.
#[derive(Clone, Debug)]
pub(crate) struct Disk {
    kept: Memory,
    shared: Arc<Mutex<Shared>>,
    /// Which server this is.
    server: usize,
    /// Whether it may fail: a server that is alone does not start on a disk that fails.
    has_started: Arc<AtomicBool>,
}

#[derive(Debug)]
struct Shared {
    chances: StdRng,
    planted: Option<Planted>,
    is_full: bool,
    /// The servers that do not reach it, and those whose heartbeats do not.
    unreachable: Vec<bool>,
    heartless: Vec<bool>,
    doubts: u64,
    /// How often a room went to another node.
    takeovers: u64,
    /// How often a node was declared dead, or retired.
    deaths: u64,
    /// A commit in doubt that is still under way, and who made it.
    late: Vec<Append>,
    /// The rooms in the order in which they were made, with their owners and epochs.
    rooms: Vec<RoomCode>,
    owners: HashMap<RoomCode, (NodeId, Epoch)>,
    /// Who plays in rooms of paired players.
    playing: HashMap<RoomCode, BySeat<MemberId>>,
    /// A member who was in two of them at once, with both.
    two_games: Option<(MemberId, [RoomCode; 2])>,
    /// The node that learned that an event is stored.
    acknowledged: HashMap<(RoomCode, u64), NodeId>,
}

impl Disk {
    pub(crate) fn new(chances: StdRng, servers: usize, planted: Option<Planted>) -> Self {
        let shared = Shared {
            chances,
            planted,
            is_full: false,
            unreachable: vec![false; servers],
            heartless: vec![false; servers],
            doubts: 0,
            takeovers: 0,
            deaths: 0,
            late: Vec::new(),
            rooms: Vec::new(),
            owners: HashMap::new(),
            playing: HashMap::new(),
            two_games: None,
            acknowledged: HashMap::new(),
        };
        let shared = Arc::new(Mutex::new(shared));
        Self { kept: Memory::default(), shared, server: 0, has_started: Arc::default() }
    }

    /// The disk as the next process of a server finds it.
    pub(crate) fn reopen(&self, server: usize) -> Self {
        let shared = Arc::clone(&self.shared);
        let has_started = Arc::new(AtomicBool::new(self.shared().unreachable.len() > 1));
        Self { kept: self.kept.reopen(), shared, server, has_started }
    }

    /// The storage of that process.
    pub(crate) fn storage(&self) -> Memory {
        self.kept.hooked(self.clone())
    }

    /// How many commits have ended in doubt, rooms changed their nodes, and nodes died.
    pub(crate) fn counts(&self) -> [u64; 3] {
        let shared = self.shared();
        [shared.doubts, shared.takeovers, shared.deaths]
    }

    /// A member who was in two paired games at once, with both rooms.
    pub(crate) fn two_games(&self) -> Option<(MemberId, [RoomCode; 2])> {
        self.shared().two_games.clone()
    }

    /// While it is full nothing is committed.
    pub(crate) fn fill(&self, is_full: bool) {
        self.shared().is_full = is_full;
    }

    /// Takes a server the way to the disk.
    pub(crate) fn cut(&self, server: usize, is_cut: bool) {
        self.shared().unreachable[server] = is_cut;
    }

    /// Loses a server's heartbeats.
    pub(crate) fn lose_heartbeats(&self, server: usize, are_lost: bool) {
        self.shared().heartless[server] = are_lost;
    }

    /// Every open room's log, in the order of the commands that made them.
    pub(crate) fn logs(&self) -> Vec<(RoomCode, Vec<Entry>)> {
        let (mut kept, rooms) = (self.kept.clone(), self.shared().rooms.clone());
        let logs = rooms.into_iter().map(|room| {
            let log = kept.read(&room).unwrap();
            (room, log)
        });
        let mut logs: Vec<_> = logs.filter(|(_, log)| !log.is_empty()).collect();
        logs.sort_by_key(|(_, log)| maker(log));
        logs
    }

    fn shared(&self) -> MutexGuard<'_, Shared> {
        self.shared.lock().unwrap()
    }

    fn chance(&self, probability: f64) -> bool {
        self.shared().chances.random_bool(probability)
    }

    fn reach(&self) -> Result<(), StorageError> {
        if self.shared().unreachable[self.server] {
            return Err(StorageError::Failed("the network is cut".into()));
        }
        Ok(())
    }

    fn fail_sometimes(&self) -> Result<(), StorageError> {
        self.reach()?;
        if self.shared().is_full {
            return Err(StorageError::Failed("no space left".into()));
        }
        if self.chance(FAILURES) {
            return Err(StorageError::Failed("a bad sector".into()));
        }
        Ok(())
    }

    /// Has the commit that is still under way take place now; rooms that were claimed in the
    /// meantime refuse it.
    fn land(&self, kept: &mut dyn Storage) -> Result<(), StorageError> {
        let late = std::mem::take(&mut self.shared().late);
        self.store(kept, &late).map(drop)
    }

    fn store(
        &self,
        kept: &mut dyn Storage,
        batch: &[Append],
    ) -> Result<Vec<Appended>, StorageError> {
        let mut batch = batch.to_vec();
        let mut shared = self.shared.lock().unwrap();
        if shared.planted == Some(Planted::NoEpochs) {
            for append in &mut batch {
                append.epoch = shared.owners.get(&append.room).map_or(append.epoch, |own| own.1);
            }
        }
        if shared.planted == Some(Planted::NoPlaying) {
            for append in &mut batch {
                append.playing = NowPlaying::Unchanged;
            }
        }
        let results = kept.append(&batch)?;
        for (append, _) in batch.iter().zip(&results).filter(|(_, result)| result.is_ok()) {
            if append.entries.first().is_some_and(|entry| entry.event.seq == 1) {
                shared.rooms.push(append.room.clone());
                shared.owners.insert(append.room.clone(), (append.node, append.epoch));
            }
        }
        for append in &batch {
            let log = kept.read(&append.room)?;
            let state = RoomState::from_log(log.iter().map(|entry| &entry.event)).ok();
            shared.note_playing(&append.room, state.and_then(|state| state.paired_players()));
        }
        Ok(results)
    }

    /// Notes which node learns that events are stored.
    fn acknowledge(&self, batch: &[Append], results: &[Appended]) {
        let mut shared = self.shared();
        for (append, _) in batch.iter().zip(results).filter(|(_, result)| result.is_ok()) {
            for entry in &append.entries {
                let key = (append.room.clone(), entry.event.seq);
                let other = shared.acknowledged.insert(key, append.node);
                assert_eq!(other, None, "event {} is acknowledged twice", entry.event.seq);
            }
        }
    }

    fn claim_kept(
        &self,
        kept: &mut dyn Storage,
        rooms: &[RoomCode],
        node: NodeId,
    ) -> Result<Vec<Claimed>, StorageError> {
        let claimed = kept.claim(rooms, node)?;
        let mut shared = self.shared();
        for (room, claimed) in rooms.iter().zip(&claimed) {
            if let Claimed::Mine { epoch, .. } = claimed {
                let before = shared.owners.insert(room.clone(), (node, *epoch));
                shared.takeovers += u64::from(before.is_some_and(|(owner, _)| owner != node));
            }
        }
        Ok(claimed)
    }

    fn in_doubt(&self) -> StorageError {
        let mut shared = self.shared();
        shared.doubts += 1;
        let text = "the disk did not answer".to_owned();
        match shared.planted {
            Some(Planted::DoubtIsFailure) => StorageError::Failed(text),
            Some(Planted::NoEpochs | Planted::NoPlaying) | None => StorageError::InDoubt(text),
        }
    }
}

impl Shared {
    /// Notes who plays in a room by its log, and looks for them in the others.
    fn note_playing(&mut self, room: &RoomCode, players: Option<BySeat<MemberId>>) {
        self.playing.remove(room);
        let Some(players) = players else { return };
        for (other, others) in &self.playing {
            for member in Seat::BOTH.map(|seat| &players[seat]) {
                if Seat::BOTH.iter().any(|seat| others[*seat] == *member) {
                    self.two_games = Some((member.clone(), [room.clone(), other.clone()]));
                }
            }
        }
        self.playing.insert(room.clone(), players);
    }
}

/// What made a room. Unlike its code, it is the same each time that a day is lived.
fn maker(log: &[Entry]) -> String {
    let cause = log[0].cause.as_ref().expect("somebody made it");
    format!("{} {}", cause.member, cause.command)
}

impl Hook for Disk {
    fn before(&self, call: Call) -> Result<(), StorageError> {
        match call {
            Call::Members | Call::Change => self.fail_sometimes(),
            Call::Log | Call::Browse => self.reach(),
        }
    }

    fn unattended(
        &self,
        kept: &mut dyn Storage,
        due: u64,
        rooms_max: usize,
    ) -> Result<Vec<RoomCode>, StorageError> {
        self.reach()?;
        if !self.has_started.load(Ordering::Relaxed) {
            // The process that made the commit has ended.
            self.land(kept)?;
        }
        let mut rooms = kept.unattended(due, usize::MAX)?;
        rooms.sort_by_cached_key(|room| maker(&kept.read(room).unwrap()));
        rooms.truncate(rooms_max);
        self.has_started.fetch_or(rooms.is_empty(), Ordering::Relaxed);
        Ok(rooms)
    }

    fn claim(
        &self,
        kept: &mut dyn Storage,
        rooms: &[RoomCode],
        node: NodeId,
    ) -> Result<Vec<Claimed>, StorageError> {
        self.reach()?;
        if self.chance(0.5) {
            self.land(kept)?;
        }
        if self.has_started.load(Ordering::Relaxed) {
            self.fail_sometimes()?;
        }
        if self.chance(DOUBTS) {
            if self.chance(0.5) {
                self.claim_kept(kept, rooms, node)?;
            }
            self.shared().doubts += 1;
            return Err(StorageError::InDoubt("the disk did not answer".into()));
        }
        let claimed = self.claim_kept(kept, rooms, node)?;
        if self.chance(0.5) {
            self.land(kept)?;
        }
        Ok(claimed)
    }

    fn append(
        &self,
        kept: &mut dyn Storage,
        batch: &[Append],
    ) -> Result<Vec<Appended>, StorageError> {
        if self.reach().is_err() {
            // The request went out, and no answer comes.
            return Err(self.in_doubt());
        }
        if self.chance(0.5) {
            self.land(kept)?;
        }
        self.fail_sometimes()?;
        if !self.chance(DOUBTS) {
            let results = self.store(kept, batch)?;
            self.acknowledge(batch, &results);
            return Ok(results);
        }
        // The three endings of a doubt: it is stored, it is not, or it is stored later.
        if self.chance(0.3) {
            self.store(kept, batch)?;
        } else if self.chance(0.5) {
            self.land(kept)?;
            self.shared().late = batch.to_vec();
        }
        Err(self.in_doubt())
    }
}

impl Registry for Disk {
    fn join(&mut self) -> Result<NodeId, JoinError> {
        self.reach()?;
        self.kept.join()
    }

    fn heartbeat(&mut self, node: NodeId, report: NodeReport) -> Result<Pulse, StorageError> {
        self.reach()?;
        if self.shared().heartless[self.server] {
            return Err(StorageError::InDoubt("the heartbeat is lost".into()));
        }
        self.kept.heartbeat(node, report)
    }

    fn declare_dead(&mut self, node: NodeId, seen: u64) -> Result<bool, StorageError> {
        self.reach()?;
        let is_dead = self.kept.declare_dead(node, seen)?;
        self.shared().deaths += u64::from(is_dead);
        Ok(is_dead)
    }

    fn retire(&mut self, node: NodeId) -> Result<(), StorageError> {
        self.reach()?;
        self.shared().deaths += 1;
        self.kept.retire(node)
    }
}
