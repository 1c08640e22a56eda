//! Kills the server about once a second while people play on it in many rooms, on a disk that is
//! full now and then, and compares the answers they received with the stored log:
//!
//! `cargo run --release -p fivefold-tests --example fault -- --minutes 10 --rooms 50`
//!
//! The same on several nodes, with PostgreSQL and NATS: add `--nodes 3`, and `--only-kills` for
//! nothing but killed nodes, or `--only NAME` for the faults of one row of the table at the end. The table
//! has the seconds until the next acknowledged move after each kind of fault. `--seekers 50` has people seek each other and play, one game after the
//! other, and checks that nobody was in two of them; with `--nodes 3 --only-kills` a random node is
//! killed each second, or as soon as the last one is back. With `--rated` they have accounts and their
//! games count: no change of a rating may be lost or counted twice. `--orphans 10000` kills one node with so
//! many rooms, with people in 200 of them, and waits until all rooms have an owner again. `--deadlines 2000` has
//! so many sleeping daily games whose time runs out while a server is killed every 5 s; with `--nodes 3`, too.
#![expect(clippy::print_stdout, reason = "the results of this program")]

use std::{num::NonZeroUsize, process::ExitCode, time::Duration};

use clap::Parser;
use fivefold_tests::fault;

/// Rooms with players, at most, where a node with many rooms dies.
const PLAYED_MAX: usize = 200;

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
    /// The power fails at each kill: what the server has not synced is lost, all of it or a random part.
    #[arg(long, conflicts_with_all = ["nodes", "seekers", "orphans"])]
    power_losses: bool,
    /// On so many nodes, with a fault every 5 s: killed, stopped, frozen and cut off nodes, restarts
    /// of PostgreSQL and NATS.
    #[arg(long)]
    nodes: Option<NonZeroUsize>,
    /// Nothing but killed nodes.
    #[arg(long, requires = "nodes")]
    only_kills: bool,
    /// Nothing but faults whose name in the table contains this, such as `NATS restarted`.
    #[arg(long, value_name = "NAME", conflicts_with_all = ["only_kills", "seekers"], requires = "nodes")]
    only: Option<String>,
    /// So many people who seek each other and play, instead of rooms.
    #[arg(long, conflicts_with_all = ["rooms", "orphans"])]
    seekers: Option<usize>,
    /// The seekers have accounts, and their games count for ratings.
    #[arg(long, requires = "seekers")]
    rated: bool,
    /// Kill one of three nodes once, with so many rooms.
    #[arg(long, conflicts_with_all = ["nodes", "minutes", "rooms"])]
    orphans: Option<usize>,
    /// So many sleeping daily games whose deadlines are in the run, instead of rooms.
    #[arg(long, conflicts_with_all = ["rooms", "seekers", "orphans", "only_kills", "power_losses"])]
    deadlines: Option<usize>,
}

#[tokio::main]
async fn main() -> ExitCode {
    let Args {
        minutes,
        rooms,
        seed,
        power_losses,
        nodes,
        only_kills,
        only,
        seekers,
        rated,
        orphans,
        deadlines,
    } = Args::parse();
    let time = Duration::from_secs_f64(minutes * 60.0);
    // A sentence says what is not installed.
    let is_clean = if let Some(games) = deadlines {
        let nodes = nodes.map(NonZeroUsize::get);
        let verdict = fault::deadlines::run(games, nodes, time, seed).await;
        verdict.is_none_or(|verdict| {
            println!("{verdict}");
            verdict.is_clean()
        })
    } else if let Some(orphans) = orphans {
        let found = fault::orphans::run(orphans, orphans.min(PLAYED_MAX), seed).await;
        found.is_none_or(|found| {
            println!("{found}");
            found.verdict.is_clean() && found.pauses.count() == found.played
        })
    } else if let (Some(seekers), Some(nodes)) = (seekers, nodes) {
        let kinds = (!only_kills, rated);
        let verdict = fault::seekers::run_on_nodes(nodes.get(), seekers, time, seed, kinds).await;
        verdict.is_none_or(|verdict| {
            println!("{verdict}");
            verdict.is_clean()
        })
    } else if let Some(seekers) = seekers {
        let verdict = fault::seekers::run(seekers, time, seed, rated).await;
        println!("{verdict}");
        verdict.is_clean()
    } else if let Some(nodes) = nodes {
        let only = if only_kills { Some("kill -9".to_owned()) } else { only };
        let is_limited = only.is_some();
        let kinds = only.map_or_else(Vec::new, |name| fault::nodes::Fault::named(&name));
        if is_limited && kinds.is_empty() {
            println!("no fault has this name");
            return ExitCode::FAILURE;
        }
        let found = fault::nodes::run(nodes.get(), rooms, time, seed, &kinds).await;
        found.is_none_or(|found| {
            println!("{found}");
            found.verdict.is_clean()
        })
    } else {
        let verdict = if power_losses {
            fault::run_with_power_losses(rooms, time, seed).await
        } else {
            Some(fault::run(rooms, time, seed).await)
        };
        verdict.is_none_or(|verdict| {
            println!("{verdict}");
            verdict.is_clean()
        })
    };
    if is_clean { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}
