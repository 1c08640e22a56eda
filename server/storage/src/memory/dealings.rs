//! Where accounts were used, in memory.

use std::collections::HashMap;

use fivefold_shared::protocol::MemberId;

use crate::{Trace, limits::TRACES_MAX};

/// The traces of all accounts.
#[derive(Debug, Default)]
pub(super) struct Traces(HashMap<MemberId, Vec<Trace>>);

impl Traces {
    /// Notes where an account was used, and forgets the oldest if there are too many.
    pub(super) fn note(&mut self, member: &MemberId, traces: &[Trace]) {
        let own = self.0.entry(member.clone()).or_default();
        for trace in traces {
            let is_it = |known: &&mut Trace| (known.kind, known.mark) == (trace.kind, trace.mark);
            match own.iter_mut().find(is_it) {
                Some(known) => known.at = known.at.max(trace.at),
                None => own.push(*trace),
            }
            own.sort_by_key(|known| (std::cmp::Reverse(known.at), known.kind.as_str(), known.mark));
            let mut left = TRACES_MAX;
            own.retain(|known| {
                let stays = known.kind != trace.kind || left > 0;
                left -= usize::from(stays && known.kind == trace.kind);
                stays
            });
        }
    }

    /// Deletes what matters no more, at most so many.
    pub(super) fn prune(&mut self, now: u64, rows_max: usize) -> usize {
        let mut pruned = 0;
        self.0.retain(|_, own| {
            own.retain(|trace| {
                let goes = pruned < rows_max && !trace.is_fresh(now);
                pruned += usize::from(goes);
                !goes
            });
            !own.is_empty()
        });
        pruned
    }

    /// Those of a member.
    pub(super) fn of(&self, member: &MemberId) -> Vec<Trace> {
        self.0.get(member).cloned().unwrap_or_default()
    }

    /// Forgets those of these members.
    pub(super) fn forget(&mut self, of: impl Fn(&MemberId) -> bool) {
        self.0.retain(|member, _| !of(member));
    }
}
