//! People who spoil it for others, over real sockets: blocks and mutes, reports, and what operators decide.

use std::time::Duration;

use fivefold_server::limits::{Limits, moderation::CASE_TEXT_MAX};
use fivefold_shared::protocol::{Message, Reason, RoomCode, SanctionKind, close};
use fivefold_storage::{
    MarkKind, Memory, ModerationChange, Storage,
    limits::{BLOCKS_MAX, REPORTS_MAX},
};
use serde_json::{Value, json};
use tokio::time::sleep;

use crate::{
    accounts::{Answer, ask, bearer, greet, sign_up, socket, typed, with},
    cluster::{nodes, stop_all},
    harness::{Client, LIMITS, TestServer, joined},
    pairing::seeking,
    ratings::{act, pair, settings, two},
};

/// A guest with a socket.
pub(crate) struct Guest {
    pub(crate) client: Client,
    pub(crate) id: String,
    pub(crate) head: Vec<String>,
}

pub(crate) async fn guest(server: &TestServer, name: &str) -> Guest {
    let (client, id, identity) = greet(server, name).await;
    Guest { client, id, head: vec![bearer(&identity)] }
}

async fn list(server: &TestServer, guest: &Guest, other: &str, kind: &str) -> Answer {
    let body = json!({"member": other, "name": "Somebody", "kind": kind});
    ask(server, "POST /api/blocks", &guest.head, &body).await
}

async fn block(server: &TestServer, guest: &Guest, other: &Guest) {
    assert_eq!(list(server, guest, &other.id, "block").await.status, 204);
}

pub(crate) async fn say(client: &mut Client, room: &RoomCode, text: &str) {
    let answer = client.ask(json!({"type": "say", "room": room, "text": text})).await;
    assert!(matches!(answer, Message::Done { .. }), "{answer:?}");
}

/// The next line that a client hears.
pub(crate) async fn heard(client: &mut Client) -> String {
    loop {
        if let Message::PlayerSaid { line, .. } | Message::SpectatorSaid { line, .. } =
            client.receive().await
        {
            return line.text.to_string();
        }
    }
}

/// All lines that a client may read.
pub(crate) async fn kept(client: &mut Client, room: &RoomCode) -> Vec<String> {
    match client.ask(json!({"type": "chat", "room": room})).await {
        Message::Chat { players, .. } => players.iter().map(|line| line.text.to_string()).collect(),
        other => panic!("{other:?}"),
    }
}

/// Three people in one room, Ann and Bob in its seats, each at a node of their own if there are several.
async fn three(servers: [&TestServer; 3]) -> ([Guest; 3], RoomCode) {
    let mut ann = guest(servers[0], "Ann").await;
    let mut bob = guest(servers[1], "Bob").await;
    let mut eve = guest(servers[2], "Eve").await;
    let room = ann.client.create(json!(["me", "open"])).await;
    for other in [&mut bob, &mut eve] {
        other.client.join(&room).await;
    }
    bob.client.ask(json!({"type": "sit", "room": room})).await;
    ([ann, bob, eve], room)
}

async fn check_chat(servers: [&TestServer; 3]) {
    let ([mut ann, mut bob, mut eve], room) = three(servers).await;
    say(&mut ann.client, &room, "one").await;
    for other in [&mut bob, &mut eve] {
        assert_eq!(heard(&mut other.client).await, "one");
    }
    block(servers[0], &ann, &bob).await;
    settle(servers[1]).await;
    say(&mut bob.client, &room, "two").await;
    say(&mut ann.client, &room, "three").await;
    // Who is not blocked hears all; the two hear each other no more.
    assert_eq!(heard(&mut eve.client).await, "two");
    assert_eq!(heard(&mut eve.client).await, "three");
    assert_eq!(kept(&mut eve.client, &room).await, ["one", "two", "three"]);
    assert_eq!(kept(&mut ann.client, &room).await, ["one", "three"]);
    assert_eq!(kept(&mut bob.client, &room).await, ["two"]);
    // A mute goes one way.
    let unblock = format!("DELETE /api/blocks/{}", bob.id);
    assert_eq!(ask(servers[0], &unblock, &ann.head, &Value::Null).await.status, 204);
    assert_eq!(list(servers[0], &ann, &bob.id, "mute").await.status, 204);
    settle(servers[1]).await;
    say(&mut bob.client, &room, "four").await;
    say(&mut ann.client, &room, "five").await;
    assert_eq!(heard(&mut bob.client).await, "five");
    assert_eq!(kept(&mut bob.client, &room).await, ["one", "two", "three", "four", "five"]);
    assert_eq!(kept(&mut ann.client, &room).await, ["one", "three", "five"]);
    assert_eq!(ask(servers[0], &unblock, &ann.head, &Value::Null).await.status, 204);
    say(&mut bob.client, &room, "six").await;
    assert_eq!(heard(&mut ann.client).await, "six");
    // The list has its entries, and survives a new socket. A name is enough for one person.
    let body = json!({"name": "Bob", "kind": "block"});
    let named = ask(servers[1], "POST /api/blocks", &ann.head, &body).await;
    assert_eq!(named.status, 204, "{}", named.body);
    let body = json!({"name": "Nobody at all", "kind": "block"});
    let named = ask(servers[1], "POST /api/blocks", &ann.head, &body).await;
    named.assert(404, "nobody_online");
    let blocks = ask(servers[2], "GET /api/blocks", &ann.head, &Value::Null).await;
    assert_eq!(blocks.body["blocks"][0]["member"], bob.id.as_str());
    assert_eq!(blocks.body["blocks"][0]["kind"], "block");
}

/// Waits until earlier news have come to a node: a question goes the same way.
pub(crate) async fn settle(server: &TestServer) {
    let mut client = server.greet("Nobody").await;
    client.ask(json!({"type": "own_rooms"})).await;
}

#[tokio::test]
async fn people_who_block_each_other_do_not_hear_each_other() {
    let server = TestServer::start(LIMITS);
    check_chat([&server; 3]).await;
    server.stop().await;
}

#[tokio::test]
async fn nor_at_different_nodes() {
    let nodes = nodes(3);
    check_chat([&nodes[0], &nodes[1], &nodes[2]]).await;
    stop_all(nodes).await;
}

#[tokio::test]
async fn people_who_block_each_other_are_not_paired_challenged_or_listed() {
    let server = TestServer::start(LIMITS);
    let mut ann = guest(&server, "Ann").await;
    let mut bob = guest(&server, "Bob").await;
    let mut eve = guest(&server, "Eve").await;
    // Bob watches the lobby when Ann blocks Bob.
    let settings = json!({"rules": {"variant": "freestyle"}});
    let open = seeking(ann.client.ask(json!({"type": "seek", "settings": settings})).await);
    let seen = bob.client.ask(json!({"type": "watch_lobby"})).await;
    let Message::Lobby { seeks, .. } = seen else { panic!("{seen:?}") };
    assert_eq!(seeks.len(), 1);
    let room = ann.client.create(json!(["me", "open"])).await;
    block(&server, &ann, &bob).await;
    loop {
        if let Message::LobbyChanged { removed, .. } = bob.client.receive().await
            && removed == [open.clone()]
        {
            break;
        }
    }
    let accept = json!({"type": "accept_seek", "seek": open});
    assert_eq!(bob.client.refused(accept).await, Reason::NoSuchSeek);
    // Neither sees the other's rooms.
    for (guest, expected) in [(&mut bob, 0), (&mut eve, 1)] {
        let answer = guest.client.ask(json!({"type": "rooms"})).await;
        let Message::Rooms { rooms, total, .. } = answer else { panic!("{answer:?}") };
        let listed = rooms.iter().filter(|listed| listed.room == room).count();
        assert_eq!((listed, total), (expected, expected));
    }
    // Who was blocked does not learn of it.
    let challenge =
        |to: &Guest| json!({"type": "challenge", "member": to.id, "settings": settings});
    assert_eq!(bob.client.refused(challenge(&ann)).await, Reason::NobodyOnline);
    assert_eq!(ann.client.refused(challenge(&bob)).await, Reason::Blocked);
    // They wait side by side, until somebody else comes.
    ann.client.ask(json!({"type": "cancel_seek", "seek": open})).await;
    ann.client.seek("free").await;
    bob.client.seek("free").await;
    eve.client.seek("free").await;
    let (_, with_eve, _) = eve.client.paired().await;
    let first = json!({"type": "join", "room": with_eve});
    let answer = eve.client.ask(first).await;
    let Message::Joined { catch_up, .. } = answer else { panic!("{answer:?}") };
    let players = serde_json::to_string(&catch_up).unwrap();
    assert_ne!(players.contains(&ann.id), players.contains(&bob.id), "one of them");
    server.stop().await;
}

#[tokio::test]
async fn a_seek_that_stands_follows_a_new_block() {
    let server = TestServer::start(LIMITS);
    let mut ann = guest(&server, "Ann").await;
    let mut bob = guest(&server, "Bob").await;
    ann.client.seek("free").await;
    block(&server, &ann, &bob).await;
    bob.client.seek("free").await;
    // A round later they are not paired.
    let mut eve = guest(&server, "Eve").await;
    eve.client.seek("free").await;
    eve.client.paired().await;
    server.stop().await;
}

#[tokio::test]
async fn a_list_has_a_limit_and_bad_entries_are_refused() {
    let server = TestServer::start(LIMITS);
    let ann = guest(&server, "Ann").await;
    for number in 0..BLOCKS_MAX {
        assert_eq!(list(&server, &ann, &format!("{number:016x}"), "mute").await.status, 204);
    }
    let full = list(&server, &ann, "ffffffffffffffff", "mute").await;
    full.assert(409, "too_many_blocks");
    assert_eq!(full.body["most"], BLOCKS_MAX);
    list(&server, &ann, &ann.id, "block").await.assert(400, "malformed");
    list(&server, &ann, "somebody", "block").await.assert(422, "malformed");
    list(&server, &ann, "ffffffffffffffff", "hate").await.assert(422, "malformed");
    let nobody = ask(&server, "GET /api/blocks", &[], &Value::Null).await;
    nobody.assert(401, "signed_out");
    // Another page cannot do it.
    let mut head = ann.head.clone();
    head.push("Origin: https://elsewhere.example".to_owned());
    let foreign = ask(&server, "DELETE /api/blocks/0000000000000000", &head, &Value::Null).await;
    foreign.assert(403, "foreign_page");
    server.stop().await;
}

/// A report about somebody.
pub(crate) fn about(other: &str) -> Value {
    json!({"about": other, "name": "Rude", "kind": "chat", "text": "insults"})
}

#[tokio::test]
async fn a_report_quotes_what_was_said_and_its_reporter_sees_its_state() {
    let memory = Memory::default();
    let server = TestServer::start_on(Box::new(memory.clone()), LIMITS);
    let ([mut ann, bob, mut eve], room) = three([&server; 3]).await;
    say(&mut ann.client, &room, "You are bad").await;
    heard(&mut eve.client).await;
    let quote = |text: &str, number: u64| {
        let mut report = about(&ann.id);
        report["line"] = json!({"room": room, "number": number, "text": text});
        report
    };
    let cal = guest(&server, "Cal").await;
    let quotes = [("You are bad", 1), ("I hate you", 1), ("I hate you", 7)];
    for ((text, number), reporter) in quotes.into_iter().zip([&eve, &bob, &cal]) {
        let answer = ask(&server, "POST /api/reports", &reporter.head, &quote(text, number)).await;
        assert_eq!(answer.status, 204, "{}", answer.body);
    }
    // An open report is enough.
    let again = ask(&server, "POST /api/reports", &eve.head, &quote("You are bad", 1)).await;
    again.assert(409, "already_reported");
    // Bob did not say that.
    let mut wrong = quote("You are bad", 1);
    wrong["about"] = bob.id.as_str().into();
    assert_eq!(ask(&server, "POST /api/reports", &eve.head, &wrong).await.status, 204);
    let own = ask(&server, "GET /api/reports", &eve.head, &Value::Null).await;
    assert_eq!(own.body["reports"].as_array().unwrap().len(), 2);
    assert_eq!(own.body["reports"][0]["state"], "open");

    let (cookie, _) = sign_up(&server, "Olga").await;
    make_operator(&memory, &server, &cookie).await;
    let queue = get(&server, "/api/moderation", &cookie).await;
    let cases = queue.body["cases"].as_array().unwrap();
    let anns = cases.iter().find(|case| case["member"] == ann.id.as_str()).unwrap();
    assert_eq!((&anns["reports"], &anns["guests"]), (&json!(3), &json!(3)));
    assert_eq!(anns["kinds"], json!(["chat"]));
    let path = format!("/api/moderation/people/{}", ann.id);
    let file = get(&server, &path, &cookie).await;
    let lines = file.body["reports"].as_array().unwrap().iter();
    let mut lines: Vec<_> = lines.map(|report| report["line"].clone()).collect();
    lines.sort_by_key(ToString::to_string);
    let expected = [("I hate you", false), ("You are bad", true), ("You are bad", true)];
    let expected: Vec<_> = expected
        .map(|(text, verified)| json!({"room": room, "text": text, "verified": verified}))
        .into();
    assert_eq!(lines, expected, "the server knows what line 1 was");

    let dismiss = json!({"state": "dismissed"});
    let done = post(&server, &format!("{path}/reports"), &cookie, &dismiss).await;
    assert_eq!(done.status, 204);
    post(&server, &format!("{path}/reports"), &cookie, &dismiss).await.assert(404, "no_such_case");
    let own = ask(&server, "GET /api/reports", &eve.head, &Value::Null).await;
    let states = own.body["reports"].as_array().unwrap().iter().map(|report| &report["state"]);
    assert_eq!(states.filter(|state| **state == "dismissed").count(), 1);
    let file = get(&server, &path, &cookie).await;
    for report in file.body["reports"].as_array().unwrap() {
        assert_eq!((&report["closed_by"], report["closed_at"].is_u64()), (&json!("Olga"), true));
    }
    let once_more = ask(&server, "POST /api/reports", &eve.head, &quote("You are bad", 1)).await;
    assert_eq!(once_more.status, 204, "the last one is decided");
    server.stop().await;
}

#[tokio::test]
async fn so_many_reports_are_taken_in_a_day_and_a_text_is_short() {
    let server = TestServer::start(LIMITS);
    let ann = guest(&server, "Ann").await;
    let mut long = about("0123456789abcdef");
    long["text"] = "ä".repeat(CASE_TEXT_MAX + 1).into();
    let refused = ask(&server, "POST /api/reports", &ann.head, &long).await;
    refused.assert(400, "malformed");
    long["text"] = "ä".repeat(CASE_TEXT_MAX).into();
    for number in 0..REPORTS_MAX {
        long["about"] = format!("{number:016x}").into();
        assert_eq!(ask(&server, "POST /api/reports", &ann.head, &long).await.status, 204);
    }
    let refused = ask(&server, "POST /api/reports", &ann.head, &long).await;
    refused.assert(429, "too_many_reports");
    // The address counts, too.
    let bob = guest(&server, "Bob").await;
    let refused = ask(&server, "POST /api/reports", &bob.head, &long).await;
    refused.assert(429, "too_many_reports");
    server.stop().await;
}

pub(crate) async fn get(server: &TestServer, path: &str, cookie: &str) -> Answer {
    ask(server, &format!("GET {path}"), &with(cookie), &Value::Null).await
}

pub(crate) async fn post(server: &TestServer, path: &str, cookie: &str, body: &Value) -> Answer {
    ask(server, &format!("POST {path}"), &with(cookie), body).await
}

pub(crate) async fn make_operator(memory: &Memory, server: &TestServer, cookie: &str) {
    let account = get(server, "/api/account", cookie).await;
    let member = account.body["account"]["id"].clone();
    let member = serde_json::from_value(member).unwrap();
    let change = ModerationChange::Operator { member, since: Some(1) };
    memory.clone().moderate(&change).unwrap();
}

/// Reads up to a sanction.
pub(crate) async fn sanctioned(client: &mut Client) -> (SanctionKind, Option<u64>, String, String) {
    loop {
        if let Message::Sanction { sanction, kind, until, reason, .. } = client.receive().await {
            return (kind, until, reason, sanction);
        }
    }
}

async fn check_decisions(memory: &Memory, [here, there]: [&TestServer; 2]) {
    let (operator, _) = sign_up(here, "Olga").await;
    let mut rude = guest(there, "Rude").await;
    let path = format!("/api/moderation/people/{}", rude.id);
    get(here, "/api/moderation", &operator).await.assert(403, "operators_only");
    make_operator(memory, here, &operator).await;
    let account = get(here, "/api/account", &operator).await;
    assert_eq!(account.body["operator"], true);
    // Nobody is known by this id before a report, or a seat.
    let warn = json!({"kind": "warn", "reason": "Be kind"});
    post(here, &path, &operator, &warn).await.assert(404, "no_such_case");
    let room = rude.client.create(json!(["me", "open"])).await;

    // A warning comes at once, and again until it is read.
    assert_eq!(post(here, &path, &operator, &warn).await.status, 204);
    let (kind, until, reason, id) = sanctioned(&mut rude.client).await;
    assert_eq!((kind, until, reason.as_str()), (SanctionKind::Warn, None, "Be kind"));
    let identity = rude.head[0].rsplit(' ').next().unwrap().to_owned();
    let hello = json!({"type": "hello", "protocol": 1, "identity": identity});
    let mut again = there.connect().await;
    again.ask(hello.clone()).await;
    assert_eq!(sanctioned(&mut again).await.3, id);
    let seen = format!("POST /api/sanctions/{id}/seen");
    assert_eq!(ask(there, &seen, &rude.head, &Value::Null).await.status, 204);
    ask(there, &seen, &rude.head, &Value::Null).await.assert(404, "no_such_case");

    // A mute holds at once on all nodes, and says why.
    let mute = json!({"kind": "mute", "reason": "Insults", "days": 3});
    assert_eq!(post(here, &path, &operator, &mute).await.status, 204);
    let (kind, until, _, id) = sanctioned(&mut rude.client).await;
    assert_eq!((kind, until.is_some()), (SanctionKind::Mute, true));
    let say = json!({"type": "say", "room": room, "text": "hi"});
    let answer = rude.client.ask(say.clone()).await;
    let Message::Refused { refusal, .. } = answer else { panic!("{answer:?}") };
    assert_eq!((refusal.reason, refusal.values.until), (Reason::Muted, until));
    assert_eq!(refusal.values.why.as_deref(), Some("Insults"));
    // The person says something against it, once.
    let appeal = |text: &str| json!({"sanction": id, "text": text});
    let once = ask(there, "POST /api/appeals", &rude.head, &appeal("It was a joke")).await;
    assert_eq!(once.status, 204);
    let twice = ask(there, "POST /api/appeals", &rude.head, &appeal("Really")).await;
    twice.assert(404, "no_such_case");
    let queue = get(here, "/api/moderation", &operator).await;
    assert_eq!(queue.body["cases"][0]["appeals"], 1);
    let file = get(here, &path, &operator).await;
    assert_eq!(file.body["sanctions"][0]["appeal"], "It was a joke");
    let undo = format!("/api/moderation/sanctions/{id}/undo");
    assert_eq!(post(here, &undo, &operator, &Value::Null).await.status, 204);
    until_may_say(&mut rude.client, &say).await;
    // A guest has no account to close.
    let closing = json!({"kind": "close", "reason": "Cheating"});
    post(here, &path, &operator, &closing).await.assert(400, "malformed");
    for (kind, days) in [("mute", json!(0)), ("mute", json!(3_651)), ("warn", json!(1))] {
        let wrong = json!({"kind": kind, "reason": "x", "days": days});
        post(here, &path, &operator, &wrong).await.assert(400, "malformed");
    }
    check_closing(&operator, [here, there]).await;
}

/// The other node may learn of it in a moment.
pub(crate) async fn until_may_say(client: &mut Client, say: &Value) {
    while let Message::Refused { refusal, .. } = client.ask(say.clone()).await {
        // Lines that are refused count, too.
        assert!(matches!(refusal.reason, Reason::Muted | Reason::TooFast), "{refusal}");
        sleep(Duration::from_millis(50)).await;
    }
}

async fn check_closing(operator: &str, [here, there]: [&TestServer; 2]) {
    let (cookie, codes) = sign_up(there, "Cheater").await;
    let mut cheater = socket(there, &cookie).await;
    let id = get(there, "/api/account", &cookie).await.body["account"]["id"].clone();
    let path = format!("/api/moderation/people/{}", id.as_str().unwrap());
    let closing = json!({"kind": "close", "reason": "Cheating", "days": 30});
    assert_eq!(post(here, &path, operator, &closing).await.status, 204);
    assert_eq!(cheater.closed().await.0, close::IDENTITY_REPLACED);
    get(there, "/api/account", &cookie).await.assert(401, "signed_out");
    let signing_in = ask(there, "POST /api/session", &[], &typed("Cheater")).await;
    signing_in.assert(403, "account_closed");
    assert_eq!(signing_in.body["why"], "Cheating");
    assert!(signing_in.body["until"].is_u64());
    // Who does not know the password learns nothing.
    let guess = json!({"name": "Cheater", "password": "something else"});
    ask(there, "POST /api/session", &[], &guess).await.assert(403, "wrong_password");
    let recovery = json!({"name": "Cheater", "code": codes[0], "password": "something else"});
    ask(there, "POST /api/recovery", &[], &recovery).await.assert(403, "account_closed");
    let appeal = json!({"name": "Cheater", "password": "something else", "text": "I did not"});
    assert_eq!(ask(there, "POST /api/appeals", &[], &appeal).await.status, 204);
    let file = get(here, &path, operator).await;
    assert_eq!(file.body["sanctions"][0]["appeal"], "I did not");
    let id = file.body["sanctions"][0]["id"].as_str().unwrap();
    let undo = format!("/api/moderation/sanctions/{id}/undo");
    assert_eq!(post(here, &undo, operator, &Value::Null).await.status, 204);
    let back = json!({"name": "Cheater", "password": "something else"});
    while ask(there, "POST /api/session", &[], &back).await.status != 200 {
        sleep(Duration::from_millis(50)).await;
    }
}

#[tokio::test]
async fn operators_decide_and_people_are_told() {
    let memory = Memory::default();
    let server = TestServer::start_on(Box::new(memory.clone()), LIMITS);
    check_decisions(&memory, [&server; 2]).await;
    server.stop().await;
}

#[tokio::test]
async fn operators_decide_for_all_nodes() {
    let memory = Memory::default();
    let network = fivefold_server::transport::bus::local::LocalNetwork::new(1);
    let nodes = [(); 2].map(|()| TestServer::start_node(&memory, &network, LIMITS));
    check_decisions(&memory, [&nodes[0], &nodes[1]]).await;
    for node in nodes {
        node.stop().await;
    }
}

/// The moves of the rated games here: one more than is free.
pub(crate) const MOVES: [[i32; 2]; 7] = [[7, 7], [8, 8], [9, 6], [3, 0], [4, 0], [5, 0], [6, 0]];

/// Puts the moves of [`MOVES`] on the board of a paired game.
pub(crate) async fn play_rated(first: &mut Client, second: &mut Client, room: &RoomCode) {
    let put = json!({"put": &MOVES[..3]});
    act(first, json!({"type": "choose", "room": room, "ply": 0, "act": put})).await;
    act(second, json!({"type": "choose", "room": room, "ply": 3, "act": {"take": "white"}})).await;
    for (ply, point) in MOVES.iter().enumerate().skip(3) {
        let client = if ply % 2 == 1 { &mut *second } else { &mut *first };
        act(client, json!({"type": "play", "room": room, "ply": ply, "point": point})).await;
    }
}

/// Asks for help with moves: the status.
async fn help(server: &TestServer, path: &str, moves: &[[i32; 2]]) -> u16 {
    let rules = json!({"variant": "standard", "size": [15, 15]});
    let body = json!({"rules": rules, "moves": moves});
    ask(server, &format!("POST {path}"), &[], &body).await.status
}

#[tokio::test]
async fn nobody_gets_help_with_a_rated_game_that_is_running() {
    let network = fivefold_server::transport::bus::local::LocalNetwork::new(1);
    let memory = Memory::default();
    let nodes = [(); 2].map(|()| TestServer::start_node(&memory, &network, LIMITS));
    let [here, there] = &nodes;
    let [(one, _), (other, _)] = two(here).await;
    let (mut first, mut second, room) = pair(one, other).await;
    play_rated(&mut first, &mut second, &room).await;
    let mirrored = MOVES.map(|[x, y]| [14 - x, y + 2]);
    for path in ["/api/position", "/api/analyse"] {
        assert_eq!(help(here, path, &MOVES).await, 403, "{path}");
        assert_eq!(help(here, path, &mirrored).await, 403, "{path}, mirrored");
    }
    assert_eq!(help(here, "/api/position", &MOVES[..6]).await, 200, "an opening");
    // Stones that mean nothing are no way around, as long as they are few.
    let far = [[14, 14], [0, 14], [14, 0]];
    for (more, status) in [(1, 403), (2, 403), (3, 200)] {
        let moves = [&MOVES[..], &far[..more]].concat();
        assert_eq!(help(here, "/api/position", &moves).await, status, "{more} more");
        // An analysis that is answered takes long.
        if status == 403 {
            assert_eq!(help(here, "/api/analyse", &moves).await, status, "{more} more");
        }
    }
    // The other node knows it in a moment.
    while help(there, "/api/position", &mirrored).await != 403 {
        sleep(Duration::from_millis(50)).await;
    }
    // A room with help is no way around.
    let (mut eve, mut fay) = (there.greet("Eve").await, there.greet("Fay").await);
    let create = json!({"type": "create", "rules": {"variant": "standard"}, "colour": "black",
        "seats": ["me", "open"], "visibility": "private", "assistance": true});
    let copy = joined(eve.ask(create).await);
    fay.join(&copy).await;
    fay.ask(json!({"type": "sit", "room": copy})).await;
    for (ply, point) in MOVES.iter().enumerate() {
        let client = if ply % 2 == 0 { &mut eve } else { &mut fay };
        act(client, json!({"type": "play", "room": copy, "ply": ply, "point": point})).await;
    }
    for command in ["weights", "analyse"] {
        let command = json!({"type": command, "room": copy});
        assert_eq!(eve.refused(command).await, Reason::RatedGame);
    }
    let before = json!({"type": "weights", "room": copy, "ply": 6, "bot": "attack"});
    assert!(matches!(eve.ask(before).await, Message::Weights { .. }));
    // After the game everybody may ask.
    act(&mut first, json!({"type": "resign", "room": room})).await;
    assert_eq!(help(here, "/api/position", &MOVES).await, 200);
    while help(there, "/api/position", &MOVES).await != 200 {
        sleep(Duration::from_millis(50)).await;
    }
    for node in nodes {
        node.stop().await;
    }
}

#[tokio::test]
async fn who_may_play_no_rated_games_is_told_so() {
    let memory = Memory::default();
    let server = TestServer::start_on(Box::new(memory.clone()), LIMITS);
    let [(mut ann, cookie), (bob, operator)] = two(&server).await;
    make_operator(&memory, &server, &operator).await;
    let id = get(&server, "/api/account", &cookie).await.body["account"]["id"].clone();
    let path = format!("/api/moderation/people/{}", id.as_str().unwrap());
    let unrated = json!({"kind": "unrated", "reason": "Lost on purpose"});
    assert_eq!(post(&server, &path, &operator, &unrated).await.status, 204);
    assert_eq!(sanctioned(&mut ann).await.0, SanctionKind::Unrated);
    let seek = json!({"type": "seek", "settings": settings()});
    assert_eq!(ann.refused(seek).await, Reason::NoRatedGames);
    let challenge = json!({"type": "challenge", "name": "Bob", "settings": settings()});
    assert_eq!(ann.refused(challenge).await, Reason::NoRatedGames);
    // In a pool their game is casual, as with a guest: help with it is free.
    let (mut first, mut second, room) = pair(ann, bob).await;
    play_rated(&mut first, &mut second, &room).await;
    assert_eq!(help(&server, "/api/position", &MOVES).await, 200);
    server.stop().await;
}

#[tokio::test]
async fn a_sanction_that_begins_in_an_open_room_stops_the_rated_rematch() {
    let memory = Memory::default();
    let server = TestServer::start_on(Box::new(memory.clone()), LIMITS);
    let [(ann, cookie), (bob, operator)] = two(&server).await;
    make_operator(&memory, &server, &operator).await;
    let id = get(&server, "/api/account", &cookie).await.body["account"]["id"].clone();
    let path = format!("/api/moderation/people/{}", id.as_str().unwrap());
    let (mut first, mut second, room) = pair(ann, bob).await;
    play_rated(&mut first, &mut second, &room).await;
    act(&mut first, json!({"type": "resign", "room": room})).await;

    let unrated = json!({"kind": "unrated", "reason": "Lost on purpose"});
    assert_eq!(post(&server, &path, &operator, &unrated).await.status, 204);
    let rematch = json!({"type": "rematch", "room": room});
    let reasons = [first.refused(rematch.clone()).await, second.refused(rematch.clone()).await];
    assert!(reasons.contains(&Reason::NoRatedGames), "{reasons:?}");
    assert!(reasons.contains(&Reason::OpponentNotRated), "{reasons:?}");
    // To leave the seat and sit down again is no way around.
    act(&mut first, json!({"type": "stand", "room": room})).await;
    let reason = first.refused(json!({"type": "sit", "room": room})).await;
    assert_eq!(reason, reasons[0]);

    // When it is taken back, the two may play again.
    let file = get(&server, &path, &operator).await;
    let undo = format!(
        "/api/moderation/sanctions/{}/undo",
        file.body["sanctions"][0]["id"].as_str().unwrap()
    );
    assert_eq!(post(&server, &undo, &operator, &Value::Null).await.status, 204);
    let sit = json!({"type": "sit", "room": room});
    while !matches!(first.ask(sit.clone()).await, Message::Done { .. }) {
        sleep(Duration::from_millis(50)).await;
    }
    act(&mut second, rematch).await;
    server.stop().await;
}

#[tokio::test]
async fn a_sanction_that_begins_during_a_seek_makes_the_game_casual() {
    let memory = Memory::default();
    let server = TestServer::start_on(Box::new(memory.clone()), LIMITS);
    let [(mut ann, cookie), (bob, operator)] = two(&server).await;
    make_operator(&memory, &server, &operator).await;
    ann.seek("gomoku-5-3").await;
    let id = get(&server, "/api/account", &cookie).await.body["account"]["id"].clone();
    let path = format!("/api/moderation/people/{}", id.as_str().unwrap());
    let unrated = json!({"kind": "unrated", "reason": "Lost on purpose"});
    assert_eq!(post(&server, &path, &operator, &unrated).await.status, 204);
    assert_eq!(sanctioned(&mut ann).await.0, SanctionKind::Unrated);
    let (mut first, mut second, room) = pair(ann, bob).await;
    play_rated(&mut first, &mut second, &room).await;
    assert_eq!(help(&server, "/api/position", &MOVES).await, 200, "a casual game");
    server.stop().await;
}

#[tokio::test]
async fn rated_games_are_examined_and_operators_see_what_they_show() {
    let memory = Memory::default();
    let limits = Limits { examination_interval: Duration::from_millis(50), ..LIMITS };
    let server = TestServer::start_on(Box::new(memory.clone()), limits);
    let [(ann, cookie), (bob, operator)] = two(&server).await;
    make_operator(&memory, &server, &operator).await;
    let id = get(&server, "/api/account", &cookie).await.body["account"]["id"].clone();
    let path = format!("/api/moderation/people/{}", id.as_str().unwrap());
    let before = get(&server, &path, &operator).await;
    assert_eq!(
        (&before.body["hints"]["games"], &before.body["hints"]["kinds"]),
        (&json!(0), &json!([]))
    );
    let (mut first, mut second, room) = pair(ann, bob).await;
    play_rated(&mut first, &mut second, &room).await;
    act(&mut first, json!({"type": "resign", "room": room})).await;
    let shown = loop {
        let shown = get(&server, &path, &operator).await;
        if shown.body["hints"]["games"] == 1 {
            break shown.body["hints"].clone();
        }
        sleep(Duration::from_millis(50)).await;
    };
    // Two each after the opening.
    assert_eq!(shown["times"]["moves"], 2);
    assert_eq!(shown["agreement"].get("usual"), None, "nobody else has played");
    let mut reader = memory.clone().reader().unwrap();
    // The engine looks at it afterwards.
    while reader.examined().unwrap()[0].facts.first.agreement.is_none() {
        sleep(Duration::from_millis(50)).await;
    }
    let marks = reader.marks().unwrap();
    assert_eq!(
        marks.len(),
        2,
        "one network, and programs that do not say what they are: {marks:?}"
    );
    assert!(marks.iter().all(|mark| mark.kind == MarkKind::Network), "{marks:?}");
    // One game is no hint.
    let queue = get(&server, "/api/moderation", &operator).await;
    assert_eq!(queue.body["cases"], json!([]));
    server.stop().await;
}

#[tokio::test]
async fn people_who_play_from_one_network_are_in_the_queue_until_an_operator_decides() {
    let memory = Memory::default();
    let limits = Limits { examination_interval: Duration::from_millis(50), ..LIMITS };
    let server = TestServer::start_on(Box::new(memory.clone()), limits);
    let [(ann, cookie), (bob, operator)] = two(&server).await;
    make_operator(&memory, &server, &operator).await;
    let (mut first, mut second, room) = pair(ann, bob).await;
    for game in 0..3 {
        if game > 0 {
            act(&mut first, json!({"type": "rematch", "room": room})).await;
            act(&mut second, json!({"type": "rematch", "room": room})).await;
            (first, second) = (second, first);
        }
        play_rated(&mut first, &mut second, &room).await;
        act(&mut first, json!({"type": "resign", "room": room})).await;
    }
    let queue = loop {
        let queue = get(&server, "/api/moderation", &operator).await;
        if queue.body["cases"].as_array().unwrap().len() == 2 {
            break queue.body["cases"].clone();
        }
        sleep(Duration::from_millis(50)).await;
    };
    for case in queue.as_array().unwrap() {
        let found = (&case["hints"], &case["reports"], &case["appeals"]);
        assert_eq!(found, (&json!(["network"]), &json!(0), &json!(0)));
    }
    // A note is enough: what was decided is not asked again.
    let id = get(&server, "/api/account", &cookie).await.body["account"]["id"].clone();
    let path = format!("/api/moderation/people/{}", id.as_str().unwrap());
    let note = json!({"kind": "note", "reason": "Two sisters"});
    assert_eq!(post(&server, &path, &operator, &note).await.status, 204);
    let queue = get(&server, "/api/moderation", &operator).await;
    assert_eq!(queue.body["cases"].as_array().unwrap().len(), 1);
    let file = get(&server, &path, &operator).await;
    assert_eq!(file.body["hints"]["kinds"], json!(["network"]), "the case still shows it");
    assert_eq!(file.body["hints"]["shared"][0]["games"], 3);
    server.stop().await;
}

#[tokio::test]
async fn who_leaves_a_rated_game_before_it_begins_is_marked() {
    let memory = Memory::default();
    let server = TestServer::start_on(Box::new(memory.clone()), LIMITS);
    let [(ann, cookie), (bob, _)] = two(&server).await;
    let id = get(&server, "/api/account", &cookie).await.body["account"]["id"].clone();
    let (mut first, mut second, room) = pair(ann, bob).await;
    act(&mut first, json!({"type": "abort", "room": room})).await;
    let marks = loop {
        let marks = memory.clone().reader().unwrap().marks().unwrap();
        if !marks.is_empty() {
            break marks;
        }
        // A mark is stored after the end, when the log writer is free.
        second.ask(json!({"type": "chat", "room": room})).await;
    };
    let [mark] = &marks[..] else { panic!("{marks:?}") };
    assert_eq!(mark.kind, MarkKind::Aborted);
    let is_ann = mark.member.as_str() == id.as_str().unwrap();
    assert_ne!(mark.opponent.as_str() == id.as_str().unwrap(), is_ann);
    server.stop().await;
}
