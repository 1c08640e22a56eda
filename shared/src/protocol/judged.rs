//! Judges unchecked moves by the rules: how far they can be played, and the state there. For
//! programs that show a position and know no rules.

use serde::{Deserialize, Serialize};

use super::refusal::Refusal;
use crate::{
    opening::OpeningKind,
    rules::{Outcome, Point, Position, Rules},
};

/// A position judged by the rules. On the wire: `{"rules": {...}, "moves": [[7, 7]]}`, with
/// `openings`, `forbidden`, `outcome` and `unplayed` where they apply.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema, ts_rs::TS))]
pub struct Judged {
    /// The variant and the board.
    pub rules: Rules,
    /// The moves that can be played, Black's first.
    pub moves: Vec<Point>,
    /// The openings that these rules offer; only before the first move.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub openings: Vec<OpeningKind>,
    /// The points that renju forbids to the side to move, sorted.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub forbidden: Vec<Point>,
    /// How the game has ended, if it has.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub outcome: Option<Outcome>,
    /// Why the move after `moves` cannot be played, where there are more.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub unplayed: Option<Refusal>,
}

impl Judged {
    /// Plays the moves, up to the first that cannot be played.
    pub fn of(rules: Rules, moves: impl IntoIterator<Item = Point>) -> Self {
        let mut position = Position::new(rules);
        let unplayed =
            moves.into_iter().find_map(|point| position.play(point).err()).map(Refusal::from);
        let over = position.outcome().is_some();
        let forbidden = if over { Vec::new() } else { position.forbidden_points() };
        let is_offered = |kind: &OpeningKind| position.ply() == 0 && kind.offered(rules).is_ok();
        Self {
            rules,
            moves: position.moves().to_vec(),
            openings: OpeningKind::ALL.into_iter().filter(is_offered).collect(),
            forbidden: forbidden.into_iter().map(|(point, _)| point).collect(),
            outcome: position.outcome().cloned(),
            unplayed,
        }
    }
}
