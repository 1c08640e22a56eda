//! Generates and reads openings: the first stones of a game that bots or programs play on from.
//!
//! They come from the book, from a file, or from random stones: the most even of several tries.

use fivefold_engine::{book, bot::opening::even_stones};
use fivefold_shared::{
    notation::coordinates::{self, CoordinateError},
    rules::{Illegal, Point, Position, Rules, Size},
    search_budget::{Budget, Thinking},
    symmetry,
};
use rand::{RngExt, SeedableRng, rngs::Xoshiro256PlusPlus, seq::SliceRandom};

/// How many positions to search to find an even opening.
const NODES: u64 = 8_000;

/// A match's opening by its number from 0: first each line of the book, in an order that the seed
/// decides, then generated ones.
pub fn nth(rules: Rules, seed: u64, number: usize) -> Vec<Point> {
    let mut random = Xoshiro256PlusPlus::seed_from_u64(seed);
    let mut known = book::openings(rules, random.random_range(0..symmetry::COUNT));
    known.shuffle(&mut random);
    match known.into_iter().nth(number) {
        Some(line) => line,
        None => balanced(rules, seed.wrapping_add(number as u64)),
    }
}

/// An opening of four or five stones: the most even of some random ones, by a quick search. Equal
/// seeds give equal openings. Empty where the board is too small for any.
fn balanced(rules: Rules, seed: u64) -> Vec<Point> {
    let budget = Budget { nodes: Some(NODES), ..Budget::UNLIMITED };
    let stones = 4 + usize::from(seed % 2 == 1);
    let thinking = Thinking { budget, ..Thinking::unlimited() };
    even_stones(rules, seed, stones, thinking).unwrap_or_default()
}

/// Why a file of openings cannot be used.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum OpeningsError {
    /// The file has no opening.
    #[error("there are no openings")]
    Empty,
    /// A line is no opening.
    #[error("line {line}: {error}")]
    Line {
        /// Counted from 1.
        line: usize,
        /// The reason.
        error: OpeningError,
    },
}

/// Why a line is no valid opening.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum OpeningError {
    /// A stone cannot be played.
    #[error("stone {number}: {illegal}")]
    Illegal {
        /// Counted from 1.
        number: usize,
        /// The rule that it breaks.
        illegal: Illegal,
    },
    /// The stones end the game.
    #[error("the game is over")]
    GameOver,
    /// The line has neither of the two forms.
    #[error("neither names of points nor steps from the middle")]
    Form,
    /// A step without its second number, or too far away.
    #[error("the last step is half a step")]
    HalfStep,
    /// A name is not a point of the board.
    #[error("{name}: {error}")]
    Name {
        /// The name.
        name: String,
        /// Why.
        error: CoordinateError,
    },
}

/// Reads openings, one a line: names of points without separators (`h8i9g7`), or steps from the
/// middle (`0,0 1,1 -2,1`, as in Piskvork's `openings.txt`). `#` starts a comment.
///
/// # Errors
/// The first line that has neither form, or is no valid opening under these rules.
pub fn read(text: &str, rules: Rules) -> Result<Vec<Vec<Point>>, OpeningsError> {
    let mut openings = Vec::new();
    for (index, line) in text.lines().enumerate() {
        let line = line.split('#').next().unwrap_or_default().trim();
        if line.is_empty() {
            continue;
        }
        let opening = read_line(line, rules.size()).and_then(|points| checked(points, rules));
        openings.push(opening.map_err(|error| OpeningsError::Line { line: index + 1, error })?);
    }
    if openings.is_empty() { Err(OpeningsError::Empty) } else { Ok(openings) }
}

fn checked(points: Vec<Point>, rules: Rules) -> Result<Vec<Point>, OpeningError> {
    let position = Position::from_moves(rules, &points)
        .map_err(|(ply, illegal)| OpeningError::Illegal { number: ply + 1, illegal })?;
    if position.outcome().is_some() { Err(OpeningError::GameOver) } else { Ok(points) }
}

fn read_line(line: &str, size: Size) -> Result<Vec<Point>, OpeningError> {
    if line.starts_with(|c: char| c.is_ascii_alphabetic()) {
        return read_names(line, size);
    }
    let (x, y) = match size {
        Size::Unbounded => (0, 0),
        Size::Bounded { width, height } => (i32::from(width / 2), i32::from(height / 2)),
    };
    let words = line.split(|c: char| c == ',' || c.is_whitespace()).filter(|word| !word.is_empty());
    let steps: Result<Vec<i32>, _> = words.map(str::parse).collect();
    let steps = steps.map_err(|_| OpeningError::Form)?;
    let pairs = steps.chunks(2).map(|pair| match pair {
        [dx, dy] => x.checked_add(*dx).zip(y.checked_add(*dy)).map(Point::from),
        _ => None,
    });
    pairs.collect::<Option<Vec<Point>>>().ok_or(OpeningError::HalfStep)
}

/// Reads names without separators: each begins at a letter after a digit.
fn read_names(line: &str, size: Size) -> Result<Vec<Point>, OpeningError> {
    let mut points = Vec::new();
    let mut rest = line;
    while !rest.is_empty() {
        let digits = rest.find(|c: char| c.is_ascii_digit()).unwrap_or(rest.len());
        let length = rest[digits..].find(|c: char| !c.is_ascii_digit());
        let (name, after) = rest.split_at(length.map_or(rest.len(), |length| digits + length));
        let point = coordinates::parse(name, size)
            .map_err(|error| OpeningError::Name { name: name.to_owned(), error })?;
        points.push(point);
        rest = after.trim_start();
    }
    Ok(points)
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use fivefold_shared::rules::Variant;

    use super::*;

    #[test]
    fn openings_are_read() {
        let square = Rules::new(Variant::Freestyle, Size::square(15)).unwrap();
        let unbounded = Rules::new(Variant::Freestyle, Size::Unbounded).unwrap();
        let cases = [
            (
                square,
                "h8i9 # good\n\n# none\n0,0 1,-2",
                Ok(vec![[(7, 7), (8, 6)], [(7, 7), (8, 5)]]),
            ),
            (square, "0,0, 1,1", Ok(vec![[(7, 7), (8, 8)]])),
            (unbounded, "0,0 -3,1", Ok(vec![[(0, 0), (-3, 1)]])),
            (square, "", Err("there are no openings")),
            (square, "h8\nh8h8", Err("line 2: stone 2: this point has a stone already")),
            (square, "0,0 1", Err("line 1: the last step is half a step")),
            (square, "?", Err("line 1: neither names of points nor steps from the middle")),
            (square, "0,0 9,0", Err("line 1: stone 2: this point is not on the board")),
        ];
        for (rules, text, expected) in cases {
            let expected = expected.map_err(str::to_owned).map(|openings| {
                openings.into_iter().map(|points| points.map(Point::from).to_vec()).collect()
            });
            assert_eq!(read(text, rules).map_err(|error| error.to_string()), expected, "{text}");
        }
    }

    #[test]
    fn no_two_openings_of_a_match_are_the_same() {
        // All of the book and some more; and a board without a book.
        for (side, count) in [(15, 50), (9, 6)] {
            let rules = Rules::new(Variant::Freestyle, Size::square(side)).unwrap();
            let openings = |seed| -> Vec<_> {
                (0..count).map(|number| book::canonical(&nth(rules, seed, number))).collect()
            };
            let forms: HashSet<_> = openings(1).into_iter().collect();
            assert_eq!(forms.len(), count, "{rules}");
            assert_ne!(openings(1), openings(2), "{rules}");
        }
    }

    #[test]
    fn openings_are_made_for_every_board() {
        let cases = [
            (Variant::Freestyle, Size::square(15), 4),
            (Variant::Renju, Size::square(15), 4),
            (Variant::Caro, Size::square(5), 4),
            (Variant::Freestyle, Size::Unbounded, 4),
            (Variant::Mnk { k: 8 }, Size::square(20), 4),
            (Variant::Mnk { k: 3 }, Size::square(3), 4),
        ];
        for (variant, size, stones) in cases {
            let rules = Rules::new(variant, size).unwrap();
            for seed in [0, 1, 2, 3] {
                let opening = balanced(rules, seed);
                assert_eq!(opening, balanced(rules, seed), "the same seed, the same opening");
                let position = Position::from_moves(rules, &opening).unwrap();
                assert!(position.outcome().is_none() && position.ply() >= stones, "{rules}");
            }
        }
    }
}
