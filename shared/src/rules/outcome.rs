//! How a game ends.

use std::fmt;

use serde::{Deserialize, Serialize};

use super::{Point, Stone};

/// The kinds of moves that renju forbids to Black.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema, ts_rs::TS))]
#[serde(rename_all = "snake_case")]
pub enum Forbidden {
    /// Two or more threes meet in the stone.
    DoubleThree,
    /// Two or more fours meet in the stone.
    DoubleFour,
    /// A run of six or more.
    Overline,
}

impl fmt::Display for Forbidden {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::DoubleThree => "double-three",
            Self::DoubleFour => "double-four",
            Self::Overline => "overline",
        })
    }
}

/// How a game ended, and which side won: a stone on the board, a seat in rooms and records. On the
/// wire: `{"reason": "five", "winner": "first", ...}`.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema, ts_rs::TS), schemars(rename = "OutcomeBy{Side}"))]
#[serde(tag = "reason", rename_all = "snake_case")]
pub enum Outcome<Side = Stone> {
    /// The winning run (or runs, when one stone completed several): five stones, or as many as the
    /// variant asks for, or more where it counts longer runs.
    Five {
        /// The winner.
        winner: Side,
        /// Every point of the winning runs, sorted, each once.
        points: Vec<Point>,
    },
    /// Black, in renju, had no move left that is not forbidden.
    Forbidden {
        /// The winner: White.
        winner: Side,
        /// The first of the forbidden points, by [`Point`]'s order.
        point: Point,
        /// Why that point is forbidden.
        kind: Forbidden,
    },
    /// The loser gave up.
    Resignation {
        /// The winner.
        winner: Side,
    },
    /// Both agreed to a draw.
    Agreement,
    /// The loser's time ran out.
    Time {
        /// The winner.
        winner: Side,
    },
    /// A player was gone for so long that the opponent claimed the win, or a draw; or that the
    /// game ended by itself.
    Abandonment {
        /// The winner; nobody in a draw, and where both players were gone.
        #[serde(skip_serializing_if = "Option::is_none")]
        winner: Option<Side>,
    },
    /// Before both had acted, a player left a game with somebody whom the server had found for them,
    /// or was too late with their first act; or an operator closed the room. It does not count as a game.
    Aborted {
        /// The player who aborted it, or did not begin in time; nobody if an operator closed the room.
        #[serde(skip_serializing_if = "Option::is_none")]
        by: Option<Side>,
    },
    /// Every point is taken: a draw.
    FullBoard,
    /// The unbounded board's longest game was reached: a draw.
    LengthLimit,
}

impl<Side: Copy> Outcome<Side> {
    /// The winner; nobody in a draw, and in an aborted game.
    pub const fn winner(&self) -> Option<Side> {
        match self {
            Self::Five { winner, .. }
            | Self::Forbidden { winner, .. }
            | Self::Resignation { winner }
            | Self::Time { winner } => Some(*winner),
            Self::Abandonment { winner } => *winner,
            Self::Agreement | Self::Aborted { .. } | Self::FullBoard | Self::LengthLimit => None,
        }
    }

    /// Whether this is a draw: nobody won, and the game counts.
    pub const fn is_draw(&self) -> bool {
        match self {
            Self::Abandonment { winner } => winner.is_none(),
            Self::Agreement | Self::FullBoard | Self::LengthLimit => true,
            Self::Five { .. }
            | Self::Forbidden { .. }
            | Self::Resignation { .. }
            | Self::Time { .. }
            | Self::Aborted { .. } => false,
        }
    }

    /// The points of the winning line; none where no line won.
    pub fn line(&self) -> &[Point] {
        match self {
            Self::Five { points, .. } => points,
            Self::Forbidden { .. }
            | Self::Resignation { .. }
            | Self::Agreement
            | Self::Time { .. }
            | Self::Abandonment { .. }
            | Self::Aborted { .. }
            | Self::FullBoard
            | Self::LengthLimit => &[],
        }
    }

    /// The same outcome with the sides mapped.
    pub fn map<Other>(&self, side: impl Fn(Side) -> Other) -> Outcome<Other> {
        match self {
            Self::Five { winner, points } => {
                Outcome::Five { winner: side(*winner), points: points.clone() }
            }
            Self::Forbidden { winner, point, kind } => {
                Outcome::Forbidden { winner: side(*winner), point: *point, kind: *kind }
            }
            Self::Resignation { winner } => Outcome::Resignation { winner: side(*winner) },
            Self::Agreement => Outcome::Agreement,
            Self::Time { winner } => Outcome::Time { winner: side(*winner) },
            Self::Abandonment { winner } => Outcome::Abandonment { winner: winner.map(side) },
            Self::Aborted { by } => Outcome::Aborted { by: by.map(side) },
            Self::FullBoard => Outcome::FullBoard,
            Self::LengthLimit => Outcome::LengthLimit,
        }
    }
}
