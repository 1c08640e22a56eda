//! What a reader could not keep of a file, for the person who opened it.

use std::fmt;

use serde::Serialize;

use crate::rules::Variant;

/// Longest part of a file that a note quotes, in characters.
const QUOTED_CHARS_MAX: usize = 40;

/// Something that was read from a file, and what could not be kept of it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Noted<T> {
    /// What was read.
    pub content: T,
    /// What could not be kept; each kind once.
    pub notes: Vec<Note>,
}

/// One kind of thing that a reader left out or assumed. Its `Display` is a sentence.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct Note {
    /// The kind.
    pub kind: NoteKind,
    /// How many there were.
    pub count: usize,
    /// The line of the first, from 1; absent in files without lines.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub line: Option<usize>,
    /// The first of them, as the file has it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub value: Option<String>,
    /// The variant that was taken in place of unknown rules.
    #[serde(skip)]
    pub variant: Option<Variant>,
}

/// The kinds of notes.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum NoteKind {
    /// Passes, which five in a row does not have.
    Passes,
    /// Stones of the side that was not to move.
    OutOfTurn,
    /// Stones that were added or removed in the middle of a game.
    SetUp,
    /// Values that mean nothing.
    BadValues,
    /// The rules that the file names are not known.
    UnknownRules,
    /// The file has further games.
    OtherGames,
    /// Moves of variations, where only one line is kept.
    Variations,
    /// The file ends in the middle of the game.
    CutOff,
    /// Moves of a library after a pass.
    AfterPass,
    /// Moves after the end of a game.
    AfterEnd,
    /// Letters of a library on empty points.
    BoardTexts,
}

/// Collects notes, one for each kind.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub(super) struct Notes(Vec<Note>);

impl Notes {
    /// Counts one more of a kind. `first` is only asked for the first of them: its line and what to
    /// quote.
    pub(super) fn add(
        &mut self,
        kind: NoteKind,
        first: impl FnOnce() -> (Option<usize>, Option<String>),
    ) {
        if let Some(note) = self.0.iter_mut().find(|note| note.kind == kind) {
            note.count += 1;
            return;
        }
        let (line, value) = first();
        let value = value.map(|value| value.chars().take(QUOTED_CHARS_MAX).collect());
        self.0.push(Note { kind, count: 1, line, value, variant: None });
    }

    /// Notes so many of a kind, unless there are none.
    pub(super) fn count(&mut self, kind: NoteKind, count: usize) {
        self.0.extend(Note::counted(kind, count));
    }

    /// Adds the notes about a game that begins in this line of the file, or of a file without lines.
    pub(super) fn merge(&mut self, notes: impl IntoIterator<Item = Note>, line: Option<usize>) {
        for note in notes {
            if let Some(known) = self.0.iter_mut().find(|known| known.kind == note.kind) {
                known.count += note.count;
                continue;
            }
            let line = line.map(|line| line + note.line.unwrap_or(1) - 1);
            self.0.push(Note { line, ..note });
        }
    }

    /// The notes. Unknown rules were taken as this variant.
    pub(super) fn finish(mut self, variant: Variant) -> Vec<Note> {
        for note in &mut self.0 {
            note.variant = (note.kind == NoteKind::UnknownRules).then_some(variant);
        }
        self.0
    }
}

impl Note {
    /// So many of a kind, unless there are none.
    pub(super) fn counted(kind: NoteKind, count: usize) -> Option<Self> {
        (count > 0).then_some(Self { kind, count, line: None, value: None, variant: None })
    }
}

impl<T> Noted<T> {
    /// The same notes about something made of the content.
    pub fn map<U>(self, change: impl FnOnce(T) -> U) -> Noted<U> {
        Noted { content: change(self.content), notes: self.notes }
    }
}

impl<T> From<T> for Noted<T> {
    fn from(content: T) -> Self {
        Self { content, notes: Vec::new() }
    }
}

impl fmt::Display for Note {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let count = self.count;
        let s = if count == 1 { "" } else { "s" };
        let were = if count == 1 { "was" } else { "were" };
        match self.kind {
            NoteKind::Passes => {
                write!(f, "{count} pass{} {were} left out", if s.is_empty() { "" } else { "es" })?;
            }
            NoteKind::OutOfTurn => write!(f, "{count} stone{s} out of turn {were} left out")?,
            NoteKind::SetUp => {
                write!(f, "{count} change{s} of the board during the game {were} left out")?;
            }
            NoteKind::BadValues => write!(f, "{count} value{s} without a meaning {were} left out")?,
            NoteKind::UnknownRules => write!(f, "the rules of the file are not known")?,
            NoteKind::OtherGames => write!(f, "the file has {count} more game{s}")?,
            NoteKind::Variations => write!(f, "{count} move{s} of variations {were} left out")?,
            NoteKind::CutOff if count > 1 => write!(f, "{count} games are incomplete")?,
            NoteKind::CutOff => write!(f, "the file ends in the middle of the game")?,
            NoteKind::AfterPass => write!(f, "{count} move{s} after a pass {were} left out")?,
            NoteKind::AfterEnd => {
                write!(f, "{count} move{s} after the end of a game {were} left out")?;
            }
            NoteKind::BoardTexts => write!(f, "{count} letter{s} on empty points {were} left out")?,
        }
        if let Some(value) = &self.value {
            write!(f, ": {value}")?;
        }
        if let Some(variant) = self.variant {
            write!(f, "; it was read as {variant}")?;
        }
        match self.line {
            Some(line) if count > 1 => write!(f, " (the first in line {line})"),
            Some(line) => write!(f, " (line {line})"),
            None => Ok(()),
        }
    }
}
