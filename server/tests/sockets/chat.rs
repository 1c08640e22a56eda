//! Chat over sockets: players never get spectators' messages during a game, and rate limits apply.

use fivefold_server::limits::Limits;
use fivefold_shared::protocol::{CHAT_TEXT_MAX, Message, Reason, RoomCode};
use fivefold_shared::room::RoomLimits;
use serde_json::json;

use crate::harness::{Client, LIMITS, TestServer};

async fn say(client: &mut Client, room: &RoomCode, text: &str) -> Message {
    client.ask(json!({"type": "say", "room": room, "text": text})).await
}

/// The chat lines that a client has received before the answer to a ping.
async fn lines_of(client: &mut Client) -> Vec<String> {
    client.send_text(r#"{"type": "ping", "id": "here"}"#).await;
    let mut lines = Vec::new();
    loop {
        match client.receive().await {
            Message::PlayerSaid { line, .. } => lines.push(format!("player {}", line.text)),
            Message::SpectatorSaid { line, .. } => lines.push(format!("spectator {}", line.text)),
            Message::Pong { .. } => return lines,
            _ => {}
        }
    }
}

#[tokio::test]
async fn players_hear_spectators_only_when_they_do_not_play() {
    let server = TestServer::start(LIMITS);
    let (mut ann, mut bob, room) = server.two_play().await;
    let mut eve = server.greet("Eve").await;
    eve.join(&room).await;
    let mut dan = server.greet("Dan").await;
    dan.join(&room).await;

    assert!(matches!(say(&mut eve, &room, "h8 wins").await, Message::Done { .. }));
    assert!(matches!(say(&mut ann, &room, "Good seeds!").await, Message::Done { .. }));
    // What a room says about one command is sent before the next is dealt with.
    assert_eq!(lines_of(&mut dan).await, ["spectator h8 wins", "player Good seeds!"]);
    assert_eq!(lines_of(&mut bob).await, ["player Good seeds!"]);
    assert_eq!(lines_of(&mut ann).await, [""; 0]);

    let chat = json!({"type": "chat", "room": room});
    for player in [&mut ann, &mut bob] {
        let Message::Chat { players, spectators, .. } = player.ask(chat.clone()).await else {
            panic!("not the lines");
        };
        assert_eq!((players.len(), spectators), (1, None));
    }
    bob.ask(json!({"type": "resign", "room": room})).await;
    let Message::Chat { spectators: Some(lines), .. } = bob.ask(chat).await else {
        panic!("after the game players may see all");
    };
    assert_eq!(lines[0].text.as_str(), "h8 wins");
    say(&mut eve, &room, "pity").await;
    assert_eq!(lines_of(&mut bob).await, ["spectator pity"]);
    server.stop().await;
}

#[tokio::test]
async fn a_line_is_as_long_as_the_limit_and_cleaned() {
    let server = TestServer::start(LIMITS);
    let mut ann = server.greet("Ann").await;
    let room = ann.create(json!(["me", "open"])).await;
    let mut eve = server.greet("Eve").await;
    eve.join(&room).await;
    let longest = "五".repeat(CHAT_TEXT_MAX);
    assert!(matches!(say(&mut ann, &room, &longest).await, Message::Done { .. }));
    for text in [format!("{longest}!"), String::new(), "\u{202e}\u{200b}".to_owned()] {
        let say = json!({"type": "say", "room": room, "text": text});
        assert_eq!(ann.refused(say).await, Reason::Malformed, "{text}");
    }
    say(&mut ann, &room, "<b>a\u{202e}b\u{1b}[1m</b>").await;
    assert_eq!(
        lines_of(&mut eve).await,
        [format!("player {longest}"), "player <b>ab [1m</b>".into()]
    );
    server.stop().await;
}

#[tokio::test]
async fn a_session_says_no_more_than_its_rate_and_may_still_play() {
    let server = TestServer::start(Limits { lines_per_minute: 1, lines_burst: 3, ..LIMITS });
    let mut ann = server.greet("Ann").await;
    let room = ann.create(json!(["me", {"bot": {"kind": "attack"}}])).await;
    for _ in 0..3 {
        assert!(matches!(say(&mut ann, &room, "hm").await, Message::Done { .. }));
    }
    let more = json!({"type": "say", "room": room, "text": "more"});
    assert_eq!(ann.refused(more).await, Reason::TooFast);
    let play = json!({"type": "play", "room": room, "ply": 0, "point": [7, 7]});
    assert!(matches!(ann.ask(play).await, Message::Done { .. }));
    server.stop().await;
}

#[tokio::test]
async fn where_the_operator_wants_no_chat_there_is_none() {
    let server =
        TestServer::start(Limits { room: RoomLimits { chat: false, ..LIMITS.room }, ..LIMITS });
    let mut ann = server.connect().await;
    let hello = ann.ask(json!({"type": "hello", "protocol": 1})).await;
    assert!(matches!(hello, Message::Welcome { chat: false, .. }), "{hello:?}");
    let room = ann.create(json!(["me", "open"])).await;
    let say = json!({"type": "say", "room": room, "text": "hello?"});
    assert_eq!(ann.refused(say).await, Reason::ChatOff);
    server.stop().await;
}
