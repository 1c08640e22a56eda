//! Stops a search: counts positions, checks the clock from time to time, and tells when a move is settled.

use std::time::Duration;

use fivefold_shared::search_budget::Thinking;

use super::{search_numbers::NUMBERS, spots::Spot};

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

/// How much doubt there is about the best move, after each depth.
#[derive(Default, Debug)]
pub(super) struct Doubt {
    best: Option<Spot>,
    value: i32,
    /// For how many depths the best move has stayed the same.
    same: usize,
    /// Whether its value fell at the last depth.
    has_fallen: bool,
}

impl Doubt {
    /// A depth was searched, with this best move and its value.
    pub(super) fn note(&mut self, best: Spot, value: i32) {
        self.same = if self.best == Some(best) { self.same + 1 } else { 0 };
        self.has_fallen = value < self.value - NUMBERS.settled_fall;
        (self.best, self.value) = (Some(best), value);
    }

    /// Whether the move is good enough for this time, if moves take so long on average.
    pub(super) fn is_settled(&self, average: Duration, elapsed: Duration) -> bool {
        let percents = NUMBERS.settled_percent;
        let percent = percents[self.same.min(percents.len() - 1)];
        let more = if self.has_fallen { NUMBERS.settled_fall_percent } else { 100 };
        elapsed >= average.saturating_mul(percent * more) / 10_000
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_move_that_stays_the_best_is_settled_sooner() {
        let ms = Duration::from_millis;
        let is_settled = |doubt: &Doubt, after| doubt.is_settled(ms(100), ms(after));
        let mut doubt = Doubt::default();
        doubt.note(7, 0);
        assert!(!is_settled(&doubt, 219) && is_settled(&doubt, 220));
        for _ in 0..9 {
            doubt.note(7, 0);
        }
        assert!(!is_settled(&doubt, 64) && is_settled(&doubt, 65));
        // A value that falls, and a move that changes.
        doubt.note(7, -100);
        assert!(!is_settled(&doubt, 97) && is_settled(&doubt, 98));
        doubt.note(8, -100);
        assert!(!is_settled(&doubt, 219) && is_settled(&doubt, 220));
    }
}
