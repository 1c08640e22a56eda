//! What monitoring sees.

use fivefold_shared::protocol::Reason;
use serde_json::json;

use crate::harness::{LIMITS, TestServer};

#[tokio::test]
async fn what_happens_is_counted() {
    let server = TestServer::start(LIMITS);
    let (mut ann, mut bob, room) = server.two_play().await;
    let play = json!({"type": "play", "room": room, "ply": 0, "point": [7, 7]});
    ann.ask(play).await;
    let play = json!({"type": "play", "room": room, "ply": 1, "point": [7, 7]});
    assert_eq!(bob.refused(play).await, Reason::Occupied);
    bob.send_text("nonsense").await;
    bob.receive().await;
    let cases = [
        ("sessions", 2),
        ("rooms", 1),
        ("games", 1),
        ("writer_queue", 0),
        ("thinking_queue", 0),
        (r#"commands_total{kind="hello",result="done"}"#, 2),
        (r#"commands_total{kind="join",result="done"}"#, 2),
        (r#"commands_total{kind="play",result="done"}"#, 1),
        (r#"commands_total{kind="play",result="refused"}"#, 1),
        (r#"commands_total{kind="unknown",result="refused"}"#, 1),
        (r#"refusals_total{reason="occupied"}"#, 1),
        (r#"refusals_total{reason="malformed"}"#, 1),
        ("commits_failed_total", 0),
    ];
    for (name, expected) in cases {
        assert_eq!(server.count(name).await, expected, "{name}");
    }
    // Making the room, sitting down, and a move: together or one by one.
    assert!((1..=3).contains(&server.count("commit_seconds_count").await));
    ann.ask(json!({"type": "resign", "room": room})).await;
    assert_eq!(server.count("games").await, 0);
    assert!(server.monitor("/readyz").await.starts_with("HTTP/1.1 200"));
    server.stop().await;
}
