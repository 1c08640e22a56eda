//! What is thought of a position: values, lines, and how deep was looked.
//!
//! The engine makes these, and the protocol carries them; neither knows the other.

use std::time::Duration;

use serde::{Deserialize, Serialize};

use crate::rules::Point;

/// What a position or a move is worth to the side to move. On the wire: `{"chance": 0.61}`,
/// `{"win": {"plies": 7}}`, `{"win": {}}`, `{"loss": {"plies": 4}}`.
#[derive(Clone, Copy, PartialEq, Debug, Serialize, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
#[serde(rename_all = "snake_case")]
pub enum Value {
    /// The probability of winning, from 0 to 1.
    Chance(f64),
    /// A proven win, in so many plies from here, or after a number that was not counted.
    Win {
        /// Plies until the game is won, the next move included.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        plies: Option<u16>,
    },
    /// A proven loss.
    Loss {
        /// Plies until the game is lost.
        plies: u16,
    },
}

impl Value {
    /// The probability of winning: 1 and 0 where it is proven.
    pub const fn chance(self) -> f64 {
        match self {
            Self::Chance(chance) => chance,
            Self::Win { .. } => 1.0,
            Self::Loss { .. } => 0.0,
        }
    }
}

/// A move and what follows. On the wire: `{"value": {"chance": 0.61}, "moves": [[7, 7], [8, 8]]}`.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct Line {
    /// What the first of the moves is worth.
    pub value: Value,
    /// The best moves of both sides, as far as they are known; at least one.
    pub moves: Vec<Point>,
}

/// How far an analysis has come, in numbers that people ask for.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct Report {
    /// How many plies ahead was searched.
    pub depth: u16,
    /// How many positions were looked at.
    pub nodes: u64,
    /// How many of them in a second.
    pub nodes_per_second: u64,
    /// The best moves and what follows, the best first.
    pub lines: Vec<Line>,
}

/// What the engine thinks of a position.
#[derive(Clone, PartialEq, Debug)]
pub struct Analysis {
    /// The best moves with their lines, best first; as many as were asked for, where there are
    /// that many; at least one.
    pub lines: Vec<Line>,
    /// How many plies ahead was searched.
    pub depth: u16,
    /// How many positions were looked at.
    pub nodes: u64,
}

/// How many of `nodes` positions were looked at in a second of `time`.
pub fn nodes_per_second(nodes: u64, time: Duration) -> u64 {
    let per_second = u128::from(nodes) * 1_000_000 / time.as_micros().max(1);
    u64::try_from(per_second).unwrap_or(u64::MAX)
}

impl Analysis {
    /// The best move.
    pub fn best(&self) -> Point {
        self.lines[0].moves[0]
    }
}
