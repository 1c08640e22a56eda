//! What the engine thinks of a whole game: how much each move lost, and where it was decided.

use serde::{Deserialize, Serialize};

use crate::{analysis::Value, protocol::GameId, rules::Point};

/// A game, move by move.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct Review {
    /// The moves in order.
    pub moves: Vec<ReviewedMove>,
    /// The ply of the first move after which the winner's chance never fell below
    /// [`DECIDED_CHANCE`] again; absent where nobody has won, or not from the board.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub decided: Option<usize>,
}

/// A move, and what could have been made of it.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct ReviewedMove {
    /// What the position before it was worth to the mover, with the best move.
    pub value: Value,
    /// How much of the chance of winning it lost, from 0 to 1; nothing if it was the best.
    pub loss: f64,
    /// The best move and what would have followed.
    pub line: Vec<Point>,
}

/// With this chance of winning a game counts as decided, if it stays so high.
pub const DECIDED_CHANCE: f64 = 0.9;

/// A review as the server tells it.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct GameReview {
    /// The game.
    pub id: GameId,
    /// What the engine thinks of it.
    #[serde(flatten)]
    pub review: Review,
}

/// How far the engine has come with a review that is not done.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct ReviewProgress {
    /// The game.
    pub id: GameId,
    /// How many of its moves are done.
    pub done: usize,
    /// How many there are.
    pub plies: usize,
}
