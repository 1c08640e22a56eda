//! Analyses of positions that belong to no room, over HTTP.

use fivefold_shared::analysis::Report;
use serde_json::{Value, json};

use crate::harness::{LIMITS, TestServer};

/// The answer to a question, up to its end: its first line and its body.
async fn ask(server: &TestServer, question: &Value) -> (String, String) {
    let body = question.to_string();
    let head = format!(
        "POST /api/analyse HTTP/1.0\nHost: test\nContent-Type: application/json\n\
         Content-Length: {}\n\n{body}",
        body.len()
    );
    let answer = server.request(&head).await;
    let (head, body) = answer.split_once("\r\n\r\n").unwrap();
    (head.lines().next().unwrap().to_owned(), body.to_owned())
}

fn freestyle(moves: &Value) -> Value {
    json!({"rules": {"variant": "freestyle", "size": [15, 15]}, "moves": moves, "lines": 2})
}

#[tokio::test]
async fn the_engine_tells_what_it_finds_of_any_position() {
    let server = TestServer::start(LIMITS);
    // Black has four in a row with both ends open: nothing is left to find soon.
    let four = json!([[5, 7], [0, 0], [6, 7], [2, 0], [7, 7], [4, 0], [8, 7], [6, 0]]);
    let (status, body) = ask(&server, &freestyle(&four)).await;
    assert!(status.ends_with("200 OK"), "{status}");
    let reports: Vec<Report> =
        body.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let last = reports.last().expect("something is told");
    assert!(last.lines[0].value.chance() > 0.99, "{last:?}");
    assert!(reports.windows(2).all(|two| two[0].depth <= two[1].depth));
}

#[tokio::test]
async fn what_is_no_position_is_not_analysed() {
    let server = TestServer::start(LIMITS);
    let won = json!([[5, 7], [0, 0], [6, 7], [2, 0], [7, 7], [4, 0], [8, 7], [6, 0], [9, 7]]);
    let cases = [
        (freestyle(&json!([[7, 7], [7, 7]])), "400", "Move 2: "),
        (freestyle(&json!([[15, 0]])), "400", "Move 1: "),
        (freestyle(&won), "400", "The game is over there."),
        (json!({"rules": {"variant": "mnk", "k": 7, "size": [9, 9]}, "moves": []}), "400", "rules"),
        (json!({"moves": []}), "422", "rules"),
        (json!({"rules": {"variant": "freestyle"}, "moves": [], "lines": 99}), "422", "lines"),
    ];
    for (question, status, reason) in cases {
        let (told, body) = ask(&server, &question).await;
        assert!(told.contains(status) && body.contains(reason), "{question}: {told} {body}");
    }
}
