//! People who seek opponents and play them, on a server that is killed again and again: nobody is in two
//! paired games, nobody loses a seat that was found for them, and no seek finds two games.

use std::{
    collections::{BTreeMap, BTreeSet},
    fmt,
    net::SocketAddr,
    time::{Duration, Instant},
};

use fivefold_server::storage::{DataFolder, Sqlite, Storage};
use fivefold_shared::{
    protocol::{
        CommandId, Event, LobbyRequest, MemberId, Message, Player, PoolName, Reason, Request,
        RoomCode, RoomRequest, Wanted,
    },
    room::Entry,
    seat::Seat,
};
use rand::{RngExt, SeedableRng, rngs::StdRng};
use tokio::{
    sync::watch,
    task::JoinSet,
    time::{sleep, sleep_until},
};

use super::{LIFE, Life};
use crate::{Guest, guest::RETURN_AGAIN, random_games::random_move};

/// The pool that everybody seeks in.
const POOL: &str = "free";
/// A player on turn resigns after so many moves.
const MOVES_MAX: usize = 8;
/// The longest that a player waits before a move.
const WAIT_MAX: Duration = Duration::from_millis(100);
/// Most rooms that are read at the end.
const ROOMS_MAX: usize = 1_000_000;

/// The counts and failures of a run.
#[derive(Clone, Debug, Default)]
pub struct SeekersVerdict {
    /// Kills of the server.
    pub kills: usize,
    /// Connections that were lost.
    pub lost_connections: usize,
    /// Seeks that were sent again.
    pub repeated: usize,
    /// Games that seekers were sent to.
    pub found: usize,
    /// Games in the database.
    pub games: usize,
    /// Moves that were acknowledged.
    pub moves: usize,
    /// Games of paired rooms that began while one of their players was in another one.
    pub doubled: usize,
    /// Games that were found for somebody who has no such seat in them.
    pub seats_lost: usize,
    /// Seeks that found two games.
    pub found_twice: usize,
    /// Paired rooms of which a player was never notified, although they went on seeking.
    pub unknown: usize,
    /// Commands that were refused without a reason to.
    pub wrong_answers: usize,
}

impl SeekersVerdict {
    /// Whether every promise was kept.
    pub fn is_clean(&self) -> bool {
        let Self { doubled, seats_lost, found_twice, unknown, wrong_answers, .. } = self;
        doubled + seats_lost + found_twice + unknown + wrong_answers == 0
    }
}

impl fmt::Display for SeekersVerdict {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(
            f,
            "{} games found by seekers, {} games stored, {} acknowledged moves, {} kills, {} \
             connections lost, {} seeks repeated",
            self.found, self.games, self.moves, self.kills, self.lost_connections, self.repeated
        )?;
        write!(
            f,
            "{} in two games, {} seats lost, {} seeks with two games, {} games unknown to a player, \
             {} wrongly answered",
            self.doubled, self.seats_lost, self.found_twice, self.unknown, self.wrong_answers
        )
    }
}

/// Lets so many people seek and play for a time, and kills the server once a second on average.
///
/// # Panics
/// When the server cannot be restarted, or somebody receives an impossible event.
pub async fn run(seekers: usize, time: Duration, seed: u64) -> SeekersVerdict {
    let folder = tempfile::tempdir().expect("a folder for the data");
    let mut verdict = SeekersVerdict::default();
    let mut life = Life::begin(folder.path(), 0);
    let (moved, servers) = watch::channel(life.server.address());
    let (stop, stopped) = watch::channel(false);
    let mut playing = JoinSet::new();
    let mut random = StdRng::seed_from_u64(seed);
    for number in 0..seekers {
        let mut guest = Guest::hello(&life.server, &format!("Player {number}")).await;
        let seeker = Seeker::new(&mut guest);
        let chances = StdRng::seed_from_u64(random.random());
        playing.spawn(seeker.attend(guest, servers.clone(), stopped.clone(), chances));
    }
    let end = Instant::now() + time;
    while Instant::now() < end {
        // Exponentially distributed, as independent accidents are.
        let lasts = LIFE.mul_f64(-random.random_range(f64::EPSILON..1.0).ln());
        sleep_until(end.min(Instant::now() + lasts).into()).await;
        drop(life);
        verdict.kills += 1;
        life = Life::begin(folder.path(), verdict.kills);
        moved.send_replace(life.server.address());
    }
    stop.send_replace(true);
    let seekers = playing.join_all().await;
    drop(life);
    let folder = DataFolder::take(folder.path()).expect("the server is gone");
    let mut storage = Sqlite::open(folder).expect("the database is sound");
    judge(&mut storage, &seekers, &mut verdict);
    verdict
}

/// What a seeker is about.
#[derive(Clone, Debug)]
enum Phase {
    /// They wait for the game of this command.
    Seeks(CommandId),
    Plays {
        room: RoomCode,
        /// The unanswered command.
        pending: Option<(CommandId, RoomRequest)>,
    },
}

/// Somebody who seeks and plays, one game after the other.
#[derive(Debug)]
struct Seeker {
    me: MemberId,
    phase: Phase,
    /// The games that were found, in order, each with the seek's command.
    found: Vec<(CommandId, RoomCode, Seat)>,
    moves: usize,
    repeated: usize,
    lost_connections: usize,
    wrong_answers: usize,
}

impl Seeker {
    fn new(guest: &mut Guest) -> Self {
        Self {
            me: guest.me.clone(),
            phase: Phase::Seeks(guest.new_id()),
            found: Vec::new(),
            moves: 0,
            repeated: 0,
            lost_connections: 0,
            wrong_answers: 0,
        }
    }

    /// Seeks and plays until it is time to stop, across restarts of the server.
    async fn attend(
        mut self,
        mut guest: Guest,
        server: watch::Receiver<SocketAddr>,
        mut stopped: watch::Receiver<bool>,
        mut random: StdRng,
    ) -> Self {
        while self.visit(&mut guest, &mut stopped, &mut random).await.is_none() {
            self.lost_connections += 1;
            let mut away = guest.lost();
            guest = loop {
                let address = *server.borrow();
                match away.try_back(address).await {
                    Ok(guest) => break guest,
                    Err(still_away) => away = still_away,
                }
                sleep(RETURN_AGAIN).await;
            };
            self.repeated += usize::from(matches!(self.phase, Phase::Seeks(_)));
        }
        self
    }

    /// Stays on one connection until it is lost, or it is time to stop.
    async fn visit(
        &mut self,
        guest: &mut Guest,
        stopped: &mut watch::Receiver<bool>,
        random: &mut StdRng,
    ) -> Option<()> {
        match self.phase.clone() {
            Phase::Seeks(id) => seek(guest, id).await,
            Phase::Plays { room, pending } => {
                guest.try_join(&room).await.then_some(())?;
                if let Some((id, request)) = pending {
                    guest.send_as(id, Request::Room { room, request }).await;
                }
            }
        }
        loop {
            let is_busy = matches!(self.phase, Phase::Plays { pending: Some(_), .. });
            if *stopped.borrow() && !is_busy {
                return Some(());
            }
            if !is_busy {
                self.act(guest, random).await;
            }
            tokio::select! {
                message = guest.try_next() => self.hear(guest, message.ok()?).await?,
                // The loop checks it.
                _ = stopped.changed() => {}
            }
        }
    }

    /// Moves or resigns on their turn, and seeks again after a game.
    async fn act(&mut self, guest: &mut Guest, random: &mut StdRng) {
        let Phase::Plays { room, pending } = &mut self.phase else { return };
        let seen = &guest.seen(room).room;
        let Some(game) = &seen.game else { return };
        let Some(to_act) = game.to_act() else {
            let leave = LobbyRequest::Leave { room: room.clone() };
            guest.send(Request::Lobby(leave)).await;
            let id = guest.new_id();
            seek(guest, id.clone()).await;
            self.phase = Phase::Seeks(id);
            return;
        };
        if seen.seats.of_member(&self.me) != Some(to_act) {
            return;
        }
        let ply = game.position.ply();
        let request = if ply >= MOVES_MAX {
            RoomRequest::Resign
        } else {
            RoomRequest::Play { ply, point: random_move(&game.position, random) }
        };
        sleep(WAIT_MAX.mul_f64(random.random())).await;
        let id = guest.new_id();
        *pending = Some((id.clone(), request.clone()));
        let request = Request::Room { room: room.clone(), request };
        guest.send_as(id, request).await;
    }

    /// Takes in a message; `None` if the connection is lost at that.
    async fn hear(&mut self, guest: &mut Guest, message: Message) -> Option<()> {
        match (&mut self.phase, &message) {
            (Phase::Seeks(id), Message::Paired { room, seat, .. }) => {
                self.found.push((id.clone(), room.clone(), *seat));
                let room = room.clone();
                self.phase = Phase::Plays { room: room.clone(), pending: None };
                return guest.try_join(&room).await.then_some(());
            }
            (Phase::Seeks(id), Message::Refused { id: Some(refused), refusal })
                if id == refused =>
            {
                let is_passing = matches!(refusal.reason, Reason::Unavailable | Reason::Busy);
                self.wrong_answers += usize::from(!is_passing);
                *id = guest.new_id();
                sleep(RETURN_AGAIN).await;
                seek(guest, id.clone()).await;
            }
            (Phase::Plays { pending, .. }, message) => {
                let answered = pending.take_if(|(id, _)| message.answers() == Some(id));
                match (answered, message) {
                    (Some(_), Message::Done { .. }) => self.moves += 1,
                    (Some(_), Message::Refused { refusal, .. }) => {
                        // The game may have been aborted, or the disk was in doubt.
                        let is_passing =
                            matches!(refusal.reason, Reason::Unavailable | Reason::NoGame);
                        self.wrong_answers += usize::from(!is_passing);
                    }
                    (Some(_), _) => self.wrong_answers += 1,
                    (None, _) => {}
                }
            }
            (Phase::Seeks(_), _) => {}
        }
        Some(())
    }
}

async fn seek(guest: &mut Guest, id: CommandId) {
    let wanted = Wanted::Pool(PoolName::try_from(POOL).expect("a pool's name"));
    guest.send_as(id, Request::Lobby(LobbyRequest::Seek { wanted, engine: false })).await;
}

/// A paired room as its log tells it.
struct Paired {
    players: BTreeMap<MemberId, Seat>,
    /// When each game began and ended, if it did.
    games: Vec<(u64, Option<u64>)>,
}

impl Paired {
    fn read(log: &[Entry]) -> Self {
        let mut paired = Self { players: BTreeMap::new(), games: Vec::new() };
        for Entry { event, .. } in log {
            match &event.event {
                Event::Sat { seat, player: Player::Member { member, .. } } => {
                    paired.players.insert(member.clone(), *seat);
                }
                Event::Started { .. } => paired.games.push((event.at, None)),
                Event::Ended { .. } => {
                    paired.games.last_mut().expect("it has begun").1 = Some(event.at);
                }
                _ => {}
            }
        }
        paired
    }
}

fn judge(storage: &mut Sqlite, seekers: &[Seeker], verdict: &mut SeekersVerdict) {
    let open = storage.orphans(ROOMS_MAX).expect("the database is whole");
    let found = seekers.iter().flat_map(|seeker| &seeker.found).map(|(_, room, _)| room.clone());
    let codes: BTreeSet<RoomCode> = open.into_iter().chain(found).collect();
    let read = |room: RoomCode| {
        let log = storage.read(&room).expect("the log is whole");
        (room, Paired::read(&log))
    };
    let rooms: BTreeMap<RoomCode, Paired> = codes.into_iter().map(read).collect();
    for seeker in seekers {
        let mut by_seek: BTreeMap<&CommandId, BTreeSet<&RoomCode>> = BTreeMap::new();
        for (seek, room, seat) in &seeker.found {
            by_seek.entry(seek).or_default().insert(room);
            let has_seat = rooms[room].players.get(&seeker.me) == Some(seat);
            verdict.seats_lost += usize::from(!has_seat);
        }
        verdict.found_twice += by_seek.values().filter(|rooms| rooms.len() > 1).count();
        let own = rooms.iter().filter(|(_, paired)| paired.players.contains_key(&seeker.me));
        let known: BTreeSet<_> = seeker.found.iter().map(|(_, room, _)| room).collect();
        let mut games = Vec::new();
        let mut unknown = 0;
        for (room, paired) in own {
            games.extend(paired.games.iter().copied());
            unknown += usize::from(!known.contains(room));
        }
        // The last one may have come too late for the news.
        verdict.unknown +=
            unknown.saturating_sub(usize::from(matches!(seeker.phase, Phase::Seeks(_))));
        games.sort_unstable();
        let overlaps = |pair: &&[(u64, Option<u64>)]| pair[0].1.is_none_or(|end| pair[1].0 < end);
        verdict.doubled += games.windows(2).filter(overlaps).count();
        verdict.found += seeker.found.len();
        verdict.moves += seeker.moves;
        verdict.repeated += seeker.repeated;
        verdict.lost_connections += seeker.lost_connections;
        verdict.wrong_answers += seeker.wrong_answers;
    }
    verdict.games = rooms.values().map(|paired| paired.games.len()).sum();
}
