//! Measures how long a person's move takes to reach the opponent, on an empty server and on one
//! with many bot games; and how long these bots take to answer, including the waits for threads and
//! for their pace. Alternates the measurements, so that changes of the machine's load affect both:
//!
//! `cargo bench -p fivefold-tests --bench latency`
#![expect(clippy::print_stdout, reason = "the results of this program")]

use std::{
    collections::HashMap,
    sync::{Arc, Mutex},
    time::{Duration, Instant},
};

use fivefold_shared::{
    bot_spec::BotSpec,
    protocol::{
        Create, Event, LobbyRequest, Message, Request, RoomCode, RoomRequest, SeatRequest,
        Visibility,
    },
    rules::{Point, Rules, Size, Variant},
};
use fivefold_tests::{Guest, Server, Times, private};

const ROUNDS: usize = 5;
const MOVES: i32 = 2_000;
const GAMES_PER_HOST: usize = 20;

/// The bot games on a busy server.
#[derive(Clone, Copy)]
struct Crowd {
    what: &'static str,
    games: usize,
    /// Milliseconds between two bot moves.
    pace: &'static str,
    bots: [&'static str; 2],
    /// Time between two moves of people; longer for the engine, which thinks longer.
    pause: Duration,
}

const CROWDS: [Crowd; 3] = [
    Crowd {
        what: "bots at their usual pace",
        games: 200,
        pace: "500",
        bots: ["attack", "pattern"],
        pause: Duration::ZERO,
    },
    Crowd {
        what: "bots as fast as they can",
        games: 200,
        pace: "0",
        bots: ["attack", "pattern"],
        pause: Duration::ZERO,
    },
    Crowd {
        what: "the engine at its usual pace",
        games: 100,
        pace: "500",
        bots: ["engine:10", "engine:7"],
        pause: Duration::from_millis(4),
    },
];

/// The bots' answer times.
type Answers = Arc<Mutex<Vec<Duration>>>;

#[tokio::main]
async fn main() {
    for crowd in CROWDS {
        let Crowd { what, games, .. } = crowd;
        println!("{games} games of {what}; {MOVES} moves a round, in microseconds");
        println!("{:>6} {:>22} {:>22}", "", "empty: median    p99", "busy: median    p99");
        let (mut empty, mut busy) = (Vec::new(), Vec::new());
        let answers = Answers::default();
        for round in 1..=ROUNDS {
            let quiet = measure(Crowd { games: 0, ..crowd }, &answers).await;
            let noisy = measure(crowd, &answers).await;
            print_line(&round.to_string(), &quiet, &noisy);
            empty.extend(quiet);
            busy.extend(noisy);
        }
        print_line("all", &empty, &busy);
        let ratio = |of| micros(&busy, of) / micros(&empty, of);
        println!("busy/empty: median {:.2}, p99 {:.2}", ratio(0.5), ratio(0.99));
        let answers = answers.lock().expect("nobody panicked");
        let after = |of| micros(&answers, of) / 1e3;
        println!(
            "{} answers of bots: median {:.0}, p99 {:.0}, longest {:.0} ms\n",
            answers.len(),
            after(0.5),
            after(0.99),
            after(1.0)
        );
    }
}

fn print_line(name: &str, empty: &[Duration], busy: &[Duration]) {
    println!(
        "{name:>6} {:>14.0} {:>7.0} {:>14.0} {:>7.0}",
        micros(empty, 0.5),
        micros(empty, 0.99),
        micros(busy, 0.5),
        micros(busy, 0.99)
    );
}

/// A quantile of times, in microseconds.
fn micros(times: &[Duration], part: f64) -> f64 {
    times.iter().copied().collect::<Times>().quantile(part).as_secs_f64() * 1e6
}

/// The times from a person's move to the opponent's message about it, on a new server with these
/// bot games.
async fn measure(crowd: Crowd, answers: &Answers) -> Vec<Duration> {
    let server = Server::start_with(&[
        ("log", "warn"),
        ("bot-pace", crowd.pace),
        // Finished games make room for others.
        ("empty-room-close", "1"),
        ("bot-rooms", "1000000"),
        ("bot-rooms-per-address", "1000000"),
        ("command-rate", "1000000"),
        ("room-rate", "1000000"),
        ("rooms-per-address", "1000000"),
        ("rooms-per-identity", "1000000"),
    ]);
    let mut hosts = Vec::new();
    for _ in 0..crowd.games / GAMES_PER_HOST {
        let host = open_bot_games(&server, crowd.bots).await;
        hosts.push(tokio::spawn(attend(host, Arc::clone(answers))));
    }

    // These points make no ten in a row, and the game is long enough.
    let rules = Rules::new(Variant::Mnk { k: 10 }, Size::Unbounded).expect("on offer");
    let mut ann = Guest::hello(&server, "Ann").await;
    let mut bob = Guest::hello(&server, "Bob").await;
    let room = ann.create(create(rules, [SeatRequest::Me, SeatRequest::Open])).await;
    bob.join(&room).await;
    bob.done(&room, RoomRequest::Sit { seat: None }).await;
    ann.until(&room, |seen| seen.room.running().is_some()).await;

    let mut times = Vec::new();
    for i in 0..MOVES {
        tokio::time::sleep(crowd.pause).await;
        let (mover, other) = if i % 2 == 0 { (&mut ann, &mut bob) } else { (&mut bob, &mut ann) };
        times.push(move_time(mover, other, &room, Point::new(3 * (i % 60), 5 * (i / 60))).await);
    }
    for host in hosts {
        assert!(!host.is_finished(), "the games of bots go on until the measuring ends");
        host.abort();
    }
    times
}

async fn move_time(mover: &mut Guest, other: &mut Guest, room: &RoomCode, at: Point) -> Duration {
    let ply = mover.seen(room).position().ply();
    let request = RoomRequest::Play { ply, point: at };
    let request = Request::Room { room: room.clone(), request };
    let begin = Instant::now();
    let id = mover.send_now(request).await;
    other.until(room, |seen| seen.position().ply() > ply).await;
    let time = begin.elapsed();
    let answer = mover.answer(&id).await;
    assert!(matches!(answer, Message::Done { .. }), "{answer:?}");
    mover.until(room, |seen| seen.position().ply() > ply).await;
    time
}

fn create(rules: Rules, seats: [SeatRequest; 2]) -> Create {
    Create { visibility: Visibility::Public, seats, ..private(rules) }
}

/// A host with as many bot games as the server allows.
async fn open_bot_games(server: &Server, bots: [&str; 2]) -> Guest {
    let mut host = Guest::hello(server, "Host").await;
    let [one, other]: [BotSpec; 2] = bots.map(|bot| bot.parse().expect("a bot"));
    let kinds = [
        (Variant::Freestyle, Size::square(15), [one, other]),
        (Variant::Renju, Size::square(15), [other, one]),
        (Variant::Standard, Size::square(19), [one, one]),
        (Variant::Freestyle, Size::Unbounded, [one, other]),
    ];
    for (variant, size, bots) in kinds.into_iter().cycle().take(GAMES_PER_HOST) {
        let rules = Rules::new(variant, size).expect("on offer");
        host.create(create(rules, bots.map(SeatRequest::Bot))).await;
    }
    host
}

/// Follows the games, records each answer time, and replaces each game that ends.
async fn attend(mut host: Guest, answers: Answers) {
    let mut last = HashMap::new();
    loop {
        let message = host.next().await;
        assert!(!matches!(message, Message::Refused { .. }), "{message:?}");
        let Message::Event { room, event } = message else { continue };
        if matches!(event.event, Event::Played { .. })
            && let Some(before) = last.insert(room.clone(), event.at)
        {
            let took = Duration::from_millis(event.at.saturating_sub(before));
            answers.lock().expect("nobody panicked").push(took);
        }
        if matches!(event.event, Event::Ended { .. }) {
            let rules = host.seen(&room).room.rules;
            let seats = &host.seen(&room).room.seats;
            let bots = [&seats.first, &seats.second].map(|seat| {
                let bot = seat.as_ref().and_then(|player| player.bot());
                SeatRequest::Bot(bot.expect("both are bots"))
            });
            host.send(Request::Lobby(LobbyRequest::Leave { room })).await;
            host.send(Request::Lobby(LobbyRequest::Create(create(rules, bots)))).await;
        }
    }
}
