//! Puzzles: positions in which exactly one move wins by force.
//!
//! [`Solver`] finds the win, proves that no other first move wins, and answers a player's moves with
//! the defence that lasts longest. The example `puzzles` makes puzzles from games; [`PuzzleSet`] is
//! their file.
//!
//! A win is proven: every answer to each of its threats was searched. That another move does not win
//! is as good as the search that tried it, which visits [`REFUTE_TIMES`] as many positions as the one
//! that found the win.

mod file;
mod solver;

pub use self::{
    file::{PuzzleFileError, PuzzleId, PuzzleIdError, PuzzleSet},
    solver::{
        Answer, FIND_NODES, Flaw, REFUTE_ALL_NODES_MIN, REFUTE_NODES_MIN, REFUTE_TIMES, Solution,
        Solver,
    },
};

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
