//! Nodes that reach PostgreSQL and NATS by TLS, as on machines of their own.

use fivefold_shared::protocol::RoomRequest;
use fivefold_test_services::{Certificate, NatsServer, PostgresServer};
use fivefold_tests::{Guest, Server, private};
use tokio::task::block_in_place;

use super::freestyle;

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn nodes_play_over_encrypted_services_that_they_trust() {
    let (certificate, other) = (Certificate::make(), Certificate::make());
    let Some(postgres) = block_in_place(|| PostgresServer::start_encrypted(&certificate)) else {
        return;
    };
    let Some(nats) = block_in_place(|| NatsServer::start_encrypted(&certificate)) else { return };
    let database = |trusted: &Certificate| {
        let (url, roots) = (postgres.encrypted_url(), trusted.file());
        format!("{url}?sslmode=verify-full&sslrootcert={}", roots.display())
    };
    let refused = |database: &str| block_in_place(|| Server::refusal(&[("database", database)]));
    let text = refused(&database(&other));
    assert!(text.contains("cannot reach the database") && text.contains("certificate"), "{text}");
    let text = refused(&format!("{}?sslmode=disable", postgres.encrypted_url()));
    assert!(text.contains("refuses the connection") && text.contains("no encryption"), "{text}");

    let bus = nats.encrypted_url();
    let start = || {
        let trusted = certificate.file();
        block_in_place(|| Server::start_as_trusting_node(&database(&certificate), &bus, &trusted))
    };
    let (first, second) = (start(), start());
    // Bob's node reaches the room over the bus.
    let mut ann = Guest::hello(&first, "Ann").await;
    let room = ann.create(private(freestyle())).await;
    let mut bob = Guest::hello(&second, "Bob").await;
    bob.join(&room).await;
    bob.done(&room, RoomRequest::Sit { seat: None }).await;
    ann.until(&room, |seen| seen.room.running().is_some()).await;
    ann.play(&room, (7, 7)).await;
    bob.until(&room, |seen| seen.position().ply() == 1).await;
}
