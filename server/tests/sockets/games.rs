//! Finished games over HTTP, and rooms that reopen after a restart.

use fivefold_shared::{
    protocol::{CatchUp, Identity, MemberId, Message, Reason, Refusal},
    record::{FinishedGame, GameList},
};
use fivefold_storage::{DataFolder, Memory, Sqlite, Storage};
use serde::de::DeserializeOwned;
use serde_json::{Value, json};

use crate::harness::{Client, LIMITS, TestServer};

/// A new client, with the public id and the secret.
async fn greet(server: &TestServer, name: &str) -> (Client, MemberId, Identity) {
    let mut client = server.connect().await;
    let hello = json!({"type": "hello", "protocol": 1, "name": name});
    match client.ask(hello).await {
        Message::Welcome { you, identity: Some(identity), .. } => (client, you, identity),
        other => panic!("not welcome: {other:?}"),
    }
}

/// A returning client that sends no name.
async fn greet_again(server: &TestServer, name: &str, identity: &Identity) -> Client {
    let mut client = server.connect().await;
    let hello = json!({"type": "hello", "protocol": 1, "identity": identity});
    match client.ask(hello).await {
        Message::Welcome { identity: None, name: known, .. } => assert_eq!(known.as_str(), name),
        other => panic!("not welcome: {other:?}"),
    }
    client
}

pub(crate) async fn get<T: DeserializeOwned>(server: &TestServer, path: &str) -> T {
    let answer = server.get(path).await;
    let (head, body) = answer.split_once("\r\n\r\n").unwrap();
    assert!(head.starts_with("HTTP/1.1 200"), "{path}: {answer}");
    serde_json::from_str(body).unwrap()
}

/// A game of Ann, who plays first, against Bob, in which she puts one stone and gives up.
pub(crate) async fn play(ann: &mut Client, bob: &mut Client, visibility: &str) {
    let create = json!({"type": "create", "rules": {"variant": "standard"}, "colour": "black",
        "visibility": visibility, "seats": ["me", "open"]});
    let Message::Joined { room, .. } = ann.ask(create).await else { panic!("no room") };
    bob.join(&room).await;
    done(bob, json!({"type": "sit", "room": room})).await;
    done(ann, json!({"type": "play", "room": room, "ply": 0, "point": [7, 7]})).await;
    done(ann, json!({"type": "resign", "room": room})).await;
}

pub(crate) async fn done(client: &mut Client, command: Value) {
    let answer = client.ask(command).await;
    assert!(matches!(answer, Message::Done { .. }), "{answer:?}");
}

#[tokio::test]
async fn public_games_are_listed_and_all_are_found_by_id() {
    let memory = Memory::default();
    let server = TestServer::start_on(Box::new(memory.clone()), LIMITS);
    let (mut ann, anns_id, anns_secret) = greet(&server, "Ann").await;
    let (mut bob, bobs_id, _) = greet(&server, "Bob").await;
    assert_eq!(get::<GameList>(&server, "/api/games").await, GameList::default());
    play(&mut ann, &mut bob, "public").await;
    play(&mut ann, &mut bob, "private").await;

    let list: GameList = get(&server, "/api/games").await;
    let [listed] = &list.games[..] else { panic!("one is public: {list:?}") };
    let game: FinishedGame = get(&server, &format!("/api/games/{}", listed.id)).await;
    assert_eq!(game.record.summary, listed.summary);
    assert_eq!(game.record.moves.len(), 1);
    assert_eq!((listed.summary.players.first.name(), listed.summary.plies), ("Ann".into(), 1));

    for (path, expected) in [
        (format!("/api/games?member={anns_id}"), 1),
        (format!("/api/games?member={bobs_id}"), 1),
        ("/api/games?member=0000000000000000".into(), 0),
        ("/api/games?before=1".into(), 0),
    ] {
        assert_eq!(get::<GameList>(&server, &path).await.games.len(), expected, "{path}");
    }
    // The own ones are all listed, to who can say whose they are.
    for (secret, expected) in [(anns_secret.as_str(), 2), (&"0".repeat(64), 0), ("nonsense", 1)] {
        let request = format!(
            "GET /api/games HTTP/1.1\nHost: test\nConnection: close\n\
             Authorization: Bearer {secret}\n\n"
        );
        let answer = server.request(&request).await;
        let (_, body) = answer.split_once("\r\n\r\n").unwrap();
        let list: GameList = serde_json::from_str(body).unwrap();
        assert_eq!(list.games.len(), expected, "{answer}");
    }
    for (path, status, reason) in [
        ("/api/games?member=Ann", 400, Reason::Malformed),
        ("/api/games?before=-1", 400, Reason::Malformed),
        ("/api/games/k7m2qpxw9abcdefg", 404, Reason::NoSuchGame),
        ("/api/games/..", 404, Reason::NoSuchGame),
    ] {
        let answer = server.get(path).await;
        assert!(answer.starts_with(&format!("HTTP/1.1 {status}")), "{path}: {answer}");
        let (_, body) = answer.split_once("\r\n\r\n").unwrap();
        assert_eq!(serde_json::from_str::<Refusal>(body).unwrap().reason, reason, "{answer}");
    }
    server.stop().await;
}

#[tokio::test]
async fn a_game_goes_on_after_a_restart() {
    let folder = tempfile::tempdir().unwrap();
    let open = || {
        let storage = Sqlite::open(DataFolder::take(folder.path()).unwrap()).unwrap();
        Box::new(storage) as Box<dyn Storage>
    };
    let server = TestServer::start_on(open(), LIMITS);
    let (mut ann, _, anns) = greet(&server, "Ann").await;
    let (mut bob, _, bobs) = greet(&server, "Bob").await;
    let room = ann.create(json!(["me", "open"])).await;
    bob.join(&room).await;
    let sat = bob.ask(json!({"type": "sit", "room": room})).await;
    let Message::Done { seq: Some(seq), .. } = sat else { panic!("{sat:?}") };
    let play = json!({"type": "play", "room": room, "ply": 0, "point": [7, 7], "id": "one"});
    done(&mut bob, json!({"type": "set_name", "name": "Bert"})).await;
    let played = ann.ask(play.clone()).await;
    assert!(matches!(played, Message::Done { .. }), "{played:?}");
    server.stop().await;

    let server = TestServer::start_on(open(), LIMITS);
    let mut ann = greet_again(&server, "Ann", &anns).await;
    let mut bob = greet_again(&server, "Bert", &bobs).await;
    ann.join(&room).await;
    // The same command again is answered the same, and not done again.
    assert_eq!(ann.ask(play).await, played);
    let after = json!({"type": "join", "room": room, "after": seq});
    let Message::Joined { catch_up, .. } = bob.ask(after).await else { panic!("not joined") };
    let CatchUp::Events(missed) = catch_up else { panic!("two events are missing") };
    assert_eq!(missed.len(), 2, "Bob's name and Ann's move: {missed:?}");
    let answer = json!({"type": "play", "room": room, "ply": 1, "point": [8, 8]});
    done(&mut bob, answer).await;
    server.stop().await;
}

#[tokio::test]
async fn a_damaged_room_keeps_no_other_closed() {
    let folder = tempfile::tempdir().unwrap();
    let open = || Box::new(Sqlite::open(DataFolder::take(folder.path()).unwrap()).unwrap());
    let server = TestServer::start_on(open(), LIMITS);
    let (mut ann, _, anns) = greet(&server, "Ann").await;
    let whole = ann.create(json!(["me", "open"])).await;
    let damaged = ann.create(json!(["me", "open"])).await;
    drop(ann);
    server.stop().await;
    let database = rusqlite::Connection::open(folder.path().join("fivefold.sqlite3")).unwrap();
    let sql = "UPDATE event SET event = '{}' WHERE room = (SELECT id FROM room WHERE code = ?)";
    assert!(database.execute(sql, (damaged.as_str(),)).unwrap() > 0);
    drop(database);

    let server = TestServer::start_on(open(), LIMITS);
    let mut ann = greet_again(&server, "Ann", &anns).await;
    ann.join(&whole).await;
    assert_eq!(ann.refused(json!({"type": "join", "room": damaged})).await, Reason::RoomDamaged);
    assert_eq!(server.count("rooms_set_aside").await, 1);
    server.stop().await;
}
