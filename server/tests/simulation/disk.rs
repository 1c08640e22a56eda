//! The disk of the simulated machine: what is committed to it outlives the server, and sometimes a
//! commit fails.

use std::sync::{
    Arc, Mutex,
    atomic::{AtomicBool, Ordering},
};

use fivefold_server::storage::{
    Append, Claim, Conflict, IdentityHash, KnownMember, Memory, Storage, StorageError,
    StorageReader,
};
use fivefold_shared::protocol::{MemberId, RoomCode};
use fivefold_shared::room::Entry;
use rand::{RngExt, rngs::StdRng};

/// How often a commit fails.
const FAILURES: f64 = 0.01;

/// A clone is the same disk.
#[derive(Clone, Debug)]
pub(crate) struct Disk {
    kept: Memory,
    is_full: Arc<AtomicBool>,
    chances: Arc<Mutex<StdRng>>,
}

impl Disk {
    pub(crate) fn new(chances: StdRng) -> Self {
        let (kept, is_full) = (Memory::default(), Arc::default());
        Self { kept, is_full, chances: Arc::new(Mutex::new(chances)) }
    }

    /// While it is full nothing is committed.
    pub(crate) fn fill(&self, is_full: bool) {
        self.is_full.store(is_full, Ordering::Relaxed);
    }

    /// Every room's log, in the order of the commands that made them.
    pub(crate) fn logs(&self) -> Vec<(RoomCode, Vec<Entry>)> {
        let mut disk = self.kept.clone();
        let claims = disk.claim().unwrap();
        let mut logs: Vec<_> = claims
            .into_iter()
            .map(|claim| (claim.room.clone(), disk.read(&claim.room).unwrap()))
            .collect();
        logs.sort_by_key(|(_, log)| maker(log));
        logs
    }

    fn fail_sometimes(&self) -> Result<(), StorageError> {
        if self.is_full.load(Ordering::Relaxed) {
            return Err(StorageError::Failed("no space left".into()));
        }
        if self.chances.lock().unwrap().random_bool(FAILURES) {
            return Err(StorageError::Failed("a bad sector".into()));
        }
        Ok(())
    }
}

/// What made a room. Unlike its code, it is the same each time that a day is lived.
fn maker(log: &[Entry]) -> String {
    let cause = log[0].cause.as_ref().expect("somebody made it");
    format!("{} {}", cause.member, cause.command)
}

impl Storage for Disk {
    fn claim(&mut self) -> Result<Vec<Claim>, StorageError> {
        let mut claims = self.kept.claim()?;
        claims.sort_by_cached_key(|claim| maker(&self.kept.read(&claim.room).unwrap()));
        Ok(claims)
    }

    fn append(&mut self, batch: &[Append]) -> Result<Vec<Result<(), Conflict>>, StorageError> {
        self.fail_sometimes()?;
        self.kept.append(batch)
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
