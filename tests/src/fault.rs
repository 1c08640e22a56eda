//! The fault test: people play random games in many rooms while their server is killed again and
//! again; at the end the test compares the stored log with the answers they received.
//!
//! Members send commands twice or late, connections break with the server, and one spectator of
//! each room reads slowly. In some lives of the server its disk is full for a while, and its log
//! cannot be written. The test reads the storage only after the server has stopped for good; before
//! that it observes the server from outside.

pub mod deadlines;
mod member;
pub mod nodes;
pub mod orphans;
mod power_loss;
mod seeker;
pub mod seekers;

use std::{
    collections::HashMap,
    fmt,
    fs::File,
    io::{PipeReader, pipe},
    net::SocketAddr,
    path::Path,
    process::Stdio,
    time::{Duration, Instant},
};

use fivefold_shared::{
    protocol::{Colour, CommandId, Create, Event, NumberedEvent, RoomRequest},
    room::{Cause, Entry},
    rules::{Rules, Size, Variant},
};
use fivefold_storage::{DataFolder, Sqlite, Storage};
use rand::{RngExt, SeedableRng, rngs::StdRng};
use tokio::{
    sync::watch,
    task::JoinSet,
    time::{sleep, sleep_until},
};

use self::{
    member::{Conduct, Made, Member},
    power_loss::SimulatedDisk,
};
use crate::{Away, Cluster, Guest, Seen, Server, Setting, private};

/// The mean time from a start of the server to its kill.
const LIFE: Duration = Duration::from_secs(1);
/// The share of lives in which the disk is full for a third of the time.
const FULL_DISKS: f64 = 0.3;

/// Settings for many members who are faster than people.
const FAST: [Setting<'_>; 5] = [
    ("command-rate", "1000000"),
    ("sessions-per-address", "1000000"),
    ("connection-rate", "1000000"),
    ("rooms-per-address", "1000000"),
    ("room-rate", "1000000"),
];

/// The counts and failures of a run.
#[derive(Clone, Debug, Default)]
pub struct Verdict {
    /// Moves that were acknowledged to the player who made them.
    pub moves: usize,
    /// Events in the logs of all rooms.
    pub events: usize,
    /// Kills of the server.
    pub kills: usize,
    /// How often the disk was full.
    pub full_disks: usize,
    /// Commands that were refused because they could not be stored.
    pub refused: usize,
    /// Commands that were sent again, on purpose or because no answer came.
    pub repeated: usize,
    /// Connections that were lost.
    pub lost_connections: usize,
    /// Returns that needed a snapshot, because the server no longer kept all missed events ready.
    pub snapshots: usize,
    /// Answers to valid commands that were refused, and to repeated ones that were answered otherwise
    /// the first time.
    pub wrong_answers: Vec<String>,
    /// Acknowledged moves that are missing from the log or have another number in it; and refused
    /// moves that are in it.
    pub lost: usize,
    /// Moves that are in the log more than once.
    pub doubled: usize,
    /// Members who received a gap, or an event that differs from the log.
    pub out_of_order: usize,
}

/// So many wrong answers are printed.
const WRONG_ANSWERS_SHOWN: usize = 20;

impl Verdict {
    /// Whether every promise was kept.
    pub fn is_clean(&self) -> bool {
        self.wrong_answers.is_empty() && self.lost + self.doubled + self.out_of_order == 0
    }
}

impl fmt::Display for Verdict {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(
            f,
            "{} acknowledged moves, {} events, {} kills, {} full disks, {} commands refused by \
             them, {} connections lost, {} commands repeated, {} snapshots",
            self.moves,
            self.events,
            self.kills,
            self.full_disks,
            self.refused,
            self.lost_connections,
            self.repeated,
            self.snapshots
        )?;
        write!(
            f,
            "{} lost, {} doubled, {} out of order, {} wrongly answered",
            self.lost,
            self.doubled,
            self.out_of_order,
            self.wrong_answers.len()
        )?;
        write_wrong_answers(&self.wrong_answers, f)
    }
}

/// Writes the first wrong answers of a run below its counts.
fn write_wrong_answers(answers: &[String], f: &mut fmt::Formatter<'_>) -> fmt::Result {
    answers.iter().take(WRONG_ANSWERS_SHOWN).try_for_each(|one| write!(f, "\n  {one}"))
}

/// Nodes for many members who are faster than people, with these settings. `None` where a service is
/// not installed.
async fn start_nodes(count: usize, settings: &[Setting<'_>]) -> Option<Cluster> {
    Cluster::start(count, &[&FAST[..], &[("log", "info")], settings].concat()).await
}

/// Plays in this many rooms for a time, and kills the server once a second on average. Its disk is full now and
/// then.
///
/// # Panics
/// When the server cannot be restarted, or a member receives an impossible event: a gap, a
/// duplicate, an illegal move.
pub async fn run(rooms: usize, time: Duration, seed: u64) -> Verdict {
    let folder = tempfile::tempdir().expect("a folder for the data");
    run_in(folder.path(), None, rooms, time, seed).await
}

/// The same with a power loss at each kill, and without full disks. `None` where it cannot be simulated.
///
/// # Panics
/// As [`run`].
pub async fn run_with_power_losses(rooms: usize, time: Duration, seed: u64) -> Option<Verdict> {
    let disk = SimulatedDisk::new("")?;
    Some(run_in(disk.folder(), Some(&disk), rooms, time, seed).await)
}

/// Plays in this many rooms for a time, on a disk that ignores the syncs of the write-ahead log, until the
/// power fails once. Returns how many acknowledged moves are lost, to prove that such a run notices it. `None`
/// where it cannot be simulated.
///
/// # Panics
/// When the server does not start.
pub async fn lost_without_syncs(rooms: usize, time: Duration, seed: u64) -> Option<usize> {
    let disk = SimulatedDisk::new("-wal")?;
    let mut random = StdRng::seed_from_u64(seed);
    let life = Life::begin(disk.folder(), 0, Some(&disk));
    let (_, servers) = watch::channel(vec![life.server.address()]);
    let (stop, stopped) = watch::channel(false);
    let playing = play(&life.server, rooms, &servers, &stopped, &mut random).await;
    sleep(time).await;
    stop.send_replace(true);
    let members = playing.join_all().await;
    drop(life);
    disk.lose_power(0.0, &mut random);
    let folder = DataFolder::take(disk.folder()).expect("the server is gone");
    let mut storage = Sqlite::open(folder).expect("the database file was synced");
    let lost = members.iter().map(|(member, _)| {
        let log = storage.read(&member.room).expect("what is left of the log can be read");
        let by_cause = moves_by_cause(&log);
        member.made.iter().filter(|made| !is_kept(member, made, &by_cause)).count()
    });
    Some(lost.sum())
}

async fn run_in(
    folder: &Path,
    disk: Option<&SimulatedDisk>,
    rooms: usize,
    time: Duration,
    seed: u64,
) -> Verdict {
    let mut verdict = Verdict::default();
    let mut life = Life::begin(folder, 0, disk);
    let (moved, servers) = watch::channel(vec![life.server.address()]);
    let (stop, stopped) = watch::channel(false);
    let mut random = StdRng::seed_from_u64(seed);
    let playing = play(&life.server, rooms, &servers, &stopped, &mut random).await;

    let end = Instant::now() + time;
    while Instant::now() < end {
        let lasts = pause(LIFE, &mut random);
        let until = end.min(Instant::now() + lasts);
        if disk.is_none() && random.random_bool(FULL_DISKS) {
            sleep_until((Instant::now() + lasts / 3).min(until).into()).await;
            life.server.limit_files(Some(0));
            sleep_until((Instant::now() + lasts / 3).min(until).into()).await;
            life.server.limit_files(None);
            verdict.full_disks += 1;
        }
        sleep_until(until.into()).await;
        // Dropping the server kills it, as `kill -9` does.
        drop(life);
        verdict.kills += 1;
        if let Some(disk) = disk {
            // Now and then nothing of what was not synced is on the disk, or all.
            let share = random.random_range(-0.3_f64..1.3).clamp(0.0, 1.0);
            disk.lose_power(share, &mut random);
        }
        life = Life::begin(folder, verdict.kills, disk);
        moved.send_replace(vec![life.server.address()]);
    }
    stop.send_replace(true);
    // Nobody plays any more: each member returns to receive the rest.
    let mut heard = Vec::new();
    for (member, away) in playing.join_all().await {
        let guest = member.catch_up(away, &[life.server.address()]).await;
        heard.push((member, guest));
    }
    drop(life);
    let folder = DataFolder::take(folder).expect("the server is gone");
    let mut storage = Sqlite::open(folder).expect("the database is sound");
    judge(&mut storage, heard, &mut verdict);
    verdict
}

/// Opens rooms with two players and two spectators each.
async fn play(
    server: &Server,
    rooms: usize,
    servers: &watch::Receiver<Vec<SocketAddr>>,
    stopped: &watch::Receiver<bool>,
    random: &mut StdRng,
) -> JoinSet<(Member, Away)> {
    let mut playing = JoinSet::new();
    for number in 0..rooms {
        for (guest, member) in enter(&[server], number).await {
            let chances = StdRng::seed_from_u64(random.random());
            playing.spawn(member.attend(guest, servers.clone(), stopped.clone(), chances));
        }
    }
    playing
}

/// A time until the next accident, exponentially distributed, as between independent ones.
fn pause(mean: Duration, random: &mut StdRng) -> Duration {
    mean.mul_f64(-random.random_range(f64::EPSILON..1.0).ln())
}

/// One life of the server, from a start to a kill.
struct Life {
    server: Server,
    /// The pipe of its log, which is never read.
    _unread: Option<PipeReader>,
}

impl Life {
    /// Every other life has an unwritable log: on a full disk, in a closed pipe, in a pipe that
    /// nobody reads.
    fn begin(folder: &Path, number: usize, disk: Option<&SimulatedDisk>) -> Self {
        let mut unread = None;
        let log: Stdio = match number % 6 {
            1 => File::options().write(true).open("/dev/full").expect("this is a Unix").into(),
            3 => pipe().expect("a pipe").1.into(),
            5 => {
                let (reader, writer) = pipe().expect("a pipe");
                unread = Some(reader);
                writer.into()
            }
            _ => Stdio::null(),
        };
        let settings = [&FAST[..], &[("log", "debug")]].concat();
        let variables = disk.map(SimulatedDisk::variables);
        let variables = variables.as_ref().map_or(&[][..], |variables| variables);
        let server = Server::start_in_with_limits(folder, log, variables, &settings);
        Self { server, _unread: unread }
    }
}

/// A new room with two players and two spectators, one of them slow, spread over the servers.
async fn enter(servers: &[&Server], number: usize) -> [(Guest, Member); 4] {
    let server = |member: usize| servers[(number + member) % servers.len()];
    let sizes = [Size::square(15), Size::Unbounded];
    let rules = Rules::new(Variant::Freestyle, sizes[number % sizes.len()]).expect("on offer");
    let mut ann = Guest::hello(server(0), "Ann").await;
    let room = ann.create(Create { colour: Colour::Random, ..private(rules) }).await;
    let mut others = Vec::new();
    for (place, name) in ["Bob", "Eve", "Sid"].into_iter().enumerate() {
        let mut guest = Guest::hello(server(place + 1), name).await;
        guest.join(&room).await;
        others.push(guest);
    }
    let [mut bob, eve, sid] = <[Guest; 3]>::try_from(others).expect("three of them");
    bob.done(&room, RoomRequest::Sit { seat: None }).await;
    [
        (ann, Conduct::Plays),
        (bob, Conduct::Plays),
        (eve, Conduct::Watches),
        (sid, Conduct::WatchesSlowly),
    ]
    .map(|(guest, conduct)| {
        let member = Member::new(&guest, &room, conduct, servers.len() > 1);
        (guest, member)
    })
}

/// Compares the messages that members received with the database.
fn judge(storage: &mut impl Storage, mut heard: Vec<(Member, Guest)>, verdict: &mut Verdict) {
    heard.sort_by(|(a, _), (b, _)| a.room.cmp(&b.room));
    for members in heard.chunk_by(|(a, _), (b, _)| a.room == b.room) {
        let log = storage.read(&members[0].0.room).expect("the log is whole");
        verdict.events += log.len();
        let by_cause = moves_by_cause(&log);
        verdict.doubled += by_cause.values().filter(|events| events.len() > 1).count();
        for (member, guest) in members {
            let seen = guest.seen(&member.room);
            let is_lost = |made: &&Made| !is_kept(member, made, &by_cause);
            verdict.moves += member.made.len();
            verdict.lost += member.made.iter().filter(is_lost).count();
            let cause = |command| Cause { member: member.me.clone(), command };
            let is_stored =
                |command: &&CommandId| by_cause.contains_key(&cause((*command).clone()));
            verdict.lost += member.refused.iter().filter(is_stored).count();
            verdict.refused += member.refused.len();
            verdict.out_of_order += usize::from(!is_in_order(seen, &log));
            let wrong_answers = member.wrong_answers.iter().map(|(request, answer)| {
                format!(
                    "{:?} in {}: {request} was answered by {}",
                    guest.name,
                    member.room,
                    answer.to_json()
                )
            });
            verdict.wrong_answers.extend(wrong_answers);
            verdict.repeated += member.repeated;
            verdict.lost_connections += member.lost_connections;
            verdict.snapshots += seen.snapshots - 1;
        }
    }
}

fn moves_by_cause(log: &[Entry]) -> HashMap<Cause, Vec<&NumberedEvent>> {
    let mut by_cause: HashMap<Cause, Vec<&NumberedEvent>> = HashMap::new();
    for Entry { event, cause } in log {
        if let (Event::Played { .. }, Some(cause)) = (&event.event, cause) {
            by_cause.entry(cause.clone()).or_default().push(event);
        }
    }
    by_cause
}

/// Whether an acknowledged move is in the log, with the acknowledged number.
fn is_kept(member: &Member, made: &Made, log: &HashMap<Cause, Vec<&NumberedEvent>>) -> bool {
    let cause = Cause { member: member.me.clone(), command: made.command.clone() };
    log.get(&cause).into_iter().flatten().any(|logged| {
        logged.seq <= made.seq
            && matches!(&logged.event, Event::Played { ply, point, .. }
                if *ply == made.ply && *point == made.point)
    })
}

/// Whether a member's events equal the log up to their last move, with no gaps except those that a
/// snapshot closed.
fn is_in_order(seen: &Seen, log: &[Entry]) -> bool {
    let is_logged = |heard: &NumberedEvent| {
        let index = usize::try_from(heard.seq - 1).expect("logs fit into memory");
        log.get(index).is_some_and(|entry| entry.event == *heard)
    };
    let gaps = seen.events.windows(2).filter(|pair| pair[1].seq != pair[0].seq + 1).count();
    let is_move = |entry: &&Entry| matches!(entry.event.event, Event::Played { .. });
    let last_move = log.iter().rfind(is_move).map_or(0, |entry| entry.event.seq);
    seen.events.iter().all(is_logged) && gaps < seen.snapshots && seen.room.seq >= last_move
}
