//! Breaks texts into lines of a width, and never inside a character as people see it.

use ratatui::{style::Style, text::Span};
use unicode_width::UnicodeWidthStr;

/// Splits a text into the characters that people see, such as an emoji of several parts.
pub(super) fn graphemes(text: &str) -> Vec<&str> {
    let mut rest = text;
    let span = Span::raw(text);
    let lengths = span.styled_graphemes(Style::new()).map(|grapheme| grapheme.symbol.len());
    let split = lengths.map(|length| {
        let (grapheme, after) = rest.split_at(length);
        rest = after;
        grapheme
    });
    split.collect()
}

/// Breaks a text at spaces, and splits words longer than a line.
pub(super) fn wrap(text: &str, width: usize) -> Vec<String> {
    let width = width.max(1);
    let mut lines = vec![String::new()];
    for word in text.split(' ') {
        let mut line = lines.pop().unwrap_or_default();
        if line.width() + 1 + word.width() <= width && !line.is_empty() {
            line.push(' ');
        } else if !line.is_empty() {
            lines.push(std::mem::take(&mut line));
        }
        for grapheme in graphemes(word) {
            if line.width() + grapheme.width() > width && !line.is_empty() {
                lines.push(std::mem::take(&mut line));
            }
            line.push_str(grapheme);
        }
        lines.push(line);
    }
    lines
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_break_at_spaces() {
        let cases: [(&str, usize, &[&str]); 6] = [
            ("", 5, &[""]),
            ("one two", 10, &["one two"]),
            ("one two three", 7, &["one two", "three"]),
            ("abcdefgh ij", 3, &["abc", "def", "gh", "ij"]),
            ("五目 並べ", 4, &["五目", "並べ"]),
            ("a👨\u{200d}👩\u{200d}👧b", 2, &["a", "👨\u{200d}👩\u{200d}👧", "b"]),
        ];
        for (text, width, expected) in cases {
            assert_eq!(wrap(text, width), expected, "{text:?}");
        }
    }
}
