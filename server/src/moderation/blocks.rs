//! The people that members have blocked or muted, for the members who are online at this node.
//!
//! Two people are apart if either has blocked the other: no games, no chat, no lists. A member sees
//! no chat of somebody they have muted. It does not know where messages come from; outboxes and lists ask it.

use std::{
    collections::HashMap,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
};

use fivefold_shared::protocol::{MemberId, Reason, Refusal};
use fivefold_storage::{
    BlockEntry, BlockKind, LogWriter, ModerationChange, ModerationChanged, Reader,
    limits::BLOCKS_MAX,
};

use crate::{
    cluster::{Cluster, frame::News},
    limits::LOGIN_TRIES_MAX,
    net::shrink::shrink,
    online::own_blocks::{KnownGuests, OwnBlocks},
    process::read_pool::{ReadError, ReadPool},
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
    members: HashMap<MemberId, Entry>,
    /// Number of changes so far.
    changes: u64,
}

/// The lists around a member, and how many of their sessions follow them.
#[derive(Debug)]
struct Entry {
    own: Arc<OwnBlocks>,
    sessions: usize,
}

/// A session of a member who is online: the lists around them follow every change until this is dropped.
#[derive(Debug)]
pub(crate) struct Following {
    blocks: Arc<Blocks>,
    member: MemberId,
    own: Arc<OwnBlocks>,
}

impl Blocks {
    pub(crate) fn new(
        read_pool: Arc<ReadPool>,
        log_writer: LogWriter,
        cluster: Option<Arc<Cluster>>,
    ) -> Self {
        Self { read_pool, log_writer, cluster, online: Mutex::default() }
    }

    /// The lists around a member, for a session that begins.
    ///
    /// # Errors
    /// If they cannot be read.
    pub(crate) async fn around(self: &Arc<Self>, member: &MemberId) -> Result<Following, Refusal> {
        let following = |own| Following { blocks: Arc::clone(self), member: member.clone(), own };
        for _ in 0..LOGIN_TRIES_MAX {
            let changes = {
                let mut online = lock(&self.online);
                if let Some(own) = online.join(member) {
                    return Ok(following(own));
                }
                online.changes
            };
            let id = member.clone();
            let read = move |reader: &mut Reader| {
                let lists = reader.block_lists(&id)?;
                let own = lists.own.iter().map(|entry| &entry.other);
                let people: Vec<_> = own.chain(&lists.blocked_by).cloned().collect();
                let guests = reader.guests_around(&people)?;
                Ok(OwnBlocks::of(lists, &guests))
            };
            let own = self.read_pool.read(read).await.map_err(ReadError::from)?;
            let mut online = lock(&self.online);
            // What changed since may not be in what was read.
            if online.changes == changes {
                return Ok(following(online.enter(member, own)));
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
        Ok(lists?.own)
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

    /// Takes somebody from a member's list, by whichever of their ids they are on it.
    ///
    /// # Errors
    /// If the list cannot be read, or that cannot be stored.
    pub(crate) async fn remove(&self, member: &MemberId, other: &MemberId) -> Result<(), Refusal> {
        let guests = self.guests_around(&[other]).await?;
        let ids: Vec<_> = guests.ids_of(other).cloned().collect();
        let listed = self.list(member).await?.into_iter().map(|entry| entry.other);
        for other in listed.filter(|listed| ids.contains(listed)) {
            let change = ModerationChange::Unblock { member: member.clone(), other: other.clone() };
            self.change(member, &other, None, change).await?;
        }
        Ok(())
    }

    /// The account that a guest belongs to, if any.
    ///
    /// # Errors
    /// If it cannot be read.
    pub(crate) async fn person(&self, id: MemberId) -> Result<MemberId, Refusal> {
        let guests = self.guests_around(&[&id]).await?;
        let account = guests.ids_of(&id).next().cloned();
        Ok(account.unwrap_or(id))
    }

    /// A guest belongs to an account from now on, at all nodes.
    pub(crate) fn take_guest(&self, guest: &MemberId, account: &MemberId) {
        self.note_guest(guest, account);
        if let Some(cluster) = &self.cluster {
            let (guest, account) = (guest.clone(), account.clone());
            cluster.broadcast(&News::GuestTaken { guest, account });
        }
    }

    /// The guests of these people.
    async fn guests_around(&self, people: &[&MemberId]) -> Result<KnownGuests, Refusal> {
        let mut known = KnownGuests::default();
        known.learn(&self.read_guests(people).await?);
        Ok(known)
    }

    async fn read_guests(
        &self,
        people: &[&MemberId],
    ) -> Result<Vec<(MemberId, MemberId)>, Refusal> {
        let people: Vec<_> = people.iter().map(|id| (*id).clone()).collect();
        Ok(self.read_pool.try_read(move |reader| reader.guests_around(&people)).await?)
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
            // The last two are of reports.
            Ok(
                ModerationChanged::Full
                | ModerationChanged::QueueFull
                | ModerationChanged::AlreadyOpen,
            ) => return Err(too_many()),
            Err(error) => {
                tracing::warn!(%error, "a list of blocked people is not stored");
                return Err(Refusal::new(Reason::Unavailable));
            }
        }
        // It is stored: without their guests it holds for what the two do by their own ids.
        let guests = self.read_guests(&[member, other]).await.unwrap_or_default();
        self.note((member, other), kind, &guests);
        if let Some(cluster) = &self.cluster {
            let (member, other) = (member.clone(), other.clone());
            cluster.broadcast(&News::Blocked { member, other, kind, guests });
        }
        Ok(())
    }

    /// Takes in a change that is stored. Without a kind, the other one is on the list no more. `guests` are
    /// those of both, with their accounts.
    pub(crate) fn note(
        &self,
        (member, other): (&MemberId, &MemberId),
        kind: Option<BlockKind>,
        guests: &[(MemberId, MemberId)],
    ) {
        let mut known = KnownGuests::default();
        known.learn(guests);
        let mut online = lock(&self.online);
        online.changes += 1;
        if let Some(Entry { own, .. }) = online.members.get(member) {
            let mut lists = own.lock();
            lists.guests.learn(guests);
            match kind {
                Some(kind) => lists.own.insert(other.clone(), kind),
                None => lists.own.remove(other),
            };
        }
        let others = known.ids_of(other).filter_map(|id| online.members.get(id));
        for theirs in others {
            let mut lists = theirs.own.lock();
            lists.guests.learn(guests);
            if kind == Some(BlockKind::Block) {
                lists.blocked_by.insert(member.clone());
            } else {
                lists.blocked_by.remove(member);
            }
        }
    }

    /// Takes in that a guest belongs to an account. The lists of both are read again.
    pub(crate) fn note_guest(&self, guest: &MemberId, account: &MemberId) {
        let mut online = lock(&self.online);
        online.changes += 1;
        online.members.remove(guest);
        online.members.remove(account);
        for Entry { own, .. } in online.members.values() {
            own.note_guest(guest, account);
        }
    }
}

impl Online {
    /// One more session of a member follows their lists, if they are known.
    fn join(&mut self, member: &MemberId) -> Option<Arc<OwnBlocks>> {
        let Entry { own, sessions } = self.members.get_mut(member)?;
        *sessions += 1;
        Some(Arc::clone(own))
    }

    /// The same with lists that were read, unless those of another session are known now.
    fn enter(&mut self, member: &MemberId, own: OwnBlocks) -> Arc<OwnBlocks> {
        self.join(member).unwrap_or_else(|| {
            let own = Arc::new(own);
            let entry = Entry { own: Arc::clone(&own), sessions: 1 };
            self.members.insert(member.clone(), entry);
            own
        })
    }

    /// A session of a member has ended.
    fn leave(&mut self, member: &MemberId, own: &Arc<OwnBlocks>) {
        // After `note_guest` the entry may be another one.
        let entry = self.members.get_mut(member).filter(|entry| Arc::ptr_eq(&entry.own, own));
        let Some(Entry { sessions, .. }) = entry else { return };
        *sessions -= 1;
        if *sessions == 0 {
            self.members.remove(member);
            shrink(&mut self.members);
        }
    }
}

impl Following {
    /// The lists.
    pub(crate) const fn own(&self) -> &Arc<OwnBlocks> {
        &self.own
    }
}

impl Drop for Following {
    fn drop(&mut self) {
        lock(&self.blocks.online).leave(&self.member, &self.own);
    }
}

fn too_many() -> Refusal {
    Refusal::at_most(Reason::TooManyBlocks, BLOCKS_MAX)
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    // Nothing panics between two changes that belong together.
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::process::ids;

    #[test]
    fn members_who_have_left_are_forgotten() {
        let mut online = Online::default();
        let [ann, bob] = std::array::from_fn(|_| ids::new_member_id());
        let first = online.enter(&ann, OwnBlocks::default());
        let second = online.enter(&ann, OwnBlocks::default());
        assert!(Arc::ptr_eq(&first, &second), "the sessions of a member share the lists");
        let others = online.enter(&bob, OwnBlocks::default());
        online.leave(&ann, &first);
        assert!(online.members.contains_key(&ann));
        online.leave(&ann, &second);
        assert!(!online.members.contains_key(&ann));
        // Lists that were read again belong to the sessions that came after.
        online.members.remove(&bob);
        let again = online.enter(&bob, OwnBlocks::default());
        online.leave(&bob, &others);
        assert!(online.members.contains_key(&bob));
        online.leave(&bob, &again);
        assert!(online.members.is_empty());
    }
}
