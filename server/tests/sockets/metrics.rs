//! What monitoring sees.

use fivefold_shared::protocol::Reason;
use serde_json::json;

use crate::harness::{LIMITS, TestServer, within};

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

#[tokio::test]
async fn every_counter_exists_before_it_counts() {
    let server = TestServer::start(LIMITS);
    let text = server.monitor("/metrics").await;
    server.stop().await;
    for name in [
        r#"refusals_total{reason="unavailable"}"#,
        r#"refusals_total{reason="operators_only"}"#,
        r#"commands_total{kind="play",result="refused"}"#,
        r#"commands_total{kind="watch_lobby",result="done"}"#,
        r#"sessions_ended_total{code="4001"}"#,
        r#"turned_away_total{full="rate"}"#,
        r#"handshakes_refused_total{why="tls"}"#,
        r#"http_requests_total{code="5xx"}"#,
        r#"http_cut_total{why="body"}"#,
        r#"pictures_total{from="drawn"}"#,
        r#"bot_faults_total{fault="illegal"}"#,
        r#"link_drops_total{why="bus_down"}"#,
        "panics_total",
        "commits_failed_total",
    ] {
        assert!(text.contains(&format!("\nfivefold_{name} 0\n")), "{name}: {text}");
    }
}

#[tokio::test]
async fn the_process_the_build_and_the_limits_are_shown() {
    let server = TestServer::start(LIMITS);
    let _ann = server.greet("Ann").await;
    assert!(server.get("/nowhere").await.starts_with("HTTP/1.1 404"));
    let text = server.monitor("/metrics").await;
    let value = |name: &str| {
        let line = text.lines().find_map(|line| line.strip_prefix(name)?.strip_prefix(' '));
        line.and_then(|number| number.parse::<f64>().ok())
            .unwrap_or_else(|| panic!("{name}: {text}"))
    };
    assert!(value("process_start_time_seconds") > 1_700_000_000.0);
    assert!(value("process_resident_memory_bytes") > 1_000_000.0);
    // The system counts in hundredths of a second.
    within(async {
        let spent = |text: &str| {
            let mut lines = text.lines();
            let number = lines.find_map(|line| line.strip_prefix("process_cpu_seconds_total "));
            number.unwrap().parse::<f64>().unwrap()
        };
        while spent(&server.monitor("/metrics").await) <= 0.0 {}
    })
    .await;
    assert!(
        value("process_open_fds") > 3.0 && value("process_max_fds") > value("process_open_fds")
    );
    assert!(text.contains(concat!("fivefold_build_info{version=\"", env!("CARGO_PKG_VERSION"))));
    for (name, expected) in [
        ("ready", 1.0),
        ("database_up", 1.0),
        (r#"limit_used{limit="sessions"}"#, 1.0),
        (r#"http_requests_total{code="1xx"}"#, 1.0),
        (r#"http_requests_total{code="4xx"}"#, 1.0),
        ("http_request_seconds_count", 2.0),
    ] {
        assert_eq!(value(&format!("fivefold_{name}")).to_bits(), f64::to_bits(expected), "{name}");
    }
    assert!(value(r#"fivefold_limit{limit="sessions"}"#) > 1.0);
    server.stop().await;
}
