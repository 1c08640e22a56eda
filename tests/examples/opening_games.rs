//! Plays whole games in every opening through the real server, and compares what the players,
//! spectators who come in the middle, those who come afterwards and the stored records have of them:
//!
//! `cargo run --release -p fivefold-tests --example opening_games`
//!
//! A scripted person acts at random against a bot, and begins in half of the games. With
//! `--engines engine:4,engine:6` two bots play each other instead, by swap2 if no `--openings` are
//! given, and the colours in which they end are counted. Fails if anybody has another game than the
//! others.
#![expect(clippy::print_stdout, reason = "the results of this program")]

use std::process::ExitCode;

use clap::Parser;
use fivefold_shared::{
    bot_spec::{BotError, BotSpec},
    opening::OpeningKind,
    rules::Stone,
};
use fivefold_tests::opening_games::{Plan, Players, Tally, play, rules_of, start_server};

/// Plays whole games in every opening through the real server, and compares them. Fails if anybody
/// has another game than the others.
#[derive(Parser, Debug)]
struct Args {
    /// Games in each opening.
    #[arg(long, default_value_t = 200)]
    games: usize,
    /// These openings only.
    #[arg(long, value_delimiter = ',', value_name = "OPENINGS")]
    openings: Vec<OpeningKind>,
    /// The bot that plays the person.
    #[arg(long, default_value = "engine:1")]
    bot: BotSpec,
    /// Two bots that play each other instead.
    #[arg(long, value_name = "A,B", value_parser = two_bots, conflicts_with = "bot")]
    engines: Option<[BotSpec; 2]>,
    /// Another seed gives other choices of the person.
    #[arg(long, default_value_t = 1)]
    seed: u64,
}

fn two_bots(text: &str) -> Result<[BotSpec; 2], String> {
    let (one, other) = text.split_once(',').ok_or("two bots, as in engine:4,engine:6")?;
    let bot = |text: &str| text.parse().map_err(|error: BotError| error.to_string());
    Ok([bot(one)?, bot(other)?])
}

/// So many mismatches are printed.
const MISMATCHES_SHOWN: usize = 10;

#[tokio::main]
async fn main() -> ExitCode {
    let Args { games, openings, bot, engines, seed } = Args::parse();
    let folder = tempfile::tempdir().expect("a folder for the data");
    let server = start_server(folder.path());
    let (players, default) = match engines {
        Some(bots) => (Players::Bots(bots), vec![OpeningKind::Swap2]),
        None => (Players::PersonAndBot(bot), OpeningKind::ALL.to_vec()),
    };
    let openings = if openings.is_empty() { default } else { openings };
    if let Players::PersonAndBot(bot) = players {
        println!("a person who acts at random against {bot}");
        println!(
            "{:<12} {:<17} {:>5} {:>6} {:>6} {:>5} {:>7} {:>6} {:>6} {:>7} {:>6} {:>6} {:>6}",
            "opening",
            "rules",
            "games",
            "person",
            "bot",
            "drawn",
            "Black",
            "acts",
            "stones",
            "watched",
            "later",
            "differ",
            "s"
        );
    }
    let mut mismatches = Vec::new();
    for kind in openings {
        let tally = play(&server, Plan { kind, players, games, seed }).await;
        match players {
            Players::PersonAndBot(_) => print_row(kind, &tally),
            Players::Bots(bots) => print_match(kind, bots, &tally),
        }
        mismatches.extend(tally.mismatches);
    }
    for mismatch in mismatches.iter().take(MISMATCHES_SHOWN) {
        println!("{mismatch}");
    }
    if !mismatches.is_empty() {
        println!("{} differences", mismatches.len());
        return ExitCode::FAILURE;
    }
    println!("everybody had the same stones, acts, seats, colours and outcome of each game");
    ExitCode::SUCCESS
}

fn print_row(kind: OpeningKind, tally: &Tally) {
    let [person, bot] = tally.won.map(|won| won.iter().sum::<usize>());
    let [in_opening, later] = tally.watched;
    println!(
        "{:<12} {:<17} {:>5} {person:>6} {bot:>6} {:>5} {:>7} {:>6} {:>6} {in_opening:>7} {later:>6} \
         {:>6} {:>6.1}",
        kind.to_string(),
        rules_of(kind).to_string(),
        tally.games,
        tally.drawn,
        tally.won_by(Stone::Black),
        tally.acts,
        tally.stones,
        tally.mismatches.len(),
        tally.took.as_secs_f64()
    );
}

fn print_match(kind: OpeningKind, bots: [BotSpec; 2], tally: &Tally) {
    let [one, other] = bots;
    let games = tally.games;
    let seconds = tally.took.as_secs_f64();
    println!(
        "{kind}, {}: {games} games of {one} and {other}, {} stones, {} that differ, {seconds:.0} s",
        rules_of(kind),
        tally.stones,
        tally.mismatches.len()
    );
    for ((bot, black), won) in bots.iter().zip(tally.black).zip(tally.won) {
        println!(
            "{:<12} Black in {}, won {} ({} as Black, {} as White)",
            bot.to_string(),
            share(black, games),
            won.iter().sum::<usize>(),
            won[0],
            won[1]
        );
    }
    let decided = games - tally.drawn;
    let black = share(tally.won_by(Stone::Black), decided);
    println!("Black won {black} of those not drawn; {} were drawn", tally.drawn);
}

/// A count as a share of all, with its error at 95 % confidence.
fn share(count: usize, of: usize) -> String {
    let part = count as f64 / of.max(1) as f64;
    let error = 196.0 * (part * (1.0 - part) / of.max(1) as f64).sqrt();
    format!("{count} of {of} games ({:.1} % +- {error:.1})", 100.0 * part)
}
