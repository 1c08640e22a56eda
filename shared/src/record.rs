//! A finished game as one value: the part that outlives its room.
//!
//! The room makes it when the game ends (`room/finished_game.rs`); this file does not know how.

use std::num::NonZeroU32;

use serde::{Deserialize, Serialize};

use crate::{
    clock::TimeControl,
    opening::{MadeAct, OpeningKind},
    protocol::{GameId, MemberId, Player, Visibility},
    rules::{Outcome, Point, Rules, Stone, moves_of_one_game},
    seat::{BySeat, Seat},
};

/// A finished game.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema, ts_rs::TS))]
pub struct Record {
    /// All but the moves.
    #[serde(flatten)]
    pub summary: GameSummary,
    /// The moves that were on the board at the end, in order; those taken back are left out.
    #[serde(deserialize_with = "moves_of_one_game")]
    pub moves: Vec<RecordedMove>,
}

/// A finished game without its moves, for lists.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema, ts_rs::TS))]
pub struct GameSummary {
    /// The variant and the board.
    pub rules: Rules,
    /// Whether the game is listed, as its room was.
    pub visibility: Visibility,
    /// The players.
    #[serde(flatten)]
    pub players: BySeat<Player>,
    /// The seat that had Black at the end.
    pub black: Seat,
    /// When it began, in milliseconds since the Unix epoch.
    pub started_at: u64,
    /// When it ended, in milliseconds since the Unix epoch.
    pub ended_at: u64,
    /// How much time the players had; none also in records of servers that did not keep it.
    #[serde(default, skip_serializing_if = "TimeControl::is_none")]
    pub time: TimeControl,
    /// The choices of the opening, unless it was free.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub opening: Option<RecordedOpening>,
    /// Whether it counts for the players' ratings.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub rated: bool,
    /// The divisor of a rated game that does not count whole, as in `started`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub part: Option<NonZeroU32>,
    /// The number of moves.
    pub plies: usize,
    /// How it ended.
    pub outcome: Outcome<Seat>,
}

impl GameSummary {
    /// This member's seat; none if they did not play.
    pub fn seat_of(&self, member: &MemberId) -> Option<Seat> {
        Seat::BOTH.into_iter().find(|&seat| self.players[seat].is_member(member))
    }

    /// Whether this member played.
    pub fn has_player(&self, member: &MemberId) -> bool {
        self.seat_of(member).is_some()
    }

    /// The player of this stone at the end.
    pub fn player(&self, stone: Stone) -> &Player {
        &self.players[Seat::with_stone(stone, self.black)]
    }

    /// How it ended, and for which stone.
    pub fn outcome_by_stone(&self) -> Outcome {
        self.outcome.map(|seat| seat.stone(self.black))
    }
}

/// The opening of a finished game. Its stones are among the moves, too.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema, ts_rs::TS))]
pub struct RecordedOpening {
    /// The protocol.
    pub kind: OpeningKind,
    /// The seat that began to put stones.
    pub first: Seat,
    /// All acts in order, at most [`ACTS_MAX`](crate::opening::ACTS_MAX).
    pub acts: Vec<MadeAct>,
}

impl RecordedOpening {
    /// How many stones the opening has put on the board.
    pub fn stones(&self) -> usize {
        self.acts.iter().map(|made| made.act.stones()).sum()
    }
}

/// One move of a finished game.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema, ts_rs::TS))]
pub struct RecordedMove {
    /// The point.
    pub point: Point,
    /// The time, in milliseconds since the Unix epoch.
    pub at: u64,
    /// Whether a bot chose it on behalf of a person.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub assisted: bool,
}

/// A finished game with its id, as the server sends it.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema, ts_rs::TS))]
pub struct FinishedGame {
    /// The id. Anyone who knows it may see the game, listed or not.
    pub id: GameId,
    /// The game.
    #[serde(flatten)]
    pub record: Record,
}

/// Part of the list of finished games, newest first.
#[derive(Clone, PartialEq, Debug, Default, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema, ts_rs::TS))]
pub struct GameList {
    /// The games.
    pub games: Vec<ListedGame>,
    /// The value of `before` for the next page; absent at the end of the list.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub next: Option<u64>,
}

/// A finished game in a list.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema, ts_rs::TS))]
pub struct ListedGame {
    /// The id under which the moves are found.
    pub id: GameId,
    /// The game without its moves.
    #[serde(flatten)]
    pub summary: GameSummary,
}
