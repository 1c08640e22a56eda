//! Challenges from many: how many wait for one person, and who has to wait after being declined.

use std::{collections::HashSet, net::Ipv4Addr};

use fivefold_server::limits::challenges::{CHALLENGES_WAITING_MAX, DECLINE_PAUSES};
use fivefold_shared::protocol::{Message, Reason, RefusalValues, SeekEnd, SeekId};
use serde_json::{Value, json};

use crate::{
    accounts::{ask, bearer, greet, sign_up, socket, with},
    harness::{Client, LIMITS, TestServer},
    pairing::{back, challenge, known, seeking, settings},
};

/// The refusal of a command.
async fn refusal(client: &mut Client, command: Value) -> (Reason, RefusalValues) {
    match client.ask(command).await {
        Message::Refused { refusal, .. } => (refusal.reason, *refusal.values),
        other => panic!("not refused: {other:?}"),
    }
}

fn decline(seek: &SeekId) -> Value {
    json!({"type": "decline_challenge", "seek": seek})
}

#[tokio::test]
async fn ten_challenges_wait_for_one_person_and_no_guest_can_drown_an_account() {
    let server = TestServer::start(LIMITS);
    let mut bob = server.greet("Bob").await;
    let (cookie, _) = sign_up(&server, "Ann").await;
    let (mut guests, mut seeks) = (Vec::new(), Vec::new());
    for number in 0..30_u8 {
        let address = Ipv4Addr::new(127, 0, 3, number);
        let mut guest = server.greet_from(address, &format!("Guest {number}")).await;
        // Three each, as many as one member may have.
        for _ in 0..3 {
            match guest.ask(challenge("Bob")).await {
                Message::Seeking { seek, .. } => seeks.push(seek),
                Message::Refused { refusal, .. } if seeks.len() < CHALLENGES_WAITING_MAX => {
                    assert_eq!(refusal.reason, Reason::AlreadyChallenged);
                }
                Message::Refused { refusal, .. } => {
                    let own = refusal.reason == Reason::AlreadyChallenged;
                    assert!(own || refusal.reason == Reason::ChallengesFull, "{refusal:?}");
                }
                other => panic!("{other:?}"),
            }
        }
        guests.push(guest);
    }
    assert_eq!(seeks.len(), CHALLENGES_WAITING_MAX);
    let (reason, _) = refusal(&mut guests[10], challenge("Bob")).await;
    assert_eq!(reason, Reason::ChallengesFull);

    // The account's challenge is there, and the newest guest's one is gone.
    let mut ann = socket(&server, &cookie).await;
    let anns = seeking(ann.ask(challenge("Bob")).await);
    assert_eq!(guests[9].over().await, (seeks[9].clone(), SeekEnd::Displaced));
    let mut waiting = HashSet::new();
    while !waiting.contains(&anns) {
        match bob.receive().await {
            Message::Challenged { challenge, .. } => assert!(waiting.insert(challenge.seek)),
            Message::SeekOver { seek, why: SeekEnd::Displaced } => {
                assert!(waiting.remove(&seek), "{seek} was never announced");
            }
            _ => {}
        }
    }
    seeks.truncate(9);
    seeks.push(anns.clone());
    assert_eq!(waiting, seeks.iter().cloned().collect());
    let accept = json!({"type": "accept_seek", "seek": anns});
    assert!(matches!(bob.ask(accept).await, Message::Done { .. }));
    assert_eq!(bob.paired().await.1, ann.paired().await.1);
    // There is a place again: Bob plays, and Ann's challenge is over.
    seeking(guests[20].ask(challenge("Bob")).await);
    server.stop().await;
}

#[tokio::test]
async fn who_was_declined_twice_waits_also_as_another_guest() {
    let server = TestServer::start(LIMITS);
    let mut bob = server.greet("Bob").await;
    let (mut eve, identity, _) = known(&server, "Eve").await;
    for _ in 0..2 {
        let seek = seeking(eve.ask(challenge("Bob")).await);
        bob.ask(decline(&seek)).await;
        assert_eq!(eve.over().await, (seek, SeekEnd::Declined));
    }
    let first = u64::try_from(DECLINE_PAUSES[0].as_millis()).unwrap();
    drop(eve);
    let mut eve = back(&server, &identity).await;
    let mut sid = server.greet("Sid").await;
    for client in [&mut eve, &mut sid] {
        let (reason, values) = refusal(client, challenge("Bob")).await;
        assert_eq!(reason, Reason::DeclinedLately);
        assert!(values.wait_ms.is_some_and(|wait| wait <= first && wait + 60_000 > first));
    }
    let text = r#"refusals_total{reason="declined_lately"}"#;
    assert_eq!(server.count(text).await, 2);
    // Elsewhere they are free, and so are others.
    let _tom = server.greet("Tom").await;
    seeking(eve.ask(challenge("Tom")).await);
    let mut far = server.greet_from(Ipv4Addr::new(127, 0, 3, 1), "Far").await;
    seeking(far.ask(challenge("Bob")).await);
    let (cookie, _) = sign_up(&server, "Ann").await;
    let mut ann = socket(&server, &cookie).await;
    seeking(ann.ask(json!({"type": "challenge", "name": "Bob", "settings": settings()})).await);
    server.stop().await;
}

#[tokio::test]
async fn a_member_says_from_whom_they_take_challenges() {
    let server = TestServer::start(LIMITS);
    let (mut bob, _, identity) = greet(&server, "Bob").await;
    let guest = vec![bearer(&identity)];
    let get = async |head: &[String]| ask(&server, "GET /api/challenges", head, &Value::Null).await;
    let set = async |head: &[String], from: &str| {
        ask(&server, "POST /api/challenges", head, &json!({"from": from})).await
    };
    // A guest who has never played is not stored.
    set(&guest, "nobody").await.assert(403, "seat_first");
    assert_eq!(get(&guest).await.body["from"], "everybody");
    bob.create(json!(["me", "open"])).await;

    let mut eve = server.greet("Eve").await;
    let (cookie, _) = sign_up(&server, "Ann").await;
    let mut ann = socket(&server, &cookie).await;
    for (from, of_guest, of_account) in [
        ("accounts", Some(Reason::AccountsOnly), None),
        ("nobody", Some(Reason::NoChallenges), Some(Reason::NoChallenges)),
        ("everybody", None, None),
    ] {
        assert_eq!(set(&guest, from).await.status, 204);
        assert_eq!(get(&guest).await.body["from"], from);
        for (challenger, expected) in [(&mut eve, of_guest), (&mut ann, of_account)] {
            match challenger.ask(challenge("Bob")).await {
                Message::Refused { refusal, .. } => assert_eq!(Some(refusal.reason), expected),
                answer => {
                    assert_eq!(expected, None);
                    let seek = seeking(answer);
                    challenger.ask(json!({"type": "cancel_seek", "seek": seek})).await;
                }
            }
        }
    }
    // An account has it in its export, and a wrong word changes nothing.
    assert_eq!(set(&with(&cookie), "nobody").await.status, 204);
    assert_eq!(set(&with(&cookie), "friends").await.status, 422);
    let export = ask(&server, "GET /api/account/export", &with(&cookie), &Value::Null).await;
    assert_eq!(export.body["challenges_from"], "nobody");
    assert_eq!(eve.refused(challenge("Ann")).await, Reason::NoChallenges);
    server.stop().await;
}
