//! Attack: weighs each point by the runs of stones that it would extend, for both colours.
//!
//! It was made for the board without borders, and plays every board and variant with the same
//! weights; only what is legal differs. It looks at lines, not ahead.
//!
//! An *attack* is a run of same stones on a line. Its *power* is how many they are, its
//! *potential* how many of its two ends are open. Here `X` weighs the point `a`:
//!
//! ```text
//! . O X a X . X . .      a and its neighbours: power 3, potential 1, the central attack
//!                        the single X: power 1, potential 2, divider 2 (one empty between)
//! ```

use fivefold_shared::{
    analysis::Weight,
    rules::{Axis, K_MAX, Point, Position, Stone},
    search_budget::Thinking,
};
use rand::SeedableRng;

use super::{
    bot_trait::Bot,
    ranking::{Cell, Random, cell, pick, weigh_near},
};

/// How far from a stone, in both coordinates, a point is still weighed.
const REACH: i32 = 4;

/// Weights are summed in whole parts of one, so that equal weights are equal in whatever order
/// they were summed: each weight divides by each divider, which is at most [`K_MAX`].
const ONE: u32 = 50_400;

/// Added for a colour that has breakpoints on two axes or more.
const FORK: u32 = 100 * ONE;

/// Added for each five of the side to move: winning comes before defending.
const WIN_NOW: u32 = 100 * ONE;

/// Where the weighed point lies on its line.
const CENTRE: usize = K_MAX as usize;

/// The line through a point, as far as the longest winning line and its open end can reach.
type Line = [Cell; 2 * CENTRE + 1];

/// The bot; see the module.
#[derive(Debug)]
pub(super) struct Attack {
    random: Random,
}

impl Attack {
    /// A bot that settles equal weights by `seed`.
    pub(super) fn new(seed: u64) -> Self {
        Self { random: Random::seed_from_u64(seed) }
    }
}

impl Bot for Attack {
    fn choose(&mut self, position: &Position, thinking: &Thinking<'_>) -> Option<Point> {
        let weights = self.weigh(position, thinking);
        pick(&weights, &mut self.random)
    }

    fn weigh(&mut self, position: &Position, thinking: &Thinking<'_>) -> Vec<Weight> {
        weigh_near(position, REACH, thinking, |point| {
            f64::from(weight(position, point)) / f64::from(ONE)
        })
    }

    fn restart(&mut self, seed: u64) {
        self.random = Random::seed_from_u64(seed);
    }
}

/// The weight of an empty point for the side to move, in parts of [`ONE`].
fn weight(position: &Position, point: Point) -> u32 {
    let k = position.rules().variant().k();
    let mut lines = Axis::ALL.map(|axis| line(position, point, axis, k));
    let mut sum = 0;
    for stone in Stone::BOTH {
        let mut breakpoints = 0;
        for line in &mut lines {
            line[CENTRE] = Cell::Taken(stone);
            let runs = runs(line, stone, k);
            for run in &runs {
                sum += run.weight();
                if run.power == 5 && stone == position.turn() {
                    sum += WIN_NOW;
                }
            }
            breakpoints += u32::from(is_breakpoint(&runs));
        }
        if breakpoints >= 2 {
            sum += FORK;
        }
    }
    sum
}

/// The contents of one axis up to `k` points away; points farther off do not matter.
fn line(position: &Position, point: Point, axis: Axis, k: u8) -> Line {
    let mut line = [Cell::Outside; _];
    let mut at = point.along(axis, -i32::from(k));
    for cell_at in &mut line[CENTRE - usize::from(k)..=CENTRE + usize::from(k)] {
        *cell_at = cell(position, at);
        at = at.along(axis, 1);
    }
    line
}

/// A run of same stones, as an attack.
struct Run {
    /// How many stones, counted so that 5 wins whatever `k` is; never above 5.
    power: isize,
    /// How many of the two ends are open, by an empty point or by an own stone too far away to
    /// belong to the run.
    potential: u8,
    /// 1 + the number of empty points between the run and the weighed point.
    divider: u32,
}

impl Run {
    const fn weight(&self) -> u32 {
        let weight = match (self.power, self.potential) {
            (5, _) => 200 * ONE,
            (4, 2) => 100 * ONE,
            (4, 1) => 6 * ONE,
            (3, 2) => 7 * ONE,
            (3, 1) => 4 * ONE,
            (2, 2) => 5 * ONE,
            (2, 1) => 2 * ONE,
            (1, 2) => ONE / 4,
            (1, 1) => ONE / 10,
            _ => 0,
        };
        weight / self.divider
    }
}

/// The attacks of one colour on a line whose centre holds its stone, without those that no free
/// end lets grow. None where opposing stones and borders leave no room for `k` in a row.
fn runs(line: &Line, stone: Stone, k: u8) -> Vec<Run> {
    let own = Cell::Taken(stone);
    let open = |cell: &&Cell| **cell == own || **cell == Cell::Empty;
    let sight = usize::from(k) - 1;
    let before = line[..CENTRE].iter().rev().take(sight).take_while(open).count();
    let after = line[CENTRE + 1..].iter().take(sight).take_while(open).count();
    let mut runs = Vec::new();
    if 1 + before + after < usize::from(k) {
        return runs;
    }
    let end = CENTRE + after + 1;
    let mut at = CENTRE - before;
    while at < end {
        let start = at;
        at += line[start..end].iter().take_while(|cell| **cell == own).count();
        if at == start {
            at += 1;
            continue;
        }
        let power = ((at - start).cast_signed() + 5 - isize::from(k.cast_signed())).min(5);
        let potential = u8::from(open(&&line[start - 1])) + u8::from(open(&&line[at]));
        if potential == 0 && power < 5 {
            continue;
        }
        let between = &line[at.min(CENTRE)..start.max(CENTRE)];
        let empty = between.iter().map(|cell| u32::from(*cell == Cell::Empty)).sum::<u32>();
        runs.push(Run { power, potential, divider: 1 + empty });
    }
    runs
}

/// Whether the attacks on one axis make a threat that must be answered: a four, an open three, or
/// a three or more with one gap. The central attack takes part in it.
fn is_breakpoint(runs: &[Run]) -> bool {
    let Some(central) = runs.iter().find(|run| run.divider == 1) else {
        return false;
    };
    let open = central.potential == 2;
    central.power >= 4
        || central.power >= 3 && open
        || runs
            .iter()
            .filter(|run| run.divider == 2)
            .any(|run| central.power + run.power + isize::from(open && run.potential == 2) >= 4)
}
