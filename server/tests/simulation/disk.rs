//! The disk of the simulated machine: what is committed to it outlives the server. Sometimes a
//! commit fails, and sometimes nobody knows whether it did.

use std::sync::{
    Arc, Mutex,
    atomic::{AtomicBool, AtomicU64, Ordering},
};

use fivefold_server::{
    NodeId,
    storage::{
        Append, Claimed, Conflict, IdentityHash, KnownMember, Memory, Storage, StorageError,
        StorageReader,
    },
};
use fivefold_shared::{
    protocol::{MemberId, RoomCode},
    room::Entry,
};
use rand::{RngExt, rngs::StdRng};

/// How often a commit fails.
const FAILURES: f64 = 0.01;

/// How often a commit ends in doubt.
const DOUBTS: f64 = 0.02;

/// A clone is the same disk, used by the same process.
#[derive(Clone, Debug)]
pub(crate) struct Disk {
    kept: Memory,
    shared: Arc<Shared>,
    /// Whether the process has claimed its rooms: it does not start on a disk that fails.
    has_started: bool,
}

#[derive(Debug)]
struct Shared {
    is_full: AtomicBool,
    doubts: AtomicU64,
    chances: Mutex<StdRng>,
    /// A commit in doubt that is still under way.
    late: Mutex<Vec<Append>>,
}

impl Disk {
    pub(crate) fn new(chances: StdRng) -> Self {
        let shared = Shared {
            is_full: AtomicBool::new(false),
            doubts: AtomicU64::new(0),
            chances: Mutex::new(chances),
            late: Mutex::default(),
        };
        Self { kept: Memory::default(), shared: Arc::new(shared), has_started: false }
    }

    /// The disk as the next process finds it.
    pub(crate) fn reopen(&self) -> Self {
        let shared = Arc::clone(&self.shared);
        Self { kept: self.kept.reopen(), shared, has_started: false }
    }

    /// How many commits have ended in doubt.
    pub(crate) fn doubts(&self) -> u64 {
        self.shared.doubts.load(Ordering::Relaxed)
    }

    /// While it is full nothing is committed.
    pub(crate) fn fill(&self, is_full: bool) {
        self.shared.is_full.store(is_full, Ordering::Relaxed);
    }

    /// Every room's log, in the order of the commands that made them.
    pub(crate) fn logs(&self) -> Vec<(RoomCode, Vec<Entry>)> {
        let mut disk = self.kept.reopen();
        let rooms = disk.orphans(usize::MAX).unwrap();
        let mut logs: Vec<_> = rooms
            .into_iter()
            .map(|room| {
                let log = disk.read(&room).unwrap();
                (room, log)
            })
            .collect();
        logs.sort_by_key(|(_, log)| maker(log));
        logs
    }

    fn fail_sometimes(&self) -> Result<(), StorageError> {
        if self.shared.is_full.load(Ordering::Relaxed) {
            return Err(StorageError::Failed("no space left".into()));
        }
        if self.chance(FAILURES) {
            return Err(StorageError::Failed("a bad sector".into()));
        }
        Ok(())
    }

    fn chance(&self, probability: f64) -> bool {
        self.shared.chances.lock().unwrap().random_bool(probability)
    }

    /// Has the commit that is still under way take place now; rooms that were claimed in the
    /// meantime refuse it.
    fn land(&mut self) -> Result<(), StorageError> {
        let late = std::mem::take(&mut *self.shared.late.lock().unwrap());
        self.kept.append(&late).map(drop)
    }

    fn in_doubt(&self) -> StorageError {
        self.shared.doubts.fetch_add(1, Ordering::Relaxed);
        StorageError::InDoubt("the disk did not answer".into())
    }
}

/// What made a room. Unlike its code, it is the same each time that a day is lived.
fn maker(log: &[Entry]) -> String {
    let cause = log[0].cause.as_ref().expect("somebody made it");
    format!("{} {}", cause.member, cause.command)
}

impl Storage for Disk {
    fn orphans(&mut self, rooms_max: usize) -> Result<Vec<RoomCode>, StorageError> {
        // The process that made the commit has ended.
        self.land()?;
        let mut rooms = self.kept.orphans(usize::MAX)?;
        rooms.sort_by_cached_key(|room| maker(&self.kept.read(room).unwrap()));
        rooms.truncate(rooms_max);
        self.has_started = rooms.is_empty();
        Ok(rooms)
    }

    fn claim(&mut self, rooms: &[RoomCode], node: NodeId) -> Result<Vec<Claimed>, StorageError> {
        if self.chance(0.5) {
            self.land()?;
        }
        if self.has_started {
            self.fail_sometimes()?;
        }
        if self.chance(DOUBTS) {
            if self.chance(0.5) {
                self.kept.claim(rooms, node)?;
            }
            return Err(self.in_doubt());
        }
        let claimed = self.kept.claim(rooms, node)?;
        if self.chance(0.5) {
            self.land()?;
        }
        Ok(claimed)
    }

    fn append(&mut self, batch: &[Append]) -> Result<Vec<Result<(), Conflict>>, StorageError> {
        if self.chance(0.5) {
            self.land()?;
        }
        self.fail_sometimes()?;
        if !self.chance(DOUBTS) {
            return self.kept.append(batch);
        }
        // The three endings of a doubt: it is stored, it is not, or it is stored later.
        if self.chance(0.3) {
            self.kept.append(batch)?;
        } else if self.chance(0.5) {
            self.land()?;
            *self.shared.late.lock().unwrap() = batch.to_vec();
        }
        Err(self.in_doubt())
    }

    fn update_members(&mut self, members: &[KnownMember]) -> Result<(), StorageError> {
        self.fail_sometimes()?;
        self.kept.update_members(members)
    }

    fn replace_identity(
        &mut self,
        member: &MemberId,
        old: IdentityHash,
        new: IdentityHash,
    ) -> Result<bool, StorageError> {
        self.fail_sometimes()?;
        self.kept.replace_identity(member, old, new)
    }

    fn prune_members(&mut self, before: u64, members_max: usize) -> Result<usize, StorageError> {
        self.fail_sometimes()?;
        self.kept.prune_members(before, members_max)
    }

    fn read(&mut self, room: &RoomCode) -> Result<Vec<Entry>, StorageError> {
        self.kept.read(room)
    }

    fn reader(&self) -> Result<Box<dyn StorageReader>, StorageError> {
        self.kept.reader()
    }
}
