//! Text from the network, made fit for a terminal.

use std::borrow::Cow;

/// The text without control characters and without those that change the direction of writing:
/// each becomes a space. What is left cannot move the cursor, clear the screen or start a line.
pub fn printable(text: &str) -> Cow<'_, str> {
    if text.chars().any(is_unfit) {
        text.chars().map(|c| if is_unfit(c) { ' ' } else { c }).collect::<String>().into()
    } else {
        text.into()
    }
}

fn is_unfit(c: char) -> bool {
    c.is_control()
        || matches!(c, '\u{61c}' | '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}'
            | '\u{2060}'..='\u{206f}' | '\u{feff}')
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
        ];
        for (text, expected) in cases {
            assert_eq!(printable(text), expected);
        }
    }
}
