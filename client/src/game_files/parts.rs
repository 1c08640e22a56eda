//! Reads and decodes files with many games in parts, so that even a long file takes little memory.

use std::{
    fmt, fs,
    io::{self, Read},
    path::Path,
};

use encoding_rs::Decoder;
use fivefold_shared::{
    collection::file_batches::FileBatch,
    notation::{
        encoding::whole_letters,
        file::FileError,
        games::{FileFormat, GamesReader},
        notes::Note,
        renlib,
    },
    rules::Rules,
};

use super::{Source, encoding_of};

/// How much of a file is read at once, in bytes.
const PART_BYTES: usize = 64 << 10;
/// How much of a file's beginning is kept until the encoding is known, in bytes. It may name the
/// encoding.
const BEGINNING_BYTES: usize = 1 << 10;

/// A file whose games are read batch by batch.
pub struct GameParts {
    file: Box<dyn Read>,
    reader: GamesReader,
    text: Text,
    /// How many bytes have been read.
    pub read: u64,
    /// How many bytes the file has, if that is known.
    pub length: Option<u64>,
}

/// How the bytes become text.
enum Text {
    /// Only ASCII so far; this is the beginning.
    Ascii(Vec<u8>),
    Encoded(Decoder),
    /// A RenLib library, which is not text.
    Library,
    /// Not at all.
    Unreadable,
}

impl fmt::Debug for GameParts {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("GameParts").field("read", &self.read).finish_non_exhaustive()
    }
}

impl GameParts {
    /// Opens a file, or standard input. `rules` apply to games that do not name their rules.
    ///
    /// # Errors
    /// When it cannot be opened.
    pub fn open(path: &Path, rules: Rules) -> io::Result<Self> {
        let (file, length): (Box<dyn Read>, _) = match Source::of(path) {
            Source::Stdin => (Box::new(io::stdin().lock()), None),
            Source::File(path) => {
                let file = fs::File::open(path)?;
                let length = Some(file.metadata()?).filter(fs::Metadata::is_file);
                (Box::new(file), length.map(|metadata| metadata.len()))
            }
        };
        let named = path.to_str().and_then(FileFormat::of_name);
        let reader = GamesReader::new(named, rules);
        Ok(Self { file, reader, text: Text::Ascii(Vec::new()), read: 0, length })
    }

    /// The next games and faults; `None` at the end of the file.
    ///
    /// # Errors
    /// When the file cannot be read.
    pub fn next_batch(&mut self) -> io::Result<Option<FileBatch>> {
        while !matches!(self.text, Text::Unreadable) {
            let batch = FileBatch::next(&mut self.reader);
            if !batch.games.is_empty() || !batch.faults.is_empty() {
                return Ok(Some(batch));
            }
            if self.reader.has_ended() {
                break;
            }
            if let Err(fault) = self.feed()? {
                self.text = Text::Unreadable;
                return Ok(Some(FileBatch { faults: vec![fault], ..FileBatch::default() }));
            }
        }
        Ok(None)
    }

    /// What could not be kept of the games.
    pub fn take_notes(&mut self) -> Vec<Note> {
        self.reader.take_notes()
    }

    /// Feeds the next part to the reader. The inner error concerns the whole file.
    fn feed(&mut self) -> io::Result<Result<(), FileError>> {
        let mut part = Vec::with_capacity(PART_BYTES);
        (&mut self.file).take(PART_BYTES as u64).read_to_end(&mut part)?;
        let is_last = part.is_empty();
        if self.read == 0 && renlib::is_library(&part) {
            self.text = Text::Library;
        }
        self.read += part.len() as u64;
        if let Text::Ascii(beginning) = &mut self.text {
            if part.is_ascii() && !part.contains(&0) {
                let missing = BEGINNING_BYTES - beginning.len();
                beginning.extend(part.iter().take(missing));
            } else {
                beginning.extend(&part);
                match encoding_of(whole_letters(beginning)) {
                    Ok(encoding) => {
                        self.text = Text::Encoded(encoding.new_decoder_with_bom_removal());
                    }
                    Err(fault) => return Ok(Err(fault)),
                }
            }
        }
        match &mut self.text {
            Text::Unreadable => {}
            Text::Library => self.reader.feed_library(&part),
            Text::Ascii(_) => self.reader.feed(&String::from_utf8_lossy(&part)),
            Text::Encoded(decoder) => self.reader.feed(&decoded(decoder, &part, is_last)),
        }
        if is_last {
            self.reader.end();
        }
        Ok(Ok(()))
    }
}

fn decoded(decoder: &mut Decoder, mut part: &[u8], is_last: bool) -> String {
    let mut text = String::new();
    loop {
        // As much as fits, which is all of it in almost every case.
        text.reserve(decoder.max_utf8_buffer_length(part.len()).unwrap_or(PART_BYTES));
        let (result, read, _) = decoder.decode_to_string(part, &mut text, is_last);
        part = &part[read..];
        if result == encoding_rs::CoderResult::InputEmpty {
            return text;
        }
    }
}

#[cfg(test)]
mod tests {
    use fivefold_shared::rules::{Size, Variant};

    use super::*;

    /// The names of Black, and the faults, of a file with these bytes.
    fn read(bytes: &[u8]) -> (Vec<String>, Vec<String>) {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("games.sgf");
        fs::write(&path, bytes).unwrap();
        let rules = Rules::new(Variant::Freestyle, Size::square(15)).unwrap();
        let mut parts = GameParts::open(&path, rules).unwrap();
        let (mut names, mut faults) = (Vec::new(), Vec::new());
        while let Some(batch) = parts.next_batch().unwrap() {
            names.extend(batch.games.into_iter().filter_map(|game| game.black));
            faults.extend(batch.faults.into_iter().map(|fault| fault.to_string()));
        }
        assert_eq!((parts.read, parts.length), (bytes.len() as u64, Some(bytes.len() as u64)));
        (names, faults)
    }

    fn games(count: usize, name: &[u8], properties: &str) -> Vec<u8> {
        let plain = format!("(;GM[4]SZ[15]{properties};B[hh])\n").repeat(count);
        [plain.as_bytes(), b"(;PB[", name, b"];B[hh])\n"].concat()
    }

    #[test]
    fn a_name_behind_many_parts_is_decoded() {
        for (count, name, properties, expected) in [
            (1, &b"\xc3\xa9t\xc3\xa9"[..], "", "été"),
            (9_000, b"\xc3\xa9t\xc3\xa9", "", "été"),
            // The first game names the encoding, which the bytes alone do not show.
            (9_000, b"\xe9\xf2\xe5", "CA[windows-1251]", "йте"),
            (9_000, b"\xe9\xf2\xe5", "CA[windows-1252]", "éòå"),
            // It names the wrong one.
            (9_000, b"\xc3\xa9t\xc3\xa9", "CA[windows-1252]", "été"),
        ] {
            let (names, faults) = read(&games(count, name, properties));
            assert_eq!((names, faults), (vec![expected.to_owned()], vec![]), "{properties}");
        }
        let sixteen: Vec<u8> =
            "\u{feff}(;PB[Žižka];B[hh])".encode_utf16().flat_map(u16::to_le_bytes).collect();
        assert_eq!(read(&sixteen), (vec!["Žižka".to_owned()], vec![]));
    }

    #[test]
    fn letters_at_the_border_of_two_parts_stay_whole() {
        for shift in 0..4 {
            let name = "é五".repeat(40_000);
            let text = format!("(;XX[{}{name}]PB[é];B[hh])", "x".repeat(shift));
            assert_eq!(read(text.as_bytes()), (vec!["é".to_owned()], vec![]), "{shift}");
        }
    }

    #[test]
    fn bytes_that_are_no_text_are_one_fault() {
        let fault = "line 1: this is no file with a game".to_owned();
        assert_eq!(read(b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR"), (vec![], vec![fault.clone()]));
        assert_eq!(read(b" \n"), (vec![], vec![fault.clone()]));
        assert_eq!(read(b""), (vec![], vec![fault]));
    }
}
