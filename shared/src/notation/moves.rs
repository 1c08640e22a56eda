//! Lists of moves in plain text: `h8 i9 j10`, also without spaces, with commas or with numbers (`1.
//! h8 i9 2. j10`), and `x,y` for points of the unbounded board.
//!
//! A first line such as `renju 15x15` gives the rules. In a file with many games
//! ([`games`](super::games)), a line that continues on the next one ends with a comma.

use super::{
    coordinates,
    file::{FileError, GameFile, too_many},
    rules_text,
};
use crate::rules::{Point, Rules, Size};

/// Writes the rules and the moves, ten moves a line.
pub fn write(game: &GameFile) -> String {
    let size = game.rules.size();
    let names: Vec<_> =
        game.moves.iter().map(|made| coordinates::format(made.point, size)).collect();
    let lines: Vec<_> = names.chunks(10).map(|names| names.join(" ")).collect();
    let end = if lines.is_empty() { "" } else { "\n" };
    format!("{}\n{}{end}", game.rules, lines.join(",\n"))
}

/// Reads a list of moves. `otherwise` are the rules where the text does not begin with others.
///
/// # Errors
/// When something in it is not a point of the board.
pub fn read(text: &str, otherwise: Rules) -> Result<GameFile, FileError> {
    let first = text.lines().next().unwrap_or_default();
    let named = rules_text::rules(first);
    let start = if named.is_some() { first.len() } else { 0 };
    let rules = named.unwrap_or(otherwise);
    let mut points = Vec::new();
    let mut offset = start;
    for word in text[start..].split_inclusive(|c: char| c.is_whitespace() || c == ';') {
        let trimmed = word.trim_end_matches(|c: char| c.is_whitespace() || ";,".contains(c));
        read_word(trimmed, rules.size(), &mut points)
            .map_err(|what| FileError::at(text, offset, what))?;
        offset += word.len();
    }
    Ok(GameFile::of_moves(rules, points))
}

/// One point, several without anything between them, the number of a move, or nothing.
fn read_word(word: &str, size: Size, points: &mut Vec<Point>) -> Result<(), String> {
    let is_number = word.ends_with('.') && word.trim_end_matches('.').parse::<u32>().is_ok();
    if word.is_empty() || is_number {
        return Ok(());
    }
    if word.starts_with(|c: char| c.is_ascii_alphabetic()) {
        for name in split_names(word) {
            read_point(name, size, points)?;
        }
        return Ok(());
    }
    read_point(word, size, points)
}

fn read_point(name: &str, size: Size, points: &mut Vec<Point>) -> Result<(), String> {
    let point = coordinates::parse(name, size).map_err(|why| format!("`{name}` is {why}"))?;
    if points.len() == size.plies_max() {
        return Err(too_many(size));
    }
    points.push(point);
    Ok(())
}

/// Splits `h8i9,j10` before each letter that follows something else.
fn split_names(word: &str) -> impl Iterator<Item = &str> {
    let mut rest = word;
    std::iter::from_fn(move || {
        let letters = rest.find(|c: char| !c.is_ascii_alphabetic()).unwrap_or(rest.len());
        let others = rest[letters..].find(|c: char| c.is_ascii_alphabetic());
        let (name, after) = rest.split_at(others.map_or(rest.len(), |others| letters + others));
        rest = after;
        Some(name.trim_end_matches(',')).filter(|_| !name.is_empty())
    })
}
