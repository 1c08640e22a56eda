//! The death of a node with thousands of rooms: when those with players go on, and when every room
//! has an owner again.

use std::{
    fmt,
    time::{Duration, Instant},
};

use fivefold_shared::{
    protocol::{Colour, Create, LobbyRequest, Message, Request, RoomRequest, SeatRequest},
    rules::{Rules, Size, Variant},
};
use fivefold_storage::Postgres;
use futures_util::{StreamExt, stream};
use rand::{SeedableRng, rngs::StdRng};
use tokio::{
    sync::watch,
    task::{JoinSet, block_in_place},
    time::sleep,
};

use super::{
    Verdict, judge,
    member::{Conduct, Member},
    start_nodes,
};
use crate::{Guest, PATIENCE, Server, Times, private};

/// Rooms that one person makes.
const ROOMS_PER_HOST: usize = 50;
/// Most people who make rooms at once.
const HOSTS_MAX: usize = 8;
/// The longest that a player waits before a move: there are more rooms than in the other tests.
const WAIT_MAX: Duration = Duration::from_millis(500);
/// Players go on for so long before the node dies, and after all rooms have an owner.
const PLAYED: Duration = Duration::from_secs(3);
/// How often to look how many rooms have no owner.
const LOOK: Duration = Duration::from_millis(100);

/// What became of the rooms.
#[derive(Clone, Debug, Default)]
pub struct OrphansVerdict {
    /// Whether the promises were kept.
    pub verdict: Verdict,
    /// Rooms that the node owned when it died.
    pub orphans: usize,
    /// Rooms with players among them.
    pub played: usize,
    /// From the death to the next acknowledged move, for each room with players that went on.
    pub pauses: Times,
    /// From the death until every room had an owner.
    pub all_owned: Duration,
}

impl fmt::Display for OrphansVerdict {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "{}", self.verdict)?;
        let [p50, p99, max] = [0.5, 0.99, 1.0].map(|part| self.pauses.quantile(part).as_secs_f64());
        writeln!(
            f,
            "{} of {} rooms with players went on, after p50 {p50:.2} s, p99 {p99:.2} s, max {max:.2} s",
            self.pauses.count(),
            self.played
        )?;
        let all_owned = self.all_owned.as_secs_f64();
        write!(f, "all {} rooms had an owner after {all_owned:.2} s", self.orphans)
    }
}

/// Opens so many rooms on one of three nodes, lets people at the other two play in some of them, and
/// kills the node. `None` where a service is not installed.
///
/// # Panics
/// When a member receives an impossible event, or rooms stay without an owner.
pub async fn run(rooms: usize, played: usize, seed: u64) -> Option<OrphansVerdict> {
    let mut cluster = start_nodes(3, &[("rooms-per-identity", "1000000")]).await?;
    make_rooms(cluster.node(0), rooms.saturating_sub(played)).await;
    let (stop, stopped) = watch::channel(false);
    let others = vec![cluster.node(1).address(), cluster.node(2).address()];
    let (_servers, servers) = watch::channel(others.clone());
    let mut playing = JoinSet::new();
    for number in 0..played {
        let pair = [0, 1, 2].map(|node| cluster.node(node));
        for (place, (guest, member)) in enter(pair).await.into_iter().enumerate() {
            let (servers, stopped) = (servers.clone(), stopped.clone());
            let seed = seed.wrapping_add((2 * number + place) as u64);
            playing.spawn(member.attend(guest, servers, stopped, StdRng::seed_from_u64(seed)));
        }
    }
    sleep(PLAYED).await;

    let number = cluster.number_of(0);
    let orphans = cluster.count_rooms_of(number);
    let death = Instant::now();
    cluster.kill_node(0);
    let mut left = orphans;
    while left > 0 {
        assert!(death.elapsed() < PATIENCE, "{left} rooms have no owner");
        sleep(LOOK).await;
        left = cluster.count_rooms_of(number);
    }
    let all_owned = death.elapsed();
    sleep(PLAYED).await;
    stop.send_replace(true);

    let (mut heard, mut pauses) = (Vec::new(), Vec::new());
    for (member, away) in playing.join_all().await {
        let guest = member.catch_up(away, &others).await;
        heard.push((member, guest));
    }
    heard.sort_by(|(one, _), (other, _)| one.room.cmp(&other.room));
    for players in heard.chunk_by(|(one, _), (other, _)| one.room == other.room) {
        let made = players.iter().flat_map(|(member, _)| &member.made);
        let next = made.map(|made| made.answered_at).filter(|at| *at > death).min();
        pauses.extend(next.map(|at| at - death));
    }
    for node in [1, 2] {
        cluster.stop_node(node);
    }
    let url = cluster.database();
    let mut verdict = Verdict { kills: 1, ..Verdict::default() };
    block_in_place(|| {
        let mut storage = Postgres::open(&url, None).expect("the database is sound");
        judge(&mut storage, heard, &mut verdict);
    });
    let pauses = pauses.into_iter().collect();
    Some(OrphansVerdict { verdict, orphans, played, pauses, all_owned })
}

fn rules() -> Rules {
    Rules::new(Variant::Freestyle, Size::square(15)).expect("on offer")
}

/// Rooms in which nobody is.
async fn make_rooms(server: &Server, rooms: usize) {
    let hosts = (0..rooms.div_ceil(ROOMS_PER_HOST)).map(|host| async move {
        let mut guest = Guest::hello(server, "Host").await;
        let count = ROOMS_PER_HOST.min(rooms - host * ROOMS_PER_HOST);
        for _ in 0..count {
            guest.send(Request::Lobby(LobbyRequest::Create(private(rules())))).await;
        }
        let mut made = 0;
        while made < count {
            let message = guest.next().await;
            assert!(!matches!(message, Message::Refused { .. }), "{message:?}");
            made += usize::from(matches!(message, Message::Joined { .. }));
        }
    });
    let hosts: Vec<_> = hosts.collect();
    stream::iter(hosts).buffer_unordered(HOSTS_MAX).collect::<Vec<()>>().await;
}

/// A room of the first server with a player at each of the others.
async fn enter([owner, one, other]: [&Server; 3]) -> [(Guest, Member); 2] {
    let seats = [SeatRequest::Open, SeatRequest::Open];
    let mut host = Guest::hello(owner, "Host").await;
    let room = host.create(Create { seats, colour: Colour::Random, ..private(rules()) }).await;
    let mut players = [Guest::hello(one, "Ann").await, Guest::hello(other, "Bob").await];
    for player in &mut players {
        player.join(&room).await;
        player.done(&room, RoomRequest::Sit { seat: None }).await;
    }
    players.map(|guest| {
        let member = Member::new(&guest, &room, Conduct::Plays, true).who_waits(WAIT_MAX);
        (guest, member)
    })
}
