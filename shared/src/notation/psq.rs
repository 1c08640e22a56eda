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
//! The file knows neither the variant nor the result. Others' files are read up to the last line
//! that is a move; names may follow, and the rest is ignored.

use std::fmt::Write as _;

use super::file::{Ending, FileError, FileMove, GameFile, one_line, too_many};
use crate::rules::{Point, Rules, SIDE_MAX, SIDE_MIN, Size, Variant};

/// Piskvork's names for people.
const PEOPLE: [&str; 2] = ["homo-1", "homo-2"];
/// The level of players without a known one, as tournaments write it.
const LEVEL: u8 = 11;

/// Writes a game as Piskvork does: lines end with CR LF. Of an unbounded board it writes the part
/// that the game used.
pub fn write(game: &GameFile) -> String {
    let (origin, width, height) = game.extent();
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

/// Reads a game that was played by this variant.
///
/// # Errors
/// When the first line is not Piskvork's, or a move is not on its board.
pub fn read(text: &str, variant: Variant) -> Result<GameFile, FileError> {
    let mut lines = (1..).zip(text.lines()).filter(|(_, line)| !line.trim().is_empty()).peekable();
    let (line, head) = lines.next().unwrap_or((1, ""));
    let error = |line, text: String| Err(FileError { line, text });
    let Some((width, height)) = board(head) else {
        return error(line, "no PSQ: it begins with `Piskvorky WIDTHxHEIGHT, `".into());
    };
    let side = |n: u32| u8::try_from(n).ok().filter(|n| (SIDE_MIN..=SIDE_MAX).contains(n));
    let (Some(columns), Some(rows)) = (side(width), side(height)) else {
        return error(
            line,
            format!("a board of {width}x{height}; sides are {SIDE_MIN} to {SIDE_MAX}"),
        );
    };
    let size = Size::Bounded { width: columns, height: rows };
    let rules = match Rules::new(variant, size) {
        Ok(rules) => rules,
        Err(reason) => return error(line, reason.to_string()),
    };
    let mut moves = Vec::new();
    while let Some((line, (column, row, took_ms))) =
        lines.peek().and_then(|(line, text)| Some((*line, read_move(text)?)))
    {
        let _read = lines.next();
        if !(1..=width).contains(&column) || !(1..=height).contains(&row) {
            return error(
                line,
                format!("{column},{row} is no point of a board of {width}x{height}"),
            );
        }
        if moves.len() == size.plies_max() {
            return error(line, too_many(size));
        }
        let point = Point::new(column.cast_signed() - 1, row.cast_signed() - 1);
        moves.push(FileMove { point, took_ms });
    }
    let mut name = || {
        let (_, text) = lines.next_if(|(_, text)| is_name(&one_line(text)))?;
        Some(one_line(text))
    };
    let names = [name(), name()];
    let [black, white] = names.map(|name| name.filter(|name| !PEOPLE.contains(&name.as_str())));
    Ok(GameFile { rules, black, white, date: None, ending: None, opening: None, moves })
}

/// The board's sides, from the first line.
fn board(head: &str) -> Option<(u32, u32)> {
    let sizes = head.trim_start_matches('\u{feff}').trim().strip_prefix("Piskvorky")?;
    let (width, height) = sizes.split(',').next()?.trim().split_once('x')?;
    Some((width.trim().parse().ok()?, height.trim().parse().ok()?))
}

/// `X,Y` or `X,Y,MS`.
fn read_move(line: &str) -> Option<(u32, u32, Option<u64>)> {
    let mut numbers = line.trim().split(',').map(str::trim);
    let (column, row) = (numbers.next()?.parse().ok()?, numbers.next()?.parse().ok()?);
    let took_ms = match numbers.next() {
        Some(took) => Some(took.parse().ok()?),
        None => None,
    };
    numbers.next().is_none().then_some((column, row, took_ms))
}

/// Whether a line is read as a name, and not as a move or a code.
fn is_name(line: &str) -> bool {
    !line.is_empty() && line.parse::<i64>().is_err() && !line.contains(',')
}
