//! Measures how long the player who resigns waits for the answer, in rated games and in unrated ones, on a file
//! and on PostgreSQL:
//!
//! `cargo run --release -p fivefold-tests --example rated_ends -- --games 200`
//!
//! Two people with accounts play rated games in one room, and two guests unrated ones in another, in turns. The
//! answer comes when the end is stored, with the ratings that it changed.
#![expect(clippy::print_stdout, reason = "the results of this program")]

use std::{
    net::Ipv4Addr,
    time::{Duration, Instant},
};

use clap::Parser;
use fivefold_shared::{
    protocol::{Event, Request, RoomCode, RoomRequest},
    seat::{BySeat, Seat},
};
use fivefold_test_services::{Durability, PostgresServer};
use fivefold_tests::{Guest, Server, Setting, Times, opening_games::random_request};
use rand::{SeedableRng, rngs::StdRng};

/// The pool of both pairs.
const POOL: &str = "gomoku-3-2";
/// Acts before the resignation: the opening, and enough stones for a game that counts.
const ACTS: usize = 16;
/// Games of each kind that are not measured.
const WARM_UP: usize = 20;
/// Where one of the two with accounts plays. Two from one network would have marks stored after their game.
const OTHER_NETWORK: Ipv4Addr = Ipv4Addr::new(127, 0, 1, 1);
const SETTINGS: [Setting<'_>; 2] = [("command-rate", "1000000"), ("room-rate", "1000000")];

/// Measures how long the ends of games take.
#[derive(Parser, Debug)]
struct Args {
    /// Measured games of each kind.
    #[arg(long, default_value_t = 200)]
    games: usize,
}

/// Two who play one game after the other in one room.
struct Pair {
    room: RoomCode,
    players: BySeat<Guest>,
    is_rated: bool,
}

#[tokio::main]
async fn main() {
    let args = Args::parse();
    println!("| storage | game | median | p90 | rated to unrated |");
    println!("| --- | --- | --- | --- | --- |");
    let folder = tempfile::tempdir().expect("a folder");
    measure("file", &Server::start_in_with(folder.path(), &SETTINGS), args.games).await;
    if let Some(database) = PostgresServer::start(Durability::Full) {
        let server = Server::start_on(&database.url(), &SETTINGS);
        measure("PostgreSQL", &server, args.games).await;
    }
}

async fn measure(storage: &str, server: &Server, games: usize) {
    let address = server.address();
    let guests = [Guest::hello(server, "Cas").await, Guest::hello(server, "Dee").await];
    let mut unrated = Pair::begin(guests, false).await;
    let members = [
        Guest::sign_up(Ipv4Addr::LOCALHOST, address, "Ann").await,
        Guest::sign_up(OTHER_NETWORK, address, "Bob").await,
    ];
    let mut rated = Pair::begin(members, true).await;
    let mut random = StdRng::seed_from_u64(1);
    let (mut of_unrated, mut of_rated) = (Vec::new(), Vec::new());
    for _ in 0..WARM_UP + games {
        of_unrated.push(unrated.play(&mut random).await);
        of_rated.push(rated.play(&mut random).await);
    }
    let times = |times: Vec<Duration>| times.into_iter().skip(WARM_UP).collect::<Times>();
    let (of_unrated, of_rated) = (times(of_unrated), times(of_rated));
    let ratio = of_rated.quantile(0.5).as_secs_f64() / of_unrated.quantile(0.5).as_secs_f64();
    for (game, times, ratio) in
        [("unrated", of_unrated, String::new()), ("rated", of_rated, format!("{ratio:.2}"))]
    {
        let (median, p90) = (times.quantile(0.5), times.quantile(0.9));
        println!("| {storage} | {game} | {median:.2?} | {p90:.2?} | {ratio} |");
    }
}

impl Pair {
    async fn begin([mut one, mut other]: [Guest; 2], is_rated: bool) -> Self {
        one.seek(POOL).await;
        other.seek(POOL).await;
        let (room, seat) = one.paired().await;
        other.paired().await;
        let players = match seat {
            Seat::First => BySeat { first: one, second: other },
            Seat::Second => BySeat { first: other, second: one },
        };
        Self { room, players, is_rated }
    }

    /// Plays a game. Returns how long the one who resigned waited for the answer.
    async fn play(&mut self, random: &mut StdRng) -> Duration {
        let Self { room, players: BySeat { first, second }, is_rated } = self;
        for _ in 0..ACTS {
            let state = &first.seen(room).room;
            let request = random_request(state, random);
            match state.to_act().expect("a running game") {
                Seat::First => first.done(room, request).await,
                Seat::Second => second.done(room, request).await,
            }
            let seq = first.seen(room).room.seq.max(second.seen(room).room.seq);
            first.until(room, |seen| seen.room.seq >= seq).await;
            second.until(room, |seen| seen.room.seq >= seq).await;
        }
        let resigns = Request::Room { room: room.clone(), request: RoomRequest::Resign };
        let begun = Instant::now();
        let id = first.send(resigns).await;
        first.answer(&id).await;
        let waited = begun.elapsed();
        first.until(room, |seen| seen.room.running().is_none()).await;
        let end = first.seen(room).events.iter().rev().find_map(|event| match event.event {
            Event::Ended { rated, .. } => Some(rated),
            _ => None,
        });
        assert_eq!(end, Some(*is_rated), "the game counts as it should");
        first.done(room, RoomRequest::Rematch).await;
        second.done(room, RoomRequest::Rematch).await;
        first.until(room, |seen| seen.room.running().is_some()).await;
        waited
    }
}
