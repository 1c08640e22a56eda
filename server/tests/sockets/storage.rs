//! A store that fails: nothing is acknowledged that is not stored, and the room goes on from what
//! is.

use std::sync::{
    Arc,
    atomic::{AtomicBool, Ordering},
};

use fivefold_shared::protocol::{CatchUp, Message, Reason, close};
use fivefold_storage::{Append, Appended, Call, Hook, Memory, Storage, StorageError};
use serde_json::json;
use tokio::sync::Mutex;

use crate::harness::{LIMITS, TestServer, within};

/// Panics at the first use.
#[derive(Debug)]
struct Broken;

impl Hook for Broken {
    fn append(&self, _: &mut dyn Storage, _: &[Append]) -> Result<Vec<Appended>, StorageError> {
        panic!("the storage breaks");
    }
}

/// Keeps logs, and refuses to while it is broken.
#[derive(Clone, Debug, Default)]
pub(crate) struct Brittle {
    pub(crate) is_broken: Arc<AtomicBool>,
    /// While a test holds this, no log is read or appended to.
    pub(crate) gate: Arc<Mutex<()>>,
    /// Whether the next append is stored, if it is to end in doubt.
    next_doubt: Arc<Mutex<Option<bool>>>,
}

impl Brittle {
    /// A server on a storage like this.
    pub(crate) fn start(&self) -> TestServer {
        TestServer::start_on(Box::new(Memory::default().hooked(self.clone())), LIMITS)
    }

    fn check(&self) -> Result<(), StorageError> {
        if self.is_broken.load(Ordering::SeqCst) {
            return Err(StorageError::Failed("no space left".into()));
        }
        Ok(())
    }
}

impl Hook for Brittle {
    fn before(&self, call: Call) -> Result<(), StorageError> {
        match call {
            Call::Members => self.check()?,
            Call::Log => drop(self.gate.blocking_lock()),
            Call::Change | Call::Browse => {}
        }
        Ok(())
    }

    fn append(
        &self,
        kept: &mut dyn Storage,
        batch: &[Append],
    ) -> Result<Vec<Appended>, StorageError> {
        self.check()?;
        drop(self.gate.blocking_lock());
        let doubt = self.next_doubt.blocking_lock().take();
        let appended = if doubt == Some(false) { Ok(Vec::new()) } else { kept.append(batch) };
        if doubt.is_some() { Err(StorageError::InDoubt("no answer".into())) } else { appended }
    }
}

fn brittle() -> (TestServer, Arc<AtomicBool>) {
    let storage = Brittle::default();
    (storage.start(), storage.is_broken)
}

#[tokio::test]
async fn a_move_that_is_not_stored_is_not_made() {
    let (server, is_broken) = brittle();
    let (mut ann, mut bob, room) = server.two_play().await;
    let play = json!({"type": "play", "room": room, "ply": 0, "point": [7, 7]});

    is_broken.store(true, Ordering::SeqCst);
    assert_eq!(ann.refused(play.clone()).await, Reason::Unavailable);
    is_broken.store(false, Ordering::SeqCst);
    // Everybody gets the room as it is stored: the game has begun, and no move was made.
    let snapshot = loop {
        match bob.receive().await {
            Message::Snapshot { snapshot, .. } => break snapshot,
            Message::Event { event, .. } => assert!(event.seq <= 3, "{event:?}"),
            _ => {}
        }
    };
    assert!(snapshot.game.is_some_and(|game| game.moves.is_empty()));

    let done = ann.ask(play).await;
    assert!(matches!(done, Message::Done { seq: Some(seq), .. } if seq == snapshot.seq + 1));
    assert_eq!(server.count("commits_failed_total").await, 1);
    server.stop().await;
}

#[tokio::test]
async fn a_move_in_doubt_is_answered_by_the_log() {
    let storage = Brittle::default();
    let (server, next_doubt) = (storage.start(), storage.next_doubt);
    let (mut ann, mut bob, room) = server.two_play().await;
    let play = |ply, x| json!({"type": "play", "room": room, "ply": ply, "point": [x, 7]});

    *next_doubt.lock().await = Some(true);
    let Message::Done { seq: Some(first), .. } = ann.ask(play(0, 7)).await else {
        panic!("the move is stored");
    };
    *next_doubt.lock().await = Some(false);
    assert_eq!(bob.refused(play(1, 8)).await, Reason::Unavailable);
    let second = bob.ask(play(1, 9)).await;
    assert!(matches!(second, Message::Done { seq: Some(seq), .. } if seq == first + 1));
    // A room that was not stored is not there, and another one can be made.
    *next_doubt.lock().await = Some(false);
    let create = json!({"type": "create", "rules": {"variant": "renju"}, "id": "make"});
    assert_eq!(ann.refused(create).await, Reason::Unavailable);
    *next_doubt.lock().await = Some(true);
    ann.create(json!(["me", "open"])).await;
    assert_eq!(server.count("commits_failed_total").await, 4);
    server.stop().await;
}

/// Waits until `/readyz` says so.
async fn until_ready(server: &TestServer, status: &str) {
    let expected = format!("HTTP/1.1 {status}");
    within(async { while !server.monitor("/readyz").await.starts_with(&expected) {} }).await;
}

#[tokio::test]
async fn a_server_whose_storage_fails_or_hangs_is_not_ready_though_nobody_plays() {
    let storage = Brittle::default();
    let server = storage.start();
    let Brittle { is_broken, gate, .. } = storage;
    until_ready(&server, "200").await;
    is_broken.store(true, Ordering::SeqCst);
    until_ready(&server, "503").await;
    is_broken.store(false, Ordering::SeqCst);
    until_ready(&server, "200").await;
    let mut ann = server.greet("Ann").await;
    let held = gate.lock().await;
    // The writer hangs in this.
    let create = json!({"type": "create", "rules": {"variant": "renju"}, "id": "make"});
    ann.send_text(create.to_string()).await;
    until_ready(&server, "503").await;
    drop(held);
    until_ready(&server, "200").await;
    server.stop().await;
}

#[tokio::test]
async fn a_name_that_is_not_stored_is_not_taken() {
    let (server, is_broken) = brittle();
    let mut ann = server.greet("Ann").await;
    let room = ann.create(json!(["me", "open"])).await;
    let rename = json!({"type": "set_name", "name": "Anna"});
    is_broken.store(true, Ordering::SeqCst);
    assert_eq!(ann.refused(rename.clone()).await, Reason::Unavailable);
    is_broken.store(false, Ordering::SeqCst);
    let Message::Joined { catch_up: CatchUp::Snapshot(snapshot), .. } =
        ann.ask(json!({"type": "join", "room": room})).await
    else {
        panic!("not joined");
    };
    let name = snapshot.seats.first.map(|player| player.name());
    assert_eq!(name.as_deref(), Some("Ann"));
    assert!(matches!(ann.ask(rename).await, Message::Done { .. }));
    server.stop().await;
}

#[tokio::test]
async fn a_room_that_is_not_stored_is_not_made() {
    let (server, is_broken) = brittle();
    let mut ann = server.greet("Ann").await;
    is_broken.store(true, Ordering::SeqCst);
    let create = json!({"type": "create", "rules": {"variant": "renju"}, "id": "make"});
    assert_eq!(ann.refused(create).await, Reason::Unavailable);
    while server.count("rooms").await > 0 {}
    is_broken.store(false, Ordering::SeqCst);
    ann.create(json!(["me", "open"])).await;
    server.stop().await;
}

#[tokio::test]
async fn a_server_whose_store_broke_stops() {
    let server = TestServer::start_on(Box::new(Memory::default().hooked(Broken)), LIMITS);
    let mut ann = server.greet("Ann").await;
    let create = json!({"type": "create", "rules": {"variant": "renju"}, "id": "make"});
    ann.send_text(create.to_string()).await;
    assert_eq!(ann.closed().await.0, close::RESTART);
    assert_eq!(server.ended().await.unwrap_err().to_string(), "the storage failed");
}
