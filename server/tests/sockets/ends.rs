//! How sockets end: which code, and that it gets through.

use std::time::{Duration, Instant};

use fivefold_server::{config::Config, limits::Limits};
use fivefold_shared::protocol::{Message, Reason, close};
use fivefold_storage::Memory;
use serde_json::json;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio_tungstenite::tungstenite;

use crate::harness::{Client, LIMITS, TestServer, config, within};

const SHORT: Duration = Duration::from_millis(50);
const HANDSHAKE: &str = "GET /ws HTTP/1.1\r\nHost: test\r\nUpgrade: websocket\r\n\
    Connection: Upgrade\r\nSec-WebSocket-Version: 13\r\n\
    Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n";

/// Sends these bytes after the handshake and reads until the server closes, without ever
/// answering: everything after the server's handshake.
async fn bytes_after(server: &TestServer, bytes: &[u8]) -> Vec<u8> {
    let mut stream = server.connect_raw().await;
    stream.write_all(HANDSHAKE.as_bytes()).await.unwrap();
    stream.write_all(bytes).await.unwrap();
    let mut answer = Vec::new();
    within(stream.read_to_end(&mut answer)).await.unwrap();
    let end = answer.windows(4).position(|four| four == b"\r\n\r\n").unwrap();
    answer.split_off(end + 4)
}

/// The code of the close frame that the bytes begin with.
fn close_code(bytes: &[u8]) -> u16 {
    match bytes {
        [0x88, _, high, low, reason @ ..] => {
            assert!(std::str::from_utf8(reason).is_ok_and(|reason| !reason.is_empty()));
            u16::from_be_bytes([*high, *low])
        }
        _ => panic!("no close frame: {bytes:?}"),
    }
}

#[tokio::test]
async fn bad_frames_are_answered_with_their_code() {
    let server = TestServer::start(LIMITS);
    // The mask is zero, so the payload is as it looks.
    let cases: [(&str, &[u8], u16); 5] = [
        ("unmasked", b"\x81\x01x", close::PROTOCOL_ERROR),
        ("reserved bit", b"\xc1\x81\0\0\0\0x", close::PROTOCOL_ERROR),
        ("reserved opcode", b"\x83\x81\0\0\0\0x", close::PROTOCOL_ERROR),
        ("not UTF-8", b"\x81\x81\0\0\0\0\xff", close::INVALID_TEXT),
        ("announced too long", b"\x81\xff\0\0\0\0\0\x01\0\0\0\0\0\0", close::TOO_BIG),
    ];
    for (what, bytes, code) in cases {
        assert_eq!(close_code(&bytes_after(&server, bytes).await), code, "{what}");
    }
    server.stop().await;
}

#[tokio::test]
async fn a_fragmented_message_is_limited_as_a_whole() {
    let server = TestServer::start(LIMITS);
    // Three fragments of 2,000 bytes. None is marked as the last.
    let fragment =
        |first: u8| [&[first, 0xfe, 0x07, 0xd0, 0, 0, 0, 0], [b' '; 2_000].as_slice()].concat();
    let bytes = [fragment(0x01), fragment(0x00), fragment(0x00)].concat();
    assert_eq!(close_code(&bytes_after(&server, &bytes).await), close::TOO_BIG);
    server.stop().await;
}

#[tokio::test]
async fn hello_comes_first_and_in_time() {
    let server = TestServer::start(Limits { hello_timeout: SHORT, ..LIMITS });
    let mut silent = server.connect().await;
    assert_eq!(silent.closed().await.0, close::NO_HELLO);
    server.stop().await;

    let server = TestServer::start(LIMITS);
    let mut client = server.connect().await;
    assert!(matches!(client.ask(json!({"type": "ping"})).await, Message::Pong { .. }));
    assert_eq!(client.refused(json!({"type": "rooms"})).await, Reason::HelloFirst);
    assert_eq!(client.closed().await.0, close::NO_HELLO);

    let mut client = server.connect().await;
    assert_eq!(client.refused(json!({"type": "hello", "protocol": 2})).await, Reason::Version);
    assert_eq!(client.closed().await.0, close::VERSION);

    let mut client = server.greet("Ann").await;
    assert_eq!(
        client.refused(json!({"type": "hello", "protocol": 1})).await,
        Reason::AlreadyGreeted
    );
    assert_eq!(client.refused(json!({"type": "dance"})).await, Reason::UnknownCommand);
    assert_eq!(client.refused(json!({"type": "join", "room": "?"})).await, Reason::Malformed);
    let nowhere = json!({"type": "join", "room": "k7m2qpxw9abc"});
    assert_eq!(client.refused(nowhere).await, Reason::NoSuchRoom);
    server.stop().await;
}

#[tokio::test]
async fn who_does_not_answer_pings_is_idle() {
    // Each ping carries its number in eight bytes.
    const PING_BYTES: usize = 10;
    let limits = Limits { ping_interval: SHORT, idle_timeout: 3 * SHORT, ..LIMITS };
    let server = TestServer::start(limits);
    let mut bytes = bytes_after(&server, b"").await;
    let mut pings = 0;
    while bytes.starts_with(b"\x89\x08") {
        bytes.drain(..PING_BYTES);
        pings += 1;
    }
    assert!(pings > 0, "idle, and never asked");
    assert_eq!(close_code(&bytes), close::IDLE);
    server.stop().await;
}

#[tokio::test]
async fn who_takes_nothing_is_cut_at_the_write_deadline() {
    let server = TestServer::start(Limits { write_timeout: SHORT, ..LIMITS });
    let mut stream = server.connect_raw().await;
    stream.write_all(HANDSHAKE.as_bytes()).await.unwrap();
    let ping = [b"\x81\x99\0\0\0\0".as_slice(), br#"{"type":"ping","id":"12"}"#].concat();
    // Until the server takes no more because it cannot write, and then until it gives up.
    while stream.write_all(&ping).await.is_ok() {}
    while server.count(r#"sessions_ended_total{code="4001"}"#).await == 0 {}
    server.stop().await;
}

#[tokio::test]
async fn stopping_does_not_wait_for_who_does_not_read() {
    let server = TestServer::start(LIMITS);
    let mut stream = server.connect_raw().await;
    stream.write_all(HANDSHAKE.as_bytes()).await.unwrap();
    let ping = [b"\x81\x99\0\0\0\0".as_slice(), br#"{"type":"ping","id":"12"}"#].concat();
    // Far more answers than the buffers take.
    stream.write_all(&ping.repeat(1_000)).await.unwrap();
    while server.count(r#"commands_total{kind="ping",result="done"}"#).await < 100 {}
    let begun = Instant::now();
    server.stop().await;
    assert!(begun.elapsed() < Duration::from_secs(5), "{:?}", begun.elapsed());
}

#[tokio::test]
async fn a_client_that_leaves_is_answered() {
    let server = TestServer::start(LIMITS);
    let mut client = server.greet("Ann").await;
    client.send_raw(tungstenite::Message::Close(None)).await;
    within(client.ended()).await;
    server.stop().await;
}

#[tokio::test]
async fn stopping_tells_everybody_and_takes_nobody_new() {
    let server = TestServer::start(LIMITS);
    let mut ann = server.greet("Ann").await;
    let room = ann.create(json!(["me", {"bot": {"kind": "attack"}}])).await;
    let mut eve: Client = server.greet("Eve").await;
    eve.join(&room).await;
    server.begin_stop();
    for client in [&mut ann, &mut eve] {
        let (code, reason) = client.closed().await;
        assert_eq!(code, close::RESTART);
        assert!(reason.contains("Come back"), "{reason}");
    }
    let address = server.address;
    server.stop().await;
    assert!(tokio::net::TcpStream::connect(address).await.is_err());
}

#[tokio::test]
async fn a_server_that_drains_goes_on_without_new_rooms() {
    let config = Config { drain: Duration::from_secs(3_600), ..config(LIMITS) };
    let server = TestServer::start_with(Box::new(Memory::default()), config);
    let mut ann = server.greet("Ann").await;
    let room = ann.create(json!(["me", {"bot": {"kind": "attack"}}])).await;
    server.begin_stop();
    assert!(server.monitor("/readyz").await.starts_with("HTTP/1.1 503"));

    let mut eve = server.greet("Eve").await;
    eve.join(&room).await;
    let create = json!({
        "id": "x", "type": "create", "rules": {"variant": "freestyle"}, "seats": ["me", "open"],
    });
    eve.send_text(create.to_string()).await;
    assert_eq!(eve.closed().await.0, close::RESTART);
    let said = ann.ask(json!({"type": "resign", "room": room})).await;
    assert!(matches!(said, Message::Done { .. }), "{said:?}");
}
