//! The lists around one member: who they have blocked or muted, and who has blocked them.
//!
//! It does not know where they are stored, and who looks at them.

use std::{
    collections::{BTreeSet, HashMap, HashSet},
    iter,
    sync::{Mutex, MutexGuard, PoisonError},
};

use fivefold_shared::protocol::MemberId;
use fivefold_storage::{BlockKind, BlockLists};

/// The lists around one member. All sessions of the member share it.
#[derive(Debug, Default)]
pub(crate) struct OwnBlocks(Mutex<Lists>);

#[derive(Debug, Default)]
pub(crate) struct Lists {
    pub(crate) own: HashMap<MemberId, BlockKind>,
    pub(crate) blocked_by: HashSet<MemberId>,
    /// Of the people on both lists. They play on by the ids of their guests.
    pub(crate) guests: KnownGuests,
}

/// Guests, and the accounts that they belong to.
#[derive(Debug, Default)]
pub(crate) struct KnownGuests {
    accounts: HashMap<MemberId, MemberId>,
    guests: HashMap<MemberId, BTreeSet<MemberId>>,
}

impl KnownGuests {
    /// Takes in guests with their accounts.
    pub(crate) fn learn(&mut self, guests: &[(MemberId, MemberId)]) {
        for (guest, account) in guests {
            self.accounts.insert(guest.clone(), account.clone());
            self.guests.entry(account.clone()).or_default().insert(guest.clone());
        }
    }

    /// All ids of the person with this one, the account's first.
    pub(crate) fn ids_of<'t>(&'t self, id: &'t MemberId) -> impl Iterator<Item = &'t MemberId> {
        let account = self.accounts.get(id).unwrap_or(id);
        iter::once(account).chain(self.guests.get(account).into_iter().flatten())
    }
}

impl Lists {
    fn is_on(&self, id: &MemberId, kinds: &[BlockKind]) -> bool {
        self.guests.ids_of(id).any(|id| self.own.get(id).is_some_and(|kind| kinds.contains(kind)))
    }

    fn is_blocked_by(&self, id: &MemberId) -> bool {
        self.guests.ids_of(id).any(|id| self.blocked_by.contains(id))
    }
}

impl OwnBlocks {
    /// `guests` are those of the people on the lists, with their accounts.
    pub(crate) fn of(lists: BlockLists, guests: &[(MemberId, MemberId)]) -> Self {
        let own = lists.own.into_iter().map(|entry| (entry.other, entry.kind)).collect();
        let blocked_by = lists.blocked_by.into_iter().collect();
        let mut lists = Lists { own, blocked_by, guests: KnownGuests::default() };
        lists.guests.learn(guests);
        Self(Mutex::new(lists))
    }

    /// Whether the member sees chat of another one.
    pub(crate) fn hears(&self, other: &MemberId) -> bool {
        let lists = self.lock();
        !lists.is_on(other, &[BlockKind::Block, BlockKind::Mute]) && !lists.is_blocked_by(other)
    }

    /// Whether neither of the two has blocked the other.
    pub(crate) fn meets(&self, other: &MemberId) -> bool {
        let lists = self.lock();
        !lists.is_on(other, &[BlockKind::Block]) && !lists.is_blocked_by(other)
    }

    /// Whether the member has blocked another one.
    pub(crate) fn has_blocked(&self, other: &MemberId) -> bool {
        self.lock().is_on(other, &[BlockKind::Block])
    }

    /// Those that the member has blocked, by all of their ids, in order.
    pub(crate) fn blocked(&self) -> Vec<MemberId> {
        let lists = self.lock();
        let blocked = lists.own.iter().filter(|(_, kind)| **kind == BlockKind::Block);
        let ids: BTreeSet<_> = blocked.flat_map(|(other, _)| lists.guests.ids_of(other)).collect();
        ids.into_iter().cloned().collect()
    }

    /// A guest belongs to an account from now on. Others than those on the lists do not matter.
    pub(crate) fn note_guest(&self, guest: &MemberId, account: &MemberId) {
        let mut lists = self.lock();
        let is_listed = |id: &MemberId| lists.own.contains_key(id) || lists.blocked_by.contains(id);
        if lists.guests.ids_of(account).any(is_listed) || is_listed(guest) {
            lists.guests.learn(&[(guest.clone(), account.clone())]);
        }
    }

    pub(crate) fn lock(&self) -> MutexGuard<'_, Lists> {
        // Each change is complete before the lock is released.
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use fivefold_shared::protocol::Name;

    use super::*;
    use crate::process::ids;
    use fivefold_storage::BlockEntry;

    fn entry(other: &MemberId, kind: BlockKind) -> BlockEntry {
        BlockEntry { other: other.clone(), name: Name::new("Somebody").unwrap(), kind, at: 1 }
    }

    /// Whether the member hears them, meets them, and has blocked them.
    fn check(own: &OwnBlocks, other: &MemberId, expected: (bool, bool, bool)) {
        assert_eq!((own.hears(other), own.meets(other), own.has_blocked(other)), expected);
    }

    const FREE: (bool, bool, bool) = (true, true, false);
    const BLOCKED: (bool, bool, bool) = (false, false, true);
    const MUTED: (bool, bool, bool) = (false, true, false);
    const BLOCKED_BY: (bool, bool, bool) = (false, false, false);

    #[test]
    fn a_block_goes_both_ways_and_muting_one_way() {
        let [ann, bob, eve] = [(); 3].map(|()| ids::new_member_id());
        let lists = BlockLists {
            own: vec![entry(&ann, BlockKind::Block), entry(&bob, BlockKind::Mute)],
            blocked_by: vec![eve.clone()],
        };
        let own = OwnBlocks::of(lists, &[]);
        check(&own, &ann, BLOCKED);
        check(&own, &bob, MUTED);
        check(&own, &eve, BLOCKED_BY);
        check(&own, &ids::new_member_id(), FREE);
        assert_eq!(own.blocked(), [ann]);
    }

    #[test]
    fn a_block_holds_for_all_ids_of_a_person() {
        let [ann, guest, other_guest, bob, late] = [(); 5].map(|()| ids::new_member_id());
        // Ann is on the list by the id of a guest.
        let lists = BlockLists {
            own: vec![entry(&guest, BlockKind::Block)],
            blocked_by: vec![bob.clone()],
        };
        let known = [(guest.clone(), ann.clone()), (other_guest.clone(), ann.clone())];
        let own = OwnBlocks::of(lists, &known);
        for id in [&ann, &guest, &other_guest] {
            check(&own, id, BLOCKED);
        }
        let mut all = [ann, guest, other_guest];
        all.sort_unstable();
        assert_eq!(own.blocked(), all);
        check(&own, &late, FREE);
        own.note_guest(&late, &bob);
        check(&own, &late, BLOCKED_BY);
        own.note_guest(&ids::new_member_id(), &ids::new_member_id());
        assert_eq!(own.lock().guests.accounts.len(), 3, "others do not matter");
    }
}
