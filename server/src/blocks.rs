//! The people that members have blocked or muted, for the members who are online at this node.
//!
//! Two people are apart if either has blocked the other: no games, no chat, no lists. Who mutes somebody
//! sees no chat of theirs. It does not know where messages come from; outboxes and lists ask it.

use std::{
    collections::HashMap,
    error::Error,
    sync::{Arc, Mutex, MutexGuard, PoisonError, Weak},
};

use fivefold_shared::protocol::{MemberId, Reason, Refusal, RefusalValues};

use crate::{
    cluster::{Cluster, frame::News},
    limits::{LOGIN_TRIES_MAX, moderation::BLOCKS_MAX},
    own_blocks::OwnBlocks,
    storage::{BlockEntry, BlockKind, LogWriter, ModerationChange, ModerationChanged, ReadPool},
};

/// The lists of the members who are online here.
#[derive(Debug)]
pub(crate) struct Blocks {
    read_pool: Arc<ReadPool>,
    log_writer: LogWriter,
    cluster: Option<Arc<Cluster>>,
    /// Locked only to look up or change an entry.
    online: Mutex<Online>,
}

#[derive(Debug, Default)]
struct Online {
    members: HashMap<MemberId, Weak<OwnBlocks>>,
    /// Number of changes so far.
    changes: u64,
    /// Entries of members who have left are dropped when there are so many.
    tidied_at: usize,
}

impl Blocks {
    pub(crate) fn new(
        read_pool: Arc<ReadPool>,
        log_writer: LogWriter,
        cluster: Option<Arc<Cluster>>,
    ) -> Self {
        Self { read_pool, log_writer, cluster, online: Mutex::default() }
    }

    /// The lists around a member, which follow every change from now on.
    ///
    /// # Errors
    /// If they cannot be read.
    pub(crate) async fn around(&self, member: &MemberId) -> Result<Arc<OwnBlocks>, Refusal> {
        for _ in 0..LOGIN_TRIES_MAX {
            let changes = {
                let online = lock(&self.online);
                if let Some(own) = online.members.get(member).and_then(Weak::upgrade) {
                    return Ok(own);
                }
                online.changes
            };
            let id = member.clone();
            let lists = self.read_pool.read(move |reader| reader.block_lists(&id)).await;
            let own = Arc::new(OwnBlocks::of(lists.map_err(|error| unreadable(&error))?));
            let mut online = lock(&self.online);
            // What changed since may not be in what was read.
            if online.changes == changes {
                online.enter(member, &own);
                return Ok(own);
            }
        }
        Err(Refusal::new(Reason::Busy))
    }

    /// A member's own list, the newest first.
    ///
    /// # Errors
    /// If it cannot be read.
    pub(crate) async fn list(&self, member: &MemberId) -> Result<Vec<BlockEntry>, Refusal> {
        let id = member.clone();
        let lists = self.read_pool.try_read(move |reader| reader.block_lists(&id)).await;
        Ok(lists.map_err(|error| unreadable(&error))?.own)
    }

    /// Puts somebody on a member's list. They do not learn of it.
    ///
    /// # Errors
    /// If the list is full, or cannot be stored.
    pub(crate) async fn add(&self, member: &MemberId, entry: BlockEntry) -> Result<(), Refusal> {
        let (other, kind) = (entry.other.clone(), entry.kind);
        let change = ModerationChange::Block(member.clone(), entry);
        self.change(member, &other, Some(kind), change).await
    }

    /// Takes somebody from a member's list, if they are on it.
    ///
    /// # Errors
    /// If that cannot be stored.
    pub(crate) async fn remove(&self, member: &MemberId, other: &MemberId) -> Result<(), Refusal> {
        let change = ModerationChange::Unblock { member: member.clone(), other: other.clone() };
        self.change(member, other, None, change).await
    }

    async fn change(
        &self,
        member: &MemberId,
        other: &MemberId,
        kind: Option<BlockKind>,
        change: ModerationChange,
    ) -> Result<(), Refusal> {
        match self.log_writer.settle(|permit| permit.moderate(change.clone())).await {
            Ok(ModerationChanged::Done | ModerationChanged::Gone) => {}
            Ok(ModerationChanged::Full) => return Err(too_many()),
            Err(error) => {
                tracing::warn!(%error, "a list of blocked people is not stored");
                return Err(Refusal::new(Reason::Unavailable));
            }
        }
        self.note(member, other, kind);
        if let Some(cluster) = &self.cluster {
            let (member, other) = (member.clone(), other.clone());
            cluster.broadcast(&News::Blocked { member, other, kind });
        }
        Ok(())
    }

    /// Takes in a change that is stored. Without a kind, the other one is on the list no more.
    pub(crate) fn note(&self, member: &MemberId, other: &MemberId, kind: Option<BlockKind>) {
        let mut online = lock(&self.online);
        online.changes += 1;
        if let Some(own) = online.members.get(member).and_then(Weak::upgrade) {
            let mut lists = own.lock();
            match kind {
                Some(kind) => lists.own.insert(other.clone(), kind),
                None => lists.own.remove(other),
            };
        }
        if let Some(theirs) = online.members.get(other).and_then(Weak::upgrade) {
            let mut lists = theirs.lock();
            if kind == Some(BlockKind::Block) {
                lists.blocked_by.insert(member.clone());
            } else {
                lists.blocked_by.remove(member);
            }
        }
    }
}

impl Online {
    fn enter(&mut self, member: &MemberId, own: &Arc<OwnBlocks>) {
        if self.members.len() >= self.tidied_at {
            self.members.retain(|_, own| own.strong_count() > 0);
            self.tidied_at = 2 * self.members.len() + BLOCKS_MAX;
        }
        self.members.insert(member.clone(), Arc::downgrade(own));
    }
}

fn too_many() -> Refusal {
    let values = RefusalValues { most: Some(BLOCKS_MAX), ..RefusalValues::default() };
    Refusal::with(Reason::TooManyBlocks, values)
}

fn unreadable(error: &dyn Error) -> Refusal {
    tracing::warn!(%error, "cannot read a list of blocked people");
    Refusal::new(Reason::Unavailable)
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    // Nothing panics between two changes that belong together.
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ids;

    #[test]
    fn members_who_have_left_are_forgotten() {
        let mut online = Online::default();
        let stays = Arc::new(OwnBlocks::default());
        let member = ids::new_member_id();
        online.enter(&member, &stays);
        for _ in 0..1_000 {
            online.enter(&ids::new_member_id(), &Arc::default());
        }
        assert!(online.members.len() <= 2 * BLOCKS_MAX, "{}", online.members.len());
        assert!(online.members.contains_key(&member));
    }
}
