//! Measures a server with many rooms that sleep and many finished games: how long it takes to start and to stop, its
//! memory, and how long it takes to wake a room.
//!
//! `cargo run --release -p fivefold-tests --example sleeping -- --rooms 100000`
//!
//! Two people play a daily game and leave; when its room sleeps, the server is stopped, and the file filled with copies
//! of the room, and with copies in which a player has resigned.
#![expect(clippy::print_stdout, reason = "the results of this program")]

use std::time::Instant;

use clap::Parser;
use fivefold_shared::protocol::{LobbyRequest, Request};
use fivefold_storage::{DataFolder, NodeId, Sqlite};
use fivefold_tests::{
    Guest, Server, Setting, Times,
    load::Usage,
    sleeping_games::{ASLEEP_AFTER, MOVE_MS, Original, fill, fill_finished, play},
    unix_ms,
};
use tokio::time::sleep;

/// Moves of the game.
const MOVES: i32 = 20;
const SETTINGS: [Setting<'_>; 2] = [("command-rate", "1000000"), ("no-demo", "true")];
const MIB: f64 = 1024.0 * 1024.0;

/// Measures a server with many rooms that sleep.
#[derive(Parser, Debug)]
struct Args {
    /// Rooms that sleep.
    #[arg(long, default_value_t = 100_000)]
    rooms: usize,
    /// Finished games beside them.
    #[arg(long, default_value_t = 1_000_000)]
    finished: u64,
    /// Rooms that are woken.
    #[arg(long, default_value_t = 2_000)]
    woken: usize,
}

#[tokio::main]
async fn main() {
    let args = Args::parse();
    let folder = tempfile::tempdir().expect("a folder");
    let server = Server::start_in_with(folder.path(), &SETTINGS);
    let played = play(&server, MOVES).await;
    sleep(ASLEEP_AFTER).await;
    server.terminate();
    server.wait();
    let codes = {
        let data = DataFolder::take(folder.path()).expect("the server is gone");
        let mut storage = Sqlite::open(data).expect("the file");
        let original = Original::read(&mut storage, &played);
        let (first, now) = (args.rooms as u64, unix_ms());
        fill_finished(&mut storage, &original, first, args.finished, now);
        fill(&mut storage, NodeId::ALONE, &[original], &vec![now + MOVE_MS; args.rooms])
    };
    let begun = Instant::now();
    let server = Server::start_in_with(folder.path(), &SETTINGS);
    let started = begun.elapsed();
    let memory = || Usage::of(server.pid()).map_or(0.0, |usage| usage.memory as f64 / MIB);
    let at_start = memory();
    let mut guest = Guest::hello(&server, "Cas").await;
    let mut times = Vec::new();
    let every = codes.len() / args.woken.clamp(1, codes.len());
    for room in codes.into_iter().step_by(every).take(args.woken) {
        let begun = Instant::now();
        guest.join(&room).await;
        times.push(begun.elapsed());
        guest.ask(Request::Lobby(LobbyRequest::Leave { room })).await;
    }
    let woken = times.len();
    let times: Times = times.into_iter().collect();
    let after = memory();
    server.terminate();
    let (_, stopped) = server.wait();
    let file = folder.path().join("fivefold.sqlite3").metadata().map_or(0, |file| file.len());
    println!(
        "{} rooms asleep, {} games finished, {} MB",
        args.rooms,
        args.finished,
        file / 1_000_000
    );
    println!("started in {started:.2?} with {at_start:.1} MiB");
    let (median, p99) = (times.quantile(0.5), times.quantile(0.99));
    println!("{woken} woken: median {median:.2?}, p99 {p99:.2?}; {after:.1} MiB");
    println!("stopped in {stopped:.2?}");
}
