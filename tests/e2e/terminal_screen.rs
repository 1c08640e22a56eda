//! What a terminal shows: the text that a program has put on it, as far as the client's own sequences go.

use std::mem;

/// Columns and rows that are kept; more than any test has.
const COLUMNS: usize = 250;
const ROWS: usize = 100;

/// A screen of characters, each one column wide.
pub(crate) struct Screen {
    rows: Vec<Vec<char>>,
    at: (usize, usize),
    /// A sequence that has begun.
    sequence: String,
}

impl Screen {
    pub(crate) fn new() -> Self {
        Self { rows: vec![vec![' '; COLUMNS]; ROWS], at: (0, 0), sequence: String::new() }
    }

    /// Takes what the program writes.
    pub(crate) fn take(&mut self, text: &str) {
        for c in text.chars() {
            match (self.sequence.len(), c) {
                (0, '\x1b') => self.sequence.push(c),
                (0, '\r') => self.at.0 = 0,
                (0, '\n') => self.at.1 += 1,
                (0, c) if c.is_control() => {}
                (0, c) => {
                    let cell = self.rows.get_mut(self.at.1).and_then(|row| row.get_mut(self.at.0));
                    cell.into_iter().for_each(|cell| *cell = c);
                    self.at.0 += 1;
                }
                (1, '[') => self.sequence.push(c),
                (1, _) => self.sequence.clear(),
                (_, '\x40'..='\x7e') => self.obey(c),
                (_, c) => self.sequence.push(c),
            }
        }
    }

    /// The rows, without spaces at their ends.
    pub(crate) fn text(&self) -> String {
        let row = |row: &Vec<char>| row.iter().collect::<String>().trim_end().to_owned();
        self.rows.iter().map(row).collect::<Vec<_>>().join("\n")
    }

    fn obey(&mut self, end: char) {
        let sequence = mem::take(&mut self.sequence);
        let numbers: Vec<usize> =
            sequence[2..].split(';').filter_map(|number| number.parse().ok()).collect();
        match (end, numbers.as_slice()) {
            ('H', [row, column]) => self.at = (column.saturating_sub(1), row.saturating_sub(1)),
            ('H', []) => self.at = (0, 0),
            ('J', [2]) => *self = Self { at: self.at, ..Self::new() },
            _ => {}
        }
    }
}
