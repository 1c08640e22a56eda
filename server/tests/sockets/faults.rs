//! A room that panics goes back to its log, and everybody goes on; but not for ever.
//!
//! The panic comes from outside, by a subscriber to the log: the server has no code for tests. It
//! works because a test runs all tasks of its server on its own thread.

use std::sync::{
    Arc,
    atomic::{AtomicBool, Ordering},
};

use fivefold_server::limits::FAULTS_MAX;
use fivefold_shared::protocol::{Message, Reason};
use serde_json::json;
use tracing::{Event, Metadata, Subscriber, span};

use crate::{
    harness::{LIMITS, TestServer},
    storage::Brittle,
};

/// Panics when a game starts, while it is armed.
struct Bomb(Arc<AtomicBool>);

impl Subscriber for Bomb {
    fn enabled(&self, metadata: &Metadata<'_>) -> bool {
        metadata.fields().field("game").is_some()
    }

    fn new_span(&self, _: &span::Attributes<'_>) -> span::Id {
        span::Id::from_u64(1)
    }

    fn record(&self, _: &span::Id, _: &span::Record<'_>) {}

    fn record_follows_from(&self, _: &span::Id, _: &span::Id) {}

    fn event(&self, _: &Event<'_>) {
        assert!(!self.0.load(Ordering::SeqCst), "a test breaks the room");
    }

    fn enter(&self, _: &span::Id) {}

    fn exit(&self, _: &span::Id) {}
}

#[tokio::test]
async fn a_room_that_panics_is_built_anew_from_its_log() {
    let armed = Arc::new(AtomicBool::new(true));
    let _guard = tracing::subscriber::set_default(Bomb(Arc::clone(&armed)));
    let server = TestServer::start(LIMITS);
    let (mut ann, mut bob) = (server.greet("Ann").await, server.greet("Bob").await);
    let room = ann.create(json!(["me", "open"])).await;
    bob.join(&room).await;
    let sit = json!({"type": "sit", "room": room});
    assert_eq!(bob.refused(sit.clone()).await, Reason::Unavailable);
    // Everybody gets the room as it is: nobody sat down.
    for client in [&mut ann, &mut bob] {
        let snapshot = loop {
            if let Message::Snapshot { snapshot, .. } = client.receive().await {
                break snapshot;
            }
        };
        assert_eq!(snapshot.seats.second, None);
        assert!(snapshot.seats.first.is_some());
    }

    armed.store(false, Ordering::SeqCst);
    assert!(matches!(bob.ask(sit).await, Message::Done { .. }));
    let play = json!({"type": "play", "room": room, "ply": 0, "point": [7, 7]});
    assert!(matches!(ann.ask(play).await, Message::Done { .. }));
    assert_eq!(server.count("rooms_failed_total").await, 1);
    assert_eq!(server.count("rooms_rebuilt_total").await, 1);
    server.stop().await;
}

#[tokio::test]
async fn commands_around_a_panic_are_answered_the_same_when_they_come_again() {
    let armed = Arc::new(AtomicBool::new(true));
    let _guard = tracing::subscriber::set_default(Bomb(Arc::clone(&armed)));
    let storage = Brittle::default();
    let (server, gate) = (storage.start(), storage.gate);
    let (mut ann, mut bob) = (server.greet("Ann").await, server.greet("Bob").await);
    let room = ann.create(json!(["open", "open"])).await;
    bob.join(&room).await;
    let sit = |id: &str| json!({"type": "sit", "id": id, "room": room});

    // The store has the first command in hand when the room panics at the second.
    let shut = gate.lock().await;
    ann.send_text(sit("stored").to_string()).await;
    assert!(matches!(ann.ask(json!({"type": "ping"})).await, Message::Pong { .. }));
    assert_eq!(bob.refused(sit("failed")).await, Reason::Unavailable);
    armed.store(false, Ordering::SeqCst);
    drop(shut);
    let first = loop {
        match ann.receive().await {
            Message::Done { id, seq } => {
                assert_eq!(id.as_str(), "stored");
                break seq;
            }
            Message::Refused { refusal, .. } => panic!("it is stored: {refusal}"),
            _ => {}
        }
    };
    assert_eq!(first, Some(2));

    // Neither is done again.
    let again = ann.ask(sit("stored")).await;
    assert!(matches!(again, Message::Done { seq, .. } if seq == first), "{again:?}");
    assert_eq!(bob.refused(sit("failed")).await, Reason::Unavailable);
    let new = bob.ask(sit("new")).await;
    assert!(matches!(new, Message::Done { seq: Some(4), .. }), "{new:?}");
    assert_eq!(bob.refused(sit("failed")).await, Reason::Unavailable);
    assert_eq!(server.count("rooms_failed_total").await, 1);
    server.stop().await;
}

#[tokio::test]
async fn a_room_that_panics_again_and_again_is_closed_alone() {
    let armed = Arc::new(AtomicBool::new(true));
    let _guard = tracing::subscriber::set_default(Bomb(Arc::clone(&armed)));
    let server = TestServer::start(LIMITS);
    let (mut ann, mut bob) = (server.greet("Ann").await, server.greet("Bob").await);
    let other = ann.create(json!(["me", "open"])).await;
    let room = ann.create(json!(["me", "open"])).await;
    bob.join(&room).await;
    let sit = json!({"type": "sit", "room": room});
    for _ in 0..FAULTS_MAX {
        assert_eq!(bob.refused(sit.clone()).await, Reason::Unavailable);
    }
    bob.send_text(json!({"type": "sit", "id": "last", "room": room}).to_string()).await;
    while !matches!(bob.receive().await, Message::Closed { .. }) {}
    armed.store(false, Ordering::SeqCst);
    bob.join(&other).await;
    assert!(matches!(bob.ask(json!({"type": "sit", "room": other})).await, Message::Done { .. }));
    server.stop().await;
}
