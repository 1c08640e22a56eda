//! Clocks and absent players, over real sockets and in real time.

use std::{
    sync::{
        LazyLock,
        atomic::{AtomicU64, Ordering},
    },
    time::{Duration, Instant},
};

use fivefold_server::{
    config::Config,
    limits::Limits,
    process::clock::{Clock, WallClock},
};
use fivefold_shared::{
    protocol::{Event, Message, Reason},
    room::RoomLimits,
    rules::Outcome,
    seat::Seat,
};
use fivefold_storage::Memory;
use serde_json::{Value, json};

use crate::{
    accounts::{ask, sign_up, with},
    harness::{Client, LIMITS, TestServer, joined, within},
};

/// Ann has made the first move, and it is Bob's turn.
async fn begun(server: &TestServer, time: Value) -> (Client, Client, Value) {
    let (mut ann, mut bob) = (server.greet("Ann").await, server.greet("Bob").await);
    let create = json!({
        "type": "create", "rules": {"variant": "freestyle"}, "colour": "black", "time": time,
    });
    let room = joined(ann.ask(create).await);
    bob.join(&room).await;
    let room = json!(room);
    bob.ask(json!({"type": "sit", "room": room})).await;
    ann.ask(json!({"type": "play", "room": room, "ply": 0, "point": [7, 7]})).await;
    (ann, bob, room)
}

async fn until_event(client: &mut Client, is_it: impl Fn(&Event) -> bool) -> (u64, Event) {
    loop {
        if let Message::Event { event, .. } = client.receive().await
            && is_it(&event.event)
        {
            return (event.at, event.event);
        }
    }
}

#[tokio::test]
async fn a_flag_falls_on_time() {
    let server = TestServer::start(LIMITS);
    let time = json!({"type": "sudden_death", "main_ms": 1000});
    let (_ann, mut bob, room) = begun(&server, time).await;
    let (played_at, _) = until_event(&mut bob, |event| matches!(event, Event::Played { .. })).await;
    let heard = Instant::now();
    let (ended_at, ended) =
        until_event(&mut bob, |event| matches!(event, Event::Ended { .. })).await;
    assert_eq!(
        ended,
        Event::Ended { outcome: Outcome::Time { winner: Seat::First }, rated: false }
    );
    let late = ended_at - played_at - 1_000;
    println!("the flag fell {late} ms late, and was seen after {:?}", heard.elapsed());
    // Room for a busy machine; the aim is 50.
    assert!(late < 250, "{late}");

    // A later member sees that no time was left, and that Ann has used none.
    let mut eve = server.greet("Eve").await;
    let joined = eve.ask(json!({"type": "join", "room": room})).await;
    let joined = serde_json::to_value(&joined).unwrap();
    let clock = &joined["snapshot"]["game"]["clock"];
    assert_eq!(
        (&clock["second"]["left_ms"], &clock["first"]["left_ms"]),
        (&json!(0), &json!(1000))
    );
    server.stop().await;
}

#[tokio::test]
async fn who_loses_his_socket_is_away_and_the_game_may_be_claimed() {
    let server = TestServer::start(Limits {
        room: RoomLimits { claim_after: Duration::from_millis(0), ..LIMITS.room },
        ..LIMITS
    });
    let (mut ann, bob, room) = begun(&server, json!({"type": "none"})).await;
    let claim = json!({"type": "claim_win", "room": room});
    assert_eq!(ann.refused(claim.clone()).await, Reason::OpponentHere);
    drop(bob);
    let away = loop {
        if let Message::Presence { away, .. } = ann.receive().await {
            break away;
        }
    };
    let second = away.second.expect("Bob is away");
    assert_eq!((away.first, second.claim_at), (None, Some(second.since)));
    let done = ann.ask(claim).await;
    assert!(matches!(done, Message::Done { .. }), "{done:?}");
    server.stop().await;
}

#[tokio::test]
async fn a_claim_made_too_early_is_refused() {
    let server = TestServer::start(LIMITS);
    let (mut ann, bob, room) = begun(&server, json!({"type": "none"})).await;
    drop(bob);
    while !matches!(ann.receive().await, Message::Presence { .. }) {}
    for claim in ["claim_win", "claim_draw"] {
        assert_eq!(ann.refused(json!({"type": claim, "room": room})).await, Reason::TooEarly);
    }
    server.stop().await;
}

/// The time at the start of a machine whose clock is two hours late.
static LATE: AtomicU64 = AtomicU64::new(1_795_230_000_000);
static BEGUN: LazyLock<Instant> = LazyLock::new(Instant::now);
static WALL: WallClock = WallClock::new(|| {
    let passed = u64::try_from(BEGUN.elapsed().as_millis()).unwrap_or(u64::MAX);
    LATE.load(Ordering::Relaxed) + passed
});
const TWO_HOURS: u64 = 2 * 60 * 60 * 1_000;

#[tokio::test]
async fn a_clock_that_is_set_right_changes_what_is_stored_and_no_players_clock() {
    let config = Config { limits: LIMITS, clock: Clock::following(&WALL), ..Config::default() };
    let server = TestServer::start_with(Box::new(Memory::default()), config);
    let start = LATE.load(Ordering::Relaxed);
    let made_at = async |name: &str| {
        let (cookie, _) = sign_up(&server, name).await;
        let account = ask(&server, "GET /api/account", &with(&cookie), &Value::Null).await;
        account.body["account"]["made_at"].as_u64().unwrap_or_else(|| panic!("{}", account.body))
    };
    assert!(made_at("Early").await < start + TWO_HOURS);
    let time = json!({"type": "sudden_death", "main_ms": 60_000});
    let (mut ann, mut bob, room) = begun(&server, time).await;
    until_event(&mut bob, |event| matches!(event, Event::Played { .. })).await;

    LATE.fetch_add(TWO_HOURS, Ordering::Relaxed);
    // The metric shows what was found, and then that it is put right.
    let drift = async || {
        let text = server.monitor("/metrics").await;
        let line = text.lines().find_map(|line| line.strip_prefix("fivefold_clock_drift_seconds "));
        line.unwrap().parse::<f64>().unwrap()
    };
    within(async { while drift().await < 7_000.0 {} }).await;
    within(async { while drift().await > 1.0 {} }).await;
    assert!(made_at("Late").await >= start + TWO_HOURS);

    // In the game a second or two have passed.
    bob.ask(json!({"type": "play", "room": room, "ply": 1, "point": [0, 0]})).await;
    let (played_at, _) =
        until_event(&mut ann, |event| matches!(event, Event::Played { ply: 1, .. })).await;
    assert!(played_at < start + TWO_HOURS, "{played_at}");
    assert_eq!(server.count("games").await, 1);
    ann.ask(json!({"type": "resign", "room": room})).await;
    // The room's next game has the new time.
    ann.ask(json!({"type": "rematch", "room": room})).await;
    bob.ask(json!({"type": "rematch", "room": room})).await;
    let (started_at, _) =
        until_event(&mut ann, |event| matches!(event, Event::Started { .. })).await;
    assert!(started_at >= start + TWO_HOURS, "{started_at}");
    server.stop().await;
}
