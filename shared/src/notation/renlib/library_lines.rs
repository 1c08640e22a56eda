//! The lines of a library: each complete line of moves is a game. The library is fed in parts, and
//! only the current line is kept.

use std::mem;

use super::{
    nodes::{Bytes, HEAD, at_byte, check_head},
    walk::{Above, Visit, Walk},
};
use crate::{
    notation::{
        file::{FileError, GameFile},
        notes::Note,
    },
    rules::{Point, Rules, Variant},
};

/// Longest node with its texts, in bytes.
const NODE_BYTES_MAX: usize = 64 << 10;
/// Most nodes of a line that wait for their siblings. A board has fewer points, and some passes fit.
const WAITING_MAX: usize = 1_000;

/// Reads the lines of a library that is fed to it.
#[derive(Debug)]
pub(crate) struct LibraryLines {
    variant: Variant,
    /// Known after the head.
    rules: Option<Rules>,
    /// What was fed but not read yet.
    bytes: Vec<u8>,
    /// How much of it has been read.
    read: usize,
    /// How many bytes of the file were before it.
    before: usize,
    /// The places are how many moves there are.
    walk: Walk<usize>,
    /// The moves to the last node that was one.
    line: Vec<Point>,
}

impl LibraryLines {
    /// A reader of a library of games by this variant.
    pub(crate) fn new(variant: Variant) -> Self {
        Self {
            variant,
            rules: None,
            bytes: Vec::new(),
            read: 0,
            before: 0,
            walk: Walk::new(0),
            line: Vec::new(),
        }
    }

    /// Takes the next part.
    pub(crate) fn feed(&mut self, part: &[u8]) {
        self.bytes.drain(..self.read);
        self.before += mem::take(&mut self.read);
        self.bytes.extend_from_slice(part);
    }

    /// What was left out so far.
    pub(crate) fn notes(&self) -> Vec<Note> {
        self.walk.notes().finish(self.variant)
    }

    /// The next line; `None` if a part is needed, or after the last line.
    ///
    /// # Errors
    /// When the library cannot be read any further; with the byte.
    pub(crate) fn next(&mut self, is_whole: bool) -> Option<Result<GameFile, FileError>> {
        self.advance(is_whole).transpose()
    }

    fn advance(&mut self, is_whole: bool) -> Result<Option<GameFile>, FileError> {
        let rules = match self.rules {
            Some(rules) => rules,
            None if self.bytes.len() < HEAD && !is_whole => return Ok(None),
            None => {
                let rules = check_head(&self.bytes, self.variant)?;
                self.read = HEAD;
                *self.rules.insert(rules)
            }
        };
        let points = rules.size().plies_max();
        while self.read < self.bytes.len() && !self.walk.has_ended {
            let at = self.before + self.read;
            let mut rest = Bytes { bytes: &self.bytes, at: self.read };
            let node = match rest.node() {
                Ok(node) => node,
                Err(_) if !is_whole && self.bytes.len() - self.read < NODE_BYTES_MAX => {
                    return Ok(None);
                }
                Err(FileError { text, .. }) => {
                    let text = text.split_once(": ").map_or(text.as_str(), |(_, what)| what);
                    return Err(at_byte(at, text));
                }
            };
            if self.walk.depth() == WAITING_MAX {
                return Err(at_byte(at, "too many moves in a line"));
            }
            let end = rest.at;
            // A move after an earlier one shows that the current line has ended.
            let (here, ended) = match self.walk.visit(&node) {
                Visit::Root => (Above::At(0), None),
                Visit::Move(parent, point) if parent < points => {
                    let ended = (parent < self.line.len()).then(|| self.game(rules));
                    self.line.truncate(parent);
                    self.line.push(point);
                    (Above::At(parent + 1), ended)
                }
                Visit::Move(..) => return Err(at_byte(at, "more moves than the board has points")),
                Visit::LeftOut => (Above::LeftOut, None),
            };
            self.walk.go_on(&node, here);
            self.read = end;
            if ended.is_some() {
                return Ok(ended);
            }
        }
        if self.walk.has_ended {
            // What follows the tree is ignored.
            self.read = self.bytes.len();
        } else if !is_whole {
            return Ok(None);
        }
        if !self.line.is_empty() {
            let last = self.game(rules);
            self.line.clear();
            return Ok(Some(last));
        }
        if self.walk.is_whole {
            return Ok(None);
        }
        Err(at_byte(self.before + self.read, "a variation is missing"))
    }

    fn game(&self, rules: Rules) -> GameFile {
        GameFile::of_moves(rules, self.line.iter().copied())
    }
}
