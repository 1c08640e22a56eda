//! File formats: reads and writes games and points, for people and for other programs.

pub mod coordinates;
pub mod file;
pub mod gomocup;
pub mod json;
pub mod moves;
pub mod psq;
pub mod renlib;
mod rules_text;
pub mod sgf;
pub mod tree;

use self::file::{FileError, GameFile};
use self::tree::{FILE_BYTES_MAX, GameTree};
use crate::rules::Rules;

/// Reads a game in the format that its text begins like: SGF, PSQ, JSON, or a list of moves. The
/// rules come from the text if it has any, otherwise from `otherwise`.
///
/// # Errors
/// When it is not a game in that format; with the line.
pub fn read(text: &str, otherwise: Rules) -> Result<GameFile, FileError> {
    let text = text.trim_start_matches('\u{feff}');
    let begin = text.trim_start();
    if begin.starts_with("Piskvorky") {
        psq::read(text, otherwise.variant())
    } else if begin.starts_with('{') {
        json::read(text)
    } else if begin.starts_with('(') {
        sgf::read(text, otherwise.variant())
    } else {
        moves::read(text, otherwise)
    }
}

/// A tree from a file, and how many of its moves it lacks because no tree can hold them.
///
/// # Errors
/// When the file is too long, or no game or tree in its format; with the line.
pub fn read_tree(bytes: &[u8], otherwise: Rules) -> Result<(GameTree, usize), FileError> {
    if bytes.len() > FILE_BYTES_MAX {
        let text = format!("the file has more than {FILE_BYTES_MAX} bytes");
        return Err(FileError { line: 1, text });
    }
    if renlib::is_library(bytes) {
        let renlib::ReadLibrary { tree, left_out } = renlib::read(bytes, otherwise.variant())?;
        return Ok((tree, left_out));
    }
    let text = String::from_utf8_lossy(bytes);
    let text = text.trim_start_matches('\u{feff}');
    if text.trim_start().starts_with('(') {
        return Ok((sgf::tree::read(text, otherwise.variant())?, 0));
    }
    read(text, otherwise).map(|game| (GameTree::from(game), 0))
}
