//! Tests dishonest clients: the server always closes their connection in time, and with a reason.

use std::time::Duration;

use fivefold_shared::protocol::{LobbyRequest, Message, Reason, Request, close};
use fivefold_tests::{Guest, Server, connect};
use futures_util::StreamExt;
use tokio::{
    io::{AsyncReadExt, AsyncWriteExt},
    net::TcpStream,
};
use tokio_tungstenite::tungstenite::{self, Bytes};

use crate::{FIVE, Pair};

#[tokio::test]
async fn frames_that_are_no_commands_end_the_socket_with_a_code() {
    let mut pair = Pair::new().await;
    let long = format!(r#"{{"type":"ping","id":"1","pad":"{}"}}"#, "x".repeat(4096));
    let cases = [
        (tungstenite::Message::text(long), close::TOO_BIG),
        (tungstenite::Message::text("x".repeat(1 << 20)), close::TOO_BIG),
    ];
    for (frame, code) in cases {
        let mut mallory = Guest::hello(&pair.server, "Mallory").await;
        mallory.send_frame(frame).await;
        let (found, reason) = mallory.closing().await;
        assert_eq!(found, code, "{reason}");
        assert!(!reason.is_empty(), "{code} has a reason");
    }
    // Other people do not notice anything.
    pair.play(&FIVE).await;
}

#[tokio::test]
async fn malformed_messages_are_refused_and_the_socket_stays() {
    let server = Server::start();
    let mut mallory = Guest::hello(&server, "Mallory").await;
    let texts = ["", "{", "[]", "null", r#"{"type":"ping"}"#, r#"{"type":"play","id":"1"}"#];
    let ping = Bytes::from_static(br#"{"type":"ping","id":"1"}"#);
    let binary = tungstenite::Message::binary(ping);
    for frame in texts.map(tungstenite::Message::text).into_iter().chain([binary]) {
        mallory.send_frame(frame.clone()).await;
        match mallory.next().await {
            Message::Refused { refusal, .. } => assert_eq!(refusal.reason, Reason::Malformed),
            other => panic!("{frame:?}: {other:?}"),
        }
    }
    mallory.send_frame(tungstenite::Message::text(r#"{"type":"fly","id":"9"}"#)).await;
    let answer = mallory.next().await;
    let Message::Refused { id: Some(id), refusal } = answer else { panic!("{answer:?}") };
    assert_eq!((id.as_str(), refusal.reason), ("9", Reason::UnknownCommand));
    let pong = mallory.ask(Request::Lobby(LobbyRequest::Ping)).await;
    assert!(matches!(pong, Message::Pong { .. }), "{pong:?}");
}

#[tokio::test]
async fn a_flood_is_refused_and_then_cut_off() {
    let server = Server::start_with(&[]);
    let mut mallory = Guest::hello(&server, "Mallory").await;
    let ping = tungstenite::Message::text(r#"{"type":"ping","id":"1"}"#);
    let (mut answered, mut refused) = (0, 0);
    let (code, reason) = loop {
        mallory.send_frame(ping.clone()).await;
        match mallory.try_next().await {
            Ok(Message::Pong { .. }) => answered += 1,
            Ok(Message::Refused { refusal, .. }) => {
                assert_eq!(refusal.reason, Reason::TooFast);
                refused += 1;
            }
            Ok(other) => panic!("{other:?}"),
            Err(end) => break end.expect("a close frame"),
        }
    };
    assert_eq!(code, close::POLICY, "{reason}");
    assert!(answered >= 20, "{answered} is no flood");
    assert!(refused >= 10, "{refused} times is no fair warning");
    // Other people are not affected.
    let pong = Guest::hello(&server, "Ann").await.ask(Request::Lobby(LobbyRequest::Ping)).await;
    assert!(matches!(pong, Message::Pong { .. }), "{pong:?}");
}

/// Sends bytes over a plain connection, and returns the reply up to its end.
async fn raw(server: &Server, bytes: &[u8]) -> String {
    let mut stream = TcpStream::connect(server.address()).await.expect("the server accepts");
    stream.write_all(bytes).await.expect("the server reads");
    let mut answer = Vec::new();
    // The server may reset the connection after its answer.
    drop(stream.read_to_end(&mut answer).await);
    String::from_utf8_lossy(&answer).into_owned()
}

#[tokio::test]
async fn handshakes_that_are_none_are_answered_in_http() {
    let server = Server::start();
    let get = |path: &str, more: &str| {
        format!("GET {path} HTTP/1.1\r\nHost: here\r\nConnection: close\r\n{more}\r\n")
    };
    let cases = [
        ("\x16\x03\x01\x02\x00\x01\x00\x01\u{fc}".to_owned(), "HTTP/1.1 400"),
        ("EHLO here\r\n\r\n".to_owned(), "HTTP/1.1 400"),
        (get("/ws", ""), "HTTP/1.1 4"),
        (get("/nowhere", ""), "HTTP/1.1 404"),
        (get("/healthz", ""), "HTTP/1.1 200"),
        (get("/", ""), "HTTP/1.1 200"),
    ];
    for (request, expected) in cases {
        let answer = raw(&server, request.as_bytes()).await;
        assert!(answer.starts_with(expected), "{request:?}: {answer:?}");
    }
    let page = raw(&server, get("/", "").as_bytes()).await;
    assert!(page.contains("Fivefold") && page.contains("fivefold join"), "{page}");
    Guest::hello(&server, "Ann").await;
}

#[tokio::test]
async fn who_never_says_hello_is_sent_away() {
    let server = Server::start();
    let mut silent = connect(server.address()).await;
    let code = loop {
        match silent.next().await.expect("a close frame").expect("a frame") {
            tungstenite::Message::Close(frame) => break frame.map(|frame| frame.code.into()),
            _ => continue,
        }
    };
    assert_eq!(code, Some(close::NO_HELLO));
}

#[tokio::test]
async fn a_server_that_is_asked_to_stop_says_so_and_ends() {
    let mut pair = Pair::new().await;
    pair.play(&FIVE[..3]).await;
    let Pair { server, mut ann, mut bob, .. } = pair;
    let address = server.address();
    server.terminate();
    for guest in [&mut ann, &mut bob] {
        let (code, reason) = guest.closing().await;
        assert_eq!(code, close::RESTART);
        assert!(!reason.is_empty());
    }
    let (status, took) = server.wait();
    assert!(status.success(), "{status}");
    assert!(took < Duration::from_secs(5), "{took:?}");
    assert!(TcpStream::connect(address).await.is_err(), "nobody listens any more");
}
