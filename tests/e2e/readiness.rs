//! Whether a server takes new players, by `/readyz`, while nobody plays.

use std::time::Duration;

use fivefold_test_services::{Durability, PostgresServer};
use fivefold_tests::{Guest, Server, connect};
use futures_util::{SinkExt, StreamExt};
use tokio::{
    task::block_in_place,
    time::{sleep, timeout},
};
use tokio_tungstenite::tungstenite::Message;

use crate::health::{health_of, until_ready};

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_server_without_its_database_is_not_ready_though_nobody_plays() {
    let Some(mut postgres) = block_in_place(|| PostgresServer::start(Durability::None)) else {
        return;
    };
    let server = block_in_place(|| Server::start_on(&postgres.url(), &[]));
    until_ready(&server, "200").await;
    // Read-only, as a standby is.
    let ask = |query: &str| block_in_place(|| postgres.ask(query));
    ask("ALTER DATABASE fivefold SET default_transaction_read_only = on");
    let sessions = "FROM pg_stat_activity WHERE datname = 'fivefold' AND pid <> pg_backend_pid()";
    ask(&format!("SELECT pg_terminate_backend(pid) {sessions}"));
    until_ready(&server, "503").await;
    ask("BEGIN READ WRITE; ALTER DATABASE fivefold RESET default_transaction_read_only; COMMIT");
    until_ready(&server, "200").await;
    block_in_place(|| postgres.kill());
    until_ready(&server, "503").await;
    assert_eq!(health_of(&server), Some(6), "without its database");
    block_in_place(|| postgres.restart());
    until_ready(&server, "200").await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn who_comes_while_the_database_restarts_waits_and_nobody_reads_that_something_was_not_stored()
 {
    let Some(mut postgres) = block_in_place(|| PostgresServer::start(Durability::None)) else {
        return;
    };
    let server = block_in_place(|| Server::start_on(&postgres.url(), &[]));
    until_ready(&server, "200").await;
    block_in_place(|| postgres.kill());
    // For longer than anybody waits.
    let mut socket = connect(server.address()).await;
    let hello = r#"{"type": "hello", "id": "1", "protocol": 1}"#;
    socket.send(Message::text(hello)).await.expect("the server listens");
    let answer = timeout(Duration::from_secs(30), socket.next()).await.expect("an answer");
    let text = answer.expect("a frame").expect("a message").into_text().expect("text").to_string();
    assert!(text.contains("unavailable") && text.contains("cannot read its database"), "{text}");
    assert!(!text.contains("stored"), "{text}");
    // A restart in between is not noticed.
    let restart = async {
        sleep(Duration::from_millis(300)).await;
        block_in_place(|| postgres.restart());
    };
    tokio::join!(Guest::hello(&server, "Ann"), restart);
}
