//! What the port says to HTTP: pages, health, and bad handshakes.

use std::time::Duration;

use fivefold_server::limits::Limits;
use tokio::io::{AsyncReadExt, AsyncWriteExt};

use crate::harness::{LIMITS, TestServer, within};

#[tokio::test]
async fn pages_say_how_to_play() {
    let server = TestServer::start(LIMITS);
    let cases = [
        ("/", "200 OK", "<code>fivefold play</code>"),
        ("/r/k7m2qpxw9abc", "200 OK", "<code>fivefold join k7m2qpxw9abc</code>"),
        ("/r/%3Cscript%3E", "404 Not Found", "not a link to a room"),
        ("/elsewhere", "404 Not Found", "nothing here"),
        ("/style.css", "200 OK", "color-scheme"),
        ("/healthz", "200 OK", r#""status":"ok""#),
        ("/ws", "426 Upgrade Required", "WebSocket"),
    ];
    for (path, status, text) in cases {
        let answer = server.get(path).await;
        assert!(answer.starts_with(&format!("HTTP/1.1 {status}")), "{path}: {answer}");
        assert!(answer.contains(text), "{path}: {answer}");
        assert!(!answer.contains("<script"), "{path}: {answer}");
        if answer.contains("text/html") {
            assert!(answer.contains("content-security-policy: default-src 'none'"), "{path}");
        }
    }
    server.stop().await;
}

#[tokio::test]
async fn bad_handshakes_are_told_what_is_wrong() {
    let server = TestServer::start(LIMITS);
    let good = "GET /ws HTTP/1.1\nHost: test\nUpgrade: websocket\nConnection: Upgrade, close\n\
        Sec-WebSocket-Version: 13\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\n\n";
    let cases = [
        ("Version: 13", "Version: 12", "426", "sec-websocket-version: 13"),
        ("Sec-WebSocket-Version: 13\n", "", "426", "sec-websocket-version: 13"),
        ("GET", "POST", "405", "allow: GET"),
        ("Host: test\n", "", "400", "Host"),
        ("Upgrade: websocket", "Upgrade: h2c", "426", "upgrade: websocket"),
        ("Connection: Upgrade, close", "Connection: close", "400", "Connection"),
        ("b25jZQ==", "b25jZQ", "400", "Sec-WebSocket-Key"),
    ];
    for (from, to, status, text) in cases {
        assert!(good.contains(from), "{from}");
        let answer = server.request(&good.replacen(from, to, 1)).await;
        assert!(answer.starts_with(&format!("HTTP/1.1 {status} ")), "{from}: {answer}");
        assert!(answer.contains(text), "{from}: {answer}");
    }
    server.stop().await;
}

#[tokio::test]
async fn slow_handshakes_are_cut() {
    let limits = Limits { handshake_timeout: Duration::from_millis(50), ..LIMITS };
    let server = TestServer::start(limits);
    for begun in ["", "GET /ws HTTP/1.1\r\nHost: te"] {
        let mut stream = server.connect_raw().await;
        stream.write_all(begun.as_bytes()).await.unwrap();
        let mut answer = String::new();
        within(stream.read_to_string(&mut answer)).await.unwrap();
        assert!(!answer.contains("101"), "{answer}");
    }
    server.stop().await;
}
