//! The review of a whole game: how much each move lost, and where the game was decided.
//!
//! The engine makes it, and the protocol carries it.

use serde::{Deserialize, Serialize};

use crate::{analysis::Value, protocol::GameId, rules::Point};

/// A game, move by move.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema, ts_rs::TS))]
pub struct Review {
    /// The moves in order.
    pub moves: Vec<ReviewedMove>,
    /// The ply of the first move after which the winner's chance never fell below
    /// [`DECIDED_CHANCE`] again; absent where nobody has won, or not from the board.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub decided: Option<usize>,
}

/// A move, and the best alternative.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema, ts_rs::TS))]
pub struct ReviewedMove {
    /// The value of the position before it for the mover, with the best move.
    pub value: Value,
    /// The chance of winning that it lost, from 0 to 1; 0 if it was the best.
    pub loss: f64,
    /// The best move with its continuation.
    pub line: Vec<Point>,
}

/// With this chance of winning a game counts as decided, if it stays so high.
pub const DECIDED_CHANCE: f64 = 0.9;

/// A review as the server sends it.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema, ts_rs::TS))]
pub struct GameReview {
    /// The game.
    pub id: GameId,
    /// The engine's review of it.
    #[serde(flatten)]
    pub review: Review,
}

/// Progress of an unfinished review.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema, ts_rs::TS))]
pub struct ReviewProgress {
    /// The game.
    pub id: GameId,
    /// The number of reviewed moves.
    pub done: usize,
    /// The number of moves.
    pub plies: usize,
}

/// The moves of one side of a game, beside those of the engine.
#[derive(Clone, Copy, PartialEq, Debug, Default, Serialize, Deserialize)]
pub struct Agreement {
    /// How often the side had a choice after the opening.
    pub choices: u32,
    /// How often it then played the engine's first move.
    pub firsts: u32,
    /// The chance of winning that its moves lost then, from 0 to 1 for each, all together.
    pub loss: f64,
    /// Its chance of winning in the last position, from 0 to 1.
    pub last_chance: f64,
}
