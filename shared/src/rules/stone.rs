//! The two colours.

use std::fmt;

use serde::{Deserialize, Serialize};

/// A stone's colour, and with it a side of the game. Black moves first.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema, ts_rs::TS))]
#[serde(rename_all = "snake_case")]
pub enum Stone {
    /// The side that moves first (crosses, in tic-tac-toe).
    Black,
    /// The side that moves second (noughts, in tic-tac-toe).
    White,
}

impl Stone {
    /// Both colours, Black first.
    pub const BOTH: [Self; 2] = [Self::Black, Self::White];

    /// The other colour.
    pub const fn opponent(self) -> Self {
        match self {
            Self::Black => Self::White,
            Self::White => Self::Black,
        }
    }

    /// Whose turn it is after `ply` moves.
    pub const fn to_move(ply: usize) -> Self {
        if ply.is_multiple_of(2) { Self::Black } else { Self::White }
    }
}

impl fmt::Display for Stone {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Black => "Black",
            Self::White => "White",
        })
    }
}
