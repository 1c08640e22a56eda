//! A server with a standby for reading, as its operator sees it: the log and the metrics.

use std::{fs, net::SocketAddr, time::Instant};

use fivefold_test_services::{Durability, PostgresServer};
use fivefold_tests::{PATIENCE, Server, http_get};
use tokio::task::{block_in_place, yield_now};

/// The lag in the metrics, in seconds.
async fn lag(metrics: SocketAddr) -> f64 {
    let text = http_get(metrics, "/metrics").await.expect("the metrics");
    let line =
        text.lines().find_map(|line| line.strip_prefix("fivefold_database_replica_lag_seconds "));
    line.and_then(|value| value.trim().parse().ok()).unwrap_or_else(|| panic!("no lag in {text}"))
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_frozen_standby_is_named_once_in_the_log_and_its_lag_is_a_metric() {
    let Some(primary) = block_in_place(|| PostgresServer::start(Durability::None)) else { return };
    let standby = block_in_place(|| primary.start_standby());
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("log");
    let replica = standby.url();
    let settings = [("database-replica", replica.as_str()), ("metrics-listen", "127.0.0.1:0")];
    let log = fs::File::create(&file).unwrap();
    let server = block_in_place(|| Server::start_on_with_log(&primary.url(), log, &settings));
    let log = || fs::read_to_string(&file).unwrap();
    let host = standby.folder().display().to_string();
    let named = |what: &str| {
        log().lines().filter(|line| line.contains(what) && line.contains(&host)).count()
    };
    let begun = Instant::now();
    while named("finished games are read from the standby") == 0 {
        assert!(begun.elapsed() < PATIENCE, "{}", log());
        yield_now().await;
    }
    let text = log();
    let (_, metrics) = text.rsplit_once("metrics are at this address address=").unwrap();
    let metrics = metrics.split_whitespace().next().unwrap().parse().unwrap();
    assert!(lag(metrics).await < 60.0);
    // A busy machine may have kept it from answering before.
    let before = named("the standby does not answer");
    standby.freeze();
    while lag(metrics).await < 2.0 {
        assert!(begun.elapsed() < 2 * PATIENCE, "{}", log());
    }
    let answer = http_get(server.address(), "/api/games").await.unwrap();
    assert!(answer.starts_with("HTTP/1.1 200"), "{answer}");
    // It was looked at several times since.
    assert_eq!(named("the standby does not answer"), before + 1, "{}", log());
    let well = named("finished games are read from the standby");
    standby.thaw();
    while named("finished games are read from the standby") <= well || lag(metrics).await > 1.0 {
        assert!(begun.elapsed() < 3 * PATIENCE, "{}", log());
        yield_now().await;
    }
}
