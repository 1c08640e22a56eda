//! Analyses over sockets, and reviews and files of finished games over HTTP.

use std::{net::Ipv4Addr, num::NonZeroUsize};

use fivefold_server::{
    config::Config,
    limits::{BACKGROUND_JOBS_PER_ADDRESS_MAX, Limits},
};
use fivefold_shared::{
    analysis::Value,
    protocol::{AnalysisEnd, Message, Reason, RoomCode},
    record::GameList,
    review::{GameReview, ReviewProgress},
};
use fivefold_storage::Memory;
use serde_json::json;
use tokio::{
    io::{AsyncReadExt, AsyncWriteExt},
    net::{TcpSocket, TcpStream},
};

use crate::harness::{Client, LIMITS, TestServer, within};

/// A server with one thread for bots.
fn narrow() -> TestServer {
    let bot_threads = NonZeroUsize::MIN;
    let config = Config { limits: LIMITS, bot_threads, ..Config::default() };
    TestServer::start_with(Box::new(Memory::default()), config)
}

/// Ann has won against a bot that never had a chance to defend itself.
async fn helped(server: &TestServer) -> (Client, RoomCode) {
    let mut ann = server.greet("Ann").await;
    let room = ann.create(json!(["me", {"bot": {"kind": "attack"}}])).await;
    let play = json!({"type": "play", "room": room, "ply": 0, "point": [7, 7]});
    ann.ask(play).await;
    (ann, room)
}

/// Reads up to the end of an analysis: how many reports came, and why it is over.
async fn over(client: &mut Client) -> (usize, AnalysisEnd) {
    let mut reports = 0;
    loop {
        match client.receive().await {
            Message::Analysis { lines, nodes, .. } => {
                assert!(!lines.is_empty() && nodes > 0);
                reports += 1;
            }
            Message::AnalysisOver { why, .. } => return (reports, why),
            _ => {}
        }
    }
}

async fn report(client: &mut Client) -> u16 {
    loop {
        if let Message::Analysis { depth, .. } = client.receive().await {
            return depth;
        }
    }
}

#[tokio::test]
async fn an_analysis_goes_deeper_until_it_is_stopped_and_games_go_on_beside_it() {
    let server = narrow();
    let (mut ann, room) = helped(&server).await;
    let analyse = json!({"type": "analyse", "room": room, "ply": 1, "lines": 2});
    assert!(matches!(ann.ask(analyse.clone()).await, Message::Done { .. }));
    let first = report(&mut ann).await;
    while report(&mut ann).await <= first {}

    // The only thread is taken, and yet a bot answers in another room.
    let mut bob = server.greet("Bob").await;
    let other = bob.create(json!(["me", {"bot": {"kind": "attack"}}])).await;
    let play = json!({"type": "play", "room": other, "ply": 0, "point": [7, 7]});
    bob.ask(play).await;
    let answered = loop {
        if let Message::Event { event, .. } = bob.receive().await {
            break event.seq;
        }
    };
    assert!(answered > 0);

    ann.send_text(json!({"type": "stop_analysis", "id": "stop", "room": room}).to_string()).await;
    assert_eq!(over(&mut ann).await.1, AnalysisEnd::Stopped);

    // One who is gone thinks no more: the thread is free for somebody else's analysis.
    ann.ask(analyse.clone()).await;
    drop(ann);
    let analyse = json!({"type": "analyse", "room": other});
    bob.ask(analyse).await;
    report(&mut bob).await;
    server.stop().await;
}

#[tokio::test]
async fn questions_to_the_engine_have_a_rate_of_their_own() {
    let limits = Limits { help_per_minute: 1, help_burst: 2, ..LIMITS };
    let server = TestServer::start(limits);
    let (mut ann, room) = helped(&server).await;
    let analyse = json!({"type": "analyse", "room": room, "ply": 0});
    for _ in 0..2 {
        assert!(matches!(ann.ask(analyse.clone()).await, Message::Done { .. }));
    }
    assert_eq!(ann.refused(analyse).await, Reason::TooFast);
    let none = json!({"type": "analyse", "room": room, "lines": 11});
    assert_eq!(ann.refused(none).await, Reason::Malformed);
    server.stop().await;
}

/// A connection from an address of the machine's own, on which an analysis was asked for.
async fn ask_from(server: &TestServer, address: Ipv4Addr) -> TcpStream {
    let body = r#"{"rules": {"variant": "freestyle", "size": [15, 15]}, "moves": [[7, 7]]}"#;
    let length = body.len();
    let socket = TcpSocket::new_v4().unwrap();
    socket.bind((address, 0).into()).unwrap();
    let mut stream = socket.connect(server.address).await.unwrap();
    let request = format!(
        "POST /api/analyse HTTP/1.1\r\nHost: test\r\nContent-Type: application/json\r\n\
         Content-Length: {length}\r\n\r\n{body}"
    );
    stream.write_all(request.as_bytes()).await.unwrap();
    stream
}

/// Reads until the answer has this text; everything up to then.
async fn read_until(stream: &mut TcpStream, text: &str) -> String {
    let mut answer = String::new();
    let mut part = [0; 4096];
    while !answer.contains(text) {
        let length = within(stream.read(&mut part)).await.unwrap();
        assert!(length > 0, "no {text} in {answer}");
        answer += std::str::from_utf8(&part[..length]).unwrap();
    }
    answer
}

#[tokio::test]
async fn an_address_has_four_analyses_and_others_need_not_wait_for_them() {
    let server = narrow();
    let (here, elsewhere) = (Ipv4Addr::LOCALHOST, Ipv4Addr::new(127, 0, 0, 2));
    let mut own = Vec::new();
    for _ in 0..BACKGROUND_JOBS_PER_ADDRESS_MAX {
        let mut stream = ask_from(&server, here).await;
        assert!(read_until(&mut stream, "\r\n").await.starts_with("HTTP/1.1 200"));
        own.push(stream);
    }
    let refused = read_until(&mut ask_from(&server, here).await, "}").await;
    assert!(refused.starts_with("HTTP/1.1 429"), "{refused}");
    assert!(refused.contains(r#"{"reason":"too_many_analyses","#), "{refused}");

    // A room says why, and a review waits.
    let (mut ann, room) = helped(&server).await;
    ann.ask(json!({"type": "analyse", "room": room, "ply": 1})).await;
    assert_eq!(over(&mut ann).await, (0, AnalysisEnd::TooMany));
    ann.ask(json!({"type": "resign", "room": room})).await;
    let list: GameList = serde_json::from_str(body(&server.get("/api/games").await).1).unwrap();
    let path = format!("/api/games/{}/analysis", list.games[0].id);
    assert_eq!(body(&server.get(&path).await).0, 429);

    // Somebody else is served at once, though the only thread has more than a minute to do.
    let mut other = ask_from(&server, elsewhere).await;
    read_until(&mut other, "\"depth\"").await;
    // Who has ended one may have another.
    drop(own.pop());
    while body(&server.get(&path).await).0 == 429 {}
    server.stop().await;
}

/// The body of an answer, and its status.
fn body(answer: &str) -> (u16, &str) {
    let (head, body) = answer.split_once("\r\n\r\n").expect("a head and a body");
    let status = head.split(' ').nth(1).and_then(|status| status.parse().ok());
    (status.expect("a status"), body)
}

#[tokio::test]
async fn a_finished_game_is_reviewed_once_and_given_as_files() {
    let server = narrow();
    let (mut ann, room) = helped(&server).await;
    ann.ask(json!({"type": "resign", "room": room})).await;
    let list = server.get("/api/games").await;
    let list: GameList = serde_json::from_str(body(&list).1).unwrap();
    let (id, plies) = (&list.games[0].id, list.games[0].summary.plies);

    let path = format!("/api/games/{id}/analysis");
    let review = loop {
        let answer = server.get(&path).await;
        match body(&answer) {
            (200, body) => break serde_json::from_str::<GameReview>(body).unwrap(),
            (202, body) => {
                let progress: ReviewProgress = serde_json::from_str(body).unwrap();
                assert_eq!(progress.plies, plies);
                tokio::task::yield_now().await;
            }
            other => panic!("{other:?}"),
        }
    };
    assert_eq!((&review.id, review.review.moves.len()), (id, plies));
    for made in &review.review.moves {
        assert!((0.0..=1.0).contains(&made.loss) && !made.line.is_empty());
        assert!(matches!(made.value, Value::Chance(chance) if (0.0..1.0).contains(&chance)));
    }

    let sgf = server.get(&format!("/api/games/{id}.sgf")).await;
    assert!(sgf.contains(&format!("filename=\"{id}.sgf\"")), "{sgf}");
    assert!(body(&sgf).1.contains("RE[W+R]") && body(&sgf).1.contains("B[hh]"), "{sgf}");
    let psq = server.get(&format!("/api/games/{id}.psq")).await;
    assert!(body(&psq).1.starts_with("Piskvorky 15x15"), "{psq}");
    let json = server.get(&format!("/api/games/{id}.json")).await;
    assert!(body(&json).1.contains("\"moves\""), "{json}");
    for path in ["/api/games/k7m2qpxw9abcdefg/analysis", &format!("/api/games/{id}.exe")] {
        assert_eq!(body(&server.get(path).await).0, 404, "{path}");
    }
    server.stop().await;
}
