//! File formats: reads and writes games and points, for people and for other programs.

pub mod coordinates;
pub mod encoding;
pub mod file;
pub mod games;
pub mod gomocup;
pub mod json;
pub mod moves;
pub mod notes;
pub mod psq;
pub mod renlib;
mod rules_text;
pub mod sgf;
pub mod tree;

use self::{
    file::{FileError, GameFile},
    notes::{Note, NoteKind, Noted},
    tree::{FILE_BYTES_MAX, GameTree},
};
use crate::rules::Rules;

/// A file with games, as a person opens it.
#[derive(Clone, Copy, Debug)]
pub struct Source<'a> {
    /// Its text, already decoded; see [`encoding`].
    pub text: &'a str,
    /// Apply where the text names none.
    pub rules: Rules,
    /// The number of the game in a file with several, from 1.
    pub game: usize,
}

impl<'a> Source<'a> {
    /// The first game of a text.
    pub const fn first(text: &'a str, rules: Rules) -> Self {
        Self { text, rules, game: 1 }
    }

    /// Reads a game, with variations and comments where the format has them, in the format that the
    /// text begins like: SGF, PSQ, JSON, or a list of moves.
    ///
    /// # Errors
    /// When it is too long or is not a game in that format; with the line.
    pub fn read(self) -> Result<Noted<GameTree>, FileError> {
        let Self { text, rules, game } = self;
        check_length(text.as_bytes())?;
        let text = text.trim_start_matches('\u{feff}');
        let begin = text.trim_start();
        if begin.starts_with('(') {
            return sgf::read(text, rules.variant(), game);
        }
        if game != 1 {
            return Err(FileError { line: 1, text: "the file has one game".into() });
        }
        if begin.starts_with(psq::BEGIN) {
            psq::read(text, rules.variant()).map(|read| read.map(GameTree::from))
        } else if begin.starts_with('{') {
            json::read(text).map(|game| GameTree::from(game).into())
        } else {
            moves::read(text, rules).map(|game| GameTree::from(game).into())
        }
    }
}

/// Checks that a file is not too long to be read.
///
/// # Errors
/// When it has more than [`FILE_BYTES_MAX`] bytes.
pub fn check_length(bytes: &[u8]) -> Result<(), FileError> {
    if bytes.len() <= FILE_BYTES_MAX {
        return Ok(());
    }
    let text = format!("the file has more than {FILE_BYTES_MAX} bytes");
    Err(FileError { line: 1, text })
}

impl Noted<GameTree> {
    /// The main line as a game; notes how many moves of variations that leaves out.
    pub fn main_line(self) -> Noted<GameFile> {
        let Self { content, mut notes } = self;
        let all = content.nodes().len();
        let game = content.main_line();
        notes.extend(Note::counted(NoteKind::Variations, all - game.moves.len()));
        Noted { content: game, notes }
    }
}
