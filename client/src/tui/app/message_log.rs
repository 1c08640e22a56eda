//! The message log of the screen, in order and sanitized.

use std::{borrow::Cow, collections::VecDeque};

use crate::terminal::sanitize::sanitize;

/// Most messages; older ones are dropped.
const MESSAGES_MAX: usize = 200;

/// How a message is marked.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(in crate::tui) enum Kind {
    /// Something happened.
    News,
    /// Something failed or needs attention; shown with a `!`.
    Warning,
    /// This input is not possible. Goes away with the next one that is.
    Mistake,
    /// The server has refused something. Goes away when it accepts something.
    Refusal,
}

impl Kind {
    /// What stands before a message of this kind.
    pub(in crate::tui) const fn sign(self) -> &'static str {
        match self {
            Self::News => "- ",
            Self::Warning | Self::Mistake | Self::Refusal => "! ",
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
    /// How many of the newest ones are scrolled out of sight.
    skipped: usize,
    /// How many mistakes there were, those that have gone away included.
    mistakes: usize,
}

impl Log {
    /// Logs news.
    pub(in crate::tui) fn say(&mut self, text: &str) {
        self.push(Kind::News, sentence(text));
    }

    /// Logs a line of chat as it was typed.
    pub(in crate::tui) fn chat(&mut self, text: &str) {
        self.push(Kind::News, sanitize(text).into_owned());
    }

    /// Scrolls this many messages towards older ones.
    pub(in crate::tui) fn scroll(&mut self, older: isize) {
        let most = self.lines.len().saturating_sub(1);
        self.skipped = self.skipped.saturating_add_signed(older).min(most);
    }

    /// How many of the newest messages are scrolled out of sight.
    pub(in crate::tui) const fn skipped(&self) -> usize {
        self.skipped
    }

    /// Logs a warning.
    pub(in crate::tui) fn warn(&mut self, text: &str) {
        self.push(Kind::Warning, sentence(text));
    }

    /// Logs why an input is not possible.
    pub(in crate::tui) fn mistake(&mut self, text: &str) {
        self.mistakes += 1;
        self.push(Kind::Mistake, sentence(text));
    }

    /// Logs what the server has refused.
    pub(in crate::tui) fn refusal(&mut self, text: &str) {
        self.push(Kind::Refusal, sentence(text));
    }

    /// How many mistakes there were, those that have gone away included.
    pub(in crate::tui) const fn mistakes(&self) -> usize {
        self.mistakes
    }

    /// Removes the messages of a kind.
    pub(in crate::tui) fn forget(&mut self, kind: Kind) {
        let newest = self.lines.iter().rev().take(self.skipped);
        self.skipped -= newest.filter(|line| line.kind == kind).count();
        self.lines.retain(|line| line.kind != kind);
        self.scroll(0);
    }

    /// The messages from where they are scrolled to, the latest first. Repeated ones include a count.
    pub(in crate::tui) fn latest(&self) -> impl Iterator<Item = (Kind, Cow<'_, str>)> {
        self.without_newest(self.skipped)
    }

    /// The messages without so many of the newest, the latest first.
    pub(in crate::tui) fn without_newest(
        &self,
        skipped: usize,
    ) -> impl Iterator<Item = (Kind, Cow<'_, str>)> {
        self.lines.iter().rev().skip(skipped).map(|line| match line.times {
            1 => (line.kind, Cow::Borrowed(line.text.as_str())),
            times => (line.kind, format!("{} ({times} times)", line.text).into()),
        })
    }

    fn push(&mut self, kind: Kind, text: String) {
        if let Some(last) = self.lines.back_mut().filter(|last| last.text == text) {
            last.times += 1;
            return;
        }
        if self.lines.len() == MESSAGES_MAX {
            self.lines.pop_front();
        }
        self.lines.push_back(Line { kind, text, times: 1 });
        // Somebody who reads older ones goes on reading them.
        if self.skipped > 0 {
            self.scroll(1);
        }
    }
}

/// A clean line that begins with a capital and ends with a full stop.
fn sentence(text: &str) -> String {
    let clean = sanitize(text);
    let mut characters = clean.trim().chars();
    let first = characters.next();
    let mut sentence: String =
        first.into_iter().flat_map(char::to_uppercase).chain(characters).collect();
    if !sentence.ends_with(['.', '!', '?', ':']) {
        sentence.push('.');
    }
    sentence
}
