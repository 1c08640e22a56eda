//! Tests of several nodes: two players on different nodes play one game while nodes are killed and
//! restarted, and then the services that the nodes share.

use std::{
    collections::BTreeSet,
    net::SocketAddr,
    process::Command,
    time::{Duration, Instant},
};

use fivefold_shared::{
    protocol::{NumberedEvent, RoomCode, RoomRequest},
    rules::Point,
};
use fivefold_test_services::Passage;
use fivefold_tests::{Cluster, Guest, Seen, Server, Setting, private, program};
use serde_json::Value;
use tokio::{
    task::block_in_place,
    time::{sleep, timeout},
};

use crate::freestyle;

/// The players try again faster than people.
pub(super) const FAST: [Setting<'_>; 2] =
    [("command-rate", "1000000"), ("connection-rate", "1000000")];

/// A cluster with a game of two players.
struct Game {
    cluster: Cluster,
    table: Table,
}

impl Game {
    /// Ann is on node 0, and Bob on node 1.
    async fn begin(cluster: Cluster) -> Self {
        let table = Table::begin(cluster.node(0), cluster.node(1)).await;
        Self { cluster, table }
    }

    async fn play(&mut self, moves: usize) {
        self.table.play(moves, &self.cluster.addresses()).await;
    }
}

/// A game of two players.
pub(super) struct Table {
    pub(super) room: RoomCode,
    /// Ann, who plays Black, and Bob. Absent only within a move.
    players: [Option<Guest>; 2],
    plies: usize,
}

impl Table {
    /// Ann is at the node that owns the room, as it is made there, and Bob at another one.
    pub(super) async fn begin(owner: &Server, other: &Server) -> Self {
        let mut ann = Guest::hello(owner, "Ann").await;
        let room = ann.create(private(freestyle())).await;
        let mut bob = Guest::hello(other, "Bob").await;
        bob.join(&room).await;
        bob.done(&room, RoomRequest::Sit { seat: None }).await;
        ann.until(&room, |seen| seen.room.running().is_some()).await;
        Self::of(room, [ann, bob])
    }

    /// A game that has begun, with the player of Black first.
    pub(super) fn of(room: RoomCode, players: [Guest; 2]) -> Self {
        Self { room, players: players.map(Some), plies: 0 }
    }

    pub(super) fn players(&mut self) -> [&mut Guest; 2] {
        self.players.each_mut().map(|player| player.as_mut().expect("here"))
    }

    /// Plays some moves in turn. A player whose node is gone comes back to one of these.
    pub(super) async fn play(&mut self, moves: usize, servers: &[SocketAddr]) {
        for _ in 0..moves {
            let point = point(self.plies);
            self.plies += 1;
            let (plies, room) = (self.plies, self.room.clone());
            let [ann, bob] = self.players.each_mut().map(|player| player.take().expect("here"));
            let (mover, other) = if plies % 2 == 1 { (ann, bob) } else { (bob, ann) };
            let has_come = |seen: &Seen| seen.position().ply() >= plies;
            let (mover, other) = tokio::join!(
                mover.play_through(&room, point, servers),
                other.until_through(&room, has_come, servers),
            );
            let mover = mover.until_through(&room, has_come, servers).await;
            let (ann, bob) = if plies % 2 == 1 { (mover, other) } else { (other, mover) };
            self.players = [Some(ann), Some(bob)];
        }
        self.check();
    }

    /// Both players have every move, once and in order.
    fn check(&self) {
        let moves: Vec<Point> = (0..self.plies).map(point).collect();
        for player in self.players.iter().flatten() {
            assert_eq!(player.seen(&self.room).position().moves(), moves, "{}", player.name);
        }
        let [ann, bob] = self.players.each_ref().map(|player| {
            let seen = player.as_ref().expect("here").seen(&self.room);
            seen.events.iter().map(|event| (event.seq, event)).collect::<Vec<_>>()
        });
        for (seq, event) in &ann {
            let same = bob.iter().find(|(other, _)| other == seq);
            assert!(same.is_none_or(|(_, other): &(u64, &NumberedEvent)| other == event), "{seq}");
        }
    }
}

/// The points of a game that nobody wins: every other row, and colours by turns.
fn point(ply: usize) -> Point {
    let ply = i32::try_from(ply).expect("a small board");
    (ply % 15, ply / 15 * 2).into()
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_game_goes_on_through_a_restart_of_every_part() {
    let Some(cluster) = Cluster::start(3, &FAST).await else { return };
    let mut game = Game::begin(cluster).await;
    game.play(3).await;
    for node in 0..3 {
        let stopping = game.cluster.end_node(node);
        game.play(4).await;
        let (status, _) = stopping.wait();
        assert!(status.success(), "{status}: {}", game.cluster.log(node));
        game.cluster.start_node(node);
        game.play(2).await;
    }
    game.cluster.restart_bus();
    game.play(4).await;
    game.cluster.restart_database();
    game.play(4).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn nodes_and_a_server_without_the_bus_refuse_to_share_a_database() {
    let Some(mut cluster) = Cluster::start(1, &[]).await else { return };
    let database = cluster.database_of(0);
    let bus = cluster.bus_of(0);
    // A node says where it listens before it has joined, and answers afterwards.
    drop(Guest::hello(cluster.node(0), "Ann").await);
    let refused = |settings: &[Setting<'_>]| block_in_place(|| Server::refusal(settings));
    let text = refused(&[("database", &database)]);
    assert!(text.contains("is in use by another server. Stop that one"), "{text}");

    cluster.stop_node(0);
    let alone = block_in_place(|| Server::start_on(&database, &[]));
    let text = refused(&[("database", &database), ("bus", &bus)]);
    assert!(text.contains("is in use by a server without --bus. Stop that one"), "{text}");
    // A node starts when the one that was killed is dead.
    drop(alone);
    cluster.start_node(0);
    let mut ann = Guest::hello(cluster.node(0), "Ann").await;
    ann.create(private(freestyle())).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_game_goes_on_when_its_node_is_killed() {
    let Some(cluster) = Cluster::start(3, &FAST).await else { return };
    let mut game = Game::begin(cluster).await;
    game.play(5).await;
    game.cluster.kill_node(0);
    game.play(6).await;
    // Ann is on node 1 or 2 by now, and the room, too.
    game.cluster.start_node(0);
    game.cluster.kill_node(1);
    game.play(6).await;
    game.cluster.kill_node(2);
    game.play(6).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_clean_stop_is_one_takeover_in_the_log_and_no_warning() {
    let settings = [("node-name", "oak"), ("log", "fivefold_server=debug")];
    let Some(mut cluster) = Cluster::start(2, &settings).await else { return };
    let mut ann = Guest::hello(cluster.node(0), "Ann").await;
    for _ in 0..3 {
        ann.create(private(freestyle())).await;
    }
    let number = cluster.number_of(0);
    // The other one knows it.
    drop(Guest::hello(cluster.node(1), "Bob").await);
    cluster.stop_node(0);
    let takeover = "has taken over the rooms of nodes that are gone rooms=3";
    let silence = format!("a node is silent node.id={number} node.name=\"oak\"");
    let seen = timeout(Duration::from_secs(20), async {
        while ![takeover, silence.as_str()].iter().all(|text| cluster.log(1).contains(text)) {
            sleep(Duration::from_millis(50)).await;
        }
    });
    assert!(seen.await.is_ok(), "{}", cluster.log(1));
    let log = cluster.log(1);
    let has_level = |line: &&str| [" WARN ", " ERROR "].iter().any(|level| line.contains(level));
    // How many files this machine lets be open has nothing to do with the other node.
    let lines = log.lines().filter(|line| !line.contains("fivefold_server::process::file_limit:"));
    let warnings: Vec<_> = lines.filter(has_level).collect();
    assert!(warnings.is_empty(), "{warnings:?}");
    assert_eq!(log.matches("has taken over the rooms").count(), 1, "{log}");
}

/// The metrics that the dashboard shows of links and of rooms that move.
fn metrics_of_nodes() -> BTreeSet<String> {
    let dashboard: Value =
        serde_json::from_str(include_str!("../../server/deploy/grafana-dashboard.json"))
            .expect("a dashboard");
    let mut row = "";
    let mut names = BTreeSet::new();
    for panel in dashboard["panels"].as_array().expect("a dashboard") {
        if panel["type"] == "row" {
            row = panel["title"].as_str().expect("a dashboard");
        } else if ["Links between nodes", "Rooms that move"].contains(&row) {
            for target in panel["targets"].as_array().expect("a dashboard") {
                let words = target["expr"]
                    .as_str()
                    .expect("a dashboard")
                    .split(|c: char| !c.is_ascii_alphanumeric() && c != '_');
                let shown = words.filter(|word| word.starts_with("fivefold_"));
                names.extend(shown.map(str::to_owned));
            }
        }
    }
    assert!(names.len() > 12, "{names:?}");
    names
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn each_of_three_nodes_has_every_documented_metric() {
    let settings = [&FAST[..], &[("metrics-listen", "127.0.0.1:0")]].concat();
    let Some(cluster) = Cluster::start(3, &settings).await else { return };
    let mut game = Game::begin(cluster).await;
    let mut eve = Guest::hello(game.cluster.node(2), "Eve").await;
    eve.join(&game.table.room).await;
    let names = metrics_of_nodes();
    let mut missing = Vec::new();
    // Links are reset, and drop messages, when the bus is away.
    for _ in 0..5 {
        game.cluster.restart_bus();
        game.play(2).await;
        missing.clear();
        for node in 0..3 {
            let text = game.cluster.monitor(node, "/metrics").await.unwrap();
            let is_there = |name: &&String| {
                text.lines().any(|line| {
                    let rest = line.strip_prefix(name.as_str());
                    rest.is_some_and(|rest| rest.starts_with([' ', '{']))
                })
            };
            let gone = names.iter().filter(|name| !is_there(name));
            missing.extend(gone.map(|name| (node, name.clone())));
        }
        if missing.is_empty() {
            break;
        }
    }
    assert_eq!(missing, []);
    for node in 0..3 {
        until_ready_says(&game.cluster, node, "HTTP/1.1 200").await;
    }
}

/// Waits until a node's answer at `/readyz` contains this.
pub(super) async fn until_ready_says(cluster: &Cluster, node: usize, expected: &str) {
    // Between two lives of the node, the connection is reset.
    let is_so = async || {
        cluster.monitor(node, "/readyz").await.is_ok_and(|answer| answer.contains(expected))
    };
    let waiting = async { while !is_so().await {} };
    timeout(Duration::from_secs(30), waiting).await.expect(expected);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_node_without_the_bus_is_not_ready_until_it_is_back() {
    let settings = [&FAST[..], &[("metrics-listen", "127.0.0.1:0")]].concat();
    let Some(cluster) = Cluster::start(2, &settings).await else { return };
    until_ready_says(&cluster, 0, "HTTP/1.1 200").await;
    cluster.to_bus(0).set(Passage::Closed);
    until_ready_says(&cluster, 0, "cut off").await;
    cluster.to_bus(0).set(Passage::Open);
    until_ready_says(&cluster, 0, "HTTP/1.1 200").await;
}

#[test]
fn the_bus_needs_a_database() {
    let mut server = Command::new(program("fivefold-server"));
    let refused = server.args(["--bus", "nats://127.0.0.1:4222"]).output().expect("it starts");
    let text = String::from_utf8_lossy(&refused.stderr);
    assert!(!refused.status.success() && text.contains("needs the setting database"), "{text}");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn who_comes_while_the_bus_is_away_is_in_soon_after_it_is_back() {
    let Some(mut cluster) = Cluster::start(3, &FAST).await else { return };
    let mut ann = Guest::hello(cluster.node(0), "Ann").await;
    // Shorter and longer than the time after which a node counts as silent.
    for away in [1_000, 1_800, 2_600, 4_000].map(Duration::from_millis) {
        let room = ann.create(private(freestyle())).await;
        let mut bob = Guest::hello(cluster.node(1), "Bob").await;
        cluster.kill_bus();
        let coming = async {
            bob.join(&room).await;
            Instant::now()
        };
        let restart = async {
            sleep(away).await;
            cluster.restart_bus();
            Instant::now()
        };
        let (came, back) = tokio::join!(coming, restart);
        let waited = came.saturating_duration_since(back);
        assert!(waited < Duration::from_secs(4), "{waited:?} after {away:?} without NATS");
    }
}
