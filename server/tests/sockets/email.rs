//! E-mail: what a member gets at a confirmed address, through an SMTP server over real sockets.

use fivefold_server::{
    config::Config,
    limits::{Limits, accounts::MAILS_TO_MAX},
};
use fivefold_storage::Memory;
use fivefold_test_services::{MailService, ReceivedMail};
use serde_json::{Value, json};
use tokio::time::{Duration, sleep};

use crate::{
    accounts::{PASSWORD, ask, socket, typed, with},
    friends::{Person, person},
    harness::{LIMITS, TestServer, within},
    moderation::{get, post},
    pushes::{game, play},
    set_clock::{HOUR, SetClock, set_clock},
    sleeping::SLEEPY,
};

async fn start(limits: Limits, clock: &SetClock) -> (MailService, TestServer) {
    let service = MailService::start(None).await;
    let smtp = format!("smtp://127.0.0.1:{}", service.port()).try_into().unwrap();
    let limits = Limits { push_sweep_interval: Duration::from_millis(20), ..limits };
    let config = Config {
        clock: clock.clock,
        public_url: Some("http://play.example".parse().unwrap()),
        smtp: Some((smtp, "Fivefold <news@play.example>".parse().unwrap())),
        ..crate::harness::config(limits)
    };
    (service, TestServer::start_with(Box::new(Memory::default()), config))
}

/// Waits until a server sends e-mail.
async fn until_on(server: &TestServer, cookie: &str) {
    within(async {
        while get(server, "/api/email", cookie).await.body["available"] != true {
            sleep(Duration::from_millis(10)).await;
        }
    })
    .await;
}

/// What follows a text up to the end of the line.
fn after(mail: &ReceivedMail, text: &str) -> String {
    let body = mail.body();
    let (_, rest) = body.split_once(text).unwrap();
    rest.lines().next().unwrap().to_owned()
}

/// The recovery code in a message.
fn code_in(mail: &ReceivedMail) -> String {
    let body = mail.body();
    let is_code = |line: &&str| line.len() == 16 && !line.contains(' ');
    body.lines().find(is_code).unwrap().to_owned()
}

async fn name(server: &TestServer, who: &Person, address: &str) {
    let body = json!({"address": address, "language": "en"});
    let answer = post(server, "/api/email", &who.cookie, &body).await;
    assert_eq!(answer.status, 204, "{}", answer.body);
}

/// Names an address, and confirms it.
async fn with_address(server: &TestServer, service: &mut MailService, who: &Person, address: &str) {
    until_on(server, &who.cookie).await;
    name(server, who, address).await;
    let mail = within(service.next()).await;
    let secret = after(&mail, "/#email=");
    let confirm = json!({"secret": secret});
    let answer = ask(server, "POST /api/email/confirm", &[], &confirm).await;
    assert_eq!(answer.status, 204, "{}", answer.body);
}

async fn set(server: &TestServer, who: &Person, changes: Value) {
    let mut settings = get(server, "/api/pushes", &who.cookie).await.body["settings"].clone();
    for (name, value) in changes.as_object().unwrap() {
        settings[name] = value.clone();
    }
    let answer = post(server, "/api/pushes/settings", &who.cookie, &settings).await;
    assert_eq!(answer.status, 204, "{}", answer.body);
}

/// Nothing more is sent, though the server had the time.
async fn nothing(service: &mut MailService) {
    sleep(Duration::from_millis(200)).await;
    assert_eq!(service.try_next(), None);
}

#[tokio::test]
async fn an_address_is_confirmed_by_a_link() {
    let clock = set_clock!();
    let (mut service, server) = start(LIMITS, &clock).await;
    let ann = person(&server, "Ann").await;
    until_on(&server, &ann.cookie).await;
    let shown = || async { get(&server, "/api/email", &ann.cookie).await.body };
    assert_eq!(shown().await, json!({"available": true}));
    for wrong in ["ann", "ann@club.example\r\nBcc: all@club.example", ""] {
        let body = json!({"address": wrong});
        post(&server, "/api/email", &ann.cookie, &body).await.assert(400, "malformed");
    }
    name(&server, &ann, "ann@club.example").await;
    let mail = within(service.next()).await;
    assert_eq!(
        (&*mail.to, mail.header("Subject")),
        ("ann@club.example", "Confirm your e-mail address")
    );
    assert!(mail.body().starts_with("Hello Ann,\n"), "{}", mail.body());
    assert_eq!(shown().await, json!({"available": true, "named": "ann@club.example"}));
    let mailed = || async { get(&server, "/api/pushes", &ann.cookie).await.body["mailed"].clone() };
    assert_eq!(mailed().await, false, "nothing goes to an address that is not confirmed");
    let confirm = |secret: &str| {
        let body = json!({"secret": secret});
        let server = &server;
        async move { ask(server, "POST /api/email/confirm", &[], &body).await }
    };
    confirm("0123456789abcdef").await.assert(403, "wrong_code");
    let secret = after(&mail, "http://play.example/#email=");
    assert_eq!(confirm(&secret).await.status, 204);
    assert_eq!(shown().await, json!({"available": true, "address": "ann@club.example"}));
    assert_eq!(mailed().await, true);
    let export = get(&server, "/api/account/export", &ann.cookie).await.body;
    assert_eq!(export["email"], json!({"address": "ann@club.example", "language": "en"}));
    let delete = ask(&server, "DELETE /api/email", &with(&ann.cookie), &json!({})).await;
    assert_eq!((delete.status, shown().await), (204, json!({"available": true})));
    assert_eq!(mailed().await, false);
    let told = within(service.next()).await;
    assert_eq!(told.header("Subject"), "The e-mail address of your account changes");
    confirm(&secret).await.assert(403, "wrong_code");
    // Nobody is flooded.
    for number in 1..MAILS_TO_MAX {
        name(&server, &ann, &format!("ann+{number}@club.example")).await;
        within(service.next()).await;
    }
    let body = json!({"address": "ANN@club.example"});
    post(&server, "/api/email", &ann.cookie, &body).await.assert(429, "too_many_tries");
    server.stop().await;
}

#[tokio::test]
async fn a_lost_password_is_replaced_by_a_mailed_code() {
    let clock = set_clock!();
    let (mut service, server) = start(LIMITS, &clock).await;
    let ann = person(&server, "Ann").await;
    let bob = person(&server, "Bob").await;
    with_address(&server, &mut service, &ann, "ann@club.example").await;
    assert_eq!(ask(&server, "GET /api/passkeys", &[], &Value::Null).await.body["email"], true);
    let ask_code = |name: &str| {
        let body = json!({"name": name});
        let server = &server;
        async move { ask(server, "POST /api/recovery/mail", &[], &body).await.status }
    };
    // Nobody learns who has an account, or an address.
    assert_eq!([ask_code("Nobody").await, ask_code("Bob").await], [204, 204]);
    nothing(&mut service).await;
    assert_eq!(ask_code("ann").await, 204);
    let mail = within(service.next()).await;
    assert_eq!((&*mail.to, mail.header("Subject")), ("ann@club.example", "Your recovery code"));
    let code = code_in(&mail);
    let recover =
        |name: &str, code: &str| json!({"name": name, "code": code, "password": "better horse"});
    let wrong = ask(&server, "POST /api/recovery", &[], &recover("Bob", &code)).await;
    wrong.assert(403, "wrong_code");
    let done = ask(&server, "POST /api/recovery", &[], &recover("Ann", &code)).await;
    assert_eq!((done.status, &done.body["recovery_codes_left"]), (200, &json!(0)));
    let again = ask(&server, "POST /api/recovery", &[], &recover("Ann", &code)).await;
    again.assert(403, "wrong_code");
    let email = get(&server, "/api/email", &done.cookie()).await.body;
    assert_eq!(email["address"], "ann@club.example");
    // After an hour it is nothing.
    assert_eq!(ask_code("Ann").await, 204);
    let mail = within(service.next()).await;
    let code = code_in(&mail);
    clock.advance(HOUR).await;
    let late = ask(&server, "POST /api/recovery", &[], &recover("Ann", &code)).await;
    late.assert(403, "wrong_code");
    drop(bob);
    server.stop().await;
}

#[tokio::test]
async fn the_address_before_learns_of_another_one() {
    let clock = set_clock!();
    let (mut service, server) = start(LIMITS, &clock).await;
    let ann = person(&server, "Ann").await;
    with_address(&server, &mut service, &ann, "ann@club.example").await;
    name(&server, &ann, "new@club.example").await;
    let mut sent = Vec::new();
    for _ in 0..2 {
        let mail = within(service.next()).await;
        sent.push((mail.to.clone(), mail.header("Subject").to_owned()));
    }
    sent.sort();
    let expected = [
        ("ann@club.example", "The e-mail address of your account changes"),
        ("new@club.example", "Confirm your e-mail address"),
    ];
    assert_eq!(sent, expected.map(|(to, subject)| (to.to_owned(), subject.to_owned())));
    server.stop().await;
}

#[tokio::test]
async fn a_digest_and_reminders_come_by_mail_and_single_moves_do_not() {
    let clock = set_clock!();
    let (mut service, server) = start(SLEEPY, &clock).await;
    let [ann, bori] = [person(&server, "Ann").await, person(&server, "Bori").await];
    with_address(&server, &mut service, &ann, "ann@club.example").await;
    let (mut at_ann, mut at_bori) =
        (socket(&server, &ann.cookie).await, socket(&server, &bori.cookie).await);
    let room = game(&mut at_bori, &mut at_ann).await;
    play(&mut at_bori, &room, 0).await;
    nothing(&mut service).await;
    // Eight hours before the end of her day.
    clock.advance(16 * HOUR).await;
    let mail = within(service.next()).await;
    assert!(mail.header("Subject").starts_with("Your time ends: 20"), "{}", mail.text);
    assert!(mail.body().contains(&format!("\nhttp://play.example/r/{room}\n")), "{}", mail.body());
    play(&mut at_ann, &room, 1).await;
    set(&server, &ann, json!({"moves": "digest", "reminders": []})).await;
    let other = game(&mut at_bori, &mut at_ann).await;
    for (room, ply) in [(&room, 2), (&other, 0)] {
        play(&mut at_bori, room, ply).await;
    }
    nothing(&mut service).await;
    clock.advance(24 * HOUR - 60_000).await;
    let mail = within(service.next()).await;
    assert_eq!(mail.header("Subject"), "2 games wait for you");
    for room in [&room, &other] {
        assert!(
            mail.body().contains(&format!("\nhttp://play.example/r/{room}\n")),
            "{}",
            mail.body()
        );
    }
    nothing(&mut service).await;
    server.stop().await;
}

#[tokio::test]
async fn an_address_that_is_confirmed_later_gets_the_digest_of_turns_that_wait() {
    let clock = set_clock!();
    let (mut service, server) = start(SLEEPY, &clock).await;
    let [ann, bori] = [person(&server, "Ann").await, person(&server, "Bori").await];
    set(&server, &ann, json!({"moves": "digest", "reminders": []})).await;
    let (mut at_ann, mut at_bori) =
        (socket(&server, &ann.cookie).await, socket(&server, &bori.cookie).await);
    let room = game(&mut at_bori, &mut at_ann).await;
    play(&mut at_bori, &room, 0).await;
    with_address(&server, &mut service, &ann, "ann@club.example").await;
    within(async { while ann.state(&server, &room).await != "waiting" {} }).await;
    nothing(&mut service).await;
    clock.advance(24 * HOUR - 60_000).await;
    let mail = within(service.next()).await;
    assert_eq!(mail.header("Subject"), "Your move against Bori");
    nothing(&mut service).await;
    server.stop().await;
}

#[tokio::test]
async fn a_server_that_sends_no_mail_does_not_speak_of_it() {
    let server = TestServer::start(LIMITS);
    let ann = person(&server, "Ann").await;
    let shown = get(&server, "/api/email", &ann.cookie).await;
    assert_eq!((shown.status, shown.body), (200, json!({"available": false})));
    let body = json!({"address": "ann@club.example", "password": PASSWORD});
    post(&server, "/api/email", &ann.cookie, &body).await.assert(503, "unavailable");
    let code = ask(&server, "POST /api/recovery/mail", &[], &typed("Ann")).await;
    code.assert(503, "unavailable");
    assert!(ask(&server, "GET /api/passkeys", &[], &Value::Null).await.body["email"].is_null());
    server.stop().await;
}
