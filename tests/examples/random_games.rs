//! Plays random games of every variant and size class through the real server, with a spectator
//! each, and compares the final boards of players and spectators:
//!
//! `cargo run --release -p fivefold-tests --example random_games -- --games 1000`
#![expect(clippy::print_stdout, reason = "the results of this program")]

use std::time::Instant;

use clap::Parser;
use fivefold_tests::{Server, random_games};

/// Plays random games through the real server and compares their final boards.
#[derive(Parser, Debug)]
struct Args {
    /// Games of each variant and size class.
    #[arg(long, default_value_t = 100)]
    games: usize,
    /// Another seed plays other games.
    #[arg(long, default_value_t = 1)]
    seed: u64,
}

#[tokio::main]
async fn main() {
    let args = Args::parse();
    let server = Server::start();
    let begin = Instant::now();
    let (mut games, mut moves) = (0, 0);
    println!("{:<24} {:>6} {:>6} {:>8} {:>8} {:>8}", "", "games", "won", "moves", "longest", "s");
    for rules in random_games::classes() {
        let tally = random_games::play(&server, rules, args.games, args.seed).await;
        println!(
            "{:<24} {:>6} {:>6} {:>8} {:>8} {:>8.1}",
            rules.to_string(),
            tally.games,
            tally.won,
            tally.moves,
            tally.longest,
            tally.took.as_secs_f64()
        );
        games += tally.games;
        moves += tally.moves;
    }
    let seconds = begin.elapsed().as_secs_f64();
    let rate = moves as f64 / seconds;
    println!("{games} games, {moves} moves in {seconds:.0} s ({rate:.0} moves/s)");
    println!("every spectator's final board was equal to both players'");
}
