//! Whole games: what sessions, rooms, the store and the bots' threads do together.

use std::time::Duration;

use fivefold_server::{config::Config, limits::Limits};
use fivefold_shared::{
    protocol::{CatchUp, Event, Message, Phase, Reason},
    room::RoomLimits,
    rules::Outcome,
    seat::Seat,
};
use fivefold_storage::Memory;
use serde_json::json;

use crate::harness::{Client, LIMITS, TestServer, joined};

/// Reads up to the end of a game: the numbers of all events on the way, and the outcome.
async fn watch(client: &mut Client) -> (Vec<u64>, Outcome<Seat>) {
    let mut numbers = Vec::new();
    loop {
        if let Message::Event { event, .. } = client.receive().await {
            numbers.push(event.seq);
            if let Event::Ended { outcome, .. } = event.event {
                return (numbers, outcome);
            }
        }
    }
}

#[tokio::test]
async fn two_people_play_to_a_five_and_a_third_watches() {
    let server = TestServer::start(LIMITS);
    let (mut ann, mut bob, room) = server.two_play().await;
    let mut eve = server.greet("Eve").await;
    eve.join(&room).await;
    for ply in 0..9 {
        let player = if ply % 2 == 0 { &mut ann } else { &mut bob };
        let point = [3 + ply / 2, 5 + ply % 2];
        let play = json!({"type": "play", "room": room, "ply": ply, "point": point});
        let done = player.ask(play).await;
        assert!(matches!(done, Message::Done { .. }), "{ply}: {done:?}");
    }
    let (numbers, outcome) = watch(&mut eve).await;
    assert_eq!(numbers, (5..=14).collect::<Vec<_>>());
    assert!(matches!(outcome, Outcome::Five { .. }), "{outcome:?}");
    server.stop().await;
}

#[tokio::test]
async fn two_bots_play_and_everybody_sees_the_same() {
    let server = TestServer::start(LIMITS);
    let mut ann = server.greet("Ann").await;
    let bots = json!([{"bot": {"kind": "attack"}}, {"bot": {"kind": "pattern"}}]);
    let room = ann.create(bots).await;
    let (numbers, _) = watch(&mut ann).await;
    let first = numbers[0];
    assert!(numbers.iter().copied().eq(first..first + numbers.len() as u64), "{numbers:?}");

    // The room is listed, and coming back with the last number tells nothing twice.
    match ann.ask(json!({"type": "rooms"})).await {
        Message::Rooms { rooms, total: 1, .. } => {
            assert_eq!((&rooms[0].room, rooms[0].phase), (&room, Phase::Finished));
        }
        other => panic!("{other:?}"),
    }
    let last = numbers[numbers.len() - 1];
    let again = ann.ask(json!({"type": "join", "room": room, "after": last})).await;
    let again = serde_json::to_value(&again).unwrap();
    assert_eq!(again["events"], json!([]), "{again}");
    server.stop().await;
}

#[tokio::test]
async fn bots_play_for_who_looks_for_a_game_and_make_room_for_people() {
    let config = Config { limits: LIMITS, demo: true, ..Config::default() };
    let server = TestServer::start_with(Box::new(Memory::default()), config);
    let mut ann = server.greet("Ann").await;
    let Message::Rooms { rooms, .. } = ann.ask(json!({"type": "rooms"})).await else {
        panic!("no list")
    };
    let [demo] = &rooms[..] else { panic!("one game is on: {rooms:?}") };
    assert!(demo.seats.first.as_ref().is_some_and(|player| player.bot().is_some()), "{demo:?}");
    assert!(demo.seats.second.as_ref().is_some_and(|player| player.bot().is_some()), "{demo:?}");
    // It is the same one that waits for somebody to look in, however often one looks for a game.
    for _ in 0..20 {
        match ann.ask(json!({"type": "rooms"})).await {
            Message::Rooms { rooms, .. } => assert_eq!(&rooms[..], std::slice::from_ref(demo)),
            other => panic!("{other:?}"),
        }
    }
    assert_eq!((demo.ply, server.count("rooms").await), (0, 1));
    ann.join(&demo.room).await;
    let (numbers, _) = watch(&mut ann).await;
    assert_eq!(numbers[0], 5);
    // When it has ended, and nobody is in it, it goes away.
    ann.ask(json!({"type": "leave", "room": demo.room})).await;
    while server.count("rooms").await > 0 {}
    server.stop().await;
}

#[tokio::test]
async fn bots_play_for_nobody_only_when_somebody_is_there() {
    let limits = Limits {
        room: RoomLimits { bots_room_close: Duration::from_millis(3_600_000), ..LIMITS.room },
        ..LIMITS
    };
    let server = TestServer::start(limits);
    let (mut ann, mut bob) = (server.greet("Ann").await, server.greet("Bob").await);
    let bots = json!([{"bot": {"kind": "attack"}}, {"bot": {"kind": "pattern"}}]);
    let create = json!({
        "type": "create", "rules": {"variant": "caro", "size": "unbounded"}, "seats": bots,
        "id": "create",
    });
    let room = joined(ann.ask(create).await);
    let leave = json!({"type": "leave", "room": room, "id": "leave"});
    ann.send_text(leave.to_string()).await;
    let mut last = 0;
    loop {
        match ann.receive().await {
            Message::Event { event, .. } => last = event.seq,
            Message::Done { .. } => break,
            _ => {}
        }
    }
    // Bots that play Bob have the time to make many moves.
    let other = bob.create(json!(["me", {"bot": {"kind": "attack"}}])).await;
    for ply in [0, 2, 4, 6, 8] {
        let play =
            json!({"type": "play", "room": other, "ply": ply, "point": [ply, 7 * (ply % 4)]});
        bob.ask(play).await;
        loop {
            if let Message::Event { event, .. } = bob.receive().await
                && matches!(event.event, Event::Played { ply: made, .. } if made == ply + 1)
            {
                break;
            }
        }
    }
    match bob.ask(json!({"type": "join", "room": room})).await {
        Message::Joined { catch_up: CatchUp::Snapshot(snapshot), .. } => {
            assert_eq!(snapshot.seq, last.max(4));
        }
        other => panic!("{other:?}"),
    }
    // Bob receives events again.
    loop {
        if let Message::Event { room: other, event } = bob.receive().await
            && other == room
        {
            assert_eq!(event.seq, last.max(4) + 1);
            break;
        }
    }
    server.stop().await;
}

#[tokio::test]
async fn a_room_of_two_bots_closes_soon_after_the_last_one_has_left() {
    let server = TestServer::start(LIMITS);
    let mut ann = server.greet("Ann").await;
    let bots = json!([{"bot": {"kind": "attack"}}, {"bot": {"kind": "pattern"}}]);
    for _ in 0..3 {
        let create = json!({
            "type": "create", "rules": {"variant": "caro", "size": "unbounded"}, "seats": bots,
        });
        joined(ann.ask(create).await);
    }
    assert_eq!(server.count("rooms").await, 3);
    drop(ann);
    while server.count("rooms").await > 0 {}
    server.stop().await;
}

#[tokio::test]
async fn public_rooms_are_listed_and_those_with_an_open_seat_first() {
    let server = TestServer::start(LIMITS);
    let mut ann = server.greet("Ann").await;
    let attack = json!({"bot": {"kind": "attack"}});
    let running = ann.create(json!(["me", attack])).await;
    let waiting = ann.create(json!(["open", attack])).await;
    let private = json!({"type": "create", "rules": {"variant": "renju"}});
    joined(ann.ask(private).await);
    match ann.ask(json!({"type": "rooms"})).await {
        Message::Rooms { rooms, total, .. } => {
            let listed: Vec<_> = rooms.iter().map(|room| (&room.room, room.phase)).collect();
            assert_eq!(listed, [(&waiting, Phase::Waiting), (&running, Phase::Running)]);
            assert_eq!(total, 2);
        }
        other => panic!("{other:?}"),
    }
    server.stop().await;
}

#[tokio::test]
async fn an_empty_room_is_closed_after_its_time() {
    let limits = Limits {
        room: RoomLimits { empty_room_close: Duration::from_millis(20), ..LIMITS.room },
        rooms_per_identity_max: 1,
        ..LIMITS
    };
    let server = TestServer::start(limits);
    let mut ann = server.greet("Ann").await;
    let room = ann.create(json!(["me", "open"])).await;
    ann.ask(json!({"type": "leave", "room": room})).await;
    while server.count("rooms").await > 0 {}
    assert_eq!(ann.refused(json!({"type": "join", "room": room})).await, Reason::NoSuchRoom);
    // It does not count any more.
    ann.create(json!(["me", "open"])).await;
    server.stop().await;
}

#[tokio::test]
async fn a_lost_socket_keeps_the_seat_and_a_new_name_is_told() {
    let server = TestServer::start(LIMITS);
    let mut ann = server.greet("Ann").await;
    let mut bob = server.connect().await;
    let hello = json!({"type": "hello", "protocol": 1, "identity": "0b".repeat(32)});
    bob.ask(hello.clone()).await;
    let room = ann.create(json!(["me", "open"])).await;
    bob.join(&room).await;
    bob.ask(json!({"type": "sit", "room": room})).await;
    bob.ask(json!({"type": "set_name", "name": "Bobby"})).await;
    loop {
        if let Message::Event { event, .. } = ann.receive().await
            && let Event::Renamed { name, .. } = event.event
        {
            assert_eq!(name.as_str(), "Bobby");
            break;
        }
    }
    drop(bob);
    let mut bob = server.connect().await;
    bob.ask(hello).await;
    bob.join(&room).await;
    ann.ask(json!({"type": "play", "room": room, "ply": 0, "point": [7, 7]})).await;
    let answer = bob.ask(json!({"type": "play", "room": room, "ply": 1, "point": [8, 8]})).await;
    assert!(matches!(answer, Message::Done { .. }), "{answer:?}");
    server.stop().await;
}

#[tokio::test]
async fn a_bot_answers_and_says_what_it_thinks() {
    let server = TestServer::start(LIMITS);
    let mut ann = server.greet("Ann").await;
    let room = ann.create(json!(["me", {"bot": {"kind": "pattern"}}])).await;
    ann.ask(json!({"type": "play", "room": room, "ply": 0, "point": [7, 7]})).await;
    loop {
        if let Message::Event { event, .. } = ann.receive().await
            && let Event::Played { ply: 1, .. } = event.event
        {
            break;
        }
    }
    match ann.ask(json!({"type": "weights", "room": room})).await {
        Message::Weights { ply: 2, weights, .. } => assert!(!weights.is_empty()),
        other => panic!("{other:?}"),
    }
    let moved = ann.ask(json!({"type": "bot_move", "room": room, "ply": 2})).await;
    assert!(matches!(moved, Message::Done { .. }), "{moved:?}");
    server.stop().await;
}
