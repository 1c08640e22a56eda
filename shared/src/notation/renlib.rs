//! RenLib's libraries, `.lib`: trees of games on 15x15 with comments. They are only read.
//!
//! A head of 20 bytes, which begins with `RenLib` between two bytes of 255 and has the version after
//! them, then two bytes for each node: the point, and flags. A node is followed by its first child
//! with all below it, then by its next sibling. A point is the row from the top, from 0, in the upper
//! four bits, and the column from the left, from 1, in the lower ones; 0 is no point, as in the root.
//! The file knows no rules, and not in which encoding its comments are.
//!
//! RenLib also saves one line as a library, the shown position. Its last node has no mark of the end.
//!
//! Moves after a pass or an impossible point are left out, because a [`GameTree`] cannot hold them, and
//! so are letters on empty points.

use super::{
    file::FileError,
    notes::Noted,
    tree::{GameTree, TreeBuilder},
};
use crate::rules::{Point, Rules, Size, Variant};

mod library_lines;
mod walk;

pub(super) use self::library_lines::LibraryLines;
use self::walk::{Above, Visit, Walk};

const MAGIC: [u8; 8] = [255, b'R', b'e', b'n', b'L', b'i', b'b', 255];
const HEAD: usize = 20;
/// The version whose nodes these are; the minor one only adds flags.
const MAJOR: u8 = 3;
const SIDE: u8 = 15;

/// Another node with the same parent follows, after all that is below this one.
const SIBLING: u8 = 0x80;
/// No child follows.
const NO_CHILD: u8 = 0x40;
/// A text follows.
const COMMENT: u8 = 0x08;
/// A text of older versions follows, see [`Bytes::old_text`].
const OLD_COMMENT: u8 = 0x20;
/// The node is no move, whatever its point.
const NO_MOVE: u8 = 0x02;
/// Two more bytes of flags follow.
const MORE_FLAGS: u8 = 0x01;
/// Of the second of these: a text for the board follows, after the comment.
const BOARD_TEXT: u8 = 0x01;
/// Separates the first line of a comment from the others.
const LINE_BREAK: char = '\u{8}';

/// Whether a file begins as a library does.
pub fn is_library(bytes: &[u8]) -> bool {
    bytes.starts_with(&MAGIC)
}

/// The texts of a library without those in between, to guess their encoding.
pub fn texts(bytes: &[u8]) -> Vec<u8> {
    let mut rest = Bytes { bytes, at: HEAD };
    let mut texts = Vec::new();
    while !rest.is_empty() {
        let Ok(node) = rest.node() else { break };
        texts.extend(node.on_board);
        texts.push(b'\n');
        if let Text::Encoded(comment) = node.comment {
            texts.extend(comment);
            texts.push(b'\n');
        }
    }
    texts
}

/// Reads a library of games by this variant. `decode` makes letters of the bytes of a text.
///
/// # Errors
/// When it is not one, ends too early, or is too large; with the byte.
pub fn read(
    bytes: &[u8],
    variant: Variant,
    decode: &dyn Fn(&[u8]) -> String,
) -> Result<Noted<GameTree>, FileError> {
    let rules = check_head(bytes, variant)?;
    let mut builder = TreeBuilder::new(rules);
    let mut rest = Bytes { bytes, at: HEAD };
    let mut walk = Walk::new(None);
    while !rest.is_empty() && !walk.has_ended {
        let at = rest.at;
        let node = rest.node()?;
        let here = match walk.visit(&node) {
            Visit::Root => Above::At(None),
            Visit::Move(parent, point) => {
                let added = builder.add(parent, point);
                Above::At(Some(added.map_err(|full| at_byte(at, &full.to_string()))?))
            }
            Visit::LeftOut => Above::LeftOut,
        };
        if let Above::At(place) = here {
            let added = builder.comment(place, &node.text(decode));
            added.map_err(|long| at_byte(at, &long.to_string()))?;
        }
        walk.go_on(&node, here);
    }
    if !walk.is_whole {
        return Err(at_byte(rest.at, "a variation is missing"));
    }
    let content = builder.finish(rules, None);
    Ok(Noted { content, notes: walk.notes().finish(variant) })
}

/// The rules of a library that begins with these bytes.
fn check_head(bytes: &[u8], variant: Variant) -> Result<Rules, FileError> {
    if !is_library(bytes) || bytes.len() < HEAD {
        return Err(error("no RenLib library"));
    }
    if bytes[MAGIC.len()] != MAJOR {
        return Err(error("a library of another version than 3"));
    }
    let size = Size::Bounded { width: SIDE, height: SIDE };
    Rules::new(variant, size).map_err(|reason| error(&reason.to_string()))
}

/// A node of the file.
struct Node {
    /// None for the root, passes, and what is no point of the board.
    point: Option<Point>,
    flags: u8,
    comment: Text,
    /// The text that the board shows.
    on_board: Vec<u8>,
}

/// A text of a node.
enum Text {
    /// In the file's encoding.
    Encoded(Vec<u8>),
    /// From a version with letters of seven bits.
    Plain(String),
}

impl Node {
    /// The text for the board and the comment.
    fn text(&self, decode: &dyn Fn(&[u8]) -> String) -> String {
        let comment = match &self.comment {
            Text::Encoded(text) if text.is_empty() => String::new(),
            Text::Encoded(text) => decode(text),
            Text::Plain(text) => text.clone(),
        };
        let mut texts = vec![comment];
        if !self.on_board.is_empty() {
            texts.insert(0, decode(&self.on_board));
        }
        texts.retain(|text| !text.is_empty());
        texts.join("\n").replace(LINE_BREAK, "\n")
    }
}

struct Bytes<'a> {
    bytes: &'a [u8],
    at: usize,
}

impl Bytes<'_> {
    const fn is_empty(&self) -> bool {
        self.at >= self.bytes.len()
    }

    fn two(&mut self) -> Result<[u8; 2], FileError> {
        let two = self.bytes.get(self.at..self.at + 2);
        let two = two.and_then(|two| <[u8; 2]>::try_from(two).ok());
        let two = two.ok_or_else(|| at_byte(self.at, "the library ends within a node"))?;
        self.at += 2;
        Ok(two)
    }

    fn node(&mut self) -> Result<Node, FileError> {
        let [place, flags] = self.two()?;
        let [_, more] = if flags & MORE_FLAGS == 0 { [0, 0] } else { self.two()? };
        let comment = match (flags & OLD_COMMENT != 0, flags & COMMENT != 0) {
            (true, _) => Text::Plain(self.old_text()?),
            (false, true) => Text::Encoded(self.text()?),
            (false, false) => Text::Encoded(Vec::new()),
        };
        let on_board = if more & BOARD_TEXT == 0 { Vec::new() } else { self.text()? };
        let (column, row) = (place & 0x0f, place >> 4);
        let is_move = flags & NO_MOVE == 0 && column > 0 && row < SIDE;
        let point = is_move.then(|| Point::new(i32::from(column) - 1, i32::from(row)));
        Ok(Node { point, flags, comment, on_board })
    }

    /// A text, which ends with a zero and has an even number of bytes.
    fn text(&mut self) -> Result<Vec<u8>, FileError> {
        let mut text = Vec::new();
        loop {
            let two = self.two()?;
            text.extend(two.into_iter().take_while(|&byte| byte != 0));
            if two.contains(&0) {
                return Ok(text);
            }
        }
    }

    /// A text of seven bits a letter, Swedish ones in place of brackets. The last has the eighth bit.
    fn old_text(&mut self) -> Result<String, FileError> {
        let mut text = String::new();
        loop {
            for byte in self.two()? {
                text.push(match byte & 0x7f {
                    b'}' => 'å',
                    b'{' => 'ä',
                    b'|' => 'ö',
                    b']' => 'Å',
                    b'[' => 'Ä',
                    b'\\' => 'Ö',
                    other => char::from(other),
                });
                if byte & 0x80 != 0 {
                    return Ok(text);
                }
            }
        }
    }
}

fn error(text: &str) -> FileError {
    FileError { line: 1, text: text.to_owned() }
}

fn at_byte(at: usize, text: &str) -> FileError {
    error(&format!("byte {at}: {text}"))
}
