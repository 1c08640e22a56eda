//! Chat lines: cleans a line's text for display, and pairs it with its speaker. The server decides
//! who receives it; this file does not know.

use std::fmt;

use serde::{Deserialize, Serialize};

use super::{MemberId, Name, clean_line::clean_line, is_false, names::NameError};

/// Longest line of chat, in characters.
pub const CHAT_TEXT_MAX: usize = 280;
/// Most lines of each of the two channels in a `chat` message.
pub const CHAT_LINES_MAX: usize = 50;

/// A line of text: 1 to [`CHAT_TEXT_MAX`] characters. Unsuitable characters are removed, not refused:
/// see [`clean_line`].
#[derive(Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema, ts_rs::TS), ts(type = "string"))]
#[cfg_attr(test, schemars(extend("minLength" = 1, "maxLength" = CHAT_TEXT_MAX)))]
#[serde(try_from = "String", into = "String")]
pub struct ChatText(String);

/// A line of chat.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema, ts_rs::TS))]
pub struct ChatLine {
    /// Counts the lines of a room, those of both channels together. A room that was restored after
    /// a restart begins again at 1.
    pub number: u64,
    /// When it was sent, in milliseconds since the Unix epoch, by the server's clock.
    pub at: u64,
    /// The speaker.
    pub member: MemberId,
    /// The speaker's name then.
    pub name: Name,
    /// Whether the speaker is a bot.
    #[serde(default, skip_serializing_if = "is_false")]
    pub bot: bool,
    /// The text.
    pub text: ChatText,
}

impl ChatText {
    /// Cleans a text.
    ///
    /// # Errors
    /// When nothing is left, or too much.
    pub fn new(text: &str) -> Result<Self, NameError> {
        let clean = clean_line(text);
        if (1..=CHAT_TEXT_MAX).contains(&clean.chars().count()) {
            Ok(Self(clean))
        } else {
            Err(NameError::ChatText)
        }
    }

    /// The text itself.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl TryFrom<String> for ChatText {
    type Error = NameError;

    fn try_from(text: String) -> Result<Self, NameError> {
        Self::new(&text)
    }
}

impl From<ChatText> for String {
    fn from(text: ChatText) -> Self {
        text.0
    }
}

impl fmt::Display for ChatText {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl fmt::Debug for ChatText {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Debug::fmt(&self.0, f)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(text: &str, expected: Option<&str>) {
        assert_eq!(ChatText::new(text).ok().as_ref().map(ChatText::as_str), expected, "{text:?}");
    }

    #[test]
    fn lines_are_cleaned_and_limited() {
        check("Well played!", Some("Well played!"));
        check("  Well \t\r\n played  ", Some("Well played"));
        check("<b>x²</b> & \"quotes\"", Some("<b>x²</b> & \"quotes\""));
        check("a\u{1b}[31mred\u{7}", Some("a [31mred"));
        check("a\u{202e}b\u{2066}c\u{200f}d", Some("abcd"));
        check("a\u{200b}b\u{ad}c\u{feff}", Some("abc"));
        check("a\u{2028}b", Some("a b"));
        check("A\u{200b}\u{30a}sa", Some("Åsa"));
        check("\u{301}a", Some("a"));
        check(&format!("x{}", "\u{334}".repeat(9)), Some("x\u{334}\u{334}\u{334}\u{334}"));
        check("👨\u{200d}👩\u{200d}👧 ❤\u{fe0f}", Some("👨\u{200d}👩\u{200d}👧 ❤\u{fe0f}"));
        check("می\u{200c}خواهم", Some("می\u{200c}خواهم"));
        check("a\u{200d}\u{200d}\u{200d}b \u{200d}", Some("a\u{200d}b"));
        check(&"五".repeat(CHAT_TEXT_MAX), Some(&"五".repeat(CHAT_TEXT_MAX)));
        check(&"五".repeat(CHAT_TEXT_MAX + 1), None);
        check("", None);
        check(" \u{200b}\u{202e}\n", None);
    }

    proptest::proptest! {
        #[test]
        fn a_line_is_the_same_when_it_is_read_again(text: String) {
            if let Ok(line) = ChatText::new(&text) {
                proptest::prop_assert_eq!(ChatText::new(line.as_str()), Ok(line));
            }
        }

        #[test]
        fn so_is_one_of_the_characters_that_matter(
            text in "[ae \u{301}\u{30a}\u{200b}\u{200c}\u{200d}\u{fe0f}\u{202e}\n\u{1100}\u{1161}]{1,12}"
        ) {
            if let Ok(line) = ChatText::new(&text) {
                proptest::prop_assert_eq!(ChatText::new(line.as_str()), Ok(line));
            }
        }
    }
}
