//! Sanitizes foreign text for the terminal.

use std::{borrow::Cow, fmt::Write};

/// Replaces control characters, invisible ones, and those that change the direction of writing by
/// spaces. The result cannot move the cursor, clear the screen or start a line.
pub fn sanitize(text: &str) -> Cow<'_, str> {
    replace(text, is_unfit)
}

/// The same for our own text of several lines, which may contain CR, LF and tabs.
pub fn sanitize_lines(text: &str) -> Cow<'_, str> {
    let is_unfit = |c| is_unfit(c) && !matches!(c, '\n' | '\t');
    if !text.contains("\r\n") {
        return replace(text, is_unfit);
    }
    let lines: Vec<_> = text.split("\r\n").map(|line| replace(line, is_unfit)).collect();
    lines.join("\r\n").into()
}

/// The same for JSON, with escapes instead of spaces: nothing is lost.
pub fn sanitize_json(json: &str) -> Cow<'_, str> {
    // Outside strings, JSON contains only white space of these.
    let is_unfit = |c: char| is_unfit(c) && !matches!(c, '\n' | '\t');
    if !json.chars().any(is_unfit) {
        return json.into();
    }
    let mut text = String::with_capacity(json.len() + 16);
    for c in json.chars() {
        if is_unfit(c) {
            for unit in c.encode_utf16(&mut [0; 2]) {
                // Writing to a string cannot fail.
                let _written = write!(text, "\\u{unit:04x}");
            }
        } else {
            text.push(c);
        }
    }
    text.into()
}

fn replace(text: &str, is_unfit: impl Fn(char) -> bool) -> Cow<'_, str> {
    if text.chars().any(&is_unfit) {
        text.chars().map(|c| if is_unfit(c) { ' ' } else { c }).collect::<String>().into()
    } else {
        text.into()
    }
}

/// Whether a character must not be printed. Those that join two others, such as the parts of an emoji, may
/// be.
pub fn is_unfit(c: char) -> bool {
    c.is_control()
        || matches!(c, '\u{61c}' | '\u{180e}' | '\u{200b}' | '\u{200e}' | '\u{200f}' | '\u{2028}'..='\u{202e}'
            | '\u{2060}'..='\u{206f}' | '\u{feff}' | '\u{fff9}'..='\u{fffb}'
            | '\u{e0000}'..='\u{e007f}')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn control_characters_become_spaces() {
        let cases = [
            ("plain text", "plain text"),
            ("Ωμέγα 五目", "Ωμέγα 五目"),
            ("\u{1b}[2Jgone\r\n", " [2Jgone  "),
            ("a\u{9b}b\u{7f}c\u{202e}d", "a b c d"),
            ("👨\u{200d}👩\u{200d}👧", "👨\u{200d}👩\u{200d}👧"),
            ("a\u{200b}b\u{200e}c\u{200f}d", "a b c d"),
            ("a\u{2066}b\u{2069}c\u{e0041}d", "a b c d"),
        ];
        for (text, expected) in cases {
            assert_eq!(sanitize(text), expected);
        }
        assert_eq!(sanitize_lines("a\tb\n\u{1b}c\r"), "a\tb\n c ");
        assert_eq!(sanitize_lines("a\u{1b}\r\n\rb\r\n"), "a \r\n b\r\n");
    }

    #[test]
    fn json_says_the_same_without_them() {
        let text = "a\u{202e}\u{9b}\u{7f}\u{e0041}\u{1b}\n五";
        let json = serde_json::to_string_pretty(&[text]).unwrap();
        let clean = sanitize_json(&json);
        assert!(!clean.chars().any(|c| is_unfit(c) && c != '\n'), "{clean}");
        assert_eq!(serde_json::from_str::<[String; 1]>(&clean).unwrap(), [text]);
        assert_eq!(sanitize_json("{\"a\": 1}"), "{\"a\": 1}");
    }
}
