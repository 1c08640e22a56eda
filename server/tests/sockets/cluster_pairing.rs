//! People at different nodes of a cluster who find each other.

use std::{
    slice,
    sync::{Arc, atomic::Ordering},
    time::Duration,
};

use fivefold_server::{RunError, config::Config, transport::bus::local::LocalNetwork};
use fivefold_shared::{
    protocol::{Message, Reason, SeekEnd, SeekId, close},
    seat::Seat,
};
use fivefold_storage::{Memory, NodeId};
use serde_json::{Value, json};

use crate::{
    cluster::{nodes, stop_all, until_all_ready},
    harness::{Client, LIMITS, TestServer, config, within},
    pairing::{back, challenge, known, seek, seeking, settings},
    storage::Brittle,
};

/// The same seek each time.
fn mine() -> Value {
    json!({"type": "seek", "id": "mine", "pool": "free"})
}

/// Reads up to the end of the games in the pool `free`, and those who wait there.
async fn until_free_has(client: &mut Client, expected: (usize, usize)) {
    loop {
        let (pools, ..) = client.lobby_changed().await;
        let free = pools.into_iter().find(|(name, ..)| name == "free");
        if free.is_some_and(|(_, waiting, games)| (waiting, games) == expected) {
            return;
        }
    }
}

#[tokio::test]
async fn two_people_at_different_nodes_are_paired_and_play() {
    let nodes = nodes(3);
    let (mut ann, mut bob) = (nodes[1].greet("Ann").await, nodes[2].greet("Bob").await);
    let anns = ann.seek("free").await;
    let bobs = bob.seek("free").await;
    let (found, room, seat) = ann.paired().await;
    assert_eq!(found, Some(anns));
    assert_eq!(bob.paired().await, (Some(bobs), room.clone(), seat.other()));
    for client in [&mut ann, &mut bob] {
        client.join(&room).await;
    }
    let (first, second) =
        if seat == Seat::First { (&mut ann, &mut bob) } else { (&mut bob, &mut ann) };
    for (client, ply) in [(&mut *first, 0), (&mut *second, 1)] {
        let play = json!({"type": "play", "room": room, "ply": ply, "point": [ply, ply]});
        assert!(matches!(client.ask(play).await, Message::Done { .. }));
    }
    // Who plays gets their game at each node.
    let mut counts = Vec::new();
    for node in &nodes {
        counts.push(node.count("paired_total").await);
    }
    assert_eq!(counts.iter().sum::<u64>(), 1, "{counts:?}");
    assert!(matches!(
        first.ask(json!({"type": "resign", "room": room})).await,
        Message::Done { .. }
    ));
    let again = first.seek("gomoku-5-3").await;
    assert!(matches!(
        first.ask(json!({"type": "cancel_seek", "seek": again})).await,
        Message::Done { .. }
    ));
    stop_all(nodes).await;
}

#[tokio::test]
async fn the_next_leader_pairs_those_who_seek_when_a_leader_dies() {
    let (storage, network) = (Memory::default(), LocalNetwork::new(7));
    let brittle = Brittle::default();
    let is_broken = Arc::clone(&brittle.is_broken);
    let start = || {
        let brittle = Box::new(storage.hooked(brittle.clone()));
        let config = config(LIMITS);
        TestServer::start_node_on(brittle, &storage, &network, config)
    };
    // The first one leads.
    let mut nodes = vec![start()];
    until_all_ready(&nodes).await;
    nodes.extend([start(), start()]);
    until_all_ready(&nodes).await;
    let (mut ann, mut bob) = (nodes[1].greet("Ann").await, nodes[2].greet("Bob").await);
    is_broken.store(true, Ordering::SeqCst);
    let bobs = bob.seek("free").await;
    let (anns, waited) = within(async {
        loop {
            match ann.ask(mine()).await {
                Message::Seeking { seek, waited_ms, .. } if waited_ms > 0 => {
                    return (seek, waited_ms);
                }
                _ => {}
            }
        }
    })
    .await;
    // Nothing reaches the first node, or comes from there.
    let [one, two, three] = [1, 2, 3].map(|number| NodeId::new(number).unwrap());
    for other in [one, two, three] {
        network.cut(one, other);
        network.cut(other, one);
    }
    assert!(matches!(nodes.remove(0).ended().await, Err(RunError::Retired)));
    match ann.ask(mine()).await {
        Message::Seeking { seek, waited_ms, .. } => {
            assert_eq!(seek, anns);
            assert!(waited_ms >= waited, "{waited_ms} ms after {waited} ms");
        }
        other => panic!("not seeking: {other:?}"),
    }
    is_broken.store(false, Ordering::SeqCst);
    let (found, room, seat) = ann.paired().await;
    assert_eq!(found, Some(anns));
    assert_eq!(bob.paired().await, (Some(bobs), room, seat.other()));
    stop_all(nodes).await;
}

/// Asks until the node knows the others, which it does after its first heartbeats.
async fn until_found(client: &mut Client, command: &Value) -> Message {
    within(async {
        loop {
            match client.ask(command.clone()).await {
                Message::Refused { refusal, .. } if refusal.reason == Reason::NobodyOnline => {}
                answer => return answer,
            }
        }
    })
    .await
}

#[tokio::test]
async fn somebody_at_another_node_is_challenged_by_name_or_by_id() {
    let nodes = nodes(3);
    until_all_ready(&nodes).await;
    let mut ann = nodes[1].greet("Ann").await;
    let (mut bob, identity, me) = known(&nodes[2], "Bob").await;
    let seek = seeking(until_found(&mut ann, &challenge("bob")).await);
    assert_eq!(bob.challenged().await.seek, seek);
    let decline = json!({"type": "decline_challenge", "seek": seek});
    assert!(matches!(bob.ask(decline).await, Message::Done { .. }));
    assert_eq!(ann.over().await, (seek, SeekEnd::Declined));

    // A session that begins later, at a third node, gets it when it watches.
    let by_id = json!({"type": "challenge", "member": me, "settings": settings()});
    let seek = seeking(until_found(&mut ann, &by_id).await);
    let mut elsewhere = back(&nodes[0], &identity).await;
    assert!(matches!(elsewhere.ask(json!({"type": "watch_lobby"})).await, Message::Lobby { .. }));
    assert_eq!(elsewhere.challenged().await.seek, seek);
    let accept = json!({"type": "accept_seek", "seek": seek});
    assert!(matches!(elsewhere.ask(accept).await, Message::Done { .. }));
    let (found, room, seat) = elsewhere.paired().await;
    assert_eq!(found.as_ref(), Some(&seek));
    assert_eq!(ann.paired().await, (Some(seek.clone()), room, seat.other()));
    let over = async {
        loop {
            let (ended, why) = bob.over().await;
            if ended == seek {
                return why;
            }
        }
    };
    assert_eq!(within(over).await, SeekEnd::Cancelled);

    // Two of one name, at two nodes.
    let mut eve = nodes[1].greet("Eve").await;
    let _other = nodes[1].greet("BOB").await;
    let answer = within(async {
        loop {
            match eve.ask(challenge("Bob")).await {
                Message::Seeking { seek, .. } => {
                    eve.ask(json!({"type": "cancel_seek", "seek": seek})).await;
                }
                Message::Refused { refusal, .. } => return refusal.reason,
                other => panic!("{other:?}"),
            }
        }
    });
    assert_eq!(answer.await, Reason::SeveralOnline);
    assert_eq!(eve.refused(challenge("Nobody")).await, Reason::NobodyOnline);
    stop_all(nodes).await;
}

#[tokio::test]
async fn the_lobby_is_the_same_at_all_nodes() {
    let nodes = nodes(3);
    let mut watchers = Vec::new();
    for node in &nodes {
        let mut watcher = node.greet("Eve").await;
        let Message::Lobby { pools, .. } = watcher.ask(json!({"type": "watch_lobby"})).await else {
            panic!("no lobby");
        };
        assert_eq!(pools.len(), 7);
        watchers.push(watcher);
    }
    let mut ann = nodes[1].greet("Ann").await;
    ann.seek("free").await;
    for watcher in &mut watchers {
        until_free_has(watcher, (1, 0)).await;
    }
    nodes[2].greet("Bob").await.seek("free").await;
    for watcher in &mut watchers {
        until_free_has(watcher, (0, 1)).await;
    }
    let (_, room, _) = ann.paired().await;
    ann.join(&room).await;
    ann.ask(json!({"type": "resign", "room": room})).await;
    for watcher in &mut watchers {
        until_free_has(watcher, (0, 0)).await;
    }
    stop_all(nodes).await;
}

#[tokio::test]
async fn a_node_that_drains_sends_those_who_seek_to_the_others() {
    let (storage, network) = (Memory::default(), LocalNetwork::new(7));
    let start = |drain| {
        let config = Config { drain, ..config(LIMITS) };
        TestServer::start_node_on(Box::new(storage.clone()), &storage, &network, config)
    };
    // It leads the pairing.
    let leaving = start(Duration::from_secs(3_600));
    until_all_ready(slice::from_ref(&leaving)).await;
    let nodes = vec![start(Duration::ZERO), start(Duration::ZERO)];
    until_all_ready(&nodes).await;
    // It knows the others.
    let mut watcher = leaving.greet("Eve").await;
    for (node, name) in nodes.iter().zip(["Gil", "Sid"]) {
        let _guest = node.greet(name).await;
        let seek = seeking(until_found(&mut watcher, &challenge(name)).await);
        watcher.ask(json!({"type": "cancel_seek", "seek": seek})).await;
    }
    let (mut ann, identity, _) = known(&leaving, "Ann").await;
    let (mut bob, bobs_identity, _) = known(&leaving, "Bob").await;
    let anns = seeking(ann.ask(mine()).await);
    let other = json!({"type": "seek", "id": "mine", "pool": "gomoku-5-3"});
    seeking(bob.ask(other).await);
    watcher.ask(json!({"type": "watch_lobby"})).await;
    leaving.begin_stop();
    for client in [&mut ann, &mut bob] {
        assert_eq!(client.closed().await.0, close::RESTART);
    }
    // The next leader knows her seek.
    let mut ann = back(&nodes[0], &identity).await;
    assert_eq!(seeking(ann.ask(mine()).await), anns);
    let mut bob = back(&nodes[1], &bobs_identity).await;
    bob.seek("free").await;
    let (found, room, seat) = ann.paired().await;
    assert_eq!(found, Some(anns));
    let (_, same, other) = bob.paired().await;
    assert_eq!((same, other), (room, seat.other()));
    // Those who do not seek stay until the node stops.
    assert!(matches!(watcher.ask(json!({"type": "ping"})).await, Message::Pong { .. }));
    stop_all(nodes).await;
}

#[tokio::test]
async fn who_lost_the_news_of_their_game_gets_it_at_another_node() {
    let nodes = nodes(3);
    let (mut ann, identity, _) = known(&nodes[1], "Ann").await;
    let anns: SeekId = seeking(ann.ask(mine()).await);
    let mut bob = nodes[2].greet("Bob").await;
    bob.seek("free").await;
    let (_, room, seat) = bob.paired().await;
    drop(ann);
    for node in &nodes {
        let mut ann = back(node, &identity).await;
        assert!(matches!(ann.ask(mine()).await, Message::Done { .. }));
        assert_eq!(ann.paired().await, (None, room.clone(), seat.other()));
        assert!(matches!(ann.ask(seek("caro-5-3")).await, Message::Done { .. }));
        let cancel = json!({"type": "cancel_seek", "seek": anns});
        assert!(matches!(ann.ask(cancel).await, Message::Done { .. }));
    }
    stop_all(nodes).await;
}

#[tokio::test]
async fn nobody_is_in_two_paired_games_of_different_nodes() {
    let nodes = nodes(3);
    let (mut ann, identity, _) = known(&nodes[0], "Ann").await;
    let mut elsewhere = back(&nodes[1], &identity).await;
    let (mut bob, mut eve) = (nodes[1].greet("Bob").await, nodes[2].greet("Eve").await);
    seeking(ann.ask(json!({"type": "seek", "pool": "free"})).await);
    let other = seeking(elsewhere.ask(json!({"type": "seek", "pool": "caro-5-3"})).await);
    bob.seek("free").await;
    let (_, room, seat) = ann.paired().await;
    assert_eq!(elsewhere.over().await, (other, SeekEnd::Cancelled));
    assert_eq!(elsewhere.paired().await, (None, room.clone(), seat));
    eve.seek("caro-5-3").await;
    let accepts = [seek("caro-5-3"), challenge("Eve")];
    for command in accepts {
        assert!(matches!(elsewhere.ask(command).await, Message::Done { .. }));
        assert_eq!(elsewhere.paired().await.1, room);
    }
    stop_all(nodes).await;
}
