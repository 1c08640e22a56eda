//! What operators see and do about the server, and how the first of them is made, over real sockets.

use std::{fs, sync::Arc, time::Duration};

use fivefold_server::{
    config::Config,
    limits::operators::{ANNOUNCEMENT_HOURS_MAX, FIRST_OPERATOR_TRIES_MAX},
    process::{
        operation::Operation,
        operator_link::{OperatorLink, OperatorToken},
    },
    transport::bus::local::LocalNetwork,
};
use fivefold_shared::protocol::{CHAT_TEXT_MAX, Message, Reason, close};
use fivefold_storage::{Memory, ModerationChange, Storage};
use fivefold_test_services::PushService;
use serde_json::{Value, json};
use tokio::time::sleep;

use crate::{
    accounts::{Answer, ask, sign_up, with},
    cluster::{two_nodes, until_all_ready},
    harness::{Client, LIMITS, TestServer, config, within},
    moderation::{get, guest, make_operator, post},
    pairing::seek,
    program::Program,
    pushes::{self, game, meet, next, play},
    sleeping::{SLEEPY, all_asleep, own_rooms},
};

/// A server with an operator: their cookie.
async fn operated() -> (TestServer, String) {
    let memory = Memory::default();
    let server = TestServer::start_on(Box::new(memory.clone()), LIMITS);
    let (cookie, _) = sign_up(&server, "Olga").await;
    make_operator(&memory, &server, &cookie).await;
    (server, cookie)
}

async fn overview(server: &TestServer, cookie: &str) -> Value {
    let answer = get(server, "/api/admin", cookie).await;
    assert_eq!(answer.status, 200, "{}", answer.body);
    answer.body
}

async fn announce(server: &TestServer, cookie: &str, text: &str, hours: u32) -> Answer {
    post(server, "/api/admin/announcement", cookie, &json!({"text": text, "hours": hours})).await
}

/// The next announcement that a client reads.
async fn announced(client: &mut Client) -> (Option<String>, Option<u64>) {
    loop {
        if let Message::Announcement { text, until } = client.receive().await {
            return (text.map(String::from), until);
        }
    }
}

/// Makes a member the first operator by the token of a link.
async fn become_operator(server: &TestServer, cookie: &str, token: &str) -> Answer {
    post(server, "/api/first-operator", cookie, &json!({"token": token})).await
}

#[tokio::test]
async fn only_operators_see_and_do_it_and_only_on_this_page() {
    let (server, operator) = operated().await;
    let (cookie, _) = sign_up(&server, "Ann").await;
    let eve = guest(&server, "Eve").await;
    let routes = [
        ("GET /api/admin", Value::Null),
        ("POST /api/admin/announcement", json!({"text": "Hello", "hours": 1})),
        ("POST /api/admin/announcement/end", json!({})),
        ("POST /api/admin/nodes/1/pause", json!({"paused": true})),
        ("POST /api/admin/rooms/k7m2qpxw9abc/close", json!({"reason": "Insults"})),
        ("POST /api/admin/settings/read", json!({})),
    ];
    for (route, body) in routes {
        ask(&server, route, &with(&cookie), &body).await.assert(403, "operators_only");
        ask(&server, route, &[], &body).await.assert(401, "signed_out");
        ask(&server, route, &eve.head, &body).await.assert(401, "signed_out");
        let elsewhere = [with(&operator), vec!["Origin: https://evil.example".to_owned()]].concat();
        if body != Value::Null {
            ask(&server, route, &elsewhere, &body).await.assert(403, "foreign_page");
        }
    }
    // This server was made without settings.
    let read = post(&server, "/api/admin/settings/read", &operator, &json!({})).await;
    read.assert(503, "unavailable");
    let seen = overview(&server, &operator).await;
    assert_eq!(seen["acts"], json!([]), "nothing was done");
    assert_eq!(seen["settings"], Value::Null);
    assert_eq!((&seen["readiness"], &seen["announcement"]), (&json!("ready"), &Value::Null));
    server.stop().await;
}

#[tokio::test]
async fn an_operator_sees_who_is_online_and_which_games_run() {
    let (server, operator) = operated().await;
    let (ann, _bob, room) = server.two_play().await;
    let mut olga = server.connect_with(&operator).await;
    olga.ask(json!({"type": "hello", "protocol": 1})).await;
    let seen = overview(&server, &operator).await;
    let node = &seen["nodes"][0];
    let expected = json!({"accounts": 1, "guests": 2, "programs": 0, "sessions": 3});
    assert_eq!(node["online"], expected, "{node}");
    assert_eq!((&node["rooms"], &node["games"]), (&json!(1), &json!(1)));
    assert!(node["totals"]["done"].as_u64().unwrap() >= 3, "{node}");
    assert!(node["started_at"].as_u64().unwrap() <= seen["now"].as_u64().unwrap());
    assert_eq!(seen["running"][0]["room"], room.as_str());
    let names = seen["people"].as_array().unwrap().iter();
    let names: Vec<_> = names.map(|one| (one["name"].clone(), one["kind"].clone())).collect();
    let expected = [("Ann", "guest"), ("Bob", "guest"), ("Olga", "account")];
    assert_eq!(names, expected.map(|(name, kind)| (json!(name), json!(kind))));
    // A decision about somebody is in the log of decisions.
    let member = seen["people"][0]["member"].as_str().unwrap();
    let mute = json!({"kind": "mute", "reason": "Insults", "days": 1});
    let path = format!("/api/moderation/people/{member}");
    // Nothing is stored about a guest who has no seat; Ann has one.
    let decided = post(&server, &path, &operator, &mute).await;
    assert_eq!(decided.status, 204, "{}", decided.body);
    let decision = &overview(&server, &operator).await["decisions"][0];
    assert_eq!((&decision["kind"], &decision["operator"]), (&json!("mute"), &json!("Olga")));
    drop(ann);
    server.stop().await;
}

#[tokio::test]
async fn everybody_reads_an_announcement_until_it_is_taken_back() {
    let (server, operator) = operated().await;
    let mut ann = server.greet("Ann").await;
    announce(&server, &operator, &"x".repeat(CHAT_TEXT_MAX + 1), 1).await.assert(400, "malformed");
    announce(&server, &operator, " ", 1).await.assert(400, "malformed");
    for hours in [0, ANNOUNCEMENT_HOURS_MAX + 1] {
        announce(&server, &operator, "Hello", hours).await.assert(400, "malformed");
    }
    let longest = "x".repeat(CHAT_TEXT_MAX);
    assert_eq!(announce(&server, &operator, &longest, 1).await.status, 204);
    assert_eq!(announced(&mut ann).await.0, Some(longest));
    let text = "New version at noon";
    assert_eq!(announce(&server, &operator, text, ANNOUNCEMENT_HOURS_MAX).await.status, 204);
    let (read, until) = announced(&mut ann).await;
    assert_eq!(read.as_deref(), Some(text));
    // Who comes later reads the last one.
    let mut bob = server.greet("Bob").await;
    assert_eq!(announced(&mut bob).await, (read, until));
    let shown = overview(&server, &operator).await["announcement"].clone();
    assert_eq!(shown, json!({"text": text, "until": until, "by": "Olga"}));

    let end = "/api/admin/announcement/end";
    assert_eq!(post(&server, end, &operator, &json!({})).await.status, 204);
    assert_eq!(announced(&mut ann).await, (None, None));
    post(&server, end, &operator, &json!({})).await.assert(404, "no_such_case");
    let mut eve = server.greet("Eve").await;
    // What came before the answer was read up to it.
    eve.send_text(r#"{"type": "ping", "id": "p"}"#).await;
    assert!(matches!(eve.receive().await, Message::Pong { .. }), "nothing is announced any more");
    let seen = overview(&server, &operator).await;
    let kinds: Vec<_> =
        seen["acts"].as_array().unwrap().iter().map(|act| act["kind"].clone()).collect();
    assert_eq!(kinds, ["end_announcement", "announce", "announce"]);
    server.stop().await;
}

#[tokio::test]
async fn nobody_begins_a_game_at_a_paused_server_and_running_games_go_on() {
    let (server, operator) = operated().await;
    let (mut ann, mut bob, room) = server.two_play().await;
    let mut eve = server.greet("Eve").await;
    eve.seek("free").await;
    let node = overview(&server, &operator).await["nodes"][0]["node"].clone();
    let path = format!("/api/admin/nodes/{node}/pause");
    let pause = async |paused: bool| {
        post(&server, &path, &operator, &json!({"paused": paused})).await.status
    };
    assert_eq!(pause(true).await, 204);
    // Who seeks comes again, and reads it.
    assert_eq!(eve.closed().await.0, close::RESTART);
    let mut eve = server.greet("Eve").await;
    assert_eq!(eve.refused(seek("free")).await, Reason::Paused);
    let create = json!({"type": "create", "rules": {"variant": "freestyle"},
        "seats": ["me", "open"], "colour": "black", "visibility": "public"});
    assert_eq!(eve.refused(create.clone()).await, Reason::Paused);
    // No other node takes clients, so a proxy still sends them here.
    let ready = server.monitor("/readyz").await;
    assert!(ready.starts_with("HTTP/1.1 200"), "{ready}");
    assert!(ready.contains(r#""warnings":["paused"]"#), "{ready}");
    let played = ann.ask(json!({"type": "play", "room": room, "ply": 0, "point": [7, 7]})).await;
    assert!(matches!(played, Message::Done { .. }), "{played:?}");
    let played = bob.ask(json!({"type": "play", "room": room, "ply": 1, "point": [8, 8]})).await;
    assert!(matches!(played, Message::Done { .. }), "{played:?}");
    let seen = overview(&server, &operator).await;
    assert_eq!(seen["nodes"][0]["paused"], true);
    assert_eq!(seen["readiness"], "paused by an operator");
    assert_eq!(pause(false).await, 204);
    let ready = server.monitor("/readyz").await;
    assert!(ready.starts_with("HTTP/1.1 200") && !ready.contains("paused"), "{ready}");
    assert!(matches!(eve.ask(create).await, Message::Joined { .. }));
    let nobody = "/api/admin/nodes/999/pause";
    let nobody = post(&server, nobody, &operator, &json!({"paused": true})).await;
    nobody.assert(404, "no_such_case");
    server.stop().await;
}

/// Reads up to the end of a room: what the operator says.
async fn closed_why(client: &mut Client) -> String {
    loop {
        if let Message::Closed { text, why, .. } = client.receive().await {
            let why = String::from(why.expect("an operator's reason"));
            assert_eq!(text, format!("An operator has closed this room: {why}"));
            return why;
        }
    }
}

#[tokio::test]
async fn an_operator_closes_a_room_and_everybody_there_reads_why() {
    let (server, operator) = operated().await;
    let (mut ann, mut bob, room) = server.two_play().await;
    let path = format!("/api/admin/rooms/{room}/close");
    let close = async |path: &str, reason: &str| {
        post(&server, path, &operator, &json!({"reason": reason})).await
    };
    close(&path, &"x".repeat(CHAT_TEXT_MAX + 1)).await.assert(400, "malformed");
    close(&path, "").await.assert(400, "malformed");
    let longest = "x".repeat(CHAT_TEXT_MAX);
    let done = close(&path, &longest).await;
    assert_eq!(done.status, 204, "{}", done.body);
    for client in [&mut ann, &mut bob] {
        assert_eq!(closed_why(client).await, longest);
    }
    let join = json!({"type": "join", "room": room});
    assert_eq!(ann.refused(join).await, Reason::NoSuchRoom);
    close(&path, "Again").await.assert(404, "no_such_room");
    // The game has no result.
    assert!(!server.get("/api/games").await.contains("\"outcome\""));
    let act = &overview(&server, &operator).await["acts"][0];
    assert_eq!((&act["kind"], &act["about"]), (&json!("close_room"), &json!(room)));
    assert_eq!((&act["operator"], &act["reason"]), (&json!("Olga"), &json!(longest)));
    server.stop().await;
}

#[tokio::test]
async fn an_operator_at_one_node_acts_at_the_others() {
    let memory = Memory::default();
    let nodes = two_nodes(&memory, LIMITS).await;
    let (operator, _) = sign_up(&nodes[0], "Olga").await;
    make_operator(&memory, &nodes[0], &operator).await;
    let (mut ann, mut bob, room) = nodes[1].two_play().await;
    let seen = overview(&nodes[0], &operator).await;
    assert_eq!(seen["unanswered"], json!([]));
    assert_eq!(seen["running"][0]["room"], room.as_str(), "a room of the other node");
    assert_eq!(seen["nodes"][1]["online"]["guests"], 2);

    assert_eq!(announce(&nodes[0], &operator, "Hello", 1).await.status, 204);
    for client in [&mut ann, &mut bob] {
        assert_eq!(announced(client).await.0.as_deref(), Some("Hello"));
    }
    let mut eve = nodes[1].greet("Eve").await;
    assert_eq!(announced(&mut eve).await.0.as_deref(), Some("Hello"));

    let path = format!("/api/admin/nodes/{}/pause", seen["nodes"][1]["node"]);
    assert_eq!(post(&nodes[0], &path, &operator, &json!({"paused": true})).await.status, 204);
    // It has to know that the other node takes rooms.
    let mut ready = nodes[1].monitor("/readyz").await;
    while ready.starts_with("HTTP/1.1 200") {
        assert!(ready.contains("paused"), "{ready}");
        sleep(Duration::from_millis(20)).await;
        ready = nodes[1].monitor("/readyz").await;
    }
    assert!(
        ready.starts_with("HTTP/1.1 503") && ready.contains("paused by an operator"),
        "{ready}"
    );
    assert!(nodes[0].monitor("/readyz").await.starts_with("HTTP/1.1 200"));
    let seen = overview(&nodes[0], &operator).await;
    assert_eq!(
        (&seen["nodes"][0]["paused"], &seen["nodes"][1]["paused"]),
        (&json!(false), &json!(true))
    );

    let path = format!("/api/admin/rooms/{room}/close");
    let done = post(&nodes[0], &path, &operator, &json!({"reason": "Insults"})).await;
    assert_eq!(done.status, 204, "{}", done.body);
    for client in [&mut ann, &mut bob] {
        assert_eq!(closed_why(client).await, "Insults");
    }
    for node in nodes {
        node.stop().await;
    }
}

#[tokio::test]
async fn a_daily_game_whose_room_an_operator_closes_ends_and_its_absent_players_learn_why() {
    let (mut service, memory) = (PushService::start().await, Memory::default());
    let server = TestServer::start_with(Box::new(memory.clone()), pushes::config(&service, SLEEPY));
    let (olga, _) = sign_up(&server, "Olga").await;
    make_operator(&memory, &server, &olga).await;
    let ([_ann, _bori], [mut at_ann, mut at_bori]) = meet(&server, &service).await;
    for sleeps in [false, true] {
        let room = game(&mut at_bori, &mut at_ann).await;
        play(&mut at_bori, &room, 0).await;
        assert_eq!(next(&mut service, 1).await.1["title"], "Your move against Bori");
        if sleeps {
            all_asleep(&server).await;
        }
        let path = format!("/api/admin/rooms/{room}/close");
        let done = post(&server, &path, &olga, &json!({"reason": "Insults"})).await;
        assert_eq!(done.status, 204, "{}", done.body);
        let told = next(&mut service, 1).await.1;
        assert_eq!(told["title"], "Your game with Bori was closed");
        assert_eq!(told["body"], "It has no result. The operator writes: Insults");
        // Their places are free.
        for player in [&mut at_ann, &mut at_bori] {
            within(async { while !own_rooms(player).await.is_empty() {} }).await;
        }
    }
    server.stop().await;
}

#[tokio::test]
async fn an_operator_does_not_close_the_room_of_a_game_of_their_own() {
    let (server, operator) = operated().await;
    let mut olga = server.connect_with(&operator).await;
    olga.ask(json!({"type": "hello", "protocol": 1})).await;
    let room = olga.create(json!(["me", "open"])).await;
    let path = format!("/api/admin/rooms/{room}/close");
    let closed = post(&server, &path, &operator, &json!({"reason": "I lose"})).await;
    closed.assert(409, "already_seated");
    assert_eq!(overview(&server, &operator).await["acts"], json!([]));
    server.stop().await;
}

/// A server whose first operator is made by a link with this token.
fn with_link(token: &OperatorToken) -> Config {
    let operation = Arc::new(Operation::with_link(OperatorLink::new(token)));
    Config { operation, ..config(LIMITS) }
}

#[tokio::test]
async fn the_link_makes_nobody_an_operator_once_there_was_another_one() {
    let (token, memory) = (OperatorToken::random(), Memory::default());
    let server = TestServer::start_with(Box::new(memory.clone()), with_link(&token));
    let (ann, _) = sign_up(&server, "Ann").await;
    let (bob, _) = sign_up(&server, "Bob").await;
    // The command line makes one, and takes that back when the server has seen it.
    make_operator(&memory, &server, &ann).await;
    become_operator(&server, &bob, token.as_str()).await.assert(403, "wrong_operator_link");
    let account = get(&server, "/api/account", &ann).await;
    let member = serde_json::from_value(account.body["account"]["id"].clone()).unwrap();
    memory.clone().moderate(&ModerationChange::Operator { member, since: None }).unwrap();
    assert_eq!(memory.reader().unwrap().has_operator(), Ok(false));
    become_operator(&server, &bob, token.as_str()).await.assert(403, "wrong_operator_link");
    server.stop().await;
}

/// What operators have decided stays when a node joins its cluster again: it begins again with the same configuration.
#[tokio::test]
async fn a_node_that_joins_again_is_still_paused_and_keeps_the_announcement() {
    let (memory, config) = (Memory::default(), config(LIMITS));
    let start = || TestServer::start_with(Box::new(memory.reopen()), config.clone());
    let server = start();
    let (olga, _) = sign_up(&server, "Olga").await;
    make_operator(&memory, &server, &olga).await;
    assert_eq!(announce(&server, &olga, "Hello", 1).await.status, 204);
    let node = overview(&server, &olga).await["nodes"][0].clone();
    let path = format!("/api/admin/nodes/{}/pause", node["node"]);
    assert_eq!(post(&server, &path, &olga, &json!({"paused": true})).await.status, 204);
    server.stop().await;
    let server = start();
    let seen = overview(&server, &olga).await;
    assert_eq!(
        (&seen["announcement"]["text"], &seen["nodes"][0]["paused"]),
        (&json!("Hello"), &json!(true))
    );
    assert_eq!(seen["nodes"][0]["started_at"], node["started_at"]);
    assert_eq!(
        (&seen["acts"][0]["kind"], &seen["acts"][1]["kind"]),
        (&json!("pause"), &json!("announce"))
    );
    assert_eq!(seen["readiness"], "paused by an operator");
    let mut eve = server.greet("Eve").await;
    assert_eq!(announced(&mut eve).await.0.as_deref(), Some("Hello"));
    server.stop().await;
}

#[tokio::test]
async fn a_node_that_starts_later_learns_of_the_announcement() {
    let (memory, network) = (Memory::default(), LocalNetwork::new(7));
    let first = TestServer::start_node(&memory, &network, LIMITS);
    let (olga, _) = sign_up(&first, "Olga").await;
    make_operator(&memory, &first, &olga).await;
    assert_eq!(announce(&first, &olga, "Hello", 1).await.status, 204);
    let second = TestServer::start_node(&memory, &network, LIMITS);
    within(async { while overview(&second, &olga).await["announcement"]["text"] != "Hello" {} })
        .await;
    for node in [first, second] {
        node.stop().await;
    }
}

#[tokio::test]
async fn the_link_makes_one_operator_at_whatever_node() {
    let (memory, network) = (Memory::default(), LocalNetwork::new(7));
    let tokens = [OperatorToken::random(), OperatorToken::random()];
    let nodes = tokens.clone().map(|token| {
        let config = with_link(&token);
        TestServer::start_node_on(Box::new(memory.clone()), &memory, &network, config)
    });
    until_all_ready(&nodes).await;
    let (ann, _) = sign_up(&nodes[1], "Ann").await;
    let (bob, _) = sign_up(&nodes[1], "Bob").await;
    let [token, other] = tokens.each_ref().map(OperatorToken::as_str);
    let guest = ask(&nodes[1], "POST /api/first-operator", &[], &json!({"token": token})).await;
    guest.assert(401, "signed_out");
    become_operator(&nodes[1], &ann, &"0".repeat(32)).await.assert(403, "wrong_operator_link");
    get(&nodes[1], "/api/admin", &ann).await.assert(403, "operators_only");
    // The node that printed the link is another one.
    let made = become_operator(&nodes[1], &ann, token).await;
    assert_eq!(made.status, 204, "{}", made.body);
    assert_eq!(overview(&nodes[0], &ann).await["acts"][0]["kind"], "first_operator");
    // It was used; and the link of the other node comes too late.
    for token in [token, other] {
        become_operator(&nodes[1], &bob, token).await.assert(403, "wrong_operator_link");
    }
    get(&nodes[0], "/api/admin", &bob).await.assert(403, "operators_only");
    for node in nodes {
        node.stop().await;
    }
}

#[tokio::test]
async fn nobody_guesses_the_link() {
    let token = OperatorToken::random();
    let server = TestServer::start_with(Box::new(Memory::default()), with_link(&token));
    let (ann, _) = sign_up(&server, "Ann").await;
    for number in 0..FIRST_OPERATOR_TRIES_MAX {
        let wrong = become_operator(&server, &ann, &format!("{number:032}")).await;
        wrong.assert(403, "wrong_operator_link");
    }
    become_operator(&server, &ann, token.as_str()).await.assert(429, "too_many_tries");
    get(&server, "/api/admin", &ann).await.assert(403, "operators_only");
    server.stop().await;
}

/// The token in a line that the program has printed.
fn token_in(line: &str) -> String {
    let token = line.rsplit_once("/admin#").unwrap_or_else(|| panic!("{line}")).1;
    let token: String = token.chars().take_while(char::is_ascii_hexdigit).collect();
    assert_eq!(token.len(), 32, "128 bits: {line}");
    token
}

#[tokio::test]
async fn a_start_without_an_operator_prints_the_link_and_later_ones_do_not() {
    let mut server = Program::start(&[]);
    let old = token_in(&server.line());
    let (rest, folder) = server.printed().await;
    assert_eq!(rest, "");
    let mut server = Program::start_in(folder, &[("log-format", "json")]);
    let line: Value = serde_json::from_str(&server.line()).unwrap();
    let token = token_in(line["fields"]["url"].as_str().unwrap());
    assert_ne!(token, old);

    let ann = json!({"name": "Ann", "password": "correct horse"});
    let (status, head, _) = server.ask("POST /api/account", "", &ann).await;
    assert_eq!(status, 201, "{head}");
    let cookie = head.lines().find_map(|line| line.strip_prefix("set-cookie: ")).unwrap();
    let cookie = format!("Cookie: {}\r\n", cookie.split(';').next().unwrap());
    for (token, status) in [(&old, 403), (&token, 204), (&token, 403)] {
        let body = json!({"token": token});
        let answer = server.ask("POST /api/first-operator", &cookie, &body).await;
        assert_eq!(answer.0, status, "{answer:?}");
    }
    let hello = json!({"text": "Hello", "hours": 1});
    assert_eq!(server.ask("POST /api/admin/announcement", &cookie, &hello).await.0, 204);
    let (rest, folder) = server.printed().await;
    assert_eq!(rest, "");
    let log = fs::read_to_string(folder.path().join("log")).unwrap();
    let lines: Vec<Value> = log.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let audit = |act: &str, what: Option<&str>| {
        let is_it = |line: &&Value| {
            let fields = &line["fields"];
            line["target"] == "audit"
                && fields["message"] == act
                && fields["result"] == "done"
                && fields["account"] == "Ann"
                && fields["what"].as_str() == what
        };
        lines.iter().filter(is_it).count()
    };
    assert_eq!(audit("first_operator", None), 1, "{log}");
    assert_eq!(audit("operator", Some("announcement")), 1, "{log}");
    let said = lines.iter().filter(|line| line["fields"]["why"] == "Hello").count();
    assert_eq!(said, 1, "the audit log has what everybody was told: {log}");
    assert!(!log.contains(&token), "the log has no token");

    let (rest, _folder) = Program::start_in(folder, &[]).printed().await;
    assert_eq!(rest, "", "there is an operator");
}
