//! The [`Bot`] trait, and the resources of the machine that a bot may use.

use std::fmt;

use fivefold_shared::{
    analysis::Weight,
    rules::{Point, Position},
    search_budget::{Thinking, Threads},
};

/// A player that chooses its own moves and can weigh each candidate.
///
/// Both replies depend on the position, the seed and the earlier calls. They do not depend on time
/// unless the search is cut short.
pub trait Bot: Send + fmt::Debug {
    /// The move to play, always legal. A bot replies even when its time is up at once; `None` means
    /// that the game is over.
    fn choose(&mut self, position: &Position, thinking: &Thinking<'_>) -> Option<Point>;

    /// The weight of each candidate for the side to move, best first, ties by point. When the
    /// search is cut short, the remaining candidates are missing or unproven.
    fn weigh(&mut self, position: &Position, thinking: &Thinking<'_>) -> Vec<Weight>;

    /// Forgets everything, to play the next game as a new bot with this seed would. Keeps its
    /// memory allocated, because allocation is slow.
    fn restart(&mut self, seed: u64);
}

/// The machine resources that a bot may use; only the engine needs them.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Resources {
    /// Memory for remembered positions.
    pub hash_bytes: usize,
    /// Threads to search with. Levels with a limit of positions use one.
    pub threads: Threads,
}

impl Default for Resources {
    fn default() -> Self {
        Self { hash_bytes: 8 << 20, threads: Threads::ONE }
    }
}
