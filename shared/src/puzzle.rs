//! Puzzles: positions in which exactly one move wins by force; their names, and their file.
//!
//! The engine's crate finds and proves the wins.

mod file;

pub use self::file::{PuzzleFileError, PuzzleId, PuzzleIdError, PuzzleSet};

use strum::{EnumString, IntoStaticStr};

use crate::rules::Point;

/// What the win takes. In files: `fours`, `threes` or `trap`.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, EnumString, IntoStaticStr)]
#[strum(serialize_all = "snake_case")]
pub enum PuzzleKind {
    /// Fours alone.
    Fours,
    /// Fours and open threes.
    Threes,
    /// Renju forbids Black to answer White's last four.
    Trap,
}

/// A position, its winning move, and what the win takes.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Puzzle {
    /// The moves that led here.
    pub moves: Vec<Point>,
    /// The only first move that wins.
    pub first: Point,
    /// Moves of the winner against the longest defence, the last one included.
    pub length: u8,
    /// What the win takes.
    pub kind: PuzzleKind,
}
