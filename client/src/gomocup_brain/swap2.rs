//! The choices of an opening by swap2: which stones to propose, and which answer to give.
//!
//! Both come from the engine, whichever bot plays on. The brain takes the colour with the better
//! chances if that is clear, or if a longer search changes little: the position is even enough
//! then. If a longer search disagrees with a short one, nobody knows which colour is
//! better; two more stones make the position even, and the opponent has to choose.

use fivefold_shared::{
    balance, book,
    engine::{Engine, EngineOptions},
    rules::{Point, Position, Rules},
    search_budget::{Budget, Thinking},
    symmetry,
};
use rand::{RngExt, SeedableRng, rngs::Xoshiro256PlusPlus, seq::IndexedRandom};

use crate::openings;

/// How much memory it takes to remember positions, at most.
const HASH_BYTES: usize = 4 << 20;

/// How many openings are looked at to find an even one.
const COMPARED: u32 = 24;
/// How many are made to find so many that may be played, as on the smallest boards.
const TRIES: usize = 200;

/// From how far from even on the better colour is clear, as a chance of winning.
const CLEAR: f64 = 0.1;
/// How far apart two looks may be that are of the same opinion.
const SAME: f64 = 0.04;

/// The answer to three or five stones.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) enum Choice {
    /// To be Black; White's next stone is the other's.
    Swap,
    /// To be White, and to set the next stone.
    Stay,
    /// These two stones, White's and Black's; then the other chooses. Only as an answer to three.
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
    /// `None` where the engine does not know the rules. It remembers positions in so many bytes.
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

    /// Three stones after which both have about the same chances: out of the book, or where that
    /// has none for the board, the most even of some chosen at random. None where there is no room.
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

    /// So many stones after `first` that leave both about the same chances, with all before; and by
    /// how much they are not the same.
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

    /// The chance of the side to move, as far as a look tells that takes a share of the time that
    /// is left, and of the positions that one move may take.
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

/// Whether it is known which colour is better, or that it does not matter.
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
