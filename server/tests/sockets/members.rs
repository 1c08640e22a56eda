//! What is stored of people: nothing before they take a seat.

use std::path::Path;

use fivefold_server::{
    limits::Limits,
    store::{DataFolder, Sqlite},
};
use fivefold_shared::protocol::{Identity, Message, Reason};
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
    assert_eq!(ann.refused(create).await, Reason::ServerFull);
    assert!(server.count("disk_free_bytes").await > 0);
    assert!(server.count("database_bytes").await > 0);
    server.stop().await;
}
