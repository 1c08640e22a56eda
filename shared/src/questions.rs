//! Questions about a position that need no room: its state by the rules, the game in a text, and the
//! position to analyse; and trees of moves in files.
//!
//! The page's WebAssembly module answers them on the visitor's machine, and the server over HTTP all
//! but those about trees.

use serde::{Deserialize, Serialize};

use crate::{
    analysis,
    notation::{
        Source, check_length,
        encoding::{self, Encoding},
        file::FileError,
        notes::{Note, Noted},
        psq, renlib, sgf,
        tree::GameTree,
    },
    protocol::{Judged, LineCount, Reason, Refusal, RefusalValues},
    rules::{Illegal, Point, Position, Rules, moves_of_one_game},
};

/// A position to judge, and its rules. As JSON: `{"rules": {...}, "moves": [[7, 7]]}`, or `text`
/// instead of `moves`.
#[derive(Debug, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(try_from = "PositionFields")]
pub struct PositionQuestion {
    rules: Rules,
    given: Given,
}

/// The moves as given.
#[derive(Debug)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
enum Given {
    Moves(Vec<Point>),
    /// A game in any supported format. Its own rules apply, if it names them.
    Text(String),
}

/// The question as JSON. Its lists are bounded while they are parsed.
#[derive(Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
struct PositionFields {
    rules: Rules,
    moves: Option<Moves>,
    text: Option<String>,
}

#[derive(Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
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
                let source = Source::first(&text, self.rules);
                let game = source.read().map_err(unreadable_game)?.content.main_line();
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
#[cfg_attr(test, derive(schemars::JsonSchema))]
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

/// Which encoding a file is in, for the browser's `TextDecoder`.
#[derive(Debug, Deserialize)]
pub struct EncodingQuestion {
    bytes: Vec<u8>,
    /// Whether these bytes are only a part of the file, which may end within a letter. For a long
    /// file, pass its first part, which may name the encoding, and then the first part with a byte
    /// that is not ASCII.
    #[serde(default)]
    is_part: bool,
}

/// How the bytes of a file become text.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct FileEncoding {
    /// The name of the encoding, by the WHATWG. A file may name one that does not exist.
    pub name: String,
    /// The most likely encoding where the named one does not exist.
    pub likely: &'static str,
    /// Whether only the comments of the file are text, as in a library.
    pub is_library: bool,
}

impl EncodingQuestion {
    /// The encoding.
    ///
    /// # Errors
    /// When the file is too long, or no text.
    pub fn answer(&self) -> Result<FileEncoding, Refusal> {
        let bytes = &self.bytes;
        check_length(bytes).map_err(unreadable_game)?;
        let is_library = renlib::is_library(bytes);
        let bytes = if self.is_part { encoding::whole_letters(bytes) } else { bytes };
        let text = encoding::text_of(bytes);
        let likely = encoding::likely(&text);
        let name = match encoding::of(&text) {
            Encoding::Sure(name) => name.to_owned(),
            Encoding::Named(name) => name,
            Encoding::Unknown => likely.to_owned(),
            Encoding::Binary => return Err(unreadable_game(FileError::no_game())),
        };
        Ok(FileEncoding { name, likely, is_library })
    }
}

/// A file with a tree of moves to read: its text, or the bytes of a library. Or a tree, to keep what can be played
/// of it by its rules.
#[derive(Debug, Deserialize)]
pub struct TreeQuestion {
    /// Apply where the file names none.
    rules: Rules,
    #[serde(default)]
    tree: Option<GameTree>,
    #[serde(default)]
    text: String,
    /// Comments come back by the encoding `x-user-defined`: a byte of 128 or more is a letter of
    /// U+F780 to U+F7FF.
    #[serde(default)]
    bytes: Vec<u8>,
    /// The number of the game in a file with several, from 1.
    #[serde(default = "first_game")]
    game: usize,
}

const fn first_game() -> usize {
    1
}

/// A tree from a file. Moves that cannot be played, and those after them, are left out.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct ReadTree {
    /// The tree.
    pub tree: GameTree,
    /// What else of the file could not be kept.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub notes: Vec<Note>,
    /// How many moves were left out because they cannot be played.
    pub left_out: usize,
    /// The number of the first of them, counted from 1.
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
        let Self { rules, tree, text, bytes, game } = self;
        let read = if let Some(tree) = tree {
            Ok(Noted { content: tree, notes: Vec::new() })
        } else if bytes.is_empty() {
            Source { text: &text, rules, game }.read()
        } else {
            check_length(&bytes).and_then(|()| renlib::read(&bytes, rules.variant(), &user_defined))
        };
        let Noted { content, notes } = read.map_err(unreadable_game)?;
        let (tree, unplayable) = content.playable();
        let left_out = unplayable.as_ref().map_or(0, |first| first.moves);
        let ply = unplayable.as_ref().map(|first| first.ply + 1);
        let why = unplayable.map(|first| Refusal::from(first.illegal));
        Ok(ReadTree { tree, notes, left_out, ply, why })
    }
}

/// Bytes as letters by the encoding `x-user-defined`.
fn user_defined(bytes: &[u8]) -> String {
    let letter = |&byte: &u8| match byte {
        0..0x80 => char::from(byte),
        0x80.. => char::from_u32(0xf700 + u32::from(byte)).unwrap_or(char::REPLACEMENT_CHARACTER),
    };
    bytes.iter().map(letter).collect()
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
            TreeFormat::Psq => Ok(psq::write(&self.tree.clone().main_line())),
            TreeFormat::Sgf => sgf::write(&self.tree).map_err(|large| {
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
