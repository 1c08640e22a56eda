//! A day in the simulated world: servers, tables with their members, a storm of faults, the calm
//! after it, and the final check.

use std::{
    sync::{Arc, Mutex},
    time::{Duration, SystemTime},
};

use fivefold_server::transport::bus::local::LocalNetwork;
use fivefold_shared::{
    clock::{DAY_MS, TimeControl},
    opening::OpeningKind,
    rules::{Rules, Size, Variant},
};
use rand::{RngExt, SeedableRng, rngs::StdRng};

use crate::{
    day::{Day, SharedDay, member_name},
    disk::{Disk, Planted},
    judge::judge,
    member::{Conduct, Member, Table},
    seeker::Seeker,
    server::{Host, Life, server_name},
    storm::Storm,
};

/// How long everything breaks.
const STORM: Duration = Duration::from_secs(8);
/// When the members must have been able to go on, and be done.
const EVENING: Duration = Duration::from_secs(60);
/// The beginning of all days, in milliseconds since the Unix epoch.
const MORNING: Duration = Duration::from_secs(1_795_230_000);

/// How many people seek games with strangers, on every fourth day of several nodes.
const SEEKERS: usize = 4;

fn tables() -> Vec<Arc<Table>> {
    let renju = Rules::new(Variant::Renju, Size::square(15)).unwrap();
    let unbounded = Rules::new(Variant::Freestyle, Size::Unbounded).unwrap();
    let tiny = Rules::new(Variant::Mnk { k: 3 }, Size::square(3)).unwrap();
    [
        (tiny, OpeningKind::Free, TimeControl::None),
        (renju, OpeningKind::Taraguchi10, TimeControl::PerMove { move_ms: 1_500 }),
        (unbounded, OpeningKind::Swap2, TimeControl::Daily { move_ms: DAY_MS }),
    ]
    .map(|(rules, opening, time)| Arc::new(Table { rules, opening, time, code: Mutex::default() }))
    .into()
}

/// The day to simulate.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Setting {
    pub(crate) seed: u64,
    /// 1 for a server that is alone; more are the nodes of a cluster.
    pub(crate) servers: usize,
    pub(crate) planted: Option<Planted>,
}

/// Runs a day.
///
/// # Panics
/// When a promise is broken.
pub(crate) fn run_day(setting: Setting) -> Day {
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
    let players = tables.len() * conducts.len();
    let come = match planted {
        None => servers > 1 && seed.is_multiple_of(4),
        Some(Planted::NoPlaying) => true,
        Some(Planted::NoEpochs | Planted::DoubtIsFailure) => false,
    };
    let seekers = if come { SEEKERS } else { 0 };
    let members = players + seekers;
    let day = Arc::new(SharedDay::new(members, servers, planted.is_some()));
    let done = Arc::new(Mutex::new(Vec::new()));
    let seats = tables.iter().flat_map(|table| conducts.map(|conduct| (table, conduct)));
    for (number, (table, conduct)) in seats.enumerate() {
        let (table, day) = (Arc::clone(table), Arc::clone(&day));
        let member = Member::new(number, conduct, table, day, fork(&mut random));
        let done = Arc::clone(&done);
        sim.client(member_name(number), async move {
            let member = member.attend().await;
            done.lock().unwrap().push(member);
            Ok(())
        });
    }

    for number in players..members {
        let seeker = Seeker::new(number, Arc::clone(&day), fork(&mut random));
        sim.client(member_name(number), async move {
            seeker.attend().await;
            Ok(())
        });
    }

    let mut storm = Storm::new(fork(&mut random), disk.clone(), bus, lives, members);
    while !sim.step().unwrap() {
        if sim.elapsed() < STORM {
            storm.rage(&mut sim, &day);
        } else if !day.is_calm() {
            storm.end(&mut sim);
            day.calm_down();
        } else if day.content() == 2 * tables.len() + seekers {
            day.end();
        }
    }
    let members = std::mem::take(&mut *done.lock().unwrap());
    let games = judge(&disk, &members, tables.len());
    let [doubts, takeovers, deaths] = disk.counts();
    Day { games, doubts, takeovers, deaths, ..day.counts() }
}

/// A new random generator.
fn fork(random: &mut StdRng) -> StdRng {
    StdRng::seed_from_u64(random.random())
}
