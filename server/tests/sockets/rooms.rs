//! How many rooms somebody may have, and which of them make place for new ones.

use std::time::Duration;

use fivefold_shared::room::RoomLimits;
use fivefold_storage::Memory;
use std::net::Ipv4Addr;

use fivefold_server::{config::Config, limits::Limits};
use fivefold_shared::protocol::{Message, Reason, RoomCode};
use serde_json::{Value, json};

use crate::harness::{Client, LIMITS, TestServer, joined};

fn create(seats: &Value) -> Value {
    json!({"type": "create", "rules": {"variant": "freestyle"}, "seats": seats, "colour": "black"})
}

fn waiting() -> Value {
    create(&json!(["me", "open"]))
}

fn bots() -> Value {
    let attack = json!({"bot": {"kind": "attack"}});
    create(&json!([attack, attack]))
}

/// Waits for the message that the room is closed.
async fn hears_of_its_end(client: &mut Client, room: &RoomCode) {
    loop {
        if let Message::Closed { room: closed, .. } = client.receive().await {
            assert_eq!(closed, *room);
            return;
        }
    }
}

async fn is_closed(client: &mut Client, room: &RoomCode) -> bool {
    match client.ask(json!({"type": "join", "room": room})).await {
        Message::Joined { .. } => false,
        Message::Refused { refusal, .. } if refusal.reason == Reason::NoSuchRoom => true,
        other => panic!("{other:?}"),
    }
}

/// A room of Ann in which the game is over, and both are still there.
async fn finished(ann: &mut Client, bob: &mut Client) -> RoomCode {
    let room = joined(ann.ask(waiting()).await);
    bob.join(&room).await;
    bob.ask(json!({"type": "sit", "room": room})).await;
    ann.ask(json!({"type": "resign", "room": room})).await;
    room
}

#[tokio::test]
async fn rooms_that_nobody_uses_lock_nobody_out() {
    let server = TestServer::start(Limits { rooms_per_identity_max: 2, ..LIMITS });
    let (mut ann, mut bob) = (server.greet("Ann").await, server.greet("Bob").await);
    let mut last = None;
    // Twenty games in an hour, and twice as many.
    for _ in 0..40 {
        let room = finished(&mut ann, &mut bob).await;
        for client in [&mut ann, &mut bob] {
            client.ask(json!({"type": "leave", "room": room})).await;
        }
        last = Some(room);
    }
    assert!(!is_closed(&mut bob, &last.unwrap()).await, "the oldest goes first");

    // Somebody is in both of these: a third is refused, and the refusal lists what to close.
    let first = joined(ann.ask(waiting()).await);
    let second = joined(ann.ask(waiting()).await);
    let Message::Refused { refusal, .. } = ann.ask(waiting()).await else { panic!("a third") };
    assert_eq!(refusal.reason, Reason::TooManyRooms);
    assert!(refusal.text.contains(first.as_str()), "{refusal}");
    assert!(refusal.text.contains(second.as_str()), "{refusal}");
    server.stop().await;
}

#[tokio::test]
async fn of_ones_own_rooms_the_least_needed_makes_place() {
    let server = TestServer::start(Limits { rooms_per_identity_max: 3, ..LIMITS });
    let (mut ann, mut bob) = (server.greet("Ann").await, server.greet("Bob").await);
    let over = finished(&mut ann, &mut bob).await;
    let bot_game = joined(ann.ask(create(&json!(["me", {"bot": {"kind": "attack"}}]))).await);
    let play = json!({"type": "play", "room": bot_game, "ply": 0, "point": [7, 7]});
    ann.ask(play).await;
    let link = joined(ann.ask(waiting()).await);
    // Ann's phone sleeps: only Bob is left, in the room whose game is over.
    let mut eve = server.greet("Eve").await;
    for room in [&bot_game, &link] {
        ann.ask(json!({"type": "leave", "room": room})).await;
    }
    // A room that waits is given up before a game against a bot, and that before a room where
    // somebody is.
    let next = joined(ann.ask(waiting()).await);
    assert!(is_closed(&mut eve, &link).await);
    let after = joined(ann.ask(waiting()).await);
    assert!(is_closed(&mut eve, &bot_game).await);
    joined(ann.ask(waiting()).await);
    hears_of_its_end(&mut bob, &over).await;
    // The rest is in use.
    assert_eq!(ann.refused(waiting()).await, Reason::TooManyRooms);
    assert!(!is_closed(&mut eve, &next).await && !is_closed(&mut eve, &after).await);
    server.stop().await;
}

#[tokio::test]
async fn a_game_between_people_makes_no_place() {
    let server = TestServer::start(Limits { rooms_per_identity_max: 1, ..LIMITS });
    let (mut ann, mut bob) = (server.greet("Ann").await, server.greet("Bob").await);
    let room = joined(ann.ask(waiting()).await);
    bob.join(&room).await;
    bob.ask(json!({"type": "sit", "room": room})).await;
    ann.ask(json!({"type": "play", "room": room, "ply": 0, "point": [7, 7]})).await;
    for client in [&mut ann, &mut bob] {
        client.ask(json!({"type": "leave", "room": room})).await;
    }
    assert_eq!(ann.refused(waiting()).await, Reason::TooManyRooms);
    assert!(!is_closed(&mut bob, &room).await);
    server.stop().await;
}

#[tokio::test]
async fn rooms_are_limited_for_an_address_whatever_identities_come_from_there() {
    let server = TestServer::start(Limits { rooms_per_address_max: 2, ..LIMITS });
    let (mut ann, mut bob) = (server.greet("Ann").await, server.greet("Bob").await);
    let first = joined(ann.ask(waiting()).await);
    joined(bob.ask(waiting()).await);
    let mut eve = server.greet("Eve").await;
    assert_eq!(eve.refused(waiting()).await, Reason::TooManyRoomsFromAddress);
    let reason = r#"refusals_total{reason="too_many_rooms_from_address"}"#;
    assert_eq!(server.count(reason).await, 1);
    // Other addresses do not notice.
    let mut far = server.greet_from(Ipv4Addr::new(127, 0, 0, 2), "Far").await;
    joined(far.ask(waiting()).await);
    // A room that nobody uses any more makes place for one of the same address, and only then.
    ann.ask(json!({"type": "leave", "room": first})).await;
    joined(eve.ask(waiting()).await);
    assert!(is_closed(&mut ann, &first).await);
    assert_eq!(eve.refused(waiting()).await, Reason::TooManyRoomsFromAddress);
    server.stop().await;
}

#[tokio::test]
async fn nobody_at_an_address_loses_a_room_in_which_somebody_else_is() {
    let server = TestServer::start(Limits { rooms_per_address_max: 1, ..LIMITS });
    let (mut ann, mut bob) = (server.greet("Ann").await, server.greet("Bob").await);
    let room = finished(&mut ann, &mut bob).await;
    let mut eve = server.greet("Eve").await;
    assert_eq!(eve.refused(waiting()).await, Reason::TooManyRoomsFromAddress);
    assert!(!is_closed(&mut eve, &room).await);
    server.stop().await;
}

#[tokio::test]
async fn rooms_are_made_only_so_fast_from_an_address() {
    let server = TestServer::start(Limits { rooms_per_minute: 2, ..LIMITS });
    let (mut ann, mut bob) = (server.greet("Ann").await, server.greet("Bob").await);
    let mut command = waiting();
    command["id"] = json!("again");
    let first = joined(ann.ask(command.clone()).await);
    joined(bob.ask(waiting()).await);
    assert_eq!(ann.refused(waiting()).await, Reason::TooManyRoomsMade);
    // The same command again is no new room.
    assert_eq!(joined(ann.ask(command).await), first);
    let mut far = server.greet_from(Ipv4Addr::new(127, 0, 0, 2), "Far").await;
    joined(far.ask(waiting()).await);
    server.stop().await;
}

#[tokio::test]
async fn rooms_of_two_bots_are_limited_for_an_address_and_in_all() {
    let per_address = Limits { bot_rooms_per_address_max: 2, ..LIMITS };
    let in_all = Limits { bot_rooms_max: 2, ..LIMITS };
    for (limits, far_away) in [(per_address, true), (in_all, false)] {
        let server = TestServer::start(Limits {
            room: RoomLimits { bot_pace: Duration::from_millis(60_000), ..limits.room },
            ..limits
        });
        let (mut ann, mut bob) = (server.greet("Ann").await, server.greet("Bob").await);
        let first = joined(ann.ask(bots()).await);
        joined(bob.ask(bots()).await);
        let mut eve = server.greet("Eve").await;
        assert_eq!(eve.refused(bots()).await, Reason::TooManyBotRooms);
        // Nor by seating them one after the other.
        let room = joined(eve.ask(create(&json!([{"bot": {"kind": "attack"}}, "open"]))).await);
        let seat = json!({"type": "seat_bot", "room": room, "seat": "second",
            "bot": {"kind": "attack"}});
        assert_eq!(eve.refused(seat.clone()).await, Reason::TooManyBotRooms);
        let reason = r#"refusals_total{reason="too_many_bot_rooms"}"#;
        assert_eq!(server.count(reason).await, 2);
        let mut far = server.greet_from(Ipv4Addr::new(127, 0, 0, 2), "Far").await;
        match far.ask(bots()).await {
            Message::Joined { .. } => assert!(far_away),
            Message::Refused { refusal, .. } => {
                assert!(!far_away, "{refusal}");
                assert_eq!(refusal.reason, Reason::TooManyBotRooms);
            }
            other => panic!("{other:?}"),
        }
        // People play bots as ever, and a place that is given up is free at once.
        joined(eve.ask(create(&json!(["me", {"bot": {"kind": "attack"}}]))).await);
        ann.ask(json!({"type": "close", "room": first})).await;
        while server.count("rooms").await > 4 {}
        let done = eve.ask(seat).await;
        assert!(matches!(done, Message::Done { .. }), "{done:?}");
        server.stop().await;
    }
}

#[tokio::test]
async fn a_room_that_two_bots_were_left_alone_in_makes_place() {
    let limits = Limits {
        bot_rooms_per_address_max: 1,
        room: RoomLimits { bots_room_close: Duration::from_millis(60_000), ..LIMITS.room },
        ..LIMITS
    };
    let server = TestServer::start(Limits {
        room: RoomLimits { bot_pace: Duration::from_millis(60_000), ..limits.room },
        ..limits
    });
    let (mut ann, mut bob) = (server.greet("Ann").await, server.greet("Bob").await);
    let first = joined(ann.ask(bots()).await);
    assert_eq!(bob.refused(bots()).await, Reason::TooManyBotRooms);
    ann.ask(json!({"type": "leave", "room": first})).await;
    joined(bob.ask(bots()).await);
    assert!(is_closed(&mut ann, &first).await);
    server.stop().await;
}

#[tokio::test]
async fn the_demo_is_one_however_often_the_list_is_asked_for_and_whoever_filled_the_server() {
    let limits = Limits {
        rooms_max: 2,
        bot_rooms_max: 1,
        room: RoomLimits { bot_pace: Duration::from_millis(60_000), ..LIMITS.room },
        ..LIMITS
    };
    let config = Config { limits, demo: true, ..Config::default() };
    let server = TestServer::start_with(Box::new(Memory::default()), config);
    let mut mallory = server.greet("Mallory").await;
    joined(mallory.ask(bots()).await);
    joined(mallory.ask(waiting()).await);
    let mut ann = server.greet("Ann").await;
    let mut seen = None;
    for _ in 0..20 {
        let Message::Rooms { rooms, .. } = ann.ask(json!({"type": "rooms"})).await else {
            panic!("no list")
        };
        let [demo] = &rooms[..] else { panic!("the demo alone: {rooms:?}") };
        assert_eq!(*seen.get_or_insert(demo.room.clone()), demo.room);
    }
    assert_eq!(server.count("rooms").await, 3);
    // It counts: bots play each other in one room too many now.
    assert_eq!(ann.refused(bots()).await, Reason::ServerFull);
    server.stop().await;
}

#[tokio::test]
async fn a_hundred_rooms_that_wait_hide_no_running_game() {
    let limits = Limits {
        rooms_per_identity_max: 60,
        room: RoomLimits { bot_pace: Duration::from_millis(60_000), ..LIMITS.room },
        ..LIMITS
    };
    let config = Config { limits, demo: true, ..Config::default() };
    let server = TestServer::start_with(Box::new(Memory::default()), config);
    for name in ["Ann", "Bob"] {
        let mut client = server.greet(name).await;
        for _ in 0..51 {
            let mut command = waiting();
            command["visibility"] = json!("public");
            joined(client.ask(command).await);
        }
    }
    let mut eve = server.greet("Eve").await;
    for _ in 0..20 {
        let Message::Rooms { total, .. } = eve.ask(json!({"type": "rooms"})).await else {
            panic!("no list")
        };
        assert_eq!(total, 103, "with one demo");
    }
    server.stop().await;
}

#[tokio::test]
async fn a_guest_who_is_gone_before_a_first_act_leaves_the_seat_to_the_next() {
    let server = TestServer::start(LIMITS);
    let (mut ann, bob, room) = server.two_play().await;
    let mut cid = server.greet("Cid").await;
    cid.join(&room).await;
    let sit = json!({"type": "sit", "room": room});
    let Message::Refused { refusal, .. } = cid.ask(sit.clone()).await else {
        panic!("Bob is here");
    };
    assert_eq!(refusal.reason, Reason::NoOpenSeat);

    drop(bob);
    loop {
        if let Message::Presence { away, .. } = cid.receive().await
            && away.second.is_some()
        {
            break;
        }
    }
    let Message::Done { .. } = cid.ask(sit).await else { panic!("Bob is gone") };
    let mut kinds = Vec::new();
    while kinds.iter().filter(|kind| *kind == "started").count() < 2 {
        if let Message::Event { event, .. } = ann.receive().await {
            let event = serde_json::to_value(&event.event).unwrap();
            kinds.push(event["type"].as_str().unwrap().to_owned());
        }
    }
    assert_eq!(kinds, ["sat", "started", "ended", "stood", "sat", "started"]);
    // Ann has Black again.
    let play = json!({"type": "play", "room": room, "ply": 0, "point": [7, 7]});
    let Message::Done { .. } = ann.ask(play).await else { panic!("it is Ann's move") };
    server.stop().await;
}
