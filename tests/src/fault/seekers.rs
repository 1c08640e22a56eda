//! People who seek opponents and play them, on a server or on several nodes that are killed again and
//! again: nobody is in two paired games, nobody loses a seat that was found for them, no seek finds
//! two games, and no acknowledged act is lost.

use std::{
    collections::{BTreeMap, BTreeSet},
    fmt,
    net::{Ipv4Addr, SocketAddr},
    time::{Duration, Instant},
};

use fivefold_server::limits::accounts::SIGN_UPS_MAX;
use fivefold_shared::{
    protocol::{CommandId, Event, GameId, MemberId, Player, RoomCode},
    room::{Cause, Entry},
    rules::Outcome,
    seat::Seat,
};
use fivefold_storage::{DataFolder, Postgres, Sqlite, Storage, check, check_postgres};
use rand::{RngExt, SeedableRng, rngs::StdRng, seq::IndexedRandom};
use tokio::{
    sync::watch,
    task::{JoinSet, block_in_place},
    time::sleep_until,
};

use super::{
    LIFE, Life,
    nodes::{BETWEEN, Fault, happen},
    pause,
    seeker::{FoundGame, Seeker},
    start_nodes, write_wrong_answers,
};
use crate::{Guest, Server, Times};

/// Most rooms that are read at the end.
const ROOMS_MAX: usize = 1_000_000;
/// The clocks of nodes may differ by so many milliseconds: a game may seem to begin so much before
/// the one before it, at another node, has ended.
const CLOCKS_DIFFER_MS: u64 = 250;

/// The counts and failures of a run.
#[derive(Clone, Debug, Default)]
pub struct SeekersVerdict {
    /// Kills of a server.
    pub kills: usize,
    /// Other faults of the nodes, or of what they share.
    pub other_faults: usize,
    /// Connections that were lost, or that people gave up.
    pub lost_connections: usize,
    /// Seeks that were sent again.
    pub repeated: usize,
    /// Games that seekers were sent to: two for each pair that both players have entered.
    pub found: usize,
    /// How long they had waited for those.
    pub waits: Times,
    /// Paired rooms in the database.
    pub pairs: usize,
    /// Games in the database.
    pub games: usize,
    /// Games of those that were left before they began.
    pub aborted: usize,
    /// Acts that were acknowledged.
    pub acts: usize,
    /// Games of paired rooms that began while one of their players was in another one.
    pub doubled: usize,
    /// Games that were found for somebody who has no such seat in them, at the end or at a return.
    pub seats_lost: usize,
    /// Seeks that found another game after one that the opponent had not left.
    pub found_twice: usize,
    /// Games of which a player was never notified, although they went on seeking.
    pub unknown: usize,
    /// Acknowledged acts that are not in the log, or more than once, and refused acts that are in it.
    pub acts_lost: usize,
    /// Games that count, of people with accounts.
    pub rated: usize,
    /// Changes that players read.
    pub changes_read: usize,
    /// Changes of ratings that are missing.
    pub changes_lost: usize,
    /// Changes of ratings beyond one for each player of a game, and those that players read otherwise.
    pub changes_wrong: usize,
    /// What a check of the database found.
    pub problems: Vec<String>,
    /// Commands that were refused without a reason to.
    pub wrong_answers: Vec<String>,
}

impl SeekersVerdict {
    /// Whether every promise was kept.
    pub fn is_clean(&self) -> bool {
        let Self { doubled, seats_lost, found_twice, unknown, acts_lost, .. } = self;
        self.wrong_answers.is_empty()
            && self.problems.is_empty()
            && doubled + seats_lost + found_twice + unknown + acts_lost == 0
            && self.changes_lost + self.changes_wrong == 0
    }
}

impl fmt::Display for SeekersVerdict {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(
            f,
            "{} pairs with {} games stored, {} of them aborted, {} times found by a player, {} \
             acknowledged acts, {} kills, {} other faults, {} connections lost, {} seeks repeated",
            self.pairs,
            self.games,
            self.aborted,
            self.found,
            self.acts,
            self.kills,
            self.other_faults,
            self.lost_connections,
            self.repeated
        )?;
        let [p50, p99, max] = [0.5, 0.99, 1.0].map(|part| self.waits.quantile(part).as_secs_f64());
        writeln!(f, "seconds until a game was found: {p50:.2}, p99 {p99:.2}, max {max:.2}")?;
        if self.rated > 0 {
            let Self { rated, changes_read, changes_lost, changes_wrong, .. } = self;
            writeln!(
                f,
                "{rated} games that count, {changes_read} changes read: {changes_lost} changes of \
                 ratings lost, {changes_wrong} doubled or wrong"
            )?;
        }
        for problem in &self.problems {
            writeln!(f, "the check: {problem}")?;
        }
        write!(
            f,
            "{} in two games, {} seats lost, {} seeks with two games, {} games unknown to a player, \
             {} acts lost or doubled, {} wrongly answered",
            self.doubled,
            self.seats_lost,
            self.found_twice,
            self.unknown,
            self.acts_lost,
            self.wrong_answers.len()
        )?;
        write_wrong_answers(&self.wrong_answers, f)
    }
}

/// Lets so many people seek and play for a time, and kills the server once a second on average. If
/// `is_rated`, they have accounts, and their games count.
///
/// # Panics
/// When the server cannot be restarted, or somebody receives an impossible event.
pub async fn run(seekers: usize, time: Duration, seed: u64, is_rated: bool) -> SeekersVerdict {
    let folder = tempfile::tempdir().expect("a folder for the data");
    let mut verdict = SeekersVerdict::default();
    let mut life = Life::begin(folder.path(), 0, None);
    let mut random = StdRng::seed_from_u64(seed);
    let crowd = Crowd::gather(&[&life.server], seekers, &mut random, is_rated).await;
    let end = Instant::now() + time;
    while Instant::now() < end {
        sleep_until(end.min(Instant::now() + pause(LIFE, &mut random)).into()).await;
        drop(life);
        verdict.kills += 1;
        life = Life::begin(folder.path(), verdict.kills, None);
        crowd.servers.send_replace(vec![life.server.address()]);
    }
    let seekers = crowd.disperse().await;
    drop(life);
    let taken = DataFolder::take(folder.path()).expect("the server is gone");
    let mut storage = Sqlite::open(taken).expect("the database is sound");
    let open = storage.unattended(0, ROOMS_MAX).expect("the database is whole");
    judge(&mut storage, open, 0, &seekers, &mut verdict);
    verdict.problems = check(folder.path()).expect("the database is there").problems;
    verdict
}

/// The same on so many nodes, with PostgreSQL and NATS: kills a random node once a second on average,
/// or as soon as the last one is back. The first of `kinds` says whether there is any kind of fault every
/// 5 s instead, and the second whether games are rated, as for [`run`].
/// `None` where a service is not installed.
///
/// # Panics
/// As [`run`], and when a node does not end well at SIGTERM.
pub async fn run_on_nodes(
    nodes: usize,
    seekers: usize,
    time: Duration,
    seed: u64,
    kinds: (bool, bool),
) -> Option<SeekersVerdict> {
    let (is_mixed, is_rated) = kinds;
    let mut cluster = start_nodes(nodes, &[]).await?;
    let mut verdict = SeekersVerdict::default();
    let mut random = StdRng::seed_from_u64(seed);
    let crowd = Crowd::gather(&cluster.nodes(), seekers, &mut random, is_rated).await;
    let (kinds, between): (&[Fault], _) =
        if is_mixed { (&Fault::MIXED, BETWEEN) } else { (&[Fault::Kill], LIFE) };
    let begin = Instant::now();
    let mut due = begin;
    loop {
        due = (due + pause(between, &mut random)).max(Instant::now());
        if due >= begin + time {
            break;
        }
        sleep_until(due.into()).await;
        let fault = *kinds.choose(&mut random).expect("there are kinds");
        let node = random.random_range(0..nodes);
        if fault == Fault::Kill {
            cluster.kill_node(node);
            verdict.kills += 1;
        } else {
            happen(&mut cluster, fault, node, &mut random, &mut Vec::new()).await;
            verdict.other_faults += 1;
        }
        cluster.start_missing();
        crowd.servers.send_replace(cluster.addresses());
    }
    let seekers = crowd.disperse().await;
    let rooms = cluster.all_rooms();
    for node in 0..nodes {
        cluster.stop_node(node);
    }
    let url = cluster.database();
    block_in_place(|| {
        let mut storage = Postgres::open(&url, None).expect("the database is sound");
        judge(&mut storage, rooms, CLOCKS_DIFFER_MS, &seekers, &mut verdict);
        verdict.problems = check_postgres(&url).expect("the database is there").problems;
    });
    Some(verdict)
}

/// All seekers.
struct Crowd {
    playing: JoinSet<Seeker>,
    /// Where they come back.
    servers: watch::Sender<Vec<SocketAddr>>,
    stop: watch::Sender<bool>,
}

impl Crowd {
    /// Lets so many people seek, spread over the servers.
    async fn gather(
        servers: &[&Server],
        seekers: usize,
        random: &mut StdRng,
        is_rated: bool,
    ) -> Self {
        let addresses = servers.iter().map(|server| server.address()).collect();
        let mut crowd = Self {
            playing: JoinSet::new(),
            servers: watch::Sender::new(addresses),
            stop: watch::Sender::new(false),
        };
        for (number, server) in (0..seekers).zip(servers.iter().cycle()) {
            let mut guest = if is_rated {
                // An address makes few accounts an hour.
                let place =
                    u8::try_from(number / SIGN_UPS_MAX as usize % 250).expect("it is small");
                let source = Ipv4Addr::new(127, 0, 1, place + 1);
                Guest::sign_up(source, server.address(), &format!("Player-{number}")).await
            } else {
                Guest::hello(server, &format!("Player {number}")).await
            };
            let seeker = Seeker::new(&mut guest, servers.len() > 1, is_rated);
            let (servers, stopped) = (crowd.servers.subscribe(), crowd.stop.subscribe());
            let chances = StdRng::seed_from_u64(random.random());
            crowd.playing.spawn(seeker.attend(guest, servers, stopped, chances));
        }
        crowd
    }

    /// Waits until everybody has the answers to what they have sent.
    async fn disperse(self) -> Vec<Seeker> {
        self.stop.send_replace(true);
        self.playing.join_all().await
    }
}

/// A paired room as its log tells it.
#[derive(Default)]
struct Paired {
    players: BTreeMap<MemberId, Seat>,
    games: Vec<PairedGame>,
    /// The games that count.
    rated: Vec<GameId>,
    /// The numbers of the events that each command caused.
    causes: BTreeMap<(MemberId, CommandId), Vec<u64>>,
}

/// One game of a paired room.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct PairedGame {
    began_at: u64,
    ended_at: Option<u64>,
    aborted_by: Option<Seat>,
}

impl Paired {
    fn read(log: &[Entry]) -> Self {
        let (mut paired, mut began) = (Self::default(), None);
        for Entry { event, cause } in log {
            if let Some(Cause { member, command }) = cause {
                let events = paired.causes.entry((member.clone(), command.clone())).or_default();
                events.push(event.seq);
            }
            match &event.event {
                Event::Sat { seat, player: Player::Member { member, .. } } => {
                    paired.players.insert(member.clone(), *seat);
                }
                Event::Started { id, .. } => {
                    began = Some(id);
                    paired.games.push(PairedGame {
                        began_at: event.at,
                        ended_at: None,
                        aborted_by: None,
                    });
                }
                Event::Ended { outcome, rated } => {
                    paired.rated.extend(began.filter(|_| *rated).cloned());
                    let game = paired.games.last_mut().expect("it has begun");
                    game.ended_at = Some(event.at);
                    if let Outcome::Aborted { by } = outcome {
                        game.aborted_by = *by;
                    }
                }
                _ => {}
            }
        }
        paired
    }

    fn is_aborted(&self) -> bool {
        self.games.iter().any(|game| game.aborted_by.is_some())
    }
}

/// Compares what seekers received with the logs of their games, and of these rooms.
fn judge(
    storage: &mut impl Storage,
    rooms: Vec<RoomCode>,
    clocks_differ_ms: u64,
    seekers: &[Seeker],
    verdict: &mut SeekersVerdict,
) {
    let found = seekers.iter().flat_map(|seeker| &seeker.found).map(|found| found.room.clone());
    let codes: BTreeSet<RoomCode> = rooms.into_iter().chain(found).collect();
    let read = |room: RoomCode| {
        let log = storage.read(&room).expect("the log is whole");
        (room, Paired::read(&log))
    };
    let rooms: BTreeMap<RoomCode, Paired> = codes.into_iter().map(read).collect();
    for seeker in seekers {
        judge_seeks(seeker, &rooms, verdict);
        judge_acts(seeker, &rooms, verdict);
        let own = rooms.values().filter(|paired| paired.players.contains_key(&seeker.me));
        let mut games: Vec<_> = own.flat_map(|paired| &paired.games).collect();
        games.sort_unstable();
        let overlaps = |pair: &&[&PairedGame]| {
            pair[0].ended_at.is_none_or(|end| pair[1].began_at + clocks_differ_ms < end)
        };
        verdict.doubled += games.windows(2).filter(overlaps).count();
        verdict.repeated += seeker.repeated;
        verdict.lost_connections += seeker.lost_connections;
        let wrong_answers = seeker.wrong_answers.iter().map(|(request, answer)| {
            format!("{}: {request} was answered by {}", seeker.me, answer.to_json())
        });
        verdict.wrong_answers.extend(wrong_answers);
    }
    judge_ratings(storage, &rooms, seekers, verdict);
    let waits = seekers.iter().flat_map(|seeker| &seeker.found).map(|found| found.waited);
    verdict.waits = waits.collect();
    verdict.found = verdict.waits.count();
    verdict.pairs = rooms.values().filter(|paired| !paired.games.is_empty()).count();
    verdict.games = rooms.values().map(|paired| paired.games.len()).sum();
    verdict.aborted = rooms.values().filter(|paired| paired.is_aborted()).count();
}

/// Compares the ratings with the games that count, and with what players read.
fn judge_ratings(
    storage: &impl Storage,
    rooms: &BTreeMap<RoomCode, Paired>,
    seekers: &[Seeker],
    verdict: &mut SeekersVerdict,
) {
    let mut reader = storage.reader().expect("the database can be read");
    let mut changes = |game: &GameId| reader.game_ratings(game).expect("the database is whole");
    for game in rooms.values().flat_map(|paired| &paired.rated) {
        let found = changes(game).len();
        verdict.rated += 1;
        verdict.changes_lost += 2_usize.saturating_sub(found);
        verdict.changes_wrong += found.saturating_sub(2);
    }
    for seeker in seekers {
        for (_, game, points) in &seeker.changes {
            let own = changes(game).into_iter().find(|change| change.member == seeker.me);
            let is_right = own.is_some_and(|own| {
                let stored = own.after.value.round() - own.before.value.round();
                (stored - f64::from(*points)).abs() < 0.5
            });
            verdict.changes_read += 1;
            verdict.changes_wrong += usize::from(!is_right);
        }
    }
}

/// Compares the games that a seeker was sent to with those in which they have a seat.
fn judge_seeks(seeker: &Seeker, rooms: &BTreeMap<RoomCode, Paired>, verdict: &mut SeekersVerdict) {
    verdict.seats_lost += seeker.seats_lost;
    let mut by_seek: BTreeMap<&CommandId, Vec<&FoundGame>> = BTreeMap::new();
    for found in &seeker.found {
        let has_seat = rooms[&found.room].players.get(&seeker.me) == Some(&found.seat);
        verdict.seats_lost += usize::from(!has_seat);
        by_seek.entry(&found.command).or_default().push(found);
    }
    for found in by_seek.values() {
        // The seek goes on after a game that the opponent has left before it began.
        let goes_on = |pair: &&[&FoundGame]| {
            let other = pair[0].seat.other();
            let is_left = |game: &PairedGame| game.aborted_by == Some(other);
            pair[0].room == pair[1].room || rooms[&pair[0].room].games.iter().any(is_left)
        };
        verdict.found_twice += found.windows(2).filter(|pair| !goes_on(pair)).count();
    }
    let known: BTreeSet<_> = seeker.found.iter().map(|found| &found.room).collect();
    let unknown = rooms.iter().filter(|(room, paired)| {
        // Who left a game before the other knew of it has ended it.
        paired.players.contains_key(&seeker.me) && !known.contains(room) && !paired.is_aborted()
    });
    // The last one may have come too late for the news.
    verdict.unknown += unknown.count().saturating_sub(usize::from(seeker.seeks()));
}

/// Compares a seeker's acts with the logs.
fn judge_acts(seeker: &Seeker, rooms: &BTreeMap<RoomCode, Paired>, verdict: &mut SeekersVerdict) {
    let events = |room: &RoomCode, command: &CommandId| {
        rooms[room].causes.get(&(seeker.me.clone(), command.clone()))
    };
    for made in &seeker.made {
        // The act, and then what follows from it: all at once, up to the number of the answer.
        let is_kept = events(&made.room, &made.command).is_some_and(|events| {
            events.is_sorted_by(|a, b| a + 1 == *b) && events.last() == Some(&made.seq)
        });
        verdict.acts_lost += usize::from(!is_kept);
    }
    let is_stored = |(room, command): &&(RoomCode, CommandId)| events(room, command).is_some();
    verdict.acts_lost += seeker.refused.iter().filter(is_stored).count();
    verdict.acts += seeker.made.len();
}
