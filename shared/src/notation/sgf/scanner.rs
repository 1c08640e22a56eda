//! Splits SGF into brackets, nodes, and properties with their values.

use crate::notation::file::FileError;

/// A place in a text.
pub(super) struct Scanner<'a> {
    pub(super) text: &'a str,
    pub(super) offset: usize,
}

/// A property: its name in capitals, and its offset.
pub(super) struct Property {
    pub(super) offset: usize,
    pub(super) name: String,
    pub(super) values: Vec<String>,
}

/// The next thing in a text.
pub(super) enum Token {
    /// `(`
    Open,
    /// `)`
    Close,
    /// `;`
    Node,
    Property(Property),
    /// A sign that means nothing here.
    Other(char),
    End,
}

impl Scanner<'_> {
    /// Reads the next thing.
    pub(super) fn next(&mut self) -> Result<Token, FileError> {
        let token = match self.next_visible() {
            Some('(') => Token::Open,
            Some(')') => Token::Close,
            Some(';') => Token::Node,
            Some(c) if c.is_ascii_alphabetic() => return self.property().map(Token::Property),
            Some(c) => return Ok(Token::Other(c)),
            None => return Ok(Token::End),
        };
        self.offset += 1;
        Ok(token)
    }

    fn rest(&self) -> &str {
        &self.text[self.offset..]
    }

    fn next_visible(&mut self) -> Option<char> {
        let rest = self.rest();
        self.offset += rest.len() - rest.trim_start().len();
        self.rest().chars().next()
    }

    /// A property. Small letters of its name do not count, which an older version of the format has.
    fn property(&mut self) -> Result<Property, FileError> {
        let offset = self.offset;
        let length = self.rest().bytes().take_while(u8::is_ascii_alphabetic).count();
        let name = self.rest()[..length].chars().filter(char::is_ascii_uppercase).collect();
        self.offset += length;
        let mut values = Vec::new();
        while self.next_visible() == Some('[') {
            values.push(self.value()?);
        }
        Ok(Property { offset, name, values })
    }

    /// The value at this place, without escapes.
    fn value(&mut self) -> Result<String, FileError> {
        let start = self.offset;
        let mut value = String::new();
        let mut chars = self.rest().char_indices().skip(1).peekable();
        while let Some((at, c)) = chars.next() {
            match c {
                ']' => {
                    self.offset = start + at + 1;
                    return Ok(value);
                }
                // A line break after a backslash does not count. Some are two signs.
                '\\' => match chars.next() {
                    Some((_, first @ ('\n' | '\r'))) => {
                        let second = |&(_, c): &(usize, char)| "\r\n".contains(c) && c != first;
                        let _second = chars.next_if(second);
                    }
                    Some((_, escaped)) => value.push(escaped),
                    None => {}
                },
                c => value.push(c),
            }
        }
        Err(FileError::at(self.text, start, "a value that does not end: `]` is missing"))
    }
}
