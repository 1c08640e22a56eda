//! Piskvork's files, `.psq`: a line for the board, one for each move, and the players' names.
//!
//! ```text
//! Piskvorky 15x15, 11:11, 0
//! 8,8,1200                    column and row from 1, and milliseconds
//! 9,9,300
//! ann                         the one who began
//! bob
//! 0                           0 is a normal end, 15 a lost clock, -1 anything
//! ```
//!
//! The file knows neither the variant nor the result. A line that begins with two numbers is a move;
//! after the first line that is none come names, and the rest is ignored.

use std::fmt::Write as _;

use super::{
    coordinates::is_within,
    file::{Ending, FileError, FileMove, GameFile, extent, one_line, too_many},
    notes::{NoteKind, Noted, Notes},
};
use crate::rules::{Point, Rules, SIDE_MAX, SIDE_MIN, Size, Variant};

/// How a file begins.
pub(super) const BEGIN: &str = "Piskvorky";
/// Piskvork's names for people.
const PEOPLE: [&str; 2] = ["homo-1", "homo-2"];
/// The level of players without a known one, as tournaments write it.
const LEVEL: u8 = 11;

/// Writes a game as Piskvork does: lines end with CR LF. Of an unbounded board it writes the part
/// that the game used.
pub fn write(game: &GameFile) -> String {
    let (origin, width, height) = extent(game.rules, game.moves.iter().map(|made| made.point));
    let mut text = format!("Piskvorky {width}x{height}, {LEVEL}:{LEVEL}, 0\r\n");
    for made in &game.moves {
        let (column, row) =
            (made.point.x.abs_diff(origin.x) + 1, made.point.y.abs_diff(origin.y) + 1);
        // Writing to a string cannot fail.
        let took = made.took_ms.map(|took| format!(",{took}")).unwrap_or_default();
        let _written = write!(text, "{column},{row}{took}\r\n");
    }
    for (name, person) in [&game.black, &game.white].into_iter().zip(PEOPLE) {
        let name = name.as_deref().map(one_line).filter(|name| is_name(name));
        text.push_str(name.as_deref().unwrap_or(person));
        text.push_str("\r\n");
    }
    let code = match game.ending {
        Some(Ending::Time(_)) => 15,
        Some(Ending::Draw | Ending::Win(_) | Ending::Resignation(_)) => 0,
        Some(Ending::Forfeit(_) | Ending::Void) | None => -1,
    };
    let _written = write!(text, "{code}\r\n");
    text
}

/// Reads a game that was played by this variant. A time that is none is left out and noted.
///
/// # Errors
/// When the first line is not Piskvork's, or a move is not on its board.
pub fn read(text: &str, variant: Variant) -> Result<Noted<GameFile>, FileError> {
    let mut lines = (1..).zip(text.lines()).filter(|(_, line)| !line.trim().is_empty()).peekable();
    let (line, head) = lines.next().unwrap_or((1, ""));
    let rules = rules(head, variant).map_err(|text| FileError { line, text })?;
    let size = rules.size();
    let mut notes = Notes::default();
    let mut moves = Vec::new();
    while let Some((line, text)) = lines.next_if(|(_, line)| is_move(line)) {
        let error = |text| FileError { line, text };
        let (point, took) = read_move(text, size).map_err(error)?;
        if moves.len() == size.plies_max() {
            return Err(error(too_many(size)));
        }
        let took_ms = took.and_then(|took| took.parse().ok());
        if let Some(took) = took.filter(|_| took_ms.is_none()) {
            notes.add(NoteKind::BadValues, || (Some(line), Some(took.to_owned())));
        }
        moves.push(FileMove { point, took_ms });
    }
    let mut name = || {
        let (_, text) = lines.next_if(|(_, text)| is_name(&one_line(text)))?;
        Some(one_line(text))
    };
    let names = [name(), name()];
    let [black, white] = names.map(|name| name.filter(|name| !PEOPLE.contains(&name.as_str())));
    let content = GameFile { black, white, moves, ..GameFile::of_moves(rules, []) };
    Ok(Noted { content, notes: notes.finish(variant) })
}

/// The rules on the board of the first line.
fn rules(head: &str, variant: Variant) -> Result<Rules, String> {
    let Some((width, height)) = board(head) else {
        return Err("no PSQ: it begins with `Piskvorky WIDTHxHEIGHT, `".into());
    };
    let side = |n: u32| u8::try_from(n).ok().filter(|n| (SIDE_MIN..=SIDE_MAX).contains(n));
    let (Some(width), Some(height)) = (side(width), side(height)) else {
        return Err(format!("a board of {width}x{height}; sides are {SIDE_MIN} to {SIDE_MAX}"));
    };
    Rules::new(variant, Size::Bounded { width, height }).map_err(|reason| reason.to_string())
}

/// The board's sides, from the first line.
pub(super) fn board(head: &str) -> Option<(u32, u32)> {
    let sizes = head.trim_start_matches('\u{feff}').trim().strip_prefix(BEGIN)?;
    let (width, height) = sizes.split(',').next()?.trim().split_once('x')?;
    Some((width.trim().parse().ok()?, height.trim().parse().ok()?))
}

/// Whether a line begins with two numbers, and so is a move and no name.
fn is_move(line: &str) -> bool {
    let mut parts = line.split(',');
    let mut is_number = || parts.next().is_some_and(|part| part.trim().parse::<i64>().is_ok());
    is_number() && is_number()
}

/// The point and the time of `X,Y` or `X,Y,MS`.
fn read_move(line: &str, size: Size) -> Result<(Point, Option<&str>), String> {
    let mut parts = line.trim().split(',').map(str::trim);
    let mut number = || parts.next().and_then(|part| part.parse::<i32>().ok());
    let numbers = number().zip(number());
    let point =
        numbers.map(|(column, row)| Point::new(column.wrapping_sub(1), row.wrapping_sub(1)));
    match point.filter(|&point| is_within(point, size)) {
        Some(point) => Ok((point, parts.next())),
        None => Err(format!("{line} is no point of a board of {size}")),
    }
}

/// Whether a line is read as a name, and not as a move or a code.
fn is_name(line: &str) -> bool {
    !line.is_empty() && line.parse::<i64>().is_err() && !line.contains(',')
}
