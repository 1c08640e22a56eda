//! Requests in JSON, and their answers. It knows neither JavaScript nor where the time comes from.

use std::time::Duration;

use fivefold_shared::{
    protocol::Refusal,
    questions::{AnalysisQuestion, EncodingQuestion, PositionQuestion, TreeQuestion, TreeToWrite},
    rules::{Point, Rules, Stone, moves_of_one_game},
};
use serde::Deserialize;

use crate::{
    answer::Answer,
    bot_question::BotQuestion,
    game_files::{GameFiles, GamesQuestion},
    local_rooms::{LocalRooms, RoomInput},
    puzzles::{answer_in_puzzle, solve_puzzle},
    searches::{Limits, Searching},
};

/// A request. As JSON an object with its `type`.
#[derive(Debug, Deserialize)]
#[serde(tag = "type", rename_all = "snake_case")]
enum Request {
    /// The state of a position; as `/api/position`.
    Position(PositionQuestion),
    /// The encoding of a file.
    Encoding(EncodingQuestion),
    /// Reads a file with a tree of moves.
    ReadTree(TreeQuestion),
    /// Reads a file with many games, part by part.
    ReadGames(GamesQuestion),
    /// Writes a tree of moves to a file.
    WriteTree(TreeToWrite),
    /// Searches a position ever deeper; as `/api/analyse`.
    Analyse {
        #[serde(flatten)]
        question: AnalysisQuestion,
        #[serde(flatten)]
        limits: Limits,
    },
    /// A bot's move or act, or its weights of the candidates.
    Bot {
        #[serde(flatten)]
        question: BotQuestion,
        #[serde(flatten)]
        limits: Limits,
    },
    /// Reviews a whole game.
    Review {
        rules: Rules,
        #[serde(deserialize_with = "moves_of_one_game")]
        moves: Vec<Point>,
        winner: Option<Stone>,
    },
    /// The answer to the last move of somebody who solves a puzzle.
    PuzzleAnswer {
        rules: Rules,
        #[serde(deserialize_with = "moves_of_one_game")]
        moves: Vec<Point>,
    },
    /// A win of the side to move.
    PuzzleSolution {
        rules: Rules,
        #[serde(deserialize_with = "moves_of_one_game")]
        moves: Vec<Point>,
    },
    /// An input of the module's local room, at a time in milliseconds since the Unix epoch.
    Room {
        now: u64,
        #[serde(flatten)]
        input: RoomInput,
    },
}

/// The module. Between requests it keeps only its local room and the file that it is reading.
#[derive(Debug, Default)]
pub struct Module {
    rooms: LocalRooms,
    files: GameFiles,
}

impl Module {
    /// Answers one request. A search reads the time that has passed from `elapsed`, and calls `report`
    /// with each answer that is better than the one before.
    pub fn answer(
        &mut self,
        request: &str,
        elapsed: &(dyn Fn() -> Duration + Sync),
        report: &mut dyn FnMut(&str),
    ) -> String {
        let mut report = |answer: &Answer| report(&answer.to_json());
        let search = Searching { elapsed, report: &mut report };
        let answer = serde_json::from_str(request)
            .map_err(Refusal::malformed)
            .and_then(|request| self.answer_to(request, search))
            .unwrap_or_else(Answer::Refused);
        answer.to_json()
    }

    fn answer_to(&mut self, request: Request, search: Searching<'_>) -> Result<Answer, Refusal> {
        match request {
            Request::Position(question) => question.answer().map(Answer::Position),
            Request::Encoding(question) => question.answer().map(Answer::Encoding),
            Request::ReadTree(question) => {
                question.answer().map(|read| Answer::Tree(Box::new(read)))
            }
            Request::ReadGames(question) => self.files.answer(question).map(Answer::Games),
            Request::WriteTree(question) => question.text().map(Answer::File),
            Request::Analyse { question, limits } => search.analyse(&question, limits),
            Request::Bot { question, limits } => search.ask_bot(question, limits),
            Request::Review { rules, moves, winner } => search.review(rules, &moves, winner),
            Request::PuzzleAnswer { rules, moves } => answer_in_puzzle(rules, &moves),
            Request::PuzzleSolution { rules, moves } => solve_puzzle(rules, &moves),
            Request::Room { now, input } => self.rooms.answer(now, input).map(Answer::Room),
        }
    }
}
