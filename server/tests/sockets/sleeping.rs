//! Rooms that sleep, and those who wake them.

use std::{
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
    thread,
    time::Duration,
};

use fivefold_server::limits::Limits;
use fivefold_shared::protocol::{CatchUp, Message, Reason, RoomCode};
use fivefold_storage::{
    Append, Appended, Call, Claimed, DataFolder, Hook, Memory, NodeId, Sqlite, Storage,
    StorageError,
};
use futures_util::future::join_all;
use serde_json::{Value, json};
use tokio::time::sleep;

use crate::{
    cluster::two_nodes,
    harness::{Client, LIMITS, TestServer, joined, within},
};

/// Limits with which rooms fall asleep at once.
pub(crate) const SLEEPY: Limits = Limits { room_sleeps_after: Duration::from_millis(20), ..LIMITS };

/// A room with a daily game.
pub(crate) fn daily(visibility: &str) -> Value {
    json!({
        "type": "create", "rules": {"variant": "freestyle"}, "seats": ["me", "open"],
        "colour": "black", "visibility": visibility,
        "time": {"type": "daily", "move_ms": 86_400_000},
    })
}

/// Waits until no room is awake.
pub(crate) async fn all_asleep(server: &TestServer) {
    within(async {
        while server.count("rooms").await > 0 {
            sleep(Duration::from_millis(10)).await;
        }
    })
    .await;
}

/// Somebody with their identity, to come back with.
pub(crate) async fn greet(server: &TestServer, name: &str) -> (Client, Value) {
    let mut client = server.connect().await;
    let hello = json!({"type": "hello", "protocol": 1, "name": name});
    let Message::Welcome { identity: Some(identity), .. } = client.ask(hello).await else {
        panic!("a new identity")
    };
    (client, json!(identity))
}

pub(crate) async fn come_back(server: &TestServer, identity: &Value) -> Client {
    let mut client = server.connect().await;
    client.ask(json!({"type": "hello", "protocol": 1, "identity": identity})).await;
    client
}

/// The codes of one's own rooms, and whether it is one's turn there.
pub(crate) async fn own_rooms(client: &mut Client) -> Vec<(RoomCode, bool)> {
    let Message::OwnRooms { rooms, .. } = client.ask(json!({"type": "own_rooms"})).await else {
        panic!("own rooms")
    };
    rooms.into_iter().map(|own| (own.summary.room, own.your_turn)).collect()
}

async fn public_rooms(client: &mut Client) -> (Vec<RoomCode>, usize) {
    let Message::Rooms { rooms, total, .. } = client.ask(json!({"type": "rooms"})).await else {
        panic!("rooms")
    };
    (rooms.into_iter().map(|room| room.room).collect(), total)
}

#[tokio::test]
async fn a_room_sleeps_and_wakes_with_all_that_was_acknowledged() {
    let folder = tempfile::tempdir().unwrap();
    let open = || Box::new(Sqlite::open(DataFolder::take(folder.path()).unwrap()).unwrap());
    let server = TestServer::start_on(open(), SLEEPY);
    let (mut ann, anns) = greet(&server, "Ann").await;
    let (mut bob, bobs) = greet(&server, "Bob").await;
    let mut create = daily("public");
    create["id"] = json!("made-once");
    let room = joined(ann.ask(create.clone()).await);
    bob.join(&room).await;
    bob.ask(json!({"type": "sit", "room": room})).await;
    let play =
        json!({"id": "played-once", "type": "play", "room": room, "ply": 0, "point": [7, 7]});
    let Message::Done { seq: Some(seq), .. } = ann.ask(play.clone()).await else {
        panic!("a move")
    };
    drop((ann, bob));
    all_asleep(&server).await;

    // Everybody finds it in their lists, and nobody wakes it by that.
    let mut ann = come_back(&server, &anns).await;
    let mut bob = come_back(&server, &bobs).await;
    assert_eq!(own_rooms(&mut ann).await, [(room.clone(), false)]);
    assert_eq!(own_rooms(&mut bob).await, [(room.clone(), true)]);
    assert_eq!(public_rooms(&mut bob).await, (vec![room.clone()], 1));
    assert!(server.get(&format!("/r/{room}")).await.contains("1 move."));
    assert_eq!(server.count("rooms").await, 0);
    // The same command makes no second room.
    assert_eq!(joined(ann.ask(create).await), room);
    assert_eq!(server.count("rooms").await, 1);
    // Nor a second move.
    let Message::Done { seq: Some(again), .. } = ann.ask(play).await else { panic!("a move") };
    assert_eq!(again, seq);
    // Those who come back get exactly what they have missed.
    let join = json!({"type": "join", "room": room, "after": seq - 1});
    match bob.ask(join).await {
        Message::Joined { catch_up: CatchUp::Events(events), .. } => {
            // The move, and that the opponent has to act.
            let missed: Vec<_> = events.iter().map(|event| event.seq).collect();
            assert_eq!(missed, [seq, seq + 1]);
        }
        other => panic!("{other:?}"),
    }
    drop((ann, bob));
    all_asleep(&server).await;
    server.stop().await;

    let server = TestServer::start_on(open(), SLEEPY);
    assert_eq!(server.count("rooms").await, 0, "a start opens no room that sleeps");
    let mut bob = come_back(&server, &bobs).await;
    assert_eq!(own_rooms(&mut bob).await, [(room.clone(), true)]);
    // Nothing was added to its log while it slept.
    match bob.ask(json!({"type": "join", "room": room, "after": seq + 1})).await {
        Message::Joined { catch_up: CatchUp::Events(events), .. } => assert!(events.is_empty()),
        other => panic!("{other:?}"),
    }
    bob.ask(json!({"type": "play", "room": room, "ply": 1, "point": [8, 8]})).await;
    // Nobody knows it any more when it has been closed.
    bob.ask(json!({"type": "resign", "room": room})).await;
    let mut ann = come_back(&server, &anns).await;
    ann.ask(json!({"type": "close", "room": room})).await;
    assert_eq!(ann.refused(json!({"type": "join", "room": room})).await, Reason::NoSuchRoom);
    assert_eq!(public_rooms(&mut ann).await, (vec![], 0));
    server.stop().await;
}

#[tokio::test]
async fn many_wake_one_room_at_once() {
    let server = TestServer::start(SLEEPY);
    for round in 0..8 {
        let (mut ann, _) = greet(&server, "Ann").await;
        let room = joined(ann.ask(daily("private")).await);
        ann.ask(json!({"type": "leave", "room": room})).await;
        if round > 0 {
            all_asleep(&server).await;
        }
        // Without a pause they meet the room while it falls asleep.
        let guests = (0..12).map(|_| async {
            let (mut guest, _) = greet(&server, "Guest").await;
            guest.join(&room).await;
            guest
        });
        let guests = join_all(guests).await;
        assert_eq!(server.count("rooms").await, 1);
        drop(guests);
    }
    server.stop().await;
}

/// The chat of a room's players, as somebody who enters the room gets it.
async fn chat(client: &mut Client, room: &RoomCode) -> Vec<String> {
    client.join(room).await;
    let Message::Chat { players, .. } = client.ask(json!({"type": "chat", "room": room})).await
    else {
        panic!("the chat")
    };
    players.into_iter().map(|line| line.text.as_str().to_owned()).collect()
}

#[tokio::test]
async fn a_room_that_sleeps_keeps_its_chat_until_another_node_wakes_it() {
    let storage = Memory::default();
    let [here, there] = two_nodes(&storage, SLEEPY).await;
    let (mut ann, anns) = greet(&here, "Ann").await;
    let room = joined(ann.ask(daily("private")).await);
    ann.ask(json!({"type": "say", "room": room, "text": "until Sunday"})).await;
    drop(ann);
    all_asleep(&here).await;
    let mut ann = come_back(&here, &anns).await;
    assert_eq!(chat(&mut ann, &room).await, ["until Sunday"]);
    ann.ask(json!({"type": "say", "room": room, "text": "I am early"})).await;
    drop(ann);
    all_asleep(&here).await;
    let mut ann = come_back(&there, &anns).await;
    assert_eq!(chat(&mut ann, &room).await, [""; 0]);
    drop(ann);
    all_asleep(&there).await;
    // What this node remembers is older than that.
    let mut ann = come_back(&here, &anns).await;
    assert_eq!(chat(&mut ann, &room).await, [""; 0]);
    for node in [here, there] {
        node.stop().await;
    }
}

#[tokio::test]
async fn a_sleeping_room_wakes_on_whichever_node_it_is_needed() {
    let storage = Memory::default();
    let nodes = two_nodes(&storage, SLEEPY).await;
    let (mut ann, anns) = greet(&nodes[0], "Ann").await;
    let (mut bob, bobs) = greet(&nodes[1], "Bob").await;
    let room = joined(ann.ask(daily("public")).await);
    bob.join(&room).await;
    bob.ask(json!({"type": "sit", "room": room})).await;
    for ply in 0..6 {
        let players = [&mut ann, &mut bob];
        let play = json!({"type": "play", "room": room, "ply": ply, "point": [ply, 2 * ply]});
        let answer = players.into_iter().nth(ply % 2).unwrap().ask(play).await;
        assert!(matches!(answer, Message::Done { .. }), "{answer:?}");
        drop((ann, bob));
        for node in &nodes {
            all_asleep(node).await;
        }
        (ann, bob) = (come_back(&nodes[0], &anns).await, come_back(&nodes[1], &bobs).await);
        assert_eq!(own_rooms(&mut ann).await.len(), 1);
        assert_eq!(public_rooms(&mut bob).await, (vec![room.clone()], 1));
        futures_util::join!(ann.join(&room), bob.join(&room));
        let owned = nodes[0].count("rooms").await + nodes[1].count("rooms").await;
        assert_eq!(owned, 1, "one node owns it");
    }
    for node in nodes {
        node.stop().await;
    }
}

/// The answer of a client that sends a command again, from an earlier socket.
#[tokio::test]
async fn a_create_that_is_repeated_while_its_room_falls_asleep_or_wakes_makes_no_second_room() {
    let server = TestServer::start(SLEEPY);
    let (mut ann, _) = greet(&server, "Ann").await;
    let mut create = daily("private");
    for round in 0..40 {
        create["id"] = json!(format!("made-{round}"));
        let room = joined(ann.ask(create.clone()).await);
        ann.ask(json!({"type": "leave", "room": room})).await;
        // About as long as it takes to fall asleep.
        sleep(Duration::from_micros(15_000 + 250 * round)).await;
        assert_eq!(joined(ann.ask(create.clone()).await), room, "round {round}");
        let closed = ann.ask(json!({"type": "close", "room": room})).await;
        assert!(matches!(closed, Message::Done { .. }), "{closed:?}");
    }
    server.stop().await;
}

/// Nothing of what sleeps can be read while this says so.
#[derive(Clone, Debug, Default)]
struct Unreadable(Arc<AtomicBool>);

impl Hook for Unreadable {
    fn before(&self, call: Call) -> Result<(), StorageError> {
        if call == Call::Browse && self.0.load(Ordering::Relaxed) {
            return Err(StorageError::Failed("a bad sector".into()));
        }
        Ok(())
    }
}

#[tokio::test]
async fn a_create_that_is_repeated_while_nobody_knows_of_its_room_makes_no_second_one() {
    let unreadable = Unreadable::default();
    let storage = Memory::default().hooked(unreadable.clone());
    let server = TestServer::start_on(Box::new(storage), SLEEPY);
    let (mut ann, anns) = greet(&server, "Ann").await;
    let mut create = daily("private");
    create["id"] = json!("made");
    let room = joined(ann.ask(create.clone()).await);
    ann.ask(json!({"type": "leave", "room": room})).await;
    all_asleep(&server).await;
    unreadable.0.store(true, Ordering::Relaxed);
    ann.send_text(create.to_string()).await;
    assert_eq!(ann.closed().await.0, 1012, "a refused command would come again with another id");
    unreadable.0.store(false, Ordering::Relaxed);
    let mut ann = come_back(&server, &anns).await;
    assert_eq!(joined(ann.ask(create).await), room);
    server.stop().await;
}

/// The log of a room is damaged while it falls asleep, which takes some time.
#[derive(Debug, Default)]
struct DamagedAsleep {
    is_damaged: AtomicBool,
}

impl Hook for DamagedAsleep {
    fn claim(
        &self,
        kept: &mut dyn Storage,
        rooms: &[RoomCode],
        node: NodeId,
    ) -> Result<Vec<Claimed>, StorageError> {
        let claimed = kept.claim(rooms, node)?;
        if self.is_damaged.load(Ordering::Relaxed) {
            return Ok(claimed.iter().map(|_| Claimed::Damaged("it is lost".to_owned())).collect());
        }
        Ok(claimed)
    }

    fn append(
        &self,
        kept: &mut dyn Storage,
        batch: &[Append],
    ) -> Result<Vec<Appended>, StorageError> {
        if batch.iter().any(|append| append.sleeps.is_some()) {
            self.is_damaged.store(true, Ordering::Relaxed);
            thread::sleep(Duration::from_millis(300));
        }
        kept.append(batch)
    }
}

#[tokio::test]
async fn a_room_that_is_damaged_when_it_wakes_again_is_set_aside() {
    let storage = Memory::default().hooked(DamagedAsleep::default());
    let server = TestServer::start_on(Box::new(storage), SLEEPY);
    let (mut ann, _) = greet(&server, "Ann").await;
    let room = joined(ann.ask(daily("private")).await);
    ann.ask(json!({"type": "leave", "room": room})).await;
    sleep(Duration::from_millis(100)).await;
    // Bob comes while it falls asleep, so it wakes again.
    let (mut bob, _) = greet(&server, "Bob").await;
    bob.send_text(json!({"id": "1", "type": "join", "room": room}).to_string()).await;
    all_asleep(&server).await;
    let (mut eve, _) = greet(&server, "Eve").await;
    assert_eq!(eve.refused(json!({"type": "join", "room": room})).await, Reason::RoomDamaged);
    assert_eq!(server.count("rooms_set_aside").await, 1);
    server.stop().await;
}
