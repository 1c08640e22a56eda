//! Cleans lines of text that people write for others.

use std::fmt;

use serde::{Deserialize, Serialize};
use unicode_normalization::{UnicodeNormalization, char::is_combining_mark};

use super::{
    NAME_MARKS_MAX,
    names::{NameError, is_invisible},
};

/// Longest name of a collection, in characters.
pub const COLLECTION_NAME_MAX: usize = 60;

/// Cleans a line: Unicode's form NFC without control characters, those that change the direction of
/// text, other invisible ones, and combining marks beyond [`NAME_MARKS_MAX`] in a row. Joiners and
/// variation selectors stay after a character that they can join, because scripts and emoji need
/// them. White space is trimmed at both ends and collapsed to single spaces in between.
pub fn clean_line(text: &str) -> String {
    let spaced = text.chars().map(|c| if c.is_whitespace() || c.is_control() { ' ' } else { c });
    let visible = spaced.filter(|&c| !is_invisible(c) || is_joiner(c));
    let mut clean = String::new();
    let mut marks = 0;
    for c in visible.nfc() {
        let behind_something = !clean.is_empty() && !clean.ends_with(' ');
        let keep = if c == ' ' {
            behind_something
        } else if is_joiner(c) {
            behind_something && !clean.ends_with(is_joiner)
        } else if is_combining_mark(c) {
            behind_something && marks < NAME_MARKS_MAX
        } else {
            true
        };
        if keep {
            marks = if is_combining_mark(c) && !is_joiner(c) { marks + 1 } else { 0 };
            clean.push(c);
        }
    }
    clean.truncate(clean.trim_end_matches(' ').len());
    clean
}

/// Invisible characters that some scripts and emoji need: the zero-width joiner and non-joiner, and
/// the selectors of text and emoji forms.
const fn is_joiner(c: char) -> bool {
    matches!(c, '\u{200c}' | '\u{200d}' | '\u{fe0e}' | '\u{fe0f}')
}

/// The name of a collection of games: 1 to [`COLLECTION_NAME_MAX`] characters, cleaned as
/// [`clean_line`] does.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[cfg_attr(test, schemars(extend("minLength" = 1, "maxLength" = COLLECTION_NAME_MAX)))]
#[serde(try_from = "String", into = "String")]
pub struct CollectionName(String);

impl CollectionName {
    /// Cleans a name.
    ///
    /// # Errors
    /// When nothing is left, or too much.
    pub fn new(text: &str) -> Result<Self, NameError> {
        let clean = clean_line(text);
        if (1..=COLLECTION_NAME_MAX).contains(&clean.chars().count()) {
            Ok(Self(clean))
        } else {
            Err(NameError::CollectionName)
        }
    }

    /// The text itself.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl TryFrom<String> for CollectionName {
    type Error = NameError;

    fn try_from(text: String) -> Result<Self, NameError> {
        Self::new(&text)
    }
}

impl From<CollectionName> for String {
    fn from(name: CollectionName) -> Self {
        name.0
    }
}

impl fmt::Display for CollectionName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl fmt::Debug for CollectionName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Debug::fmt(&self.0, f)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_collections_are_cleaned_and_limited() {
        let longest = "é".repeat(COLLECTION_NAME_MAX);
        let too_long = "é".repeat(COLLECTION_NAME_MAX + 1);
        let cases = [
            ("  World \n cup ", Some("World cup")),
            ("a\u{202e}b\u{7}", Some("ab")),
            ("", None),
            (" \u{200b} ", None),
            (&longest, Some(longest.as_str())),
            (&too_long, None),
        ];
        for (text, expected) in cases {
            let name = CollectionName::new(text).ok();
            assert_eq!(name.as_ref().map(CollectionName::as_str), expected, "{text:?}");
        }
    }
}
