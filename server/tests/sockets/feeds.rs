//! Daily games as a calendar and as a feed, over real sockets.

use fivefold_shared::protocol::Scope;
use fivefold_storage::Memory;
use serde_json::json;

use crate::{
    account_keys::new_token,
    accounts::socket,
    friends::person,
    harness::{LIMITS, TestServer, joined},
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
    assert!(answer.contains(&format!("<id>urn:fivefold:{room}:1</id>")), "{answer}");

    bobs.ask(json!({"type": "play", "room": room, "ply": 1, "point": [8, 8]})).await;
    drop((anns, bobs));
    all_asleep(&server).await;
    assert!(server.get(&feed).await.contains("<title>Your move against Bob</title>"), "it sleeps");
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
