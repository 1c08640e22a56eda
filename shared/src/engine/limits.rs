//! When to stop: counts the positions looked at, and asks now and then whether time is up.

use crate::bot::Thinking;

/// How many positions may pass between two looks at the clock: at less than a microsecond each this
/// stays far below the 5 ms within which the engine stops, even after a search for fours.
const UNTIL_NEXT_LOOK: u64 = 512;

/// The limits of one search, and how far it has come.
#[derive(Debug)]
pub(super) struct Limits<'a> {
    thinking: &'a Thinking<'a>,
    nodes: u64,
    next_look: u64,
    is_over: bool,
}

impl<'a> Limits<'a> {
    /// A search that has not begun.
    pub(super) const fn new(thinking: &'a Thinking<'a>) -> Self {
        Self { thinking, nodes: 0, next_look: 0, is_over: false }
    }

    /// Counts positions, and says whether the search is over.
    pub(super) fn count(&mut self, nodes: u64) -> bool {
        self.nodes += nodes;
        if self.thinking.budget.nodes.is_some_and(|most| self.nodes >= most) {
            self.is_over = true;
        } else if self.nodes >= self.next_look {
            self.next_look = self.nodes + UNTIL_NEXT_LOOK;
            self.is_over |= self.thinking.is_over(self.nodes);
        }
        self.is_over
    }

    /// Whether the search is over, as of the last look.
    pub(super) const fn is_over(&self) -> bool {
        self.is_over
    }

    /// How many positions were counted.
    pub(super) const fn nodes(&self) -> u64 {
        self.nodes
    }
}
