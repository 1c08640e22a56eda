//! The messages on the screen: what was said, in order, without anything that could disturb the
//! terminal.

use std::collections::VecDeque;

/// Messages that are kept; older ones are forgotten.
const MESSAGES_MAX: usize = 200;

/// How a message is marked.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(in crate::tui) enum Kind {
    /// Something happened.
    News,
    /// Something was not done, or wants attention; shown with a `!`.
    Warning,
}

/// The messages so far.
#[derive(Clone, Debug, Default)]
pub(in crate::tui) struct Log {
    lines: VecDeque<(Kind, String)>,
}

impl Log {
    /// Something happened.
    pub(in crate::tui) fn say(&mut self, text: &str) {
        self.push(Kind::News, text);
    }

    /// Something was not done.
    pub(in crate::tui) fn warn(&mut self, text: &str) {
        self.push(Kind::Warning, text);
    }

    /// The messages, the latest first.
    pub(in crate::tui) fn latest(&self) -> impl Iterator<Item = (Kind, &str)> {
        self.lines.iter().rev().map(|(kind, text)| (*kind, text.as_str()))
    }

    fn push(&mut self, kind: Kind, text: &str) {
        if self.lines.len() == MESSAGES_MAX {
            self.lines.pop_front();
        }
        self.lines.push_back((kind, sentence(text)));
    }
}

/// One line of clean text that begins with a capital and ends with a full stop.
fn sentence(text: &str) -> String {
    let clean = crate::text::printable(text);
    let mut sentence = capital(clean.trim());
    if !sentence.ends_with(['.', '!', '?', ':']) {
        sentence.push('.');
    }
    sentence
}

/// The text with a capital at its beginning.
pub(in crate::tui) fn capital(text: &str) -> String {
    let mut characters = text.chars();
    let first = characters.next();
    first.into_iter().flat_map(char::to_uppercase).chain(characters).collect()
}
