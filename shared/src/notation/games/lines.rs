//! Splits files with lines into games: lists of moves, and Piskvork's files.

use std::mem;

use super::fed::{Fed, Mark, Piece};
use crate::notation::psq;

/// Longest first line of a PSQ, in bytes.
const HEAD_BYTES_MAX: usize = 200;

/// Lists of moves: each line is a game, which continues on the next line after a comma at the end.
#[derive(Debug, Default)]
pub(super) struct MoveLists {
    /// The last byte of the game that is not white space.
    last: Option<u8>,
}

impl MoveLists {
    /// The next list; `None` if a part is needed, or the text is at its end.
    pub(super) fn next(&mut self, fed: &mut Fed) -> Option<Piece> {
        while let Some(byte) = fed.byte() {
            fed.advance();
            match (byte, self.last) {
                (b'\n', None) => fed.begin(),
                (b'\n', Some(b',')) => {}
                (b'\n', Some(_)) => {
                    self.last = None;
                    return Some(fed.cut());
                }
                _ if byte.is_ascii_whitespace() => {}
                _ => self.last = Some(byte),
            }
        }
        if !fed.is_whole {
            return None;
        }
        self.last.take().map(|_| fed.cut())
    }
}

/// Piskvork's games, one after another: each begins with its first line.
#[derive(Debug, Default)]
pub(super) struct PsqGames {
    /// Where the line at the cursor begins; absent before the first.
    line: Option<Mark>,
    /// Whether the game has a line.
    has_line: bool,
}

impl PsqGames {
    /// The next game; `None` if a part is needed, or the text is at its end.
    pub(super) fn next(&mut self, fed: &mut Fed) -> Option<Piece> {
        loop {
            let line = *self.line.get_or_insert(fed.mark());
            let is_last = match fed.byte() {
                Some(b'\n') => false,
                None if fed.is_whole => true,
                None => return None,
                Some(_) => {
                    if fed.advance() {
                        self.line = None;
                    }
                    continue;
                }
            };
            let text = fed.since(line);
            let is_head = text.len() <= HEAD_BYTES_MAX && psq::board(text).is_some();
            let is_blank = text.trim().is_empty();
            if is_head && self.has_line {
                // The next call sees this line as the first line of its game.
                let piece = fed.cut_at(line);
                *self = Self { line: Some(fed.start()), has_line: false };
                return Some(piece);
            }
            self.has_line |= !is_blank;
            if is_last {
                self.line = None;
                return mem::take(&mut self.has_line).then(|| fed.cut());
            }
            fed.advance();
            self.line = None;
            if !self.has_line {
                fed.begin();
            }
        }
    }
}
