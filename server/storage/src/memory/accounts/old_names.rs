//! The names that accounts in memory had before. It does not know how long they are kept.

use std::collections::BTreeMap;

use fivefold_shared::protocol::MemberId;

use crate::OldName;

/// Old names by their likeness.
#[derive(Debug, Default)]
pub(super) struct OldNames(BTreeMap<String, (MemberId, OldName)>);

impl OldNames {
    pub(super) fn keep(&mut self, likeness: String, member: &MemberId, name: OldName) {
        self.0.insert(likeness, (member.clone(), name));
    }

    /// The name is a current one again.
    pub(super) fn free(&mut self, likeness: &str) {
        self.0.remove(likeness);
    }

    pub(super) fn owner(&self, likeness: &str) -> Option<&MemberId> {
        self.0.get(likeness).map(|(member, _)| member)
    }

    /// The names of a member, the newest first.
    pub(super) fn of(&self, member: &MemberId) -> Vec<OldName> {
        let own = self.0.values().filter(|(owner, _)| owner == member);
        let mut names: Vec<_> = own.map(|(_, name)| name.clone()).collect();
        names.sort_by_key(|name| std::cmp::Reverse(name.at));
        names
    }

    /// Deletes names that were given up until then; returns how many.
    pub(super) fn prune(&mut self, before: u64, rows_max: usize) -> usize {
        let mut pruned = 0;
        self.0.retain(|_, (_, name)| {
            let is_over = pruned < rows_max && name.at <= before;
            pruned += usize::from(is_over);
            !is_over
        });
        pruned
    }
}
