//! One room of the load: two players who play random games as fast as they may, and their
//! spectators. The players share one board and read only as much of each message as they need, so
//! that playing uses little of the machine.

use std::{
    net::{Ipv4Addr, SocketAddr},
    time::{Duration, Instant},
};

use fivefold_shared::{
    protocol::{Command, CommandId, Create, Request, RoomCode, RoomRequest, SeatRequest},
    rules::{Position, Rules},
};
use futures_util::{SinkExt, StreamExt};
use rand::{RngExt, SeedableRng, rngs::StdRng};
use serde::Deserialize;
use tokio::time::{sleep_until, timeout};
use tokio_tungstenite::tungstenite;

use super::plan::{Plan, Target};
use crate::{Guest, PATIENCE, Socket, connect, private, random_games::random_move};

/// A room with its two players.
#[derive(Debug)]
pub(super) struct Table {
    target: Target,
    room: RoomCode,
    rules: Rules,
    players: [Socket; 2],
    sent: u64,
}

/// The nodes of a cluster that one room uses.
#[derive(Clone, Copy, Debug)]
pub(super) struct Places {
    /// Makes the room, and so owns it.
    pub(super) owner: SocketAddr,
    /// Where the players are.
    pub(super) players: [SocketAddr; 2],
}

/// How long one move took.
#[derive(Clone, Copy, Debug)]
pub(super) struct MoveTimes {
    /// From sending it to the server's answer.
    pub(super) answered: Duration,
    /// From sending it to its arrival at the opponent.
    pub(super) arrived: Duration,
}

/// When to play and measure.
#[derive(Clone, Copy, Debug)]
pub(super) struct Schedule {
    /// The least time between two moves.
    pub(super) pace: Duration,
    /// Measure moves from this time on.
    pub(super) from: Instant,
    /// Stop at this time.
    pub(super) until: Instant,
}

impl Schedule {
    /// Begins now.
    pub(super) fn of(plan: &Plan) -> Self {
        let from = Instant::now() + plan.warm_up;
        let pace = plan
            .rate
            .map_or(Duration::ZERO, |rate| Duration::from_secs_f64(plan.rooms as f64 / rate));
        Self { pace, from, until: from + plan.measured }
    }
}

/// The used fields of a message: the server's, or a player's own that returns from the relay.
#[derive(Deserialize)]
struct Heard {
    #[serde(rename = "type")]
    kind: String,
    id: Option<String>,
    ply: Option<usize>,
    event: Option<HeardEvent>,
}

#[derive(Deserialize)]
struct HeardEvent {
    #[serde(rename = "type")]
    kind: String,
    ply: Option<usize>,
}

impl Heard {
    fn is_move(&self, ply: usize) -> bool {
        match &self.event {
            Some(event) => event.kind == "played" && event.ply == Some(ply),
            None => self.kind == "play" && self.ply == Some(ply),
        }
    }

    /// The server answers with `done`; the relay returns the move.
    fn is_answer(&self, command: u64, ply: usize) -> bool {
        let is_done = || self.id.as_deref().is_some_and(|id| id == command.to_string());
        self.kind == "done" && is_done() || self.kind == "play" && self.ply == Some(ply)
    }

    fn is_start(&self) -> bool {
        self.event.as_ref().is_some_and(|event| event.kind == "started")
    }
}

impl Table {
    /// Seats two new people in a new room. `number` names rooms of the relay.
    pub(super) async fn new(target: Target, number: usize, plan: &Plan) -> Self {
        let rules = plan.rules;
        let (room, players) = match target {
            Target::Server(address) => {
                let source = plan.spread.then(|| source(number));
                let mut ann = Guest::greet_from(source, address, "Ann").await;
                let mut bob = Guest::greet_from(source, address, "Bob").await;
                let room = ann.create(private(rules)).await;
                bob.join(&room).await;
                bob.done(&room, RoomRequest::Sit { seat: None }).await;
                ann.until(&room, |seen| seen.room.running().is_some()).await;
                (room, [ann.into_socket(), bob.into_socket()])
            }
            Target::Relay(_) => {
                let room = format!("{number:012}").replace('0', "a").replace('1', "b");
                let room = RoomCode::try_from(room).expect("a code");
                let players = [enter(target, &room).await, enter(target, &room).await];
                (room, players)
            }
        };
        Self { target, room, rules, players, sent: 0 }
    }

    /// Seats two new people in a new room of a cluster.
    pub(super) async fn on_nodes(places: Places, rules: Rules) -> Self {
        let mut host = Guest::greet(places.owner, "Host", None).await;
        let seats = [SeatRequest::Open, SeatRequest::Open];
        let room = host.create(Create { seats, ..private(rules) }).await;
        let mut players = Vec::new();
        for (name, address) in ["Ann", "Bob"].into_iter().zip(places.players) {
            let mut player = Guest::greet(address, name, None).await;
            player.join(&room).await;
            player.done(&room, RoomRequest::Sit { seat: None }).await;
            players.push(player);
        }
        for player in &mut players {
            player.until(&room, |seen| seen.room.running().is_some()).await;
        }
        let players: Vec<_> = players.into_iter().map(Guest::into_socket).collect();
        let players = players.try_into().expect("two of them");
        Self { target: Target::Server(places.owner), room, rules, players, sent: 0 }
    }

    /// Its room.
    pub(super) const fn room(&self) -> &RoomCode {
        &self.room
    }

    /// Adds a spectator.
    pub(super) async fn spectator(&self) -> Socket {
        enter(self.target, &self.room).await
    }

    /// Plays to the end of the schedule and returns how long each move took.
    ///
    /// # Panics
    /// When a move does not arrive, or a request is refused.
    pub(super) async fn play(mut self, schedule: Schedule, seed: u64) -> Vec<MoveTimes> {
        let mut random = StdRng::seed_from_u64(seed);
        let mut times = Vec::new();
        let mut position = Position::new(self.rules);
        let mut black = 0;
        let mut due = Instant::now() + schedule.pace.mul_f64(random.random());
        loop {
            sleep_until(due.into()).await;
            let now = Instant::now();
            if now >= schedule.until {
                return times;
            }
            due = now.max(due + schedule.pace);
            let (ply, point) = (position.ply(), random_move(&position, &mut random));
            let mover = (black + ply) % 2;
            let command = self.command(RoomRequest::Play { ply, point });
            let (sent, begin) = (self.sent, Instant::now());
            let [first, second] = &mut self.players;
            let (mover, other) = if mover == 0 { (first, second) } else { (second, first) };
            mover.send(command).await.expect("the server listens");
            let (answered, arrived) = tokio::join!(
                hear_after(begin, mover, |heard| heard.is_answer(sent, ply)),
                hear_after(begin, other, |heard| heard.is_move(ply)),
            );
            if begin >= schedule.from {
                times.push(MoveTimes { answered, arrived });
            }
            if position.play(point).expect("a legal move").is_some() {
                position = Position::new(self.rules);
                black = 1 - black;
                self.next_game().await;
            }
        }
    }

    /// Starts another game with colours swapped. The relay knows no games.
    async fn next_game(&mut self) {
        match self.target {
            Target::Server(_) => {
                let rematch = [RoomRequest::Rematch, RoomRequest::Rematch];
                let [first, second] = rematch.map(|request| self.command(request));
                let [ann, bob] = &mut self.players;
                // One after the other, so that neither requests a game that has begun.
                ann.send(first).await.expect("the server listens");
                bob.send(second).await.expect("the server listens");
                hear(ann, Heard::is_start).await;
                hear(bob, Heard::is_start).await;
            }
            Target::Relay(_) => {}
        }
    }

    fn command(&mut self, request: RoomRequest) -> tungstenite::Message {
        self.sent += 1;
        let id = CommandId::try_from(self.sent.to_string()).expect("an id");
        let request = Request::Room { room: self.room.clone(), request };
        tungstenite::Message::text(Command { id, request }.to_json())
    }
}

/// The address of the people in this room.
fn source(number: usize) -> Ipv4Addr {
    let number = u16::try_from(number + 1).expect("a few rooms").to_be_bytes();
    Ipv4Addr::new(127, 1, number[0], number[1])
}

/// Connects a new person to a room, without keeping events.
pub(super) async fn enter(target: Target, room: &RoomCode) -> Socket {
    match target {
        Target::Server(address) => {
            let mut guest = Guest::greet(address, "Eve", None).await;
            guest.join(room).await;
            guest.into_socket()
        }
        Target::Relay(address) => {
            let mut socket = connect(address).await;
            let name = tungstenite::Message::text(room.as_str());
            socket.send(name).await.expect("the relay listens");
            socket.next().await.expect("the relay answers").expect("the relay answers");
            socket
        }
    }
}

/// A new room without players.
pub(super) async fn empty_room(target: Target, rules: Rules) -> RoomCode {
    match target {
        Target::Server(address) => {
            Guest::greet(address, "Host", None).await.create(private(rules)).await
        }
        Target::Relay(_) => RoomCode::try_from("zzzzzzzzzzzz".to_owned()).expect("a code"),
    }
}

/// Skips to the wanted message, and returns when it came.
async fn hear_after(
    begin: Instant,
    socket: &mut Socket,
    is_it: impl Fn(&Heard) -> bool,
) -> Duration {
    hear(socket, is_it).await;
    begin.elapsed()
}

/// Skips to the wanted message.
async fn hear(socket: &mut Socket, is_it: impl Fn(&Heard) -> bool) {
    let listen = async {
        loop {
            let frame = socket.next().await.expect("the socket stays open").expect("no error");
            let tungstenite::Message::Text(text) = frame else { continue };
            let heard: Heard = serde_json::from_str(&text).expect("a message");
            assert_ne!(heard.kind, "refused", "{text}");
            if is_it(&heard) {
                return;
            }
        }
    };
    timeout(PATIENCE, listen).await.expect("the message arrives in time");
}
