//! The load on one node and on three, with the processor time of nodes, PostgreSQL and NATS apart.
//!
//! Each measurement has its own servers and services, without relays between them, and a disk that
//! is synchronized at every commit.

use std::{
    fmt,
    net::SocketAddr,
    sync::{
        Arc,
        atomic::{AtomicU64, Ordering},
    },
    time::Duration,
};

use fivefold_test_services::{Durability, NatsServer, PostgresServer};
use futures_util::{StreamExt, stream};
use tempfile::TempDir;
use tokio::{
    task::{JoinSet, block_in_place},
    time::sleep_until,
};
use tokio_tungstenite::tungstenite;

use super::{
    CONNECTING_MAX, Plan, Usage,
    plan::Target,
    table::{MoveTimes, Places, Schedule, Table, enter},
};
use crate::{Server, Setting, Socket, Times};

/// How many nodes a cluster has.
const NODES: usize = 3;

/// Settings for many people from one address. A limit on sessions that the system's limit on files allows:
/// otherwise the server takes fewer, and of them only a part from one address of the whole cluster.
const SETTINGS: [Setting<'_>; 8] = [
    ("command-rate", "1000000"),
    ("connection-rate", "1000000"),
    ("sessions-per-address", "18000"),
    ("sessions", "18000"),
    ("rooms-per-address", "1000000"),
    ("room-rate", "1000000"),
    ("spectators", "1000000"),
    ("log", "error"),
];

/// The servers, and where people are.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Layout {
    /// One server with its file.
    Sqlite,
    /// One server on PostgreSQL.
    Postgres,
    /// Three nodes; the players of a room are at its owner.
    Local,
    /// Three nodes; the first player is at the owner, the second at another node, as round robin
    /// usually places them.
    Mixed,
    /// Three nodes; the players of a room are together at another node.
    Remote,
    /// Three nodes; the owner and each of the players are at different ones.
    Apart,
    /// As [`Local`](Self::Local), and at each node so many people watch, evenly spread over the
    /// rooms.
    FanOut {
        /// Spectators at each node.
        spectators: usize,
    },
}

impl Layout {
    /// Those in which nobody watches.
    pub const PLAYERS: [Self; 6] =
        [Self::Sqlite, Self::Postgres, Self::Local, Self::Mixed, Self::Remote, Self::Apart];

    const fn spectators(self) -> usize {
        match self {
            Self::FanOut { spectators } => spectators,
            Self::Sqlite
            | Self::Postgres
            | Self::Local
            | Self::Mixed
            | Self::Remote
            | Self::Apart => 0,
        }
    }
}

impl fmt::Display for Layout {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Sqlite => f.pad("1 node, SQLite"),
            Self::Postgres => f.pad("1 node, PostgreSQL"),
            Self::Local => f.pad("3 nodes, local"),
            Self::Mixed => f.pad("3 nodes, mixed"),
            Self::Remote => f.pad("3 nodes, remote"),
            Self::Apart => f.pad("3 nodes, apart"),
            Self::FanOut { spectators } => f.pad(&format!("fan-out to 3 x {spectators}")),
        }
    }
}

/// The measurements of one layout.
#[derive(Clone, Debug)]
pub struct Measured {
    /// What was measured.
    pub layout: Layout,
    /// Rooms with two players each.
    pub rooms: usize,
    /// Length of the measurement.
    pub lasted: Duration,
    /// From sending each move to the answer.
    pub answered: Times,
    /// Messages that spectators received.
    pub watched: u64,
    /// Processor time of all nodes.
    pub nodes: Duration,
    /// Processor time of all processes of PostgreSQL.
    pub postgres: Option<Duration>,
    /// Processor time of NATS.
    pub nats: Option<Duration>,
    /// Bytes that nodes sent to NATS, with their heartbeats.
    pub bus_bytes: Option<u64>,
    /// Bytes of PostgreSQL's log.
    pub wal_bytes: Option<u64>,
    /// Memory of the largest node at the end, in bytes.
    pub memory: u64,
    /// Memory of a node for each spectator, in bytes, if there are any.
    pub spectator_memory: Option<u64>,
}

impl Measured {
    /// Moves in the time measured.
    pub fn moves(&self) -> usize {
        self.answered.count()
    }

    /// A time for each move, in microseconds.
    pub fn micros_per_move(&self, time: Duration) -> f64 {
        self.per_move(time.as_secs_f64() * 1e6)
    }

    /// An amount for each move.
    pub fn per_move(&self, amount: f64) -> f64 {
        amount / self.moves().max(1) as f64
    }
}

/// Plays on a layout and measures it. Needs a runtime of several threads. `None`, with a printed
/// sentence, where a service is not installed.
///
/// # Panics
/// When a server does not start, refuses a request, or loses or delays a message.
pub async fn run(layout: Layout, plan: &Plan) -> Option<Measured> {
    let parts = block_in_place(|| Parts::start(layout))?;
    let addresses: Vec<_> = parts.servers.iter().map(Server::address).collect();
    let tables = stream::iter(0..plan.rooms)
        .map(|number| Table::on_nodes(places(layout, &addresses, number), plan.rules));
    // In order, so that the spectators are spread as evenly as they can be.
    let tables: Vec<_> = tables.buffered(CONNECTING_MAX).collect().await;
    let seats = addresses.iter().flat_map(|&address| {
        let rooms = tables.iter().map(Table::room).cycle().take(layout.spectators());
        rooms.map(move |room| async move { enter(Target::Server(address), room).await })
    });
    let seats: Vec<_> = seats.collect();
    let empty = parts.memory();
    let mut coming = stream::iter(seats).buffer_unordered(CONNECTING_MAX);
    let (mut spectators, watched) = (JoinSet::new(), Arc::new(AtomicU64::new(0)));
    while let Some(socket) = coming.next().await {
        spectators.spawn(watch(socket, Arc::clone(&watched)));
    }
    drop(coming);
    let filled = parts.memory().saturating_sub(empty);
    let spectator_memory = filled.checked_div(layout.spectators() as u64);

    let schedule = Schedule::of(plan);
    let mut playing = JoinSet::new();
    for (seed, table) in (0..).zip(tables) {
        playing.spawn(table.play(schedule, seed));
    }
    sleep_until(schedule.from.into()).await;
    let seen = watched.load(Ordering::Relaxed);
    let before = block_in_place(|| parts.spent());
    sleep_until(schedule.until.into()).await;
    let after = block_in_place(|| parts.spent());
    let watched = watched.load(Ordering::Relaxed) - seen;
    let moves: Vec<MoveTimes> = playing.join_all().await.concat();
    Some(Measured {
        layout,
        rooms: plan.rooms,
        lasted: plan.measured,
        answered: moves.iter().map(|times| times.answered).collect(),
        watched,
        nodes: after.nodes - before.nodes,
        postgres: after.postgres.zip(before.postgres).map(|(after, before)| after - before),
        nats: after.nats.zip(before.nats).map(|(after, before)| after - before),
        bus_bytes: after.bus_bytes.zip(before.bus_bytes).map(|(after, before)| after - before),
        wal_bytes: after.wal_bytes.zip(before.wal_bytes).map(|(after, before)| after - before),
        memory: parts.memory(),
        spectator_memory,
    })
}

/// Where the room of this number and its players are.
fn places(layout: Layout, nodes: &[SocketAddr], number: usize) -> Places {
    let node = |place: usize| nodes[(number + place) % nodes.len()];
    let players = match layout {
        Layout::Sqlite | Layout::Postgres | Layout::Local | Layout::FanOut { .. } => [0, 0],
        Layout::Mixed => [0, 1],
        Layout::Remote => [1, 1],
        Layout::Apart => [1, 2],
    };
    Places { owner: node(0), players: players.map(node) }
}

/// Reads all messages, and counts them, until the socket is closed.
async fn watch(mut socket: Socket, count: Arc<AtomicU64>) {
    while let Some(Ok(frame)) = socket.next().await {
        if let tungstenite::Message::Text(_) = frame {
            count.fetch_add(1, Ordering::Relaxed);
        }
    }
}

/// Everything under load. The servers end before what they use.
struct Parts {
    servers: Vec<Server>,
    nats: Option<NatsServer>,
    postgres: Option<PostgresServer>,
    _data: TempDir,
}

/// What the parts have used so far.
struct Spent {
    nodes: Duration,
    postgres: Option<Duration>,
    nats: Option<Duration>,
    bus_bytes: Option<u64>,
    wal_bytes: Option<u64>,
}

impl Parts {
    fn start(layout: Layout) -> Option<Self> {
        let data = tempfile::tempdir().expect("a folder for the data");
        if layout == Layout::Sqlite {
            let servers = vec![Server::start_in_with(data.path(), &SETTINGS)];
            return Some(Self { servers, nats: None, postgres: None, _data: data });
        }
        let postgres = PostgresServer::start(Durability::Full)?;
        let database = postgres.url();
        let (nats, servers) = if layout == Layout::Postgres {
            (None, vec![Server::start_on(&database, &SETTINGS)])
        } else {
            let nats = NatsServer::start()?;
            let bus = nats.url();
            let start = |_| Server::start_as_node(&database, &bus, std::io::stderr(), &SETTINGS);
            (Some(nats), (0..NODES).map(start).collect())
        };
        Some(Self { servers, nats, postgres: Some(postgres), _data: data })
    }

    /// The question about PostgreSQL's log comes last in the code and costs the measurement one
    /// connection.
    fn spent(&self) -> Spent {
        let cpu = |pid| Usage::cpu_of_all(pid).expect("it runs");
        Spent {
            nodes: self.servers.iter().map(|server| cpu(server.pid())).sum(),
            postgres: self.postgres.as_ref().map(|postgres| cpu(postgres.pid())),
            nats: self.nats.as_ref().map(|nats| cpu(nats.pid())),
            bus_bytes: self.nats.as_ref().map(NatsServer::bytes_received),
            wal_bytes: self.postgres.as_ref().map(wal_bytes),
        }
    }

    /// Memory of the largest node, in bytes.
    fn memory(&self) -> u64 {
        let usages = self.servers.iter().filter_map(|server| Usage::of(server.pid()));
        usages.map(|usage| usage.memory).max().unwrap_or_default()
    }
}

/// The bytes that PostgreSQL has written to its log since it was made.
fn wal_bytes(postgres: &PostgresServer) -> u64 {
    let position = postgres.ask("SELECT (pg_current_wal_insert_lsn() - '0/0')::bigint");
    position.parse().expect("a number")
}
