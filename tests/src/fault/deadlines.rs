//! Sleeping daily games whose time runs out, or whose players move just before, while a server is killed every few
//! seconds.

use std::{
    fmt,
    net::SocketAddr,
    ops::Range,
    time::{Duration, Instant},
};

use fivefold_shared::{
    clock::millis,
    protocol::{CommandId, Event, Message, Request, RoomCode, RoomRequest},
    room::Entry,
};
use fivefold_storage::{DataFolder, NodeId, Postgres, SoleNode, Sqlite, Storage};
use rand::{RngExt, SeedableRng, rngs::StdRng, seq::IndexedRandom};
use tempfile::TempDir;
use tokio::{
    sync::watch,
    task::{JoinSet, block_in_place},
    time::{sleep, timeout},
};

use super::{FAST, member::ANSWERED_WITHIN, start_nodes};
use crate::{
    Away, Cluster, Guest, Server, Setting, Times,
    guest::{RETURN_AGAIN, is_busy, is_unavailable},
    sleeping_games::{ASLEEP_AFTER, Original, Played, fill, play},
    unix_ms,
};

/// Pairs of players. Each has many of the games.
const PAIRS: usize = 20;
/// Moves of each game before the last deadline.
const MOVES: i32 = 6;
/// From one kill to the next.
const BETWEEN: Duration = Duration::from_secs(5);
/// From the filled storage to the first deadline.
const LEAD: Duration = Duration::from_secs(30);
/// In one of this many games, the player whose turn it is comes back and moves.
const MOVER_EVERY: usize = 5;
/// The longest and the shortest time before the deadline at which these players come back.
const BACK_BEFORE: [Duration; 2] = [Duration::from_secs(20), Duration::from_millis(100)];
/// How late a game may end after its deadline.
const LATE_MAX: Duration = Duration::from_secs(10);
/// The same for 99 of 100 games.
const LATE_P99_MAX: Duration = Duration::from_secs(3);

/// What became of the games.
#[derive(Clone, Debug, Default)]
pub struct DeadlinesVerdict {
    /// Games whose deadline was in the run.
    pub games: usize,
    /// Kills.
    pub kills: usize,
    /// How late games ended: after the deadline, or after the start of the server if it was down then.
    pub late: Times,
    /// How long the only server was down after each kill.
    pub down: Times,
    /// Games that ended before the deadline.
    pub early: usize,
    /// Games that ended more than once, or went on after their end.
    pub twice: usize,
    /// Games that did not end although nobody moved.
    pub missing: usize,
    /// Moves before the deadline that were acknowledged.
    pub moves: usize,
    /// Moves that came too late.
    pub too_late: usize,
    /// Acknowledged moves that are not in the log, or whose game ended.
    pub lost: usize,
    /// Answers to moves that came in time, other than an acknowledgement.
    pub wrong_answers: Vec<String>,
}

impl DeadlinesVerdict {
    /// Whether every promise was kept.
    pub fn is_clean(&self) -> bool {
        self.early + self.twice + self.missing + self.lost == 0
            && self.wrong_answers.is_empty()
            && self.late.quantile(0.99) <= LATE_P99_MAX
            && self.late.quantile(1.0) <= LATE_MAX
    }
}

impl fmt::Display for DeadlinesVerdict {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let [p50, p99, max] = [0.5, 0.99, 1.0].map(|part| self.late.quantile(part).as_secs_f64());
        let down = self.down.quantile(1.0).as_secs_f64();
        writeln!(
            f,
            "{} games, {} kills, down for up to {down:.3} s; {} flags, late by p50 {p50:.3} s, p99 {p99:.3} s, max {max:.3} s; {} moves in time, {} \
             too late",
            self.games,
            self.kills,
            self.late.count(),
            self.moves,
            self.too_late,
        )?;
        write!(
            f,
            "{} flags early, {} twice, {} missing; {} moves lost, {} wrongly answered",
            self.early,
            self.twice,
            self.missing,
            self.lost,
            self.wrong_answers.len()
        )?;
        super::write_wrong_answers(&self.wrong_answers, f)
    }
}

/// Without the lines that a server logs at each start.
fn settings() -> Vec<Setting<'static>> {
    [&FAST[..], &[("log", "error")]].concat()
}

/// One server with a file, or nodes with PostgreSQL.
enum Place {
    Alone(TempDir, Option<Server>),
    Nodes(Cluster),
}

impl Place {
    /// `None` where a service is not installed.
    async fn start(nodes: Option<usize>) -> Option<Self> {
        if let Some(nodes) = nodes {
            return start_nodes(nodes, &[]).await.map(Self::Nodes);
        }
        let folder = tempfile::tempdir().expect("a folder for the data");
        let server = Server::start_in_with(folder.path(), &settings());
        Some(Self::Alone(folder, Some(server)))
    }

    fn any_server(&self) -> &Server {
        match self {
            Self::Alone(_, server) => server.as_ref().expect("it runs"),
            Self::Nodes(cluster) => cluster.node(0),
        }
    }

    fn addresses(&self) -> Vec<SocketAddr> {
        match self {
            Self::Alone(_, server) => server.iter().map(Server::address).collect(),
            Self::Nodes(cluster) => cluster.addresses(),
        }
    }

    /// Kills a server, and starts it again.
    fn kill_one(&mut self, random: &mut StdRng) {
        match self {
            Self::Alone(folder, server) => {
                // Dropping the server kills it.
                *server = None;
                *server = Some(Server::start_in_with(folder.path(), &settings()));
            }
            Self::Nodes(cluster) => {
                cluster.kill_node(random.random_range(0..cluster.nodes().len()));
                cluster.start_missing();
            }
        }
    }

    /// Starts what was stopped.
    fn start_again(&mut self) {
        match self {
            Self::Alone(folder, server) => {
                *server = Some(Server::start_in_with(folder.path(), &settings()));
            }
            Self::Nodes(cluster) => {
                cluster.start_missing();
            }
        }
    }

    /// The only node of the stopped cluster.
    fn join_alone(&self) -> Option<SoleNode> {
        match self {
            Self::Alone(..) => None,
            Self::Nodes(cluster) => {
                Some(SoleNode::join(&cluster.database()).expect("nobody else uses it"))
            }
        }
    }

    /// Stops the servers, and opens what they have stored.
    fn stop(&mut self) -> Box<dyn Storage> {
        match self {
            Self::Alone(folder, server) => {
                let server = server.take().expect("it runs");
                server.terminate();
                block_in_place(|| server.wait());
                let data = DataFolder::take(folder.path()).expect("the server is gone");
                Box::new(Sqlite::open(data).expect("the file is sound"))
            }
            Self::Nodes(cluster) => {
                cluster.start_missing();
                for node in 0..cluster.nodes().len() {
                    cluster.stop_node(node);
                }
                let url = cluster.database();
                block_in_place(|| {
                    Box::new(Postgres::open(&url, None).expect("the database is sound"))
                })
            }
        }
    }
}

/// A game, and how long its player may think.
struct Game {
    room: RoomCode,
    /// The number of events before the run.
    events: usize,
    /// In milliseconds since the Unix epoch.
    deadline: u64,
}

/// What a player who came back shortly before the deadline achieved.
enum Try {
    /// The move is acknowledged.
    Stored,
    /// The game was over, or the move was refused as too late.
    TooLate,
    /// It was refused before the deadline, by this answer.
    Wrong(String),
}

/// Stores sleeping daily games with deadlines spread over this time, and kills a server every few seconds: one of the
/// nodes, or without nodes the only server, which stores its data in a file. Returns `None` if a service that the
/// nodes need is not installed.
///
/// # Panics
/// When a server does not start, or a player cannot come back.
pub async fn run(
    games: usize,
    nodes: Option<usize>,
    time: Duration,
    seed: u64,
) -> Option<DeadlinesVerdict> {
    let mut random = StdRng::seed_from_u64(seed);
    let mut place = Place::start(nodes).await?;
    let mut played = Vec::new();
    for _ in 0..PAIRS {
        played.push(play(place.any_server(), MOVES).await);
    }
    sleep(ASLEEP_AFTER).await;
    let mut storage = place.stop();
    let games = block_in_place(|| {
        let node = place.join_alone();
        let id = node.as_ref().map_or(NodeId::ALONE, SoleNode::id);
        store(&mut *storage, id, &played, games, time)
    });
    drop(storage);
    place.start_again();

    let (moved, servers) = watch::channel(place.addresses());
    let mut movers = JoinSet::new();
    for (number, game) in games.iter().enumerate().step_by(MOVER_EVERY) {
        let player = played[number % PAIRS].black.in_no_room();
        let [earliest, latest] = BACK_BEFORE.map(millis);
        let back_at = game.deadline - random.random_range(latest..earliest);
        let (room, deadline, servers) = (game.room.clone(), game.deadline, servers.clone());
        let chances = StdRng::seed_from_u64(random.random());
        movers.spawn(async move {
            sleep(Duration::from_millis(back_at.saturating_sub(unix_ms()))).await;
            (number, try_to_move(player, &room, deadline, servers, chances).await)
        });
    }
    let mut verdict = DeadlinesVerdict { games: games.len(), ..DeadlinesVerdict::default() };
    let mut outages = Vec::new();
    let end = Instant::now() + LEAD + time;
    while Instant::now() < end {
        sleep(BETWEEN).await;
        let killed_at = unix_ms();
        place.kill_one(&mut random);
        if let Place::Alone(..) = place {
            outages.push(killed_at..unix_ms());
        }
        verdict.kills += 1;
        moved.send_replace(place.addresses());
    }
    sleep(LATE_MAX).await;
    let tries = movers.join_all().await;
    let mut storage = place.stop();
    verdict.down =
        outages.iter().map(|down| Duration::from_millis(down.end - down.start)).collect();
    block_in_place(|| judge(&mut *storage, &games, &outages, tries, &mut verdict));
    Some(verdict)
}

/// Fills the storage with copies of the games that were played.
fn store(
    storage: &mut dyn Storage,
    node: NodeId,
    played: &[Played],
    games: usize,
    time: Duration,
) -> Vec<Game> {
    let originals: Vec<_> = played.iter().map(|played| Original::read(storage, played)).collect();
    let first = unix_ms() + millis(LEAD);
    let deadlines: Vec<_> =
        (0..games).map(|game| first + millis(time) * game as u64 / games as u64).collect();
    let rooms = fill(storage, node, &originals, &deadlines);
    let games = rooms.into_iter().zip(deadlines).zip(originals.iter().cycle());
    games
        .map(|((room, deadline), original)| Game { room, deadline, events: original.events() })
        .collect()
}

/// Comes back to any server, again whenever it is lost, and moves.
async fn try_to_move(
    mut player: Away,
    room: &RoomCode,
    deadline: u64,
    servers: watch::Receiver<Vec<SocketAddr>>,
    mut random: StdRng,
) -> Try {
    let mut id = None;
    loop {
        let server = servers.borrow().choose(&mut random).copied();
        let mut guest = match player.try_back(server.expect("there are servers")).await {
            Ok(guest) => guest,
            Err(away) => {
                player = away;
                sleep(RETURN_AGAIN).await;
                continue;
            }
        };
        if guest.try_join(room).await {
            // A new command would be another move, if the old one was stored.
            let this = id.get_or_insert_with(|| guest.new_id()).clone();
            let play = RoomRequest::Play { ply: MOVES as usize, point: (7, 7).into() };
            guest.send_as(this.clone(), Request::Room { room: room.clone(), request: play }).await;
            match timeout(ANSWERED_WITHIN, answer(&mut guest, &this)).await {
                Ok(Some(Message::Done { .. })) => return Try::Stored,
                // Nothing is stored, and the same command would get the same answer.
                Ok(Some(message)) if is_unavailable(&message) => id = None,
                Ok(Some(message)) if is_busy(&message) => {}
                // An earlier try was stored, and had no answer.
                Ok(Some(_)) if guest.seen(room).position().ply() > MOVES as usize => {
                    return Try::Stored;
                }
                Ok(Some(_)) if unix_ms() > deadline => return Try::TooLate,
                Ok(Some(message)) => return Try::Wrong(message.to_json()),
                // No answer: the same again on another connection.
                Ok(None) | Err(_) => {}
            }
        }
        player = guest.lost();
        sleep(RETURN_AGAIN).await;
    }
}

/// The answer to a command; `None` when the socket is lost before it comes.
async fn answer(guest: &mut Guest, id: &CommandId) -> Option<Message> {
    loop {
        let message = guest.try_next().await.ok()?;
        if message.answers() == Some(id) {
            return Some(message);
        }
    }
}

/// Compares what the players achieved with the stored logs.
fn judge(
    storage: &mut dyn Storage,
    games: &[Game],
    outages: &[Range<u64>],
    tries: Vec<(usize, Try)>,
    verdict: &mut DeadlinesVerdict,
) {
    let mut has_moved = vec![false; games.len()];
    for (number, tried) in tries {
        match tried {
            Try::Stored => has_moved[number] = true,
            Try::TooLate => verdict.too_late += 1,
            Try::Wrong(answer) => {
                let room = &games[number].room;
                verdict.wrong_answers.push(format!("in {room}: {answer}"));
            }
        }
    }
    let mut late = Vec::new();
    for (Game { room, events, deadline }, has_moved) in games.iter().zip(has_moved) {
        let log = storage.read(room).expect("the log is whole");
        let since = &log[*events..];
        let is_played = since.iter().any(|entry| matches!(entry.event.event, Event::Played { .. }));
        let ends: Vec<_> = since.iter().filter(|entry| is_end(entry)).collect();
        verdict.moves += usize::from(has_moved);
        if has_moved {
            verdict.lost += usize::from(!is_played || !ends.is_empty());
            continue;
        }
        match *ends {
            // A move that was not acknowledged may be stored.
            [] => verdict.missing += usize::from(!is_played),
            [end] if is_played || end.event.at < *deadline => verdict.early += 1,
            [end] if since.last() == Some(end) => {
                let down = outages.iter().find(|down| down.contains(deadline));
                let possible_at = down.map_or(*deadline, |down| down.end);
                late.push(Duration::from_millis(end.event.at.saturating_sub(possible_at)));
            }
            _ => verdict.twice += 1,
        }
    }
    verdict.late = late.into_iter().collect();
}

fn is_end(entry: &Entry) -> bool {
    matches!(entry.event.event, Event::Ended { .. })
}
