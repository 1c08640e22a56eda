//! Runs a day in the simulated world: a server, tables with their members, a storm in which
//! everything breaks, the calm after it, and the checks of the result.

use std::{
    collections::HashSet,
    io,
    net::{Ipv4Addr, SocketAddr},
    sync::{Arc, Mutex},
    time::{Duration, SystemTime},
};

use fivefold_server::{
    Listen, Listeners,
    clock::Clock,
    config::Config,
    limits::Limits,
    run,
    storage::{Blocking, GameQuery, Storage},
};
use fivefold_shared::{
    clock::TimeControl,
    protocol::Event,
    room::{Cause, Entry, RoomState},
    rules::{Rules, Size, Variant},
};
use rand::{RngExt, SeedableRng, rngs::StdRng};
use tokio_util::sync::CancellationToken;
use turmoil::{
    Sim,
    net::{TcpListener, TcpStream},
};

use crate::{
    day::{Day, PORT, SERVER, SharedDay, print_at},
    disk::Disk,
    member::{Conduct, Made, Member, Table},
};

/// How long everything breaks.
const STORM: Duration = Duration::from_secs(8);
/// By then the members must have played on and finished.
const EVENING: Duration = Duration::from_secs(60);
/// The mean time between two mishaps.
const BETWEEN_MISHAPS: Duration = Duration::from_millis(400);
/// The longest that one lasts.
const MISHAP_MAX: Duration = Duration::from_secs(4);
/// The longest that a commit takes.
const COMMIT_MAX_MS: u64 = 20;
/// The beginning of all days, in milliseconds since the Unix epoch.
const MORNING: Duration = Duration::from_secs(1_795_230_000);

/// A port of the simulated network.
struct Port(TcpListener);

impl Listen for Port {
    type Stream = TcpStream;

    async fn accept(&self) -> io::Result<(TcpStream, SocketAddr)> {
        self.0.accept().await
    }
}

/// One life of the server.
async fn serve(disk: Disk, chances: Arc<Mutex<StdRng>>) -> turmoil::Result {
    let listener = TcpListener::bind((Ipv4Addr::UNSPECIFIED, PORT)).await?;
    let now = turmoil::since_epoch().expect("a simulation").as_millis();
    let delay =
        move || Duration::from_millis(chances.lock().unwrap().random_range(0..=COMMIT_MAX_MS));
    let config = Config {
        limits: Limits {
            commands_per_second: 1_000,
            commands_burst: 1_000,
            hello_timeout: Duration::from_secs(2),
            ping_interval: Duration::from_secs(1),
            idle_timeout: Duration::from_secs(3),
            write_timeout: Duration::from_secs(2),
            ..Limits::DEFAULT
        },
        clock: Clock::starting_at(now.try_into()?),
        blocking: Blocking::Simulated(Arc::new(delay)),
        bot_threads: 1.try_into()?,
        ..Config::default()
    };
    let listeners = Listeners { public: Port(listener), metrics: None };
    Ok(run(listeners, Box::new(disk), config, CancellationToken::new()).await?)
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

/// Runs the day of a seed.
///
/// # Panics
/// When a promise is broken.
pub(crate) fn run_day(seed: u64) -> Day {
    let mut random = StdRng::seed_from_u64(seed);
    let disk = Disk::new(fork(&mut random));
    let mut sim = turmoil::Builder::new()
        .rng_seed(random.random())
        .epoch(SystemTime::UNIX_EPOCH + MORNING)
        .tick_duration(Duration::from_millis(20))
        .simulation_duration(EVENING)
        .min_message_latency(Duration::from_millis(1))
        .max_message_latency(Duration::from_millis(60))
        .enable_random_order()
        .build();
    let chances = Arc::new(Mutex::new(fork(&mut random)));
    let kept = disk.clone();
    sim.host(SERVER, move || serve(kept.reopen(), Arc::clone(&chances)));

    let tables = tables();
    let conducts = [Conduct::Hosts, Conduct::Plays, Conduct::Watches];
    let members = tables.len() * conducts.len();
    let day = Arc::new(SharedDay::new(members));
    let done = Arc::new(Mutex::new(Vec::new()));
    let seats = tables.iter().flat_map(|table| conducts.map(|conduct| (table, conduct)));
    for (number, (table, conduct)) in seats.enumerate() {
        let (table, day) = (Arc::clone(table), Arc::clone(&day));
        let member = Member::new(number, conduct, table, day, fork(&mut random));
        let done = Arc::clone(&done);
        sim.client(name(number), async move {
            let member = member.attend().await;
            done.lock().unwrap().push(member);
            Ok(())
        });
    }

    let mut storm = Storm {
        random: fork(&mut random),
        disk: disk.clone(),
        next: Duration::ZERO,
        mended: Vec::new(),
    };
    while !sim.step().unwrap() {
        if sim.elapsed() < STORM {
            storm.rage(&mut sim, &day);
        } else if !day.is_calm() {
            storm.end(&mut sim);
            day.calm_down();
        } else if day.content() == 2 * tables.len() {
            day.end();
        }
    }
    let members = std::mem::take(&mut *done.lock().unwrap());
    let games = judge(&disk, &members, tables.len());
    Day { games, doubts: disk.doubts(), ..day.counts() }
}

/// A new random generator.
fn fork(random: &mut StdRng) -> StdRng {
    StdRng::seed_from_u64(random.random())
}

fn name(member: usize) -> String {
    format!("member-{member}")
}

/// Everything that breaks.
struct Storm {
    random: StdRng,
    disk: Disk,
    /// When the next mishap happens.
    next: Duration,
    /// Mishaps under way, and when each is over.
    mended: Vec<(Duration, Mishap)>,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Mishap {
    /// The server's process dies.
    Crash,
    /// Nothing passes between the server and a member.
    Cut(usize),
    /// Data passes in one direction only.
    CutOneWay { member: usize, to_server: bool },
    /// All data between the server and a member arrives much later, and at once.
    Hold(usize),
    /// Nothing can be stored.
    FullDisk,
}

impl Storm {
    fn rage(&mut self, sim: &mut Sim<'_>, day: &SharedDay) {
        let now = sim.elapsed();
        let due: Vec<_> = self.mended.extract_if(.., |(at, _)| *at <= now).collect();
        for (_, mishap) in due {
            print_at(now, &format!("{mishap:?} is over"));
            self.mend(sim, mishap);
        }
        if self.next > now {
            return;
        }
        self.next =
            now + BETWEEN_MISHAPS.mul_f64(-self.random.random_range(f64::EPSILON..1.0).ln());
        let member = self.random.random_range(0..day.members);
        let mishap = match self.random.random_range(0..7) {
            0 | 1 => Mishap::Crash,
            2 => Mishap::Cut(member),
            3 => Mishap::CutOneWay { member, to_server: self.random.random() },
            4 => Mishap::FullDisk,
            _ => Mishap::Hold(member),
        };
        if self.mended.iter().any(|(_, other)| clash(*other, mishap)) {
            return;
        }
        let lasts = match mishap {
            Mishap::Crash => MISHAP_MAX / 10,
            Mishap::Cut(_) | Mishap::CutOneWay { .. } | Mishap::Hold(_) | Mishap::FullDisk => {
                MISHAP_MAX
            }
        };
        self.mended.push((now + lasts.mul_f64(self.random.random()), mishap));
        print_at(now, &format!("{mishap:?}"));
        match mishap {
            Mishap::Crash => sim.crash(SERVER),
            Mishap::Cut(member) => sim.partition(SERVER, name(member)),
            Mishap::CutOneWay { member, to_server: true } => {
                sim.partition_oneway(name(member), SERVER);
            }
            Mishap::CutOneWay { member, to_server: false } => {
                sim.partition_oneway(SERVER, name(member));
            }
            Mishap::Hold(member) => sim.hold(SERVER, name(member)),
            Mishap::FullDisk => self.disk.fill(true),
        }
        day.count(|day| match mishap {
            Mishap::Crash => day.crashes += 1,
            Mishap::Cut(_) | Mishap::CutOneWay { .. } | Mishap::Hold(_) => day.cuts += 1,
            Mishap::FullDisk => day.full_disks += 1,
        });
    }

    fn end(&mut self, sim: &mut Sim<'_>) {
        for (_, mishap) in std::mem::take(&mut self.mended) {
            self.mend(sim, mishap);
        }
    }

    fn mend(&self, sim: &mut Sim<'_>, mishap: Mishap) {
        match mishap {
            Mishap::Crash => sim.bounce(SERVER),
            Mishap::Cut(member) => sim.repair(SERVER, name(member)),
            Mishap::CutOneWay { member, to_server: true } => {
                sim.repair_oneway(name(member), SERVER);
            }
            Mishap::CutOneWay { member, to_server: false } => {
                sim.repair_oneway(SERVER, name(member));
            }
            Mishap::Hold(member) => sim.release(SERVER, name(member)),
            Mishap::FullDisk => self.disk.fill(false),
        }
    }
}

/// Whether two mishaps concern the same link, or are both crashes or both full disks.
fn clash(one: Mishap, other: Mishap) -> bool {
    let link = |mishap| match mishap {
        Mishap::Cut(member) | Mishap::CutOneWay { member, .. } | Mishap::Hold(member) => {
            Some(member)
        }
        Mishap::Crash | Mishap::FullDisk => None,
    };
    match (link(one), link(other)) {
        (None, None) => one == other,
        (one, other) => one == other,
    }
}

/// Compares what the members received with the disk. Returns how many games have ended.
fn judge(disk: &Disk, members: &[Member], tables: usize) -> u64 {
    let logs = disk.logs();
    assert_eq!(logs.len(), tables, "each table has made one room");
    let mut games = 0;
    for (code, log) in &logs {
        let state = fold(log);
        let moves = log.iter().filter(|entry| is_move(entry));
        let causes: Vec<_> = moves.map(|entry| entry.cause.clone().expect("a player's")).collect();
        let unique: HashSet<&Cause> = causes.iter().collect();
        assert_eq!(unique.len(), causes.len(), "a move is stored twice");
        games +=
            log.iter().filter(|entry| matches!(entry.event.event, Event::Ended { .. })).count();

        let here = |member: &&Member| member.table.code.lock().unwrap().as_ref() == Some(code);
        for member in members.iter().filter(here) {
            for made in &member.made {
                assert!(is_kept(member, made, log), "member {}: {made:?}", member.number);
            }
            for command in &member.refused {
                let is_stored = causes.iter().any(|cause| {
                    Some(&cause.member) == member.me.as_ref() && cause.command == *command
                });
                assert!(!is_stored, "member {}: {command} was refused and done", member.number);
            }
            for (seq, received) in &member.received {
                let index = usize::try_from(*seq).unwrap() - 1;
                assert_eq!(*received, log[index].event, "member {}", member.number);
            }
            let seen = member.room.as_ref().expect("the member has entered");
            let last = usize::try_from(seen.seq).unwrap();
            assert_eq!(seen.snapshot(), fold(&log[..last]).snapshot(), "member {}", member.number);
            // Only a flag may fall after the last visit.
            assert!(!log[last..].iter().any(is_move), "member {} missed a move", member.number);
        }
        assert_eq!(state.seq, log.len() as u64);
    }
    let all = GameQuery { max: usize::MAX, ..GameQuery::default() };
    let kept = disk.reader().unwrap().games(&all).unwrap().games.len();
    assert_eq!(kept, games, "each game that has ended is kept");
    games as u64
}

fn fold(log: &[Entry]) -> RoomState {
    RoomState::from_log(log.iter().map(|entry| &entry.event)).expect("the log of a room")
}

fn is_move(entry: &Entry) -> bool {
    matches!(entry.event.event, Event::Played { .. })
}

/// Whether an acknowledged move is in the log, no later than the server acknowledged it.
fn is_kept(member: &Member, made: &Made, log: &[Entry]) -> bool {
    let member = member.me.clone().expect("the server has welcomed the member");
    let cause = Cause { member, command: made.command.clone() };
    log.iter().any(|entry| {
        entry.cause.as_ref() == Some(&cause)
            && entry.event.seq <= made.seq
            && matches!(&entry.event.event, Event::Played { ply, point, .. }
                if *ply == made.ply && *point == made.point)
    })
}
