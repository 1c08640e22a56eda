//! How nodes get to NATS: with a password, and when NATS refuses them or is not there.

use std::{fs::File, time::Duration};

use fivefold_test_services::{Durability, NatsServer, Passage, PostgresServer};
use fivefold_tests::{Cluster, Guest, Server, Setting, private};
use tokio::{
    task::block_in_place,
    time::{sleep, timeout},
};

use super::{cluster::until_ready_says, freestyle};

const MONITORED: [Setting<'_>; 1] = [("metrics-listen", "127.0.0.1:0")];

/// Waits until the log has this.
async fn until_logged(log: &std::path::Path, expected: &str) {
    let has = || std::fs::read_to_string(log).expect("a log").contains(expected);
    let waiting = async {
        while !has() {
            sleep(Duration::from_millis(20)).await;
        }
    };
    timeout(Duration::from_secs(30), waiting).await.expect(expected);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_node_with_a_wrong_password_says_so_once_and_goes_on_when_it_is_right() {
    let Some(postgres) = block_in_place(|| PostgresServer::start(Durability::None)) else { return };
    let Some(mut nats) =
        block_in_place(|| NatsServer::start_with(&["--user", "bob", "--pass", "pw"]))
    else {
        return;
    };
    let folder = tempfile::tempdir().unwrap();
    let log = folder.path().join("log");
    let file = File::create(&log).unwrap();
    let node = block_in_place(|| Server::start_as_node(&postgres.url(), &nats.url(), file, &[]));
    let sentence = format!("NATS at {} refuses the user in --bus", nats.address());
    until_logged(&log, &sentence).await;
    let ready = async |expected: &str| {
        let is_so = async || node.get("/readyz").await.is_ok_and(|text| text.contains(expected));
        let waiting = async {
            while !is_so().await {
                sleep(Duration::from_millis(20)).await;
            }
        };
        timeout(Duration::from_secs(30), waiting).await.expect(expected);
    };
    ready("waits for the bus").await;
    // Some further attempts.
    sleep(Duration::from_secs(3)).await;
    let text = std::fs::read_to_string(&log).unwrap();
    assert_eq!(text.matches("NATS").count(), 1, "{text}");
    assert!(!text.contains("p@ss") && !text.contains("p%40ss"), "{text}");
    ready("waits for the bus").await;
    // The operator sets the right password in NATS.
    block_in_place(|| nats.restart_with_user());
    ready("\"ready\"").await;
    until_logged(&log, "the bus is connected").await;
    let mut ann = Guest::hello(&node, "Ann").await;
    ann.create(private(freestyle())).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_node_that_starts_without_the_bus_waits_for_it() {
    let Some(mut cluster) = Cluster::start(2, &MONITORED).await else { return };
    until_ready_says(&cluster, 0, "HTTP/1.1 200").await;
    until_ready_says(&cluster, 1, "HTTP/1.1 200").await;
    cluster.kill_node(1);
    cluster.to_bus(1).set(Passage::Closed);
    cluster.start_node(1);
    until_ready_says(&cluster, 1, "waits for the bus").await;
    // It sends people to the other node.
    let refused = async { while cluster.node(1).takes_sockets().await {} };
    timeout(Duration::from_secs(30), refused).await.expect("no sessions here");
    // Several times as long as it used to take until it gave up.
    sleep(Duration::from_secs(4)).await;
    let log = cluster.log(1);
    assert_eq!(log.matches("joined the cluster").count(), 1, "{log}");
    assert_eq!(log.matches("NATS at").count(), 1, "{log}");
    cluster.to_bus(1).set(Passage::Open);
    until_ready_says(&cluster, 1, "HTTP/1.1 200").await;
    assert_eq!(cluster.log(1).matches("joined the cluster").count(), 1);
    let mut ann = Guest::hello(cluster.node(0), "Ann").await;
    let room = ann.create(private(freestyle())).await;
    let mut bob = Guest::hello(cluster.node(1), "Bob").await;
    bob.join(&room).await;
}
