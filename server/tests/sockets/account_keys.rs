//! Passkeys and tokens over HTTP and sockets, by a device in software.

use fivefold_server::{config::Config, transport::bus::local::LocalNetwork};
use fivefold_shared::protocol::{AccountNews, Message, Reason, Scope, close};
use fivefold_storage::Memory;
use serde_json::{Value, json};

use crate::{
    accounts::{
        Answer, PASSWORD, ask, bearer, greet, hello, sign_in, sign_up, socket, typed, with,
    },
    harness::{LIMITS, TestServer},
    soft_passkey::SoftPasskey,
};

const ORIGIN: &str = "http://localhost:8080";

async fn challenge(server: &TestServer, head: &[String], body: &Value) -> Value {
    let answer = ask(server, "POST /api/passkeys/challenge", head, body).await;
    assert_eq!(answer.status, 200, "{}", answer.body);
    answer.body
}

/// The part of a body that carries a device's answer.
fn answered(started: &Value, credential: &Value) -> Value {
    json!({"challenge": started["challenge"], "credential": credential})
}

/// Signs up by a passkey.
async fn sign_up_by_passkey(
    server: &TestServer,
    name: &str,
    head: &[String],
) -> (SoftPasskey, Answer) {
    let started = challenge(server, head, &json!({"for": "sign_up", "name": name})).await;
    let (passkey, credential) = SoftPasskey::create(&started["options"], ORIGIN);
    let body = json!({"name": name, "passkey": answered(&started, &credential)});
    let answer = ask(server, "POST /api/account", head, &body).await;
    (passkey, answer)
}

async fn try_passkey(server: &TestServer, passkey: &mut SoftPasskey, origin: &str) -> Answer {
    let started = challenge(server, &[], &json!({"for": "sign_in"})).await;
    let credential = passkey.sign(&started["options"], origin);
    let body = json!({"passkey": answered(&started, &credential)});
    ask(server, "POST /api/session", &[], &body).await
}

async fn add_passkey(server: &TestServer, cookie: &str, label: &str) -> SoftPasskey {
    let started = challenge(server, &with(cookie), &json!({"for": "add"})).await;
    let (passkey, credential) = SoftPasskey::create(&started["options"], ORIGIN);
    let mut body = answered(&started, &credential);
    body["label"] = label.into();
    let answer = ask(server, "POST /api/account/passkeys", &with(cookie), &body).await;
    assert_eq!(answer.status, 201, "{}", answer.body);
    passkey
}

async fn shown(server: &TestServer, cookie: &str) -> Value {
    ask(server, "GET /api/account", &with(cookie), &Value::Null).await.body
}

pub(crate) async fn new_token(server: &TestServer, cookie: &str, scopes: &[Scope]) -> String {
    let body = json!({"label": "bot", "scopes": scopes});
    let answer = ask(server, "POST /api/account/tokens", &with(cookie), &body).await;
    assert_eq!(answer.status, 201, "{}", answer.body);
    answer.body["token"].as_str().unwrap().to_owned()
}

fn hello_by(token: &str) -> Value {
    json!({"type": "hello", "protocol": 1, "token": token})
}

#[tokio::test]
async fn a_passkey_answers_for_the_port_of_the_public_url_only() {
    let public_url = Some(ORIGIN.parse().unwrap());
    let config = Config { limits: LIMITS, public_url, ..Config::default() };
    let server = TestServer::start_with(Box::new(Memory::default()), config);
    let (mut passkey, answer) = sign_up_by_passkey(&server, "Ann", &[]).await;
    assert_eq!(answer.status, 201, "{}", answer.body);
    for origin in ["http://localhost:1", "http://localhost", "https://localhost:8080"] {
        try_passkey(&server, &mut passkey, origin).await.assert(403, "wrong_passkey");
    }
    assert_eq!(try_passkey(&server, &mut passkey, ORIGIN).await.status, 200);
    server.stop().await;
}

#[tokio::test]
async fn a_guest_signs_up_and_in_by_a_passkey_alone() {
    let server = TestServer::start(LIMITS);
    let (mut guest, id, identity) = greet(&server, "Ann").await;
    let (mut passkey, answer) = sign_up_by_passkey(&server, "Anna", &[bearer(&identity)]).await;
    assert_eq!((answer.status, &answer.body["account"]["id"]), (201, &json!(id)));
    assert_eq!(answer.body["recovery_codes"].as_array().unwrap().len(), 8);
    assert_eq!(guest.closed().await.0, close::IDENTITY_REPLACED);
    let cookie = answer.cookie();
    let own = shown(&server, &cookie).await;
    assert_eq!(
        (&own["has_password"], &own["passkey_domain"]),
        (&json!(false), &json!("localhost"))
    );
    assert_eq!(own["passkeys"].as_array().unwrap().len(), 1);
    assert!(!own.to_string().contains("cred"), "{own}");

    let again = try_passkey(&server, &mut passkey, ORIGIN).await;
    assert_eq!((again.status, &again.body["account"]["name"]), (200, &json!("Anna")));
    socket(&server, &again.cookie()).await;
    // Without `--public-url` any port of this machine, and no other page.
    assert_eq!(try_passkey(&server, &mut passkey, "http://localhost:9").await.status, 200);
    let elsewhere = try_passkey(&server, &mut passkey, "http://evil.org").await;
    elsewhere.assert(403, "wrong_passkey");
    // A password opens nothing, in the same words as for nobody.
    ask(&server, "POST /api/session", &[], &typed("Anna")).await.assert(403, "wrong_password");
    let head = with(&cookie);
    let first = own["passkeys"][0]["id"].as_str().unwrap();
    let path = format!("DELETE /api/account/passkeys/{first}");
    ask(&server, &path, &head, &Value::Null).await.assert(409, "last_key");
    // The key was used a moment ago, so a password needs no other.
    let set = json!({"new_password": PASSWORD});
    assert_eq!(ask(&server, "POST /api/account/password", &head, &set).await.status, 204);
    sign_in(&server, "Anna").await;
    server.stop().await;
}

#[tokio::test]
async fn a_challenge_is_answered_once_and_for_what_it_was_made() {
    let server = TestServer::start(LIMITS);
    let (mut passkey, answer) = sign_up_by_passkey(&server, "Ann", &[]).await;
    let cookie = answer.cookie();
    let head = with(&cookie);
    let started = challenge(&server, &[], &json!({"for": "sign_in"})).await;
    let credential = passkey.sign(&started["options"], ORIGIN);
    let body = json!({"passkey": answered(&started, &credential)});
    // Not to confirm something, and after that for nothing.
    let confirm = ask(&server, "POST /api/account/confirm", &head, &body).await;
    confirm.assert(403, "wrong_passkey");
    ask(&server, "POST /api/session", &[], &body).await.assert(403, "wrong_passkey");
    // A key that nobody has reads the same.
    let started = challenge(&server, &[], &json!({"for": "sign_up", "name": "Bob"})).await;
    let (mut unknown, _) = SoftPasskey::create(&started["options"], ORIGIN);
    let answer = try_passkey(&server, &mut unknown, ORIGIN).await;
    answer.assert(403, "wrong_passkey");
    assert_eq!(answer.body, confirm.body);
    // One session does not answer what another was asked.
    let other = try_passkey(&server, &mut passkey, ORIGIN).await.cookie();
    let started = challenge(&server, &head, &json!({"for": "confirm"})).await;
    let credential = passkey.sign(&started["options"], ORIGIN);
    let body = json!({"passkey": answered(&started, &credential)});
    let stolen = ask(&server, "POST /api/account/confirm", &with(&other), &body).await;
    stolen.assert(403, "wrong_passkey");
    let started = challenge(&server, &head, &json!({"for": "confirm"})).await;
    let credential = passkey.sign(&started["options"], ORIGIN);
    let body = json!({"passkey": answered(&started, &credential)});
    assert_eq!(ask(&server, "POST /api/account/confirm", &head, &body).await.status, 204);
    // The names of new accounts are checked before the device is asked.
    for (name, status, reason) in [("Ann", 409, "name_taken"), ("admin", 400, "name_reserved")] {
        let body = json!({"for": "sign_up", "name": name});
        let refused = ask(&server, "POST /api/passkeys/challenge", &[], &body).await;
        refused.assert(status, reason);
    }
    server.stop().await;
}

#[tokio::test]
async fn more_passkeys_are_told_to_all_sessions_and_removed_ones_open_nothing() {
    let server = TestServer::start(LIMITS);
    let (cookie, _) = sign_up(&server, "Ann").await;
    let other = sign_in(&server, "Ann").await;
    let mut there = socket(&server, &other).await;
    let mut phone = add_passkey(&server, &cookie, "My phone").await;
    let news = there.receive().await;
    let Message::AccountChanged { change: AccountNews::PasskeyAdded, label, .. } = &news else {
        panic!("{news:?}")
    };
    assert_eq!(label, "My phone");
    assert_eq!(try_passkey(&server, &mut phone, ORIGIN).await.status, 200);
    let own = shown(&server, &cookie).await;
    assert_eq!(own["passkeys"][0]["label"], "My phone");
    assert!(own["passkeys"][0]["used_at"].is_u64(), "{own}");
    let id = own["passkeys"][0]["id"].as_str().unwrap();
    let path = format!("DELETE /api/account/passkeys/{id}");
    assert_eq!(ask(&server, &path, &with(&cookie), &Value::Null).await.status, 204);
    let news = there.receive().await;
    assert!(
        matches!(&news, Message::AccountChanged { change: AccountNews::PasskeyRemoved, .. }),
        "{news:?}"
    );
    try_passkey(&server, &mut phone, ORIGIN).await.assert(403, "wrong_passkey");
    server.stop().await;
}

#[tokio::test]
async fn passkeys_do_not_work_where_there_is_no_domain() {
    let config = Config {
        limits: LIMITS,
        public_url: Some("http://192.0.2.1".parse().unwrap()),
        ..Config::default()
    };
    let server = TestServer::start_with(Box::new(Memory::default()), config);
    let domain = ask(&server, "GET /api/passkeys", &[], &Value::Null).await;
    assert_eq!(domain.body, json!({"domain": null}));
    let body = json!({"for": "sign_in"});
    let refused = ask(&server, "POST /api/passkeys/challenge", &[], &body).await;
    refused.assert(400, "no_passkeys");
    server.stop().await;
}

#[tokio::test]
async fn any_node_takes_the_answer_to_a_challenge() {
    let (storage, network) = (Memory::default(), LocalNetwork::new(1));
    let [one, other] = [(); 2].map(|()| TestServer::start_node(&storage, &network, LIMITS));
    let started = challenge(&one, &[], &json!({"for": "sign_up", "name": "Ann"})).await;
    let (mut passkey, credential) = SoftPasskey::create(&started["options"], ORIGIN);
    let body = json!({"name": "Ann", "passkey": answered(&started, &credential)});
    let answer = ask(&other, "POST /api/account", &[], &body).await;
    assert_eq!(answer.status, 201, "{}", answer.body);
    let mut ann = socket(&one, &answer.cookie()).await;
    let started = challenge(&other, &[], &json!({"for": "sign_in"})).await;
    let credential = passkey.sign(&started["options"], ORIGIN);
    let body = json!({"passkey": answered(&started, &credential)});
    let signed_in = ask(&one, "POST /api/session", &[], &body).await;
    assert_eq!(signed_in.status, 200, "{}", signed_in.body);
    // It was taken from the node that had it.
    ask(&other, "POST /api/session", &[], &body).await.assert(403, "wrong_passkey");
    // News of keys reach the sessions of all nodes.
    add_passkey(&other, &signed_in.cookie(), "Key").await;
    let news = ann.receive().await;
    assert!(matches!(&news, Message::AccountChanged { .. }), "{news:?}");
    one.stop().await;
    other.stop().await;
}

/// One command for each thing that a scope decides, and the scopes of which one allows it.
fn commands(room: &str) -> Vec<(Value, &'static [Scope])> {
    const PLAY: &[Scope] = &[Scope::Play];
    const WATCH: &[Scope] = &[Scope::Play, Scope::Watch];
    const CHALLENGE: &[Scope] = &[Scope::Challenge];
    let in_room = |kind: &str| json!({"type": kind, "room": room});
    let seat =
        json!({"type": "seat_bot", "room": room, "seat": "first", "bot": {"kind": "pattern"}});
    vec![
        (json!({"type": "create", "rules": {"variant": "freestyle"}}), PLAY),
        (json!({"type": "seek", "pool": "free"}), PLAY),
        (json!({"type": "close", "room": room}), PLAY),
        (json!({"type": "rooms"}), WATCH),
        (json!({"type": "own_rooms"}), WATCH),
        (in_room("join"), WATCH),
        (in_room("leave"), WATCH),
        (json!({"type": "watch_lobby"}), &[Scope::Play, Scope::Watch, Scope::Challenge]),
        (json!({"type": "unwatch_lobby"}), &[Scope::Play, Scope::Watch, Scope::Challenge]),
        (json!({"type": "decline_challenge", "seek": "222222222222"}), CHALLENGE),
        (
            json!({"type": "challenge", "name": "Nobody", "settings": {
                "rules": {"variant": "freestyle"}}}),
            CHALLENGE,
        ),
        (json!({"type": "accept_seek", "seek": "222222222222"}), &[Scope::Play, Scope::Challenge]),
        (json!({"type": "cancel_seek", "seek": "222222222222"}), &[Scope::Play, Scope::Challenge]),
        (in_room("chat"), WATCH),
        (in_room("weights"), WATCH),
        (in_room("analyse"), WATCH),
        (in_room("stop_analysis"), WATCH),
        (in_room("sit"), PLAY),
        (in_room("sit_as_engine"), PLAY),
        (in_room("stand"), PLAY),
        (seat, PLAY),
        (json!({"type": "remove_bot", "room": room, "seat": "first"}), PLAY),
        (json!({"type": "play", "room": room, "ply": 0, "point": [7, 7]}), PLAY),
        (json!({"type": "choose", "room": room, "ply": 0, "act": {"take": "black"}}), PLAY),
        (in_room("resign"), PLAY),
        (in_room("abort"), PLAY),
        (in_room("nudge"), PLAY),
        (in_room("offer_draw"), PLAY),
        (in_room("accept_draw"), PLAY),
        (in_room("decline_draw"), PLAY),
        (in_room("ask_takeback"), PLAY),
        (in_room("grant_takeback"), PLAY),
        (in_room("refuse_takeback"), PLAY),
        (in_room("claim_win"), PLAY),
        (in_room("claim_draw"), PLAY),
        (in_room("rematch"), PLAY),
        (in_room("decline_rematch"), PLAY),
        (json!({"type": "bot_move", "room": room, "ply": 0}), PLAY),
        (json!({"type": "say", "room": room, "text": "hello"}), PLAY),
        (json!({"type": "set_chat", "room": room, "on": true}), PLAY),
        (json!({"type": "set_name", "name": "Eve"}), &[]),
        (json!({"type": "replace_identity", "identity": "7e".repeat(32)}), &[]),
    ]
}

#[tokio::test]
async fn each_command_needs_its_scope() {
    let server = TestServer::start(LIMITS);
    let (cookie, _) = sign_up(&server, "Ann").await;
    for scope in Scope::ALL {
        let token = new_token(&server, &cookie, &[scope]).await;
        let room = "222222222222";
        for (command, allowed) in commands(room) {
            // Some commands end sessions, so each has one of its own.
            let mut client = server.connect().await;
            let welcome = client.ask(hello_by(&token)).await;
            assert!(matches!(&welcome, Message::Welcome { account: true, .. }), "{welcome:?}");
            let answer = client.ask(command.clone()).await;
            let is_refused = matches!(
                &answer,
                Message::Refused { refusal, .. } if refusal.reason == Reason::TokenScope
            );
            assert_eq!(is_refused, !allowed.contains(&scope), "{scope} {command} {answer:?}");
            if let Message::Refused { refusal, .. } = &answer {
                assert_ne!(refusal.reason, Reason::Malformed, "{command}");
                if is_refused {
                    assert_eq!(refusal.values.scope, allowed.first().copied(), "{command}");
                }
            }
        }
        let head = [format!("Authorization: Bearer {token}")];
        let account = ask(&server, "GET /api/account", &head, &Value::Null).await;
        let games = ask(&server, "GET /api/games?own=true", &head, &Value::Null).await;
        let read = (account.status, games.status);
        let expected = match scope {
            Scope::ReadAccount => (200, 403),
            Scope::ReadGames => (403, 200),
            Scope::Play | Scope::Watch | Scope::Challenge => (403, 403),
        };
        assert_eq!(read, expected, "{scope}");
    }
    server.stop().await;
}

#[tokio::test]
async fn a_token_is_shown_once_and_changes_no_keys() {
    let server = TestServer::start(LIMITS);
    let (cookie, _) = sign_up(&server, "Ann").await;
    let token = new_token(&server, &cookie, &Scope::ALL).await;
    assert!(token.starts_with("ff_") && token.len() == 52, "{token}");
    let own = shown(&server, &cookie).await;
    assert!(!own.to_string().contains(&token[3..]), "{own}");
    assert_eq!(own["tokens"][0]["label"], "bot");
    assert_eq!(own["tokens"][0]["scopes"].as_array().unwrap().len(), 5);
    let head = [format!("Authorization: Bearer {token}")];
    for (what, body) in [
        ("POST /api/account/password", json!({"new_password": "new horses"})),
        ("POST /api/account/codes", json!({})),
        ("POST /api/account/name", json!({"name": "Eve"})),
        ("DELETE /api/account", json!({})),
        ("POST /api/account/tokens", json!({"scopes": ["play"]})),
        ("POST /api/account/confirm", json!({"password": PASSWORD})),
        ("POST /api/passkeys/challenge", json!({"for": "add"})),
        ("POST /api/device/answer", json!({"user_code": "22222222", "allow": true})),
        ("POST /api/link", Value::Null),
        ("GET /api/account/export", Value::Null),
    ] {
        ask(&server, what, &head, &body).await.assert(403, "token_scope");
    }
    // A cookie and a token at once are two people.
    let both = [with(&cookie)[0].clone(), head[0].clone()];
    for what in ["GET /api/account", "GET /api/games?own=true", "POST /api/link"] {
        ask(&server, what, &both, &Value::Null).await.assert(409, "two_identities");
    }
    let mut client = server.connect_with(&cookie).await;
    assert_eq!(client.refused(hello_by(&token)).await, Reason::TwoIdentities);
    let mut two = hello_by(&token);
    two["identity"] = "7e".repeat(32).into();
    let mut client = server.connect().await;
    assert_eq!(client.refused(two).await, Reason::TwoIdentities);
    // It outlives a new password, and ends with its sockets.
    let mut bot = server.connect().await;
    assert!(matches!(bot.ask(hello_by(&token)).await, Message::Welcome { .. }));
    let set = json!({"new_password": "new horses"});
    let answer = ask(&server, "POST /api/account/password", &with(&cookie), &set).await;
    assert_eq!(answer.status, 204);
    assert!(matches!(bot.ask(json!({"type": "ping"})).await, Message::Pong { .. }));
    let id = own["tokens"][0]["id"].as_str().unwrap();
    let path = format!("DELETE /api/account/tokens/{id}");
    assert_eq!(ask(&server, &path, &with(&cookie), &Value::Null).await.status, 204);
    assert_eq!(bot.closed().await.0, close::IDENTITY_REPLACED);
    let mut bot = server.connect().await;
    assert_eq!(bot.refused(hello_by(&token)).await, Reason::WrongToken);
    ask(&server, "GET /api/account", &head, &Value::Null).await.assert(401, "wrong_token");
    server.stop().await;
}

/// The cookie of a device that somebody who is signed in lets in: it has shown no key.
pub(crate) async fn linked(server: &TestServer, cookie: &str) -> String {
    let begun = ask(server, "POST /api/device", &[], &Value::Null).await;
    let (device, user) = (&begun.body["device_code"], &begun.body["user_code"]);
    let allow = json!({"user_code": user, "allow": true});
    let allowed = ask(server, "POST /api/device/answer", &with(cookie), &allow).await;
    assert_eq!(allowed.status, 204, "{}", allowed.body);
    let body = json!({"device_code": device});
    let opened = ask(server, "POST /api/device/session", &[], &body).await;
    assert_eq!(opened.status, 200, "{}", opened.body);
    opened.cookie()
}

#[tokio::test]
async fn new_keys_ask_for_a_key_that_was_used_lately() {
    let server = TestServer::start(LIMITS);
    let (cookie, _) = sign_up(&server, "Ann").await;
    let opened = linked(&server, &cookie).await;
    let head = with(&opened);
    let refused = [
        ("POST /api/passkeys/challenge", json!({"for": "add"})),
        ("POST /api/account/tokens", json!({"scopes": ["play"]})),
        ("POST /api/account/password", json!({"new_password": "new horses"})),
        ("POST /api/account/codes", json!({})),
        ("POST /api/account/name", json!({"name": "Eve"})),
        ("DELETE /api/account", json!({})),
    ];
    for (what, body) in &refused {
        ask(&server, what, &head, body).await.assert(403, "confirm_first");
    }
    let wrong = json!({"password": "wrong horses"});
    let confirm = "POST /api/account/confirm";
    ask(&server, confirm, &head, &wrong).await.assert(403, "wrong_password");
    let right = json!({"password": PASSWORD});
    assert_eq!(ask(&server, confirm, &head, &right).await.status, 204);
    let (what, body) = &refused[1];
    assert_eq!(ask(&server, what, &head, body).await.status, 201);
    let mut client = server.connect_with(&opened).await;
    assert!(matches!(client.ask(hello()).await, Message::Welcome { account: true, .. }));
    server.stop().await;
}

#[tokio::test]
async fn the_games_of_a_guest_become_the_accounts() {
    let server = TestServer::start(LIMITS);
    let (cookie, _) = sign_up(&server, "Ann").await;
    let (mut guest, _, identity) = greet(&server, "Gus").await;
    let mut bob = server.greet("Bob").await;
    let room = guest.create(json!(["me", "open"])).await;
    bob.join(&room).await;
    bob.ask(json!({"type": "sit", "room": room})).await;
    let take = json!({"identity": identity});
    let path = "POST /api/account/guest";
    let resign = json!({"type": "resign", "room": room});
    assert!(matches!(guest.ask(resign).await, Message::Done { .. }));
    ask(&server, path, &[], &take).await.assert(401, "signed_out");
    let taken = ask(&server, path, &with(&cookie), &take).await;
    assert_eq!(taken.status, 204, "{}", taken.body);
    assert_eq!(guest.closed().await.0, close::IDENTITY_REPLACED);
    let own = ask(&server, "GET /api/games?own=true", &with(&cookie), &Value::Null).await;
    assert_eq!(own.body["games"].as_array().unwrap().len(), 1, "{}", own.body);
    assert_eq!(shown(&server, &cookie).await["guests"], 1);
    let export = ask(&server, "GET /api/account/export", &with(&cookie), &Value::Null).await;
    assert_eq!(export.body["games"].as_array().unwrap().len(), 1, "{}", export.body);
    // The identity opens nothing any more, for nobody.
    ask(&server, path, &with(&cookie), &take).await.assert(403, "identity_replaced");
    // A guest without a seat has nothing to take along.
    let (_, _, idle) = greet(&server, "Ida").await;
    let idle = json!({"identity": idle});
    ask(&server, path, &with(&cookie), &idle).await.assert(403, "nothing_to_keep");
    server.stop().await;
}
