//! Pattern: fits templates to the lines of nine around each point, for both colours.
//!
//! It was made for gomoku on 15x15, and plays wherever five wins. It looks at lines, not ahead; a
//! fork counts double because the axes are summed.
//!
//! Here `X` weighs the point `a`; the best template that fits and has `a` as one of its stones is
//! the closed four, `xxxx_`, as the border stands on the left:
//!
//! ```text
//! | X X a X . . O . .      4000 on this axis
//! ```

use fivefold_shared::{
    analysis::Weight,
    rules::{Axis, Point, Position, Stone},
    search_budget::Thinking,
};
use rand::{RngExt, SeedableRng};

use super::{
    bot_trait::Bot,
    ranking::{Cell, Random, cell, weigh_near},
};

/// How far from a stone, in both coordinates, a point is still weighed.
const REACH: i32 = 2;

/// How far to each side of the weighed point its line goes.
const SIDE: i32 = 4;

/// The points of a line.
const LENGTH: usize = 2 * SIDE as usize + 1;

/// The most that chance adds to a weight, to vary games; the least is 1.
const CHANCE_MAX: u8 = 20;

/// The templates with their weights, greatest first: `x` an own stone, `_` an empty point. Each
/// also fits mirrored.
const TEMPLATES: [(&str, u32); 11] = [
    ("xxxxx", 99_999),
    ("_xxxx_", 7_000),
    ("_xxxx", 4_000),
    ("_xxx_", 3_000),
    ("_x_xxx", 2_000),
    ("_xx_xx", 2_000),
    ("_xxx_x", 2_000),
    ("_xxx", 1_500),
    ("_xx_x", 800),
    ("_x_xx", 800),
    ("_xx_", 200),
];

/// The bot; see the module.
#[derive(Debug)]
pub(super) struct Pattern {
    random: Random,
    /// Every way to lay a template on a line, greatest weight first.
    placements: Vec<Placement>,
}

impl Pattern {
    /// A bot that varies its games by `seed`.
    pub(super) fn new(seed: u64) -> Self {
        Self { random: Random::seed_from_u64(seed), placements: placements() }
    }

    /// The weight of an empty point for the side to move, in tenths.
    fn weight(&self, position: &Position, point: Point) -> u32 {
        let lines = Axis::ALL.map(|axis| line(position, point, axis));
        let score = |stone| lines.iter().map(|line| self.score(line, stone)).sum::<u32>();
        11 * score(position.turn()) + 10 * score(position.turn().opponent())
    }

    /// The value of a stone in the centre of the line.
    fn score(&self, line: &[Cell; LENGTH], stone: Stone) -> u32 {
        let stones = 1 << SIDE | set(line, Cell::Taken(stone));
        let empty = set(line, Cell::Empty) & !(1 << SIDE);
        self.placements
            .iter()
            .find(|place| place.stones & !stones == 0 && place.empty & !empty == 0)
            .map_or(0, |place| place.weight)
    }
}

impl Bot for Pattern {
    fn choose(&mut self, position: &Position, thinking: &Thinking<'_>) -> Option<Point> {
        let mut weights = self.weigh(position, thinking);
        for weight in &mut weights {
            weight.weight += f64::from(self.random.random_range(1..=CHANCE_MAX));
        }
        // On a tie the last one wins; in reverse order that is the one listed first.
        weights.iter().rev().max_by(|a, b| a.weight.total_cmp(&b.weight)).map(|best| best.point)
    }

    fn weigh(&mut self, position: &Position, thinking: &Thinking<'_>) -> Vec<Weight> {
        weigh_near(position, REACH, thinking, |point| {
            f64::from(self.weight(position, point)) / 10.0
        })
    }

    fn restart(&mut self, seed: u64) {
        self.random = Random::seed_from_u64(seed);
    }
}

/// The points of a line, a bit each.
type Points = u16;

/// A template laid somewhere on a line so that the centre is one of its stones.
#[derive(Debug)]
struct Placement {
    stones: Points,
    empty: Points,
    weight: u32,
}

fn line(position: &Position, point: Point, axis: Axis) -> [Cell; LENGTH] {
    let mut at = point.along(axis, -SIDE);
    std::array::from_fn(|_| {
        let here = cell(position, at);
        at = at.along(axis, 1);
        here
    })
}

/// The points of a line that hold the given content.
fn set(line: &[Cell; LENGTH], wanted: Cell) -> Points {
    line.iter().rev().fold(0, |points, cell| points << 1 | Points::from(*cell == wanted))
}

fn placements() -> Vec<Placement> {
    let mut placements = Vec::new();
    for (template, weight) in TEMPLATES {
        let mirrored: String = template.chars().rev().collect();
        for form in [template, &mirrored] {
            let points = |wanted| {
                form.chars().rev().fold(0, |points, c| points << 1 | Points::from(c == wanted))
            };
            let (stones, empty) = (points('x'), points('_'));
            placements.extend(
                (0..=LENGTH - form.len())
                    .map(|at| Placement { stones: stones << at, empty: empty << at, weight })
                    .filter(|place| place.stones & 1 << SIDE != 0),
            );
        }
    }
    placements
}
