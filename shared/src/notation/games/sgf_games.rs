//! Splits SGF into games.
//!
//! A game ends where its brackets close. In a damaged file a bracket may be missing, so a game also
//! ends where another one begins with a property that only roots have.

use super::fed::{Fed, Mark, Piece};

/// Properties that only the root of a game has, and that programs write first.
const ROOT: [[u8; 2]; 6] = [*b"FF", *b"GM", *b"CA", *b"AP", *b"SZ", *b"ST"];

/// The state at the cursor.
#[derive(Debug, Default)]
pub(super) struct SgfGames {
    /// How many brackets are open; 0 between the games.
    depth: usize,
    place: Place,
    /// Whether the game has a node or a value. Otherwise its bracket belongs to some other text.
    has_node: bool,
    has_value: bool,
    /// Whether only white space precedes on this line.
    begins_line: bool,
    root: Root,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
enum Place {
    #[default]
    Outside,
    Value,
    /// After a backslash in a value.
    Escaped,
}

/// How much of `(;FF[` precedes, and where it begins.
#[derive(Clone, Copy, Debug, Default)]
enum Root {
    #[default]
    None,
    Bracket(Mark),
    Node(Mark),
    /// The last two capitals of the name, ignoring small letters, and how many there are.
    Name(Mark, [u8; 2], usize),
}

impl SgfGames {
    /// The next game; `None` if a part is needed, or the text is at its end.
    pub(super) fn next(&mut self, fed: &mut Fed) -> Option<Piece> {
        while let Some(byte) = fed.byte() {
            if self.depth == 0 && byte == b'(' {
                fed.begin();
            }
            let root = self.root_before(byte, fed);
            self.begins_line = byte == b'\n' || byte.is_ascii_whitespace() && self.begins_line;
            if let Some(root) = root {
                let had_value = self.has_value;
                // The bracket and the node of the new game were seen.
                *self = Self { depth: 1, has_node: true, ..Self::default() };
                let piece = fed.cut_at(root);
                if had_value {
                    return Some(piece);
                }
            }
            let had_value = self.has_value;
            let was_inside = self.depth > 0;
            self.step(byte, fed);
            if fed.advance() {
                self.root = Root::None;
            }
            match (self.depth, was_inside && had_value) {
                (0, true) => {
                    (self.has_node, self.has_value) = (false, false);
                    return Some(fed.cut());
                }
                (0, false) => {
                    self.has_node = false;
                    fed.begin();
                }
                _ => {}
            }
        }
        if !fed.is_whole || self.depth == 0 || !self.has_value {
            return None;
        }
        *self = Self::default();
        Some(fed.cut())
    }

    fn step(&mut self, byte: u8, fed: &mut Fed) {
        match (self.place, byte) {
            (Place::Outside, b'(') => {
                // Nothing precedes it in the game, so the brackets before it are not the game's.
                if self.depth > 0 && !self.has_node && !self.has_value {
                    fed.begin();
                    self.depth = 0;
                    self.root = Root::None;
                }
                self.depth += 1;
            }
            (Place::Outside, b')') => self.depth = self.depth.saturating_sub(1),
            (Place::Outside, b';') => self.has_node = true,
            (Place::Outside, b'[') if self.depth > 0 => {
                self.place = Place::Value;
                self.has_value = true;
            }
            (Place::Value, b'\\') => self.place = Place::Escaped,
            (Place::Value, b']') => self.place = Place::Outside,
            (Place::Escaped, _) => self.place = Place::Value,
            (Place::Outside | Place::Value, _) => {}
        }
    }

    /// Where the root of another game begins, if this byte is the bracket behind the name of its
    /// first property. In a value it must begin a line, because comments may contain brackets.
    fn root_before(&mut self, byte: u8, fed: &Fed) -> Option<Mark> {
        let may_begin = self.depth > 0 && (self.place == Place::Outside || self.begins_line);
        self.root = match (self.root, byte) {
            (_, b'(') if may_begin => Root::Bracket(fed.mark()),
            (Root::Bracket(mark), b';') => Root::Node(mark),
            (Root::Node(mark), letter) if letter.is_ascii_alphabetic() => {
                Root::Name(mark, [0; 2], 0).with(letter)
            }
            (root @ Root::Name(..), letter) if letter.is_ascii_alphabetic() => root.with(letter),
            (Root::Name(mark, name, 2), b'[') if ROOT.contains(&name) => {
                self.root = Root::None;
                return Some(mark);
            }
            (root, blank) if blank.is_ascii_whitespace() => root,
            _ => Root::None,
        };
        None
    }
}

impl Root {
    /// Adds a letter of the name. Small letters do not count.
    fn with(self, letter: u8) -> Self {
        match self {
            Self::Name(mark, [_, last], count) if letter.is_ascii_uppercase() => {
                Self::Name(mark, [last, letter], count + 1)
            }
            root => root,
        }
    }
}
