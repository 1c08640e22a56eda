//! A game in a file: the common form that the formats of this folder read and write.
//!
//! Each format keeps what it can represent. Readers do not check the moves: callers play them by
//! the rules ([`GameFile::position`]).

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
    /// How it ended, if the file records that.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ending: Option<Ending>,
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

/// How a game ended, as far as files record that.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Ending {
    /// Nobody won.
    Draw,
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
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[error("line {line}: {text}")]
pub struct FileError {
    /// The line, counted from 1.
    pub line: usize,
    /// The problem.
    pub text: String,
}

impl FileError {
    /// An error at an offset of a text.
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
    /// The longer side of the board, or of the part that an unbounded game uses.
    pub needs: u32,
}

impl Ending {
    /// The winner, if any.
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

/// Reads JSON: a finished game from a server, or a [`GameFile`].
///
/// # Errors
/// When it is neither, with what a [`GameFile`] would need; and when there are more moves than its
/// rules permit.
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

/// The error text for a list that is longer than a game on such a board can be.
pub(super) fn too_many(size: Size) -> String {
    format!("more moves than a game on this board can have, which is {}", size.plies_max())
}

/// Reads a list of moves, and stops when it is longer than any game ([`PLIES_MAX`]): for untrusted
/// lists.
///
/// # Errors
/// When it is longer, or not a list of such moves.
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
    /// A game with nothing but the moves.
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

    /// The part of the board that a file must show: its top-left point, width and height. For an
    /// unbounded board that is the extent of the stones, at least 15x15.
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

/// The smallest board on which an unbounded game is shown.
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

/// A text on one line: no control characters, single spaces.
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
