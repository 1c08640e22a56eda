//! A game in a file: the common form that the formats of this folder read and write.
//!
//! Each format keeps what it can represent. Readers do not check the moves: callers play them by
//! the rules ([`GameFile::position`]).

use serde::{Deserialize, Serialize};

use crate::opening::OpeningKind;
use crate::rules::{Illegal, Outcome, Point, Position, Rules, Size, Stone, moves_of_one_game};

/// A game read from a file, or to be written to one.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct GameFile {
    /// The variant and the board.
    pub rules: Rules,
    /// Black's name.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub black: Option<String>,
    /// White's name.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub white: Option<String>,
    /// The day, such as `2026-11-21`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub date: Option<String>,
    /// Where it was played, such as the name of a tournament.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub event: Option<String>,
    /// How it ended, if the file records that.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ending: Option<Ending>,
    /// Its opening, unless that was free.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub opening: Option<FileOpening>,
    /// The moves, Black's first.
    #[serde(deserialize_with = "moves_of_one_game")]
    pub moves: Vec<FileMove>,
}

/// A move in a file.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct FileMove {
    /// The point.
    pub point: Point,
    /// How long it took, in milliseconds.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub took_ms: Option<u64>,
}

/// The opening of a game in a file.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct FileOpening {
    /// The protocol.
    pub kind: OpeningKind,
    /// What the players chose, in order.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub choices: Vec<FileChoice>,
}

/// A choice in an opening, as a sentence.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct FileChoice {
    /// How many stones were on the board after it.
    pub ply: usize,
    /// Who chose what, in English.
    pub text: String,
}

/// How a game ended, as far as files record that.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum Ending {
    /// Nobody won.
    Draw,
    /// The game does not count.
    Void,
    /// A win on the board, or in an unknown way.
    Win(Stone),
    /// A win by resignation.
    Resignation(Stone),
    /// A win on time.
    Time(Stone),
    /// A win because the opponent left or broke the rules.
    Forfeit(Stone),
}

/// Why a text is not a game in the expected format.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error, Serialize)]
#[error("line {line}: {text}")]
pub struct FileError {
    /// The line, counted from 1.
    pub line: usize,
    /// The problem.
    pub text: String,
}

impl FileError {
    /// The error for bytes that are no text.
    pub fn no_game() -> Self {
        Self { line: 1, text: "this is no file with a game".into() }
    }

    /// An error at an offset of a text.
    pub(super) fn at(text: &str, offset: usize, what: impl Into<String>) -> Self {
        let before = text.as_bytes().get(..offset).unwrap_or(text.as_bytes());
        let line = before.iter().filter(|&&byte| byte == b'\n').count() + 1;
        Self { line, text: what.into() }
    }
}

impl FileOpening {
    /// The choices that were made with so many stones on the board.
    pub(super) fn comment(&self, plies: usize) -> String {
        let choices = self.choices.iter().filter(|choice| choice.ply == plies);
        choices.map(|choice| choice.text.as_str()).collect::<Vec<_>>().join(" ")
    }
}

impl Ending {
    /// The winner, if any.
    pub const fn winner(self) -> Option<Stone> {
        match self {
            Self::Draw | Self::Void => None,
            Self::Win(winner)
            | Self::Resignation(winner)
            | Self::Time(winner)
            | Self::Forfeit(winner) => Some(winner),
        }
    }
}

impl From<&Outcome> for Ending {
    fn from(outcome: &Outcome) -> Self {
        match outcome {
            Outcome::Five { winner, .. } | Outcome::Forbidden { winner, .. } => Self::Win(*winner),
            Outcome::Resignation { winner } => Self::Resignation(*winner),
            Outcome::Time { winner } => Self::Time(*winner),
            Outcome::Abandonment { winner: Some(winner) } => Self::Forfeit(*winner),
            Outcome::Abandonment { winner: None }
            | Outcome::Agreement
            | Outcome::FullBoard
            | Outcome::LengthLimit => Self::Draw,
            Outcome::Aborted { .. } => Self::Void,
        }
    }
}

/// The error text for a list that is longer than a game on such a board can be.
pub(super) fn too_many(size: Size) -> String {
    format!("more moves than a game on this board can have, which is {}", size.plies_max())
}

impl GameFile {
    /// A game with nothing but the moves.
    pub fn of_moves(rules: Rules, moves: impl IntoIterator<Item = Point>) -> Self {
        let moves = moves.into_iter().map(|point| FileMove { point, took_ms: None }).collect();
        let (black, white, date, event) = (None, None, None, None);
        Self { rules, black, white, date, event, ending: None, opening: None, moves }
    }

    /// The points of the moves.
    pub fn points(&self) -> Vec<Point> {
        self.moves.iter().map(|made| made.point).collect()
    }

    /// The position after all moves.
    ///
    /// # Errors
    /// When they cannot be played; with the ply of the first that cannot.
    pub fn position(&self) -> Result<Position, (usize, Illegal)> {
        Position::from_moves(self.rules, &self.points())
    }
}

/// The part of the board that a file must show: its top-left point, width and height. For an
/// unbounded board that is the extent of the stones, at least 15x15.
pub(super) fn extent(rules: Rules, points: impl Iterator<Item = Point>) -> (Point, u32, u32) {
    match rules.size() {
        Size::Bounded { width, height } => (Point::new(0, 0), width.into(), height.into()),
        Size::Unbounded => {
            let (mut xs, mut ys) = (None, None);
            for Point { x, y } in points {
                for (ends, at) in [(&mut xs, x), (&mut ys, y)] {
                    let (low, high) = ends.unwrap_or((at, at));
                    *ends = Some((at.min(low), at.max(high)));
                }
            }
            let range = |ends: Option<(i32, i32)>| {
                let (low, high) = ends.unwrap_or((0, 0));
                let missing = (UNBOUNDED_SIDE_MIN - (high.saturating_sub(low)) - 1).max(0);
                let low = low.saturating_sub(missing / 2);
                (low, high.abs_diff(low).max(UNBOUNDED_SIDE_MIN.unsigned_abs() - 1) + 1)
            };
            let ((left, width), (top, height)) = (range(xs), range(ys));
            (Point::new(left, top), width, height)
        }
    }
}

/// The smallest board on which an unbounded game is shown.
const UNBOUNDED_SIDE_MIN: i32 = 15;

/// A text on one line: no control characters, single spaces.
pub(super) fn one_line(text: &str) -> String {
    let words = text.split(|c: char| c.is_control() || c.is_whitespace());
    words.filter(|word| !word.is_empty()).collect::<Vec<_>>().join(" ")
}
