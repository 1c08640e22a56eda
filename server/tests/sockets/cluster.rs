//! Three nodes of a cluster: members of one room on different ones, and a node that ends.

use std::{
    collections::HashMap,
    sync::{Arc, Condvar, Mutex},
    time::Duration,
};

use fivefold_server::{
    RunError,
    config::Config,
    limits::{Limits, READS_PER_ADDRESS_MAX},
    process::clock::Clock,
    transport::bus::local::LocalNetwork,
};
use fivefold_shared::{
    protocol::{
        AnalysisEnd, CatchUp, Event, Identity, Message, OwnRoom, Reason, RoomCode, RoomSummary,
        close,
    },
    room::RoomLimits,
};
use fivefold_storage::{
    Claimed, Hook, Memory, NodeId, NodeReport, Pulse, Registry, Storage, StorageError,
};
use futures_util::future::join_all;
use serde_json::{Value, json};
use tokio::{task::yield_now, time::sleep};

use crate::{
    harness::{Client, LIMITS, TestServer, joined, within},
    pairing::seek,
};

/// So many nodes on one storage.
pub(crate) fn nodes(count: usize) -> Vec<TestServer> {
    nodes_on(&Memory::default(), count)
}

/// So many nodes on this storage.
pub(crate) fn nodes_on(storage: &Memory, count: usize) -> Vec<TestServer> {
    let network = LocalNetwork::new(7);
    (0..count).map(|_| TestServer::start_node(storage, &network, LIMITS)).collect()
}

/// Two nodes on this storage, when both are ready.
pub(crate) async fn two_nodes(storage: &Memory, limits: Limits) -> [TestServer; 2] {
    let network = LocalNetwork::new(7);
    let nodes = [(), ()].map(|()| TestServer::start_node(storage, &network, limits));
    until_all_ready(&nodes).await;
    nodes
}

pub(crate) async fn stop_all(nodes: Vec<TestServer>) {
    for node in nodes {
        node.stop().await;
    }
}

/// A room of Ann's, on the first node, with help from bots; Bob, on the second, sits down.
async fn seated(nodes: &[TestServer]) -> (Client, Client, RoomCode) {
    let mut ann = nodes[0].greet("Ann").await;
    let create = json!({
        "type": "create", "rules": {"variant": "freestyle"}, "seats": ["me", "open"],
        "colour": "black", "visibility": "public", "assistance": true,
    });
    let room = joined(ann.ask(create).await);
    let mut bob = nodes[1].greet("Bob").await;
    bob.join(&room).await;
    done(bob.ask(json!({"type": "sit", "room": room})).await);
    (ann, bob, room)
}

/// The number of the last event that a command caused.
fn done(answer: Message) -> Option<u64> {
    match answer {
        Message::Done { seq, .. } => seq,
        other => panic!("not done: {other:?}"),
    }
}

fn play(room: &RoomCode, ply: usize) -> Value {
    let point = [3 + ply / 2, 5 + ply % 2];
    json!({"type": "play", "room": room, "ply": ply, "point": point})
}

/// Reads up to the event with this number; every one before it must come, in order.
async fn follow(client: &mut Client, from: u64, to: u64) {
    let mut next = from;
    while next <= to {
        if let Message::Event { event, .. } = client.receive().await {
            assert_eq!(event.seq, next);
            next += 1;
        }
    }
}

/// Reads up to a line of chat.
async fn said(client: &mut Client) -> String {
    loop {
        match client.receive().await {
            Message::PlayerSaid { line, .. } | Message::SpectatorSaid { line, .. } => {
                return line.text.to_string();
            }
            _ => {}
        }
    }
}

#[tokio::test]
async fn a_game_is_played_watched_and_talked_about_from_three_nodes() {
    let nodes = nodes(3);
    let (mut ann, mut bob, room) = seated(&nodes).await;
    let mut eve = nodes[2].greet("Eve").await;
    eve.join(&room).await;
    let mut last = 0;
    for ply in 0..9 {
        let player = if ply % 2 == 0 { &mut ann } else { &mut bob };
        last = done(player.ask(play(&room, ply)).await).unwrap();
    }
    // The last move ends the game.
    follow(&mut eve, 5, last).await;

    done(bob.ask(json!({"type": "say", "room": room, "text": "well played"})).await);
    assert_eq!(said(&mut ann).await, "well played");
    assert_eq!(said(&mut eve).await, "well played");
    done(eve.ask(json!({"type": "say", "room": room, "text": "indeed"})).await);
    assert_eq!(said(&mut ann).await, "indeed");
    match eve.ask(json!({"type": "chat", "room": room})).await {
        Message::Chat { players, spectators: Some(spectators), .. } => {
            assert_eq!((players.len(), spectators.len()), (1, 1));
        }
        other => panic!("{other:?}"),
    }
    stop_all(nodes).await;
}

#[tokio::test]
async fn many_may_come_at_once_to_a_node_that_does_not_know_the_room() {
    let nodes = nodes(2);
    let mut ann = nodes[0].greet("Ann").await;
    let room = ann.create(json!(["me", "open"])).await;
    let mut guests = Vec::new();
    for _ in 0..3 * READS_PER_ADDRESS_MAX {
        guests.push(nodes[1].greet("Eve").await);
    }
    join_all(guests.iter_mut().map(|guest| guest.join(&room))).await;
    stop_all(nodes).await;
}

#[tokio::test]
async fn bots_help_players_on_other_nodes() {
    let nodes = nodes(2);
    let (_ann, mut bob, room) = seated(&nodes).await;
    let weights = bob.ask(json!({"type": "weights", "room": room, "bot": "attack"})).await;
    assert!(matches!(weights, Message::Weights { .. }), "{weights:?}");

    done(bob.ask(json!({"type": "analyse", "id": "look", "room": room})).await);
    while !matches!(bob.receive().await, Message::Analysis { .. }) {}
    done(bob.ask(json!({"type": "stop_analysis", "room": room})).await);
    drop(bob);
    stop_all(nodes).await;
}

#[tokio::test]
async fn a_node_that_ends_hands_its_rooms_over() {
    let nodes = nodes(2);
    let mut nodes = nodes.into_iter();
    let (first, second) = (nodes.next().unwrap(), nodes.next().unwrap());
    let pair = [first, second];
    let (mut ann, mut bob, room) = seated(&pair).await;
    let [first, second] = pair;
    let after = done(ann.ask(play(&room, 0)).await).unwrap();
    done(bob.ask(json!({"type": "analyse", "id": "look", "room": room})).await);

    first.begin_stop();
    assert_eq!(ann.closed().await.0, close::RESTART);
    // Bob keeps the socket, learns that nobody analyses any more, and goes on.
    loop {
        if let Message::AnalysisOver { of, why, .. } = bob.receive().await {
            assert_eq!((of.as_str(), why), ("look", AnalysisEnd::Stopped));
            break;
        }
    }
    let next = done(bob.ask(play(&room, 1)).await).unwrap();
    assert_eq!(next, after + 1);
    first.stop().await;

    // Somebody else finds the room on the node that is left, with everything in it.
    let mut eve = second.greet("Eve").await;
    match eve.ask(json!({"type": "join", "room": room, "after": after})).await {
        Message::Joined { catch_up: CatchUp::Events(events), .. } => {
            assert!(matches!(events[0].event, Event::Played { ply: 1, .. }), "{events:?}");
        }
        other => panic!("{other:?}"),
    }
    second.stop().await;
}

#[tokio::test]
async fn a_command_makes_one_room_on_whatever_node() {
    let nodes = nodes(2);
    let identity = Identity::try_from("0f".repeat(32)).unwrap();
    let mut rooms = Vec::new();
    for node in &nodes {
        let mut ann = node.connect().await;
        let hello = json!({"type": "hello", "protocol": 1, "identity": identity});
        assert!(matches!(ann.ask(hello).await, Message::Welcome { .. }));
        let create = json!({
            "type": "create", "id": "once", "rules": {"variant": "freestyle"},
            "seats": ["me", "open"], "colour": "black", "visibility": "private",
        });
        rooms.push(joined(ann.ask(create).await));
    }
    assert_eq!(rooms[0], rooms[1]);
    stop_all(nodes).await;
}

#[tokio::test]
async fn a_room_is_left_and_closed_from_another_node() {
    let nodes = nodes(2);
    let (mut ann, mut bob, room) = seated(&nodes).await;
    let unknown = json!({"type": "join", "room": "abcdefghjkmn"});
    assert_eq!(bob.refused(unknown).await, Reason::NoSuchRoom);
    done(bob.ask(json!({"type": "leave", "room": room})).await);
    assert_eq!(bob.refused(play(&room, 0)).await, Reason::NotAMember);
    assert_eq!(bob.refused(json!({"type": "close", "room": room})).await, Reason::HostOnly);
    done(ann.ask(json!({"type": "resign", "room": room})).await);
    done(ann.ask(json!({"type": "close", "room": room})).await);
    assert_eq!(bob.refused(json!({"type": "join", "room": room})).await, Reason::NoSuchRoom);
    stop_all(nodes).await;
}

/// What `/readyz` answers.
async fn is_ready(node: &TestServer) -> bool {
    node.monitor("/readyz").await.starts_with("HTTP/1.1 200")
}

/// Waits until a node is ready, or not.
pub(crate) async fn until_ready(node: &TestServer, expected: bool) {
    within(async { while is_ready(node).await != expected {} }).await;
}

#[tokio::test]
async fn a_node_that_alone_misses_the_bus_is_not_ready_and_ends() {
    let (storage, network) = (Memory::default(), LocalNetwork::new(7));
    let start = || TestServer::start_node(&storage, &network, LIMITS);
    let (first, second) = (start(), start());
    until_ready(&first, true).await;
    until_ready(&second, true).await;
    let one = NodeId::new(1).unwrap();
    network.cut(one, one);
    until_ready(&first, false).await;
    assert!(is_ready(&second).await);
    assert!(matches!(first.ended().await, Err(RunError::Retired)));
    // It joins again, under a new number.
    let again = start();
    until_ready(&again, true).await;
    stop_all(vec![second, again]).await;
}

#[tokio::test]
async fn a_node_that_drains_tells_the_others() {
    let (storage, network) = (Memory::default(), LocalNetwork::new(7));
    let drain = Duration::from_secs(3_600);
    let config = Config { limits: LIMITS, drain, ..Config::default() };
    let node = TestServer::start_node_on(Box::new(storage.clone()), &storage, &network, config);
    until_ready(&node, true).await;
    let mut ann = node.greet("Ann").await;
    let room = ann.create(json!(["me", "open"])).await;
    node.begin_stop();
    assert!(!is_ready(&node).await);

    let mut registry = storage.clone();
    let observer = registry.join().unwrap();
    within(async {
        loop {
            let pulse = registry.heartbeat(observer, NodeReport::default()).unwrap();
            let Pulse::Alive { living, .. } = pulse else { panic!("{pulse:?}") };
            if living.iter().any(|other| other.report.draining) {
                break;
            }
            yield_now().await;
        }
    })
    .await;
    // Its rooms go on until it stops, and it makes no new ones.
    done(ann.ask(json!({"type": "say", "room": room, "text": "hello"})).await);
    ann.send_text(
        json!({"type": "create", "id": "more", "rules": {"variant": "freestyle"},
        "seats": ["me", "open"], "colour": "black", "visibility": "public"})
        .to_string(),
    )
    .await;
    assert_eq!(ann.closed().await.0, close::RESTART);
}

/// The list of rooms, and their total number.
async fn listed(client: &mut Client) -> (Vec<RoomSummary>, usize) {
    match client.ask(json!({"type": "rooms"})).await {
        Message::Rooms { rooms, total, .. } => (rooms, total),
        other => panic!("{other:?}"),
    }
}

/// Waits until each node sees the bus, and the others.
pub(crate) async fn until_all_ready(nodes: &[TestServer]) {
    for node in nodes {
        until_ready(node, true).await;
    }
}

#[tokio::test]
async fn every_node_lists_the_rooms_of_all() {
    let nodes = nodes(3);
    until_all_ready(&nodes).await;
    let mut clients = Vec::new();
    for node in &nodes {
        clients.push(node.greet("Ann").await);
    }
    let mut made = Vec::new();
    for client in &mut clients {
        made.push(client.create(json!(["me", "open"])).await);
    }
    made.sort();
    for client in &mut clients {
        let (rooms, total) = within(async {
            loop {
                let (rooms, total) = listed(client).await;
                if total == made.len() {
                    return (rooms, total);
                }
            }
        })
        .await;
        assert_eq!(rooms.into_iter().map(|room| room.room).collect::<Vec<_>>(), made);
        assert_eq!(total, 3);
    }
    // The preview of a link knows the game wherever it is, and such links are no guesses.
    for (node, room) in nodes.iter().flat_map(|node| made.iter().map(move |room| (node, room))) {
        let link = format!("/r/{room}");
        within(async { while !node.get(&link).await.contains("A seat is open") {} }).await;
    }
    stop_all(nodes).await;
}

#[tokio::test]
async fn own_rooms_are_found_on_every_node() {
    let nodes = nodes(2);
    until_all_ready(&nodes).await;
    let (mut ann, mut bob, room) = seated(&nodes).await;
    let other = bob.create(json!(["me", "open"])).await;
    ann.join(&other).await;
    done(ann.ask(json!({"type": "sit", "room": other})).await);
    // Ann is on turn in the one that she made, and Bob in the other.
    for (client, first, second) in [(&mut ann, &room, &other), (&mut bob, &other, &room)] {
        let of = |own: &OwnRoom| (own.summary.room.clone(), own.your_turn, own.host);
        let expected = [(first.clone(), true, true), (second.clone(), false, false)];
        within(async {
            loop {
                let answer = client.ask(json!({"type": "own_rooms"})).await;
                let Message::OwnRooms { rooms, .. } = answer else { panic!("{answer:?}") };
                // A node knows another one when it has had a heartbeat since that one joined.
                if rooms.len() == expected.len() {
                    return assert_eq!(rooms.iter().map(of).collect::<Vec<_>>(), expected);
                }
            }
        })
        .await;
    }
    // Ann leaves a finished game on the other node, and this node's list still names her.
    for request in ["resign", "leave"] {
        done(ann.ask(json!({"type": request, "room": other})).await);
    }
    let players = within(async {
        loop {
            let (rooms, _) = listed(&mut ann).await;
            let room = rooms.into_iter().find(|room| room.room == other);
            if let Some(players) = room.and_then(|room| room.players) {
                return players;
            }
        }
    })
    .await;
    assert!(format!("{:?}", players.second).contains("Ann"), "{players:?}");
    stop_all(nodes).await;
}

#[tokio::test]
async fn one_node_begins_the_demo_game_of_all() {
    let (storage, network) = (Memory::default(), LocalNetwork::new(7));
    let config = Config { limits: LIMITS, demo: true, ..Config::default() };
    let start =
        || TestServer::start_node_on(Box::new(storage.clone()), &storage, &network, config.clone());
    // One after the other, so that the first has the lowest number.
    let mut nodes = Vec::new();
    for _ in 0..3 {
        let node = start();
        until_ready(&node, true).await;
        nodes.push(node);
    }
    let mut clients = Vec::new();
    for node in &nodes {
        clients.push(node.greet("Ann").await);
    }
    // All are asked, and the one with the lowest number begins the game.
    for client in &mut clients {
        within(async { while listed(client).await.1 != 1 {} }).await;
    }
    let mut owned = Vec::new();
    for node in &nodes {
        owned.push(node.count("rooms").await);
    }
    assert_eq!(owned, [1, 0, 0]);
    stop_all(nodes).await;
}

/// Makes rooms and closes them again until one is refused, because the node knows what others report.
async fn until_refused(client: &mut Client, create: &Value) -> Reason {
    let tries = async {
        loop {
            match client.ask(create.clone()).await {
                Message::Refused { refusal, .. } => return refusal.reason,
                other => {
                    let room = joined(other);
                    done(client.ask(json!({"type": "close", "room": room})).await);
                    sleep(Duration::from_millis(50)).await;
                }
            }
        }
    };
    within(tries).await
}

#[tokio::test]
async fn what_an_address_has_on_other_nodes_counts() {
    let limits = Limits {
        // Nobody here reads what happens in the bots' games, so not much may happen there.
        room: RoomLimits { bot_pace: Duration::from_secs(600), ..LIMITS.room },
        sessions_per_address_max: 4,
        rooms_per_address_max: 4,
        bot_rooms_per_address_max: 2,
        ..LIMITS
    };
    let nodes = two_nodes(&Memory::default(), limits).await;
    let mut ann = nodes[0].greet("Ann").await;
    let bots = json!([{"bot": {"kind": "attack"}}, {"bot": {"kind": "attack"}}]);
    ann.create(bots.clone()).await;
    ann.create(json!(["me", "open"])).await;
    let bob = nodes[0].greet("Bob").await;

    // Two sessions and two rooms may be added on the second node, and no third ones.
    let (mut eve, mut far) = (nodes[1].greet("Eve").await, nodes[1].greet("Far").await);
    let create = |seats: &Value| {
        json!({"type": "create", "rules": {"variant": "freestyle"}, "seats": seats,
            "colour": "black", "visibility": "public"})
    };
    joined(eve.ask(create(&bots)).await);
    assert_eq!(until_refused(&mut eve, &create(&bots)).await, Reason::TooManyBotRooms);
    joined(far.ask(create(&json!(["me", "open"]))).await);
    let more = create(&json!(["me", "open"]));
    assert_eq!(until_refused(&mut eve, &more).await, Reason::TooManyRoomsFromAddress);
    within(async { while nodes[1].try_connect().await.is_ok() {} }).await;

    // When the first node has fewer, the second may have more.
    drop((ann, bob));
    let again = async {
        loop {
            if let Ok(client) = nodes[1].try_connect().await {
                return client;
            }
        }
    };
    let mut gil = within(again).await;
    gil.hello("Gil").await;
    let [first, second] = nodes;
    first.stop().await;
    within(async { while let Message::Refused { .. } = gil.ask(more.clone()).await {} }).await;
    second.stop().await;
}

#[tokio::test]
async fn the_rooms_of_an_identity_count_on_whatever_node() {
    let limits = Limits { rooms_per_identity_max: 2, ..LIMITS };
    let nodes = two_nodes(&Memory::default(), limits).await;
    let mut clients = ann_everywhere(&nodes).await;
    let create = json!({"type": "create", "rules": {"variant": "freestyle"}, "seats": ["me", "open"],
        "colour": "black", "visibility": "private"});
    let first = joined(clients[0].ask(create.clone()).await);
    let second = joined(clients[1].ask(create.clone()).await);
    // Ann is in both, so a third is refused on both nodes, and the refusal names them.
    for client in &mut clients {
        let Message::Refused { refusal, .. } = client.ask(create.clone()).await else {
            panic!("a third")
        };
        assert_eq!(refusal.reason, Reason::TooManyRooms);
        assert!(refusal.values.rooms.contains(&first) && refusal.values.rooms.contains(&second));
    }
    // Nobody needs the first one any more: it makes place for one on the other node.
    done(clients[0].ask(json!({"type": "leave", "room": first})).await);
    joined(clients[1].ask(create.clone()).await);
    let join = json!({"type": "join", "room": first});
    assert_eq!(clients[0].refused(join).await, Reason::NoSuchRoom);
    assert_eq!(clients[0].refused(create).await, Reason::TooManyRooms);
    stop_all(nodes.into()).await;
}

#[tokio::test]
async fn time_does_not_go_back_when_a_room_goes_to_a_slower_clock() {
    let (storage, network) = (Memory::default(), LocalNetwork::new(7));
    let start = |now| {
        let clock = Clock::starting_at(now);
        let config = Config { limits: LIMITS, clock, ..Config::default() };
        TestServer::start_node_on(Box::new(storage.clone()), &storage, &network, config)
    };
    let hour = 60 * 60 * 1_000;
    let nodes = [start(10 * hour), start(9 * hour)];
    until_all_ready(&nodes).await;
    let (mut ann, mut bob, room) = seated(&nodes).await;
    done(ann.ask(play(&room, 0)).await);
    let [first, second] = nodes;
    first.stop().await;
    done(bob.ask(play(&room, 1)).await);
    let log = storage.clone().read(&room).unwrap();
    let times: Vec<_> = log.iter().map(|entry| entry.event.at).collect();
    assert!(times.is_sorted() && times[0] >= 10 * hour, "{times:?}");
    assert!(log.iter().any(|entry| matches!(entry.event.event, Event::Played { ply: 1, .. })));
    second.stop().await;
}

/// Ann at each node.
async fn ann_everywhere(nodes: &[TestServer; 2]) -> [Client; 2] {
    let connect = async |node: &TestServer| {
        let mut ann = node.connect().await;
        let hello = json!({"type": "hello", "protocol": 1, "identity": "0f".repeat(32)});
        assert!(matches!(ann.ask(hello).await, Message::Welcome { .. }));
        ann
    };
    [connect(&nodes[0]).await, connect(&nodes[1]).await]
}

/// The room in which these two are paired.
async fn paired(one: &mut Client, other: &mut Client) -> RoomCode {
    one.seek("free").await;
    other.seek("free").await;
    let room = one.paired().await.1;
    assert_eq!(other.paired().await.1, room);
    room
}

#[tokio::test]
async fn nobody_is_in_two_paired_games_of_two_nodes() {
    let storage = Memory::default();
    let nodes = two_nodes(&storage, LIMITS).await;
    let [mut ann, mut far] = ann_everywhere(&nodes).await;
    let (mut bob, mut gil) = (nodes[0].greet("Bob").await, nodes[0].greet("Gil").await);
    let mut eve = nodes[1].greet("Eve").await;
    let first = paired(&mut ann, &mut bob).await;
    ann.join(&first).await;
    bob.join(&first).await;
    done(ann.ask(json!({"type": "resign", "room": first})).await);
    let second = paired(&mut far, &mut eve).await;
    far.join(&second).await;

    let rematch = json!({"type": "rematch", "room": first});
    done(bob.ask(rematch.clone()).await);
    assert_eq!(ann.refused(rematch.clone()).await, Reason::GameRunning);
    let starts = |room| {
        let log = storage.clone().read(room).unwrap();
        log.iter().filter(|entry| matches!(entry.event.event, Event::Started { .. })).count()
    };
    assert_eq!(starts(&first), 1);
    // No other room is made for her, and she gets the game that she is in.
    gil.seek("free").await;
    ann.ask(seek("free")).await;
    assert_eq!(ann.paired().await.1, second);
    within(async { while nodes[0].count("rooms").await != 1 {} }).await;

    done(far.ask(json!({"type": "resign", "room": second})).await);
    done(ann.ask(rematch).await);
    assert_eq!(starts(&first), 2);
    // Somebody new, as two who have just played are paired again only after a while.
    let mut sid = nodes[1].greet("Sid").await;
    sid.seek("free").await;
    far.ask(seek("free")).await;
    assert_eq!(far.paired().await.1, first);
    stop_all(nodes.into()).await;
}

#[tokio::test]
async fn a_paired_game_is_known_to_the_next_owner_of_its_room() {
    let nodes = two_nodes(&Memory::default(), LIMITS).await;
    let [mut ann, mut far] = ann_everywhere(&nodes).await;
    let mut bob = nodes[0].greet("Bob").await;
    let room = paired(&mut ann, &mut bob).await;
    let [node, heir] = nodes;
    node.stop().await;
    let wanted = json!({"type": "seek", "id": "mine", "pool": "free"});
    within(async { while let Message::Seeking { .. } = far.ask(wanted.clone()).await {} }).await;
    assert_eq!(far.paired().await.1, room);
    far.join(&room).await;
    done(far.ask(json!({"type": "resign", "room": room})).await);
    far.seek("free").await;
    heir.stop().await;
}

/// Lets claims wait for a permit, and counts them.
#[derive(Debug)]
struct SlowClaims {
    permits: Arc<(Mutex<usize>, Condvar)>,
    claims: Arc<Mutex<HashMap<RoomCode, usize>>>,
}

impl Hook for SlowClaims {
    fn claim(
        &self,
        kept: &mut dyn Storage,
        rooms: &[RoomCode],
        node: NodeId,
    ) -> Result<Vec<Claimed>, StorageError> {
        for room in rooms {
            *self.claims.lock().unwrap().entry(room.clone()).or_default() += 1;
        }
        let (permits, given) = &*self.permits;
        let waiting = given.wait_while(permits.lock().unwrap(), |permits| *permits == 0);
        drop(waiting.unwrap());
        kept.claim(rooms, node)
    }
}

#[tokio::test]
async fn a_room_that_is_entered_while_it_is_swept_is_claimed_once() {
    let (storage, network) = (Memory::default(), LocalNetwork::new(7));
    let first = TestServer::start_node(&storage, &network, LIMITS);
    until_ready(&first, true).await;
    let mut ann = first.greet("Ann").await;
    let room = ann.create(json!(["me", "open"])).await;
    drop(ann);
    first.stop().await;

    let (permits, claims) = (Arc::<(Mutex<usize>, Condvar)>::default(), Arc::default());
    let slow = SlowClaims { permits: Arc::clone(&permits), claims: Arc::clone(&claims) };
    let slow = storage.hooked(slow);
    let config = Config { limits: LIMITS, ..Config::default() };
    let second = TestServer::start_node_on(Box::new(slow), &storage, &network, config);
    let count = || claims.lock().unwrap().get(&room).copied().unwrap_or(0);
    within(async {
        while count() == 0 {
            yield_now().await;
        }
    })
    .await;
    // The sweep claims the room, and Bob enters it.
    let mut bob = second.greet("Bob").await;
    let join = json!({"type": "join", "id": "enter", "room": room});
    bob.send_text(join.to_string()).await;
    // The claim holds up the writer.
    until_ready(&second, false).await;
    *permits.0.lock().unwrap() = 1;
    permits.1.notify_all();
    while !matches!(bob.receive().await, Message::Joined { .. }) {}
    done(bob.ask(json!({"type": "sit", "room": room})).await);
    assert_eq!(count(), 1);
    second.stop().await;
}

#[tokio::test]
async fn moves_in_ones_own_game_are_not_held_up_by_others_at_the_same_address() {
    let limits = Limits { address_commands_per_second: 1, address_commands_burst: 40, ..LIMITS };
    let nodes = two_nodes(&Memory::default(), limits).await;
    let (mut ann, mut bob, room) = seated(&nodes).await;
    let mut eve = nodes[1].greet("Eve").await;
    while let Message::Pong { .. } = eve.ask(json!({"type": "ping"})).await {}
    done(ann.ask(play(&room, 0)).await);
    // The room is on the other node, and Bob sits there.
    done(bob.ask(play(&room, 1)).await);
    assert_eq!(bob.refused(json!({"type": "ping"})).await, Reason::TooFast);
    stop_all(nodes.into()).await;
}
