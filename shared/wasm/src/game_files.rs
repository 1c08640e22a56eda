//! Reads files with many games for the page, part by part, so that a long file takes little memory.
//!
//! The page decodes the text, because browsers have the tables for it. It feeds a part, and then
//! asks for batches until the module needs the next part.

use fivefold_shared::{
    collection::{CollectedGame, file_batches::FileBatch},
    notation::{
        file::FileError,
        games::{FileFormat, GamesReader},
        notes::Note,
    },
    protocol::Refusal,
    rules::Rules,
};
use serde::{Deserialize, Serialize};

/// A step of reading a file. All fields are optional; without any, it asks for the next games of
/// what was fed before.
#[derive(Debug, Deserialize)]
pub(crate) struct GamesQuestion {
    /// Begins this file, and drops the one before.
    file: Option<NewFile>,
    /// The next part of its text.
    #[serde(default)]
    text: String,
    /// The next part of a RenLib library, which is not text.
    #[serde(default)]
    bytes: Vec<u8>,
    /// Whether this part is the last one.
    #[serde(default)]
    is_last: bool,
}

/// A file to read.
#[derive(Debug, Deserialize)]
struct NewFile {
    /// Its name, which tells the format if the first letters do not.
    name: String,
    /// The rules of games that do not name any.
    rules: Rules,
}

/// The next games of a file.
#[derive(Debug, Serialize)]
pub(crate) struct GamesAnswer {
    /// The games, as a batch that is not too long for the server.
    games: Vec<CollectedGame>,
    /// The line where each of the games begins.
    lines: Vec<usize>,
    /// What could not be read since the last answer.
    faults: Vec<FileError>,
    /// Whether there are more games in what was fed: ask again before you feed the next part.
    more: bool,
    /// What could not be kept of the games; only in the last answer.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    notes: Vec<Note>,
}

/// The file that is being read, if any.
#[derive(Debug, Default)]
pub(crate) struct GameFiles(Option<GamesReader>);

impl GameFiles {
    /// Takes a part of the file, and answers with the next games.
    pub(crate) fn answer(&mut self, question: GamesQuestion) -> Result<GamesAnswer, Refusal> {
        let GamesQuestion { file, text, bytes, is_last } = question;
        if let Some(NewFile { name, rules }) = file {
            self.0 = Some(GamesReader::new(FileFormat::of_name(&name), rules));
        }
        let reader = self.0.as_mut().ok_or_else(|| Refusal::malformed("no file is open"))?;
        if !bytes.is_empty() {
            reader.feed_library(&bytes);
        }
        reader.feed(&text);
        if is_last {
            reader.end();
        }
        let FileBatch { games, lines, faults, more, .. } = FileBatch::next(reader);
        let notes = if more || !reader.has_ended() { Vec::new() } else { reader.take_notes() };
        Ok(GamesAnswer { games, lines, faults, more, notes })
    }
}
