//! HTTP replies of the port: pages, health, and bad handshakes.

use std::time::Duration;

use fivefold_server::{
    config::Config,
    limits::Limits,
    net::proxy::{self, Proxies},
};
use fivefold_storage::Memory;
use tokio::{
    io::{AsyncReadExt, AsyncWriteExt},
    net::TcpStream,
};

use crate::harness::{LIMITS, TestServer, within};

#[tokio::test]
async fn addresses_answer() {
    let server = TestServer::start(LIMITS);
    let cases = [
        ("/", "200 OK", "main.js"),
        ("/games", "200 OK", "main.js"),
        ("/analyse", "200 OK", "main.js"),
        ("/game/k7m2qpxw9abcdefg", "200 OK", "main.js"),
        ("/r/k7m2qpxw9abc", "200 OK", "fivefold join"),
        ("/r/K7M2QPXW9ABC/", "200 OK", "fivefold join"),
        ("/R/k7m2qpxw9abc).", "200 OK", "fivefold join"),
        ("/r/k7m2qpxw9abc%E2%80%8B?utm_source=mail", "200 OK", "fivefold join"),
        ("/r/k7m2qpxw9ab", "404 Not Found", "main.js"),
        ("/r/%3Cscript%3E", "404 Not Found", "main.js"),
        ("/elsewhere", "404 Not Found", "main.js"),
        ("/web/live/main.js", "404 Not Found", "no such file"),
        ("/healthz", "200 OK", r#""status":"ok""#),
        ("/readyz", "200 OK", r#""status":"ready""#),
        // Counts are for the operator alone.
        ("/metrics", "404 Not Found", "main.js"),
        ("/ws", "426 Upgrade Required", "WebSocket"),
    ];
    for (path, status, text) in cases {
        let answer = server.get(path).await;
        assert!(answer.starts_with(&format!("HTTP/1.1 {status}")), "{path}: {answer}");
        assert!(answer.contains(text), "{path}: {answer}");
        if answer.contains("text/html") {
            assert!(answer.contains("content-security-policy: default-src 'none'"), "{path}");
            assert!(answer.contains("cache-control: no-cache"), "{path}");
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
        (
            "Host: test",
            "Host: test\nOrigin: http://elsewhere.test",
            "403",
            "the setting allow-origin",
        ),
        ("Host: test", "Host: test\nOrigin: null", "403", "the setting allow-origin"),
        // A proxy is at fault.
        ("Upgrade: websocket\n", "", "400", "does not forward the headers Upgrade"),
        ("Upgrade: websocket\nConnection: Upgrade", "Connection: keep-alive", "400", "proxy"),
        ("HTTP/1.1", "HTTP/1.0", "400", "proxy_http_version"),
        (
            "Host: test",
            "Host: inner\nOrigin: https://play.test\nSec-Fetch-Site: same-origin",
            "403",
            "--public-url",
        ),
    ];
    for (from, to, status, text) in cases {
        assert!(good.contains(from), "{from}");
        let answer = server.request(&good.replacen(from, to, 1)).await;
        let line = answer.lines().next().unwrap();
        assert!(
            line.ends_with(status) || line.contains(&format!(" {status} ")),
            "{from}: {answer}"
        );
        assert!(answer.contains(text), "{from}: {answer}");
    }
    server.stop().await;
}

/// The status of the answer to a handshake with these headers more.
async fn status_with(server: &TestServer, headers: &str) -> String {
    open_session(server, headers).await.1
}

/// The same, with the connection, which is closed when it is dropped.
async fn open_session(server: &TestServer, headers: &str) -> (TcpStream, String) {
    let mut stream = server.connect_raw().await;
    let request = format!(
        "GET /ws HTTP/1.1\r\nHost: test\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n\
         Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n{headers}\r\n"
    );
    stream.write_all(request.as_bytes()).await.unwrap();
    let mut status = vec![0; "HTTP/1.1 101".len()];
    within(stream.read_exact(&mut status)).await.unwrap();
    (stream, String::from_utf8(status).unwrap().split_off("HTTP/1.1 ".len()))
}

#[tokio::test]
async fn pages_play_from_where_they_may() {
    let config = Config {
        limits: LIMITS,
        origins: vec!["https://play.example.org".parse().unwrap()].into(),
        ..Config::default()
    };
    let server = TestServer::start_with(Box::new(Memory::default()), config);
    let cases = [
        ("", "101"),
        ("Origin: http://test\r\n", "101"),
        ("Origin: https://play.example.org\r\n", "101"),
        ("Origin: https://example.org\r\n", "403"),
        // Headers of an untrusted proxy are ignored.
        ("Origin: http://b.test\r\nX-Forwarded-Host: b.test\r\n", "403"),
    ];
    for (headers, expected) in cases {
        assert_eq!(status_with(&server, headers).await, expected, "{headers}");
    }
    server.stop().await;
}

#[tokio::test]
async fn a_proxy_says_for_whom_it_comes() {
    let limits = Limits { sessions_per_address_max: 1, ..LIMITS };
    let ann = "X-Forwarded-For: 192.0.2.1\r\n";
    let bob = "X-Forwarded-For: 192.0.2.2\r\nOrigin: http://b.test\r\n\
        X-Forwarded-Host: b.test\r\n";
    for (trusted, expected) in [(true, "101"), (false, "403")] {
        let network = proxy::parse_network("127.0.0.0/8").unwrap();
        let proxies = Proxies::new(if trusted { vec![network] } else { vec![] });
        let config = Config { limits, proxies: proxies.into(), ..Config::default() };
        let server = TestServer::start_with(Box::new(Memory::default()), config);
        let held = open_session(&server, ann).await;
        assert_eq!(status_with(&server, bob).await, expected);
        assert_eq!(status_with(&server, ann).await, "429");
        drop(held);
        server.stop().await;
    }
}

#[tokio::test]
async fn new_sessions_behind_a_proxy_are_limited_for_each_address() {
    let limits = Limits {
        sessions_per_address_max: 1,
        connections_spare_per_address: 0,
        connections_per_second: 0,
        ..LIMITS
    };
    let proxies = Proxies::new(vec![proxy::parse_network("127.0.0.0/8").unwrap()]);
    let config = Config { limits, proxies: proxies.into(), ..Config::default() };
    let server = TestServer::start_with(Box::new(Memory::default()), config);
    for (address, expected) in [("192.0.2.1", "101"), ("192.0.2.1", "429"), ("192.0.2.2", "101")] {
        let headers = format!("X-Forwarded-For: {address}\r\n");
        let (mut stream, status) = open_session(&server, &headers).await;
        assert_eq!(status, expected, "{address}");
        if status == "429" {
            let mut answer = String::new();
            while !answer.contains(r#""reason":"too_many_new_connections""#) {
                let mut next = [0; 1_024];
                let length = within(stream.read(&mut next)).await.unwrap();
                assert_ne!(length, 0, "{answer}");
                answer.push_str(std::str::from_utf8(&next[..length]).unwrap());
            }
        }
        drop(stream);
        // Once the session has ended, only the rate can refuse the next one.
        while server.count("sessions").await > 0 {}
    }
    assert_eq!(server.count(r#"turned_away_total{full="rate"}"#).await, 1);
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
