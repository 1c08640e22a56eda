//! Positions that belong to no room, over HTTP: what the engine and what the rules say of them.

use fivefold_server::limits::HTTP_BODY_MAX;
use fivefold_shared::{
    analysis::Report,
    protocol::{Judged, Reason, Refusal, RefusalValues},
};
use serde_json::{Value, json};

use crate::harness::{LIMITS, TestServer};

/// The answer to a question, up to its end: its first line and its body.
async fn ask(server: &TestServer, question: &Value) -> (String, String) {
    post(server, "/api/analyse", &question.to_string()).await
}

async fn post(server: &TestServer, path: &str, body: &str) -> (String, String) {
    let head = format!(
        "POST {path} HTTP/1.0\nHost: test\nContent-Type: application/json\n\
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
    let last = reports.last().expect("at least one report");
    assert!(last.lines[0].value.chance() > 0.99, "{last:?}");
    assert!(reports.windows(2).all(|two| two[0].depth <= two[1].depth));
}

/// Checks the status of an answer, the code of the refusal in it, and a part of its values.
fn check_refused(question: &str, answer: (&str, &str), expected: (&str, Reason, &str)) {
    let ((status, body), (expected_status, reason, value)) = (answer, expected);
    assert!(status.contains(expected_status), "{question}: {status} {body}");
    let refusal: Refusal = serde_json::from_str(body).unwrap();
    assert_eq!(refusal.reason, reason, "{question}: {body}");
    assert_eq!(refusal.text, Refusal::with(reason, *refusal.values.clone()).text);
    let RefusalValues { ply, line, detail, .. } = *refusal.values;
    let values = [ply.map(|ply| ply.to_string()), line.map(|line| line.to_string()), detail];
    let values = values.into_iter().flatten().collect::<Vec<_>>().join(" ");
    assert!(values.contains(value) && values.is_empty() == value.is_empty(), "{question}: {body}");
}

#[tokio::test]
async fn what_is_no_position_is_not_analysed() {
    let server = TestServer::start(LIMITS);
    let won = json!([[5, 7], [0, 0], [6, 7], [2, 0], [7, 7], [4, 0], [8, 7], [6, 0], [9, 7]]);
    let mut played_on = won.clone();
    played_on.as_array_mut().unwrap().push(json!([14, 14]));
    let cases = [
        (freestyle(&json!([[7, 7], [7, 7]])), "400", Reason::Occupied, "1"),
        (freestyle(&json!([[15, 0]])), "400", Reason::Outside, "0"),
        (freestyle(&won), "400", Reason::GameOver, ""),
        (freestyle(&played_on), "400", Reason::GameOver, "9"),
        (
            json!({"rules": {"variant": "mnk", "k": 7, "size": [9, 9]}, "moves": []}),
            "400",
            Reason::NoEngine,
            "",
        ),
        (json!({"moves": []}), "422", Reason::Malformed, "rules"),
        (
            json!({"rules": {"variant": "freestyle"}, "moves": [], "lines": 99}),
            "422",
            Reason::Malformed,
            "lines",
        ),
    ];
    for (question, status, reason, value) in cases {
        let (got, body) = ask(&server, &question).await;
        check_refused(&question.to_string(), (&got, &body), (status, reason, value));
    }
}

#[tokio::test]
async fn the_rules_tell_what_is_forbidden_and_how_it_ended() {
    let server = TestServer::start(LIMITS);
    let renju = json!({"variant": "renju", "size": [15, 15]});
    let tic_tac_toe = json!({"variant": "mnk", "k": 3, "size": [3, 3]});
    let threes = json!([[7, 7], [0, 0], [8, 7], [2, 0], [6, 8], [4, 0], [6, 9], [6, 0]]);
    let row = json!([[1, 1], [0, 0], [2, 0], [0, 2], [1, 0], [0, 1], [2, 2]]);
    let question = |rules: &Value, moves: &Value| json!({"rules": rules, "moves": moves});
    let cases = [
        (question(&renju, &json!([])), 0, "null", None),
        (question(&renju, &threes), 8, r#"[[6,7]]"#, None),
        // With White to move nothing is forbidden.
        (question(&renju, &json!([[7, 7]])), 1, "null", None),
        (question(&tic_tac_toe, &row), 6, "null", Some(Reason::GameOver)),
        (question(&renju, &json!([[7, 7], [7, 7]])), 1, "null", Some(Reason::Occupied)),
        (
            json!({"rules": tic_tac_toe, "text": "Piskvorky 15x15, 0:0, 1\n8,8,0\n9,7,0\n"}),
            2,
            "null",
            None,
        ),
        (json!({"rules": renju, "text": "(;SZ[15];B[hh];W[ig])"}), 2, "null", None),
        (json!({"rules": renju, "text": "1. h8, i9 2. g9"}), 3, "null", None),
    ];
    for (question, plies, forbidden, unplayed) in cases {
        let (status, body) = post(&server, "/api/position", &question.to_string()).await;
        assert!(status.ends_with("200 OK"), "{question}: {status} {body}");
        let judged: Judged = serde_json::from_str(&body).unwrap();
        assert_eq!(judged.moves.len(), plies, "{question}");
        assert_eq!(judged.unplayed.map(|why| why.reason), unplayed, "{question}");
        let value: Value = serde_json::from_str(&body).unwrap();
        assert_eq!(value["forbidden"].to_string(), forbidden, "{question}");
        assert_eq!(value["outcome"]["winner"] == "white", plies == 6, "{question}");
    }
}

#[tokio::test]
async fn what_is_no_game_is_not_judged() {
    let server = TestServer::start(LIMITS);
    let rules = json!({"variant": "freestyle", "size": [15, 15]});
    let long = |length: usize| {
        let empty = json!({"rules": rules, "text": ""}).to_string().len();
        json!({"rules": rules, "text": " ".repeat(length - empty)})
    };
    let cases = [
        (json!({"rules": rules, "text": "h8\nz26"}), "400", Reason::UnreadableGame, "2 "),
        (json!({"rules": rules, "text": "(;SZ[15"}), "400", Reason::UnreadableGame, "1 "),
        (
            json!({"rules": {"variant": "renju", "size": [9, 9]}, "moves": []}),
            "422",
            Reason::Malformed,
            "renju",
        ),
        (json!({"rules": rules}), "422", Reason::Malformed, "`moves` or `text`"),
        (json!({"moves": []}), "422", Reason::Malformed, "rules"),
        (long(HTTP_BODY_MAX + 1), "413", Reason::TooLong, ""),
    ];
    for (question, status, reason, value) in cases {
        let (got, body) = post(&server, "/api/position", &question.to_string()).await;
        let begin: String = question.to_string().chars().take(80).collect();
        check_refused(&begin, (&got, &body), (status, reason, value));
    }
    let (got, body) = post(&server, "/api/position", &long(HTTP_BODY_MAX).to_string()).await;
    assert!(got.contains("200") && body.contains("moves"), "{got} {body}");
}
