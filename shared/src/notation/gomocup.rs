//! The Gomocup protocol: a manager of games and a program that plays (a *brain*) communicate over
//! standard input and output, one line at a time.
//!
//! A manager sends a [`Command`], read from lines by a [`Reader`] and written as lines by its
//! `Display`; a brain sends a [`Reply`]. Sources: version 2 of Piskvork's protocol and
//! the extensions of Yixin and its board (`YX...`, some keys of `INFO`). Points are `x,y`
//! from 0, to the right and downward, as [`Point`] counts them.
//!
//! This module knows neither processes nor time, and no rules but their numbers.

mod command;
mod reader;
mod reply;

pub use self::{
    command::{Command, Info, Placed, Side},
    reader::{CommandError, Reader},
    reply::{Reply, about_name},
};
use crate::rules::{Point, Variant};

/// The smallest and the largest side of a board in this protocol, as far as we play it.
pub const SIDE_MIN: u8 = 5;
/// See [`SIDE_MIN`].
pub const SIDE_MAX: u8 = 64;

/// The longest line that is read; the rest of a longer one is ignored.
pub const LINE_BYTES_MAX: usize = 4_096;

/// The time, in milliseconds, that means there is no limit.
pub const UNLIMITED_MS: i64 = 2_147_483_647;

/// The bit of a rule that requests a continuous game, in which a five does not end it. Such a game
/// is a series of ours, so the bit is ignored.
const CONTINUOUS: u32 = 2;

/// The numbers of the rules that are ours in `INFO rule`.
pub const RULES: [u32; 5] = [0, 1, 4, 8, 9];

/// The variants with their numbers in `INFO rule`.
const VARIANTS: [(u32, Variant); RULES.len()] = [
    (0, Variant::Freestyle),
    (1, Variant::Standard),
    (4, Variant::Renju),
    (8, Variant::CaroOverline),
    (9, Variant::Caro),
];

/// The variant with this number in `INFO rule`, if it is one of ours.
pub fn variant_of(rule: u32) -> Option<Variant> {
    let rule = rule & !CONTINUOUS;
    VARIANTS.into_iter().find_map(|(number, variant)| (number == rule).then_some(variant))
}

/// The number of a variant in `INFO rule`; five in a row on any board is rule 0, and other numbers
/// of stones have none.
pub fn rule_of(variant: Variant) -> Option<u32> {
    if variant == (Variant::Mnk { k: 5 }) {
        return Some(0);
    }
    VARIANTS.into_iter().find_map(|(number, known)| (known == variant).then_some(number))
}

/// Reads `x,y`.
fn point(text: &str) -> Option<Point> {
    let (x, y) = text.split_once(',')?;
    Some(Point::new(number(x)?, number(y)?))
}

/// Reads the two sides of a board, which some managers separate by a space.
fn sides(text: &str) -> Option<(i64, i64)> {
    let by_space = || text.split_once(char::is_whitespace);
    let (width, height) = text.split_once(',').or_else(by_space)?;
    Some((number(width)?, number(height)?))
}

/// Reads a limit: negative numbers mean that there is none, as 0 does, and so do larger ones than any
/// limit.
fn limit(text: &str) -> Option<u64> {
    let limit: i128 = number(text)?;
    Some(u64::try_from(limit).unwrap_or(0))
}

fn number<N: std::str::FromStr>(text: &str) -> Option<N> {
    text.trim().parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rules_have_their_numbers() {
        assert_eq!(VARIANTS.map(|(number, _)| number), RULES);
        for (number, variant) in VARIANTS {
            assert_eq!(variant_of(number), Some(variant));
            assert_eq!(variant_of(number | CONTINUOUS), Some(variant));
            assert_eq!(rule_of(variant), Some(number));
        }
        assert_eq!(rule_of(Variant::Mnk { k: 5 }), Some(0));
        for number in [5, 12, 13, 16, 64] {
            assert_eq!(variant_of(number), None, "{number}");
        }
        assert_eq!(rule_of(Variant::Mnk { k: 4 }), None);
    }
}
