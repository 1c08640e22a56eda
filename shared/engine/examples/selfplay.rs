//! Lets the engine play against itself, and prints the games on which its values are tuned.
//!
//! `cargo run --release -p fivefold-engine --example selfplay -- GAMES SEED [VARIANT] [SIZE] [NODES]`
//!
//! The defaults are `freestyle`, `15` and `3000`. Each game is one line: variant, size, the winner
//! (`black`, `white` or `none`), the moves as names, how many of them were the opening, and from
//! there on the engine's chance of winning for the side to move, in thousandths, and then the moves
//! that it thought best. The openings are random stones near the middle that leave neither side much
//! better off.
//!
//! Each move adds another line: a position that strays from the game by a move or two, like most
//! positions in a search. Its winner is `unknown`, all its moves are the opening, and the chance
//! and the best move are those of its end.
//!
//! `testdata/selfplay.txt` is a sample: a game each of freestyle on 15x15 and 20x20, standard, renju, caro
//! and caro with overlines, with the seeds 1 to 6 and 1,200 nodes, by the engine of 2026-11-27.

#![expect(clippy::print_stdout, reason = "a program that prints")]

use std::env;

use fivefold_engine::search::{Engine, EngineOptions};
use fivefold_shared::{
    analysis::{Analysis, Line, Value},
    notation::coordinates,
    rules::{Point, Position, Rules, Size, Stone, Variant},
    search_budget::{Budget, Thinking},
};
use rand::{RngExt, SeedableRng, rngs::Xoshiro256PlusPlus, seq::IndexedRandom};

/// A game that is not decided by then counts as a draw.
const PLIES_MAX: usize = 140;

/// How far from even an opening may be, as a chance of winning.
const UNEVEN: f64 = 0.2;

/// How often a move is varied, so that games that began alike go different ways.
const VARIED: f64 = 0.05;

/// Among how many good moves a stray move is chosen.
const GOOD: usize = 8;

/// How often any move near a stone is made instead.
const ANYWHERE: f64 = 0.3;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let arguments: Vec<String> = env::args().skip(1).collect();
    let argument =
        |index: usize, default: &'static str| arguments.get(index).map_or(default, String::as_str);
    let games: usize = argument(0, "10").parse()?;
    let mut random = Xoshiro256PlusPlus::seed_from_u64(argument(1, "1").parse()?);
    let name = argument(2, "freestyle");
    let variant = Variant::named(name).ok_or("no such variant")?;
    let rules = Rules::new(variant, argument(3, "15").parse()?)?;
    let nodes: u64 = argument(4, "3000").parse()?;
    let options = EngineOptions { hash_bytes: 4 << 20, ..EngineOptions::default() };
    let mut engine = Engine::new(rules, options).ok_or("no engine for these rules")?;
    for _ in 0..games {
        engine.forget();
        let mut position = Position::new(rules);
        while !begin(&mut position, &mut engine, nodes, &mut random) {
            position = Position::new(rules);
        }
        let opening = position.ply();
        let (mut chances, mut best) = (Vec::new(), Vec::new());
        while position.outcome().is_none() && position.ply() < PLIES_MAX {
            let varied = random.random_bool(VARIED);
            let analysis = think(&mut engine, &position, nodes, if varied { 3 } else { 1 });
            chances.push(thousandths(analysis.lines[0].value));
            best.push(analysis.lines[0].moves[0]);
            let line = random.random_range(0..analysis.lines.len());
            if let Some((strayed, end)) = stray(&position, &mut engine, nodes, &mut random) {
                let (size, moves, ply) = (rules.size(), names(&strayed), strayed.ply());
                let [chance, best] = [thousandths(end.value), named(&end.moves[..1], &strayed)];
                println!("{name},{size},unknown,{moves},{ply},{chance},{best}");
            }
            position.play(analysis.lines[line].moves[0])?;
        }
        let winner = position.outcome().and_then(|outcome| outcome.winner());
        let winner = match winner {
            Some(Stone::Black) => "black",
            Some(Stone::White) => "white",
            None => "none",
        };
        let (moves, chances) = (names(&position), chances.join(" "));
        let best = named(&best, &position);
        println!("{name},{},{winner},{moves},{opening},{chances},{best}", rules.size());
    }
    Ok(())
}

/// A position that nobody would play to, but that a search visits: one or two moves on, each one of
/// several good ones or any; and its value.
fn stray(
    position: &Position,
    engine: &mut Engine,
    nodes: u64,
    random: &mut Xoshiro256PlusPlus,
) -> Option<(Position, Line)> {
    let mut position = position.clone();
    for _ in 0..random.random_range(1..=2) {
        let point = if random.random_bool(ANYWHERE) {
            let near = *position.moves().choose(random)?;
            let mut step = || random.random_range(-2..=2);
            Point::new(near.x + step(), near.y + step())
        } else {
            let analysis = think(engine, &position, nodes / 10, GOOD);
            analysis.lines.choose(random)?.moves[0]
        };
        if position.play(point).ok()?.is_some() {
            return None;
        }
    }
    let line = think(engine, &position, nodes, 1).lines.swap_remove(0);
    Some((position, line))
}

fn names(position: &Position) -> String {
    named(position.moves(), position)
}

fn named(moves: &[Point], position: &Position) -> String {
    let size = position.rules().size();
    let names = moves.iter().map(|point| coordinates::format(*point, size));
    names.collect::<Vec<_>>().join(" ")
}

/// Sets random stones; false where that leaves one side much better off.
fn begin(
    position: &mut Position,
    engine: &mut Engine,
    nodes: u64,
    random: &mut Xoshiro256PlusPlus,
) -> bool {
    let Size::Bounded { width, height } = position.rules().size() else { return false };
    let stones = random.random_range(2..=9);
    let spread = random.random_range(2..=i32::from(width) / 2);
    while position.ply() < stones {
        let mut near = |side: u8| i32::from(side) / 2 + random.random_range(-spread..=spread);
        let point = Point::new(near(width), near(height));
        if position.legality(point).is_ok() && !matches!(position.play(point), Ok(None)) {
            return false;
        }
    }
    match think(engine, position, 2 * nodes, 1).lines[0].value {
        Value::Chance(chance) => (chance - 0.5).abs() < UNEVEN,
        Value::Win { .. } | Value::Loss { .. } => false,
    }
}

fn think(engine: &mut Engine, position: &Position, nodes: u64, lines: usize) -> Analysis {
    let budget = Budget { nodes: Some(nodes), ..Budget::UNLIMITED };
    let thinking = Thinking { budget, ..Thinking::unlimited() };
    engine.search(position, &thinking, lines, &mut |_| {}).expect("the game goes on")
}

fn thousandths(value: Value) -> String {
    format!("{:.0}", 1_000.0 * value.chance())
}
