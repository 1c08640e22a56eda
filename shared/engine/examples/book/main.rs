//! Finds balanced openings by the engine's own analysis, and prints them as a file of the book.
//!
//! `cargo run --release -p fivefold-engine --example book -- VARIANT > shared/engine/src/book/VARIANT.txt`
//!
//! `VARIANT` is `freestyle`, `standard`, `renju`, `caro` or `caro_overline`; `canonical` writes the
//! 26 openings of renju with their values instead (`canonical.rs`). Stones are set at
//! random near the first one, which is in the middle of 15x15. A line is kept if no other is the
//! same turned, mirrored, moved or in another order, if neither side is much better off from
//! Black's second stone on, and if after the last one both have about the same chances. Before its
//! second stone, Black is always better off. The same command prints the same lines, because the
//! engine's limit is a number of positions.

#![expect(clippy::print_stdout, reason = "a program that prints")]

mod canonical;

use std::{collections::HashMap, env};

use fivefold_engine::{
    balance, book,
    search::{Engine, EngineOptions},
};
use fivefold_shared::{
    rules::{Point, Position, Rules, Size, Variant},
    search_budget::{Budget, Thinking},
};
use rand::{RngExt, SeedableRng, rngs::Xoshiro256PlusPlus};

/// How many lines of each length to find.
const WANTED: [(usize, usize); 3] = [(3, 10), (4, 16), (5, 18)];

/// How many lines are tried before there seem to be no more.
const TRIES: usize = 20_000;

/// Positions searched to check that a line is worth more.
const QUICK_NODES: u64 = 3_000;
/// The same for positions on the way to the end of a line.
const WAY_NODES: u64 = 20_000;
/// The same for the end of a line.
const END_NODES: u64 = 300_000;

/// A quick search may find a position this far from even and still repeat it with more nodes.
const QUICK_UNEVEN: f64 = 0.2;
/// How far from even a position on the way may be, as a chance of winning.
const WAY_UNEVEN: f64 = 0.12;
/// The same for the end.
const END_UNEVEN: f64 = 0.05;

/// The engine's values of positions, each searched once.
struct Judge {
    rules: Rules,
    engine: Engine,
    known: HashMap<(u64, [Vec<Point>; 2]), f64>,
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let name = env::args().nth(1).ok_or("which variant?")?;
    if name == "canonical" {
        return canonical::print();
    }
    let variant = Variant::named(&name).ok_or("no such variant")?;
    let rules = Rules::new(variant, Size::square(15))?;
    let engine = Engine::new(rules, EngineOptions::default()).ok_or("no engine for these rules")?;
    let mut judge = Judge { rules, engine, known: HashMap::new() };
    let mut random = Xoshiro256PlusPlus::seed_from_u64(1);
    let mut found: Vec<[Vec<Point>; 2]> = Vec::new();
    println!(
        "# Made by the example `book`: steps from the first stone, of Black and White in turn."
    );
    for (stones, wanted) in WANTED {
        let mut count = 0;
        for _ in 0..TRIES {
            if count == wanted {
                break;
            }
            let line = random_line(stones, &mut random);
            let form = book::canonical(&line);
            if !found.contains(&form) && judge.approves(&line) {
                found.push(form);
                count += 1;
                println!("{}", steps(&line).join(" "));
            }
        }
    }
    Ok(())
}

/// Stones near the first one.
fn random_line(stones: usize, random: &mut Xoshiro256PlusPlus) -> Vec<Point> {
    let mut line = vec![MIDDLE];
    while line.len() < stones {
        let reach = if line.len() == 1 { 2 } else { 3 };
        let mut near = || random.random_range(-reach..=reach);
        let point = Point::new(MIDDLE.x + near(), MIDDLE.y + near());
        if !line.contains(&point) {
            line.push(point);
        }
    }
    line
}

const MIDDLE: Point = Point::new(7, 7);

impl Judge {
    fn approves(&mut self, line: &[Point]) -> bool {
        let plies = 3..=line.len();
        let is_even = |judge: &mut Self, ply: usize, nodes, most| {
            judge.chance(&line[..ply], nodes).is_some_and(|chance| (chance - 0.5).abs() <= most)
        };
        plies.clone().all(|ply| is_even(self, ply, QUICK_NODES, QUICK_UNEVEN))
            && plies.into_iter().all(|ply| is_even(self, ply, WAY_NODES, WAY_UNEVEN))
            && is_even(self, line.len(), END_NODES, END_UNEVEN)
    }

    /// The chance of the side to move; none where a move may not be played.
    fn chance(&mut self, moves: &[Point], nodes: u64) -> Option<f64> {
        let key = (nodes, book::canonical(moves));
        if let Some(known) = self.known.get(&key) {
            return Some(*known);
        }
        let position = Position::from_moves(self.rules, moves).ok()?;
        let budget = Budget { nodes: Some(nodes), ..Budget::UNLIMITED };
        let thinking = Thinking { budget, ..Thinking::unlimited() };
        self.engine.forget();
        let chance = balance::chance(&mut self.engine, &position, &thinking)?;
        self.known.insert(key, chance);
        Some(chance)
    }
}

fn steps(line: &[Point]) -> Vec<String> {
    let step = |point: &Point| format!("{},{}", point.x - MIDDLE.x, point.y - MIDDLE.y);
    line.iter().map(step).collect()
}
