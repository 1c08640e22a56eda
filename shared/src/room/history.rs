//! The last events of a room, kept so that a returning client gets exactly those it missed.

use std::collections::VecDeque;

use crate::protocol::NumberedEvent;

use crate::room::limits::HISTORY_EVENTS_MAX;

/// At most [`HISTORY_EVENTS_MAX`] events without gaps, up to the last one.
#[derive(Clone, Debug, Default)]
pub(super) struct History(VecDeque<NumberedEvent>);

impl History {
    /// The end of a log.
    pub(super) fn from_log<'a>(
        log: impl DoubleEndedIterator<Item = &'a NumberedEvent> + ExactSizeIterator,
    ) -> Self {
        let old = log.len().saturating_sub(HISTORY_EVENTS_MAX);
        Self(log.skip(old).cloned().collect())
    }

    /// Adds the next event and drops the oldest if there are too many.
    pub(super) fn push(&mut self, event: NumberedEvent) {
        if self.0.len() == HISTORY_EVENTS_MAX {
            self.0.pop_front();
        }
        self.0.push_back(event);
    }

    /// Every event after number `after`; `None` if some are no longer kept, or if there are not
    /// that many yet.
    pub(super) fn since(&self, after: u64) -> Option<Vec<NumberedEvent>> {
        let last = self.0.back()?.seq;
        let missing = usize::try_from(last.checked_sub(after)?).ok()?;
        let old = self.0.len().checked_sub(missing)?;
        Some(self.0.iter().skip(old).cloned().collect())
    }
}
