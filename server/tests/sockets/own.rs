//! One's own rooms: finding them again, and closing them.

use fivefold_server::limits::Limits;
use fivefold_shared::{
    protocol::{Message, OwnRoom, Phase, Reason, RoomCode, Visibility},
    seat::Seat,
};
use fivefold_storage::{DataFolder, Sqlite};
use serde_json::json;

use crate::harness::{Client, LIMITS, TestServer};

async fn own_rooms(client: &mut Client) -> Vec<OwnRoom> {
    match client.ask(json!({"type": "own_rooms"})).await {
        Message::OwnRooms { rooms, .. } => rooms,
        other => panic!("{other:?}"),
    }
}

fn codes(rooms: &[OwnRoom]) -> Vec<&RoomCode> {
    rooms.iter().map(|own| &own.summary.room).collect()
}

#[tokio::test]
async fn own_rooms_are_told_with_those_on_turn_first() {
    let server = TestServer::start(LIMITS);
    let (mut ann, mut bob) = (server.greet("Ann").await, server.greet("Bob").await);
    assert_eq!(own_rooms(&mut ann).await, []);
    // Ann's rooms: one that waits, one in which it is Bob's turn, and one that she only made.
    let waiting = ann.create(json!(["open", "me"])).await;
    let bobs_turn = ann.create(json!(["open", "me"])).await;
    let made = ann.create(json!(["open", "open"])).await;
    bob.join(&bobs_turn).await;
    bob.ask(json!({"type": "sit", "room": bobs_turn})).await;
    // And Bob's, in which it is Ann's turn.
    let anns_turn = bob.create(json!(["open", "me"])).await;
    ann.join(&anns_turn).await;
    ann.ask(json!({"type": "sit", "room": anns_turn})).await;

    let rooms = own_rooms(&mut ann).await;
    assert_eq!(codes(&rooms), [&anns_turn, &bobs_turn, &made, &waiting]);
    let of = |own: &OwnRoom| (own.summary.phase, own.seat, own.your_turn, own.host);
    assert_eq!(of(&rooms[0]), (Phase::Running, Some(Seat::First), true, false));
    assert_eq!(of(&rooms[1]), (Phase::Running, Some(Seat::Second), false, true));
    assert_eq!(of(&rooms[2]), (Phase::Waiting, None, false, true));
    assert_eq!(of(&rooms[3]), (Phase::Waiting, Some(Seat::Second), false, true));
    assert!(rooms.iter().all(|own| own.visibility == Visibility::Public));

    // Finished games come last. Rooms that a member only watches are not listed.
    ann.ask(json!({"type": "resign", "room": anns_turn})).await;
    bob.join(&waiting).await;
    assert_eq!(codes(&own_rooms(&mut ann).await), [&bobs_turn, &made, &waiting, &anns_turn]);
    assert_eq!(codes(&own_rooms(&mut bob).await), [&bobs_turn, &anns_turn]);
    // Who leaves a seat in somebody else's room has no place there any more.
    ann.ask(json!({"type": "leave", "room": anns_turn})).await;
    assert_eq!(codes(&own_rooms(&mut ann).await), [&bobs_turn, &made, &waiting]);
    server.stop().await;
}

#[tokio::test]
async fn the_host_closes_a_room_and_everybody_is_told() {
    let server = TestServer::start(Limits { rooms_per_identity_max: 1, ..LIMITS });
    let (mut ann, mut bob, room) = server.two_play().await;
    let close = json!({"type": "close", "room": room});
    assert_eq!(bob.refused(close.clone()).await, Reason::HostOnly);
    assert_eq!(ann.refused(close.clone()).await, Reason::GameRunning);
    ann.ask(json!({"type": "resign", "room": room})).await;
    // From outside, too: a page that lists one's rooms need not enter them.
    ann.ask(json!({"type": "leave", "room": room})).await;
    let done = ann.ask(close.clone()).await;
    assert!(matches!(done, Message::Done { .. }), "{done:?}");
    let text = loop {
        if let Message::Closed { room: closed, text, .. } = bob.receive().await {
            assert_eq!(closed, room);
            break text;
        }
    };
    assert_eq!(text, "The host has closed this room.");
    // Its place is free at once.
    assert_eq!(ann.refused(close).await, Reason::NoSuchRoom);
    assert_eq!(own_rooms(&mut bob).await, []);
    ann.create(json!(["me", "open"])).await;
    server.stop().await;
}

#[tokio::test]
async fn own_rooms_are_found_again_after_a_restart() {
    let folder = tempfile::tempdir().unwrap();
    let open = || Box::new(Sqlite::open(DataFolder::take(folder.path()).unwrap()).unwrap());
    let server = TestServer::start_on(open(), LIMITS);
    let mut ann = server.connect().await;
    let hello = json!({"type": "hello", "protocol": 1, "name": "Ann"});
    let Message::Welcome { identity: Some(identity), .. } = ann.ask(hello).await else {
        panic!("a new identity")
    };
    let room = ann.create(json!(["me", {"bot": {"kind": "attack"}}])).await;
    let finished = ann.create(json!(["me", "open"])).await;
    let mut bob = server.greet("Bob").await;
    bob.join(&finished).await;
    bob.ask(json!({"type": "sit", "room": finished})).await;
    ann.ask(json!({"type": "play", "room": finished, "ply": 0, "point": [7, 7]})).await;
    bob.ask(json!({"type": "resign", "room": finished})).await;
    bob.ask(json!({"type": "leave", "room": finished})).await;
    let before = own_rooms(&mut ann).await;
    server.stop().await;

    let server = TestServer::start_on(open(), LIMITS);
    let mut ann = server.connect().await;
    ann.ask(json!({"type": "hello", "protocol": 1, "identity": identity})).await;
    let rooms = own_rooms(&mut ann).await;
    assert_eq!(codes(&rooms), [&room, &finished]);
    assert!(rooms[0].your_turn && rooms[0].host);
    // Bob has left, and is still named.
    let players = rooms[1].summary.players.as_deref();
    let names = players.map(|players| format!("{:?}", players.second).contains("Bob"));
    assert_eq!(names, Some(true), "{players:?}");
    assert_eq!(players, before[1].summary.players.as_deref());
    server.stop().await;
}
