//! Questions over HTTP: what they cost, how many are answered at once, and clients that are slow to
//! ask or to read.

use std::{
    sync::{
        Arc,
        atomic::{AtomicU64, Ordering},
    },
    time::Duration,
};

use fivefold_server::{
    config::Config,
    limits::{
        HTTP_BODY_MAX, HTTP_BYTES_PER_TOKEN, HTTP_JOBS_PER_ADDRESS_MAX, HTTP_STUDY_TOKENS, Limits,
    },
};
use fivefold_shared::protocol::{Message, Reason};
use fivefold_storage::{Blocking, Memory};
use futures_util::future::select_all;
use serde_json::{Value, json};
use tokio::{
    io::{AsyncReadExt, AsyncWriteExt},
    time::interval,
};

use crate::harness::{LIMITS, TestServer, within};

/// Black has four in a row with both ends open: nothing is left to find soon.
const FOUR: &str = concat!(
    r#"{"rules":{"variant":"freestyle"},"#,
    r#""moves":[[5,7],[0,0],[6,7],[2,0],[7,7],[4,0],[8,7],[6,0]]}"#
);

/// A position without moves, in a body of so many bytes.
fn empty_board(length: usize) -> String {
    let question = r#"{"rules":{"variant":"freestyle"},"moves":[]}"#;
    format!("{question}{}", " ".repeat(length - question.len()))
}

fn status(answer: &str) -> u16 {
    let status = answer.split(' ').nth(1).and_then(|status| status.parse().ok());
    status.unwrap_or_else(|| panic!("no status: {answer:?}"))
}

#[tokio::test]
async fn the_documents_for_programs_are_sent_to_pages_of_every_site() {
    let server = TestServer::start(LIMITS);
    for (path, field) in [("/api/openapi.json", "openapi"), ("/api/messages.schema.json", "$defs")]
    {
        let answer = server.get(path).await;
        let (head, body) = answer.split_once("\r\n\r\n").unwrap();
        assert_eq!(status(head), 200);
        assert!(head.contains("\r\naccess-control-allow-origin: *"), "{head}");
        let document: Value = serde_json::from_str(body).unwrap();
        assert!(!document[field].is_null(), "{path}");
    }
    server.stop().await;
}

#[tokio::test]
async fn questions_cost_as_much_as_they_are_long() {
    // The allowance does not come back while the test runs.
    let limits = Limits { http_tokens_per_second: 0, http_tokens_burst: 40, ..LIMITS };
    let whole = 1 + HTTP_BODY_MAX / HTTP_BYTES_PER_TOKEN;
    let study = 1 + HTTP_STUDY_TOKENS as usize;
    let short = empty_board(HTTP_BYTES_PER_TOKEN - 1);
    let longer = empty_board(HTTP_BYTES_PER_TOKEN);
    let cases = [
        ("/api/position", short, 1, 200),
        ("/api/position", longer, 2, 200),
        ("/api/position", empty_board(HTTP_BODY_MAX), whole, 200),
        ("/api/analyse", FOUR.into(), study, 200),
        // Invalid questions cost, too.
        ("/api/analyse", "nonsense".into(), 1, 400),
    ];
    for (path, body, cost, expected) in cases {
        let server = TestServer::start(limits);
        for question in 0..40 / cost {
            let answer = server.post(path, &body).await;
            assert_eq!(status(&answer), expected, "{path} {question}: {answer}");
        }
        for _ in 0..40 % cost {
            assert_eq!(status(&server.get("/api/games").await), 200);
        }
        let answer = server.post(path, &body).await;
        assert_eq!(status(&answer), 429, "{answer}");
        assert!(answer.contains("retry-after: "), "{answer}");
        assert!(answer.contains(r#"{"reason":"too_fast","#), "{answer}");
        assert_eq!(server.count(r#"refusals_total{reason="too_fast"}"#).await, 1);
        // Nothing else is held back by that.
        assert_eq!(status(&server.get("/healthz").await), 200);
        server.stop().await;
    }
}

#[tokio::test]
async fn questions_take_nothing_from_the_players_of_their_address() {
    let limits = Limits {
        http_tokens_per_second: 0,
        http_tokens_burst: 20,
        address_commands_per_second: 0,
        address_commands_burst: 8,
        ..LIMITS
    };
    let server = TestServer::start(limits);
    let (_ann, mut bob, _room) = server.two_play().await;
    // Five commands so far.
    let mut refused = 0;
    for _ in 0..30 {
        refused += usize::from(status(&server.get("/api/games").await) == 429);
    }
    assert_eq!(refused, 10);
    for id in 0..3 {
        let pong = bob.ask(json!({"type": "ping", "id": id.to_string()})).await;
        assert!(matches!(pong, Message::Pong { .. }), "{pong:?}");
    }
    assert_eq!(bob.refused(json!({"type": "ping"})).await, Reason::TooFast);
    server.stop().await;
}

#[tokio::test]
async fn moves_of_players_are_the_last_that_is_refused() {
    let limits = Limits {
        commands_per_second: 0,
        commands_burst: 20,
        address_commands_per_second: 0,
        address_commands_burst: 20,
        ..LIMITS
    };
    let server = TestServer::start(limits);
    let (mut ann, mut bob, room) = server.two_play().await;
    let mut eve = server.greet("Eve").await;
    eve.join(&room).await;
    // Somebody at the same address uses up what all have in common.
    for _ in 0..13 {
        eve.ask(json!({"type": "ping"})).await;
    }
    assert_eq!(eve.refused(json!({"type": "ping"})).await, Reason::TooFast);
    assert_eq!(ann.refused(json!({"type": "ping"})).await, Reason::TooFast);
    let play =
        |ply: i32| json!({"type": "play", "room": room, "ply": ply, "point": [ply, 2 * ply]});
    for ply in 0..8 {
        let player = if ply % 2 == 0 { &mut ann } else { &mut bob };
        let played = player.ask(play(ply)).await;
        assert!(matches!(played, Message::Done { .. }), "{ply}: {played:?}");
    }
    for (player, command) in [(true, "offer_draw"), (false, "decline_draw"), (false, "resign")] {
        let player = if player { &mut ann } else { &mut bob };
        let answer = player.ask(json!({"type": command, "room": room})).await;
        assert!(matches!(answer, Message::Done { .. }), "{command}: {answer:?}");
    }
    // One who only watches has no moves to lose.
    assert_eq!(eve.refused(play(8)).await, Reason::TooFast);
    // And a session's own allowance holds for moves, too.
    let mut refused = None;
    for _ in 0..20 {
        let reason = ann.refused(play(0)).await;
        if reason == Reason::TooFast {
            refused = Some(reason);
            break;
        }
    }
    assert_eq!(refused, Some(Reason::TooFast));
    server.stop().await;
}

#[tokio::test]
async fn only_so_many_questions_are_worked_on() {
    let delay_ms = Arc::new(AtomicU64::new(0));
    let delay = Arc::clone(&delay_ms);
    let blocking =
        Blocking::Simulated(Arc::new(move || Duration::from_millis(delay.load(Ordering::SeqCst))));
    let config = Config { limits: LIMITS, blocking, ..Config::default() };
    let server = TestServer::start_with(Box::new(Memory::default()), config);
    assert_eq!(status(&server.post("/api/position", &empty_board(100)).await), 200);
    // From now on nothing comes to an end.
    delay_ms.store(3_600_000, Ordering::SeqCst);
    let body = empty_board(100);
    let ask = format!(
        "POST /api/position HTTP/1.1\r\nHost: test\r\nContent-Type: application/json\r\n\
         Content-Length: 100\r\n\r\n{body}"
    );
    // All from one address, which has a share of the queue.
    let one_more = (0..=HTTP_JOBS_PER_ADDRESS_MAX).map(|_| {
        Box::pin(async {
            let mut stream = server.connect_raw().await;
            stream.write_all(ask.as_bytes()).await.unwrap();
            let mut answer = [0; 1_000];
            let length = stream.read(&mut answer).await.unwrap();
            (stream, String::from_utf8_lossy(&answer[..length]).into_owned())
        })
    });
    let ((_refused, answer), _, waiting) = within(select_all(one_more)).await;
    assert_eq!(status(&answer), 503, "{answer}");
    assert!(answer.contains("retry-after: "), "{answer}");
    assert_eq!(waiting.len(), HTTP_JOBS_PER_ADDRESS_MAX);
    assert_eq!(server.count(r#"refusals_total{reason="busy"}"#).await, 1);
    drop(waiting);
    server.stop().await;
}

#[tokio::test]
async fn a_body_that_does_not_come_is_not_waited_for() {
    let limits = Limits { body_timeout: Duration::from_millis(100), ..LIMITS };
    let server = TestServer::start(limits);
    for (path, framing) in [
        ("/api/position", "Content-Length: 1000"),
        ("/api/position", "Transfer-Encoding: chunked"),
        ("/api/analyse", "Content-Length: 1000"),
        // Here nobody reads a body.
        ("/", "Content-Length: 1000"),
        ("/nowhere", "Transfer-Encoding: chunked"),
        ("/ws", "Content-Length: 1000"),
    ] {
        let mut stream = server.connect_raw().await;
        let head = format!("POST {path} HTTP/1.1\r\nHost: test\r\n{framing}\r\n\r\n");
        stream.write_all(head.as_bytes()).await.unwrap();
        let (mut reading, mut writing) = stream.split();
        // It comes, but a byte at a time.
        let drip = async {
            let piece = if framing.starts_with("Content") { " " } else { "1\r\n \r\n" };
            let mut pace = interval(Duration::from_millis(10));
            while writing.write_all(piece.as_bytes()).await.is_ok() {
                pace.tick().await;
            }
        };
        let mut answer = Vec::new();
        tokio::select! {
            // A reset is an end as well: what has come before it counts.
            _ = within(reading.read_to_end(&mut answer)) => {}
            () = within(drip) => {}
        }
        let answer = String::from_utf8_lossy(&answer);
        if path.starts_with("/api") && !answer.is_empty() {
            assert_eq!(status(&answer), 408, "{path}: {answer}");
        }
    }
    assert_eq!(server.count(r#"http_cut_total{why="body"}"#).await, 3);
    server.stop().await;
}

#[tokio::test]
async fn an_answer_that_is_not_read_is_not_waited_for() {
    let limits = Limits { write_timeout: Duration::from_millis(200), ..LIMITS };
    let server = TestServer::start(limits);
    for path in ["/", "/api/games", "/healthz"] {
        let mut stream = server.connect_raw().await;
        let asks = format!("GET {path} HTTP/1.1\r\nHost: test\r\n\r\n").repeat(100);
        // Until the server has closed: it takes no more questions while answers wait.
        let ask = async { while stream.write_all(asks.as_bytes()).await.is_ok() {} };
        within(ask).await;
    }
    assert_eq!(server.count(r#"http_cut_total{why="answer"}"#).await, 3);
    server.stop().await;
}

#[tokio::test]
async fn a_browser_takes_no_answer_for_what_it_is_not() {
    let limits = Limits { http_tokens_per_second: 0, http_tokens_burst: 8, ..LIMITS };
    let server = TestServer::start(limits);
    let position = empty_board(100);
    let asked = [
        server.get("/api/games").await,
        server.get("/api/games?before=-1").await,
        server.get("/api/games/none").await,
        server.get("/api/games/k7m2qpxw9abcdefg").await,
        server.get("/api/nothing").await,
        server.get("/api/position").await,
        server.post("/api/position", &position).await,
        server.post("/api/position", "nonsense").await,
        server.post("/api/position", &empty_board(HTTP_BODY_MAX + 1)).await,
        server.get("/api/games").await,
        server.get("/").await,
        server.get("/healthz").await,
    ];
    let statuses: Vec<u16> = asked.iter().map(|answer| status(answer)).collect();
    assert_eq!(statuses, [200, 400, 404, 404, 404, 405, 200, 400, 413, 429, 200, 200]);
    for answer in asked {
        let head = answer.split("\r\n\r\n").next().unwrap();
        assert_eq!(head.matches("x-content-type-options: nosniff").count(), 1, "{head}");
    }
    server.stop().await;
}
