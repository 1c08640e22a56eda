//! Clocks and absent players, over real sockets and in real time.

use std::time::Duration;

use std::time::Instant;

use fivefold_server::limits::Limits;
use fivefold_shared::{
    protocol::{Event, Message, Reason},
    room::RoomLimits,
    rules::Outcome,
    seat::Seat,
};
use serde_json::{Value, json};

use crate::harness::{Client, LIMITS, TestServer, joined};

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
