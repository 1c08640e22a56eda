//! Searches fixed positions with a fixed number of nodes, and prints the speed and a signature that
//! changes only when the search does.
//!
//! `cargo run --release -p fivefold-engine --example bench`

#![expect(clippy::print_stdout, reason = "a program that prints")]
#![expect(clippy::disallowed_methods, reason = "a program that measures time")]

use std::time::Instant;

use fivefold_engine::search::{Engine, EngineOptions};
use fivefold_shared::{
    rules::{Point, Position, Rules, Size, Variant},
    search_budget::{Budget, Thinking},
};

const NODES: u64 = 400_000;

/// Moves from the openings of the tests, a few plies on.
const GAMES: [&[(i32, i32)]; 5] = [
    &[(7, 7), (8, 6), (6, 6), (8, 8)],
    &[(7, 7), (7, 6), (8, 5), (9, 7), (6, 6), (8, 8)],
    &[(5, 9), (7, 7), (8, 8), (6, 10), (9, 9), (10, 10), (7, 9), (8, 9)],
    &[(3, 3), (11, 11), (4, 4), (10, 11), (5, 3), (9, 11), (4, 2), (8, 11)],
    &[(7, 7), (6, 7), (6, 8), (8, 6), (5, 9), (4, 10), (7, 9), (7, 8), (8, 10), (9, 11)],
];

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let rules = Rules::new(Variant::Freestyle, Size::square(15))?;
    let mut engine = Engine::new(rules, EngineOptions::default()).expect("five win");
    let (mut nodes, mut signature) = (0, 0_u64);
    let start = Instant::now();
    for moves in GAMES {
        let moves: Vec<Point> = moves.iter().copied().map(Point::from).collect();
        let position =
            Position::from_moves(rules, &moves).map_err(|(ply, why)| format!("{ply}: {why}"))?;
        engine.forget();
        let thinking = Thinking {
            budget: Budget { nodes: Some(NODES), ..Budget::UNLIMITED },
            ..Thinking::unlimited()
        };
        let analysis = engine.search(&position, &thinking, 1, &mut |_| {}).expect("not over");
        nodes += analysis.nodes;
        let best = analysis.best();
        println!("depth {} nodes {} {:?}", analysis.depth, analysis.nodes, analysis.lines[0]);
        for part in
            [analysis.nodes, u64::from(best.x.unsigned_abs()), u64::from(best.y.unsigned_abs())]
        {
            signature = signature.wrapping_mul(0x100_0000_01b3) ^ part;
        }
    }
    let time = start.elapsed();
    let speed = nodes as f64 / time.as_secs_f64();
    println!("{nodes} nodes in {time:?}, {speed:.0} a second, signature {signature:016x}");
    Ok(())
}
