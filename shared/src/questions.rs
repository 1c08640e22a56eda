//! Questions about a position that need no room: its state by the rules, the game in a text, and the
//! position to analyse; and trees of moves in files.
//!
//! The page's WebAssembly module answers them on the visitor's machine, and the server over HTTP all
//! but those about trees.

use serde::{Deserialize, Serialize};

use crate::{
    analysis, notation,
    notation::{file::FileError, psq, sgf, tree::GameTree},
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

/// A file with a tree of moves to read: its text, or its bytes.
#[derive(Debug, Deserialize)]
pub struct TreeQuestion {
    /// Apply where the file names none.
    rules: Rules,
    #[serde(default)]
    text: String,
    #[serde(default)]
    bytes: Vec<u8>,
}

/// A tree from a file. Moves that cannot be played, and those after them, are left out.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct ReadTree {
    /// The tree.
    pub tree: GameTree,
    /// How many moves of the file it lacks.
    pub left_out: usize,
    /// The number of the first move that cannot be played, counted from 1.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub ply: Option<usize>,
    /// Why that cannot be played.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub why: Option<Refusal>,
}

impl TreeQuestion {
    /// Reads the file.
    ///
    /// # Errors
    /// When it is too long, or nothing that Fivefold reads.
    pub fn answer(self) -> Result<ReadTree, Refusal> {
        let bytes = if self.bytes.is_empty() { self.text.into_bytes() } else { self.bytes };
        let (tree, lacking) = notation::read_tree(&bytes, self.rules).map_err(unreadable_game)?;
        let (tree, unplayable) = tree.playable();
        let left_out = lacking + unplayable.as_ref().map_or(0, |first| first.moves);
        let ply = unplayable.as_ref().map(|first| first.ply + 1);
        let why = unplayable.map(|first| Refusal::from(first.illegal));
        Ok(ReadTree { tree, left_out, ply, why })
    }
}

/// A tree of moves to write.
#[derive(Debug, Deserialize)]
pub struct TreeToWrite {
    format: TreeFormat,
    tree: GameTree,
}

/// The formats in which trees are written. A PSQ has only the main line.
#[derive(Clone, Copy, Debug, Deserialize)]
#[serde(rename_all = "snake_case")]
enum TreeFormat {
    Sgf,
    Psq,
}

impl TreeToWrite {
    /// The text of the file.
    ///
    /// # Errors
    /// When the format has no boards as large as this one.
    pub fn text(&self) -> Result<String, Refusal> {
        match self.format {
            TreeFormat::Psq => Ok(psq::write(&self.tree.main_line())),
            TreeFormat::Sgf => sgf::tree::write(&self.tree).map_err(|large| {
                let detail = Some(large.to_string());
                Refusal::with(
                    Reason::NotInFormat,
                    RefusalValues { detail, ..RefusalValues::default() },
                )
            }),
        }
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
