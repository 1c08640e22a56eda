//! Bots never slow people down: the time from a move to the opponent's news of it, on an empty
//! server and under two hundred bot games. A measurement, so it is run by hand:
//!
//! `cargo test --release -p fivefold-server --test sockets -- --ignored --nocapture`

#![expect(clippy::print_stdout, reason = "a measurement is there to be read")]

use std::time::{Duration, Instant};

use fivefold_server::limits::Limits;
use fivefold_shared::protocol::{Event, Message, Phase};
use serde_json::json;

use crate::harness::{Client, LIMITS, TestServer, joined};

const MOVES: usize = 1_000;
const BOT_GAMES: usize = 200;

/// The times from move to news, sorted.
async fn measure(server: &TestServer) -> Vec<Duration> {
    let mut players = [server.greet("Ann").await, server.greet("Bob").await];
    let create = json!({
        "type": "create", "rules": {"variant": "freestyle", "size": "unbounded"},
        "colour": "black",
    });
    let room = joined(players[0].ask(create).await);
    players[1].join(&room).await;
    players[1].ask(json!({"type": "sit", "room": room})).await;
    let mut times = Vec::with_capacity(MOVES);
    for ply in 0..MOVES {
        let [ann, bob] = &mut players;
        let (mover, opponent) = if ply % 2 == 0 { (ann, bob) } else { (bob, ann) };
        // Far from each other, so that nobody wins.
        let play = json!({"type": "play", "id": format!("move-{ply}"), "room": room, "ply": ply,
            "point": [7 * ply, 11 * (ply % 13)]});
        let begun = Instant::now();
        mover.send_text(play.to_string()).await;
        news_of(opponent, ply).await;
        times.push(begun.elapsed());
    }
    times.sort_unstable();
    times
}

async fn news_of(opponent: &mut Client, expected: usize) {
    loop {
        if let Message::Event { event, .. } = opponent.receive().await
            && let Event::Played { ply, .. } = event.event
            && ply == expected
        {
            return;
        }
    }
}

fn report(what: &str, times: &[Duration]) -> Duration {
    let at = |percent: usize| times[(times.len() - 1) * percent / 100];
    println!("{what}: p50 {:?}, p90 {:?}, p99 {:?}, max {:?}", at(50), at(90), at(99), at(100));
    at(99)
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
#[ignore = "measures time, and needs a quiet machine"]
async fn bots_do_not_slow_people_down() {
    for bot_pace_ms in [Limits::DEFAULT.bot_pace_ms, 0] {
        let limits = Limits { rooms_per_identity_max: BOT_GAMES, bot_pace_ms, ..LIMITS };
        let server = TestServer::start(limits);
        let empty = report("empty server", &measure(&server).await);
        let mut host = server.greet("Host").await;
        let attack = json!({"bot": {"kind": "attack"}});
        for _ in 0..BOT_GAMES {
            let create = json!({
                "type": "create", "seats": [attack, attack], "visibility": "public",
                "rules": {"variant": "caro", "size": 64},
            });
            let room = joined(host.ask(create).await);
            host.ask(json!({"type": "leave", "room": room})).await;
        }
        let what = format!("{BOT_GAMES} bot games, {bot_pace_ms} ms a move");
        let loaded = report(&what, &measure(&server).await);
        match host.ask(json!({"type": "rooms"})).await {
            Message::Rooms { rooms, .. } => {
                let running = rooms.iter().filter(|room| room.phase == Phase::Running).count();
                println!("still running: {running} of {} that are listed", rooms.len());
            }
            other => panic!("{other:?}"),
        }
        assert!(loaded < empty + Duration::from_millis(10), "{loaded:?} after {empty:?}");
        server.stop().await;
    }
}
