//! A day in the simulated world: servers, tables with their members, a storm in which everything
//! breaks, the calm after it, and the judgement on what came of it.

use std::{
    collections::hash_map::DefaultHasher,
    hash::{Hash, Hasher},
    ops::Add,
    sync::{
        Arc, Mutex,
        atomic::{AtomicBool, AtomicUsize, Ordering},
    },
    time::{Duration, SystemTime},
};

use fivefold_server::bus::local::LocalNetwork;
use fivefold_shared::{
    clock::TimeControl,
    protocol::{CatchUp, Event, Message},
    rules::{Rules, Size, Variant},
};
use rand::{RngExt, SeedableRng, rngs::StdRng};
use serde::{Deserialize, Serialize};

use crate::{
    disk::{Disk, Planted},
    judge::judge,
    member::{Conduct, Member, Table},
    server::{Host, Life, server_name},
    storm::Storm,
};

/// How long everything breaks.
const STORM: Duration = Duration::from_secs(8);
/// When the members must have been able to go on, and be done.
const EVENING: Duration = Duration::from_secs(60);
/// The beginning of all days, in milliseconds since the Unix epoch.
const MORNING: Duration = Duration::from_secs(1_795_230_000);

/// Counts of one simulated day.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
pub(crate) struct Day {
    /// Moves that were acknowledged.
    pub(crate) moves: u64,
    /// Games that ended.
    pub(crate) games: u64,
    /// Deaths of the server.
    pub(crate) crashes: u64,
    /// Links that were cut, or held up.
    pub(crate) cuts: u64,
    /// Times that the disk was full.
    pub(crate) full_disks: u64,
    /// Servers that stood still.
    pub(crate) freezes: u64,
    /// Servers that were stopped in order.
    pub(crate) stops: u64,
    /// Servers without a way to the disk, or for their heartbeats.
    pub(crate) cut_disks: u64,
    /// Faults of the bus between nodes.
    pub(crate) bad_buses: u64,
    /// Nodes that were declared dead, or retired.
    pub(crate) deaths: u64,
    /// Rooms that went to another node.
    pub(crate) takeovers: u64,
    /// Commits that ended in doubt.
    pub(crate) doubts: u64,
    /// Commands that were sent again.
    pub(crate) repeated: u64,
    /// Commands that were refused for a while.
    pub(crate) refused: u64,
    /// Times that a member received a full snapshot.
    pub(crate) snapshots: u64,
    /// Times that a member received only the missed events.
    pub(crate) caught_up: u64,
    /// Hash of every message received, with its time.
    pub(crate) trace: u64,
}

impl Add<&Self> for Day {
    type Output = Self;

    fn add(self, other: &Self) -> Self {
        Self {
            moves: self.moves + other.moves,
            games: self.games + other.games,
            crashes: self.crashes + other.crashes,
            cuts: self.cuts + other.cuts,
            full_disks: self.full_disks + other.full_disks,
            freezes: self.freezes + other.freezes,
            stops: self.stops + other.stops,
            cut_disks: self.cut_disks + other.cut_disks,
            bad_buses: self.bad_buses + other.bad_buses,
            deaths: self.deaths + other.deaths,
            takeovers: self.takeovers + other.takeovers,
            doubts: self.doubts + other.doubts,
            repeated: self.repeated + other.repeated,
            refused: self.refused + other.refused,
            snapshots: self.snapshots + other.snapshots,
            caught_up: self.caught_up + other.caught_up,
            trace: self.trace ^ other.trace,
        }
    }
}

/// What the members share besides the network.
#[derive(Debug, Default)]
pub(crate) struct World {
    day: Mutex<Day>,
    trace: Mutex<DefaultHasher>,
    is_calm: AtomicBool,
    is_over: AtomicBool,
    /// Players who have played on after the storm.
    content: AtomicUsize,
    /// Members of whom nothing is unanswered when the day is over.
    quiet: AtomicUsize,
    members: usize,
    /// How many servers the members may go to.
    pub(crate) servers: usize,
}

impl World {
    pub(crate) fn count(&self, count: impl FnOnce(&mut Day)) {
        count(&mut self.day.lock().unwrap());
    }

    /// Notes what a member has heard. Only what is drawn by the system's own chance differs when a
    /// day is lived again: the codes of rooms and the ids of games.
    pub(crate) fn trace(&self, member: usize, message: &Message) {
        let what = match message {
            Message::Event { event, .. } if matches!(event.event, Event::Started { .. }) => {
                format!("{} at {}: a game", event.seq, event.at)
            }
            Message::Event { event, .. } => format!("{event:?}"),
            Message::Joined { catch_up: CatchUp::Snapshot(snapshot), now, .. } => {
                format!("{now}: he is at {}", snapshot.seq)
            }
            Message::Joined { catch_up: CatchUp::Events(events), now, .. } => {
                format!("{now}: he has missed {}", events.len())
            }
            Message::Snapshot { snapshot, .. } => format!("all is as at {}", snapshot.seq),
            Message::Presence { away, .. } => format!("{away:?}"),
            Message::Spectators { spectators, .. } => format!("{spectators:?}"),
            other => format!("{other:?}"),
        };
        let at = turmoil::sim_elapsed().expect("a simulation");
        (at, member, &what).hash(&mut *self.trace.lock().unwrap());
        tell(at, &format!("member {member} hears {what}"));
    }

    pub(crate) fn is_calm(&self) -> bool {
        self.is_calm.load(Ordering::Relaxed)
    }

    pub(crate) fn is_over(&self) -> bool {
        self.is_over.load(Ordering::Relaxed)
    }

    pub(crate) fn note_content(&self) {
        self.content.fetch_add(1, Ordering::Relaxed);
    }

    pub(crate) fn note_quiet(&self) {
        self.quiet.fetch_add(1, Ordering::Relaxed);
    }

    pub(crate) fn all_are_quiet(&self) -> bool {
        self.quiet.load(Ordering::Relaxed) == self.members
    }
}

/// Tells what happens.
pub(crate) fn tell(at: Duration, what: &str) {
    println!("{:>7.3} {what}", at.as_secs_f64());
}

fn tables() -> Vec<Arc<Table>> {
    let freestyle = |size| Rules::new(Variant::Freestyle, size).unwrap();
    let tiny = Rules::new(Variant::Mnk { k: 3 }, Size::square(3)).unwrap();
    [
        (tiny, TimeControl::None),
        (freestyle(Size::square(15)), TimeControl::PerMove { move_ms: 1_500 }),
        (freestyle(Size::Unbounded), TimeControl::None),
    ]
    .map(|(rules, time)| Arc::new(Table { rules, time, code: Mutex::default() }))
    .into()
}

/// A day that is to be lived.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Setting {
    pub(crate) seed: u64,
    /// 1 for a server that is alone; more are the nodes of a cluster.
    pub(crate) servers: usize,
    pub(crate) planted: Option<Planted>,
}

/// Lives through a day.
///
/// # Panics
/// When a promise is broken.
pub(crate) fn live(setting: Setting) -> Day {
    let Setting { seed, servers, planted } = setting;
    let mut random = StdRng::seed_from_u64(seed);
    let disk = Disk::new(fork(&mut random), servers, planted);
    let mut sim = turmoil::Builder::new()
        .rng_seed(random.random())
        .epoch(SystemTime::UNIX_EPOCH + MORNING)
        .tick_duration(Duration::from_millis(20))
        .simulation_duration(EVENING)
        .min_message_latency(Duration::from_millis(1))
        .max_message_latency(Duration::from_millis(60))
        .enable_random_order()
        .build();
    let bus = LocalNetwork::new(random.random());
    let lives: Vec<_> = (0..servers).map(|_| Life::default()).collect();
    for (server, life) in lives.iter().enumerate() {
        let host = Host {
            server,
            disk: disk.clone(),
            bus: (servers > 1).then(|| bus.clone()),
            life: life.clone(),
            chances: Arc::new(Mutex::new(fork(&mut random))),
        };
        sim.host(server_name(server), move || host.clone().serve());
    }

    let tables = tables();
    let conducts = [Conduct::Hosts, Conduct::Plays, Conduct::Watches];
    let members = tables.len() * conducts.len();
    let world = Arc::new(World { members, servers, ..World::default() });
    let done = Arc::new(Mutex::new(Vec::new()));
    let seats = tables.iter().flat_map(|table| conducts.map(|conduct| (table, conduct)));
    for (number, (table, conduct)) in seats.enumerate() {
        let (table, world) = (Arc::clone(table), Arc::clone(&world));
        let member = Member::new(number, conduct, table, world, fork(&mut random));
        let done = Arc::clone(&done);
        sim.client(member_name(number), async move {
            let member = member.attend().await;
            done.lock().unwrap().push(member);
            Ok(())
        });
    }

    let mut storm = Storm::new(fork(&mut random), disk.clone(), bus, lives, members);
    while !sim.step().unwrap() {
        if sim.elapsed() < STORM {
            storm.rage(&mut sim, &world);
        } else if !world.is_calm() {
            storm.end(&mut sim);
            world.is_calm.store(true, Ordering::Relaxed);
        } else if world.content.load(Ordering::Relaxed) == 2 * tables.len() {
            world.is_over.store(true, Ordering::Relaxed);
        }
    }
    let members = std::mem::take(&mut *done.lock().unwrap());
    let games = judge(&disk, &members, tables.len());
    let trace = world.trace.lock().unwrap().finish();
    let [doubts, takeovers, deaths] = disk.counts();
    Day { games, trace, doubts, takeovers, deaths, ..*world.day.lock().unwrap() }
}

/// A source of chance of its own.
fn fork(random: &mut StdRng) -> StdRng {
    StdRng::seed_from_u64(random.random())
}

/// How a member is known.
pub(crate) fn member_name(member: usize) -> String {
    format!("member-{member}")
}
