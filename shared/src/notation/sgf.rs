//! Smart Game Format, version 4, as used for gomoku and renju (red-bean.com/sgf): `GM[4]`, points
//! by two letters, the column first, from the top-left.
//!
//! Our own files round-trip. Others' files are read as they are: any game number, unknown
//! properties, points as `h8`, stones set up before the first move, and several games in one file. What
//! five in a row does not have is left out and noted: passes, stones out of turn. Two properties are
//! ours: `MS` on a move is its time in milliseconds, and `UB` gives the top-left point of an unbounded
//! board's part. An opening is `ON`, and each of its choices a comment.

use crate::rules::Point;

mod read;
mod scanner;
mod write;

pub(super) use self::read::read_only;
pub use self::{
    read::read,
    write::{TooLarge, write},
};

/// The longest side: the number of SGF's letters.
pub const SIDE_MAX: u32 = 52;

/// The letters of a point's column and row.
fn letters(point: Point, origin: Point) -> [char; 2] {
    [point.x.abs_diff(origin.x), point.y.abs_diff(origin.y)]
        .map(|distance| letter(distance).unwrap_or('?'))
}

fn letter(number: u32) -> Option<char> {
    let number = u8::try_from(number).ok()?;
    match number {
        0..26 => Some(char::from(b'a' + number)),
        26..52 => Some(char::from(b'A' + number - 26)),
        _ => None,
    }
}

fn number(letter: char) -> Option<u32> {
    match letter {
        'a'..='z' => Some(u32::from(letter) - u32::from('a')),
        'A'..='Z' => Some(u32::from(letter) - u32::from('A') + 26),
        _ => None,
    }
}
