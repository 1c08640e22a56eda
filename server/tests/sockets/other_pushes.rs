//! Pushes that are not about a turn: a game that was found, reports that were decided, and challenges.

use fivefold_storage::Memory;
use fivefold_test_services::PushService;
use serde_json::{Value, json};
use tokio::time::sleep;

use crate::{
    accounts::{ask, with},
    friends::person,
    harness::{LIMITS, TestServer},
    moderation::{about, make_operator, post},
    pushes::{SEEN_WITHIN, config, meet, next, nothing, start},
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
    post(&server, "/api/friends", &ann.cookie, &json!({"member": bori.id})).await;
    post(&server, "/api/friends", &bori.cookie, &json!({"member": ann.id})).await;
    let settings = json!({
        "rules": {"variant": "freestyle"}, "time": {"type": "daily", "move_ms": 86_400_000},
        "rated": false,
    });
    let challenge = format!("/api/friends/{}/challenge", ann.id);
    let sent = post(&server, &challenge, &bori.cookie, &json!({"settings": settings})).await;
    assert_eq!(sent.status, 204, "{}", sent.body);
    let (_, told) = next(&mut service, 1).await;
    assert_eq!((&told["title"], &told["path"]), (&json!("Bori challenges you"), &json!("/")));
    // Bori takes it back, and challenges again: Ann knows.
    ask(&server, &format!("DELETE {challenge}"), &with(&bori.cookie), &Value::Null).await;
    let sent = post(&server, &challenge, &bori.cookie, &json!({"settings": settings})).await;
    assert_eq!(sent.status, 204, "{}", sent.body);
    nothing(&server, &mut service).await;
    // She is told of the next one after she has accepted one.
    ann.set(&server, json!({"moves": "never", "found": false})).await;
    let accept = format!("/api/friends/{}/challenge/accept", bori.id);
    assert_eq!(post(&server, &accept, &ann.cookie, &Value::Null).await.status, 200);
    let sent = post(&server, &challenge, &bori.cookie, &json!({"settings": settings})).await;
    assert_eq!(sent.status, 204, "{}", sent.body);
    let (_, told) = next(&mut service, 1).await;
    assert_eq!(told["title"], "Bori challenges you");
    // Others are told for themselves, unless she does not want to know.
    let cleo = person(&server, "Cleo").await;
    post(&server, "/api/friends", &ann.cookie, &json!({"member": cleo.id})).await;
    post(&server, "/api/friends", &cleo.cookie, &json!({"member": ann.id})).await;
    let sent = post(&server, &challenge, &cleo.cookie, &json!({"settings": settings})).await;
    assert_eq!(sent.status, 204, "{}", sent.body);
    assert_eq!(next(&mut service, 1).await.1["title"], "Cleo challenges you");
    let dido = person(&server, "Dido").await;
    post(&server, "/api/friends", &ann.cookie, &json!({"member": dido.id})).await;
    post(&server, "/api/friends", &dido.cookie, &json!({"member": ann.id})).await;
    ann.set(&server, json!({"challenges": false})).await;
    let sent = post(&server, &challenge, &dido.cookie, &json!({"settings": settings})).await;
    assert_eq!(sent.status, 204, "{}", sent.body);
    nothing(&server, &mut service).await;
    server.stop().await;
}
