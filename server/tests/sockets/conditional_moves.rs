//! Conditional moves: the server plays them for their owner, who alone sees them.

use std::time::Duration;

use fivefold_server::limits::accounts::{ACCOUNT_BODY_MAX, CONDITIONAL_MOVES_BODY_MAX};
use fivefold_shared::{
    conditional_moves::{CONDITIONAL_MOVES_MAX, CONDITIONAL_MOVES_WRITTEN_MAX},
    protocol::{CatchUp, Event, Message, RoomCode},
    rules::Point,
};
use fivefold_storage::{DataFolder, Memory, Sqlite, Storage};
use serde_json::{Value, json};
use tokio::time::sleep;

use crate::{
    accounts::{Answer, ask, socket},
    cluster::two_nodes,
    friends::{Person, person},
    harness::{Client, LIMITS, TestServer, joined, within},
    moderation::get,
    sleeping::{SLEEPY, all_asleep, daily},
};

fn path(room: &RoomCode) -> String {
    format!("/api/conditional-moves/{room}")
}

async fn plan(
    server: &TestServer,
    who: &Person,
    room: &RoomCode,
    ply: usize,
    lines: &Value,
) -> Answer {
    let body = json!({"ply": ply, "lines": lines});
    ask(server, &format!("PUT {}", path(room)), &who.head, &body).await
}

/// What somebody has planned: the lines, and the ply of their first moves.
async fn planned(server: &TestServer, who: &Person, room: &RoomCode) -> (Value, Value) {
    let answer = get(server, &path(room), &who.cookie).await;
    assert_eq!(answer.status, 200, "{}", answer.body);
    (answer.body["ply"].clone(), answer.body["lines"].clone())
}

/// A daily game of two people, at two servers or twice the same one. Both are in the room; the first one has made the
/// first move.
async fn begun(servers: [&TestServer; 2]) -> ([Person; 2], [Client; 2], RoomCode) {
    let people = [person(servers[0], "Ann").await, person(servers[1], "Bori").await];
    let mut anns = socket(servers[0], &people[0].cookie).await;
    let mut boris = socket(servers[1], &people[1].cookie).await;
    let room = joined(anns.ask(daily("private")).await);
    boris.join(&room).await;
    boris.ask(json!({"type": "sit", "room": room})).await;
    play(&mut anns, &room, 0, [7, 7]).await;
    (people, [anns, boris], room)
}

async fn play(player: &mut Client, room: &RoomCode, ply: usize, point: [i32; 2]) {
    let play = json!({"type": "play", "room": room, "ply": ply, "point": point});
    let done = player.ask(play).await;
    assert!(matches!(done, Message::Done { .. }), "{done:?}");
}

/// All stones in a room, as somebody sees it who enters.
async fn stones(server: &TestServer, who: &Person, room: &RoomCode) -> Vec<Point> {
    let mut client = socket(server, &who.cookie).await;
    let answer = client.ask(json!({"type": "join", "room": room})).await;
    let Message::Joined { catch_up: CatchUp::Snapshot(snapshot), .. } = answer else {
        panic!("{answer:?}")
    };
    snapshot.game.unwrap().moves
}

/// The next stone that somebody in a room sees, and its time.
async fn next_stone(client: &mut Client) -> (Point, u64) {
    loop {
        if let Message::Event { event, .. } = client.receive().await
            && let Event::Played { point, .. } = event.event
        {
            return (point, event.at);
        }
    }
}

/// Waits until the owners of all rooms know what their players have planned.
async fn until_told(storage: &Memory) {
    within(async {
        while !storage.reader().unwrap().daily_news(9).unwrap().is_empty() {
            sleep(Duration::from_millis(10)).await;
        }
    })
    .await;
}

#[tokio::test]
async fn a_reply_follows_whether_the_room_is_awake_or_asleep_at_any_node() {
    for is_asleep in [false, true] {
        let storage = Memory::default();
        let nodes = two_nodes(&storage, SLEEPY).await;
        let ([ann, bori], [mut anns, mut boris], room) = begun([&nodes[0], &nodes[1]]).await;
        if is_asleep {
            for client in [&mut anns, &mut boris] {
                client.ask(json!({"type": "leave", "room": room})).await;
            }
            for node in &nodes {
                all_asleep(node).await;
            }
        }
        // At the node that does not own the room.
        let lines = json!([[[8, 8], [9, 9], [10, 10], [11, 11]], [[0, 0], [1, 1]]]);
        let set = plan(&nodes[1], &ann, &room, 1, &lines).await;
        assert_eq!((set.status, &set.body["lines"]), (200, &lines), "{}", set.body);
        until_told(&storage).await;
        if is_asleep {
            all_asleep(&nodes[0]).await;
            boris.join(&room).await;
            anns.join(&room).await;
        }
        play(&mut boris, &room, 1, [8, 8]).await;
        let seen = [next_stone(&mut anns).await, next_stone(&mut anns).await];
        assert_eq!(seen.map(|(point, _)| point), [Point::new(8, 8), Point::new(9, 9)]);
        // In the same commit, and it takes no time.
        assert_eq!(seen[0].1, seen[1].1);
        let left = json!([[[10, 10], [11, 11]]]);
        assert_eq!(planned(&nodes[0], &ann, &room).await, (json!(3), left));
        play(&mut boris, &room, 3, [0, 0]).await;
        assert_eq!(next_stone(&mut anns).await.0, Point::new(0, 0));
        assert_eq!(planned(&nodes[0], &ann, &room).await, (json!(4), json!([])));
        assert_eq!(stones(&nodes[1], &bori, &room).await.len(), 4);
        for node in nodes {
            node.stop().await;
        }
    }
}

#[tokio::test]
async fn only_their_owner_sees_them_and_a_restart_keeps_them() {
    let folder = tempfile::tempdir().unwrap();
    let open = || Box::new(Sqlite::open(DataFolder::take(folder.path()).unwrap()).unwrap());
    let server = TestServer::start_on(open(), LIMITS);
    let ([ann, bori], [anns, mut boris], room) = begun([&server; 2]).await;
    let lines = json!([[[8, 8], [9, 9]]]);
    assert_eq!(plan(&server, &ann, &room, 1, &lines).await.status, 200);
    assert_eq!(planned(&server, &bori, &room).await, (json!(1), json!([])));
    let eve = person(&server, "Eve").await;
    get(&server, &path(&room), &eve.cookie).await.assert(403, "not_seated");
    let answer = boris.ask(json!({"type": "join", "room": room})).await;
    assert!(!format!("{answer:?}").contains("x: 9"), "{answer:?}");
    let export = get(&server, "/api/account/export", &ann.cookie).await.body;
    assert_eq!(export["conditional_moves"][0]["lines"], lines);
    let export = get(&server, "/api/account/export", &bori.cookie).await.body;
    assert_eq!(export["conditional_moves"], json!([]));
    drop((anns, boris));
    server.stop().await;

    let server = TestServer::start_on(open(), LIMITS);
    let mut boris = socket(&server, &bori.cookie).await;
    boris.join(&room).await;
    play(&mut boris, &room, 1, [8, 8]).await;
    assert_eq!(stones(&server, &bori, &room).await.len(), 3);
    server.stop().await;
}

#[tokio::test]
async fn what_cannot_be_planned_is_refused_and_changes_nothing() {
    let server = TestServer::start(LIMITS);
    let ([ann, bori], [mut anns, mut boris], room) = begun([&server; 2]).await;
    for what in ["GET", "PUT"] {
        let body = if what == "PUT" { json!({"ply": 1, "lines": []}) } else { Value::Null };
        ask(&server, &format!("{what} {}", path(&room)), &[], &body)
            .await
            .assert(401, "signed_out");
    }
    let lines = json!([[[8, 8], [9, 9]]]);
    assert_eq!(plan(&server, &ann, &room, 1, &lines).await.status, 200);
    for (ply, lines, status, reason) in [
        (0, json!([[[8, 8], [9, 9]]]), 409, "stale_ply"),
        (1, json!([[[8, 8]]]), 400, "malformed"),
        (1, json!([[[8, 8], [9, 9]], [[8, 8], [9, 8]]]), 400, "malformed"),
        (1, json!([[[7, 7], [9, 9]]]), 400, "occupied"),
        (1, json!([[[8, 8], [15, 9]]]), 400, "outside"),
        (1, json!([["h8", "i9"]]), 422, "malformed"),
    ] {
        plan(&server, &ann, &room, ply, &lines).await.assert(status, reason);
    }
    plan(&server, &bori, &room, 1, &lines).await.assert(409, "your_turn");
    let no_room = "k7m2qpxw9abc".to_owned().try_into().unwrap();
    plan(&server, &ann, &no_room, 1, &lines).await.assert(403, "not_seated");

    // At the limit, and one past it.
    let most = CONDITIONAL_MOVES_MAX / 2;
    let free = (0..225).map(|place| [place % 15, place / 15]).filter(|&at| at != [7, 7]);
    let mut pairs: Vec<_> = free.map(|at| [at, [7, 8]]).filter(|[one, two]| one != two).collect();
    pairs.truncate(most + 1);
    plan(&server, &ann, &room, 1, &json!(pairs)).await.assert(400, "malformed");
    assert_eq!(planned(&server, &ann, &room).await.1, lines, "they stay as they were");
    pairs.pop();
    assert_eq!(plan(&server, &ann, &room, 1, &json!(pairs)).await.status, 200);
    // Nothing is planned any more.
    assert_eq!(plan(&server, &ann, &room, 1, &json!([])).await.status, 200);
    play(&mut boris, &room, 1, [0, 0]).await;
    assert_eq!(stones(&server, &ann, &room).await.len(), 2);

    anns.ask(json!({"type": "resign", "room": room})).await;
    plan(&server, &bori, &room, 2, &lines).await.assert(403, "not_seated");
    let create = json!({"type": "create", "rules": {"variant": "freestyle"},
        "seats": ["me", "open"], "colour": "black", "visibility": "private"});
    let live = joined(anns.ask(create).await);
    boris.join(&live).await;
    boris.ask(json!({"type": "sit", "room": live})).await;
    play(&mut anns, &live, 0, [7, 7]).await;
    plan(&server, &ann, &live, 1, &lines).await.assert(403, "not_seated");
    server.stop().await;
}

/// Each line repeats the moves that it shares with others, so a large plan is longer than other requests.
#[tokio::test]
async fn a_whole_tree_fits_into_a_request() {
    let server = TestServer::start(LIMITS);
    let ([ann, _bori], _clients, room) = begun([&server; 2]).await;
    // 18 moves that all lines share, and then a reply to each of many moves.
    let trunk = (0..18).map(|place| [place % 15, place / 15]);
    let branches = (30..225).map(|place| [place % 15, place / 15]);
    let branches = branches.filter(|&at| at != [7, 7] && at != [14, 14]);
    let most = (CONDITIONAL_MOVES_MAX - trunk.len()) / 2;
    let line = |at| trunk.clone().chain([at, [14, 14]]).collect::<Vec<[i32; 2]>>();
    let lines = json!(branches.take(most).map(line).collect::<Vec<_>>());
    assert!(lines.to_string().len() > ACCOUNT_BODY_MAX);
    assert_eq!(plan(&server, &ann, &room, 1, &lines).await.status, 200);
    assert_eq!(planned(&server, &ann, &room).await.1, lines);

    // At the limit of moves in lines written in full, and one line past it.
    let pair = json!([[8, 8], [9, 9]]);
    let mut lines = vec![pair.clone(); CONDITIONAL_MOVES_WRITTEN_MAX / 2];
    assert_eq!(plan(&server, &ann, &room, 1, &json!(lines)).await.status, 200);
    lines.push(pair);
    plan(&server, &ann, &room, 1, &json!(lines)).await.assert(400, "malformed");

    // The same for the body.
    let padded = |length: usize| {
        let mut body = json!({"ply": 1, "lines": [], "padding": ""});
        body["padding"] = json!("x".repeat(length - body.to_string().len()));
        body
    };
    let put = format!("PUT {}", path(&room));
    let fits = ask(&server, &put, &ann.head, &padded(CONDITIONAL_MOVES_BODY_MAX)).await;
    assert_eq!(fits.status, 200);
    let long = ask(&server, &put, &ann.head, &padded(CONDITIONAL_MOVES_BODY_MAX + 1)).await;
    long.assert(413, "too_long");
    server.stop().await;
}
