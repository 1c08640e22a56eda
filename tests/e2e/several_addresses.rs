//! Tests that clients with several addresses of one server go on at the next one. One server stands
//! for a cluster: each address leads to it through a proxy of its own.

use std::time::{Duration, Instant};

use fivefold_shared::protocol::{RoomCode, RoomRequest};
use fivefold_tests::{Client, Cluster, Guest, Server};

use crate::{FIVE, proxy::Proxy};

/// Starts `fivefold COMMAND... --server ONE,OTHER`.
fn client(servers: [&Proxy; 2], command: &[&str]) -> Client {
    let list = servers.map(Proxy::url).join(",");
    Client::start(command.iter().chain(&["--server", &list]))
}

/// Bob, who sits in the room of this link.
pub(crate) async fn opponent(server: &Server, link: &str) -> (Guest, RoomCode) {
    let (_, code) = link.rsplit_once("/r/").expect("a link");
    let room: RoomCode = code.to_owned().try_into().expect("a code");
    let mut bob = Guest::hello(server, "Bob").await;
    bob.join(&room).await;
    bob.done(&room, RoomRequest::Sit { seat: None }).await;
    (bob, room)
}

fn link(line: &serde_json::Value) -> String {
    line["link"].as_str().expect("a link").to_owned()
}

#[tokio::test(flavor = "multi_thread")]
async fn a_game_goes_on_by_the_other_address_when_one_is_cut_off() {
    let server = Server::start();
    let (one, other) = (Proxy::to(&server).await, Proxy::to(&server).await);
    let play = ["play", "--as", "black", "--name", "Ann", "--json"];
    let mut ann = client([&one, &other], &play);
    let first = link(&ann.event("joined"));
    assert!(first.starts_with(&one.url()), "{first}");
    let (mut bob, room) = opponent(&server, &first).await;

    for (ply, (x, y)) in FIVE.into_iter().enumerate() {
        if ply == 3 {
            // Bob's move comes while Ann is away.
            one.close();
            ann.event("lost");
        }
        if ply % 2 == 1 {
            bob.play(&room, (x, y)).await;
            continue;
        }
        while ann.json()["your_turn"] != true {}
        if ply == 4 {
            // She got Bob's move before she was back.
            let back = link(&ann.event("back"));
            assert!(back.starts_with(&other.url()), "{back}");
        }
        ann.say(&format!("{x},{y}"));
        bob.until(&room, |seen| seen.position().last_move() == Some((x, y).into())).await;
    }
    assert_eq!(ann.event("ended")["result"], "won");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_server_that_stops_sends_its_clients_to_the_other_address_at_once() {
    let folder = tempfile::tempdir().expect("a folder");
    let server = Server::start_in(folder.path());
    let (one, other) = (Proxy::to(&server).await, Proxy::to_nobody().await);
    let mut ann = client([&one, &other], &["play", "--as", "black", "--json"]);
    let (mut bob, room) = opponent(&server, &link(&ann.event("joined"))).await;
    while ann.json()["your_turn"] != true {}
    ann.say("7,7");
    bob.until(&room, |seen| seen.position().last_move() == Some((7, 7).into())).await;

    server.terminate();
    assert_eq!(ann.event("lost")["retry_ms"], 0);
    one.close();
    let (status, _) = server.wait();
    assert!(status.success());
    let server = Server::start_in(folder.path());
    other.lead_to(&server);
    let back = link(&ann.event("back"));
    assert!(back.starts_with(&other.url()), "{back}");
    let mut bob = bob.lost().moved_to(&server).back().await;
    bob.join(&room).await;
    bob.play(&room, (8, 8)).await;
    while ann.json()["your_turn"] != true {}
}

#[tokio::test(flavor = "multi_thread")]
async fn one_identity_is_used_at_all_addresses_and_replaced_at_all() {
    let server = Server::start();
    let (one, other) = (Proxy::to(&server).await, Proxy::to(&server).await);
    let settings = tempfile::tempdir().expect("a folder");
    let list = format!("{}, {}", one.url(), other.url());
    let run = |arguments: &[&str]| {
        let (status, lines, stderr) = Client::start_in(settings.path(), arguments).finish();
        assert!(status.success(), "{arguments:?}: {stderr}");
        (lines, stderr)
    };
    let who = |said: &str| said.split(['(', ')']).nth(1).map(str::to_owned);

    let (_, said) = run(&["identity", "--server", &one.url(), "--server", &other.url()]);
    let ann = who(&said).expect("an id");
    let room = "play --bot attack --as black --json --server";
    let mut play = Client::start_in(settings.path(), room.split(' ').chain([list.as_str()]));
    let joined = play.event("joined");
    drop(play);

    // The list was kept, so the first address may be gone, even where a link names it.
    one.close();
    let (rooms, _) = run(&["rooms", "--mine"]);
    assert!(rooms.len() == 1 && rooms[0].contains(joined["room"].as_str().unwrap()), "{rooms:?}");
    let watch =
        Client::start_in(settings.path(), ["watch", &link(&joined), "--json"]).event("connected");
    assert_eq!((&watch["you"], &watch["server"]), (&ann.as_str().into(), &other.url().into()));
    run(&["identity", "--replace"]);
    let (_, said) = run(&["identity", "--server", &other.url()]);
    assert_eq!(who(&said), Some(ann.clone()));
    one.open();
    let (_, said) = run(&["identity", "--server", &one.url()]);
    assert_eq!(who(&said), Some(ann));
    let (_, said) = run(&["close", &link(&joined)]);
    assert!(said.contains("is closed"), "{said}");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_game_leaves_a_frozen_node_by_the_same_address() {
    let Some(cluster) = Cluster::start(3, &[]).await else { return };
    let front = Proxy::to(cluster.node(0)).await;
    let play = ["play", "--as", "black", "--name", "Ann", "--json", "--server", &front.url()];
    let mut ann = Client::start(play);
    let first = link(&ann.event("joined"));
    let (mut bob, room) = opponent(cluster.node(1), &first).await;
    while ann.json()["your_turn"] != true {}

    // New sockets lead to another node; Ann's, and her room, stay at the frozen one.
    front.lead_to(cluster.node(2));
    cluster.node(0).freeze();
    let frozen = Instant::now();
    ann.say("7,7");
    bob = bob
        .until_through(&room, |seen| seen.position().ply() == 1, &[cluster.node(1).address()])
        .await;
    bob.play(&room, (8, 8)).await;
    loop {
        let line = ann.json();
        assert!(line["type"] != "lost", "{line} after {:?}", frozen.elapsed());
        if line["type"] == "played" && line["ply"] == 1 {
            break;
        }
    }
    println!("Ann goes on {:?} after her node froze", frozen.elapsed());
    assert!(frozen.elapsed() < Duration::from_secs(15), "{:?}", frozen.elapsed());
}
