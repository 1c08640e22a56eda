//! Nodes of two neighbouring versions. `tests/run neighbours` builds the older server and sets a variable to its path;
//! without it these tests are skipped.

use std::{env, path::PathBuf};

use fivefold_shared::{
    protocol::{ChatText, Message, Reason, RoomCode, RoomRequest},
    seat::Seat,
};
use fivefold_tests::{Cluster, Guest, Server, Setting};
use tokio::task::block_in_place;

use crate::cluster::{FAST, Table};

/// The program of the newest older version whose nodes work together with those of this one.
const NEIGHBOUR: &str = "OLDER_NEIGHBOUR";

/// The program of the last version, if its nodes do not understand those of this one.
const STRANGER: &str = "OLDER_STRANGER";

/// An older build of the server; `None`, with a printed sentence, if there is none.
#[expect(clippy::print_stdout, reason = "a skipped test explains itself")]
fn older(variable: &str) -> Option<PathBuf> {
    let program = env::var_os(variable).map(PathBuf::from);
    if program.is_none() {
        println!("SKIPPED: {variable} names no older server; see tests/run");
    }
    program
}

/// Games whose players are on both nodes. Somebody watches each game from the node that does not own it.
struct Company {
    tables: Vec<Table>,
    watchers: Vec<Guest>,
}

impl Company {
    /// Rooms of each node, and a pair that the pairing has found.
    async fn gather(cluster: &Cluster) -> Self {
        let mut company = Self { tables: Vec::new(), watchers: Vec::new() };
        for (owner, other) in [(0, 1), (1, 0)].map(|(a, b)| (cluster.node(a), cluster.node(b))) {
            let table = Table::begin(owner, other).await;
            let mut watcher = Guest::hello(other, "Eve").await;
            watcher.join(&table.room).await;
            company.tables.push(table);
            company.watchers.push(watcher);
        }
        let (mut one, mut two) = tokio::join!(
            Guest::hello(cluster.node(0), "Gus"),
            Guest::hello(cluster.node(1), "Hal"),
        );
        one.seek("free").await;
        two.seek("free").await;
        let (room, seat) = one.paired().await;
        assert_eq!(two.paired().await, (room.clone(), seat.other()));
        let players = if seat == Seat::First { [one, two] } else { [two, one] };
        company.tables.push(Table::of(room, players));
        company
    }

    /// Moves and chat reach the other node.
    async fn meet(&mut self, cluster: &Cluster) {
        self.play(cluster).await;
        for (table, watcher) in self.tables.iter_mut().zip(&mut self.watchers) {
            let room = table.room.clone();
            let [ann, bob] = table.players();
            say(ann, bob, &room, "hello there").await;
            say(bob, ann, &room, "hello here").await;
            let moves = ann.seen(&room).position().ply();
            watcher.until(&room, |seen| seen.position().ply() == moves).await;
            let refused = watcher.refused(&room, RoomRequest::Resign).await;
            assert_eq!(refused, Reason::NotSeated);
        }
    }

    async fn play(&mut self, cluster: &Cluster) {
        for table in &mut self.tables {
            table.play(3, &cluster.addresses()).await;
        }
    }
}

/// A line of chat from one to the other.
async fn say(from: &mut Guest, to: &mut Guest, room: &RoomCode, line: &str) {
    let text = ChatText::new(line).expect("a line");
    from.done(room, RoomRequest::Say { text: text.clone() }).await;
    loop {
        if let Message::PlayerSaid { line, .. } = to.next().await
            && line.text == text
        {
            return;
        }
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_cluster_is_upgraded_node_by_node() {
    let Some(old) = older(NEIGHBOUR) else { return };
    let Some(mut cluster) = Cluster::prepare(2, &FAST).await else { return };
    for node in 0..2 {
        cluster.start_program(node, &old);
        cluster.until_ready(node).await;
    }
    let mut before = Company::gather(&cluster).await;
    before.meet(&cluster).await;

    // Node 1 is upgraded, and with it the tables, if needed. Node 0 takes over its rooms.
    let stopping = cluster.end_node(1);
    before.play(&cluster).await;
    let (status, _) = block_in_place(|| stopping.wait());
    assert!(status.success(), "{status}: {}", cluster.log(1));
    cluster.start_node(1);
    cluster.until_ready(1).await;
    let mut mixed = Company::gather(&cluster).await;
    mixed.meet(&cluster).await;

    // The older node takes over what the newer one has written, after a stop and after a crash.
    let stopping = cluster.end_node(1);
    mixed.play(&cluster).await;
    let (status, _) = block_in_place(|| stopping.wait());
    assert!(status.success(), "{status}: {}", cluster.log(1));
    cluster.start_node(1);
    cluster.until_ready(1).await;
    let mut crashed = Company::gather(&cluster).await;
    crashed.meet(&cluster).await;
    cluster.kill_node(1);
    crashed.play(&cluster).await;
    cluster.start_node(1);
    cluster.until_ready(1).await;

    // Node 0 is upgraded, with all games running.
    let mut last = Company::gather(&cluster).await;
    last.meet(&cluster).await;
    let stopping = cluster.end_node(0);
    for company in [&mut before, &mut mixed, &mut crashed, &mut last] {
        company.play(&cluster).await;
    }
    let (status, _) = block_in_place(|| stopping.wait());
    assert!(status.success(), "{status}: {}", cluster.log(0));
    cluster.start_node(0);
    cluster.until_ready(0).await;
    Company::gather(&cluster).await.meet(&cluster).await;
    for company in [&mut before, &mut mixed, &mut crashed, &mut last] {
        company.play(&cluster).await;
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_node_refuses_to_join_nodes_that_do_not_understand_it() {
    let Some(old) = older(STRANGER) else { return };
    let Some(mut cluster) = Cluster::prepare(2, &FAST).await else { return };
    cluster.start_program(0, &old);
    cluster.until_ready(0).await;
    let mut table = Table::begin(cluster.node(0), cluster.node(0)).await;
    table.play(3, &cluster.addresses()).await;

    let format = cluster.ask("SELECT number FROM fivefold.format");
    let (database, bus) = (cluster.database_of(1), cluster.bus_of(1));
    let settings: [Setting<'_>; 2] = [("database", &database), ("bus", &bus)];
    let text = block_in_place(|| Server::refusal(&settings));
    assert!(text.contains("Stop all nodes, upgrade them, and start them again"), "{text}");
    assert_eq!(cluster.ask("SELECT number FROM fivefold.format"), format);
    table.play(3, &cluster.addresses()).await;

    // As the sentence says.
    cluster.stop_node(0);
    for node in 0..2 {
        cluster.start_node(node);
        cluster.until_ready(node).await;
    }
    table.play(3, &cluster.addresses()).await;
}
