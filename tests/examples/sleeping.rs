//! Measures a server with many rooms that sleep: how long it takes to start and to stop, its memory, and how long
//! those wait who wake a room.
//!
//! `cargo run --release -p fivefold-tests --example sleeping -- --rooms 100000`
//!
//! Two people play a daily game and leave; when its room sleeps, the server is stopped, and the file filled with copies
//! of the room.
#![expect(clippy::print_stdout, reason = "the results of this program")]

use std::{
    path::Path,
    time::{Duration, Instant},
};

use clap::Parser;
use fivefold_shared::protocol::{Create, LobbyRequest, MemberId, Request, RoomCode, RoomRequest};
use fivefold_storage::{Append, DataFolder, Epoch, NodeId, Sleep, Sqlite, Storage};
use fivefold_tests::{Guest, Server, Setting, Times, load::Usage};
use serde_json::{Value, json};
use tokio::time::sleep;

/// Moves of the game.
const MOVES: i32 = 20;
/// Rooms in one commit while the file is filled.
const AT_ONCE: usize = 1_000;
const SETTINGS: [Setting<'_>; 2] = [("command-rate", "1000000"), ("no-demo", "true")];
/// The room sleeps then.
const ASLEEP_AFTER: Duration = Duration::from_secs(40);
/// In milliseconds.
const DUE_IN_MS: u64 = 86_400_000;
const MIB: f64 = 1024.0 * 1024.0;

/// Measures a server with many rooms that sleep.
#[derive(Parser, Debug)]
struct Args {
    /// Rooms that sleep.
    #[arg(long, default_value_t = 100_000)]
    rooms: usize,
    /// Rooms that are woken.
    #[arg(long, default_value_t = 2_000)]
    woken: usize,
}

#[tokio::main]
async fn main() {
    let args = Args::parse();
    let folder = tempfile::tempdir().expect("a folder");
    let asleep = play(folder.path()).await;
    let codes = fill(folder.path(), &asleep, args.rooms);
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
    println!("{} rooms asleep: started in {started:.2?} with {at_start:.1} MiB", args.rooms);
    let (median, p99) = (times.quantile(0.5), times.quantile(0.99));
    println!("{woken} woken: median {median:.2?}, p99 {p99:.2?}; {after:.1} MiB");
    println!("stopped in {stopped:.2?}");
}

/// Plays a daily game, and waits until its room sleeps.
async fn play(folder: &Path) -> RoomCode {
    let server = Server::start_in_with(folder, &SETTINGS);
    let [mut ann, mut bob] =
        [Guest::hello(&server, "Ann").await, Guest::hello(&server, "Bob").await];
    let create: Create = serde_json::from_value(json!({
        "rules": {"variant": "freestyle"}, "colour": "black",
        "time": {"type": "daily", "move_ms": 86_400_000},
    }))
    .expect("a room");
    let room = ann.create(create).await;
    bob.join(&room).await;
    bob.done(&room, RoomRequest::Sit { seat: None }).await;
    for player in [&mut ann, &mut bob] {
        player.until(&room, |seen| seen.room.running().is_some()).await;
    }
    for ply in 0..MOVES {
        let point = (2 * (ply % 5) + ply / 5 % 2, 2 * (ply / 5));
        let (mover, other) = if ply % 2 == 0 { (&mut ann, &mut bob) } else { (&mut bob, &mut ann) };
        mover.play(&room, point).await;
        let seq = mover.seen(&room).room.seq;
        other.until(&room, |seen| seen.room.seq >= seq).await;
    }
    drop((ann, bob));
    sleep(ASLEEP_AFTER).await;
    server.terminate();
    server.wait();
    room
}

/// Copies the room until there are so many. Returns their codes.
fn fill(folder: &Path, original: &RoomCode, rooms: usize) -> Vec<RoomCode> {
    let mut storage =
        Sqlite::open(DataFolder::take(folder).expect("the folder")).expect("the file");
    let log = storage.read(original).expect("a log");
    let listing = storage.reader().and_then(|mut reader| reader.sleeping_room(original));
    let listing = listing.expect("a file").expect("the room sleeps");
    let listing: Value = serde_json::from_str(&listing).expect("JSON");
    let at = log.last().expect("events").event.at;
    let codes: Vec<_> = (0..rooms).map(code).collect();
    for (part, codes) in codes.chunks(AT_ONCE).enumerate() {
        let nothing = |room: &RoomCode| Append::nothing(room.clone(), NodeId::ALONE, Epoch::FIRST);
        let made = codes.iter().map(|room| Append { entries: log.clone(), ..nothing(room) });
        let asleep = codes.iter().enumerate().map(|(place, room)| {
            let mut listing = listing.clone();
            listing["summary"]["room"] = json!(room);
            let member = format!("{:016x}", part * AT_ONCE + place);
            let sleep = Sleep {
                empty_since: Some(at),
                due: Some(at + DUE_IN_MS),
                public_rank: Some(1),
                members: vec![MemberId::try_from(member).expect("an id")],
                listing: listing.to_string(),
            };
            Append { sleeps: Some(Box::new(sleep)), ..nothing(room) }
        });
        let batch: Vec<_> = made.chain(asleep).collect();
        let stored = storage.append(&batch).expect("a commit");
        assert!(stored.iter().all(Result::is_ok), "all are stored");
    }
    codes
}

/// A code of its own for each room.
fn code(mut number: usize) -> RoomCode {
    let letters = b"23456789abcdefghjkmnpqrstuvwxyz";
    let mut text = String::new();
    for _ in 0..12 {
        text.push(char::from(letters[number % letters.len()]));
        number /= letters.len();
    }
    RoomCode::try_from(text).expect("a code")
}
