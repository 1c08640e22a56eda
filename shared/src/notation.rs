//! File formats: reads and writes games and points, for people and for other programs.

pub mod coordinates;
pub mod file;
pub mod gomocup;
pub mod json;
pub mod moves;
pub mod psq;
mod rules_text;
pub mod sgf;

use self::file::{FileError, GameFile};
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
