//! The bytes of a library as nodes.

use crate::{
    notation::file::FileError,
    rules::{Point, Rules, Size, Variant},
};

const MAGIC: [u8; 8] = [255, b'R', b'e', b'n', b'L', b'i', b'b', 255];
pub(super) const HEAD: usize = 20;
/// The version whose nodes these are; the minor one only adds flags.
const MAJOR: u8 = 3;
const SIDE: u8 = 15;

/// Another node with the same parent follows, after all that is below this one.
pub(super) const SIBLING: u8 = 0x80;
/// No child follows.
pub(super) const NO_CHILD: u8 = 0x40;
/// A text follows.
const COMMENT: u8 = 0x08;
/// A text of older versions follows, see [`Bytes::old_text`].
const OLD_COMMENT: u8 = 0x20;
/// The node is not a move, whatever its point.
pub(super) const NO_MOVE: u8 = 0x02;
/// Two more bytes of flags follow.
const MORE_FLAGS: u8 = 0x01;
/// In the second of these: a text for the board follows, after the comment.
const BOARD_TEXT: u8 = 0x01;
/// Separates the first line of a comment from the others.
const LINE_BREAK: char = '\u{8}';

/// Whether a file begins as a library does.
pub fn is_library(bytes: &[u8]) -> bool {
    bytes.starts_with(&MAGIC)
}

/// The rules of a library that begins with these bytes.
pub(super) fn check_head(bytes: &[u8], variant: Variant) -> Result<Rules, FileError> {
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
pub(super) struct Node {
    /// `None` for the root, passes, and points outside the board.
    pub(super) point: Option<Point>,
    pub(super) flags: u8,
    pub(super) comment: Text,
    /// The text that the board shows.
    pub(super) on_board: Vec<u8>,
}

/// A text of a node.
pub(super) enum Text {
    /// In the file's encoding.
    Encoded(Vec<u8>),
    /// From a version with letters of seven bits.
    Plain(String),
}

impl Node {
    /// The text for the board and the comment.
    pub(super) fn text(&self, decode: &dyn Fn(&[u8]) -> String) -> String {
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

/// The bytes of a library, and how far they are read.
pub(super) struct Bytes<'a> {
    pub(super) bytes: &'a [u8],
    pub(super) at: usize,
}

impl Bytes<'_> {
    pub(super) const fn is_empty(&self) -> bool {
        self.at >= self.bytes.len()
    }

    fn two(&mut self) -> Result<[u8; 2], FileError> {
        let two = self.bytes.get(self.at..self.at + 2);
        let two = two.and_then(|two| <[u8; 2]>::try_from(two).ok());
        let two = two.ok_or_else(|| at_byte(self.at, "the library ends within a node"))?;
        self.at += 2;
        Ok(two)
    }

    pub(super) fn node(&mut self) -> Result<Node, FileError> {
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

pub(super) fn at_byte(at: usize, text: &str) -> FileError {
    error(&format!("byte {at}: {text}"))
}
