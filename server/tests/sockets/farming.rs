//! Two who agree cannot collect rating points from each other: which of their games are casual, which count
//! less, and that they learn why. Clients have addresses of their own here, as the server trusts none.

use std::{collections::BTreeSet, net::Ipv4Addr, time::Duration};

use fivefold_server::{config::Config, limits::Limits, transport::bus::local::LocalNetwork};
use fivefold_shared::{
    protocol::{CatchUp, Event, Message, RoomCode, WhyCasual},
    room::{RoomLimits, ShortestGame},
    seat::Seat,
};
use fivefold_storage::Memory;
use serde_json::{Value, json};
use tokio::time::sleep;

use crate::{
    accounts::{Answer, ask, hello, sign_up, socket, typed},
    cluster::until_all_ready,
    harness::{Client, LIMITS, TestServer, config, within},
    pairing::seeking,
    ratings::{act, play, settings},
};

/// Fewest stones after which a rematch is rated.
const STONES_MIN: usize = RoomLimits::DEFAULT.rematch_after.stones;

/// How a game begins: whether it is rated, why not, and what it counts.
type Start = (bool, Option<WhyCasual>, Option<u32>);

const RATED: Start = (true, None, None);
const ONE_PLACE: Start = (false, Some(WhyCasual::OnePlace), None);
const SHORT: Start = (false, Some(WhyCasual::ShortGame), None);

/// So many stones, in no time.
const REAL: Limits = Limits {
    room: RoomLimits {
        rematch_after: ShortestGame { stones: STONES_MIN, time: Duration::ZERO },
        ..LIMITS.room
    },
    ..LIMITS
};

/// A server where each address counts.
fn start() -> TestServer {
    TestServer::start_with(
        Box::new(Memory::default()),
        Config { limits: REAL, ..Config::default() },
    )
}

const fn home(number: u8) -> Ipv4Addr {
    Ipv4Addr::new(127, 4, number, 1)
}

/// A socket of an account at an address.
async fn enter(server: &TestServer, cookie: &str, address: Ipv4Addr) -> Client {
    let mut client = server.connect_from(address, cookie).await;
    let answer = client.ask(hello()).await;
    assert!(matches!(answer, Message::Welcome { account: true, .. }), "{answer:?}");
    client
}

/// Ann and Bob with their cookies, at no address yet.
async fn two(server: &TestServer) -> [String; 2] {
    [sign_up(server, "Ann").await.0, sign_up(server, "Bob").await.0]
}

/// One seeks a rated game, the other accepts, and both join. Returns the seat of `one`.
async fn meet(one: &mut Client, other: &mut Client) -> (RoomCode, Seat, Start) {
    let seek = seeking(one.ask(json!({"type": "seek", "settings": settings()})).await);
    act(other, json!({"type": "accept_seek", "seek": seek})).await;
    let (_, room, seat) = one.paired().await;
    other.paired().await;
    let start = look(one, &room).await;
    other.join(&room).await;
    (room, seat, start)
}

/// Joins a room, and says how its game began.
async fn look(client: &mut Client, room: &RoomCode) -> Start {
    let Message::Joined { catch_up: CatchUp::Snapshot(snapshot), .. } =
        client.ask(json!({"type": "join", "room": room})).await
    else {
        panic!("no snapshot")
    };
    let game = snapshot.game.unwrap();
    (game.rated, game.casual, game.part.map(u32::from))
}

/// Both ask for another game. Returns how it begins.
async fn again(one: &mut Client, other: &mut Client, room: &RoomCode) -> Start {
    for client in [&mut *one, &mut *other] {
        act(client, json!({"type": "rematch", "room": room})).await;
    }
    within(async {
        loop {
            if let Message::Event { event, .. } = one.receive().await
                && let Event::Started { game: 2.., rated, casual, part, .. } = event.event
            {
                return (rated, casual, part.map(u32::from));
            }
        }
    })
    .await
}

/// Plays up to so many stones. Both take turns in being first.
async fn play_stones(first: &mut Client, second: &mut Client, room: &RoomCode, stones: usize) {
    let points = json!([[7, 7], [8, 8], [9, 6]]);
    act(first, json!({"type": "choose", "room": room, "ply": 0, "act": {"put": points}})).await;
    act(second, json!({"type": "choose", "room": room, "ply": 3, "act": {"take": "white"}})).await;
    for ply in 3..stones {
        let client = if ply % 2 == 1 { &mut *second } else { &mut *first };
        let point = [2 * (ply % 7), 14 * (ply / 7)];
        act(client, json!({"type": "play", "room": room, "ply": ply, "point": point})).await;
    }
}

fn ordered<'c>(
    seat: Seat,
    one: &'c mut Client,
    other: &'c mut Client,
) -> (&'c mut Client, &'c mut Client) {
    if seat == Seat::First { (one, other) } else { (other, one) }
}

#[tokio::test]
async fn games_of_accounts_at_one_address_are_casual_and_both_learn_why() {
    let server = start();
    let [ann, bob] = two(&server).await;
    let mut ann = enter(&server, &ann, home(1)).await;
    let mut bob = enter(&server, &bob, home(1)).await;
    let (room, seat, start) = meet(&mut ann, &mut bob).await;
    assert_eq!(start, ONE_PLACE);
    // They play as many stones as they like, and get nothing.
    let (first, second) = ordered(seat, &mut ann, &mut bob);
    play_stones(first, second, &room, STONES_MIN).await;
    act(&mut bob, json!({"type": "resign", "room": room})).await;
    assert_eq!(again(&mut ann, &mut bob, &room).await, ONE_PLACE);
    let profile = server.get("/api/player/Ann").await;
    assert!(profile.contains("200 OK") && !profile.contains("standard/15"), "{profile}");
    server.stop().await;
}

#[tokio::test]
async fn a_network_alone_and_an_address_that_people_share_make_no_game_casual() {
    let server = start();
    let [ann, bob] = two(&server).await;
    let mut ann = enter(&server, &ann, Ipv4Addr::new(127, 4, 9, 1)).await;
    let mut bob = enter(&server, &bob, Ipv4Addr::new(127, 4, 9, 2)).await;
    assert_eq!(meet(&mut ann, &mut bob).await.2, RATED);
    server.stop().await;

    let server = TestServer::start_with(Box::new(Memory::default()), config(REAL));
    let [ann, bob] = two(&server).await;
    let mut ann = enter(&server, &ann, home(1)).await;
    let mut bob = enter(&server, &bob, home(1)).await;
    assert_eq!(meet(&mut ann, &mut bob).await.2, RATED);
    server.stop().await;
}

/// The cookie of the device on which somebody has signed up.
fn device(answer: &Answer) -> String {
    let lines = &mut answer.head.lines();
    let key = lines.find_map(|line| line.strip_prefix("set-cookie: fivefold-device="));
    format!("fivefold-device={}", key.unwrap().split(';').next().unwrap())
}

/// Waits until places of these kinds are noted of an account, as its member reads it.
async fn until_noted(server: &TestServer, cookie: &str, kinds: &[&str]) {
    let own = [format!("Cookie: {cookie}")];
    let noted = async || {
        let export = ask(server, "GET /api/account/export", &own, &Value::Null).await.body;
        let places = export["places"].as_array().unwrap().clone();
        places
            .iter()
            .map(|place| place["kind"].as_str().unwrap().to_owned())
            .collect::<BTreeSet<_>>()
    };
    while noted().await != kinds.iter().map(|kind| (*kind).to_owned()).collect() {
        sleep(Duration::from_millis(10)).await;
    }
}

#[tokio::test]
async fn an_address_that_one_has_left_and_a_device_of_both_are_remembered() {
    let server = start();
    let [ann, bob] = two(&server).await;
    // Bob has been where Ann is, and is somewhere else now.
    drop(enter(&server, &bob, home(1)).await);
    until_noted(&server, &bob, &["address"]).await;
    let mut anns = enter(&server, &ann, home(1)).await;
    let mut bobs = enter(&server, &bob, home(2)).await;
    assert_eq!(meet(&mut anns, &mut bobs).await.2, ONE_PLACE);
    server.stop().await;

    let server = start();
    let ann = ask(&server, "POST /api/account", &[], &typed("Ann")).await;
    let with_device = [format!("Cookie: {}", device(&ann))];
    let bob = ask(&server, "POST /api/account", &with_device, &typed("Bob")).await;
    let on_it = |answer: &Answer| format!("{}; {}", answer.cookie(), device(answer));
    let mut anns = enter(&server, &on_it(&ann), home(1)).await;
    let mut bobs = enter(&server, &on_it(&bob), home(2)).await;
    let (room, _, start) = meet(&mut anns, &mut bobs).await;
    assert_eq!(start, ONE_PLACE);
    act(&mut anns, json!({"type": "abort", "room": room})).await;
    // Ann may read that this is known.
    until_noted(&server, &ann.cookie(), &["address", "device"]).await;
    // On another device, Eve is somebody else.
    let eve = ask(&server, "POST /api/account", &[], &typed("Eve")).await;
    let mut eve = enter(&server, &on_it(&eve), home(3)).await;
    assert_eq!(meet(&mut anns, &mut eve).await.2, RATED);
    server.stop().await;
}

#[tokio::test]
async fn a_rated_game_after_a_short_one_needs_another_opponent_or_more_stones() {
    let server = start();
    let [ann, bob] = two(&server).await;
    let mut ann = enter(&server, &ann, home(1)).await;
    let mut bob = enter(&server, &bob, home(2)).await;
    let (room, seat, start) = meet(&mut ann, &mut bob).await;
    assert_eq!(start, RATED);
    let (first, second) = ordered(seat, &mut ann, &mut bob);
    play(first, second, &room).await;
    second.ratings(true).await;
    assert_eq!(again(&mut ann, &mut bob, &room).await, SHORT);
    act(&mut ann, json!({"type": "resign", "room": room})).await;
    // Another room is no way around it.
    let (other, _, start) = meet(&mut ann, &mut bob).await;
    assert_eq!(start, SHORT);
    act(&mut bob, json!({"type": "abort", "room": other})).await;
    // Another opponent is, and then the game counts a half: it is the second of the day.
    let eve = sign_up(&server, "Eve").await.0;
    let mut eve = enter(&server, &eve, home(3)).await;
    let (room, seat, start) = meet(&mut ann, &mut eve).await;
    assert_eq!(start, RATED);
    let (first, second) = ordered(seat, &mut ann, &mut eve);
    play_stones(first, second, &room, STONES_MIN).await;
    act(&mut eve, json!({"type": "resign", "room": room})).await;
    ann.ratings(true).await;
    assert_eq!(meet(&mut ann, &mut bob).await.2, (true, None, Some(2)));
    server.stop().await;
}

#[tokio::test]
async fn each_game_of_a_pair_on_one_day_counts_less() {
    let server = start();
    let [ann, bob] = two(&server).await;
    let mut ann = enter(&server, &ann, home(1)).await;
    let mut bob = enter(&server, &bob, home(2)).await;
    let (room, seat, _) = meet(&mut ann, &mut bob).await;
    let mut is_ann_first = seat == Seat::First;
    let mut changes = Vec::new();
    for part in 2..5 {
        let (first, second) =
            if is_ann_first { (&mut ann, &mut bob) } else { (&mut bob, &mut ann) };
        play_stones(first, second, &room, STONES_MIN).await;
        act(&mut bob, json!({"type": "resign", "room": room})).await;
        let players = ann.ratings(true).await.players;
        changes.push(players.first.change.max(players.second.change).unwrap());
        assert_eq!(again(&mut ann, &mut bob, &room).await, (true, None, Some(part)));
        is_ann_first = !is_ann_first;
    }
    assert!(changes[1] * 2 < changes[0], "{changes:?}");
    server.stop().await;
}

#[tokio::test]
async fn nodes_know_what_was_played_and_used_at_others() {
    let (storage, network) = (Memory::default(), LocalNetwork::new(7));
    let start = || {
        let config = Config { limits: REAL, ..Config::default() };
        TestServer::start_node_on(Box::new(storage.clone()), &storage, &network, config)
    };
    let nodes = vec![start(), start()];
    until_all_ready(&nodes).await;
    let [ann, bob] = two(&nodes[0]).await;
    let mut anns = enter(&nodes[0], &ann, home(1)).await;
    let mut bobs = enter(&nodes[1], &bob, home(1)).await;
    assert_eq!(meet(&mut anns, &mut bobs).await.2, ONE_PLACE);
    for node in nodes {
        node.stop().await;
    }

    let (storage, network) = (Memory::default(), LocalNetwork::new(8));
    let start = || {
        let config = Config { limits: REAL, ..Config::default() };
        TestServer::start_node_on(Box::new(storage.clone()), &storage, &network, config)
    };
    let nodes = vec![start(), start()];
    until_all_ready(&nodes).await;
    let [ann, bob] = two(&nodes[0]).await;
    let mut anns = enter(&nodes[0], &ann, home(1)).await;
    let mut bobs = enter(&nodes[1], &bob, home(2)).await;
    let (room, seat, start) = meet(&mut anns, &mut bobs).await;
    assert_eq!(start, RATED);
    let (first, second) = ordered(seat, &mut anns, &mut bobs);
    play(first, second, &room).await;
    second.ratings(true).await;
    // Each comes back over the other node.
    drop((anns, bobs));
    let mut anns = enter(&nodes[1], &ann, home(1)).await;
    let mut bobs = enter(&nodes[0], &bob, home(2)).await;
    assert_eq!(meet(&mut anns, &mut bobs).await.2, SHORT);
    for node in nodes {
        node.stop().await;
    }
}

/// Nobody but accounts has such terms.
#[tokio::test]
async fn guests_at_one_address_play_casual_games_without_a_reason() {
    let server = start();
    let ann = sign_up(&server, "Ann").await.0;
    let (mut ann, mut eve) = (socket(&server, &ann).await, server.greet("Eve").await);
    for client in [&mut ann, &mut eve] {
        client.seek("gomoku-5-3").await;
    }
    let (_, room, _) = ann.paired().await;
    assert_eq!(look(&mut ann, &room).await, (false, None, None));
    let nothing: Value = json!({"type": "ping"});
    assert!(matches!(eve.ask(nothing).await, Message::Pong { .. }));
    server.stop().await;
}
