//! Simulates players with a true rating each, distributed normally around 1500 with a standard deviation
//! of 300, and prints how near their ratings come to it by the games that they have played:
//!
//! `cargo run --release -p fivefold-tests --example ratings`
#![expect(clippy::print_stdout, reason = "the results of this program")]

use clap::Parser;
use fivefold_tests::ratings::{Plan, run};

/// Simulates rated players, and prints how far their ratings are from their true ones.
#[derive(Parser, Debug)]
struct Args {
    /// How many players.
    #[arg(long, default_value_t = 100_000)]
    players: usize,
    /// How many games each of them plays.
    #[arg(long, default_value_t = 256)]
    games: u64,
    /// How many of these in a day.
    #[arg(long, default_value_t = 5)]
    games_per_day: u64,
    /// Another seed gives other true ratings and results.
    #[arg(long, default_value_t = 1)]
    seed: u64,
}

fn main() {
    let Args { players, games, games_per_day, seed } = Args::parse();
    println!("| games each | mean error | mean deviation | within two deviations | mean rating |");
    println!("| --- | --- | --- | --- | --- |");
    for accuracy in run(Plan { players, games, games_per_day, seed }) {
        println!("{accuracy}");
    }
}
