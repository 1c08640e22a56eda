//! Questions about a position that need no room: its state by the rules, the game in a text, and the
//! position to analyse.
//!
//! The server answers them over HTTP, and the page's WebAssembly module on the visitor's machine.

use serde::Deserialize;

use crate::{
    analysis, notation,
    notation::file::FileError,
    protocol::{Judged, LineCount, Reason, Refusal, RefusalValues},
    rules::{Illegal, Point, Position, Rules, moves_of_one_game},
};

/// A position to judge, and its rules. As JSON: `{"rules": {...}, "moves": [[7, 7]]}`, or `text`
/// instead of `moves`.
#[derive(Debug, Deserialize)]
#[serde(try_from = "PositionFields")]
pub struct PositionQuestion {
    rules: Rules,
    given: Given,
}

/// The moves as given.
#[derive(Debug)]
enum Given {
    Moves(Vec<Point>),
    /// A game in any supported format. Its own rules apply, if it names them.
    Text(String),
}

/// The question as JSON. Its lists are bounded while they are parsed.
#[derive(Deserialize)]
struct PositionFields {
    rules: Rules,
    moves: Option<Moves>,
    text: Option<String>,
}

#[derive(Deserialize)]
struct Moves(#[serde(deserialize_with = "moves_of_one_game")] Vec<Point>);

impl PositionQuestion {
    /// Plays the moves as far as they are legal, and reports the position reached.
    ///
    /// # Errors
    /// When the text is no game.
    pub fn answer(self) -> Result<Judged, Refusal> {
        match self.given {
            Given::Moves(moves) => Ok(Judged::of(self.rules, moves)),
            Given::Text(text) => {
                let game = notation::read(&text, self.rules).map_err(unreadable_game)?;
                Ok(Judged::of(game.rules, game.points()))
            }
        }
    }
}

impl TryFrom<PositionFields> for PositionQuestion {
    type Error = String;

    fn try_from(PositionFields { rules, moves, text }: PositionFields) -> Result<Self, String> {
        let most = rules.size().plies_max();
        match (moves, text) {
            (Some(Moves(moves)), None) if moves.len() > most => {
                Err(format!("more moves than a game on this board can have, which is {most}"))
            }
            (Some(Moves(moves)), None) => Ok(Self { rules, given: Given::Moves(moves) }),
            (None, Some(text)) => Ok(Self { rules, given: Given::Text(text) }),
            (None, None) | (Some(_), Some(_)) => Err("say `moves` or `text`, and not both".into()),
        }
    }
}

/// A position to search, given by the moves that led to it.
#[derive(Debug, Deserialize)]
pub struct AnalysisQuestion {
    rules: Rules,
    #[serde(deserialize_with = "moves_of_one_game")]
    moves: Vec<Point>,
    #[serde(default)]
    lines: LineCount,
}

impl AnalysisQuestion {
    /// How many lines of play to report.
    pub const fn lines(&self) -> LineCount {
        self.lines
    }

    /// The position, for the engine.
    ///
    /// # Errors
    /// When the engine has no tables for these rules, a move is illegal, or the game is over.
    pub fn position(&self) -> Result<Position, Refusal> {
        if !analysis::is_supported(self.rules.variant()) {
            return Err(Refusal::new(Reason::NoEngine));
        }
        open_position(self.rules, &self.moves)
    }
}

/// A position in which a move can be made.
///
/// # Errors
/// When a move is illegal, or the game is over.
pub fn open_position(rules: Rules, moves: &[Point]) -> Result<Position, Refusal> {
    let position =
        Position::from_moves(rules, moves).map_err(|(ply, illegal)| illegal_at(ply, illegal))?;
    match position.outcome() {
        Some(_) => Err(Refusal::new(Reason::GameOver)),
        None => Ok(position),
    }
}

/// Refuses a list of moves because the move at this ply is illegal.
fn illegal_at(ply: usize, illegal: Illegal) -> Refusal {
    let refusal = Refusal::from(illegal);
    let values = Box::new(RefusalValues { ply: Some(ply), ..*refusal.values });
    Refusal { values, ..refusal }
}

/// Refuses a text that is not a game.
fn unreadable_game(error: FileError) -> Refusal {
    let (line, detail) = (Some(error.line), Some(error.text));
    let values = RefusalValues { line, detail, ..RefusalValues::default() };
    Refusal::with(Reason::UnreadableGame, values)
}
