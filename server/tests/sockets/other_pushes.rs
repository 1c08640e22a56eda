//! Pushes that are not about a turn: a game that was found, reports that were decided, and challenges.

use fivefold_server::config::Config;
use fivefold_storage::Memory;
use fivefold_test_services::PushService;
use serde_json::{Value, json};
use tokio::time::sleep;

use crate::{
    accounts::{ask, with},
    friends::{Person, befriend, person},
    harness::{LIMITS, TestServer, within},
    moderation::{about, get, make_operator, post},
    pushes::{SEEN_WITHIN, config, meet, next, nothing, start, start_at, until_on},
    set_clock::{HOUR, set_clock},
};

#[tokio::test]
async fn somebody_whose_page_does_not_come_to_their_game_is_told() {
    let (mut service, server) = start(LIMITS).await;
    let ([ann, _], [mut at_ann, mut at_bori]) = meet(&server, &service).await;
    // Ann's page is frozen: the game is found, and she does not come.
    at_ann.seek("free").await;
    at_bori.seek("free").await;
    let (_, room, _) = at_bori.paired().await;
    at_bori.join(&room).await;
    let (got, told) = next(&mut service, 1).await;
    assert_eq!(
        (&told["title"], &told["body"], &told["path"]),
        (
            &json!("Your game has begun"),
            &json!("Your opponent is Bori."),
            &json!(format!("/r/{room}"))
        )
    );
    assert!(got.headers["ttl"].parse::<u64>().unwrap() <= 120, "{got:?}");
    // She comes to the next one, and does not want to know of a third.
    for (comes, found) in [(true, true), (false, false)] {
        at_bori.ask(json!({"type": "resign", "room": room})).await;
        let room = {
            ann.set(&server, json!({"found": found})).await;
            at_ann.seek("free").await;
            at_bori.seek("free").await;
            at_bori.paired().await.1
        };
        at_bori.join(&room).await;
        if comes {
            at_ann.join(&room).await;
        }
        sleep(SEEN_WITHIN).await;
        nothing(&server, &mut service).await;
        at_bori.ask(json!({"type": "resign", "room": room})).await;
    }
    server.stop().await;
}

#[tokio::test]
async fn reporters_are_told_what_was_decided() {
    let (mut service, memory) = (PushService::start().await, Memory::default());
    let config = config(&service, LIMITS);
    let server = TestServer::start_with(Box::new(memory.clone()), config);
    let [ann, rude] = [person(&server, "Ann").await, person(&server, "Rude").await];
    ann.subscribe(&server, &service, 1).await;
    let operator = person(&server, "Olga").await;
    make_operator(&memory, &server, &operator.cookie).await;
    let path = format!("/api/moderation/people/{}/reports", rude.id);
    for (state, body) in [("dismissed", "No violation was found."), ("acted", "Action was taken.")]
    {
        let report = post(&server, "/api/reports", &ann.cookie, &about(&rude.id)).await;
        assert_eq!(report.status, 204, "{}", report.body);
        nothing(&server, &mut service).await;
        let decided = post(&server, &path, &operator.cookie, &json!({"state": state})).await;
        assert_eq!(decided.status, 204, "{}", decided.body);
        let (_, told) = next(&mut service, 1).await;
        assert_eq!(
            (&told["title"], &told["body"]),
            (&json!("Your report about Rude"), &json!(body))
        );
        nothing(&server, &mut service).await;
    }
    ann.set(&server, json!({"reports": false})).await;
    post(&server, "/api/reports", &ann.cookie, &about(&rude.id)).await;
    post(&server, &path, &operator.cookie, &json!({"state": "acted"})).await;
    nothing(&server, &mut service).await;
    server.stop().await;
}

#[tokio::test]
async fn a_challenge_of_a_friend_is_told() {
    let (mut service, server) = start(LIMITS).await;
    let [ann, bori] = [person(&server, "Ann").await, person(&server, "Bori").await];
    ann.subscribe(&server, &service, 1).await;
    befriend(&server, &ann, &bori).await;
    challenge(&server, &bori, &ann).await;
    let (_, told) = next(&mut service, 1).await;
    assert_eq!((&told["title"], &told["path"]), (&json!("Bori challenges you"), &json!("/")));
    // Bori takes it back, and challenges again: Ann is not told again.
    let path = format!("DELETE /api/friends/{}/challenge", ann.id);
    ask(&server, &path, &with(&bori.cookie), &Value::Null).await;
    challenge(&server, &bori, &ann).await;
    nothing(&server, &mut service).await;
    // She is told of the next one after she has accepted one.
    ann.set(&server, json!({"moves": "never", "found": false})).await;
    let accept = format!("/api/friends/{}/challenge/accept", bori.id);
    assert_eq!(post(&server, &accept, &ann.cookie, &Value::Null).await.status, 200);
    challenge(&server, &bori, &ann).await;
    assert_eq!(next(&mut service, 1).await.1["title"], "Bori challenges you");
    // Challenges from others count separately. She is not told if she does not want to be.
    let [cleo, dido] = [person(&server, "Cleo").await, person(&server, "Dido").await];
    befriend(&server, &ann, &cleo).await;
    challenge(&server, &cleo, &ann).await;
    assert_eq!(next(&mut service, 1).await.1["title"], "Cleo challenges you");
    befriend(&server, &ann, &dido).await;
    ann.set(&server, json!({"challenges": false})).await;
    challenge(&server, &dido, &ann).await;
    nothing(&server, &mut service).await;
    server.stop().await;
}

#[tokio::test]
async fn news_of_quiet_hours_is_told_when_they_end() {
    let clock = set_clock!();
    let (mut service, memory) = (PushService::start().await, Memory::default());
    let start = |service: &PushService| {
        let config = Config { clock: clock.clock, ..config(service, LIMITS) };
        TestServer::start_with(Box::new(memory.reopen()), config)
    };
    let server = start(&service);
    let [ann, bori] = [person(&server, "Ann").await, person(&server, "Bori").await];
    let [rude, operator] = [person(&server, "Rude").await, person(&server, "Olga").await];
    ann.subscribe(&server, &service, 1).await;
    make_operator(&memory, &server, &operator.cookie).await;
    // The clock shows 3 o'clock.
    ann.set(&server, json!({"quiet": {"from": 0, "to": 420}})).await;
    for friend in [&bori, &rude] {
        befriend(&server, &ann, friend).await;
        challenge(&server, friend, &ann).await;
    }
    for reported in [&rude, &bori] {
        let report = post(&server, "/api/reports", &ann.cookie, &about(&reported.id)).await;
        assert_eq!(report.status, 204, "{}", report.body);
        let path = format!("/api/moderation/people/{}/reports", reported.id);
        let decided = post(&server, &path, &operator.cookie, &json!({"state": "acted"})).await;
        assert_eq!(decided.status, 204, "{}", decided.body);
    }
    // What is decided is told after a moment.
    clock.advance(60_000).await;
    let waiting = async |server: &TestServer| {
        let export = get(server, "/api/account/export", &ann.cookie).await.body;
        export["pushes"]["news"].as_array().unwrap().len()
    };
    within(async { while waiting(&server).await < 4 {} }).await;
    // One friend takes theirs back.
    let path = format!("DELETE /api/friends/{}/challenge", ann.id);
    ask(&server, &path, &with(&rude.cookie), &Value::Null).await;
    nothing(&server, &mut service).await;
    server.stop().await;
    let server = start(&service);
    until_on(&server, &ann.cookie).await;
    nothing(&server, &mut service).await;
    clock.advance(4 * HOUR).await;
    let mut titles = Vec::new();
    for _ in 0..3 {
        titles.push(next(&mut service, 1).await.1["title"].as_str().unwrap().to_owned());
    }
    titles.sort();
    assert_eq!(titles, ["Bori challenges you", "Your report about Bori", "Your report about Rude"]);
    nothing(&server, &mut service).await;
    assert_eq!(waiting(&server).await, 0);
    server.stop().await;
}

#[tokio::test]
async fn news_is_told_when_somebody_ends_their_quiet_hours() {
    let clock = set_clock!();
    let (mut service, server) = start_at(&clock).await;
    let [ann, bori] = [person(&server, "Ann").await, person(&server, "Bori").await];
    ann.subscribe(&server, &service, 1).await;
    ann.set(&server, json!({"quiet": {"from": 0, "to": 420}})).await;
    befriend(&server, &ann, &bori).await;
    challenge(&server, &bori, &ann).await;
    nothing(&server, &mut service).await;
    ann.set(&server, json!({"quiet": null})).await;
    assert_eq!(next(&mut service, 1).await.1["title"], "Bori challenges you");
    nothing(&server, &mut service).await;
    server.stop().await;
}

/// A friend leaves a challenge to a daily game for somebody.
async fn challenge(server: &TestServer, from: &Person, to: &Person) {
    let settings = json!({
        "rules": {"variant": "freestyle"}, "time": {"type": "daily", "move_ms": 86_400_000},
        "rated": false,
    });
    let path = format!("/api/friends/{}/challenge", to.id);
    let sent = post(server, &path, &from.cookie, &json!({"settings": settings})).await;
    assert_eq!(sent.status, 204, "{}", sent.body);
}
