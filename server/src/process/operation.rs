//! What operators see and do about this node as a whole: since when it runs, whether they have paused new rooms here,
//! what they have done, and the link that makes the first of them. A node that joins its cluster again keeps it; a
//! restart forgets it, and the audit log keeps the acts.

use std::{
    collections::VecDeque,
    sync::{
        Mutex, MutexGuard, OnceLock, PoisonError,
        atomic::{AtomicBool, Ordering},
    },
};

use fivefold_shared::protocol::Name;
use serde::{Deserialize, Serialize};

#[cfg(test)]
use crate::http::Named;
use crate::{limits::operators::ACTS_KEPT, process::operator_link::OperatorLink};

/// This node, for its operators.
#[derive(Debug, Default)]
pub struct Operation {
    /// Makes the first operator.
    pub(crate) link: OperatorLink,
    /// In milliseconds since the Unix epoch.
    started_at: OnceLock<u64>,
    is_paused: AtomicBool,
    /// The last acts, the oldest first. Locked to read them, or to add one.
    acts: Mutex<VecDeque<Act>>,
}

/// Something that an operator has done on this server.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema), schemars(rename = "OperatorAct"))]
pub(crate) struct Act {
    /// When, in milliseconds since the Unix epoch.
    pub(crate) at: u64,
    /// Who.
    #[cfg_attr(test, schemars(with = "Named<Name>"))]
    pub(crate) operator: Name,
    /// What.
    pub(crate) kind: ActKind,
    /// The announcement, the node, the room, or what became of the settings.
    pub(crate) about: String,
    /// What the operator says about it, where they say something.
    pub(crate) reason: Option<String>,
}

/// A kind of act.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema), schemars(rename = "OperatorActKind"))]
#[serde(rename_all = "snake_case")]
pub(crate) enum ActKind {
    /// The first operator was made.
    FirstOperator,
    /// Everybody was told something.
    Announce,
    /// That was taken back.
    EndAnnouncement,
    /// A node takes no new rooms.
    Pause,
    /// It takes them again.
    Resume,
    /// A room was closed.
    CloseRoom,
    /// A room was told to close, and did not say in time whether it has.
    AskToClose,
    /// The settings were read again.
    ReadSettings,
}

impl Operation {
    /// A node whose first operator is made by this link.
    pub fn with_link(link: OperatorLink) -> Self {
        Self { link, ..Self::default() }
    }

    /// When the node started, in milliseconds since the Unix epoch: the time of the first call.
    pub(crate) fn started_at(&self, now: u64) -> u64 {
        *self.started_at.get_or_init(|| now)
    }

    /// Whether the node takes no new rooms until an operator lets it.
    pub(crate) fn is_paused(&self) -> bool {
        self.is_paused.load(Ordering::Relaxed)
    }

    /// Pauses new rooms, or ends that. Returns whether this changes anything.
    pub(crate) fn pause(&self, pauses: bool) -> bool {
        let has_changed = self.is_paused.swap(pauses, Ordering::Relaxed) != pauses;
        if has_changed {
            let what = if pauses { "paused" } else { "resumed" };
            tracing::info!("an operator has {what} new games on this node");
        }
        has_changed
    }

    /// Keeps an act.
    pub(crate) fn note(&self, act: Act) {
        let mut acts = self.acts();
        if acts.len() >= ACTS_KEPT {
            acts.pop_front();
        }
        acts.push_back(act);
    }

    /// The last acts, the oldest first.
    pub(crate) fn latest(&self) -> Vec<Act> {
        self.acts().iter().cloned().collect()
    }

    fn acts(&self) -> MutexGuard<'_, VecDeque<Act>> {
        // Nothing panics between two changes that belong together.
        self.acts.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_last_acts_are_kept() {
        let operation = Operation::default();
        assert_eq!((operation.started_at(7), operation.started_at(8)), (7, 7));
        for at in 0..=ACTS_KEPT as u64 {
            let operator = Name::new("Ann").unwrap();
            let (kind, about) = (ActKind::Pause, "1".to_owned());
            operation.note(Act { at, operator, kind, about, reason: None });
        }
        let kept = operation.latest();
        assert_eq!((kept.len(), kept[0].at), (ACTS_KEPT, 1));
        assert!(operation.pause(true) && !operation.pause(true) && operation.is_paused());
        assert!(operation.pause(false) && !operation.is_paused());
    }
}
