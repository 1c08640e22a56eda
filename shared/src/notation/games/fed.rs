//! The part of a text that was fed but not read yet.

use std::ops::Range;

use crate::notation::tree::FILE_BYTES_MAX;

/// A text that is fed in parts, with a cursor that goes through it once, and the beginning of the
/// game at the cursor. The text that was read is forgotten when the next part comes.
#[derive(Debug)]
pub(super) struct Fed {
    /// Whether no part follows.
    pub(super) is_whole: bool,
    text: String,
    /// Where the game begins.
    begin: usize,
    /// The line of this beginning.
    begin_line: usize,
    /// The cursor.
    at: usize,
    /// Its line, from 1.
    line: usize,
    /// Whether the beginning of the game was forgotten, because the game is too long.
    is_too_long: bool,
}

/// The place of a game in the text. Valid until the next part is fed.
#[derive(Debug)]
pub(super) struct Piece {
    range: Range<usize>,
    /// The line where it begins.
    pub(super) line: usize,
    /// Whether it has too many bytes to be read.
    pub(super) is_too_long: bool,
}

/// A place after the beginning of the game, with its line. It stays valid when a part is fed.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Mark {
    behind: usize,
    line: usize,
}

impl Default for Fed {
    fn default() -> Self {
        Self {
            is_whole: false,
            text: String::new(),
            begin: 0,
            begin_line: 1,
            at: 0,
            line: 1,
            is_too_long: false,
        }
    }
}

impl Fed {
    pub(super) fn feed(&mut self, part: &str) {
        self.text.drain(..self.begin);
        self.at -= self.begin;
        self.begin = 0;
        self.text.push_str(part);
    }

    /// The byte at the cursor.
    pub(super) fn byte(&self) -> Option<u8> {
        self.text.as_bytes().get(self.at).copied()
    }

    /// The text from the cursor on.
    pub(super) fn rest(&self) -> &str {
        &self.text[self.at..]
    }

    /// The text from a mark to the cursor.
    pub(super) fn since(&self, mark: Mark) -> &str {
        &self.text[self.begin + mark.behind..self.at]
    }

    /// Moves one byte on. If the game becomes too long, it is forgotten up to here, and the answer
    /// says so: then no mark is valid any more.
    pub(super) fn advance(&mut self) -> bool {
        self.line += usize::from(self.byte() == Some(b'\n'));
        self.at += 1;
        // Text is never split inside a letter.
        let forgets = self.at - self.begin > FILE_BYTES_MAX && self.text.is_char_boundary(self.at);
        if forgets {
            self.is_too_long = true;
            self.begin = self.at;
        }
        forgets
    }

    /// Skips white space and a byte order mark, which are not part of a game.
    pub(super) fn skip_blank(&mut self) {
        let rest = self.rest();
        let visible = rest.trim_start_matches(|c: char| c.is_whitespace() || c == '\u{feff}');
        let blank = &rest[..rest.len() - visible.len()];
        let (bytes, lines) = (blank.len(), blank.bytes().filter(|&byte| byte == b'\n').count());
        (self.at, self.line) = (self.at + bytes, self.line + lines);
        self.begin();
    }

    /// Begins a game at the cursor.
    pub(super) fn begin(&mut self) {
        (self.begin, self.begin_line, self.is_too_long) = (self.at, self.line, false);
    }

    /// The cursor's place.
    pub(super) fn mark(&self) -> Mark {
        Mark { behind: self.at - self.begin, line: self.line }
    }

    /// The beginning of the game.
    pub(super) fn start(&self) -> Mark {
        Mark { behind: 0, line: self.begin_line }
    }

    /// Ends the game at the cursor, where the next one begins.
    pub(super) fn cut(&mut self) -> Piece {
        self.cut_at(self.mark())
    }

    /// Ends the game at a place before the cursor, where the next one begins.
    pub(super) fn cut_at(&mut self, mark: Mark) -> Piece {
        let end = self.begin + mark.behind;
        let piece =
            Piece { range: self.begin..end, line: self.begin_line, is_too_long: self.is_too_long };
        (self.begin, self.begin_line, self.is_too_long) = (end, mark.line, false);
        piece
    }

    /// The text of a piece that was just cut.
    pub(super) fn text_of(&self, piece: &Piece) -> &str {
        &self.text[piece.range.clone()]
    }
}
