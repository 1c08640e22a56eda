//! Kills the server about once a second while people play on it in many rooms, on a disk that is
//! full now and then, and compares the answers they received with the stored log:
//!
//! `cargo run --release -p fivefold-tests --example fault -- --minutes 10 --rooms 50`
#![expect(clippy::print_stdout, reason = "the results of this program")]

use std::{process::ExitCode, time::Duration};

use clap::Parser;
use fivefold_tests::fault;

/// Kills a server again and again, and checks that it kept its promises. Fails if not.
#[derive(Parser, Debug)]
struct Args {
    /// How long.
    #[arg(long, default_value_t = 1.0)]
    minutes: f64,
    /// Rooms with two players, a spectator and a slow spectator each.
    #[arg(long, default_value_t = 50)]
    rooms: usize,
    /// Another seed plays other games and kills at other times.
    #[arg(long, default_value_t = 1)]
    seed: u64,
}

#[tokio::main]
async fn main() -> ExitCode {
    let Args { minutes, rooms, seed } = Args::parse();
    let verdict = fault::run(rooms, Duration::from_secs_f64(minutes * 60.0), seed).await;
    println!("{verdict}");
    if verdict.is_clean() { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}
