//! Accounts over HTTP and sockets: a guest who signs up keeps everything, and a session that is signed out is
//! signed out everywhere.

use std::net::IpAddr;

use fivefold_server::{
    commands::accounts::recover,
    config::Config,
    limits::accounts::{ACCOUNT_BODY_MAX, NAME_SIGN_INS_MAX, SIGN_INS_MAX, SIGN_UPS_MAX},
    net::proxy::Proxies,
    transport::bus::local::LocalNetwork,
};
use fivefold_shared::protocol::{Identity, Message, Reason, close};
use fivefold_storage::{DataFolder, Database, Memory, RecoverError, Sqlite};
use serde_json::{Value, json};

use crate::{
    documented,
    harness::{Client, LIMITS, TestServer},
};

pub(crate) const PASSWORD: &str = "correct horse";

/// An answer over HTTP.
pub(crate) struct Answer {
    pub(crate) status: u16,
    pub(crate) head: String,
    pub(crate) body: Value,
}

impl Answer {
    /// The cookie that it gives, as a browser sends it.
    pub(crate) fn cookie(&self) -> String {
        let line = self.head.lines().find_map(|line| line.strip_prefix("set-cookie: "));
        let pair = line.and_then(|line| line.split(';').next()).unwrap();
        assert!(!pair.ends_with('='), "{}", self.head);
        pair.to_owned()
    }

    #[track_caller]
    pub(crate) fn assert(&self, status: u16, reason: &str) {
        assert_eq!((self.status, self.body["reason"].as_str()), (status, Some(reason)));
    }
}

/// Asks over HTTP, with these lines in the head.
pub(crate) async fn ask(server: &TestServer, what: &str, head: &[String], body: &Value) -> Answer {
    let body = if body.is_null() { String::new() } else { body.to_string() };
    let lines: String = head.iter().map(|line| format!("{line}\n")).collect();
    let answer = server
        .request(&format!(
            "{what} HTTP/1.1\nHost: test\nConnection: close\nContent-Type: application/json\n\
             Content-Length: {}\n{lines}\n{body}",
            body.len()
        ))
        .await;
    documented::check(what, &answer);
    let (head, body) = answer.split_once("\r\n\r\n").unwrap();
    let status = head.split(' ').nth(1).unwrap().parse().unwrap();
    let body = serde_json::from_str(body).unwrap_or_default();
    Answer { status, head: head.replace('\r', ""), body }
}

pub(crate) fn with(cookie: &str) -> Vec<String> {
    vec![format!("Cookie: {cookie}")]
}

pub(crate) fn typed(name: &str) -> Value {
    json!({"name": name, "password": PASSWORD})
}

/// Signs up somebody new: their cookie and their recovery codes.
pub(crate) async fn sign_up(server: &TestServer, name: &str) -> (String, Vec<String>) {
    let answer = ask(server, "POST /api/account", &[], &typed(name)).await;
    assert_eq!(answer.status, 201, "{}", answer.body);
    let codes = serde_json::from_value(answer.body["recovery_codes"].clone()).unwrap();
    (answer.cookie(), codes)
}

pub(crate) async fn sign_in(server: &TestServer, name: &str) -> String {
    let answer = ask(server, "POST /api/session", &[], &typed(name)).await;
    assert_eq!(answer.status, 200, "{}", answer.body);
    answer.cookie()
}

/// A server that trusts `X-Forwarded-*`.
pub(crate) fn behind_a_proxy() -> TestServer {
    let address: IpAddr = "127.0.0.1".parse().unwrap();
    let proxies = Proxies::new(vec![address.into()]).into();
    let config = Config { limits: LIMITS, proxies, ..Config::default() };
    TestServer::start_with(Box::new(Memory::default()), config)
}

const HELLO: &str = r#"{"type": "hello", "protocol": 1}"#;

pub(crate) fn hello() -> Value {
    serde_json::from_str(HELLO).unwrap()
}

/// A socket of somebody who is signed in.
pub(crate) async fn socket(server: &TestServer, cookie: &str) -> Client {
    let mut client = server.connect_with(cookie).await;
    let answer = client.ask(hello()).await;
    let Message::Welcome { account: true, identity: None, .. } = answer else {
        panic!("{answer:?}")
    };
    client
}

pub(crate) async fn assert_signed_out(server: &TestServer, cookie: &str) {
    let mut client = server.connect_with(cookie).await;
    assert_eq!(client.refused(hello()).await, Reason::SignedOut);
    assert_eq!(client.closed().await.0, close::IDENTITY_REPLACED);
    let answer = ask(server, "GET /api/account", &with(cookie), &Value::Null).await;
    answer.assert(401, "signed_out");
    // The browser forgets it.
    assert!(answer.head.contains("set-cookie: fivefold=;"), "{}", answer.head);
}

pub(crate) async fn greet(server: &TestServer, name: &str) -> (Client, String, Identity) {
    let mut client = server.connect().await;
    let answer = client.ask(json!({"type": "hello", "protocol": 1, "name": name})).await;
    let Message::Welcome { you, identity: Some(identity), account: false, .. } = answer else {
        panic!("{answer:?}")
    };
    (client, you.to_string(), identity)
}

pub(crate) fn bearer(identity: &Identity) -> String {
    let secret = serde_json::to_value(identity).unwrap();
    format!("Authorization: Bearer {}", secret.as_str().unwrap())
}

#[tokio::test]
async fn a_guest_signs_up_in_a_running_game_and_keeps_the_seat_and_the_clock() {
    let server = TestServer::start(LIMITS);
    let (mut ann, id, identity) = greet(&server, "Ann").await;
    let mut bob = server.greet("Bob").await;
    let create = json!({
        "type": "create", "rules": {"variant": "freestyle"}, "seats": ["me", "open"],
        "colour": "black", "visibility": "private",
        "time": {"type": "sudden_death", "main_ms": 600_000},
    });
    let room = crate::harness::joined(ann.ask(create).await);
    bob.join(&room).await;
    bob.ask(json!({"type": "sit", "room": room})).await;
    let play = |ply: u32| json!({"type": "play", "room": room, "ply": ply, "point": [7 + ply, 7]});
    assert!(matches!(ann.ask(play(0)).await, Message::Done { .. }));
    assert!(matches!(bob.ask(play(1)).await, Message::Done { .. }));

    let head = [bearer(&identity)];
    let answer = ask(&server, "POST /api/account", &head, &typed("Anna")).await;
    assert_eq!(answer.status, 201, "{}", answer.body);
    assert_eq!(answer.body["account"]["id"], id.as_str());
    assert_eq!(answer.body["account"]["name"], "Anna");
    assert_eq!(answer.body["recovery_codes"].as_array().unwrap().len(), 8);
    assert!(answer.head.contains("cache-control: no-store"), "{}", answer.head);
    assert_eq!(ann.closed().await.0, close::IDENTITY_REPLACED);

    let cookie = answer.cookie();
    let mut anna = server.connect_with(&cookie).await;
    let welcome = anna.ask(hello()).await;
    let Message::Welcome { you, name, identity: None, account: true, .. } = welcome else {
        panic!("{welcome:?}")
    };
    assert_eq!((you.as_str(), name.as_str()), (id.as_str(), "Anna"));
    let joined = anna.ask(json!({"type": "join", "room": room})).await;
    let text = serde_json::to_value(&joined).unwrap()["snapshot"].to_string();
    assert!(text.contains(r#""name":"Anna""#) && text.contains("\"clock\""), "{text}");
    assert!(matches!(anna.ask(play(2)).await, Message::Done { .. }));
    assert!(matches!(
        anna.ask(json!({"type": "resign", "room": room})).await,
        Message::Done { .. }
    ));

    // The identity is worth nothing any more, and the games are the account's.
    let mut thief = server.connect().await;
    let with_identity = json!({"type": "hello", "protocol": 1, "identity": identity});
    assert_eq!(thief.refused(with_identity).await, Reason::IdentityReplaced);
    let again = ask(&server, "POST /api/account", &head, &typed("Annb")).await;
    again.assert(403, "identity_replaced");
    let own = ask(&server, "GET /api/games?own=true", &with(&cookie), &Value::Null).await;
    assert_eq!(own.body["games"].as_array().unwrap().len(), 1, "{}", own.body);
    // The list of all games is the same for everybody.
    let all = ask(&server, "GET /api/games", &with(&cookie), &Value::Null).await;
    assert_eq!(all.body["games"].as_array().unwrap().len(), 0, "{}", all.body);
    let export = ask(&server, "GET /api/account/export", &with(&cookie), &Value::Null).await;
    assert_eq!(export.body["games"].as_array().unwrap().len(), 1, "{}", export.body);
    assert!(!export.body.to_string().contains("argon2"), "no secrets");
    server.stop().await;
}

#[tokio::test]
async fn a_session_that_is_signed_out_ends_its_sockets_within_a_moment() {
    let server = TestServer::start(LIMITS);
    let (first, _) = sign_up(&server, "Ann").await;
    let second = sign_in(&server, "ANN").await;
    let third = sign_in(&server, "Ann").await;
    let [mut one, mut two, mut three] = [
        socket(&server, &first).await,
        socket(&server, &second).await,
        socket(&server, &third).await,
    ];
    let shown = ask(&server, "GET /api/account", &with(&first), &Value::Null).await;
    let sessions = shown.body["sessions"].as_array().unwrap();
    assert_eq!(sessions.len(), 3, "{}", shown.body);
    assert_eq!(sessions.iter().filter(|session| session["current"] == true).count(), 1);
    assert_eq!(shown.body["recovery_codes_left"], 8);

    // One of them ends another, whose socket ends at once.
    let own = ask(&server, "GET /api/account", &with(&second), &Value::Null).await;
    let current =
        own.body["sessions"].as_array().unwrap().iter().find(|own| own["current"] == true);
    let id = current.unwrap()["id"].as_str().unwrap();
    let path = format!("DELETE /api/sessions/{id}");
    assert_eq!(ask(&server, &path, &with(&first), &Value::Null).await.status, 204);
    let (code, reason) = two.closed().await;
    assert_eq!(code, close::IDENTITY_REPLACED);
    assert!(reason.contains("signed out"), "{reason}");
    assert_signed_out(&server, &second).await;
    // It has ended already.
    assert_eq!(ask(&server, &path, &with(&first), &Value::Null).await.status, 204);

    let others = ask(&server, "DELETE /api/sessions", &with(&first), &Value::Null).await;
    assert_eq!(others.status, 204);
    assert_eq!(three.closed().await.0, close::IDENTITY_REPLACED);
    assert!(matches!(one.ask(json!({"type": "ping"})).await, Message::Pong { .. }));
    let out = ask(&server, "DELETE /api/session", &with(&first), &Value::Null).await;
    assert_eq!(out.status, 204);
    assert!(out.head.contains("set-cookie: fivefold=;"), "{}", out.head);
    assert_eq!(one.closed().await.0, close::IDENTITY_REPLACED);
    assert_signed_out(&server, &first).await;
    server.stop().await;
}

#[tokio::test]
async fn nobody_learns_whether_a_name_is_known() {
    let server = TestServer::start(LIMITS);
    let (_, codes) = sign_up(&server, "Ann").await;
    let wrong = |name: &str| json!({"name": name, "password": "wrong horses"});
    let known = ask(&server, "POST /api/session", &[], &wrong("Ann")).await;
    known.assert(403, "wrong_password");
    let recovery =
        |name: &str| json!({"name": name, "password": "another horse", "code": "2222222222222222"});
    let known_code = ask(&server, "POST /api/recovery", &[], &recovery("Ann")).await;
    known_code.assert(403, "wrong_code");
    for name in ["Nobody", "not a name \u{7}", ""] {
        let unknown = ask(&server, "POST /api/session", &[], &wrong(name)).await;
        assert_eq!((unknown.status, &unknown.body), (known.status, &known.body), "{name:?}");
        if name == "Nobody" {
            let unknown = ask(&server, "POST /api/recovery", &[], &recovery(name)).await;
            assert_eq!((unknown.status, &unknown.body), (403, &known_code.body));
        }
    }
    for password in ["short", &"x".repeat(129)] {
        let body = json!({"name": "Ann", "password": password});
        ask(&server, "POST /api/session", &[], &body).await.assert(403, "wrong_password");
    }
    assert_eq!(codes.len(), 8);
    server.stop().await;
}

#[tokio::test]
async fn a_recovery_code_sets_a_password_and_ends_all_sessions() {
    let server = TestServer::start(LIMITS);
    let (cookie, codes) = sign_up(&server, "Ann").await;
    let mut ann = socket(&server, &cookie).await;
    let recover =
        |code: &str, password: &str| json!({"name": "ann", "code": code, "password": password});
    // A password that is refused uses up no code.
    let short = ask(&server, "POST /api/recovery", &[], &recover(&codes[0], "short")).await;
    short.assert(400, "password_length");
    assert_eq!((&short.body["least"], &short.body["most"]), (&json!(10), &json!(128)));
    // People type it as they like.
    let code = format!("{} - {}", codes[0][..4].to_uppercase(), &codes[0][4..]);
    let answer = ask(&server, "POST /api/recovery", &[], &recover(&code, "better horse")).await;
    assert_eq!((answer.status, &answer.body["recovery_codes_left"]), (200, &json!(7)));
    assert_eq!(ann.closed().await.0, close::IDENTITY_REPLACED);
    assert_signed_out(&server, &cookie).await;
    socket(&server, &answer.cookie()).await;
    let used = ask(&server, "POST /api/recovery", &[], &recover(&codes[0], "third horse")).await;
    used.assert(403, "wrong_code");
    ask(&server, "POST /api/session", &[], &typed("Ann")).await.assert(403, "wrong_password");
    let better = json!({"name": "Ann", "password": "better horse"});
    assert_eq!(ask(&server, "POST /api/session", &[], &better).await.status, 200);
    server.stop().await;
}

#[tokio::test]
async fn an_operator_helps_who_has_lost_everything() {
    let folder = tempfile::tempdir().unwrap();
    let storage = Sqlite::open(DataFolder::take(folder.path()).unwrap()).unwrap();
    let server = TestServer::start_on(Box::new(storage), LIMITS);
    let (cookie, _) = sign_up(&server, "Ann").await;
    // The server runs and has the folder.
    let code = recover(Database::Folder(folder.path()), "ANN").unwrap();
    let shown = ask(&server, "GET /api/account", &with(&cookie), &Value::Null).await;
    assert_eq!(shown.body["recovery_codes_left"], 9);
    let body = json!({"name": "Ann", "code": code, "password": "better horse"});
    let answer = ask(&server, "POST /api/recovery", &[], &body).await;
    assert_eq!((answer.status, &answer.body["recovery_codes_left"]), (200, &json!(8)));
    let nobody = recover(Database::Folder(folder.path()), "Bob").unwrap_err();
    assert!(matches!(nobody, RecoverError::Nobody), "{nobody}");
    server.stop().await;
}

#[tokio::test]
async fn the_settings_of_an_account_need_its_password() {
    let server = TestServer::start(LIMITS);
    let (cookie, codes) = sign_up(&server, "Ann").await;
    let other = sign_in(&server, "Ann").await;
    sign_up(&server, "Bob").await;
    let mut ann = socket(&server, &cookie).await;
    let mut elsewhere = socket(&server, &other).await;
    let head = with(&cookie);
    let settings = [
        (
            "POST /api/account/password",
            json!({"password": "wrong horses", "new_password": "new horses"}),
        ),
        ("POST /api/account/codes", json!({"password": "wrong horses"})),
        ("POST /api/account/name", json!({"name": "Anna", "password": "wrong horses"})),
        ("DELETE /api/account", json!({"password": "wrong horses"})),
    ];
    for (what, body) in &settings {
        ask(&server, what, &head, body).await.assert(403, "wrong_password");
        ask(&server, what, &[], body).await.assert(401, "signed_out");
    }
    // A socket changes none of them.
    let rename = json!({"type": "set_name", "name": "Anna"});
    assert_eq!(ann.refused(rename).await, Reason::AccountSetting);
    let replace = json!({"type": "replace_identity", "identity": "7e".repeat(32)});
    assert_eq!(ann.refused(replace).await, Reason::AccountSetting);

    let taken = ask(&server, "POST /api/account/name", &head, &typed("B0b")).await;
    taken.assert(409, "name_taken");
    let renamed = ask(&server, "POST /api/account/name", &head, &typed("Anna")).await;
    assert_eq!((renamed.status, &renamed.body["account"]["name"]), (200, &json!("Anna")));
    // Its sockets come again with the new name.
    assert_eq!(ann.closed().await.0, close::RESTART);
    assert_eq!(elsewhere.closed().await.0, close::RESTART);
    let mut elsewhere = server.connect_with(&other).await;
    let welcome = elsewhere.ask(hello()).await;
    let Message::Welcome { name, .. } = welcome else { panic!("{welcome:?}") };
    assert_eq!(name.as_str(), "Anna");
    let again = ask(&server, "POST /api/account/name", &head, &typed("Ann")).await;
    again.assert(429, "name_changed_lately");
    assert!(again.head.contains("retry-after: 259"), "{}", again.head);

    let set = json!({"password": PASSWORD, "new_password": "new horses"});
    assert_eq!(ask(&server, "POST /api/account/password", &head, &set).await.status, 204);
    assert_eq!(elsewhere.closed().await.0, close::IDENTITY_REPLACED);
    let confirmed = json!({"password": "new horses"});
    let fresh = ask(&server, "POST /api/account/codes", &head, &confirmed).await;
    assert_eq!(fresh.body["recovery_codes"].as_array().unwrap().len(), 8);
    let old = json!({"name": "Anna", "code": codes[0], "password": "third horse"});
    ask(&server, "POST /api/recovery", &[], &old).await.assert(403, "wrong_code");

    let deleted = ask(&server, "DELETE /api/account", &head, &confirmed).await;
    assert_eq!(deleted.status, 204);
    assert_signed_out(&server, &cookie).await;
    // The name stays taken, and signing in takes the deletion back.
    ask(&server, "POST /api/account", &[], &typed("Anna")).await.assert(409, "name_taken");
    let back = json!({"name": "Anna", "password": "new horses"});
    let back = ask(&server, "POST /api/session", &[], &back).await;
    socket(&server, &back.cookie()).await;
    server.stop().await;
}

#[tokio::test]
async fn names_and_passwords_are_checked() {
    let server = TestServer::start(LIMITS);
    for (name, password, reason) in [
        ("A", PASSWORD, "account_name"),
        ("Ann Bob", PASSWORD, "account_name"),
        ("A\u{391}nn", PASSWORD, "account_name"),
        ("admin", PASSWORD, "name_reserved"),
        ("Guest-7", PASSWORD, "name_reserved"),
        ("engine-10", PASSWORD, "name_looks_like_bot"),
        ("Ann", "ninechars", "password_length"),
        ("Ann", "Password123", "common_password"),
    ] {
        let body = json!({"name": name, "password": password});
        ask(&server, "POST /api/account", &[], &body).await.assert(400, reason);
    }
    let malformed = ask(&server, "POST /api/account", &[], &json!({"name": "Ann"})).await;
    malformed.assert(422, "malformed");
    // A body is as long as allowed, and one byte longer.
    let padded = |length: usize| {
        let body = typed("Ann").to_string();
        let pad = "x".repeat(length - body.len() - r#","pad":"""#.len());
        let mut body = typed("Ann");
        body["pad"] = pad.into();
        body
    };
    let long = ask(&server, "POST /api/account", &[], &padded(ACCOUNT_BODY_MAX + 1)).await;
    long.assert(413, "too_long");
    let fits = ask(&server, "POST /api/account", &[], &padded(ACCOUNT_BODY_MAX)).await;
    assert_eq!(fits.status, 201, "{}", fits.body);
    server.stop().await;
}

#[tokio::test]
async fn guests_do_not_take_the_name_of_an_account() {
    let server = TestServer::start(LIMITS);
    let (mut early, ..) = greet(&server, "Cid").await;
    sign_up(&server, "Ann").await;
    let mut guest = server.connect().await;
    let answer = guest.ask(json!({"type": "hello", "protocol": 1, "name": "ANN"})).await;
    let Message::Welcome { you, name, .. } = answer else { panic!("{answer:?}") };
    assert_eq!(name.as_str(), format!("ANN ({})", &you.as_str()[..4]));
    let room = early.create(json!(["me", "open"])).await;
    early.ask(json!({"type": "set_name", "name": "\u{391}nn"})).await;
    let own = early.ask(json!({"type": "join", "room": room})).await;
    let own = serde_json::to_string(&own).unwrap();
    assert!(own.contains("\u{391}nn ("), "{own}");
    server.stop().await;
}

#[tokio::test]
async fn a_cookie_and_an_identity_are_too_much() {
    let server = TestServer::start(LIMITS);
    let (_, _, identity) = greet(&server, "Gus").await;
    let (cookie, _) = sign_up(&server, "Ann").await;
    let both = json!({"type": "hello", "protocol": 1, "identity": identity});
    let mut client = server.connect_with(&cookie).await;
    assert_eq!(client.refused(both.clone()).await, Reason::TwoIdentities);
    assert!(matches!(client.ask(hello()).await, Message::Welcome { account: true, .. }));
    let head = [with(&cookie)[0].clone(), bearer(&identity)];
    ask(&server, "POST /api/account", &head, &typed("Bob")).await.assert(409, "two_identities");
    // A cookie that is not valid any more does not keep a guest out.
    ask(&server, "DELETE /api/session", &with(&cookie), &Value::Null).await;
    let mut guest = server.connect_with(&cookie).await;
    assert!(matches!(guest.ask(both).await, Message::Welcome { account: false, .. }));
    // Signing in again ends the session before it.
    let first = sign_in(&server, "Ann").await;
    let second = ask(&server, "POST /api/session", &with(&first), &typed("Ann")).await;
    assert_signed_out(&server, &first).await;
    socket(&server, &second.cookie()).await;
    server.stop().await;
}

#[tokio::test]
async fn pages_of_other_sites_change_nothing() {
    let server = TestServer::start(LIMITS);
    let (cookie, _) = sign_up(&server, "Ann").await;
    let own = with(&cookie);
    for line in [
        "Origin: http://evil.org",
        "Origin: null",
        "Sec-Fetch-Site: cross-site",
        "Sec-Fetch-Site: same-site",
    ] {
        let head = [own[0].clone(), line.to_owned()];
        for what in [
            "POST /api/account",
            "POST /api/session",
            "DELETE /api/session",
            "DELETE /api/sessions",
            "POST /api/recovery",
            "POST /api/account/password",
            "DELETE /api/account",
        ] {
            ask(&server, what, &head, &typed("Bob")).await.assert(403, "foreign_page");
        }
    }
    // No GET changes anything.
    for path in ["/api/session", "/api/sessions", "/api/recovery", "/api/account/name"] {
        let answer = ask(&server, &format!("GET {path}"), &own, &Value::Null).await;
        assert_eq!(answer.status, 405, "{path}");
    }
    socket(&server, &cookie).await;
    let head = ["Origin: http://test".to_owned(), "Sec-Fetch-Site: same-origin".to_owned()];
    let answer = ask(&server, "POST /api/session", &head, &typed("Ann")).await;
    assert_eq!(answer.status, 200);
    server.stop().await;
}

#[tokio::test]
async fn tries_have_limits() {
    let server = TestServer::start(LIMITS);
    for number in 0..SIGN_UPS_MAX {
        sign_up(&server, &format!("Ann{number}")).await;
    }
    let refused = ask(&server, "POST /api/account", &[], &typed("Bob")).await;
    refused.assert(429, "too_many_tries");
    assert!(refused.body["wait_ms"].as_u64().unwrap() > 600_000, "{}", refused.body);
    assert!(refused.head.contains("retry-after: "), "{}", refused.head);
    // A short password is refused without a hash, and counts as well.
    let wrong = json!({"name": "Ann0", "password": "wrong"});
    for _ in 0..SIGN_INS_MAX {
        ask(&server, "POST /api/session", &[], &wrong).await.assert(403, "wrong_password");
    }
    ask(&server, "POST /api/session", &[], &wrong).await.assert(429, "too_many_tries");
    // That is no limit for others.
    sign_in(&server, "Ann1").await;
    assert_eq!(server.count(r#"refusals_total{reason="too_many_tries"}"#).await, 2);
    server.stop().await;
}

#[tokio::test]
async fn a_cookie_over_https_has_the_prefix_of_its_host() {
    let server = behind_a_proxy();
    let https = "X-Forwarded-Proto: https".to_owned();
    let head = [https.clone()];
    let answer = ask(&server, "POST /api/account", &head, &typed("Ann")).await;
    let cookie = answer.cookie();
    assert!(cookie.starts_with("__Host-fivefold="), "{cookie}");
    assert!(answer.head.contains("; Secure"), "{}", answer.head);
    let head = [https, with(&cookie)[0].clone()];
    assert_eq!(ask(&server, "GET /api/account", &head, &Value::Null).await.status, 200);
    // Over another connection it counts for nothing.
    ask(&server, "GET /api/account", &with(&cookie), &Value::Null).await.assert(401, "signed_out");
    server.stop().await;
}

#[tokio::test]
async fn the_public_url_decides_which_cookie_a_session_has() {
    let config = Config {
        limits: LIMITS,
        public_url: Some("https://play.test".parse().unwrap()),
        ..Config::default()
    };
    // Its proxy does not say that browsers encrypt.
    let server = TestServer::start_with(Box::new(Memory::default()), config);
    let answer = ask(&server, "POST /api/account", &[], &typed("Ann")).await;
    let cookie = answer.cookie();
    assert!(cookie.starts_with("__Host-fivefold="), "{cookie}");
    assert!(answer.head.contains("strict-transport-security: "), "{}", answer.head);

    // From before the URL was set.
    let old = cookie.replace("__Host-fivefold", "fivefold");
    let answer = ask(&server, "GET /api/account", &with(&old), &Value::Null).await;
    assert_eq!(answer.status, 200, "{}", answer.body);
    assert!(answer.head.contains(&format!("set-cookie: {cookie}; ")), "{}", answer.head);
    assert!(answer.head.contains("set-cookie: fivefold=; "), "{}", answer.head);
    socket(&server, &old).await;
    let answer = ask(&server, "GET /api/account", &with(&cookie), &Value::Null).await;
    assert!(!answer.head.contains("set-cookie"), "{}", answer.head);
    server.stop().await;
}

#[tokio::test]
async fn a_session_ends_at_all_nodes() {
    let (storage, network) = (Memory::default(), LocalNetwork::new(1));
    let [one, other] = [(); 2].map(|()| TestServer::start_node(&storage, &network, LIMITS));
    let (guest, _, identity) = greet(&other, "Ann").await;
    let mut guest = guest;
    let answer = ask(&one, "POST /api/account", &[bearer(&identity)], &typed("Ann")).await;
    assert_eq!(answer.status, 201, "{}", answer.body);
    assert_eq!(guest.closed().await.0, close::IDENTITY_REPLACED);
    let first = answer.cookie();
    let second = sign_in(&other, "Ann").await;
    let mut here = socket(&one, &second).await;
    let mut there = socket(&other, &second).await;
    let mut kept = socket(&other, &first).await;
    let answer = ask(&one, "DELETE /api/sessions", &with(&first), &Value::Null).await;
    assert_eq!(answer.status, 204);
    assert_eq!(here.closed().await.0, close::IDENTITY_REPLACED);
    assert_eq!(there.closed().await.0, close::IDENTITY_REPLACED);
    assert!(matches!(kept.ask(json!({"type": "ping"})).await, Message::Pong { .. }));
    assert_signed_out(&other, &second).await;
    one.stop().await;
    other.stop().await;
}

#[tokio::test]
async fn a_name_finds_its_account_in_any_letter_case_of_any_script() {
    let server = behind_a_proxy();
    let mut addresses = 1..;
    let mut from = || vec![format!("X-Forwarded-For: 10.1.0.{}", addresses.next().unwrap())];
    for name in ["Нина", "Вова", "Михаил", "Татьяна", "Νίκος", "Արամ", "Björn", "გიორგი"]
    {
        let made = ask(&server, "POST /api/account", &from(), &typed(name)).await;
        assert_eq!(made.status, 201, "{name}: {}", made.body);
        for other in [name.to_uppercase(), name.to_lowercase()] {
            let answer = ask(&server, "POST /api/session", &from(), &typed(&other)).await;
            assert_eq!(
                (answer.status, answer.body["account"]["name"].as_str()),
                (200, Some(name)),
                "{other}"
            );
            let again = ask(&server, "POST /api/account", &from(), &typed(&other)).await;
            again.assert(409, "name_taken");
        }
    }
    // Names that look like another's: by several letters, and by capitals of another script.
    for (name, others) in
        [("Owner", vec!["0vvner", "Ovvner", "0wner"]), ("Bob", vec!["\u{412}\u{41e}\u{412}"])]
    {
        assert_eq!(ask(&server, "POST /api/account", &from(), &typed(name)).await.status, 201);
        for other in others {
            let refused = ask(&server, "POST /api/account", &from(), &typed(other)).await;
            refused.assert(409, "name_taken");
        }
    }
}

#[tokio::test]
async fn a_device_that_was_signed_in_is_known_at_another_address() {
    let server = behind_a_proxy();
    let from = |host: u8| format!("X-Forwarded-For: 10.2.0.{host}");
    let made = ask(&server, "POST /api/account", &[from(1)], &typed("Ann")).await;
    let line = made.head.lines().find_map(|line| line.strip_prefix("set-cookie: fivefold-device="));
    let line = line.expect("what the device keeps");
    assert!(line.ends_with("; HttpOnly; SameSite=Strict; Path=/; Max-Age=31536000"), "{line}");
    let device = with(&format!("fivefold-device={}", line.split(';').next().unwrap()));
    // Strangers use up what all of them have for the name.
    let wrong = json!({"name": "Ann", "password": "wrong"});
    for number in 0..NAME_SIGN_INS_MAX {
        let host = u8::try_from(10 + number).unwrap();
        ask(&server, "POST /api/session", &[from(host)], &wrong)
            .await
            .assert(403, "wrong_password");
    }
    let stranger = ask(&server, "POST /api/session", &[from(2)], &typed("Ann")).await;
    stranger.assert(429, "too_many_tries");
    let head = [device[0].clone(), from(3)];
    assert_eq!(ask(&server, "POST /api/session", &head, &typed("Ann")).await.status, 200);
    // It opens nothing by itself, and no other account.
    ask(&server, "POST /api/session", &head, &wrong).await.assert(403, "wrong_password");
    ask(&server, "GET /api/account", &head, &Value::Null).await.assert(401, "signed_out");
    server.stop().await;
}
