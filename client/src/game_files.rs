//! Reads and writes games in files and on standard streams, in the format of their name or content.
//!
//! [`fivefold_shared::notation`] implements the formats.

use std::{
    fmt, fs,
    io::{self, Read},
    path::Path,
};

use anyhow::Context;
use clap::ValueEnum;
use fivefold_shared::{
    notation::{
        self, coordinates,
        file::{FileError, GameFile},
        json, moves, psq, sgf,
    },
    rules::{Position, Rules},
};

/// The longest accepted file, in bytes: far more than any game needs.
const BYTES_MAX: u64 = 4 << 20;

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
        match path.extension()?.to_str()?.to_ascii_lowercase().as_str() {
            "sgf" => Some(Self::Sgf),
            "psq" => Some(Self::Psq),
            "json" => Some(Self::Json),
            "txt" | "moves" => Some(Self::Moves),
            _ => None,
        }
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

/// Reads a game. The format is the given one, or that of the file's name, or of its content. The
/// rules are those of the file where it names them, otherwise `rules`.
///
/// # Errors
/// When the source cannot be read, or holds no valid game; with the line.
pub fn read(source: Source<'_>, format: Option<Format>, rules: Rules) -> anyhow::Result<GameFile> {
    let bytes = bytes(source).with_context(|| format!("cannot read {source}"))?;
    let named = match source {
        Source::Stdin => None,
        Source::File(path) => Format::of_path(path),
    };
    let text = decode(bytes);
    let game = match format.or(named) {
        Some(format) => parse(&text, format, rules),
        None => notation::read(&text, rules),
    };
    game.with_context(|| format!("in {source}"))
}

fn bytes(source: Source<'_>) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    match source {
        Source::Stdin => io::stdin().lock().take(BYTES_MAX + 1).read_to_end(&mut bytes)?,
        Source::File(path) => fs::File::open(path)?.take(BYTES_MAX + 1).read_to_end(&mut bytes)?,
    };
    if u64::try_from(bytes.len()).is_ok_and(|length| length > BYTES_MAX) {
        return Err(io::Error::other("it is longer than any game"));
    }
    Ok(bytes)
}

/// Decodes text that is not UTF-8 as Latin-1, the default of SGF.
fn decode(bytes: Vec<u8>) -> String {
    String::from_utf8(bytes)
        .unwrap_or_else(|error| error.into_bytes().into_iter().map(char::from).collect())
}

/// Reads a text in this format.
///
/// # Errors
/// When the text is no valid game.
pub fn parse(text: &str, format: Format, rules: Rules) -> Result<GameFile, FileError> {
    match format {
        Format::Sgf => sgf::read(text, rules.variant()),
        Format::Psq => psq::read(text, rules.variant()),
        Format::Moves => moves::read(text, rules),
        Format::Json => json::read(text),
    }
}

/// Writes a game.
///
/// # Errors
/// When the format cannot express the game.
pub fn write(game: &GameFile, format: Format) -> anyhow::Result<String> {
    Ok(match format {
        Format::Sgf => sgf::write(game)?,
        Format::Psq => psq::write(game),
        Format::Moves => moves::write(game),
        Format::Json => serde_json::to_string_pretty(game)? + "\n",
    })
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

#[cfg(test)]
mod tests {
    use fivefold_shared::rules::{Size, Variant};

    use super::*;

    #[test]
    fn what_is_wrong_is_told_with_its_line() {
        let rules = Rules::new(Variant::Freestyle, Size::square(15)).unwrap();
        let error = parse("{\n\"moves\": [}", Format::Json, rules).unwrap_err();
        assert!(error.to_string().starts_with("line 2: "), "{error}");
        let twice = parse("h8 h8", Format::Moves, rules).unwrap();
        let error = position(&twice).unwrap_err().to_string();
        assert!(error.starts_with("move 2 at h8: "), "{error}");
    }

    #[test]
    fn text_that_is_not_utf_8_is_latin_1() {
        assert_eq!(decode(b"Ren\xe9".to_vec()), "René");
        assert_eq!(decode("René".into()), "René");
    }
}
