//! Notes about games over HTTP: their writer sees them, and nobody else.

use fivefold_server::limits::accounts::NOTE_LENGTH_MAX;
use serde_json::{Value, json};

use crate::{
    accounts::{Answer, ask, sign_up, with},
    harness::{LIMITS, TestServer},
    moderation::get,
};

const ROOM: &str = "k7m2qpxw9abc";

async fn write(server: &TestServer, cookie: &str, room: &str, text: &str) -> Answer {
    let what = format!("PUT /api/notes/{room}");
    ask(server, &what, &with(cookie), &json!({"text": text})).await
}

async fn read(server: &TestServer, cookie: &str) -> Value {
    let answer = get(server, &format!("/api/notes/{ROOM}"), cookie).await;
    assert_eq!(answer.status, 200, "{}", answer.body);
    answer.body["text"].clone()
}

#[tokio::test(flavor = "multi_thread")]
async fn a_note_is_seen_by_its_writer_alone() {
    let server = TestServer::start(LIMITS);
    let (ann, _) = sign_up(&server, "Ann").await;
    let (bob, _) = sign_up(&server, "Bob").await;
    assert_eq!(read(&server, &ann).await, "");
    assert_eq!(write(&server, &ann, ROOM, "a fork\r\nat j7\0 \n").await.status, 204);
    assert_eq!(read(&server, &ann).await, "a fork\nat j7");
    assert_eq!(read(&server, &bob).await, "");
    assert_eq!(write(&server, &ann, "aaaaaaaaaaaa", "later").await.status, 204);
    let list = get(&server, "/api/notes", &ann).await.body["notes"].clone();
    assert_eq!((&list[0]["text"], &list[1]["room"]), (&json!("later"), &json!(ROOM)));
    let export = get(&server, "/api/account/export", &ann).await.body;
    assert_eq!(export["notes"], list);
    assert_eq!(get(&server, "/api/account/export", &bob).await.body["notes"], json!([]));
    assert_eq!(write(&server, &ann, ROOM, " ").await.status, 204);
    assert_eq!(get(&server, "/api/notes", &ann).await.body["notes"].as_array().unwrap().len(), 1);
    server.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn notes_need_an_account_and_have_limits() {
    let server = TestServer::start(LIMITS);
    let (ann, _) = sign_up(&server, "Ann").await;
    let one = format!("/api/notes/{ROOM}");
    for (what, body) in [
        ("GET /api/notes".to_owned(), Value::Null),
        (format!("GET {one}"), Value::Null),
        (format!("PUT {one}"), json!({"text": "no"})),
    ] {
        ask(&server, &what, &[], &body).await.assert(401, "signed_out");
    }
    let longest = "я".repeat(NOTE_LENGTH_MAX);
    assert_eq!(write(&server, &ann, ROOM, &longest).await.status, 204);
    assert_eq!(read(&server, &ann).await, longest);
    write(&server, &ann, ROOM, &format!("{longest}я")).await.assert(400, "malformed");
    assert_eq!(read(&server, &ann).await, longest, "it stays as it was");
    assert_eq!(write(&server, &ann, "no-code", "text").await.status, 400);
    server.stop().await;
}
