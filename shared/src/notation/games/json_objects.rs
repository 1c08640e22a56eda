//! Splits JSON into objects: a single one, a list of them, or one per line.

use super::fed::{Fed, Piece};

/// The state at the cursor.
#[derive(Debug, Default)]
pub(super) struct JsonObjects {
    /// How many braces are open; 0 between the objects.
    depth: usize,
    place: Place,
    /// Whether there is something meaningless between the objects.
    has_other: bool,
    /// Whether this is the first letter of a line.
    begins_line: bool,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
enum Place {
    #[default]
    Outside,
    String,
    /// After a backslash in a string.
    Escaped,
}

impl JsonObjects {
    /// The next object, or something else in its place; `None` if a part is needed, or the text is at
    /// its end.
    pub(super) fn next(&mut self, fed: &mut Fed) -> Option<Piece> {
        while let Some(byte) = fed.byte() {
            // If a brace is missing, the next game begins at the start of a line.
            let begins = byte == b'{' && (self.depth == 0 || self.begins_line);
            if begins && (self.depth > 0 || self.has_other) {
                *self = Self::default();
                return Some(fed.cut());
            }
            self.begins_line = byte == b'\n';
            if self.depth == 0 && byte != b'{' {
                fed.advance();
                let is_other = !byte.is_ascii_whitespace() && !b"[],".contains(&byte);
                self.has_other |= is_other;
                if !self.has_other {
                    fed.begin();
                } else if byte == b'\n' {
                    self.has_other = false;
                    return Some(fed.cut());
                }
                continue;
            }
            self.step(byte);
            fed.advance();
            if self.depth == 0 {
                return Some(fed.cut());
            }
        }
        if !fed.is_whole || self.depth == 0 && !self.has_other {
            return None;
        }
        *self = Self::default();
        Some(fed.cut())
    }

    fn step(&mut self, byte: u8) {
        match (self.place, byte) {
            (Place::Outside, b'{') => self.depth += 1,
            (Place::Outside, b'}') => self.depth -= 1,
            (Place::Outside, b'"') => self.place = Place::String,
            // A string does not continue on the next line.
            (Place::String, b'"' | b'\n') => self.place = Place::Outside,
            (Place::String, b'\\') => self.place = Place::Escaped,
            (Place::Escaped, _) => self.place = Place::String,
            (Place::Outside | Place::String, _) => {}
        }
    }
}
