//! The result of an analysis: values, lines, depth and nodes; and the bots' weights of moves.
//!
//! The engine and the bots produce these, and the protocol carries them; neither knows the other.

use std::time::Duration;

use serde::{Deserialize, Serialize};

use crate::rules::{Point, Variant};

/// Whether the engine analyses games of this variant: those in which at most six in a row win.
pub const fn is_supported(variant: Variant) -> bool {
    !matches!(variant, Variant::Mnk { k: 7.. })
}

/// The value of a position or a move for the side to move. On the wire: `{"chance": 0.61}`,
/// `{"win": {"plies": 7}}`, `{"win": {}}`, `{"loss": {"plies": 4}}`.
#[derive(Clone, Copy, PartialEq, Debug, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema, ts_rs::TS))]
#[serde(rename_all = "snake_case")]
pub enum Value {
    /// The probability of winning, from 0 to 1.
    Chance(f64),
    /// A proven win, in so many plies from here if the number is known.
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
    /// The probability of winning: 1 for a proven win, 0 for a proven loss.
    pub const fn chance(self) -> f64 {
        match self {
            Self::Chance(chance) => chance,
            Self::Win { .. } => 1.0,
            Self::Loss { .. } => 0.0,
        }
    }
}

/// A move with its continuation. On the wire: `{"value": {"chance": 0.61}, "moves": [[7, 7], [8,
/// 8]]}`.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema, ts_rs::TS))]
pub struct Line {
    /// The value of the first move.
    pub value: Value,
    /// The best moves of both sides, as far as they are known; at least one.
    pub moves: Vec<Point>,
}

/// An update of a running analysis, as the protocol carries it.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema, ts_rs::TS))]
pub struct Report {
    /// Search depth in plies.
    pub depth: u16,
    /// Positions searched.
    pub nodes: u64,
    /// Positions searched per second.
    pub nodes_per_second: u64,
    /// The best moves with their continuations, the best first.
    pub lines: Vec<Line>,
}

/// The engine's result for a position.
#[derive(Clone, PartialEq, Debug)]
pub struct Analysis {
    /// The best moves with their lines, best first: as many as requested, or fewer if there are not
    /// that many; at least one.
    pub lines: Vec<Line>,
    /// Search depth in plies.
    pub depth: u16,
    /// Positions searched.
    pub nodes: u64,
}

/// Positions searched per second, from `nodes` in `time`.
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

/// A bot's weight of a candidate, on that bot's own scale. On the wire:
/// `{"point": [7, 7], "weight": 13.2}`, with `"plies"` where the end is proven.
#[derive(Clone, Copy, PartialEq, Debug, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema, ts_rs::TS))]
pub struct Weight {
    /// The candidate.
    pub point: Point,
    /// Its value on the bot's scale: more is better, for the side to move.
    pub weight: f64,
    /// Plies until the proven end of the game, this move included: 1 for a move that wins at once.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub plies: Option<u16>,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_wire_form_of_a_weight_leaves_out_absent_plies() {
        let mut weight = Weight { point: Point::new(7, -2), weight: 13.2, plies: None };
        assert_eq!(serde_json::to_string(&weight).unwrap(), r#"{"point":[7,-2],"weight":13.2}"#);
        weight.plies = Some(5);
        let wire = serde_json::to_string(&weight).unwrap();
        assert_eq!(wire, r#"{"point":[7,-2],"weight":13.2,"plies":5}"#);
        assert_eq!(serde_json::from_str::<Weight>(&wire).unwrap(), weight);
    }
}
