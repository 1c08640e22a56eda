//! Reads files with many games, game by game: SGF collections, lists of moves with one game per
//! line, PSQ, JSON, and RenLib libraries, where each complete line of moves is a game.
//!
//! A file is fed in parts and read in linear time, so that even a long file takes little memory.
//! One game has at most [`FILE_BYTES_MAX`] bytes. If a game cannot be read, it becomes a fault with
//! its line, and reading continues with the next game.
//!
//! A line of moves that continues on the next line ends with a comma. A line with only rules sets
//! the rules of the games after it.

mod fed;
mod json_objects;
mod lines;
mod sgf_games;

use std::mem;

use self::{
    fed::{Fed, Piece},
    json_objects::JsonObjects,
    lines::{MoveLists, PsqGames},
    sgf_games::SgfGames,
};
use super::{
    coordinates,
    file::{FileError, GameFile},
    json, moves,
    notes::{Note, NoteKind, Noted, Notes},
    psq,
    renlib::LibraryLines,
    rules_text, sgf,
    tree::FILE_BYTES_MAX,
};
use crate::rules::{Illegal, Rules};

/// A text format that may hold several games.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum FileFormat {
    /// Smart Game Format.
    Sgf,
    /// Piskvork's files.
    Psq,
    /// JSON: what Fivefold writes.
    Json,
    /// Lists of moves, such as `h8 i9 j10`.
    Moves,
}

impl FileFormat {
    /// The format that a file's name suggests.
    pub fn of_name(name: &str) -> Option<Self> {
        let (_, end) = name.rsplit_once('.')?;
        match end.to_ascii_lowercase().as_str() {
            "sgf" => Some(Self::Sgf),
            "psq" => Some(Self::Psq),
            "json" => Some(Self::Json),
            "txt" | "moves" => Some(Self::Moves),
            _ => None,
        }
    }
}

/// A game of a file.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct FoundGame {
    /// The line where it begins, from 1.
    pub line: usize,
    /// The game. Its moves can be played by its rules, and it has at least one.
    pub game: GameFile,
}

/// Reads the games of a file that is fed to it. The iterator returns `None` when it needs the next
/// part, and continues after that.
#[derive(Debug)]
pub struct GamesReader {
    /// The format that the file's name suggests.
    named: Option<FileFormat>,
    /// The rules of games that do not name any.
    rules: Rules,
    fed: Fed,
    source: Source,
    notes: Notes,
    /// Whether it has found a game or a fault.
    has_found: bool,
}

/// How the text is split into games.
#[derive(Debug)]
enum Source {
    /// Unknown until the first letters have come.
    Unknown,
    Sgf(SgfGames),
    Psq(PsqGames),
    Json(JsonObjects),
    Moves(MoveLists),
    Library(LibraryLines),
    /// A library that was read to its end, or that cannot be read any further.
    Finished,
}

impl GamesReader {
    /// A reader of a file. `named` is the format that its name suggests; the text decides.
    pub fn new(named: Option<FileFormat>, rules: Rules) -> Self {
        Self {
            named,
            rules,
            fed: Fed::default(),
            source: Source::Unknown,
            notes: Notes::default(),
            has_found: false,
        }
    }

    /// Takes the next part of the text. Read all games of a part before you feed the next one, so
    /// that the part is forgotten.
    pub fn feed(&mut self, part: &str) {
        self.fed.feed(part);
    }

    /// Takes the next part of a RenLib library, which is not text.
    pub fn feed_library(&mut self, part: &[u8]) {
        if matches!(self.source, Source::Unknown) {
            self.source = Source::Library(LibraryLines::new(self.rules.variant()));
        }
        if let Source::Library(lines) = &mut self.source {
            lines.feed(part);
        }
    }

    /// Says that the file has no more parts.
    pub fn end(&mut self) {
        self.fed.is_whole = true;
    }

    /// Whether the last part was fed.
    pub const fn has_ended(&self) -> bool {
        self.fed.is_whole
    }

    /// What could not be kept of the games so far: one note of each kind.
    pub fn take_notes(&mut self) -> Vec<Note> {
        mem::take(&mut self.notes).finish(self.rules.variant())
    }

    /// The next game, or the next fault; `None` if a part is needed.
    fn find(&mut self) -> Option<Result<FoundGame, FileError>> {
        loop {
            let piece = match &mut self.source {
                Source::Unknown => {
                    self.source = self.recognized()?;
                    continue;
                }
                Source::Sgf(games) => games.next(&mut self.fed),
                Source::Psq(games) => games.next(&mut self.fed),
                Source::Json(games) => games.next(&mut self.fed),
                Source::Moves(games) => games.next(&mut self.fed),
                Source::Library(lines) => {
                    let line = lines.next(self.fed.is_whole);
                    if line.is_none() && !self.fed.is_whole {
                        return None;
                    }
                    if !matches!(line, Some(Ok(_))) {
                        self.notes.merge(lines.notes(), None);
                        self.source = Source::Finished;
                    }
                    return line.map(|line| line.and_then(|game| self.playable(1, game)));
                }
                Source::Finished => None,
            }?;
            if let Some(found) = self.read(&piece) {
                return Some(found);
            }
        }
    }

    /// How to split a text that begins like this; `None` if more of it is needed.
    fn recognized(&mut self) -> Option<Source> {
        self.fed.skip_blank();
        let format = match self.fed.rest().as_bytes() {
            [b'(', ..] => FileFormat::Sgf,
            [b'{', ..] => FileFormat::Json,
            [b'[', ..] => self.named.unwrap_or(FileFormat::Json),
            rest if rest.starts_with(psq::BEGIN.as_bytes()) => FileFormat::Psq,
            rest if rest.len() < psq::BEGIN.len() && !self.fed.is_whole => return None,
            _ => self.named.unwrap_or(FileFormat::Moves),
        };
        Some(match format {
            FileFormat::Sgf => Source::Sgf(SgfGames::default()),
            FileFormat::Psq => Source::Psq(PsqGames::default()),
            FileFormat::Json => Source::Json(JsonObjects::default()),
            FileFormat::Moves => Source::Moves(MoveLists::default()),
        })
    }

    /// Reads the piece of the text that has one game; nothing if it only has rules.
    fn read(&mut self, piece: &Piece) -> Option<Result<FoundGame, FileError>> {
        let &Piece { line, is_too_long, .. } = piece;
        if is_too_long {
            let text = format!("the game has more than {FILE_BYTES_MAX} bytes");
            return Some(Err(FileError { line, text }));
        }
        let text = self.fed.text_of(piece);
        let variant = self.rules.variant();
        let read = match &self.source {
            Source::Sgf(_) => sgf::read_only(text, variant).map(Noted::main_line),
            Source::Psq(_) => psq::read(text, variant),
            Source::Json(_) => json::read(text).map(Noted::from),
            Source::Unknown | Source::Moves(_) | Source::Library(_) | Source::Finished => {
                if let Some(rules) = rules_text::rules(text) {
                    self.rules = rules;
                    return None;
                }
                moves::read(text, self.rules).map(Noted::from)
            }
        };
        Some(match read {
            Ok(Noted { content, notes }) => {
                self.notes.merge(notes, Some(line));
                self.playable(line, content)
            }
            Err(FileError { line: within, text }) => {
                // What reads JSON adds the line within the game.
                let text = text.split(" at line ").next().unwrap_or_default().to_owned();
                Err(FileError { line: line + within - 1, text })
            }
        })
    }

    /// The game without the moves after its end, if its moves are legal.
    fn playable(&mut self, line: usize, mut game: GameFile) -> Result<FoundGame, FileError> {
        match game.position() {
            Ok(_) => {}
            Err((ply, Illegal::GameOver)) => {
                let count = game.moves.len() - ply;
                self.notes.merge(Note::counted(NoteKind::AfterEnd, count), Some(line));
                game.moves.truncate(ply);
            }
            Err((ply, why)) => {
                let point = coordinates::format(game.moves[ply].point, game.rules.size());
                let rules = game.rules;
                let text = format!("move {}, {point}: {why} ({rules})", ply + 1);
                return Err(FileError { line, text });
            }
        }
        if game.moves.is_empty() {
            return Err(FileError { line, text: "the game has no moves".into() });
        }
        Ok(FoundGame { line, game })
    }
}

impl Iterator for GamesReader {
    type Item = Result<FoundGame, FileError>;

    fn next(&mut self) -> Option<Self::Item> {
        let found = self.find();
        if found.is_some() {
            self.has_found = true;
        } else if self.fed.is_whole && !mem::replace(&mut self.has_found, true) {
            return Some(Err(FileError::no_game()));
        }
        found
    }
}
