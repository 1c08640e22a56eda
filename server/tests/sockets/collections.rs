//! Collections of games over HTTP: their owner fills them, and shares them or not.

use std::{
    sync::{Arc, Condvar, Mutex},
    time::Duration,
};

use fivefold_server::limits::{
    Limits,
    accounts::{COLLECTED_BATCHES_PER_ADDRESS_MAX, SEARCHED_PLAYER_MAX},
};
use fivefold_shared::{
    collection::{BATCH_BYTES_MAX, BATCH_GAMES_MAX, COLLECTED_TEXT_MAX, COLLECTION_PAGE_GAMES},
    protocol::{COLLECTION_NAME_MAX, Scope},
};
use fivefold_storage::{
    Call, DataFolder, Hook, Memory, Sqlite, StorageError, limits::COLLECTIONS_MAX,
};
use futures_util::future::{join_all, select_all};
use serde_json::{Value, json};
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};

use crate::{
    account_keys::new_token,
    accounts::{Answer, PASSWORD, ask, sign_up, with},
    harness::{LIMITS, TestServer, within},
    moderation::{get, make_operator, post},
};

/// A game; a different one for each number below 14 * 14.
fn game(number: usize, [black, white]: [&str; 2]) -> Value {
    // Nothing turns Black's stones into themselves, so no two games are the same.
    let letter = |x: usize| char::from(b'a' + u8::try_from(x).unwrap());
    let moves = format!("a1 {}{} c1", letter(number % 14), number / 14 + 2);
    json!({"rules": {"variant": "freestyle", "size": [15, 15]}, "black": black, "white": white,
        "event": "World cup", "ending": "draw", "moves": moves})
}

pub(crate) fn games(numbers: std::ops::Range<usize>) -> Vec<Value> {
    numbers.map(|number| game(number, ["Ann", "Bob"])).collect()
}

pub(crate) async fn make(server: &TestServer, cookie: &str, name: &str, shared: bool) -> String {
    let settings = json!({"name": name, "shared": shared});
    let made = post(server, "/api/collections", cookie, &settings).await;
    assert_eq!(made.status, 201, "{}", made.body);
    made.body["id"].as_str().unwrap().to_owned()
}

pub(crate) async fn add(server: &TestServer, cookie: &str, id: &str, games: &[Value]) -> Answer {
    let path = format!("/api/collections/{id}/games");
    post(server, &path, cookie, &json!({"games": games})).await
}

async fn list(server: &TestServer, cookie: &str) -> Vec<Value> {
    let list = get(server, "/api/collections", cookie).await;
    list.body["collections"].as_array().unwrap().clone()
}

async fn delete(server: &TestServer, cookie: &str, path: &str) -> Answer {
    ask(server, &format!("DELETE /api/collections/{path}"), &with(cookie), &Value::Null).await
}

fn numbers(page: &Answer) -> Vec<u64> {
    assert_eq!(page.status, 200, "{}", page.body);
    let games = page.body["games"].as_array().unwrap();
    games.iter().map(|game| game["number"].as_u64().unwrap()).collect()
}

#[tokio::test(flavor = "multi_thread")]
async fn a_collection_is_filled_in_batches_and_read_in_pages() {
    let server = TestServer::start(LIMITS);
    let (ann, _) = sign_up(&server, "Ann").await;
    let id = make(&server, &ann, " World \n cup ", false).await;
    // Each game is checked on its own.
    let batch = [
        game(0, ["Ann", "Bob"]),
        game(0, ["Other", "Names"]),
        json!({"rules": {"variant": "freestyle"}, "moves": "h8 i9 h8"}),
        json!({"rules": {"variant": "freestyle"}, "moves": "m1 o2 o1"}),
        game(1, ["x".repeat(COLLECTED_TEXT_MAX + 1).as_str(), "Bob"]),
        game(1, ["x".repeat(COLLECTED_TEXT_MAX).as_str(), "Bob"]),
    ];
    let answer = add(&server, &ann, &id, &batch).await;
    assert_eq!(
        answer.body,
        json!({"added": 2, "duplicates": [1, 3], "refused": [
            {"index": 2, "text": "move 3, h8: this point has a stone already"},
            {"index": 4, "text": "the name of Black has more than 100 characters"},
        ]})
    );
    let again = add(&server, &ann, &id, &batch[..1]).await;
    assert_eq!(again.body, json!({"added": 0, "duplicates": [0], "refused": []}));
    assert_eq!(add(&server, &ann, &id, &games(2..120)).await.body["added"], 118);
    let own = list(&server, &ann).await;
    assert_eq!(
        (own.len(), &own[0]["name"], &own[0]["games"]),
        (1, &json!("World cup"), &json!(120))
    );

    let path = format!("/api/collections/{id}");
    let first = get(&server, &path, &ann).await;
    let all: Vec<u64> = (1..=COLLECTION_PAGE_GAMES as u64).collect();
    assert_eq!((numbers(&first), &first.body["next"]), (all, &json!(COLLECTION_PAGE_GAMES)));
    let game = &first.body["games"][0];
    assert_eq!((&game["moves"], &game["event"]), (&json!("a1 a2 c1"), &json!("World cup")));
    let last = get(&server, &format!("{path}?after={COLLECTION_PAGE_GAMES}"), &ann).await;
    assert_eq!((numbers(&last).len(), &last.body["next"]), (20, &Value::Null));
    let found = get(&server, &format!("{path}?player=XXX"), &ann).await;
    assert_eq!(numbers(&found), [2]);

    assert_eq!(delete(&server, &ann, &format!("{id}/games/2")).await.status, 204);
    delete(&server, &ann, &format!("{id}/games/2")).await.assert(404, "no_such_game");
    assert!(numbers(&get(&server, &format!("{path}?player=xxx"), &ann).await).is_empty());
    let export = get(&server, "/api/account/export", &ann).await.body;
    assert_eq!(export["collections"], json!(list(&server, &ann).await));
    assert_eq!(export["collections"][0]["games"], 119);
    assert_eq!(delete(&server, &ann, &id).await.status, 204);
    get(&server, &path, &ann).await.assert(404, "no_such_collection");
    assert_eq!(list(&server, &ann).await.len(), 0);
    server.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn others_see_what_is_shared_and_change_nothing() {
    let memory = Memory::default();
    let server = TestServer::start_on(Box::new(memory.clone()), LIMITS);
    let (ann, _) = sign_up(&server, "Ann").await;
    let (bob, _) = sign_up(&server, "Bob").await;
    let id = make(&server, &ann, "Mine", false).await;
    add(&server, &ann, &id, &games(0..1)).await;
    let path = format!("/api/collections/{id}");
    let seen = async |cookie: &str| get(&server, &path, cookie).await;
    let unseen = async |cookie: &str| seen(cookie).await.assert(404, "no_such_collection");
    // As if there were no such collection.
    unseen(&bob).await;
    unseen("none=1").await;
    get(&server, "/api/collections/2222222222222222", &ann).await.assert(404, "no_such_collection");
    let settings = json!({"name": "Ours", "shared": true});
    let put = format!("PUT {path}");
    ask(&server, &put, &with(&bob), &settings).await.assert(404, "no_such_collection");
    assert_eq!(ask(&server, &put, &with(&ann), &settings).await.status, 204);
    for cookie in [bob.as_str(), "none=1"] {
        let page = seen(cookie).await;
        assert_eq!(numbers(&page), [1]);
        let collection = &page.body["collection"];
        assert_eq!((&collection["owner"], &collection["name"]), (&json!("Ann"), &json!("Ours")));
    }
    assert_eq!(seen(&ann).await.body["collection"]["owner"], Value::Null);
    add(&server, &bob, &id, &games(1..2)).await.assert(404, "no_such_collection");
    delete(&server, &bob, &format!("{id}/games/1")).await.assert(404, "no_such_collection");
    delete(&server, &bob, &id).await.assert(404, "no_such_collection");

    // While Ann is muted, only she sees it.
    let (operator, _) = sign_up(&server, "Olga").await;
    make_operator(&memory, &server, &operator).await;
    let account = get(&server, "/api/account", &ann).await.body["account"]["id"].clone();
    let people = format!("/api/moderation/people/{}", account.as_str().unwrap());
    let mute = json!({"kind": "mute", "reason": "A rude name", "days": 3});
    assert_eq!(post(&server, &people, &operator, &mute).await.status, 204);
    unseen(&bob).await;
    assert_eq!(numbers(&seen(&ann).await), [1]);

    // An account that is deleted shares nothing.
    let (cid, _) = sign_up(&server, "Cid").await;
    let id = make(&server, &cid, "Cid's", true).await;
    let path = format!("/api/collections/{id}");
    assert!(numbers(&get(&server, &path, &bob).await).is_empty());
    let delete = json!({"password": PASSWORD});
    assert_eq!(ask(&server, "DELETE /api/account", &with(&cid), &delete).await.status, 204);
    get(&server, &path, &bob).await.assert(404, "no_such_collection");
    server.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn collections_need_an_account_and_tokens_only_read() {
    let server = TestServer::start(LIMITS);
    let (ann, _) = sign_up(&server, "Ann").await;
    let id = make(&server, &ann, "Mine", false).await;
    let path = format!("/api/collections/{id}");
    let settings = json!({"name": "No"});
    let requests = [
        ("GET /api/collections".to_owned(), Value::Null),
        ("POST /api/collections".to_owned(), settings.clone()),
        (format!("PUT {path}"), settings),
        (format!("POST {path}/games"), json!({"games": games(0..1)})),
        (format!("DELETE {path}/games/1"), Value::Null),
        (format!("DELETE {path}"), Value::Null),
    ];
    for (what, body) in &requests {
        ask(&server, what, &[], body).await.assert(401, "signed_out");
    }
    let reads = new_token(&server, &ann, &[Scope::ReadGames]).await;
    let plays = new_token(&server, &ann, &[Scope::Play]).await;
    let bearer = |token: &str| vec![format!("Authorization: Bearer {token}")];
    for what in ["GET /api/collections".to_owned(), format!("GET {path}")] {
        assert_eq!(ask(&server, &what, &bearer(&reads), &Value::Null).await.status, 200);
        ask(&server, &what, &bearer(&plays), &Value::Null).await.assert(403, "token_scope");
    }
    for (what, body) in &requests[1..] {
        ask(&server, what, &bearer(&reads), body).await.assert(403, "token_scope");
    }
    server.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn collections_have_limits() {
    let server = TestServer::start(Limits { collected_games_max: 200, ..LIMITS });
    let (ann, _) = sign_up(&server, "Ann").await;
    let longest = "é".repeat(COLLECTION_NAME_MAX);
    let id = make(&server, &ann, &longest, false).await;
    for name in [format!("{longest}é"), String::new(), "\u{7}".to_owned()] {
        let wrong = json!({"name": name, "shared": false});
        let refused = post(&server, "/api/collections", &ann, &wrong).await;
        assert_eq!((refused.status, &refused.body["reason"]), (422, &json!("malformed")));
    }
    for _ in 1..COLLECTIONS_MAX {
        make(&server, &ann, "Another", false).await;
    }
    let settings = json!({"name": "One too many"});
    let full = post(&server, "/api/collections", &ann, &settings).await;
    full.assert(409, "too_many_collections");
    assert_eq!(full.body["most"], COLLECTIONS_MAX);

    add(&server, &ann, &id, &[]).await.assert(400, "malformed");
    let too_many = vec![game(0, ["Ann", "Bob"]); BATCH_GAMES_MAX + 1];
    add(&server, &ann, &id, &too_many).await.assert(400, "malformed");
    let most = add(&server, &ann, &id, &too_many[1..]).await;
    assert_eq!(most.body["added"], 1);
    let padded = |bytes: usize| {
        let empty =
            json!({"games": [{"rules": {"variant": "freestyle"}, "moves": ""}]}).to_string();
        let moves = " ".repeat(bytes - empty.len());
        json!({"games": [{"rules": {"variant": "freestyle"}, "moves": moves}]})
    };
    let path = format!("/api/collections/{id}/games");
    let longest = post(&server, &path, &ann, &padded(BATCH_BYTES_MAX)).await;
    let text = "the list of moves has more than 8192 bytes";
    assert_eq!(longest.body["refused"], json!([{"index": 0, "text": text}]));
    post(&server, &path, &ann, &padded(BATCH_BYTES_MAX + 1)).await.assert(413, "too_long");

    assert_eq!(add(&server, &ann, &id, &games(1..182)).await.body["added"], 181);
    // With another second stone.
    let more = |numbers: std::ops::Range<usize>| -> Vec<Value> {
        let wide = |number: usize| {
            let rules = json!({"variant": "freestyle", "size": [20, 15]});
            json!({"rules": rules, "moves": format!("a1 {}", ["b2", "c2", "d2", "e2", "f2", "g2", "h2",
                "i2", "j2", "a3", "b3", "c3", "d3", "e3", "f3", "g3", "h3", "i3", "j3"][number])})
        };
        numbers.map(wide).collect()
    };
    assert_eq!(add(&server, &ann, &id, &more(0..17)).await.body["added"], 17);
    // There is room for one of two new games.
    let illegal = json!({"rules": {"variant": "freestyle"}, "moves": "h8 h8"});
    let some = add(&server, &ann, &id, &[more(15..19), vec![illegal]].concat()).await;
    assert_eq!(
        some.body,
        json!({"added": 1, "duplicates": [0, 1], "refused": [
            {"index": 3, "text": "your collections can hold 200 games in all"},
            {"index": 4, "text": "move 2, h8: this point has a stone already"},
        ]})
    );
    assert_eq!(list(&server, &ann).await[0]["games"], 200);
    let full = add(&server, &ann, &id, &more(17..19)).await;
    full.assert(409, "collection_full");
    assert_eq!(full.body["most"], 200);
    assert_eq!(add(&server, &ann, &id, &more(0..18)).await.body["added"], 0);

    let player = |length| format!("/api/collections/{id}?player={}", "x".repeat(length));
    assert!(numbers(&get(&server, &player(SEARCHED_PLAYER_MAX), &ann).await).is_empty());
    get(&server, &player(SEARCHED_PLAYER_MAX + 1), &ann).await.assert(400, "malformed");
    server.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn an_operator_can_turn_collections_off() {
    let memory = Memory::default();
    let server = TestServer::start_on(Box::new(memory.clone()), LIMITS);
    let (ann, _) = sign_up(&server, "Ann").await;
    let id = make(&server, &ann, "Mine", false).await;
    add(&server, &ann, &id, &games(0..2)).await;
    server.stop().await;
    let limits = Limits { collected_games_max: 0, ..LIMITS };
    let server = TestServer::start_on(Box::new(memory.reopen()), limits);
    let settings = json!({"name": "Another"});
    post(&server, "/api/collections", &ann, &settings).await.assert(409, "collection_full");
    add(&server, &ann, &id, &games(2..3)).await.assert(409, "collection_full");
    // What is there can be read and deleted.
    assert_eq!(numbers(&get(&server, &format!("/api/collections/{id}"), &ann).await), [1, 2]);
    assert_eq!(delete(&server, &ann, &id).await.status, 204);
    assert_eq!(list(&server, &ann).await.len(), 0);
    server.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn no_games_are_added_when_the_disk_is_almost_full() {
    let folder = tempfile::tempdir().unwrap();
    let storage = Sqlite::open(DataFolder::take(folder.path()).unwrap()).unwrap();
    let server =
        TestServer::start_on(Box::new(storage), Limits { disk_reserve: u64::MAX, ..LIMITS });
    let (ann, _) = sign_up(&server, "Ann").await;
    let id = make(&server, &ann, "Mine", false).await;
    add(&server, &ann, &id, &games(0..1)).await.assert(503, "disk_full");
    assert_eq!(list(&server, &ann).await[0]["games"], 0);
    assert_eq!(delete(&server, &ann, &id).await.status, 204);
    server.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn equal_batches_at_once_add_each_game_once() {
    let server = TestServer::start(LIMITS);
    let (ann, _) = sign_up(&server, "Ann").await;
    let id = make(&server, &ann, "Mine", false).await;
    let batch = games(0..100);
    let answers = join_all((0..4).map(|_| add(&server, &ann, &id, &batch))).await;
    let added = |answer: &Answer| match answer.status {
        200 => answer.body["added"].as_u64().unwrap(),
        // So many wait.
        503 => {
            assert!(answer.head.contains("retry-after: 1"), "{}", answer.head);
            0
        }
        other => panic!("{other}: {}", answer.body),
    };
    assert_eq!(answers.iter().map(added).sum::<u64>(), 100);
    assert_eq!(list(&server, &ann).await[0]["games"], 100);
    server.stop().await;
}

/// Holds up all changes of a storage while it is shut.
#[derive(Clone, Debug, Default)]
struct Gate(Arc<(Mutex<bool>, Condvar)>);

impl Gate {
    fn set(&self, is_shut: bool) {
        *self.0.0.lock().unwrap() = is_shut;
        self.0.1.notify_all();
    }
}

impl Hook for Gate {
    fn before(&self, call: Call) -> Result<(), StorageError> {
        if call == Call::Change {
            let (is_shut, changed) = &*self.0;
            // A test that fails ends before this does.
            let long = Duration::from_secs(60);
            let held =
                changed.wait_timeout_while(is_shut.lock().unwrap(), long, |is_shut| *is_shut);
            drop(held.unwrap());
        }
        Ok(())
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_batch_keeps_its_turn_when_its_client_hangs_up() {
    let gate = Gate::default();
    let server = TestServer::start_on(Box::new(Memory::default().hooked(gate.clone())), LIMITS);
    let (ann, _) = sign_up(&server, "Ann").await;
    let id = make(&server, &ann, "Mine", false).await;
    let batch = games(0..1);
    let body = json!({"games": batch}).to_string();
    let request = format!(
        "POST /api/collections/{id}/games HTTP/1.1\r\nHost: test\r\nConnection: close\r\n\
         Content-Type: application/json\r\nContent-Length: {}\r\nCookie: {ann}\r\n\r\n{body}",
        body.len()
    );

    // No batch is stored now, so all keep their places. There is one more than the address has places: once it is
    // refused, one of the others has its turn, and the rest wait.
    gate.set(true);
    let mut streams = Vec::new();
    for _ in 0..=COLLECTED_BATCHES_PER_ADDRESS_MAX {
        let mut stream = server.connect_raw().await;
        stream.write_all(request.as_bytes()).await.unwrap();
        streams.push(stream);
    }
    let answers = streams.iter().map(|stream| Box::pin(stream.readable()));
    let (_, refused, _) = within(select_all(answers)).await;
    let mut refused = streams.remove(refused);
    let mut answer = String::new();
    within(refused.read_to_string(&mut answer)).await.unwrap();
    assert!(answer.starts_with("HTTP/1.1 503"), "{answer}");

    // The clients of the others hang up. Once the server has closed their connections without an answer, it knows.
    for stream in &mut streams {
        stream.shutdown().await.unwrap();
        let mut answer = Vec::new();
        within(stream.read_to_end(&mut answer)).await.unwrap();
        assert!(answer.is_empty(), "{}", String::from_utf8_lossy(&answer));
    }

    // One of them still has its turn, so there are not places for as many again.
    let more =
        (0..COLLECTED_BATCHES_PER_ADDRESS_MAX).map(|_| Box::pin(add(&server, &ann, &id, &batch)));
    let (refused, ..) = within(select_all(more)).await;
    refused.assert(503, "busy");

    // It is stored, though nobody waits for the answer.
    gate.set(false);
    let stored = async { while list(&server, &ann).await[0]["games"] != 1 {} };
    within(stored).await;
    server.stop().await;
}
