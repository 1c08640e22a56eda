//! The file of a puzzle set: text with a head, and one puzzle a line.
//!
//! ```text
//! fivefold puzzles 1
//! renju 15x15
//! made of 3000 games with seed 1; ...
//! fours 4 hg hhhgiigg...
//! ```
//!
//! A line has the kind, the winner's moves, the first move, and the moves that led to the position. A
//! point is two letters: its column from the left and its row from the top, `a` to `z`.

use std::fmt;

use serde::{Deserialize, Serialize};

use super::{Puzzle, PuzzleKind};
use crate::rules::{Point, Rules, Variant};

/// The first line: the format and its version.
const FORMAT: &str = "fivefold puzzles 1";

/// Puzzles of one set of rules.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct PuzzleSet {
    /// The rules of every puzzle.
    pub rules: Rules,
    /// How the set was made, in one line.
    pub made: String,
    /// The puzzles.
    pub puzzles: Vec<Puzzle>,
}

/// Names a puzzle: its variant, `-`, and letters and digits that follow from its moves, such as
/// `renju-1k3x9a`. It stays the same while the puzzle does.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(try_from = "String", into = "String")]
pub struct PuzzleId(String);

/// Most letters of a variant in a [`PuzzleId`].
const ID_VARIANT_MAX: usize = 16;
/// Most letters and digits behind it: those of a number of 32 bits.
const ID_HASH_MAX: usize = 7;

/// The text names no puzzle.
#[derive(Clone, Copy, PartialEq, Eq, Debug, thiserror::Error)]
#[error("a puzzle is named like renju-1k3x9a")]
pub struct PuzzleIdError;

impl PuzzleId {
    /// The name itself.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl TryFrom<String> for PuzzleId {
    type Error = PuzzleIdError;

    fn try_from(text: String) -> Result<Self, PuzzleIdError> {
        let (variant, hash) = text.split_once('-').ok_or(PuzzleIdError)?;
        let is_variant = (1..=ID_VARIANT_MAX).contains(&variant.len())
            && variant.bytes().all(|letter| letter.is_ascii_lowercase());
        let is_hash = (1..=ID_HASH_MAX).contains(&hash.len())
            && hash.bytes().all(|letter| letter.is_ascii_lowercase() || letter.is_ascii_digit());
        if is_variant && is_hash { Ok(Self(text)) } else { Err(PuzzleIdError) }
    }
}

impl From<PuzzleId> for String {
    fn from(id: PuzzleId) -> Self {
        id.0
    }
}

impl fmt::Display for PuzzleId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl PuzzleSet {
    /// The name of a puzzle of this set. The page derives the same (`server/web/puzzles/puzzle-set.js`).
    pub fn id_of(&self, puzzle: &Puzzle) -> PuzzleId {
        let hash = letters(&puzzle.moves)
            .bytes()
            .fold(FNV_BASIS, |hash, letter| (hash ^ u32::from(letter)).wrapping_mul(FNV_PRIME));
        PuzzleId(format!("{}-{}", self.rules.variant(), in_letters(hash)))
    }
}

/// FNV-1a in 32 bits.
const FNV_BASIS: u32 = 0x811c_9dc5;
const FNV_PRIME: u32 = 0x0100_0193;

/// A number to the base of 36.
fn in_letters(mut number: u32) -> String {
    let mut digits = Vec::new();
    loop {
        digits.push(char::from_digit(number % 36, 36).unwrap_or('0'));
        number /= 36;
        if number == 0 {
            return digits.into_iter().rev().collect();
        }
    }
}

/// A text is no puzzle set.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[error("line {line} is not {expected}")]
pub struct PuzzleFileError {
    /// The line, from 1 on.
    pub line: usize,
    /// What belongs there.
    pub expected: &'static str,
}

impl fmt::Display for PuzzleSet {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "{FORMAT}")?;
        writeln!(f, "{} {}", self.rules.variant(), self.rules.size())?;
        writeln!(f, "{}", self.made)?;
        for Puzzle { moves, first, length, kind } in &self.puzzles {
            let (kind, first) = (<&str>::from(kind), letters(&[*first]));
            writeln!(f, "{kind} {length} {first} {}", letters(moves))?;
        }
        Ok(())
    }
}

impl std::str::FromStr for PuzzleSet {
    type Err = PuzzleFileError;

    fn from_str(text: &str) -> Result<Self, PuzzleFileError> {
        let mut lines = text.lines().zip(1..);
        let mut next = |expected| {
            lines.next().ok_or(PuzzleFileError { line: text.lines().count() + 1, expected })
        };
        let (format, line) = next("the format and its version")?;
        if format != FORMAT {
            return Err(PuzzleFileError { line, expected: "the format and its version" });
        }
        let (rules, line) = next("a variant and a size")?;
        let rules =
            rules_of(rules).ok_or(PuzzleFileError { line, expected: "a variant and a size" })?;
        let made = next("how the set was made")?.0.to_owned();
        let puzzle =
            |(text, line)| puzzle_of(text).ok_or(PuzzleFileError { line, expected: "a puzzle" });
        Ok(Self { rules, made, puzzles: lines.map(puzzle).collect::<Result<_, _>>()? })
    }
}

fn rules_of(line: &str) -> Option<Rules> {
    let (variant, size) = line.split_once(' ')?;
    Rules::new(Variant::named(variant)?, size.parse().ok()?).ok()
}

fn puzzle_of(line: &str) -> Option<Puzzle> {
    let mut words = line.split(' ');
    let kind: PuzzleKind = words.next()?.parse().ok()?;
    let length = words.next()?.parse().ok()?;
    let first = points(words.next()?)?;
    let moves = points(words.next()?)?;
    let ([first], None) = (&first[..], words.next()) else { return None };
    Some(Puzzle { moves, first: *first, length, kind })
}

fn letters(points: &[Point]) -> String {
    let letter = |number: i32| char::from(b'a' + u8::try_from(number.clamp(0, 25)).unwrap_or(0));
    points.iter().flat_map(|point| [letter(point.x), letter(point.y)]).collect()
}

fn points(letters: &str) -> Option<Vec<Point>> {
    let number = |byte: u8| byte.is_ascii_lowercase().then(|| i32::from(byte - b'a'));
    let (pairs, rest) = letters.as_bytes().as_chunks::<2>();
    let point = |[x, y]: &[u8; 2]| Some(Point::new(number(*x)?, number(*y)?));
    rest.is_empty().then(|| pairs.iter().map(point).collect())?
}
