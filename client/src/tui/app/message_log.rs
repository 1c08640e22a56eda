//! The message log of the screen, in order and sanitized.

use std::{borrow::Cow, collections::VecDeque};

/// Most messages; older ones are dropped.
const MESSAGES_MAX: usize = 200;

/// How a message is marked.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(in crate::tui) enum Kind {
    /// Something happened.
    News,
    /// Something failed or needs attention; shown with a `!`.
    Warning,
}

impl Kind {
    /// What stands before a message of this kind.
    pub(in crate::tui) const fn sign(self) -> &'static str {
        match self {
            Self::News => "- ",
            Self::Warning => "! ",
        }
    }
}

/// A message.
#[derive(Clone, PartialEq, Eq, Debug)]
struct Line {
    kind: Kind,
    text: String,
    /// How often it was repeated in a row.
    times: usize,
}

/// The messages so far.
#[derive(Clone, Debug, Default)]
pub(in crate::tui) struct Log {
    lines: VecDeque<Line>,
}

impl Log {
    /// Logs news.
    pub(in crate::tui) fn say(&mut self, text: &str) {
        self.push(Kind::News, text);
    }

    /// Logs a warning.
    pub(in crate::tui) fn warn(&mut self, text: &str) {
        self.push(Kind::Warning, text);
    }

    /// The messages, the latest first. Repeated ones include a count.
    pub(in crate::tui) fn latest(&self) -> impl Iterator<Item = (Kind, Cow<'_, str>)> {
        self.lines.iter().rev().map(|line| match line.times {
            1 => (line.kind, Cow::Borrowed(line.text.as_str())),
            times => (line.kind, format!("{} ({times} times)", line.text).into()),
        })
    }

    fn push(&mut self, kind: Kind, text: &str) {
        let text = sentence(text);
        if let Some(last) = self.lines.back_mut().filter(|last| last.text == text) {
            last.times += 1;
            return;
        }
        if self.lines.len() == MESSAGES_MAX {
            self.lines.pop_front();
        }
        self.lines.push_back(Line { kind, text, times: 1 });
    }
}

/// A clean line that begins with a capital and ends with a full stop.
fn sentence(text: &str) -> String {
    let clean = crate::sanitize::sanitize(text);
    let mut characters = clean.trim().chars();
    let first = characters.next();
    let mut sentence: String =
        first.into_iter().flat_map(char::to_uppercase).chain(characters).collect();
    if !sentence.ends_with(['.', '!', '?', ':']) {
        sentence.push('.');
    }
    sentence
}
