//! Daily games as a calendar and as a feed, over real sockets.

use fivefold_shared::protocol::Scope;
use fivefold_storage::Memory;
use serde_json::json;

use crate::{
    account_keys::new_token,
    accounts::socket,
    friends::person,
    harness::{LIMITS, TestServer, joined},
    ratings::act,
    sleeping::{SLEEPY, all_asleep, daily},
};

#[tokio::test]
async fn daily_games_are_in_the_calendar_and_in_the_feed() {
    let server = TestServer::start_on(Box::new(Memory::default()), SLEEPY);
    let [ann, bob] = [person(&server, "Ann").await, person(&server, "Bob").await];
    let token = new_token(&server, &ann.cookie, &[Scope::ReadGames]).await;
    let calendar = format!("/games.ics?token={token}&language=es");
    let feed = format!("/games.atom?token={token}");
    assert!(!server.get(&calendar).await.contains("VEVENT"));

    let mut anns = socket(&server, &ann.cookie).await;
    let mut bobs = socket(&server, &bob.cookie).await;
    let room = joined(anns.ask(daily("private")).await);
    bobs.join(&room).await;
    bobs.ask(json!({"type": "sit", "room": room})).await;
    let answer = server.get(&calendar).await;
    let head = [
        "200 OK",
        "content-type: text/calendar; charset=utf-8",
        "cache-control: private, no-store",
    ];
    for expected in head {
        assert!(answer.contains(expected), "{answer}");
    }
    assert!(answer.contains("SUMMARY:Te toca contra Bob\r\n"), "{answer}");
    assert!(answer.contains(&format!("URL:http://test/r/{room}\r\n")), "{answer}");

    anns.ask(json!({"type": "play", "room": room, "ply": 0, "point": [7, 7]})).await;
    assert!(!server.get(&calendar).await.contains("VEVENT"), "it is Bob's turn");
    let answer = server.get(&feed).await;
    assert!(answer.contains("content-type: application/atom+xml"), "{answer}");
    assert!(answer.contains("<title>Bob is to move</title>"), "{answer}");
    assert!(answer.contains(&format!("<id>urn:fivefold:{room}:")), "{answer}");

    bobs.ask(json!({"type": "play", "room": room, "ply": 1, "point": [8, 8]})).await;
    drop((anns, bobs));
    all_asleep(&server).await;
    assert!(server.get(&feed).await.contains("<title>Your move against Bob</title>"), "it sleeps");
}

/// If a program knows the id of an entry, it takes the entry for one that it has already shown.
#[tokio::test]
async fn a_takeback_and_a_rematch_repeat_no_id() {
    let server = TestServer::start(SLEEPY);
    let [ann, bob] = [person(&server, "Ann").await, person(&server, "Bob").await];
    let token = new_token(&server, &ann.cookie, &[Scope::ReadGames]).await;
    let [feed, calendar] = ["atom", "ics"].map(|kind| format!("/games.{kind}?token={token}"));
    let between = |text: &str, from: &str, to: &str| -> String {
        let (_, text) = text.split_once(from).unwrap_or_else(|| panic!("no {from} in {text}"));
        text.split_once(to).expect("its end").0.to_owned()
    };
    let mut anns = socket(&server, &ann.cookie).await;
    let mut bobs = socket(&server, &bob.cookie).await;
    let room = joined(anns.ask(daily("private")).await);
    bobs.join(&room).await;
    act(&mut bobs, json!({"type": "sit", "room": room})).await;
    let start = format!("<id>urn:fivefold:{room}:");
    let number = async || between(&server.get(&feed).await, &start, "</id>");
    let play = json!({"type": "play", "room": room, "ply": 0, "point": [7, 7]});
    let simple = |kind: &str| json!({"type": kind, "room": room});
    let mut numbers = vec![number().await];
    let uid = between(&server.get(&calendar).await, "UID:", "\r\n");
    assert_eq!(uid, format!("{room}-{}@fivefold", numbers[0]));
    act(&mut anns, play.clone()).await;
    numbers.push(number().await);
    // The same moves again.
    act(&mut anns, simple("ask_takeback")).await;
    act(&mut bobs, simple("grant_takeback")).await;
    numbers.push(number().await);
    act(&mut anns, play).await;
    numbers.push(number().await);
    // And another game.
    act(&mut bobs, simple("resign")).await;
    act(&mut anns, simple("rematch")).await;
    act(&mut bobs, simple("rematch")).await;
    numbers.push(number().await);
    let mut different = numbers.clone();
    different.sort();
    different.dedup();
    assert_eq!(different.len(), numbers.len(), "{numbers:?}");
    server.stop().await;
}

#[tokio::test]
async fn only_a_token_that_does_nothing_but_read_games_may_be_in_an_address() {
    let server = TestServer::start(LIMITS);
    let ann = person(&server, "Ann").await;
    let scopes: [&[Scope]; 4] = [
        &[Scope::Play],
        &[Scope::ReadAccount],
        &[Scope::ReadGames, Scope::Play],
        &[Scope::ReadAccount, Scope::ReadGames],
    ];
    for scopes in scopes {
        let token = new_token(&server, &ann.cookie, scopes).await;
        let answer = server.get(&format!("/games.ics?token={token}")).await;
        assert!(answer.starts_with("HTTP/1.1 403"), "{answer}");
        assert!(answer.contains("token_scope") && answer.contains("games:read"), "{answer}");
    }
    for (query, status) in [("?token=ff_wrong", "401"), ("?token=", "401"), ("", "400")] {
        for path in ["/games.ics", "/games.atom"] {
            let answer = server.get(&format!("{path}{query}")).await;
            assert!(answer.starts_with(&format!("HTTP/1.1 {status}")), "{path}{query}: {answer}");
        }
    }
}
