//! A game as files tell it: what the formats of this folder are read into and written from.
//!
//! Each format keeps what it has a place for. None of them is believed: who uses the moves plays
//! them by the rules ([`GameFile::position`]).

use std::{fmt, marker::PhantomData};

use serde::{
    Deserialize, Deserializer, Serialize,
    de::{Error, SeqAccess, Visitor},
};

use crate::{
    protocol::Player,
    record::Record,
    rules::{Illegal, Outcome, PLIES_MAX, Point, Position, Rules, Size, Stone},
};

/// A game that was or is to be in a file.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct GameFile {
    /// The variant and the board.
    pub rules: Rules,
    /// What Black is called.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub black: Option<String>,
    /// What White is called.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub white: Option<String>,
    /// The day, such as `2026-11-21`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub date: Option<String>,
    /// How it ended, if the file says so.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ending: Option<Ending>,
    /// The moves, Black's first.
    #[serde(deserialize_with = "moves_of_one_game")]
    pub moves: Vec<FileMove>,
}

/// A move in a file.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct FileMove {
    /// Where.
    pub point: Point,
    /// How long it took, in milliseconds.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub took_ms: Option<u64>,
}

/// How a game ended, as far as files tell.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Ending {
    /// Nobody won.
    Draw,
    /// Somebody won on the board, or it is not told how.
    Win(Stone),
    /// The other one gave up.
    Resignation(Stone),
    /// The other one had no time left.
    Time(Stone),
    /// The other one went away or broke the rules.
    Forfeit(Stone),
}

/// Why a text is not a game in the format that it should be.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[error("line {line}: {text}")]
pub struct FileError {
    /// Where, counted from 1.
    pub line: usize,
    /// What is wrong.
    pub text: String,
}

impl FileError {
    /// What is wrong at an offset of a text.
    pub(super) fn at(text: &str, offset: usize, what: impl Into<String>) -> Self {
        let before = text.as_bytes().get(..offset).unwrap_or(text.as_bytes());
        let line = before.iter().filter(|&&byte| byte == b'\n').count() + 1;
        Self { line, text: what.into() }
    }
}

/// Why a game cannot be written in a format.
#[derive(Clone, Copy, PartialEq, Eq, Debug, thiserror::Error)]
#[error("SGF has boards of at most {max} points a side; this game needs {needs}", max = super::sgf::SIDE_MAX)]
pub struct TooLarge {
    /// The longer side of the board, or of what an unbounded game takes of it.
    pub needs: u32,
}

impl Ending {
    /// Who won.
    pub const fn winner(self) -> Option<Stone> {
        match self {
            Self::Draw => None,
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
        }
    }
}

/// Reads JSON: a finished game as a server tells it, or a [`GameFile`].
///
/// # Errors
/// When it is neither, with what the second lacks; and when there are more moves than its rules
/// permit.
pub fn from_json(text: &str) -> Result<GameFile, FileError> {
    let game = match serde_json::from_str::<Record>(text) {
        Ok(record) => GameFile::from(&record),
        Err(_) => serde_json::from_str(text)
            .map_err(|error| FileError { line: error.line().max(1), text: error.to_string() })?,
    };
    let size = game.rules.size();
    if game.moves.len() > size.plies_max() {
        return Err(FileError { line: 1, text: too_many(size) });
    }
    Ok(game)
}

/// What is wrong with a list that is longer than a game on such a board can be.
pub(super) fn too_many(size: Size) -> String {
    format!("more moves than a game on this board can have, which is {}", size.plies_max())
}

/// Reads a list of moves, and stops where it is longer than that of any game ([`PLIES_MAX`]): for
/// lists that strangers send.
///
/// # Errors
/// When it is longer, or no list of such moves.
pub fn moves_of_one_game<'de, M, D>(deserializer: D) -> Result<Vec<M>, D::Error>
where
    M: Deserialize<'de>,
    D: Deserializer<'de>,
{
    struct Moves<M>(PhantomData<M>);

    impl<'de, M: Deserialize<'de>> Visitor<'de> for Moves<M> {
        type Value = Vec<M>;

        fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
            f.write_str("a list of moves")
        }

        fn visit_seq<S: SeqAccess<'de>>(self, mut list: S) -> Result<Vec<M>, S::Error> {
            let mut moves = Vec::new();
            while let Some(made) = list.next_element()? {
                if moves.len() == PLIES_MAX {
                    return Err(S::Error::custom(format_args!(
                        "more moves than any game can have, which is {PLIES_MAX}"
                    )));
                }
                moves.push(made);
            }
            Ok(moves)
        }
    }

    deserializer.deserialize_seq(Moves(PhantomData))
}

impl GameFile {
    /// A game of which nothing is known but the moves.
    pub fn of_moves(rules: Rules, moves: impl IntoIterator<Item = Point>) -> Self {
        let moves = moves.into_iter().map(|point| FileMove { point, took_ms: None }).collect();
        Self { rules, black: None, white: None, date: None, ending: None, moves }
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

    /// The part of the board that a file has to show: its top-left point, width and height. Of an
    /// unbounded board that is what the stones take, and at least 15x15.
    pub(super) fn extent(&self) -> (Point, u32, u32) {
        match self.rules.size() {
            Size::Bounded { width, height } => (Point::new(0, 0), width.into(), height.into()),
            Size::Unbounded => {
                let range = |of: fn(&FileMove) -> i32| {
                    let low = self.moves.iter().map(of).min().unwrap_or(0);
                    let high = self.moves.iter().map(of).max().unwrap_or(0);
                    let missing = (UNBOUNDED_SIDE_MIN - (high.saturating_sub(low)) - 1).max(0);
                    let low = low.saturating_sub(missing / 2);
                    (low, high.abs_diff(low).max(UNBOUNDED_SIDE_MIN.unsigned_abs() - 1) + 1)
                };
                let (left, width) = range(|made| made.point.x);
                let (top, height) = range(|made| made.point.y);
                (Point::new(left, top), width, height)
            }
        }
    }
}

/// The smallest board that an unbounded game is shown on.
const UNBOUNDED_SIDE_MIN: i32 = 15;

impl From<&Record> for GameFile {
    fn from(record: &Record) -> Self {
        let summary = &record.summary;
        let name = |player: &Player| Some(player.name());
        let mut before = summary.started_at;
        let moves = record.moves.iter().map(|made| {
            let took_ms = Some(made.at.saturating_sub(before));
            before = made.at;
            FileMove { point: made.point, took_ms }
        });
        Self {
            rules: summary.rules,
            black: name(summary.player(Stone::Black)),
            white: name(summary.player(Stone::White)),
            date: Some(day(summary.ended_at)),
            ending: Some((&summary.outcome_by_stone()).into()),
            moves: moves.collect(),
        }
    }
}

/// A text on one line: without control characters, and with single spaces.
pub(super) fn one_line(text: &str) -> String {
    let words = text.split(|c: char| c.is_control() || c.is_whitespace());
    words.filter(|word| !word.is_empty()).collect::<Vec<_>>().join(" ")
}

/// The day of a time in milliseconds since the Unix epoch, in UTC, such as `2026-11-21`. By the
/// civil calendar, whose years are taken to begin in March.
fn day(at: u64) -> String {
    let days = at / 86_400_000 + 719_468;
    let (era, day_of_era) = (days / 146_097, days % 146_097);
    let year_of_era =
        (day_of_era - day_of_era / 1_460 + day_of_era / 36_524 - day_of_era / 146_096) / 365;
    let day_of_year = day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    let shifted = (5 * day_of_year + 2) / 153;
    let day = day_of_year - (153 * shifted + 2) / 5 + 1;
    let month = if shifted < 10 { shifted + 3 } else { shifted - 9 };
    let year = era * 400 + year_of_era + u64::from(month <= 2);
    format!("{year:04}-{month:02}-{day:02}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn days_are_those_of_the_calendar() {
        let cases = [
            (0, "1970-01-01"),
            (951_782_400_000, "2000-02-29"),
            (1_795_230_000_000, "2026-11-21"),
            (4_102_444_799_999, "2099-12-31"),
        ];
        for (at, expected) in cases {
            assert_eq!(day(at), expected);
        }
    }
}
