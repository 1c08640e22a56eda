//! The fault test on several nodes: one of them, or what they share, is killed, frozen or cut off
//! every few seconds, and members come back to any node.

use std::{
    fmt,
    time::{Duration, Instant},
};

use fivefold_server::storage::Postgres;
use fivefold_shared::protocol::RoomCode;
use fivefold_test_services::Passage;
use rand::{RngExt, SeedableRng, rngs::StdRng, seq::IndexedRandom};
use tokio::{
    sync::watch,
    task::{JoinSet, block_in_place},
    time::sleep,
};

use super::{FAST, Verdict, enter, judge, member::Made};
use crate::{Cluster, Times};

/// The mean time between two faults.
const BETWEEN: Duration = Duration::from_secs(5);
/// The shortest and the longest time for which a process stands still.
const FROZEN: [Duration; 2] = [Duration::from_secs(5), Duration::from_secs(20)];
/// The longest time for which a node is cut off from the bus or the database.
const CUT_MAX: Duration = Duration::from_secs(10);

/// What happens to a cluster.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Fault {
    /// `kill -9` of a node.
    Kill,
    /// SIGTERM to a node.
    Stop,
    /// SIGSTOP, and later SIGCONT.
    Freeze,
    /// A node does not reach NATS, or only one way.
    CutFromBus,
    /// The same for PostgreSQL.
    CutFromDatabase,
    /// NATS is killed and started again.
    RestartBus,
    /// The same for PostgreSQL.
    RestartDatabase,
}

impl Fault {
    /// Kills are as frequent as everything else together.
    const MIXED: [Self; 12] = [
        Self::Kill,
        Self::Kill,
        Self::Kill,
        Self::Kill,
        Self::Kill,
        Self::Stop,
        Self::Stop,
        Self::Freeze,
        Self::CutFromBus,
        Self::CutFromDatabase,
        Self::RestartBus,
        Self::RestartDatabase,
    ];
}

/// A run on several nodes.
#[derive(Clone, Debug, Default)]
pub struct NodesVerdict {
    /// Whether the promises were kept.
    pub verdict: Verdict,
    /// The faults besides kills.
    pub other_faults: usize,
    /// How often a node ended by itself, and was started again.
    pub ended: usize,
    /// From a kill to the next acknowledged move in a room of the killed node, where its player was
    /// connected to another one.
    pub pauses: Times,
    /// The same where the player had to connect to another node.
    pub pauses_with_return: Times,
}

impl fmt::Display for NodesVerdict {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "{}", self.verdict)?;
        writeln!(
            f,
            "{} other faults, {} nodes ended by themselves",
            self.other_faults, self.ended
        )?;
        let pauses = |times: &Times| {
            let [p50, p99, max] = [0.5, 0.99, 1.0].map(|part| times.quantile(part).as_secs_f64());
            format!("{} times, p50 {p50:.2} s, p99 {p99:.2} s, longest {max:.2} s", times.count())
        };
        writeln!(f, "pause after a kill: {}", pauses(&self.pauses))?;
        write!(f, "the same with a return: {}", pauses(&self.pauses_with_return))
    }
}

/// A node that was killed, and the rooms that it owned.
struct Death {
    at: Instant,
    rooms: Vec<RoomCode>,
}

/// Plays in this many rooms on this many nodes for a time, with a fault every 5 s on average: kills
/// only, or all kinds. `None` where a service is not installed.
///
/// # Panics
/// As [`run`](super::run), and when a node does not end well at SIGTERM.
pub async fn run(
    nodes: usize,
    rooms: usize,
    time: Duration,
    seed: u64,
    is_mixed: bool,
) -> Option<NodesVerdict> {
    let flags = [FAST.as_flattened(), &["--log", "info"]].concat();
    let mut cluster = Cluster::start(nodes, &flags).await?;
    let mut found = NodesVerdict::default();
    let (moved, servers) = watch::channel(cluster.addresses());
    let (stop, stopped) = watch::channel(false);
    let mut playing = JoinSet::new();
    let mut random = StdRng::seed_from_u64(seed);
    for number in 0..rooms {
        let all: Vec<_> = (0..nodes).map(|node| cluster.node(node)).collect();
        for (guest, member) in enter(&all, number).await {
            let (servers, stopped) = (servers.clone(), stopped.clone());
            let chances = StdRng::seed_from_u64(random.random());
            playing.spawn(member.attend(guest, servers, stopped, chances));
        }
    }

    let end = Instant::now() + time;
    let mut deaths = Vec::new();
    while Instant::now() < end {
        let pause = BETWEEN.mul_f64(-random.random_range(f64::EPSILON..1.0).ln());
        sleep(pause.min(4 * BETWEEN)).await;
        let kinds: &[Fault] = if is_mixed { &Fault::MIXED } else { &[Fault::Kill] };
        let fault = *kinds.choose(&mut random).expect("there are kinds");
        let node = random.random_range(0..nodes);
        println_fault(fault, node);
        match fault {
            Fault::Kill => {
                found.verdict.kills += 1;
                let rooms = cluster.rooms_of(node);
                deaths.push(Death { at: Instant::now(), rooms });
                cluster.kill_node(node);
            }
            _ => {
                found.other_faults += 1;
                suffer(&mut cluster, fault, node, &mut random).await;
            }
        }
        found.ended += cluster.start_missing() - usize::from(fault == Fault::Kill);
        moved.send_replace(cluster.addresses());
    }
    stop.send_replace(true);
    let mut heard = Vec::new();
    for (member, away) in playing.join_all().await {
        let guest = member.catch_up(away, &cluster.addresses()).await;
        heard.push((member, guest));
    }
    let moves: Vec<_> = heard.iter().map(|(member, _)| (&member.room, &member.made)).collect();
    (found.pauses, found.pauses_with_return) = pauses(&deaths, &moves);
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
fn println_fault(fault: Fault, node: usize) {
    println!("{fault:?}, node {node}");
}

/// One fault besides a kill, from its beginning to its end.
async fn suffer(cluster: &mut Cluster, fault: Fault, node: usize, random: &mut StdRng) {
    let cuts = [Passage::Held, Passage::ToService, Passage::ToClients, Passage::Closed];
    let cut = *cuts.choose(random).expect("there are cuts");
    let lasts = CUT_MAX.mul_f64(random.random());
    match fault {
        Fault::Kill => {}
        Fault::Stop => {
            cluster.stop_node(node);
        }
        Fault::Freeze => {
            let [shortest, longest] = FROZEN;
            cluster.node(node).freeze();
            sleep(shortest + (longest - shortest).mul_f64(random.random())).await;
            cluster.node(node).thaw();
        }
        Fault::CutFromBus => {
            cluster.to_bus(node).set(cut);
            sleep(lasts).await;
            cluster.to_bus(node).set(Passage::Open);
        }
        Fault::CutFromDatabase => {
            cluster.to_database(node).set(cut);
            sleep(lasts).await;
            cluster.to_database(node).set(Passage::Open);
        }
        Fault::RestartBus => cluster.restart_bus(),
        Fault::RestartDatabase => cluster.restart_database(),
    }
}

/// The pauses of the rooms of killed nodes: without and with a return of the player who moved next.
fn pauses(deaths: &[Death], moves: &[(&RoomCode, &Vec<Made>)]) -> (Times, Times) {
    let (mut stayed, mut returned) = (Vec::new(), Vec::new());
    for Death { at, rooms } in deaths {
        for room in rooms {
            let made = moves.iter().filter(|(of, _)| *of == room).flat_map(|(_, made)| *made);
            let later = made.filter(|made| made.answered_at > *at);
            let Some(next) = later.min_by_key(|made| made.answered_at) else { continue };
            let times = if next.connected_at > *at { &mut returned } else { &mut stayed };
            times.push(next.answered_at - *at);
        }
    }
    (stayed.into_iter().collect(), returned.into_iter().collect())
}
