//! The lists around one member: who they have blocked or muted, and who has blocked them.
//!
//! It does not know where they are stored, and who looks at them.

use std::{
    collections::{HashMap, HashSet},
    sync::{Mutex, MutexGuard, PoisonError},
};

use fivefold_shared::protocol::MemberId;

use crate::storage::{BlockKind, BlockLists};

/// The lists around one member. All sessions of the member share it.
#[derive(Debug, Default)]
pub(crate) struct OwnBlocks(Mutex<Lists>);

#[derive(Debug, Default)]
pub(crate) struct Lists {
    pub(crate) own: HashMap<MemberId, BlockKind>,
    pub(crate) blocked_by: HashSet<MemberId>,
}

impl OwnBlocks {
    pub(crate) fn of(lists: BlockLists) -> Self {
        let own = lists.own.into_iter().map(|entry| (entry.other, entry.kind)).collect();
        Self(Mutex::new(Lists { own, blocked_by: lists.blocked_by.into_iter().collect() }))
    }

    /// Whether the member sees chat of another one.
    pub(crate) fn hears(&self, other: &MemberId) -> bool {
        let lists = self.lock();
        !lists.own.contains_key(other) && !lists.blocked_by.contains(other)
    }

    /// Whether neither of the two has blocked the other.
    pub(crate) fn meets(&self, other: &MemberId) -> bool {
        let lists = self.lock();
        lists.own.get(other) != Some(&BlockKind::Block) && !lists.blocked_by.contains(other)
    }

    /// Whether the member has blocked another one.
    pub(crate) fn has_blocked(&self, other: &MemberId) -> bool {
        self.lock().own.get(other) == Some(&BlockKind::Block)
    }

    /// Those that the member has blocked, in order.
    pub(crate) fn blocked(&self) -> Vec<MemberId> {
        let lists = self.lock();
        let blocked = lists.own.iter().filter(|(_, kind)| **kind == BlockKind::Block);
        let mut blocked: Vec<_> = blocked.map(|(other, _)| other.clone()).collect();
        blocked.sort_unstable();
        blocked
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
    use crate::{ids, storage::BlockEntry};

    #[test]
    fn a_block_goes_both_ways_and_muting_one_way() {
        let [ann, bob, eve] = [(); 3].map(|()| ids::new_member_id());
        let entry = |other: &MemberId, kind| BlockEntry {
            other: other.clone(),
            name: Name::new("Somebody").unwrap(),
            kind,
            at: 1,
        };
        let own = OwnBlocks::of(BlockLists {
            own: vec![entry(&ann, BlockKind::Block), entry(&bob, BlockKind::Mute)],
            blocked_by: vec![eve.clone()],
        });
        // Who, and whether the member hears them, meets them, and has blocked them.
        let cases = [
            (&ann, false, false, true),
            (&bob, false, true, false),
            (&eve, false, false, false),
            (&ids::new_member_id(), true, true, false),
        ];
        for (other, hears, meets, has_blocked) in cases {
            assert_eq!(
                (own.hears(other), own.meets(other), own.has_blocked(other)),
                (hears, meets, has_blocked)
            );
        }
        assert_eq!(own.blocked(), [ann]);
    }
}
