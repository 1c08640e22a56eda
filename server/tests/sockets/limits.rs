//! Each limit, at the limit and one past it.

use fivefold_shared::room::RoomLimits;
use std::{net::Ipv4Addr, sync::atomic::Ordering};

use fivefold_server::limits::{
    CODE_REFUSALS_MAX, HTTP_HEAD_MAX, HTTP_HEADERS_MAX, JOINED_ROOMS_MAX, Limits,
    MAILBOX_INPUTS_MAX, TOO_FAST_REFUSALS_MAX,
};
use fivefold_shared::protocol::{Event, Message, Player, Reason, Refusal, close};
use serde_json::json;
use tokio::io::AsyncReadExt;
use tokio_tungstenite::tungstenite::{
    self, Error,
    protocol::frame::{
        Frame,
        coding::{Data, OpCode},
    },
};

use crate::{
    harness::{Client, LIMITS, TestServer, joined, within},
    storage::Brittle,
};

/// A ping that is so many bytes long.
fn ping(length: usize) -> String {
    let ping = r#"{"type": "ping", "id": "p"}"#;
    format!("{ping}{}", " ".repeat(length - ping.len()))
}

#[tokio::test]
async fn a_message_may_be_as_long_as_the_limit() {
    for message_max in [LIMITS.message_max, 64 * 1024] {
        let server = TestServer::start(Limits { message_max, ..LIMITS });
        let mut client = server.connect().await;
        client.send_text(ping(message_max)).await;
        assert!(matches!(client.receive().await, Message::Pong { .. }));
        client.send_text(ping(message_max + 1)).await;
        assert_eq!(client.closed().await.0, close::TOO_BIG);
        server.stop().await;
    }
}

#[tokio::test]
async fn sessions_are_limited_for_an_address_and_in_all() {
    let cases = [
        (Limits { sessions_per_address_max: 2, ..LIMITS }, 429, Reason::TooManyConnections),
        (Limits { sessions_max: 2, ..LIMITS }, 503, Reason::ServerFull),
    ];
    for (limits, status, reason) in cases {
        let server = TestServer::start(limits);
        let _first = server.connect().await;
        let mut second = server.connect().await;
        match server.try_connect().await.err() {
            Some(Error::Http(answer)) => {
                assert_eq!(answer.status().as_u16(), status);
                assert!(answer.headers().contains_key("retry-after"));
                let body = answer.body().as_deref().unwrap();
                assert_eq!(serde_json::from_slice::<Refusal>(body).unwrap().reason, reason);
            }
            other => panic!("{other:?}"),
        }
        let [server_full, address_full] =
            ["server", "address"].map(|full| format!(r#"turned_away_total{{full="{full}"}}"#));
        let counted = server.count(&server_full).await + server.count(&address_full).await;
        assert_eq!(counted, 1);
        second.hello("Ann").await;
        server.stop().await;
    }
}

#[tokio::test]
async fn rooms_are_limited_for_an_identity_and_in_all() {
    let per_identity = Limits { rooms_per_identity_max: 2, ..LIMITS };
    let in_all = Limits { rooms_max: 2, ..LIMITS };
    for (limits, reason) in [(per_identity, Reason::TooManyRooms), (in_all, Reason::ServerFull)] {
        let server = TestServer::start(limits);
        let mut ann = server.greet("Ann").await;
        let create = |id: &str| {
            let rules = json!({"variant": "freestyle"});
            json!({"type": "create", "id": id, "rules": rules})
        };
        let first = joined(ann.ask(create("one")).await);
        let second = joined(ann.ask(create("two")).await);
        assert_ne!(first, second);
        assert_eq!(ann.refused(create("three")).await, reason);
        // The same command again is the same room.
        assert_eq!(joined(ann.ask(create("one")).await), first);
        assert_eq!(server.count("rooms").await, 2);
        server.stop().await;
    }
}

#[tokio::test]
async fn a_session_is_in_so_many_rooms_at_once() {
    let limits = Limits { rooms_per_identity_max: JOINED_ROOMS_MAX + 1, ..LIMITS };
    let server = TestServer::start(limits);
    let mut ann = server.greet("Ann").await;
    let mut rooms = Vec::new();
    for _ in 0..JOINED_ROOMS_MAX {
        rooms.push(ann.create(json!(["open", "open"])).await);
    }
    let create = json!({"type": "create", "rules": {"variant": "renju"}});
    assert_eq!(ann.refused(create.clone()).await, Reason::TooManyJoined);
    assert_eq!(server.count("rooms").await, JOINED_ROOMS_MAX as u64);
    // Coming back to one of them is no new one, and leaving one makes place.
    ann.join(&rooms[0]).await;
    ann.ask(json!({"type": "leave", "room": rooms[0]})).await;
    joined(ann.ask(create).await);
    server.stop().await;
}

#[tokio::test]
async fn spectators_are_limited_and_players_come_back_past_them() {
    let server = TestServer::start(Limits {
        room: RoomLimits { spectators_max: 2, ..LIMITS.room },
        ..LIMITS
    });
    let mut ann = server.greet("Ann").await;
    let room = ann.create(json!(["me", "open"])).await;
    let mut watching = [server.greet("Eve").await, server.greet("Sid").await];
    for spectator in &mut watching {
        spectator.join(&room).await;
    }
    let mut late = server.greet("Mallory").await;
    let join = json!({"type": "join", "room": room});
    assert_eq!(late.refused(join.clone()).await, Reason::RoomFull);
    assert_eq!(server.count(r#"refusals_total{reason="room_full"}"#).await, 1);
    // A player is no spectator, and a seat that is left makes place.
    ann.join(&room).await;
    watching[0].ask(json!({"type": "leave", "room": room})).await;
    joined(late.ask(join).await);
    server.stop().await;
}

#[tokio::test]
async fn so_many_inputs_wait_for_a_room() {
    let storage = Brittle::default();
    let server = storage.start();
    let Brittle { is_broken, gate, .. } = storage;
    let mut ann = server.greet("Ann").await;
    let room = ann.create(json!(["me", "open"])).await;
    let mut senders = Vec::new();
    for name in ["Bob", "Cem", "Dan", "Eve"] {
        let mut sender = server.greet(name).await;
        sender.join(&room).await;
        senders.push(sender);
    }
    // A room that reads its log back takes no input before it has it.
    let shut = gate.lock().await;
    is_broken.store(true, Ordering::SeqCst);
    let stand = json!({"type": "stand", "room": room});
    assert_eq!(ann.refused(stand).await, Reason::Unavailable);
    is_broken.store(false, Ordering::SeqCst);

    // One sender alone would get more replies at once than an outbox holds.
    let share = MAILBOX_INPUTS_MAX / senders.len();
    let offer = json!({"type": "offer_draw", "room": room});
    let ids: Vec<_> = (0..share).map(|id| format!("waits-{id}")).collect();
    for client in &mut senders {
        for id in &ids {
            let mut command = offer.clone();
            command["id"] = json!(id);
            client.send_text(command.to_string()).await;
        }
        assert!(matches!(client.ask(json!({"type": "ping"})).await, Message::Pong { .. }));
    }
    assert_eq!(ann.refused(offer.clone()).await, Reason::Busy);
    assert_eq!(server.count(r#"refusals_total{reason="busy"}"#).await, 1);

    // All that waited are answered, in order, and then there is place again.
    drop(shut);
    for client in &mut senders {
        let mut answered = Vec::new();
        while answered.len() < share {
            if let Message::Refused { id: Some(id), refusal } = client.receive().await {
                assert_ne!(refusal.reason, Reason::Busy);
                answered.push(id.to_string());
            }
        }
        assert_eq!(answered, ids);
    }
    assert_eq!(ann.refused(offer).await, Reason::NoGame);
    server.stop().await;
}

#[tokio::test]
async fn commands_are_limited_in_their_rate() {
    let limits = Limits { commands_burst: 3, commands_per_second: 0, ..LIMITS };
    let server = TestServer::start(limits);
    let mut client = server.connect().await;
    for _ in 0..3 {
        assert!(matches!(client.ask(json!({"type": "ping"})).await, Message::Pong { .. }));
    }
    for _ in 1..TOO_FAST_REFUSALS_MAX {
        assert_eq!(client.refused(json!({"type": "ping"})).await, Reason::TooFast);
    }
    client.send_text(ping(100)).await;
    assert_eq!(client.closed().await.0, close::POLICY);
    assert_eq!(
        server.count(r#"refusals_total{reason="too_fast"}"#).await,
        u64::from(TOO_FAST_REFUSALS_MAX) - 1
    );
    server.stop().await;
}

#[tokio::test]
async fn an_address_has_one_rate_for_all_its_sessions() {
    let limits = Limits { address_commands_burst: 3, address_commands_per_second: 0, ..LIMITS };
    let server = TestServer::start(limits);
    let (mut first, mut second) = (server.connect().await, server.connect().await);
    for turn in [0, 1, 0] {
        let client = if turn == 0 { &mut first } else { &mut second };
        assert!(matches!(client.ask(json!({"type": "ping"})).await, Message::Pong { .. }));
    }
    drop(first);
    assert_eq!(second.refused(json!({"type": "ping"})).await, Reason::TooFast);
    // Nor does it help to connect again.
    let mut third = server.connect().await;
    assert_eq!(third.refused(json!({"type": "ping"})).await, Reason::TooFast);
    server.stop().await;
}

#[tokio::test]
async fn heads_of_requests_are_limited() {
    let server = TestServer::start(LIMITS);
    let lines = |count: usize| "X-Line: 1\n".repeat(count);
    let long = |length: usize| format!("X-Line: {}\n", "x".repeat(length));
    let cases = [
        (lines(HTTP_HEADERS_MAX - 2), "200"),
        (lines(HTTP_HEADERS_MAX - 1), "431"),
        (long(HTTP_HEAD_MAX - 200), "200"),
        (long(HTTP_HEAD_MAX), "431"),
    ];
    for (more, status) in cases {
        let head = format!("GET / HTTP/1.1\nHost: test\nConnection: close\n{more}\n");
        let answer = server.request(&head).await;
        assert!(answer.starts_with(&format!("HTTP/1.1 {status} ")), "{}: {answer}", more.len());
    }
    server.stop().await;
}

#[tokio::test]
async fn connections_that_are_no_sessions_are_limited_for_an_address() {
    let limits = Limits { sessions_per_address_max: 1, connections_spare_per_address: 8, ..LIMITS };
    let server = TestServer::start(limits);
    let mut idle = Vec::new();
    for _ in 0..limits.connections_spare_per_address + 1 {
        idle.push(server.connect_raw().await);
    }
    let mut last = server.connect_raw().await;
    let mut nothing = String::new();
    within(last.read_to_string(&mut nothing)).await.unwrap();
    assert_eq!(nothing, "");
    assert_eq!(server.count(r#"turned_away_total{full="address"}"#).await, 1);
    drop(idle);
    server.stop().await;
}

#[tokio::test]
async fn new_connections_of_an_address_are_limited() {
    let limits = Limits {
        sessions_per_address_max: 2,
        connections_spare_per_address: 1,
        connections_per_second: 0,
        ..LIMITS
    };
    let server = TestServer::start(limits);
    for _ in 0..limits.connections_per_address_max() {
        assert!(server.get("/healthz").await.starts_with("HTTP/1.1 200 "));
    }
    let mut last = server.connect_raw().await;
    let mut nothing = String::new();
    within(last.read_to_string(&mut nothing)).await.unwrap();
    assert_eq!(nothing, "");
    assert_eq!(server.count(r#"turned_away_total{full="rate"}"#).await, 1);
    let mut other = server.greet_from(Ipv4Addr::new(127, 0, 0, 9), "Ann").await;
    other.create(json!(["me", "open"])).await;
    server.stop().await;
}

#[tokio::test]
async fn codes_cannot_be_guessed() {
    let limits = Limits { unknown_codes_per_minute: 3, ..LIMITS };
    let server = TestServer::start(limits);
    let (mut ann, mut eve) = (server.greet("Ann").await, server.greet("Eve").await);
    let room = ann.create(json!(["me", "open"])).await;
    let join = json!({"type": "join", "room": "k7m2qpxw9abc"});
    // A command to a room reveals as much about its code as joining does.
    let rematch = json!({"type": "rematch", "room": "k7m2qpxw9abc"});
    for guess in [&join, &rematch, &join] {
        assert_eq!(eve.refused(guess.clone()).await, Reason::NoSuchRoom);
    }
    // From now on a good guess reveals no more than a bad one.
    let good = json!({"type": "join", "room": room});
    for guess in [&join, &good].into_iter().cycle().take(CODE_REFUSALS_MAX as usize - 1) {
        assert_eq!(eve.refused(guess.clone()).await, Reason::TooManyUnknownCodes);
    }
    eve.send_text(json!({"type": "join", "id": "last", "room": room}).to_string()).await;
    assert_eq!(eve.closed().await.0, close::POLICY);
    // A client already in the room is not affected.
    let offer = ann.refused(json!({"type": "offer_draw", "room": room})).await;
    assert_eq!(offer, Reason::NoGame);
    server.stop().await;
}

#[tokio::test]
async fn commands_are_nested_only_so_deep() {
    let server = TestServer::start(LIMITS);
    let mut client = server.connect().await;
    // The JSON library's limit is 127 levels, and the command itself is the first. A bracket in a
    // string is none.
    for (levels, is_read) in [(126, true), (127, false)] {
        let (open, close) = ("[".repeat(levels), "]".repeat(levels));
        let ping =
            format!(r#"{{"type":"ping","id":"deep","text":"\"[[[[[[[[","x":{open}{close}}}"#);
        client.send_text(ping).await;
        match client.receive().await {
            Message::Pong { .. } => assert!(is_read),
            Message::Refused { id, refusal } => {
                assert!(!is_read, "{refusal}");
                assert_eq!(refusal.reason, Reason::Malformed);
                assert_eq!(id.unwrap().as_str(), "deep");
            }
            other => panic!("{other:?}"),
        }
    }
    server.stop().await;
}

#[tokio::test]
async fn nobody_looks_like_somebody_else_in_the_room() {
    let server = TestServer::start(LIMITS);
    let mut ann = server.greet("Ann").await;
    let room = ann.create(json!(["me", "open"])).await;
    // With a Greek capital, and with another envelope case.
    for name in ["\u{391}nn", "ANN", "Anna"] {
        let mut other = server.greet("Bob").await;
        other.join(&room).await;
        other.ask(json!({"type": "set_name", "name": name})).await;
        other.ask(json!({"type": "sit", "room": room})).await;
        let shown = loop {
            if let Message::Event { event, .. } = ann.receive().await
                && let Event::Sat { player: Player::Member { member, name, .. }, .. } = event.event
            {
                break (member, name);
            }
        };
        let (member, shown) = (shown.0.to_string(), shown.1.to_string());
        let expected = match name {
            "Anna" => name.to_owned(),
            _ => format!("{name} ({})", &member[..4]),
        };
        assert_eq!(shown, expected);
        ann.ask(json!({"type": "resign", "room": room})).await;
        other.ask(json!({"type": "leave", "room": room})).await;
    }
    server.stop().await;
}

#[tokio::test]
async fn who_does_not_read_is_ended_and_holds_up_nobody() {
    let server = TestServer::start(LIMITS);
    let (mut ann, mut bob) = (server.greet("Ann").await, server.greet("Bob").await);
    let room = ann.create(json!(["me", "open"])).await;
    bob.join(&room).await;
    let mut eve = server.greet("Eve").await;
    eve.join(&room).await;
    bob.ask(json!({"type": "sit", "room": room})).await;

    let mut rounds = 0;
    while server.count(r#"sessions_ended_total{code="4001"}"#).await == 0 {
        assert!(rounds < 1_000, "nobody was ended");
        rounds += 1;
        for _ in 0..20 {
            let offer = ann.ask(json!({"type": "offer_draw", "room": room})).await;
            assert!(matches!(offer, Message::Done { .. }), "{offer:?}");
            let answer = bob.ask(json!({"type": "decline_draw", "room": room})).await;
            assert!(matches!(answer, Message::Done { .. }), "{answer:?}");
        }
    }
    assert_eq!(eve.closed().await.0, close::TOO_SLOW);
    server.stop().await;
}

/// Sends so many of these at once.
async fn flood(client: &mut Client, frame: &tungstenite::Message, count: usize) {
    for _ in 0..count {
        client.feed(frame.clone()).await;
    }
}

#[tokio::test]
async fn frames_that_are_no_commands_are_counted_too() {
    // 2 * (10 + 100) frames at once, and then 2 a second.
    let limits = Limits { commands_per_second: 1, commands_burst: 10, ..LIMITS };
    let server = TestServer::start(limits);
    let part = Frame::message(Vec::new(), OpCode::Data(Data::Continue), false);
    let begin = Frame::message(Vec::new(), OpCode::Data(Data::Text), false);
    let cases = [
        tungstenite::Message::Ping(Vec::new().into()),
        tungstenite::Message::Pong(Vec::new().into()),
        tungstenite::Message::Frame(part),
    ];
    for frame in cases {
        let mut client = server.greet("Ann").await;
        if let tungstenite::Message::Frame(_) = frame {
            client.feed(tungstenite::Message::Frame(begin.clone())).await;
            flood(&mut client, &frame, 200).await;
            let end =
                Frame::message(r#"{"type":"ping","id":"end"}"#, OpCode::Data(Data::Continue), true);
            client.send_raw(tungstenite::Message::Frame(end)).await;
            assert!(matches!(client.receive().await, Message::Pong { .. }));
            client.feed(tungstenite::Message::Frame(begin.clone())).await;
        } else {
            flood(&mut client, &frame, 200).await;
            client.ask(json!({"type": "ping"})).await;
        }
        flood(&mut client, &frame, 40).await;
        client.flush().await;
        let (code, reason) = client.closed().await;
        assert_eq!((code, reason.contains("frames")), (close::POLICY, true), "{frame:?}: {reason}");
    }
    server.stop().await;
}
