//! Reads and writes games in files and on standard streams, in the format of their name or content.
//!
//! [`fivefold_shared::notation`] implements the formats.

use std::{
    fmt, fs,
    io::{self, Read, Write},
    path::Path,
};

use anyhow::Context;
use chardetng::{EncodingDetector, Iso2022JpDetection, Utf8Detection};
use clap::ValueEnum;
use encoding_rs::Encoding;
use fivefold_shared::{
    notation::{
        self, check_length, coordinates,
        encoding::{self, Encoding as FileEncoding},
        file::{FileError, FileMove, GameFile},
        games::FileFormat,
        json, moves,
        notes::{Note, Noted},
        psq, renlib, sgf,
        tree::{FILE_BYTES_MAX, GameTree, Unplayable},
    },
    protocol::Player,
    room::RoomState,
    rules::{Illegal, Position, Rules, Stone},
};

use crate::terminal::output;

mod parts;

pub use self::parts::GameParts;

/// Most games that are saved from the screen into one folder.
const SAVED_MAX: u32 = 999;

/// A file format.
#[derive(ValueEnum, Clone, Copy, PartialEq, Eq, Debug)]
pub enum Format {
    /// Smart Game Format.
    Sgf,
    /// Piskvork's files.
    Psq,
    /// JSON: what this program or a Fivefold server writes.
    Json,
    /// A list of moves, such as h8 i9 j10.
    #[value(alias = "txt")]
    Moves,
}

impl Format {
    /// The format for a file's name.
    pub fn of_path(path: &Path) -> Option<Self> {
        Some(match FileFormat::of_name(path.to_str()?)? {
            FileFormat::Sgf => Self::Sgf,
            FileFormat::Psq => Self::Psq,
            FileFormat::Json => Self::Json,
            FileFormat::Moves => Self::Moves,
        })
    }
}

/// The source of a game, for messages.
#[derive(Clone, Copy, Debug)]
pub enum Source<'a> {
    /// Standard input.
    Stdin,
    /// A file.
    File(&'a Path),
}

impl<'a> Source<'a> {
    /// The source for a file's name, or `-` for standard input.
    pub fn of(path: &'a Path) -> Self {
        if path.as_os_str() == "-" { Self::Stdin } else { Self::File(path) }
    }
}

impl fmt::Display for Source<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Stdin => f.write_str("standard input"),
            Self::File(path) => write!(f, "{}", path.display()),
        }
    }
}

/// How to read a file.
#[derive(Clone, Copy, Debug)]
pub struct Reading {
    /// The format; otherwise that of the file's name, or of its content.
    pub format: Option<Format>,
    /// Apply where the file names none.
    pub rules: Rules,
    /// The number of the game in a file with several, from 1.
    pub game: usize,
}

impl Reading {
    /// Reads a game with its variations, and prints on standard error what of the file could not be
    /// kept.
    ///
    /// # Errors
    /// When the source cannot be read, or holds no valid game; with the line.
    pub fn read(self, source: Source<'_>) -> anyhow::Result<GameTree> {
        let bytes = bytes(source).with_context(|| format!("cannot read {source}"))?;
        let named = match source {
            Source::Stdin => None,
            Source::File(path) => Format::of_path(path),
        };
        let format = self.format.or(named);
        let read = Self { format, ..self }.of_bytes(&bytes);
        let Noted { content, notes } = read.with_context(|| format!("in {source}"))?;
        report(&notes)?;
        Ok(content)
    }

    fn of_bytes(self, bytes: &[u8]) -> Result<Noted<GameTree>, FileError> {
        check_length(bytes)?;
        let encoding = encoding_of(bytes)?;
        let decode = |bytes: &[u8]| encoding.decode(bytes).0.into_owned();
        if renlib::is_library(bytes) {
            return renlib::read(bytes, self.rules.variant(), &decode);
        }
        self.of_text(&decode(bytes))
    }

    /// Reads a text.
    ///
    /// # Errors
    /// When the text is no valid game.
    pub fn of_text(self, text: &str) -> Result<Noted<GameTree>, FileError> {
        let Self { format, rules, game } = self;
        match format {
            Some(Format::Sgf) => sgf::read(text, rules.variant(), game),
            Some(Format::Psq) => psq::read(text, rules.variant()).map(|read| read.map(Into::into)),
            Some(Format::Moves) => moves::read(text, rules).map(|game| GameTree::from(game).into()),
            Some(Format::Json) => json::read(text).map(|game| GameTree::from(game).into()),
            None => notation::Source { text, rules, game }.read(),
        }
    }
}

/// Prints notes for the person, one a line.
///
/// # Errors
/// When standard error cannot be written.
pub fn report(notes: &[Note]) -> io::Result<()> {
    let mut talk = output::stderr();
    notes.iter().try_for_each(|note| writeln!(talk, "fivefold: {note}"))
}

fn bytes(source: Source<'_>) -> io::Result<Vec<u8>> {
    let most = FILE_BYTES_MAX as u64 + 1;
    let mut bytes = Vec::new();
    match source {
        Source::Stdin => io::stdin().lock().take(most).read_to_end(&mut bytes)?,
        Source::File(path) => fs::File::open(path)?.take(most).read_to_end(&mut bytes)?,
    };
    Ok(bytes)
}

/// The encoding of a file: as it shows or names it, or as it looks.
fn encoding_of(bytes: &[u8]) -> Result<&'static Encoding, FileError> {
    let text = encoding::text_of(bytes);
    let guess = || {
        let mut detector = EncodingDetector::new(Iso2022JpDetection::Deny);
        detector.feed(&text, true);
        detector.guess(None, Utf8Detection::Allow)
    };
    let named = match encoding::of(&text) {
        FileEncoding::Sure(name) => Encoding::for_label(name.as_bytes()),
        FileEncoding::Named(name) => Encoding::for_label(name.as_bytes()),
        FileEncoding::Unknown => None,
        FileEncoding::Binary => return Err(FileError::no_game()),
    };
    Ok(named.unwrap_or_else(guess))
}

/// Writes a game, and prints what the format cannot hold.
///
/// # Errors
/// When the format cannot express the game.
pub fn write(tree: GameTree, format: Format) -> anyhow::Result<String> {
    Ok(match format {
        Format::Sgf => sgf::write(&tree)?,
        Format::Psq => psq::write(&main_line(tree)?),
        Format::Moves => moves::write(&main_line(tree)?),
        Format::Json => serde_json::to_string_pretty(&main_line(tree)?)? + "\n",
    })
}

/// The main line of a game; prints how many moves of variations that leaves out.
fn main_line(tree: GameTree) -> io::Result<GameFile> {
    let Noted { content, notes } = Noted::from(tree).main_line();
    report(&notes)?;
    Ok(content)
}

/// The game without moves after its end, which are left out with a note.
///
/// # Errors
/// When a move is illegal.
pub fn playable(tree: GameTree) -> anyhow::Result<GameTree> {
    let rules = tree.rules;
    let (tree, unplayable) = tree.playable();
    match unplayable {
        None => Ok(tree),
        Some(Unplayable { moves, illegal: Illegal::GameOver, .. }) => {
            let s = if moves == 1 { "" } else { "s" };
            writeln!(
                output::stderr(),
                "fivefold: {moves} move{s} after the end left out ({rules})"
            )?;
            Ok(tree)
        }
        Some(Unplayable { ply, illegal, .. }) => {
            anyhow::bail!("move {}: {illegal} ({rules}; --variant names other rules)", ply + 1)
        }
    }
}

/// The position after all moves of a game.
///
/// # Errors
/// When a move is illegal; with its number and a suggestion.
pub fn position(game: &GameFile) -> anyhow::Result<Position> {
    game.position().map_err(|(ply, illegal)| {
        let name = coordinates::format(game.moves[ply].point, game.rules.size());
        let rules = game.rules;
        anyhow::anyhow!(
            "move {} at {name}: {illegal} ({rules}; --variant names other rules)",
            ply + 1
        )
    })
}

/// Saves the game of a room as it is now, in a new file of the current folder. Returns its name.
///
/// # Errors
/// When there is no game, or no file can be written.
pub fn save(room: &RoomState) -> anyhow::Result<String> {
    let game = room.game.as_ref().context("there is no game yet")?;
    let name = |stone| room.seats.get(room.seat_of(stone)).map(Player::name);
    let outcome = game.outcome().map(|outcome| outcome.map(|seat| room.stone_of(seat)));
    let moves = game.position.moves().iter();
    let file = GameFile {
        rules: room.rules,
        black: name(Stone::Black),
        white: name(Stone::White),
        date: None,
        event: None,
        ending: outcome.as_ref().map(Into::into),
        opening: None,
        moves: moves.map(|&point| FileMove { point, took_ms: None }).collect(),
    };
    let text = sgf::write(&file.into())?;
    for number in 1..=SAVED_MAX {
        let name = match number {
            1 => "fivefold.sgf".to_owned(),
            _ => format!("fivefold-{number}.sgf"),
        };
        match fs::File::create_new(&name) {
            Ok(mut file) => {
                file.write_all(text.as_bytes())?;
                return Ok(name);
            }
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
            Err(error) => return Err(error.into()),
        }
    }
    anyhow::bail!("this folder has too many saved games")
}

#[cfg(test)]
mod tests {
    use fivefold_shared::rules::{Size, Variant};

    use super::*;

    fn read(format: Option<Format>, text: &[u8]) -> Result<Noted<GameTree>, FileError> {
        let rules = Rules::new(Variant::Freestyle, Size::square(15)).unwrap();
        Reading { format, rules, game: 1 }.of_bytes(text)
    }

    #[test]
    fn an_error_names_its_line() {
        let error = read(Some(Format::Json), b"{\n\"moves\": [}").unwrap_err();
        assert!(error.to_string().starts_with("line 2: "), "{error}");
        let twice = read(Some(Format::Moves), b"h8 h8").unwrap().main_line().content;
        let error = position(&twice).unwrap_err().to_string();
        assert!(error.starts_with("move 2 at h8: "), "{error}");
    }

    /// The page's test reads the same table.
    #[test]
    fn files_are_decoded_as_in_the_table() {
        let table = include_str!("../../shared/testdata/encodings.txt");
        let lines = table.lines().filter(|line| !line.is_empty() && !line.starts_with('#'));
        let mut count = 0;
        for line in lines {
            let (hex, text) = line.split_once(' ').unwrap();
            let pairs = hex.as_bytes().chunks(2).map(|pair| str::from_utf8(pair).unwrap());
            let bytes: Vec<u8> = pairs.map(|pair| u8::from_str_radix(pair, 16).unwrap()).collect();
            let encoding = encoding_of(&bytes).unwrap();
            assert_eq!(encoding.decode(&bytes).0, text, "{}", encoding.name());
            count += 1;
        }
        assert!(count > 10);
        assert!(encoding_of(b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR").is_err());
    }
}
