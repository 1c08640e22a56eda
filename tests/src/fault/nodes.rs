//! The fault test on several nodes: one of them, or what they share, is killed, frozen or cut off
//! every few seconds, and members come back to any node.

use std::{
    collections::BTreeMap,
    fmt,
    net::SocketAddr,
    time::{Duration, Instant},
};

use fivefold_shared::protocol::RoomCode;
use fivefold_storage::Postgres;
use fivefold_test_services::{Passage, Relay};
use rand::{RngExt, SeedableRng, rngs::StdRng, seq::IndexedRandom};
use tokio::{
    sync::watch,
    task::{JoinSet, block_in_place},
    time::sleep,
};

use super::{Verdict, enter, judge, member::Made, pause, start_nodes};
use crate::{Cluster, Times};

/// The mean time between two faults.
pub(super) const BETWEEN: Duration = Duration::from_secs(5);
/// The shortest and the longest time for which a process stands still.
const FROZEN: [Duration; 2] = [Duration::from_secs(5), Duration::from_secs(20)];
/// The longest time for which a node is cut off from the bus or the database.
const CUT_MAX: Duration = Duration::from_secs(10);
/// A network that swallows everything, and one that refuses connections.
const BOTH_WAYS: [Passage; 2] = [Passage::Held, Passage::Closed];
const ONE_WAY: [Passage; 2] = [Passage::ToService, Passage::ToClients];
/// How long NATS or PostgreSQL is away.
const AWAY: Duration = Duration::from_secs(1);
/// Answers that come this soon after a fault were under way.
const UNDER_WAY: Duration = Duration::from_millis(50);

/// What happens to a cluster.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Fault {
    /// `kill -9` of a node.
    Kill,
    /// SIGTERM to a node.
    Terminate,
    /// SIGSTOP, and later SIGCONT.
    Freeze,
    /// A node does not reach NATS.
    CutFromBus,
    /// A node does not reach PostgreSQL.
    CutFromDatabase,
    /// A node reaches NATS or PostgreSQL in one direction only.
    CutOneWay,
    /// NATS is killed, and started again after a second.
    RestartBus,
    /// The same for PostgreSQL.
    RestartDatabase,
}

impl Fault {
    /// Kills are almost as frequent as everything else together.
    pub(super) const MIXED: [Self; 13] = [
        Self::Kill,
        Self::Kill,
        Self::Kill,
        Self::Kill,
        Self::Kill,
        Self::Terminate,
        Self::Terminate,
        Self::Freeze,
        Self::CutFromBus,
        Self::CutFromDatabase,
        Self::CutOneWay,
        Self::RestartBus,
        Self::RestartDatabase,
    ];

    /// The kinds with a name that contains this, such as `NATS restarted`.
    pub fn named(part: &str) -> Vec<Self> {
        let mut kinds = Self::MIXED.to_vec();
        kinds.dedup();
        kinds.retain(|kind| kind.name().contains(part));
        kinds
    }

    const fn name(self) -> &'static str {
        match self {
            Self::Kill => "kill -9",
            Self::Terminate => "SIGTERM",
            Self::Freeze => "SIGSTOP",
            Self::CutFromBus => "cut from NATS",
            Self::CutFromDatabase => "cut from PostgreSQL",
            Self::CutOneWay => "cut one way",
            Self::RestartBus => "NATS restarted",
            Self::RestartDatabase => "PostgreSQL restarted",
        }
    }
}

/// A run on several nodes.
#[derive(Clone, Debug, Default)]
pub struct NodesVerdict {
    /// Whether the promises were kept.
    pub verdict: Verdict,
    /// The pauses, by the kind of fault.
    pub faults: BTreeMap<Fault, Pauses>,
    /// How often a node ended by itself, and was started again.
    pub ended: usize,
    /// From SIGTERM to a node's end.
    pub exits: Times,
}

/// The pauses of rooms after one kind of fault: from the fault to the next acknowledged move in each
/// room of the node concerned. When a service is restarted: from its return, in all rooms.
#[derive(Clone, Debug, Default)]
pub struct Pauses {
    /// How often the fault happened.
    pub count: usize,
    /// Pauses of rooms whose next move came from a player at another node.
    pub elsewhere: Times,
    /// Pauses of rooms whose next move came from a player of the node itself: on a new connection, or
    /// on the old one when the node goes on.
    pub there: Times,
}

impl fmt::Display for NodesVerdict {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "{}", self.verdict)?;
        writeln!(f, "{} nodes ended by themselves\n", self.ended)?;
        writeln!(f, "seconds until the next acknowledged move in each room:")?;
        let heads = ["players at other nodes", "players of the node, with their return"];
        writeln!(f, "{:<22}{:>6}  {:<36}{}", "", "faults", heads[0], heads[1])?;
        let times = |times: &Times| {
            let [p50, p99, max] = [0.5, 0.99, 1.0].map(|part| times.quantile(part).as_secs_f64());
            format!("{:>5}: {p50:.2}, p99 {p99:.2}, max {max:.2}", times.count())
        };
        for (fault, pauses) in &self.faults {
            let [elsewhere, there] = [&pauses.elsewhere, &pauses.there].map(times);
            writeln!(f, "{:<22}{:>6}  {elsewhere:<36}{there}", fault.name(), pauses.count)?;
        }
        write!(f, "from SIGTERM to the end of the node {}", times(&self.exits))
    }
}

/// A fault, and the rooms that it concerns.
pub(super) struct Incident {
    fault: Fault,
    /// From when on moves should go on.
    at: Instant,
    rooms: Vec<RoomCode>,
    /// The node's address; none where it concerns all nodes.
    node: Option<SocketAddr>,
}

/// Plays in this many rooms on this many nodes for a time, with a fault of these kinds every 5 s on
/// average; all kinds if there are none. `None` where a service is not installed.
///
/// # Panics
/// As [`run`](super::run), and when a node does not end well at SIGTERM.
pub async fn run(
    nodes: usize,
    rooms: usize,
    time: Duration,
    seed: u64,
    kinds: &[Fault],
) -> Option<NodesVerdict> {
    let mut cluster = start_nodes(nodes, &[]).await?;
    let mut found = NodesVerdict::default();
    let (moved, servers) = watch::channel(cluster.addresses());
    let (stop, stopped) = watch::channel(false);
    let mut playing = JoinSet::new();
    let mut random = StdRng::seed_from_u64(seed);
    for number in 0..rooms {
        for (guest, member) in enter(&cluster.nodes(), number).await {
            let (servers, stopped) = (servers.clone(), stopped.clone());
            let chances = StdRng::seed_from_u64(random.random());
            playing.spawn(member.attend(guest, servers, stopped, chances));
        }
    }

    let begin = Instant::now();
    let (mut incidents, mut exits) = (Vec::new(), Vec::new());
    while begin.elapsed() < time {
        sleep(pause(BETWEEN, &mut random).min(4 * BETWEEN)).await;
        let kinds = if kinds.is_empty() { &Fault::MIXED } else { kinds };
        let fault = *kinds.choose(&mut random).expect("there are kinds");
        let node = random.random_range(0..nodes);
        println_fault(begin, fault, node);
        let missing_before = usize::from(matches!(fault, Fault::Kill | Fault::Terminate));
        incidents.push(happen(&mut cluster, fault, node, &mut random, &mut exits).await);
        found.ended += cluster.start_missing() - missing_before;
        moved.send_replace(cluster.addresses());
    }
    stop.send_replace(true);
    let mut heard = Vec::new();
    for (member, away) in playing.join_all().await {
        let guest = member.catch_up(away, &cluster.addresses()).await;
        heard.push((member, guest));
    }
    let moves: Vec<_> = heard.iter().map(|(member, _)| (&member.room, &member.made)).collect();
    found.verdict.kills = incidents.iter().filter(|one| one.fault == Fault::Kill).count();
    found.faults = pauses(&incidents, &moves);
    found.exits = exits.into_iter().collect();
    for node in 0..nodes {
        cluster.stop_node(node);
    }
    let url = cluster.database();
    block_in_place(|| {
        let mut storage = Postgres::open(&url, None).expect("the database is sound");
        judge(&mut storage, heard, &mut found.verdict);
    });
    Some(found)
}

#[expect(clippy::print_stdout, reason = "a long run shows what it does")]
fn println_fault(begin: Instant, fault: Fault, node: usize) {
    println!("{:>7.1} s: {}, node {node}", begin.elapsed().as_secs_f64(), fault.name());
}

/// One fault, from its beginning to its end.
pub(super) async fn happen(
    cluster: &mut Cluster,
    fault: Fault,
    node: usize,
    random: &mut StdRng,
    exits: &mut Vec<Duration>,
) -> Incident {
    let rooms = match fault {
        Fault::RestartBus | Fault::RestartDatabase => cluster.rooms(),
        Fault::Kill
        | Fault::Terminate
        | Fault::Freeze
        | Fault::CutFromBus
        | Fault::CutFromDatabase
        | Fault::CutOneWay => cluster.rooms_of(node),
    };
    let node_at = match fault {
        Fault::RestartBus | Fault::RestartDatabase => None,
        Fault::Kill
        | Fault::Terminate
        | Fault::Freeze
        | Fault::CutFromBus
        | Fault::CutFromDatabase
        | Fault::CutOneWay => Some(cluster.node(node).address()),
    };
    let mut at = Instant::now();
    match fault {
        Fault::Kill => cluster.kill_node(node),
        Fault::Terminate => exits.push(cluster.stop_node(node)),
        Fault::Freeze => {
            let [shortest, longest] = FROZEN;
            cluster.node(node).freeze();
            sleep(shortest + (longest - shortest).mul_f64(random.random())).await;
            cluster.node(node).thaw();
        }
        Fault::CutFromBus => cut(cluster.to_bus(node), BOTH_WAYS, random).await,
        Fault::CutFromDatabase => cut(cluster.to_database(node), BOTH_WAYS, random).await,
        Fault::CutOneWay if random.random() => cut(cluster.to_bus(node), ONE_WAY, random).await,
        Fault::CutOneWay => cut(cluster.to_database(node), ONE_WAY, random).await,
        Fault::RestartBus => {
            cluster.kill_bus();
            sleep(AWAY).await;
            cluster.restart_bus();
            at = Instant::now();
        }
        Fault::RestartDatabase => {
            cluster.kill_database();
            sleep(AWAY).await;
            cluster.restart_database();
            at = Instant::now();
        }
    }
    Incident { fault, at, rooms, node: node_at }
}

/// Cuts a node off for a while.
async fn cut(way: &Relay, cuts: [Passage; 2], random: &mut StdRng) {
    way.set(*cuts.choose(random).expect("there are two"));
    sleep(CUT_MAX.mul_f64(random.random())).await;
    way.set(Passage::Open);
}

/// The pauses after the incidents, by the moves of each player in each room.
fn pauses(incidents: &[Incident], moves: &[(&RoomCode, &Vec<Made>)]) -> BTreeMap<Fault, Pauses> {
    let mut times: BTreeMap<Fault, (usize, [Vec<Duration>; 2])> = BTreeMap::new();
    for Incident { fault, at, rooms, node } in incidents {
        let (count, [elsewhere, there]) = times.entry(*fault).or_default();
        *count += 1;
        for room in rooms {
            let made = moves.iter().filter(|(of, _)| *of == room).flat_map(|(_, made)| *made);
            let later = made.filter(|made| made.answered_at > *at + UNDER_WAY);
            let Some(next) = later.min_by_key(|made| made.answered_at) else { continue };
            let is_there = next.connected_at > *at || Some(next.server) == *node;
            let times = if is_there { &mut *there } else { &mut *elsewhere };
            times.push(next.answered_at - *at);
        }
    }
    let pauses = times.into_iter().map(|(fault, (count, [elsewhere, there]))| {
        let [elsewhere, there] = [elsewhere, there].map(Times::from_iter);
        (fault, Pauses { count, elsewhere, there })
    });
    pauses.collect()
}
