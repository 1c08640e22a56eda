//! Chooses swap2 openings: which stones to propose, and which answer to give.
//!
//! Both come from the engine, whichever bot plays on. The brain takes the colour with the better
//! chances if that is clear, or if a longer search agrees with a short one: then the position is
//! even enough. If the two searches disagree, the better colour is unknown; two more stones make
//! the position even, and the opponent chooses.

use fivefold_shared::{
    balance, book,
    engine::{Engine, EngineOptions},
    rules::{Point, Position, Rules},
    search_budget::{Budget, Thinking},
    symmetry,
};
use rand::{RngExt, SeedableRng, rngs::Xoshiro256PlusPlus, seq::IndexedRandom};

use crate::openings;

/// Most memory for the transposition table.
const HASH_BYTES: usize = 4 << 20;

/// How many openings to compare to find an even one.
const COMPARED: u32 = 24;
/// Most tries to find that many playable openings, as on the smallest boards.
const TRIES: usize = 200;

/// The distance from even at which the better colour is clear, as a chance of winning.
const CLEAR: f64 = 0.1;
/// Largest difference between two searches that agree.
const SAME: f64 = 0.04;

/// The answer to three or five stones.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) enum Choice {
    /// Take Black; the opponent sets White's next stone.
    Swap,
    /// Stay White and set the next stone.
    Stay,
    /// Set these two stones, White's and Black's, and let the opponent choose. Only after three
    /// stones.
    More(Vec<Point>),
}

/// Chooses openings within a budget, with a seed.
pub(super) struct Chooser<'a> {
    engine: Engine,
    rules: Rules,
    thinking: Thinking<'a>,
    seed: u64,
}

impl<'a> Chooser<'a> {
    /// `None` where the engine does not play the rules. `hash_bytes` is its transposition table.
    pub(super) fn new(
        rules: Rules,
        hash_bytes: usize,
        thinking: Thinking<'a>,
        seed: u64,
    ) -> Option<Self> {
        let hash_bytes = hash_bytes.min(HASH_BYTES);
        let options = EngineOptions { hash_bytes, ..EngineOptions::default() };
        Some(Self { engine: Engine::new(rules, options)?, rules, thinking, seed })
    }

    /// Three stones that leave both sides about the same chances: from the book, or where that has
    /// none for the board, the most even of some random ones. `None` where there is no room.
    pub(super) fn propose(&mut self) -> Option<Vec<Point>> {
        let mut random = Xoshiro256PlusPlus::seed_from_u64(self.seed);
        let known = book::openings(self.rules, random.random_range(0..symmetry::COUNT));
        let three: Vec<_> = known.into_iter().filter(|line| line.len() == 3).collect();
        match three.choose(&mut random) {
            Some(line) => Some(line.clone()),
            None => self.most_even(&[], 3).map(|(_, stones)| stones),
        }
    }

    /// Answers the position after three or five stones, with White to move.
    pub(super) fn answer(&mut self, position: &Position) -> Choice {
        let quick = self.chance(position, 1, 10);
        let thorough = self.chance(position, 4, 9);
        let colour = if thorough < 0.5 { Choice::Swap } else { Choice::Stay };
        if position.ply() != 3 || is_known(quick, thorough) {
            return colour;
        }
        match self.most_even(position.moves(), 2) {
            Some((uneven, stones)) if uneven < (thorough - 0.5).abs() => {
                Choice::More(stones[position.ply()..].to_vec())
            }
            Some(_) | None => colour,
        }
    }

    /// The stones including `first` and `more` others that leave both sides the most even chances,
    /// and their distance from even.
    fn most_even(&mut self, first: &[Point], more: usize) -> Option<(f64, Vec<Point>)> {
        let openings = openings::random(self.rules, self.seed, more).take(TRIES);
        let positions = openings.filter_map(|more| {
            let position = Position::from_moves(self.rules, &[first, &more].concat()).ok()?;
            position.outcome().is_none().then_some(position)
        });
        let positions: Vec<_> = positions.take(COMPARED as usize).collect();
        let rated = positions.into_iter().zip(0..).map(|(position, index)| {
            let uneven = (self.chance(&position, 1, COMPARED - index) - 0.5).abs();
            (uneven, position.moves().to_vec())
        });
        rated.min_by(|(one, _), (other, _)| one.total_cmp(other))
    }

    /// The chance of the side to move, from a search with this share of the time left and of the
    /// positions allowed for one move.
    fn chance(&mut self, position: &Position, share: u32, of: u32) -> f64 {
        let Budget { time, nodes } = self.thinking.budget;
        let now = (self.thinking.elapsed)();
        let left = time.saturating_sub(now).saturating_mul(share) / of;
        let nodes = nodes.map(|nodes| nodes * u64::from(share) / u64::from(of));
        let budget = Budget { time: now.saturating_add(left), nodes };
        let thinking = Thinking { budget, ..self.thinking };
        balance::chance(&mut self.engine, position, &thinking).expect("the game goes on")
    }
}

/// Whether the better colour is known, or does not matter.
fn is_known(quick: f64, thorough: f64) -> bool {
    (thorough - 0.5).abs() >= CLEAR || (thorough - quick).abs() <= SAME
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_colour_is_taken_where_it_is_known_which() {
        let cases = [
            (0.5, 0.5, true),
            (0.51, 0.48, true),
            (0.56, 0.55, true),
            (0.5, 0.62, true),
            (0.6, 0.35, true),
            (0.5, 0.57, false),
            (0.56, 0.49, false),
            (0.35, 0.45, false),
        ];
        for (quick, thorough, expected) in cases {
            assert_eq!(is_known(quick, thorough), expected, "{quick} {thorough}");
        }
    }
}
