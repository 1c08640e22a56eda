//! The answers to requests.

use fivefold_engine::puzzle_solver;
use fivefold_shared::{
    analysis::{Report, Weight},
    opening::Act,
    protocol::{Judged, Refusal},
    questions::{FileEncoding, ReadTree},
    review::Review,
    rules::Point,
};
use serde::Serialize;

use crate::{game_files::GamesAnswer, local_rooms::RoomOutput};

/// An answer. As JSON an object with one field: its kind.
#[derive(Debug, Serialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Answer {
    Position(Judged),
    Tree(Box<ReadTree>),
    /// The encoding of a file.
    Encoding(FileEncoding),
    /// The next games of a file with many.
    Games(GamesAnswer),
    /// The text of a file.
    File(String),
    Analysis(Report),
    /// The point; absent when no move is left to make.
    Move(Option<Point>),
    Act(Act),
    Weights(Vec<Weight>),
    Review(Review),
    /// How many moves of a review are done.
    Reviewed(usize),
    /// The answer to a move in a puzzle.
    Puzzle(puzzle_solver::Answer),
    /// The moves of a win.
    Solution(Vec<Point>),
    Room(RoomOutput),
    Refused(Refusal),
}

impl Answer {
    pub(crate) fn to_json(&self) -> String {
        serde_json::to_string(self).expect("every answer has string keys and finite numbers")
    }
}
