//! The server stores nothing about people before they take a seat.

use std::path::Path;

use fivefold_server::limits::Limits;
use fivefold_shared::protocol::{Identity, Message, Reason, close};
use fivefold_storage::{DataFolder, Sqlite};
use serde_json::json;

use crate::harness::{Client, LIMITS, TestServer};

fn start_in(folder: &Path, limits: Limits) -> TestServer {
    TestServer::start_on(Box::new(Sqlite::open(DataFolder::take(folder).unwrap()).unwrap()), limits)
}

fn members_in(folder: &Path) -> u64 {
    let database = rusqlite::Connection::open(folder.join("fivefold.sqlite3")).unwrap();
    database.query_row("SELECT count(*) FROM member", (), |row| row.get(0)).unwrap()
}

async fn greet(server: &TestServer, name: &str) -> (Client, Identity) {
    let mut client = server.connect().await;
    let answer = client.ask(json!({"type": "hello", "protocol": 1, "name": name})).await;
    let Message::Welcome { identity: Some(identity), .. } = answer else { panic!("{answer:?}") };
    (client, identity)
}

async fn name_of(server: &TestServer, identity: &Identity) -> String {
    let mut client = server.connect().await;
    let answer = client.ask(json!({"type": "hello", "protocol": 1, "identity": identity})).await;
    let Message::Welcome { name, .. } = answer else { panic!("{answer:?}") };
    name.to_string()
}

#[tokio::test]
async fn greetings_do_not_fill_the_disk() {
    let folder = tempfile::tempdir().unwrap();
    let server = start_in(folder.path(), LIMITS);
    let (mut ann, anns) = greet(&server, "Ann").await;
    let (mut bob, bobs) = greet(&server, "Bob").await;
    let (mut eve, eves) = greet(&server, "Eve").await;
    for name in ["Eva", "Evi"] {
        eve.ask(json!({"type": "set_name", "name": name})).await;
    }
    assert_eq!(members_in(folder.path()), 0);
    let room = ann.create(json!(["me", "open"])).await;
    assert_eq!(members_in(folder.path()), 1);
    eve.join(&room).await;
    bob.join(&room).await;
    assert_eq!(members_in(folder.path()), 1);
    bob.ask(json!({"type": "sit", "room": room})).await;
    assert_eq!(members_in(folder.path()), 2);
    bob.ask(json!({"type": "set_name", "name": "Bobby"})).await;
    // Those who have a seat need not say their names again; others do.
    assert_eq!(name_of(&server, &anns).await, "Ann");
    assert_eq!(name_of(&server, &bobs).await, "Bobby");
    assert!(name_of(&server, &eves).await.starts_with("Guest "));
    assert_eq!(members_in(folder.path()), 2);
    server.stop().await;
}

#[tokio::test]
async fn no_room_is_made_when_the_disk_is_almost_full() {
    let folder = tempfile::tempdir().unwrap();
    let server = start_in(folder.path(), Limits { disk_reserve: u64::MAX, ..LIMITS });
    let mut ann = server.greet("Ann").await;
    let create = json!({
        "type": "create", "rules": {"variant": "freestyle"}, "seats": ["me", "open"],
        "colour": "black", "visibility": "public",
    });
    // The first look at the disk comes before the first connection is taken.
    assert_eq!(ann.refused(create).await, Reason::DiskFull);
    assert!(server.count("disk_free_bytes").await > 0);
    assert!(server.count("database_bytes").await > 0);
    server.stop().await;
}

/// Who is welcomed with an identity.
async fn you(server: &TestServer, identity: &Identity) -> String {
    let mut client = server.connect().await;
    let answer = client.ask(json!({"type": "hello", "protocol": 1, "identity": identity})).await;
    let Message::Welcome { you, .. } = answer else { panic!("{answer:?}") };
    you.to_string()
}

async fn assert_refused(server: &TestServer, identity: &Identity) {
    let mut client = server.connect().await;
    let hello = json!({"type": "hello", "protocol": 1, "identity": identity});
    assert_eq!(client.refused(hello).await, Reason::IdentityReplaced);
    assert_eq!(client.closed().await.0, close::IDENTITY_REPLACED);
    let secret = serde_json::to_string(identity).unwrap();
    let list = format!(
        "GET /api/games HTTP/1.1\nHost: test\nConnection: close\nAuthorization: Bearer {}\n\n",
        secret.trim_matches('"')
    );
    let list = server.request(&list).await;
    assert!(list.starts_with("HTTP/1.1 403"), "{list}");
    assert!(list.contains(r#"{"reason":"identity_replaced","#), "{list}");
}

#[tokio::test]
async fn a_leaked_identity_is_replaced_and_keeps_its_seats() {
    let folder = tempfile::tempdir().unwrap();
    let server = start_in(folder.path(), LIMITS);
    let (mut ann, leaked) = greet(&server, "Ann").await;
    let id = you(&server, &leaked).await;
    let room = ann.create(json!(["me", "open"])).await;
    let (mut bob, _) = greet(&server, "Bob").await;
    bob.join(&room).await;
    bob.ask(json!({"type": "sit", "room": room})).await;
    let mut thief = server.connect().await;
    thief.ask(json!({"type": "hello", "protocol": 1, "identity": leaked})).await;

    let fresh = Identity::try_from("7e".repeat(32)).unwrap();
    let replace = json!({"type": "replace_identity", "identity": fresh});
    for _ in 0..2 {
        // The answer may have been lost: the same again is done already.
        assert!(matches!(ann.ask(replace.clone()).await, Message::Done { .. }));
    }
    assert_eq!(thief.closed().await.0, close::IDENTITY_REPLACED);
    // The session that did it goes on.
    assert!(matches!(ann.ask(json!({"type": "resign", "room": room})).await, Message::Done { .. }));
    assert_refused(&server, &leaked).await;
    assert_eq!(you(&server, &fresh).await, id);
    // Once more, and by the identity that is the current one alone.
    let last = Identity::try_from("8f".repeat(32)).unwrap();
    ann.ask(json!({"type": "replace_identity", "identity": last})).await;
    assert_refused(&server, &leaked).await;
    // What was in between is nobody's, and makes somebody new.
    assert_ne!(you(&server, &fresh).await, id);
    server.stop().await;

    let server = start_in(folder.path(), LIMITS);
    assert_refused(&server, &leaked).await;
    assert_eq!(you(&server, &last).await, id);
    assert_eq!(name_of(&server, &last).await, "Ann");
    let mut back = server.connect().await;
    back.ask(json!({"type": "hello", "protocol": 1, "identity": last})).await;
    let answer = back.ask(json!({"type": "own_rooms"})).await;
    let Message::OwnRooms { rooms, .. } = answer else { panic!("{answer:?}") };
    assert!(rooms.len() == 1 && rooms[0].seat.is_some() && rooms[0].host, "{rooms:?}");
    server.stop().await;
}

#[tokio::test]
async fn only_a_stored_member_has_an_identity_to_replace_and_only_with_an_unused_one() {
    let folder = tempfile::tempdir().unwrap();
    let server = start_in(folder.path(), LIMITS);
    let (mut eve, eves) = greet(&server, "Eve").await;
    let fresh = Identity::try_from("7e".repeat(32)).unwrap();
    let replace = |identity: &Identity| json!({"type": "replace_identity", "identity": identity});
    assert_eq!(eve.refused(replace(&fresh)).await, Reason::NothingToKeep);
    assert_eq!(members_in(folder.path()), 0);
    let (mut ann, anns) = greet(&server, "Ann").await;
    ann.create(json!(["me", "open"])).await;
    eve.create(json!(["me", "open"])).await;
    assert_eq!(eve.refused(replace(&anns)).await, Reason::NothingToKeep);
    assert_eq!(eve.refused(json!({"type": "replace_identity"})).await, Reason::Malformed);
    for (identity, name) in [(&anns, "Ann"), (&eves, "Eve")] {
        assert_eq!(name_of(&server, identity).await, name);
    }
    server.stop().await;
}

#[tokio::test]
async fn nobody_is_called_like_a_bot() {
    let server = TestServer::start(LIMITS);
    let mut client = server.connect().await;
    let hello = |name: &str| json!({"type": "hello", "protocol": 1, "name": name});
    assert_eq!(client.refused(hello("bot engine:10")).await, Reason::NameLooksLikeBot);
    client.hello("Botond").await;
    let rename = json!({"type": "set_name", "name": "B\u{43e}t engine"});
    assert_eq!(client.refused(rename).await, Reason::NameLooksLikeBot);
    server.stop().await;
}
