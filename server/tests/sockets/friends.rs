//! Friends over HTTP and sockets: both agree, see who is online and where they play, and challenge each other
//! first.

use std::{
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
    thread,
    time::Duration,
};

use fivefold_server::{
    config::Config,
    limits::{
        accounts::CHALLENGE_NOTICES_MAX, challenges::CHALLENGES_WAITING_MAX,
        moderation::CHANGES_MAX,
    },
};
use fivefold_shared::protocol::{AccountNews, Message, Reason, SeekEnd};
use fivefold_storage::{
    Append, Appended, Call, Hook, Memory, Storage, StorageError, limits::FRIEND_CHALLENGE_TAKEN,
};
use serde_json::{Value, json};
use tokio::{io::AsyncWriteExt, sync::Notify};

use crate::{
    accounts::{Answer, ask, bearer, behind_a_proxy, greet, sign_in, sign_up, socket, typed, with},
    cluster::{nodes, stop_all},
    harness::{Client, LIMITS, TestServer, within},
    moderation::{get, post, settle},
    pairing::{challenge, seeking},
    set_clock::set_clock,
    sleeping::own_rooms,
};

/// Somebody with an account.
pub(crate) struct Person {
    pub(crate) head: Vec<String>,
    pub(crate) cookie: String,
    pub(crate) id: String,
}

pub(crate) async fn person(server: &TestServer, name: &str) -> Person {
    let (cookie, _) = sign_up(server, name).await;
    Person::of(server, cookie).await
}

impl Person {
    /// The person who is signed in with this cookie.
    pub(crate) async fn of(server: &TestServer, cookie: String) -> Self {
        let account = get(server, "/api/account", &cookie).await;
        let id = account.body["account"]["id"].as_str().unwrap().to_owned();
        Self { head: with(&cookie), cookie, id }
    }

    async fn ask(&self, server: &TestServer, other: &Self) -> Answer {
        ask(server, "POST /api/friends", &self.head, &json!({"member": other.id})).await
    }

    async fn leave(&self, server: &TestServer, other: &Self) {
        let what = format!("DELETE /api/friends/{}", other.id);
        assert_eq!(ask(server, &what, &self.head, &Value::Null).await.status, 204);
    }

    async fn list(&self, server: &TestServer) -> Vec<Value> {
        let answer = get(server, "/api/friends", &self.cookie).await;
        assert_eq!(answer.status, 200, "{}", answer.body);
        answer.body["friends"].as_array().unwrap().clone()
    }

    /// Names, how they stand, and whether they are online.
    async fn short_list(&self, server: &TestServer) -> Value {
        let list = self.list(server).await.into_iter();
        list.map(|one| json!([one["name"], one["standing"], one["online"]])).collect()
    }
}

pub(crate) async fn befriend(server: &TestServer, one: &Person, other: &Person) {
    assert_eq!(one.ask(server, other).await.body["standing"], "asked");
    assert_eq!(other.ask(server, one).await.body["standing"], "friends");
}

/// The next news of the account.
async fn news(client: &mut Client) -> (AccountNews, String) {
    let (change, label, _) = dated_news(client).await;
    (change, label)
}

/// The same, and when it was, if the server says that.
async fn dated_news(client: &mut Client) -> (AccountNews, String, Option<u64>) {
    loop {
        if let Message::AccountChanged { change, label, at } = client.receive().await {
            return (change, label, at);
        }
    }
}

/// At two nodes, or twice the same one.
async fn check_friends([first, second]: [&TestServer; 2]) {
    let (ann, bob) = (person(first, "Ann").await, person(second, "Bob").await);
    let mut anns = socket(first, &ann.cookie).await;
    let mut bobs = socket(second, &bob.cookie).await;
    // A name is enough, and the other one is told, once.
    for _ in 0..2 {
        let asked = ask(first, "POST /api/friends", &ann.head, &json!({"name": "bob"})).await;
        assert_eq!((asked.status, &asked.body["standing"]), (200, &json!("asked")));
    }
    assert_eq!(news(&mut bobs).await, (AccountNews::FriendAsks, "Ann".to_owned()));
    assert_eq!(ann.short_list(second).await, json!([["Bob", "asked", false]]));
    assert_eq!(bob.short_list(second).await, json!([["Ann", "asks", false]]));
    assert_eq!(bob.ask(second, &ann).await.body["standing"], "friends");
    assert_eq!(news(&mut anns).await, (AccountNews::FriendAdded, "Bob".to_owned()));
    // Each sees the other at any node, and where everybody may watch them play.
    for server in [first, second] {
        assert_eq!(ann.short_list(server).await, json!([["Bob", "friends", true]]));
    }
    let room = bobs.create(json!(["me", "open"])).await;
    settle(first).await;
    assert_eq!(ann.list(first).await[0]["room"], Value::Null, "no game is running");
    let mut eve = second.greet("Eve").await;
    eve.join(&room).await;
    eve.ask(json!({"type": "sit", "room": room})).await;
    assert_eq!(ann.list(first).await[0]["room"], room.to_string());
    // Nobody sees who does not want to be seen.
    let set = async |to: &str| {
        ask(second, "POST /api/friends/online", &bob.head, &json!({"to": to})).await
    };
    assert_eq!(set("nobody").await.status, 204);
    set("everybody").await.assert(422, "malformed");
    let hidden = &ann.list(first).await[0];
    assert_eq!((&hidden["online"], &hidden["room"]), (&json!(false), &Value::Null));
    assert_eq!(get(second, "/api/friends", &bob.cookie).await.body["online_to"], "nobody");
    assert_eq!(bob.short_list(second).await, json!([["Ann", "friends", true]]));
    assert_eq!(set("friends").await.status, 204);
    assert_eq!(ann.list(first).await[0]["room"], room.to_string());
    // Who has left is offline; an export has the friends.
    drop(anns);
    let offline = json!([["Ann", "friends", false]]);
    while bob.short_list(second).await != offline {}
    let export = get(first, "/api/account/export", &bob.cookie).await;
    let friends = &export.body["friends"][0];
    assert_eq!((&friends["name"], &friends["standing"]), (&json!("Ann"), &json!("friends")));
    assert_eq!(export.body["online_to"], "friends");
    // Lists have the current name.
    let rename = json!({"name": "Annika", "password": typed("")["password"]});
    let renamed = ask(first, "POST /api/account/name", &ann.head, &rename).await;
    assert_eq!(renamed.status, 200, "{}", renamed.body);
    assert_eq!(bob.short_list(second).await, json!([["Annika", "friends", false]]));
    bob.leave(second, &ann).await;
    assert_eq!((ann.list(first).await, bob.list(first).await), (vec![], vec![]));
}

#[tokio::test]
async fn two_agree_to_be_friends_and_see_when_they_are_online() {
    let server = TestServer::start(LIMITS);
    check_friends([&server; 2]).await;
    server.stop().await;
}

#[tokio::test]
async fn also_at_different_nodes() {
    let nodes = nodes(2);
    check_friends([&nodes[0], &nodes[1]]).await;
    stop_all(nodes).await;
}

#[tokio::test]
async fn a_declined_request_holds_off_the_next_one_and_a_block_all() {
    let server = TestServer::start(LIMITS);
    let (ann, bob) = (person(&server, "Ann").await, person(&server, "Bob").await);
    ann.ask(&server, &bob).await;
    bob.leave(&server, &ann).await;
    assert_eq!((ann.list(&server).await, bob.list(&server).await), (vec![], vec![]));
    let again = ann.ask(&server, &bob).await;
    again.assert(429, "friend_declined");
    let week = 7 * 24 * 60 * 60 * 1_000;
    assert!((week - 60_000..=week).contains(&again.body["wait_ms"].as_u64().unwrap()));
    // Bob may ask at any time.
    befriend(&server, &bob, &ann).await;
    let blocked = json!({"member": bob.id, "name": "Bob", "kind": "block"});
    assert_eq!(ask(&server, "POST /api/blocks", &ann.head, &blocked).await.status, 204);
    assert_eq!((ann.list(&server).await, bob.list(&server).await), (vec![], vec![]));
    ann.ask(&server, &bob).await.assert(403, "blocked");
    // Bob does not learn of it.
    bob.ask(&server, &ann).await.assert(403, "no_friend_requests");
    server.stop().await;
}

#[tokio::test]
async fn guests_bots_and_programs_have_no_friends() {
    let server = TestServer::start(LIMITS);
    let ann = person(&server, "Ann").await;
    let (_client, guest, identity) = greet(&server, "Gus").await;
    for what in ["GET /api/friends", "POST /api/friends", "DELETE /api/friends/0123456789abcdef"] {
        let body = json!({"name": "Ann"});
        ask(&server, what, &[], &body).await.assert(401, "signed_out");
        ask(&server, what, &[bearer(&identity)], &body).await.assert(401, "signed_out");
    }
    let bot = post(&server, "/api/account/bots", &ann.cookie, &json!({"name": "Robot"})).await;
    let bot = bot.body["id"].as_str().unwrap();
    let tokens = format!("/api/account/bots/{bot}/tokens");
    let body = json!({"label": "desk", "scopes": ["play", "watch", "challenge"]});
    let token = post(&server, &tokens, &ann.cookie, &body).await;
    let token = format!("Authorization: Bearer {}", token.body["token"].as_str().unwrap());
    let program = ask(&server, "GET /api/friends", &[token], &Value::Null).await;
    program.assert(403, "token_scope");
    for other in [guest.as_str(), bot, "0123456789abcdef"] {
        let asked = ask(&server, "POST /api/friends", &ann.head, &json!({"member": other})).await;
        asked.assert(404, "no_such_player");
    }
    for (body, status, reason) in [
        (json!({"name": "Nobody"}), 404, "no_such_player"),
        (json!({"name": "ann"}), 400, "malformed"),
        (json!({"member": ann.id}), 400, "malformed"),
        (json!({}), 400, "malformed"),
        (json!({"member": "somebody"}), 422, "malformed"),
    ] {
        ask(&server, "POST /api/friends", &ann.head, &body).await.assert(status, reason);
    }
    // Another page cannot do it.
    let mut head = ann.head.clone();
    head.push("Origin: https://elsewhere.example".to_owned());
    let foreign = ask(&server, "POST /api/friends", &head, &json!({"name": "Bob"})).await;
    foreign.assert(403, "foreign_page");
    server.stop().await;
}

#[tokio::test]
async fn the_limit_of_changes_holds_for_each_account_alone() {
    let server = TestServer::start(LIMITS);
    let (ann, bob) = (person(&server, "Ann").await, person(&server, "Bob").await);
    for _ in 0..CHANGES_MAX {
        assert_eq!(ann.ask(&server, &bob).await.status, 200);
    }
    ann.ask(&server, &bob).await.assert(429, "too_many_tries");
    // Friends, blocks, challenges and pushes share what an account has.
    for what in ["DELETE /api/friends/", "DELETE /api/blocks/"] {
        let what = format!("{what}{}", bob.id);
        ask(&server, &what, &ann.head, &Value::Null).await.assert(429, "too_many_tries");
    }
    ann.about(&server, "POST", &bob, "").await.assert(429, "too_many_tries");
    assert_eq!(bob.short_list(&server).await, json!([["Ann", "asks", false]]));
    assert_eq!(bob.ask(&server, &ann).await.body["standing"], "friends");
    // Anybody can be any number of guests, so all guests at an address share one allowance.
    let from = json!({"from": "everybody"});
    let (mut gus, _, one) = greet(&server, "Gus").await;
    let (mut eve, _, other) = greet(&server, "Eve").await;
    for guest in [&mut gus, &mut eve] {
        // A guest who has never played is not stored.
        guest.create(json!(["me", "open"])).await;
    }
    for number in 0..CHANGES_MAX {
        let guest = bearer(if number % 2 == 0 { &one } else { &other });
        assert_eq!(ask(&server, "POST /api/challenges", &[guest], &from).await.status, 204);
    }
    for guest in [&one, &other] {
        let refused = ask(&server, "POST /api/challenges", &[bearer(guest)], &from).await;
        refused.assert(429, "too_many_tries");
    }
    assert_eq!(ask(&server, "POST /api/challenges", &bob.head, &from).await.status, 204);
    server.stop().await;
}

#[tokio::test]
async fn a_deleted_account_is_in_no_list() {
    let server = TestServer::start(LIMITS);
    let (ann, bob) = (person(&server, "Ann").await, person(&server, "Bob").await);
    befriend(&server, &ann, &bob).await;
    let delete = ask(&server, "DELETE /api/account", &ann.head, &typed("Ann")).await;
    assert_eq!(delete.status, 204, "{}", delete.body);
    assert_eq!(bob.list(&server).await, [] as [Value; 0]);
    bob.ask(&server, &ann).await.assert(404, "no_such_player");
    // The member may change their mind.
    sign_in(&server, "Ann").await;
    assert_eq!(bob.short_list(&server).await, json!([["Ann", "friends", false]]));
    server.stop().await;
}

#[tokio::test]
async fn a_friends_challenge_goes_before_all_others() {
    let server = behind_a_proxy();
    let (ann, bob) = (person(&server, "Ann").await, person(&server, "Bob").await);
    befriend(&server, &ann, &bob).await;
    let _bobs = socket(&server, &bob.cookie).await;
    let mut others = Vec::new();
    for number in 0..CHALLENGES_WAITING_MAX {
        let head = [format!("X-Forwarded-For: 10.0.0.{number}")];
        let up = ask(&server, "POST /api/account", &head, &typed(&format!("Player{number}"))).await;
        let mut client = socket(&server, &up.cookie()).await;
        let seek = seeking(client.ask(challenge("Bob")).await);
        others.push((client, seek));
    }
    let stranger = person(&server, "Sid").await;
    let mut strangers = socket(&server, &stranger.cookie).await;
    assert_eq!(strangers.refused(challenge("Bob")).await, Reason::ChallengesFull);
    let mut anns = socket(&server, &ann.cookie).await;
    seeking(anns.ask(challenge("Bob")).await);
    let (newest, seek) = others.last_mut().unwrap();
    assert_eq!(newest.over().await, (seek.clone(), SeekEnd::Displaced));
    server.stop().await;
}

/// The settings of a daily game.
fn daily() -> Value {
    let rules = json!({"variant": "freestyle", "size": [15, 15]});
    json!({"rules": rules, "time": {"type": "daily", "move_ms": 259_200_000}})
}

impl Person {
    /// Asks about the challenge that waits between the two.
    async fn about(&self, server: &TestServer, what: &str, other: &Self, after: &str) -> Answer {
        let path = format!("{what} /api/friends/{}/challenge{after}", other.id);
        ask(server, &path, &self.head, &json!({"settings": daily()})).await
    }
}

/// At two nodes, or twice the same one.
async fn check_challenges([first, second]: [&TestServer; 2]) {
    let (ann, bob) = (person(first, "Ann").await, person(second, "Bob").await);
    ann.about(first, "POST", &bob, "").await.assert(404, "no_such_player");
    befriend(first, &ann, &bob).await;
    let live = json!({"settings": {"rules": {"variant": "freestyle"}}});
    let path = format!("POST /api/friends/{}/challenge", bob.id);
    ask(first, &path, &ann.head, &live).await.assert(400, "malformed");
    // Bob is not there, and finds the challenge at each later visit.
    assert_eq!(ann.about(first, "POST", &bob, "").await.status, 204);
    ann.about(first, "POST", &bob, "").await.assert(409, "already_challenged");
    bob.about(second, "POST", &ann, "").await.assert(409, "already_challenged");
    let waiting = &bob.list(second).await[0]["challenge"];
    for _ in 0..2 {
        let mut bobs = socket(second, &bob.cookie).await;
        let (change, at) = (AccountNews::FriendChallenges, waiting["at"].as_u64());
        assert_eq!(dated_news(&mut bobs).await, (change, "Ann".to_owned(), at));
    }
    assert_eq!((&waiting["own"], &waiting["settings"]), (&json!(false), &daily()));
    assert_eq!(ann.list(second).await[0]["challenge"]["own"], true);
    let export = get(first, "/api/account/export", &ann.cookie).await;
    assert_eq!(export.body["friends"][0]["challenge"]["by"], ann.id);
    // It is taken back, or declined, once.
    ann.about(first, "POST", &bob, "/accept").await.assert(404, "no_such_seek");
    for (person, server, other) in [(&ann, first, &bob), (&bob, second, &ann)] {
        assert_eq!(person.about(server, "DELETE", other, "").await.status, 204);
        person.about(server, "DELETE", other, "").await.assert(404, "no_such_seek");
        bob.about(second, "POST", &ann, "/accept").await.assert(404, "no_such_seek");
        assert_eq!(ann.about(first, "POST", &bob, "").await.status, 204);
    }
    // Accepted at the same time from two places, it begins one game, while Ann is away.
    let accept = async |server| bob.about(server, "POST", &ann, "/accept").await;
    let (one, other) = tokio::join!(accept(first), accept(second));
    let mut status = [one.status, other.status];
    status.sort_unstable();
    assert_eq!(status, [200, 404], "{} {}", one.body, other.body);
    let room =
        [one, other].into_iter().find_map(|answer| answer.body["room"].as_str().map(str::to_owned));
    let room = room.unwrap();
    assert_eq!(ann.list(first).await[0]["challenge"], Value::Null);
    for (person, server) in [(&ann, second), (&bob, first)] {
        let mut client = socket(server, &person.cookie).await;
        let answer = client.ask(json!({"type": "own_rooms"})).await;
        let Message::OwnRooms { rooms, .. } = answer else { panic!("{answer:?}") };
        let found: Vec<_> = rooms.iter().map(|own| own.summary.room.to_string()).collect();
        assert_eq!((found, rooms[0].seat.is_some()), (vec![room.clone()], true));
    }
}

#[tokio::test]
async fn a_challenge_waits_for_a_friend_who_is_away() {
    let server = TestServer::start(LIMITS);
    check_challenges([&server; 2]).await;
    server.stop().await;
}

#[tokio::test]
async fn also_at_another_node() {
    let nodes = nodes(2);
    check_challenges([&nodes[0], &nodes[1]]).await;
    stop_all(nodes).await;
}

#[tokio::test]
async fn a_challenge_that_waits_survives_a_restart_and_its_maker_learns_that_it_is_accepted() {
    let memory = Memory::default();
    let server = TestServer::start_on(Box::new(memory.clone()), LIMITS);
    let (ann, bob) = (person(&server, "Ann").await, person(&server, "Bob").await);
    befriend(&server, &ann, &bob).await;
    let set = ask(&server, "POST /api/challenges", &bob.head, &json!({"from": "nobody"})).await;
    assert_eq!(set.status, 204);
    ann.about(&server, "POST", &bob, "").await.assert(403, "no_challenges");
    ask(&server, "POST /api/challenges", &bob.head, &json!({"from": "accounts"})).await;
    let mut rated = daily();
    rated["rated"] = true.into();
    let path = format!("POST /api/friends/{}/challenge", bob.id);
    let refused = ask(&server, &path, &ann.head, &json!({"settings": rated})).await;
    refused.assert(400, "not_rateable");
    rated["opening"] = "swap2".into();
    let done = ask(&server, &path, &ann.head, &json!({"settings": rated})).await;
    assert_eq!(done.status, 204, "{}", done.body);
    server.stop().await;

    let server = TestServer::start_on(Box::new(memory.reopen()), LIMITS);
    assert_eq!(bob.list(&server).await[0]["challenge"]["settings"], rated);
    let mut anns = socket(&server, &ann.cookie).await;
    let began = bob.about(&server, "POST", &ann, "/accept").await;
    assert_eq!(began.status, 200, "{}", began.body);
    assert_eq!(news(&mut anns).await, (AccountNews::ChallengeAccepted, "Bob".to_owned()));
    server.stop().await;
}

/// A storage that takes its time to keep events, or cannot change anything any more after it has kept some.
#[derive(Clone, Debug, Default)]
struct Faulty {
    is_slow: Arc<AtomicBool>,
    /// Notified when it begins to take its time.
    slows: Arc<Notify>,
    fails_after_events: Arc<AtomicBool>,
    has_failed: Arc<AtomicBool>,
}

impl Hook for Faulty {
    fn before(&self, call: Call) -> Result<(), StorageError> {
        if call == Call::Change && self.has_failed.load(Ordering::Relaxed) {
            return Err(StorageError::Failed("the disk is gone".to_owned()));
        }
        Ok(())
    }

    fn append(
        &self,
        kept: &mut dyn Storage,
        batch: &[Append],
    ) -> Result<Vec<Appended>, StorageError> {
        if self.is_slow.load(Ordering::Relaxed) {
            self.slows.notify_one();
            thread::sleep(Duration::from_millis(300));
        }
        if self.fails_after_events.load(Ordering::Relaxed) {
            self.has_failed.store(true, Ordering::Relaxed);
        }
        kept.append(batch)
    }
}

/// If you take back a request or a challenge and send it again, the other person is not told each time.
#[tokio::test]
async fn requests_and_challenges_that_are_repeated_are_not_told_again() {
    let server = TestServer::start(LIMITS);
    let (ann, bob) = (person(&server, "Ann").await, person(&server, "Bob").await);
    let cat = person(&server, "Cat").await;
    let mut bobs = socket(&server, &bob.cookie).await;
    for _ in 0..3 {
        assert_eq!(ann.ask(&server, &bob).await.body["standing"], "asked");
        ann.leave(&server, &bob).await;
    }
    ann.ask(&server, &bob).await;
    cat.ask(&server, &bob).await;
    assert_eq!(news(&mut bobs).await, (AccountNews::FriendAsks, "Ann".to_owned()));
    assert_eq!(news(&mut bobs).await, (AccountNews::FriendAsks, "Cat".to_owned()));
    // Taking a request back does not avoid the pause after it was declined.
    bob.leave(&server, &ann).await;
    ann.leave(&server, &bob).await;
    ann.ask(&server, &bob).await.assert(429, "friend_declined");

    befriend(&server, &bob, &ann).await;
    for _ in 0..=CHALLENGE_NOTICES_MAX {
        assert_eq!(ann.about(&server, "POST", &bob, "").await.status, 204);
        assert_eq!(ann.about(&server, "DELETE", &bob, "").await.status, 204);
    }
    bob.ask(&server, &cat).await;
    cat.about(&server, "POST", &bob, "").await;
    assert_eq!(news(&mut bobs).await, (AccountNews::FriendAdded, "Ann".to_owned()));
    for _ in 0..CHALLENGE_NOTICES_MAX {
        assert_eq!(news(&mut bobs).await, (AccountNews::FriendChallenges, "Ann".to_owned()));
    }
    let list = bob.list(&server).await;
    let waiting = list.iter().find(|friend| friend["name"] == "Cat").unwrap();
    let (change, at) = (AccountNews::FriendChallenges, waiting["challenge"]["at"].as_u64());
    assert_eq!(dated_news(&mut bobs).await, (change, "Cat".to_owned(), at));
    server.stop().await;
}

#[tokio::test]
async fn a_game_begins_also_if_whoever_accepts_hangs_up() {
    let storage = Faulty::default();
    let server = TestServer::start_on(Box::new(Memory::default().hooked(storage.clone())), LIMITS);
    let (ann, bob) = (person(&server, "Ann").await, person(&server, "Bob").await);
    befriend(&server, &ann, &bob).await;
    assert_eq!(ann.about(&server, "POST", &bob, "").await.status, 204);
    let mut anns = socket(&server, &ann.cookie).await;
    storage.is_slow.store(true, Ordering::Relaxed);
    let mut stream = server.connect_raw().await;
    let request = format!(
        "POST /api/friends/{}/challenge/accept HTTP/1.1\r\nHost: test\r\nCookie: {}\r\n\
         Content-Length: 0\r\n\r\n",
        ann.id, bob.cookie
    );
    stream.write_all(request.as_bytes()).await.unwrap();
    // Nothing but the acceptance makes a room.
    within(storage.slows.notified()).await;
    drop(stream);
    assert_eq!(news(&mut anns).await, (AccountNews::ChallengeAccepted, "Bob".to_owned()));
    assert_eq!(ann.list(&server).await[0]["challenge"], Value::Null, "it ended before the news");
    assert_eq!(own_rooms(&mut anns).await.len(), 1);
    server.stop().await;
}

/// As if the server had been killed after the room was stored and before the challenge was ended.
#[tokio::test]
async fn a_challenge_is_not_lost_with_the_server_that_accepts_it_and_begins_one_game() {
    let time = set_clock!();
    let storage = Faulty::default();
    let config = Config { limits: LIMITS, clock: time.clock, ..Config::default() };
    let kept = Memory::default().hooked(storage.clone());
    let server = TestServer::start_with(Box::new(kept), config);
    let (ann, bob) = (person(&server, "Ann").await, person(&server, "Bob").await);
    befriend(&server, &ann, &bob).await;
    assert_eq!(ann.about(&server, "POST", &bob, "").await.status, 204);
    storage.fails_after_events.store(true, Ordering::Relaxed);
    let began = bob.about(&server, "POST", &ann, "/accept").await;
    assert_eq!(began.status, 200, "{}", began.body);
    storage.fails_after_events.store(false, Ordering::Relaxed);
    storage.has_failed.store(false, Ordering::Relaxed);
    assert_ne!(bob.list(&server).await[0]["challenge"], Value::Null, "it still waits");
    // As far as anybody knows, it is still being accepted.
    bob.about(&server, "POST", &ann, "/accept").await.assert(404, "no_such_seek");
    time.advance(u64::try_from(FRIEND_CHALLENGE_TAKEN.as_millis()).unwrap()).await;
    let again = bob.about(&server, "POST", &ann, "/accept").await;
    assert_eq!((again.status, &again.body["room"]), (200, &began.body["room"]));
    bob.about(&server, "POST", &ann, "/accept").await.assert(404, "no_such_seek");
    assert_eq!(bob.list(&server).await[0]["challenge"], Value::Null);
    let mut anns = socket(&server, &ann.cookie).await;
    assert_eq!(own_rooms(&mut anns).await.len(), 1);
    server.stop().await;
}
