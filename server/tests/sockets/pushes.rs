//! Pushes: what a member's browser is told while its page is closed, through a push service over real sockets.

use std::{
    net::IpAddr,
    time::{Duration, Instant},
};

use fivefold_push::Peers;
use fivefold_server::{
    commands::pushes::push, config::Config, limits::Limits, net::proxy::Proxies,
    transport::bus::local::LocalNetwork,
};
use fivefold_shared::protocol::{MemberId, Message, RoomCode};
use fivefold_storage::{
    DataFolder, Database, KeyHash, Memory, PushChange, PushChanged, PushSubscription, Sqlite,
    Storage, backup, limits::PUSH_SUBSCRIPTIONS_MAX,
};
use fivefold_test_services::{PushAnswer, PushRequest, PushService, SoftBrowser};
use serde_json::{Value, json};
use tokio::time::{sleep, timeout};

use crate::{
    accounts::{Answer, ask, bearer, greet, socket, typed, with},
    cluster::until_all_ready,
    friends::{Person, person},
    harness::{Client, LIMITS, TestServer, joined, within},
    moderation::{get, post},
    set_clock::{HOUR, SetClock, set_clock},
    sleeping::{SLEEPY, all_asleep, daily},
};

/// What the page's test gives the service worker: exactly what a browser decrypts here.
const RECORDED: &str = include_str!("../../../tests/page/pushed-message.json");

/// A page says within this time that it shows a turn.
pub(crate) const SEEN_WITHIN: Duration = Duration::from_millis(500);

/// When a time ends in [`RECORDED`].
const RECORDED_AT: u64 = 1_790_000_000_000;

/// A push arrives within this time after the commit.
const PROMPT: Duration = Duration::from_secs(2);

pub(crate) fn config(service: &PushService, limits: Limits) -> Config {
    let push_peers = Peers {
        also_allowed: vec!["127.0.0.0/8".parse().unwrap()],
        also_trusted: vec![service.certificate()],
        lookup: None,
    };
    let public_url = Some("https://play.example".parse().unwrap());
    let limits = Limits {
        push_sweep_interval: Duration::from_millis(20),
        push_seen_within: SEEN_WITHIN,
        ..limits
    };
    Config { push_peers, public_url, ..crate::harness::config(limits) }
}

/// Waits until a server may push.
pub(crate) async fn until_on(server: &TestServer, cookie: &str) {
    within(async {
        while get(server, "/api/pushes", cookie).await.body["key"].is_null() {
            sleep(Duration::from_millis(10)).await;
        }
    })
    .await;
}

/// A push service, and a server that pushes to it.
pub(crate) async fn start(limits: Limits) -> (PushService, TestServer) {
    let service = PushService::start().await;
    let server = TestServer::start_with(Box::new(Memory::default()), config(&service, limits));
    (service, server)
}

impl Person {
    /// Signs up at an address of their own, behind a proxy.
    async fn sign_up_at(server: &TestServer, number: usize) -> Self {
        let head = [format!("X-Forwarded-For: 198.51.100.{number}")];
        let new = typed(&format!("Flood{number}"));
        let answer = ask(server, "POST /api/account", &head, &new).await;
        assert_eq!(answer.status, 201, "{}", answer.body);
        Self::of(server, answer.cookie()).await
    }

    /// Subscribes a browser of this number.
    pub(crate) async fn subscribe(&self, server: &TestServer, service: &PushService, number: u64) {
        until_on(server, &self.cookie).await;
        let body = subscription(&service.endpoint(&number.to_string()), number, "en");
        let answer = post(server, "/api/pushes/subscriptions", &self.cookie, &body).await;
        assert_eq!(answer.status, 204, "{}", answer.body);
    }

    pub(crate) async fn set(&self, server: &TestServer, changes: Value) -> Answer {
        let mut settings = get(server, "/api/pushes", &self.cookie).await.body["settings"].clone();
        for (name, value) in changes.as_object().unwrap() {
            settings[name] = value.clone();
        }
        post(server, "/api/pushes/settings", &self.cookie, &settings).await
    }

    /// A visible tab of theirs shows the turn in a room.
    pub(crate) async fn see(&self, server: &TestServer, room: &RoomCode) {
        let answer = post(server, "/api/pushes/seen", &self.cookie, &json!({"room": room})).await;
        assert_eq!(answer.status, 204, "{}", answer.body);
    }

    /// What is known of the turn that waits in a room.
    pub(crate) async fn state(&self, server: &TestServer, room: &RoomCode) -> Value {
        let export = get(server, "/api/account/export", &self.cookie).await.body;
        let mut games = export["pushes"]["games"].as_array().unwrap().iter();
        let game = games.find(|game| game["room"] == room.as_str());
        game.map_or(Value::Null, |game| game["state"].clone())
    }

    async fn endpoints(&self, server: &TestServer) -> Vec<String> {
        let shown = get(server, "/api/pushes", &self.cookie).await.body;
        let all = shown["subscriptions"].as_array().unwrap().iter();
        all.map(|one| one["endpoint"].as_str().unwrap().to_owned()).collect()
    }
}

/// Ann, whose browser is subscribed, and Bori, each with a socket.
pub(crate) async fn meet(server: &TestServer, service: &PushService) -> ([Person; 2], [Client; 2]) {
    let people = [person(server, "Ann").await, person(server, "Bori").await];
    people[0].subscribe(server, service, 1).await;
    let sockets =
        [socket(server, &people[0].cookie).await, socket(server, &people[1].cookie).await];
    (people, sockets)
}

fn subscription(endpoint: &str, number: u64, language: &str) -> Value {
    let browser = SoftBrowser::numbered(number);
    let keys = json!({"p256dh": browser.p256dh(), "auth": browser.auth()});
    json!({"endpoint": endpoint, "keys": keys, "language": language})
}

/// A daily game that the first has made, in which both sit; the first plays Black. Both have left the room.
pub(crate) async fn game(one: &mut Client, other: &mut Client) -> RoomCode {
    let room = joined(one.ask(daily("private")).await);
    other.join(&room).await;
    other.ask(json!({"type": "sit", "room": room})).await;
    for player in [one, other] {
        player.ask(json!({"type": "leave", "room": room})).await;
    }
    room
}

/// Makes a move, and leaves the room.
pub(crate) async fn play(player: &mut Client, room: &RoomCode, ply: u32) {
    player.join(room).await;
    let point = [ply % 15, (2 * ply + ply / 15) % 15];
    let play = json!({"type": "play", "room": room, "ply": ply, "point": point});
    let done = player.ask(play).await;
    assert!(matches!(done, Message::Done { .. }), "{done:?}");
    player.ask(json!({"type": "leave", "room": room})).await;
}

/// The next push, as this browser reads it.
pub(crate) async fn next(service: &mut PushService, number: u64) -> (PushRequest, Value) {
    let got = within(service.next()).await;
    assert_eq!(got.path, format!("/push/{number}"));
    let text = SoftBrowser::numbered(number).decrypt(&got.body);
    (got, serde_json::from_slice(&text).unwrap())
}

/// Nothing more is pushed, though the server had the time.
pub(crate) async fn nothing(server: &TestServer, service: &mut PushService) {
    // What was noted before is told before the next sweep.
    sleep(Duration::from_millis(200)).await;
    assert_eq!(server.count("pushes_total{result=\"dropped\"}").await, 0);
    assert_eq!(service.try_next(), None);
}

#[tokio::test]
async fn a_player_who_is_away_is_told_of_their_turn_once() {
    let (mut service, server) = start(SLEEPY).await;
    let ([ann, bori], [mut at_ann, mut at_bori]) = meet(&server, &service).await;
    let room = game(&mut at_bori, &mut at_ann).await;
    // It is Bori's move, who has no browser subscribed.
    nothing(&server, &mut service).await;
    at_bori.join(&room).await;
    let first = json!({"type": "play", "room": room, "ply": 0, "point": [7, 7]});
    at_bori.ask(first).await;
    let committed = Instant::now();
    let got = within(service.next()).await;
    assert!(committed.elapsed() < PROMPT, "{:?}", committed.elapsed());
    let text = SoftBrowser::numbered(1).decrypt(&got.body);
    let text = String::from_utf8(text).unwrap();
    let shown: Value = serde_json::from_str(&text).unwrap();
    let ends_at = shown["ends_at"].as_u64().unwrap();
    let now = u64::try_from(std::time::UNIX_EPOCH.elapsed().unwrap().as_millis()).unwrap();
    assert!((86_390_000..=86_400_000).contains(&(ends_at - now)), "{ends_at}");
    let recorded = RECORDED.trim_end().replace("{room}", room.as_str());
    assert_eq!(text.replace(&ends_at.to_string(), &RECORDED_AT.to_string()), recorded);
    assert_eq!(got.headers["topic"], "turns");
    let ttl: u64 = got.headers["ttl"].parse().unwrap();
    assert!((86_000..=86_400).contains(&ttl), "{ttl}");

    // Nothing that happens until she moves is told, whether the room sleeps or not.
    at_bori.ask(json!({"type": "leave", "room": room})).await;
    all_asleep(&server).await;
    at_bori.join(&room).await;
    at_bori.ask(json!({"type": "offer_draw", "room": room})).await;
    at_bori.ask(json!({"type": "leave", "room": room})).await;
    nothing(&server, &mut service).await;
    assert_eq!(ann.state(&server, &room).await, "told");
    // She sees the answer herself, in a visible tab.
    at_ann.join(&room).await;
    at_ann.ask(json!({"type": "play", "room": room, "ply": 1, "point": [8, 8]})).await;
    play(&mut at_bori, &room, 2).await;
    within(async { while ann.state(&server, &room).await != "waiting" {} }).await;
    ann.see(&server, &room).await;
    sleep(SEEN_WITHIN).await;
    nothing(&server, &mut service).await;
    assert_eq!(ann.state(&server, &room).await, "seen");
    // The tab is still there, but hidden: it does not say that it shows the next one.
    at_ann.ask(json!({"type": "play", "room": room, "ply": 3, "point": [9, 9]})).await;
    assert_eq!(ann.state(&server, &room).await, Value::Null);
    play(&mut at_bori, &room, 4).await;
    let (_, told) = next(&mut service, 1).await;
    assert_eq!(told["path"], format!("/r/{room}"));
    nothing(&server, &mut service).await;
    // Nobody sees turns of others.
    bori.see(&server, &room).await;
    assert_eq!(ann.state(&server, &room).await, "told");
    // Bots of the server and guests get none, and what is stored is hers.
    let export = get(&server, "/api/account/export", &ann.cookie).await.body;
    let browser = &export["pushes"]["subscriptions"][0];
    assert_eq!((&browser["language"], &browser["host"]), (&json!("en"), &json!("localhost")));
    let secrets = SoftBrowser::numbered(1);
    let text = export.to_string();
    assert!(!text.contains(&service.endpoint("1")) && !text.contains("/push/"), "{text}");
    assert!(!text.contains(&secrets.auth()) && !text.contains(&secrets.p256dh()), "{text}");
    server.stop().await;
}

#[tokio::test]
async fn one_node_tells_a_player_wherever_they_all_are() {
    let mut service = PushService::start().await;
    let (memory, network) = (Memory::default(), LocalNetwork::new(7));
    let nodes = [(), ()].map(|()| {
        let config = config(&service, SLEEPY);
        TestServer::start_node_on(Box::new(memory.clone()), &memory, &network, config)
    });
    until_all_ready(&nodes).await;
    let [first, second] = &nodes;
    let [ann, bori] = [person(first, "Ann").await, person(second, "Bori").await];
    ann.subscribe(first, &service, 1).await;
    until_on(second, &bori.cookie).await;
    let key =
        async |node: &TestServer| get(node, "/api/pushes", &ann.cookie).await.body["key"].clone();
    assert_eq!(key(first).await, key(second).await);
    let (mut at_ann, mut at_bori) =
        (socket(first, &ann.cookie).await, socket(second, &bori.cookie).await);
    let room = game(&mut at_bori, &mut at_ann).await;
    for ply in [0, 2, 4] {
        play(&mut at_bori, &room, ply).await;
        let (_, told) = next(&mut service, 1).await;
        assert_eq!(told["title"], "Your move against Bori");
        for node in &nodes {
            all_asleep(node).await;
            nothing(node, &mut service).await;
        }
        // Whichever node the room wakes on, she is told no more while she is there.
        at_ann.join(&room).await;
        let answer = json!({"type": "play", "room": room, "ply": ply + 1, "point": [ply + 1, 9]});
        at_ann.ask(answer).await;
        at_ann.ask(json!({"type": "leave", "room": room})).await;
    }
    for node in nodes {
        node.stop().await;
    }
}

#[tokio::test]
async fn several_games_are_one_push() {
    let (mut service, server) = start(LIMITS).await;
    let ([ann, _], [mut at_ann, mut at_bori]) = meet(&server, &service).await;
    let mut titles = Vec::new();
    let mut rooms = Vec::new();
    for _ in 0..3 {
        let room = game(&mut at_bori, &mut at_ann).await;
        play(&mut at_bori, &room, 0).await;
        let (_, told) = next(&mut service, 1).await;
        titles.push((told["title"].clone(), told["path"].clone(), told["tag"].clone()));
        rooms.push(room);
    }
    let several = |title: &str| (json!(title), json!("/games"), json!("turns"));
    assert_eq!(titles[0].0, "Your move against Bori");
    assert_eq!(titles[1..], [several("2 games wait for you"), several("3 games wait for you")]);
    // A game that she has looked at waits no more.
    for room in &rooms[..2] {
        ann.see(&server, room).await;
    }
    let room = game(&mut at_bori, &mut at_ann).await;
    play(&mut at_bori, &room, 0).await;
    let (_, told) = next(&mut service, 1).await;
    assert_eq!(told["title"], "2 games wait for you");
    server.stop().await;
}

#[tokio::test]
async fn each_browser_is_told_in_its_language_until_it_is_gone() {
    let (mut service, server) = start(LIMITS).await;
    let [ann, bori] = [person(&server, "Ann").await, person(&server, "Bori").await];
    until_on(&server, &ann.cookie).await;
    for (number, language) in [(1, "es"), (2, "ru")] {
        let body = subscription(&service.endpoint(&number.to_string()), number, language);
        post(&server, "/api/pushes/subscriptions", &ann.cookie, &body).await;
    }
    let (mut at_ann, mut at_bori) =
        (socket(&server, &ann.cookie).await, socket(&server, &bori.cookie).await);
    let room = game(&mut at_bori, &mut at_ann).await;
    // A service that fails, or asks to wait, ends no subscription.
    for (ply, status, lines) in [(0, 500, ""), (2, 429, "retry-after: 3600\r\n"), (4, 410, "")] {
        service.answer(PushAnswer::Status(status, lines.to_owned()));
        play(&mut at_bori, &room, ply).await;
        let mut titles = Vec::new();
        for number in [1, 2] {
            titles.push(next(&mut service, number).await.1["title"].clone());
        }
        assert_eq!(titles, ["Te toca contra Bori", "Ваш ход: партия с Bori"]);
        if status == 410 {
            break;
        }
        assert_eq!(ann.endpoints(&server).await.len(), 2);
        play(&mut at_ann, &room, ply + 1).await;
    }
    within(async { while !ann.endpoints(&server).await.is_empty() {} }).await;
    assert_eq!(server.count("pushes_total{result=\"gone\"}").await, 2);
    server.stop().await;
}

#[tokio::test]
async fn members_say_what_they_are_told_and_when() {
    let (mut service, server) = start(LIMITS).await;
    let ([ann, _], [mut at_ann, mut at_bori]) = meet(&server, &service).await;
    for wrong in [
        json!({"digest_hour": 24}),
        json!({"reminders": [2]}),
        json!({"reminders": [8, 8]}),
        json!({"quiet": {"from": 1440, "to": 0}}),
        json!({"quiet": {"from": 0, "to": 1440}}),
        json!({"utc_offset": 841}),
        json!({"moves": "often"}),
    ] {
        let answer = ann.set(&server, wrong.clone()).await;
        assert!([400, 422].contains(&answer.status), "{wrong}: {}", answer.status);
    }
    // Always quiet, but for the minute that is farthest away.
    let minute = |from_now: u64| {
        let now = std::time::UNIX_EPOCH.elapsed().unwrap();
        (now.as_secs() / 60 + from_now) % 1_440
    };
    let quiet = json!({"quiet": {"from": minute(1_400), "to": minute(720)}});
    for (settings, state) in [(json!({"moves": "never"}), "seen"), (quiet, "waiting")] {
        assert_eq!(ann.set(&server, settings.clone()).await.status, 204, "{settings}");
        let room = game(&mut at_bori, &mut at_ann).await;
        play(&mut at_bori, &room, 0).await;
        nothing(&server, &mut service).await;
        assert_eq!(ann.state(&server, &room).await, state);
        let loud = json!({"moves": "each", "quiet": null});
        assert_eq!(ann.set(&server, loud).await.status, 204);
        // What waited for the end of quiet hours is told when she ends them.
        if state == "waiting" {
            next(&mut service, 1).await;
        }
        sleep(SEEN_WITHIN).await;
        nothing(&server, &mut service).await;
    }
    // It is not told if she does not want to know any more.
    let quiet = json!({"quiet": {"from": minute(1_400), "to": minute(720)}});
    assert_eq!(ann.set(&server, quiet).await.status, 204);
    let room = game(&mut at_bori, &mut at_ann).await;
    play(&mut at_bori, &room, 0).await;
    within(async { while ann.state(&server, &room).await != "waiting" {} }).await;
    for settings in [json!({"moves": "never"}), json!({"quiet": null})] {
        assert_eq!(ann.set(&server, settings).await.status, 204);
    }
    sleep(SEEN_WITHIN).await;
    nothing(&server, &mut service).await;
    assert_eq!(ann.state(&server, &room).await, "seen");
    server.stop().await;
}

#[tokio::test]
async fn a_push_that_waits_is_not_sent_when_it_is_outdated() {
    let (mut service, server) = start(LIMITS).await;
    service.answer(PushAnswer::Status(429, "retry-after: 0\r\n".to_owned()));
    let bori = person(&server, "Bori").await;
    let mut at_bori = socket(&server, &bori.cookie).await;
    let mut players = Vec::new();
    for (name, number) in [("Ann", 1), ("Cora", 2), ("Dora", 3), ("Elsa", 4)] {
        let person = person(&server, name).await;
        person.subscribe(&server, &service, number).await;
        let mut client = socket(&server, &person.cookie).await;
        let room = game(&mut at_bori, &mut client).await;
        play(&mut at_bori, &room, 0).await;
        next(&mut service, number).await;
        players.push((person, client, room));
    }
    service.answer(PushAnswer::Status(201, String::new()));
    let [(_, at_ann, room), (cora, ..), (dora, ..), _] = &mut players[..] else {
        panic!("four play");
    };
    // Ann moves, Cora does not want to know, and Dora's browser is not hers any more. Only Elsa is told.
    play(at_ann, room, 1).await;
    cora.set(&server, json!({"moves": "never"})).await;
    let own = json!({"endpoint": service.endpoint("3")});
    let path = "DELETE /api/pushes/subscriptions";
    assert_eq!(ask(&server, path, &with(&dora.cookie), &own).await.status, 204);
    let told = timeout(Duration::from_secs(15), service.next()).await.unwrap();
    assert_eq!(told.path, "/push/4");
    within(async { while server.count("pushes_total{result=\"outdated\"}").await < 3 {} }).await;
    nothing(&server, &mut service).await;
    server.stop().await;
}

/// A push service, and a server whose clock the test sets.
pub(crate) async fn start_at(clock: &SetClock) -> (PushService, TestServer) {
    let service = PushService::start().await;
    let config = Config { clock: clock.clock, ..config(&service, SLEEPY) };
    let server = TestServer::start_with(Box::new(Memory::default()), config);
    (service, server)
}

#[tokio::test]
async fn pushes_about_turns_wait_until_time_off_is_over() {
    let clock = set_clock!();
    let (mut service, server) = start_at(&clock).await;
    let (people, [mut anns, mut boris]) = meet(&server, &service).await;
    let ann = &people[0];
    let room = game(&mut boris, &mut anns).await;
    let off = json!({"days": 3});
    assert_eq!(post(&server, "/api/time-off", &ann.cookie, &off).await.status, 200);
    play(&mut boris, &room, 0).await;
    nothing(&server, &mut service).await;
    // The time that she had is over, and on the second day she ends it.
    clock.advance(25 * HOUR).await;
    nothing(&server, &mut service).await;
    let end = || ask(&server, "DELETE /api/time-off", &ann.head, &Value::Null);
    assert_eq!(end().await.status, 200);
    next(&mut service, 1).await;

    // Two turns that begin in one period end at the same time, and are two.
    let off = json!({"days": 1});
    assert_eq!(post(&server, "/api/time-off", &ann.cookie, &off).await.status, 200);
    for ply in [1, 2, 3, 4] {
        play(if ply % 2 == 1 { &mut anns } else { &mut boris }, &room, ply).await;
    }
    nothing(&server, &mut service).await;
    clock.advance(24 * HOUR).await;
    next(&mut service, 1).await;
    // Eight hours before the end of that day she is reminded.
    clock.advance(16 * HOUR).await;
    let (_, told) = next(&mut service, 1).await;
    assert_eq!(told["title"], "Your time ends: {time}");
    nothing(&server, &mut service).await;
    server.stop().await;
}

#[tokio::test]
async fn players_are_reminded_before_their_time_ends_and_told_that_it_has() {
    let clock = set_clock!();
    let (mut service, server) = start_at(&clock).await;
    let [ann, bori] = [person(&server, "Ann").await, person(&server, "Bori").await];
    ann.subscribe(&server, &service, 1).await;
    bori.subscribe(&server, &service, 2).await;
    let (mut at_ann, mut at_bori) =
        (socket(&server, &ann.cookie).await, socket(&server, &bori.cookie).await);
    let room = game(&mut at_bori, &mut at_ann).await;
    // A game in which both have moved is lost by time, and not aborted.
    play(&mut at_bori, &room, 0).await;
    next(&mut service, 1).await;
    play(&mut at_ann, &room, 1).await;
    next(&mut service, 2).await;
    play(&mut at_bori, &room, 2).await;
    next(&mut service, 1).await;
    all_asleep(&server).await;
    // She is reminded 8 hours before the end, does not want to know at 4 hours, and is reminded at 1 hour.
    for (hours, is_told) in [(16, true), (4, false), (3, true)] {
        clock.advance(hours * HOUR).await;
        if is_told {
            let (got, told) = within(next(&mut service, 1)).await;
            assert_eq!(
                (&told["title"], &told["body"]),
                (&json!("Your time ends: {time}"), &json!("Your move against Bori"))
            );
            assert_eq!(got.headers["topic"], format!("time-{room}"));
        }
        nothing(&server, &mut service).await;
        assert_eq!(ann.set(&server, json!({"reminders": [8, 1]})).await.status, 204);
    }
    assert_eq!(server.count("rooms").await, 0, "a reminder wakes no room");
    clock.advance(HOUR).await;
    let mut told = Vec::new();
    for _ in 0..2 {
        // A server that is alone looks every 30 s for rooms that are due, two minutes ahead. This clock jumps.
        let got = timeout(Duration::from_secs(45), service.next()).await.unwrap();
        let number = if got.path == "/push/1" { 1 } else { 2 };
        let text = SoftBrowser::numbered(number).decrypt(&got.body);
        let shown: Value = serde_json::from_slice(&text).unwrap();
        told.push((number, shown["title"].as_str().unwrap().to_owned()));
    }
    told.sort();
    assert_eq!(told, [(1, "Your time ran out".to_owned()), (2, "Ann ran out of time".to_owned())]);
    nothing(&server, &mut service).await;
    server.stop().await;
}

#[tokio::test]
async fn only_accounts_subscribe_and_only_at_foreign_endpoints() {
    let service = PushService::start().await;
    // As operators run it: nothing else is allowed.
    let public_url = Some("https://play.example".parse().unwrap());
    let config = Config { public_url, ..crate::harness::config(LIMITS) };
    let server = TestServer::start_with(Box::new(Memory::default()), config);
    let ann = person(&server, "Ann").await;
    until_on(&server, &ann.cookie).await;
    let good = subscription("https://push.example/1", 1, "en");
    let path = "/api/pushes/subscriptions";
    let (_guest, _, identity) = greet(&server, "Guest").await;
    let refused = ask(&server, &format!("POST {path}"), &[bearer(&identity)], &good).await;
    refused.assert(401, "signed_out");
    let foreign =
        [with(&ann.cookie), vec!["Origin: https://elsewhere.example".to_owned()]].concat();
    let refused = ask(&server, &format!("POST {path}"), &foreign, &good).await;
    refused.assert(403, "foreign_page");
    let mut wrong = Vec::new();
    for endpoint in [
        service.endpoint("1").replace("localhost", "127.0.0.1"),
        "https://[::1]/".to_owned(),
        "https://[::ffff:10.0.0.1]/".to_owned(),
        "https://169.254.169.254/latest".to_owned(),
        "http://push.example/".to_owned(),
        "https://ann:secret@push.example/".to_owned(),
        format!("https://push.example/{}", "x".repeat(2_048)),
    ] {
        wrong.push(subscription(&endpoint, 1, "en"));
    }
    for (name, value) in [("p256dh", "AAAA"), ("auth", "AAAA"), ("auth", "not base64url")] {
        let mut body = good.clone();
        body["keys"][name] = json!(value);
        wrong.push(body);
    }
    for body in wrong {
        let answer = post(&server, path, &ann.cookie, &body).await;
        assert!((400..=422).contains(&answer.status), "{}: {body}", answer.status);
    }
    assert_eq!(ann.endpoints(&server).await, [""; 0]);
    for number in 1..=PUSH_SUBSCRIPTIONS_MAX as u64 + 1 {
        let body = subscription(&format!("https://push.example/{number}"), number, "en");
        assert_eq!(post(&server, path, &ann.cookie, &body).await.status, 204);
    }
    let kept = ann.endpoints(&server).await;
    assert_eq!((kept.len(), &*kept[0]), (PUSH_SUBSCRIPTIONS_MAX, "https://push.example/2"));
    let gone = json!({"endpoint": kept[0]});
    let answer = ask(&server, &format!("DELETE {path}"), &with(&ann.cookie), &gone).await;
    assert_eq!(answer.status, 204);
    assert_eq!(ann.endpoints(&server).await.len(), PUSH_SUBSCRIPTIONS_MAX - 1);
    // Who signs out is told nothing there.
    ask(&server, "DELETE /api/session", &with(&ann.cookie), &Value::Null).await;
    let again = crate::accounts::sign_in(&server, "Ann").await;
    let shown = get(&server, "/api/pushes", &again).await.body;
    assert_eq!(shown["subscriptions"], json!([]));
    server.stop().await;
}

#[tokio::test]
async fn a_server_without_a_public_address_does_not_push() {
    for public_url in [None, Some("http://localhost:8080".parse().unwrap())] {
        let config = Config { public_url, ..crate::harness::config(LIMITS) };
        let server = TestServer::start_with(Box::new(Memory::default()), config);
        let ann = person(&server, "Ann").await;
        let shown = get(&server, "/api/pushes", &ann.cookie).await.body;
        assert_eq!(shown["key"], Value::Null);
        let body = subscription("https://push.example/1", 1, "en");
        let refused = post(&server, "/api/pushes/subscriptions", &ann.cookie, &body).await;
        refused.assert(503, "unavailable");
        server.stop().await;
    }
}

#[tokio::test]
async fn a_restored_copy_pushes_when_an_operator_has_allowed_it() {
    let service = PushService::start().await;
    let folder = tempfile::tempdir().unwrap();
    let open = |folder: &tempfile::TempDir| {
        Box::new(Sqlite::open(DataFolder::take(folder.path()).unwrap()).unwrap())
    };
    let server = TestServer::start_with(open(&folder), config(&service, LIMITS));
    let ann = person(&server, "Ann").await;
    until_on(&server, &ann.cookie).await;
    let key = get(&server, "/api/pushes", &ann.cookie).await.body["key"].clone();
    server.stop().await;
    // The same database pushes again, with the same key.
    let server = TestServer::start_with(open(&folder), config(&service, LIMITS));
    until_on(&server, &ann.cookie).await;
    server.stop().await;

    let copies = tempfile::tempdir().unwrap();
    let (file, copy) =
        (folder.path().join("fivefold.sqlite3"), copies.path().join("fivefold.sqlite3"));
    backup(folder.path(), &copy).unwrap();
    // Also in the place of the original, in the same file.
    std::fs::copy(&copy, &file).unwrap();
    let server = TestServer::start_with(open(&folder), config(&service, LIMITS));
    sleep(Duration::from_millis(300)).await;
    assert_eq!(get(&server, "/api/pushes", &ann.cookie).await.body["key"], Value::Null);
    server.stop().await;
    let server = TestServer::start_with(open(&copies), config(&service, LIMITS));
    sleep(Duration::from_millis(300)).await;
    assert_eq!(get(&server, "/api/pushes", &ann.cookie).await.body["key"], Value::Null);
    server.stop().await;
    let said = push(Database::Folder(copies.path())).unwrap();
    assert!(said.starts_with("The server of this database pushes from now on."), "{said}");
    let said = push(Database::Folder(copies.path())).unwrap();
    assert_eq!(said, "This database may push already.\n");
    let server = TestServer::start_with(open(&copies), config(&service, LIMITS));
    until_on(&server, &ann.cookie).await;
    assert_eq!(get(&server, "/api/pushes", &ann.cookie).await.body["key"], key);
    server.stop().await;
}

/// A member subscribes 10,000 browsers, at a service that never answers, and others do the same.
#[tokio::test]
async fn a_storm_of_subscriptions_costs_players_nothing() {
    let storm = PushService::start().await;
    storm.answer(PushAnswer::Silent);
    let mut service = PushService::start().await;
    let memory = Memory::default();
    let mut settings = config(&service, SLEEPY);
    settings.push_peers.also_trusted.push(storm.certificate());
    settings.proxies = Proxies::new(vec![IpAddr::from([127, 0, 0, 1]).into()]).into();
    let server = TestServer::start_with(Box::new(memory.clone()), settings);
    let [ann, bori] = [person(&server, "Ann").await, person(&server, "Bori").await];
    ann.subscribe(&server, &service, 1).await;
    let mut flooders = Vec::new();
    for number in 0..20 {
        let flooder = Person::sign_up_at(&server, number).await;
        // Each browser has an endpoint of its own.
        flooder.subscribe(&server, &storm, 100 + number as u64).await;
        flooders.push(flooder);
    }
    let session = {
        let member = MemberId::try_from(flooders[0].id.clone()).unwrap();
        let known = memory.reader().unwrap().push_member(&member).unwrap();
        known.subscriptions[0].session
    };
    let storm_of = |number: u64, session: KeyHash| PushSubscription {
        endpoint: storm.endpoint(&format!("storm-{number}")),
        p256dh: data_encoding::BASE64URL_NOPAD
            .decode(SoftBrowser::numbered(7).p256dh().as_bytes())
            .unwrap(),
        auth: vec![7; 16],
        language: "en".to_owned(),
        session,
        made_at: number,
    };
    let member = MemberId::try_from(flooders[0].id.clone()).unwrap();
    let mut storage = memory.clone();
    for number in 0..10_000 {
        let change = PushChange::Subscribe(member.clone(), storm_of(number, session));
        assert_eq!(storage.change_pushes(&change).unwrap(), PushChanged::Done);
    }
    assert_eq!(flooders[0].endpoints(&server).await.len(), PUSH_SUBSCRIPTIONS_MAX);
    // All of them are told of their turns, in several games.
    let mut at_bori = socket(&server, &bori.cookie).await;
    for flooder in &flooders {
        let mut client = socket(&server, &flooder.cookie).await;
        for _ in 0..2 {
            let room = game(&mut at_bori, &mut client).await;
            play(&mut at_bori, &room, 0).await;
        }
    }
    // Meanwhile players play, and those who wait for one of 16 turns that hang are told within two rounds of them.
    let mut at_ann = socket(&server, &ann.cookie).await;
    let room = game(&mut at_bori, &mut at_ann).await;
    let mut slowest = Duration::ZERO;
    for ply in 0..21 {
        let player = if ply % 2 == 0 { &mut at_bori } else { &mut at_ann };
        let begun = Instant::now();
        play(player, &room, ply).await;
        slowest = slowest.max(begun.elapsed());
    }
    assert!(slowest < Duration::from_secs(1), "{slowest:?}");
    let told = timeout(Duration::from_secs(15), service.next()).await;
    assert!(told.is_ok(), "somebody else is told, too");
    server.stop().await;
}
