//! End-to-end tests: the real server and client programs, over real sockets, used as people use
//! them.
//!
//! Each test has its own server. None sleeps, and none depends on the order of others.

mod account;
mod backups;
mod bots;
mod bus_access;
mod certificates;
mod client;
mod cluster;
mod collections;
mod data_folder;
mod days;
mod disk;
mod encrypted_services;
mod engines;
mod examples;
mod fault;
mod files;
mod game_files;
mod health;
mod hostile;
mod identity;
#[cfg(target_os = "linux")]
mod image;
#[cfg(target_os = "linux")]
mod launcher;
mod load;
mod local_and_server;
mod mail;
mod neighbours;
mod openings;
mod pairing;
mod play;
mod proxy;
mod random;
mod ratings;
mod readiness;
mod readme;
mod refusals;
#[cfg(target_os = "linux")]
mod restored;
mod resume;
mod reverse_proxies;
mod seeking;
mod settings;
mod several_addresses;
mod spectate;
mod standby;
#[cfg(target_os = "linux")]
mod terminal;
#[cfg(target_os = "linux")]
mod terminal_play;
#[cfg(target_os = "linux")]
mod terminal_screen;
mod unwritable;

use std::path::Path;

use fivefold_shared::{
    protocol::{Create, RoomCode, RoomRequest},
    rules::{Point, Rules, Size, Variant},
};
use fivefold_tests::{Guest, Server, private};

/// Freestyle on 15x15.
fn freestyle() -> Rules {
    Rules::new(Variant::Freestyle, Size::square(15)).expect("on offer")
}

/// Black completes a row of five with the last move.
///
/// ```text
/// X X X X X
/// O O O O .
/// ```
const FIVE: [(i32, i32); 9] =
    [(3, 7), (3, 8), (4, 7), (4, 8), (5, 7), (5, 8), (6, 7), (6, 8), (7, 7)];

/// Ann (Black) and Bob (White) in a private room with a running game.
struct Pair {
    server: Server,
    room: RoomCode,
    ann: Guest,
    bob: Guest,
}

impl Pair {
    async fn by(create: Create) -> Self {
        Self::on(Server::start(), create).await
    }

    async fn on(server: Server, create: Create) -> Self {
        let mut ann = Guest::hello(&server, "Ann").await;
        let room = ann.create(create).await;
        let mut bob = Guest::hello(&server, "Bob").await;
        bob.join(&room).await;
        bob.done(&room, RoomRequest::Sit { seat: None }).await;
        ann.until(&room, |seen| seen.room.running().is_some()).await;
        Self { server, room, ann, bob }
    }

    async fn new() -> Self {
        Self::by(private(freestyle())).await
    }

    /// Plays the moves in turn; both guests wait for each one.
    async fn play(&mut self, moves: &[(i32, i32)]) {
        for &point in moves {
            self.play_one(point.into()).await;
        }
    }

    async fn play_one(&mut self, point: Point) {
        self.level().await;
        let Self { room, ann, bob, .. } = self;
        let state = &ann.seen(room).room;
        let anns = state.seats.of_member(&ann.me) == state.to_act();
        let (mover, other) = if anns { (ann, bob) } else { (bob, ann) };
        mover.play(room, point).await;
        let seq = mover.seen(room).room.seq;
        other.until(room, |seen| seen.room.seq >= seq).await;
    }

    /// Ann sends a request, and both guests wait for its events.
    async fn ann_does(&mut self, request: RoomRequest) {
        self.ann.done(&self.room, request).await;
        self.level().await;
    }

    /// As [`ann_does`](Self::ann_does).
    async fn bob_does(&mut self, request: RoomRequest) {
        self.bob.done(&self.room, request).await;
        self.level().await;
    }

    /// Kills the server as `kill -9` does, and returns to the room on a new one with its folder.
    async fn killed(self, folder: &Path) -> Self {
        let Self { server, room, ann, bob } = self;
        let (ann, bob) = (ann.lost(), bob.lost());
        drop(server);
        let server = Server::start_in(folder);
        let mut ann = ann.moved_to(&server).back().await;
        let mut bob = bob.moved_to(&server).back().await;
        ann.join(&room).await;
        bob.join(&room).await;
        Self { server, room, ann, bob }
    }

    /// Waits until both have received the same events, and checks that their rooms are equal.
    async fn level(&mut self) {
        let Self { room, ann, bob, .. } = self;
        let seq = ann.seen(room).room.seq.max(bob.seen(room).room.seq);
        let anns = ann.until(room, |seen| seen.room.seq >= seq).await.room.snapshot();
        let bobs = bob.until(room, |seen| seen.room.seq >= seq).await.room.snapshot();
        assert_eq!(anns, bobs);
    }
}
