//! Stops a search: counts positions, and checks the clock from time to time.

use std::time::Duration;

use fivefold_shared::search_budget::Thinking;

/// Positions between two checks of the clock: at less than a microsecond each this stays far below
/// the 5 ms within which the engine stops.
const UNTIL_NEXT_LOOK: u64 = 512;

/// The limits of one search, and its progress.
#[derive(Debug)]
pub(super) struct SearchLimits<'a> {
    thinking: &'a Thinking<'a>,
    nodes: u64,
    next_look: u64,
    last_look: Duration,
    /// The longest time between two checks. On a busy machine a thread may have to wait between
    /// them, and may have to again.
    longest: Duration,
    is_over: bool,
}

impl<'a> SearchLimits<'a> {
    /// A search that has not begun.
    pub(super) const fn new(thinking: &'a Thinking<'a>) -> Self {
        Self {
            thinking,
            nodes: 0,
            next_look: 0,
            last_look: Duration::ZERO,
            longest: Duration::ZERO,
            is_over: false,
        }
    }

    /// Counts positions, and returns whether the search is over.
    #[inline]
    pub(super) fn count(&mut self, nodes: u64) -> bool {
        self.nodes += nodes;
        if self.nodes >= self.next_look {
            self.look();
        }
        self.is_over
    }

    #[cold]
    fn look(&mut self) {
        let most = self.thinking.budget.nodes.unwrap_or(u64::MAX);
        self.next_look = (self.nodes + UNTIL_NEXT_LOOK).min(most.max(self.nodes + 1));
        self.is_over |= self.thinking.is_over(self.nodes) || self.is_nearly_over();
    }

    /// Whether time would run out before the next check, if that takes as long as the longest so
    /// far. At least half of the given time is always used.
    fn is_nearly_over(&mut self) -> bool {
        let time = self.thinking.budget.time;
        if time == Duration::MAX {
            return false;
        }
        let now = (self.thinking.elapsed)();
        self.longest = self.longest.max(now.saturating_sub(self.last_look));
        self.last_look = now;
        now >= time / 2 && now + self.longest >= time
    }

    /// Whether the search is over, as of the last check.
    pub(super) const fn is_over(&self) -> bool {
        self.is_over
    }

    /// How many positions have been counted.
    pub(super) const fn nodes(&self) -> u64 {
        self.nodes
    }
}
