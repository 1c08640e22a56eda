//! Limits of a search: budgets, cancellation, and the threads that a caller lends to it.
//!
//! The engine and the bots both need these, so they live apart from either.

use std::{
    fmt,
    sync::atomic::{AtomicBool, Ordering},
    time::Duration,
};

/// The most threads that a bot may be given.
pub const THREADS_MAX: usize = 64;

/// A game's time is divided by this many moves for the average of one.
const MOVES_AHEAD: u32 = 20;
/// The same for the longest.
const MOVES_AHEAD_LEAST: u32 = 6;

/// How much a search may do before it must answer.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Budget {
    /// The longest that it may take.
    pub time: Duration,
    /// How long a move takes on average, if that is less: a settled one takes less, and one in doubt takes more.
    pub average: Option<Duration>,
    /// The most positions that it may visit; `None` leaves it to the time alone.
    pub nodes: Option<u64>,
}

impl Budget {
    /// No limit, for unhurried analysis and for tests.
    pub const UNLIMITED: Self = Self { time: Duration::MAX, average: None, nodes: None };

    /// What a move may take of the time for a turn, and of the time that is left for the game, if that is limited:
    /// a twentieth on average, and a sixth at most, so that it never runs out.
    pub fn of_turn(turn: Duration, left: Option<Duration>) -> Self {
        let part = |moves| left.map_or(Duration::MAX, |left| left / moves);
        let time = turn.min(part(MOVES_AHEAD_LEAST));
        let average = Some(part(MOVES_AHEAD)).filter(|average| *average < time);
        Self { time, average, nodes: None }
    }

    /// The same for a search that always takes its whole time.
    pub fn without_average(self) -> Self {
        Self { time: self.average.unwrap_or(self.time), average: None, ..self }
    }
}

/// The terms of one search: its budget, the time that has passed, and a cancellation flag.
#[derive(Clone, Copy)]
pub struct Thinking<'a> {
    /// How much the search may do.
    pub budget: Budget,
    /// The time since the search began.
    pub elapsed: &'a (dyn Fn() -> Duration + Sync),
    /// Cancels the search: it answers at once with the best that it has found.
    pub cancel: &'a AtomicBool,
}

impl Thinking<'_> {
    /// Whether to answer now, after `nodes` positions.
    pub fn is_over(&self, nodes: u64) -> bool {
        self.budget.nodes.is_some_and(|most| nodes >= most)
            || self.cancel.load(Ordering::Relaxed)
            || (self.budget.time < Duration::MAX && (self.elapsed)() >= self.budget.time)
    }
}

impl Thinking<'static> {
    /// A search without limit that nobody cancels.
    pub fn unlimited() -> Self {
        static NEVER: AtomicBool = AtomicBool::new(false);
        Self { budget: Budget::UNLIMITED, elapsed: &|| Duration::ZERO, cancel: &NEVER }
    }
}

impl fmt::Debug for Thinking<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Thinking")
            .field("budget", &self.budget)
            .field("cancel", &self.cancel)
            .finish_non_exhaustive()
    }
}

/// A part of a search that can run on a thread of its own.
pub type SearchJob<'a> = Box<dyn FnOnce() + Send + 'a>;

/// Runs the first job on the calling thread and the others beside it; returns when all have ended.
pub type RunParallel = for<'a> fn(first: Box<dyn FnOnce() + 'a>, others: Vec<SearchJob<'a>>);

/// Threads that the caller lends to a search, which starts none itself.
#[derive(Clone, Copy, Debug)]
pub struct Threads {
    count: usize,
    run: RunParallel,
}

impl Threads {
    /// The calling thread alone.
    pub const ONE: Self = Self { count: 1, run: |first, _| first() };

    /// `count` threads, from 1 to [`THREADS_MAX`], the calling one among them.
    pub fn new(count: usize, run: RunParallel) -> Self {
        Self { count: count.clamp(1, THREADS_MAX), run }
    }

    /// How many threads, at least one.
    pub const fn count(self) -> usize {
        self.count
    }

    /// Runs one job for each thread; see [`RunParallel`].
    pub fn run<'a>(self, first: Box<dyn FnOnce() + 'a>, others: Vec<SearchJob<'a>>) {
        (self.run)(first, others);
    }
}

/// Two are equal if they have the same number of threads, however these are started.
impl PartialEq for Threads {
    fn eq(&self, other: &Self) -> bool {
        self.count == other.count
    }
}

impl Eq for Threads {}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_move_takes_a_part_of_the_time_for_the_game() {
        let ms = Duration::from_millis;
        let budget = |time, average| Budget { time, average, nodes: None };
        assert_eq!(Budget::of_turn(Duration::MAX, None), Budget::UNLIMITED);
        assert_eq!(Budget::of_turn(ms(100), Some(ms(2_000))), budget(ms(100), None));
        let in_time_trouble = Budget::of_turn(ms(100), Some(ms(300)));
        assert_eq!(in_time_trouble, budget(ms(50), Some(ms(15))));
        assert_eq!(in_time_trouble.without_average(), budget(ms(15), None));
    }

    #[test]
    fn thinking_ends_by_nodes_by_time_or_by_the_flag() {
        let cancelled = AtomicBool::new(true);
        let second: &(dyn Fn() -> Duration + Sync) = &|| Duration::from_secs(1);
        let free = Thinking::unlimited();
        let nodes = Budget { nodes: Some(10), ..Budget::UNLIMITED };
        let time = |seconds| Budget { time: Duration::from_secs(seconds), ..Budget::UNLIMITED };
        let cases = [
            (free, u64::MAX, false),
            (Thinking { budget: nodes, ..free }, 9, false),
            (Thinking { budget: nodes, ..free }, 10, true),
            (Thinking { budget: time(2), elapsed: second, ..free }, 0, false),
            (Thinking { budget: time(1), elapsed: second, ..free }, 0, true),
            (Thinking { cancel: &cancelled, ..free }, 0, true),
        ];
        for (thinking, looked_at, expected) in cases {
            assert_eq!(thinking.is_over(looked_at), expected, "{thinking:?}");
        }
    }
}
