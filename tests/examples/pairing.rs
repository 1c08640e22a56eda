//! Simulates people who seek a game in one pool, with ratings that are distributed normally around 1500
//! with a standard deviation of 300, and prints a table of how they were paired:
//!
//! `cargo run --release -p fivefold-tests --example pairing`
#![expect(clippy::print_stdout, reason = "the results of this program")]

use std::time::Duration;

use clap::Parser;
use fivefold_tests::pairing::{Plan, run};

/// Simulates people who seek a game, and prints how they were paired.
#[derive(Parser, Debug)]
struct Args {
    /// How many people seek, in each of several simulations.
    #[arg(long, default_values_t = [1_000, 10_000])]
    seekers: Vec<usize>,
    /// The seconds over which they come, in each of several simulations.
    #[arg(long, default_values_t = [1, 10, 60])]
    within: Vec<u64>,
    /// Another seed gives other ratings and times.
    #[arg(long, default_value_t = 1)]
    seed: u64,
}

fn main() {
    let Args { seekers, within, seed } = Args::parse();
    println!(
        "| come in | seekers | paired in 5 s | in all | mean difference | outside of the window | \
         paired twice | median wait | round's CPU, p99 | seek's CPU, p99 |"
    );
    println!("| --- | --- | --- | --- | --- | --- | --- | --- | --- | --- |");
    for seekers in seekers {
        for &seconds in &within {
            let within = Duration::from_secs(seconds);
            println!("| {seconds} s {}", run(Plan { seekers, within, seed }));
        }
    }
}
