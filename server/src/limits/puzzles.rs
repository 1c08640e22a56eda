//! Limits of puzzles.

/// Most moves of a try at a puzzle, the answers included. The longest shipped puzzle takes 23.
pub const PUZZLE_LINE_MAX: usize = 61;
/// How many puzzles near their rating a player chooses the next one from.
pub const PUZZLES_NEAR: usize = 20;
