//! Limits of puzzles.

use std::time::Duration;

/// Most moves of a try at a puzzle, the answers included. The longest shipped puzzle takes 23.
pub const PUZZLE_LINE_MAX: usize = 61;
/// Most tries of a member that count in [`PUZZLE_TRIES_WITHIN`].
pub const PUZZLE_TRIES_MAX: u64 = 20;
/// The time for so many tries.
pub const PUZZLE_TRIES_WITHIN: Duration = Duration::from_secs(60);
/// How many puzzles near their rating a player chooses the next one from.
pub const PUZZLES_NEAR: usize = 20;
/// Most tries in the history of somebody's puzzle rating: the latest. The next puzzles are those that are not
/// in it, so there are no more puzzles than this.
pub const PUZZLE_HISTORY_MAX: usize = 2_000;
/// Most tries that the storage in memory keeps.
pub const MEMORY_PUZZLE_TRIES_MAX: usize = 100_000;
