//! A store that fails: nothing is acknowledged that is not stored, and the room goes on from what
//! is.

use std::sync::{
    Arc,
    atomic::{AtomicBool, Ordering},
};

use fivefold_shared::protocol::{CatchUp, GameId, MemberId, Message, Reason, RoomCode, close};
use fivefold_shared::room::Entry;
use fivefold_storage::{
    AccountChange, AccountChanged, Append, Appended, Claimed, IdentityHash, KnownMember, Memory,
    ModerationChange, ModerationChanged, NodeId, PuzzleAttempt, PuzzleCounted, Storage,
    StorageError, StorageReader, Undone,
};
use serde_json::json;
use tokio::sync::Mutex;

use crate::harness::{LIMITS, TestServer, within};

/// Panics at the first use.
#[derive(Debug)]
struct Broken;

impl Storage for Broken {
    fn orphans(&mut self, _: usize) -> Result<Vec<RoomCode>, StorageError> {
        Ok(Vec::new())
    }

    fn claim(&mut self, _: &[RoomCode], _: NodeId) -> Result<Vec<Claimed>, StorageError> {
        unreachable!("it is broken")
    }

    fn append(&mut self, _: &[Append]) -> Result<Vec<Appended>, StorageError> {
        panic!("the storage breaks");
    }

    fn undo_ratings(&mut self, _: &GameId, _: u64) -> Result<Undone, StorageError> {
        unreachable!("it is broken")
    }

    fn count_puzzle(&mut self, _: &PuzzleAttempt) -> Result<PuzzleCounted, StorageError> {
        unreachable!("it is broken")
    }

    fn update_members(&mut self, _: &[KnownMember]) -> Result<(), StorageError> {
        Ok(())
    }

    fn replace_identity(
        &mut self,
        _: &MemberId,
        _: IdentityHash,
        _: IdentityHash,
    ) -> Result<bool, StorageError> {
        Ok(false)
    }

    fn change_account(&mut self, _: &AccountChange) -> Result<AccountChanged, StorageError> {
        unreachable!("it is broken")
    }

    fn moderate(&mut self, _: &ModerationChange) -> Result<ModerationChanged, StorageError> {
        unreachable!("it is broken")
    }

    fn prune_moderation(&mut self, _: u64, _: usize) -> Result<usize, StorageError> {
        Ok(0)
    }

    fn prune_accounts(&mut self, _: u64, _: usize) -> Result<usize, StorageError> {
        Ok(0)
    }

    fn prune_members(&mut self, _: u64, _: usize) -> Result<usize, StorageError> {
        Ok(0)
    }

    fn read(&mut self, _: &RoomCode) -> Result<Vec<Entry>, StorageError> {
        unreachable!("it is broken")
    }

    fn reader(&self) -> Result<Box<dyn StorageReader>, StorageError> {
        Memory::default().reader()
    }
}

/// Keeps logs in memory, and refuses to while it is broken.
#[derive(Debug, Default)]
pub(crate) struct Brittle {
    memory: Memory,
    pub(crate) is_broken: Arc<AtomicBool>,
    /// While a test holds this, no log is read or appended to.
    pub(crate) gate: Arc<Mutex<()>>,
    /// Whether the next append is stored, if it is to end in doubt.
    next_doubt: Arc<Mutex<Option<bool>>>,
}

impl Brittle {
    /// The same on the memory that nodes share.
    pub(crate) fn on(memory: Memory, is_broken: &Arc<AtomicBool>) -> Self {
        Self { memory, is_broken: Arc::clone(is_broken), ..Self::default() }
    }
}

impl Storage for Brittle {
    fn orphans(&mut self, rooms_max: usize) -> Result<Vec<RoomCode>, StorageError> {
        self.memory.orphans(rooms_max)
    }

    fn claim(&mut self, rooms: &[RoomCode], node: NodeId) -> Result<Vec<Claimed>, StorageError> {
        self.memory.claim(rooms, node)
    }

    fn append(&mut self, batch: &[Append]) -> Result<Vec<Appended>, StorageError> {
        if self.is_broken.load(Ordering::SeqCst) {
            return Err(StorageError::Failed("no space left".into()));
        }
        drop(self.gate.blocking_lock());
        let doubt = self.next_doubt.blocking_lock().take();
        let appended =
            if doubt == Some(false) { Ok(Vec::new()) } else { self.memory.append(batch) };
        if doubt.is_some() { Err(StorageError::InDoubt("no answer".into())) } else { appended }
    }

    fn undo_ratings(&mut self, game: &GameId, at: u64) -> Result<Undone, StorageError> {
        self.memory.undo_ratings(game, at)
    }

    fn count_puzzle(&mut self, attempt: &PuzzleAttempt) -> Result<PuzzleCounted, StorageError> {
        self.memory.count_puzzle(attempt)
    }

    fn update_members(&mut self, members: &[KnownMember]) -> Result<(), StorageError> {
        if self.is_broken.load(Ordering::SeqCst) {
            return Err(StorageError::Failed("no space left".into()));
        }
        self.memory.update_members(members)
    }

    fn replace_identity(
        &mut self,
        member: &MemberId,
        old: IdentityHash,
        new: IdentityHash,
    ) -> Result<bool, StorageError> {
        self.memory.replace_identity(member, old, new)
    }

    fn change_account(&mut self, change: &AccountChange) -> Result<AccountChanged, StorageError> {
        self.memory.change_account(change)
    }

    fn moderate(&mut self, change: &ModerationChange) -> Result<ModerationChanged, StorageError> {
        self.memory.moderate(change)
    }

    fn prune_moderation(&mut self, now: u64, rows_max: usize) -> Result<usize, StorageError> {
        self.memory.prune_moderation(now, rows_max)
    }

    fn prune_accounts(&mut self, now: u64, rows_max: usize) -> Result<usize, StorageError> {
        self.memory.prune_accounts(now, rows_max)
    }

    fn prune_members(&mut self, before: u64, members_max: usize) -> Result<usize, StorageError> {
        self.memory.prune_members(before, members_max)
    }

    fn read(&mut self, room: &RoomCode) -> Result<Vec<Entry>, StorageError> {
        drop(self.gate.blocking_lock());
        self.memory.read(room)
    }

    fn reader(&self) -> Result<Box<dyn StorageReader>, StorageError> {
        self.memory.reader()
    }
}

fn brittle() -> (TestServer, Arc<AtomicBool>) {
    let storage = Brittle::default();
    let is_broken = Arc::clone(&storage.is_broken);
    (TestServer::start_on(Box::new(storage), LIMITS), is_broken)
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
    let next_doubt = Arc::clone(&storage.next_doubt);
    let server = TestServer::start_on(Box::new(storage), LIMITS);
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
    let (is_broken, gate) = (Arc::clone(&storage.is_broken), Arc::clone(&storage.gate));
    let server = TestServer::start_on(Box::new(storage), LIMITS);
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
    let server = TestServer::start_on(Box::new(Broken), LIMITS);
    let mut ann = server.greet("Ann").await;
    let create = json!({"type": "create", "rules": {"variant": "renju"}, "id": "make"});
    ann.send_text(create.to_string()).await;
    assert_eq!(ann.closed().await.0, close::RESTART);
    assert_eq!(server.ended().await.unwrap_err().to_string(), "the storage failed");
}
