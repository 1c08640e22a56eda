//! A simulated member who plays or watches through any failure: reconnects, repeats unanswered
//! commands, and checks that everything the server sends fits what it sent before.

use std::{
    collections::BTreeMap,
    sync::{Arc, Mutex},
    time::Duration,
};

use fivefold_shared::{
    clock::TimeControl,
    opening::{OpeningKind, any_act},
    protocol::{
        CatchUp, Colour, Command, CommandId, Create, Identity, LobbyRequest, MemberId, Message,
        NumberedEvent, Reason, Request, RoomCode, RoomRequest, SeatRequest, Snapshot, VERSION,
        Visibility,
    },
    room::RoomState,
    rules::{Point, Position, Rules, Size},
};
use futures_util::{SinkExt, StreamExt};
use rand::{RngExt, rngs::StdRng};
use tokio::time::{Instant, sleep, timeout};
use tokio_tungstenite::{WebSocketStream, client_async, tungstenite};
use turmoil::net::TcpStream;

use crate::{
    day::SharedDay,
    findings::ANOTHER_EVENT,
    server::{PORT, server_name},
};

/// A member drops a connection that is silent for this long, without even a ping.
pub(crate) const SILENCE: Duration = Duration::from_secs(3);
/// On a live connection, the server answers a command within this time. Usually it needs much less,
/// but it must notice a one-way partition first.
const PATIENCE: Duration = Duration::from_secs(12);
/// The longest that a player thinks.
const THOUGHT_MAX: Duration = Duration::from_millis(100);
/// After the storm, this many moves prove that a player can play on.
const MOVES_IN_CALM: usize = 3;
/// Members repeat old commands from the last so many; the server remembers 64.
const RECENT: usize = 20;

pub(crate) type Socket = WebSocketStream<TcpStream>;

/// A room, as its members share it.
#[derive(Debug)]
pub(crate) struct Table {
    pub(crate) rules: Rules,
    pub(crate) opening: OpeningKind,
    pub(crate) time: TimeControl,
    /// Set when the room exists.
    pub(crate) code: Mutex<Option<RoomCode>>,
}

/// A member's role at the table.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Conduct {
    /// Makes the room, and plays Black.
    Hosts,
    /// Plays White.
    Plays,
    Watches,
}

/// A move, or an act of an opening, that was acknowledged.
#[derive(Clone, Debug)]
pub(crate) struct Made {
    pub(crate) command: CommandId,
    pub(crate) request: RoomRequest,
    /// The number of the last event that it caused, from the server's reply.
    pub(crate) seq: u64,
}

#[derive(Debug)]
pub(crate) struct Member {
    pub(crate) number: usize,
    pub(crate) table: Arc<Table>,
    pub(crate) me: Option<MemberId>,
    /// The room as the member knows it.
    pub(crate) room: Option<RoomState>,
    /// The events received so far.
    pub(crate) received: BTreeMap<u64, NumberedEvent>,
    pub(crate) made: Vec<Made>,
    /// Commands that were sent once and refused: they must not be done.
    pub(crate) refused: Vec<CommandId>,
    conduct: Conduct,
    identity: Identity,
    random: StdRng,
    day: Arc<SharedDay>,
    /// The open request.
    pending: Option<(CommandId, Request)>,
    /// Whether it was sent more than once. Each copy is answered.
    is_repeated: bool,
    sent: usize,
    /// Failed requests for a room.
    unmade: usize,
    moves_in_calm: usize,
}

impl Member {
    pub(crate) fn new(
        number: usize,
        conduct: Conduct,
        table: Arc<Table>,
        day: Arc<SharedDay>,
        mut random: StdRng,
    ) -> Self {
        let secret = (0..4).map(|_| format!("{:016x}", random.random::<u64>())).collect::<String>();
        Self {
            number,
            table,
            me: None,
            room: None,
            received: BTreeMap::new(),
            made: Vec::new(),
            refused: Vec::new(),
            conduct,
            identity: secret.try_into().unwrap(),
            random,
            day,
            pending: None,
            is_repeated: false,
            sent: 0,
            unmade: 0,
            moves_in_calm: 0,
        }
    }

    /// Plays or watches until the day is over and all requests are answered; then reads the rest.
    pub(crate) async fn attend(mut self) -> Self {
        while self.visit().await.is_none() {
            sleep(Duration::from_millis(self.random.random_range(5..300))).await;
        }
        self.day.note_quiet();
        while !self.day.all_are_quiet() {
            sleep(Duration::from_millis(20)).await;
        }
        while self.enter().await.is_none() {}
        self
    }

    /// Uses one connection until it is lost or the member is done.
    async fn visit(&mut self) -> Option<()> {
        let mut socket = self.enter().await?;
        let leaves_at = Instant::now() + Duration::from_millis(self.random.random_range(0..9_000));
        let mut asked_at = Instant::now();
        if let Some((id, request)) = self.pending.clone() {
            self.day.count(|day| day.repeated += 1);
            self.is_repeated = true;
            send(&mut socket, id, request).await?;
        }
        loop {
            if self.pending.is_none() {
                if self.day.is_over() {
                    return Some(());
                }
                self.act(&mut socket).await?;
                asked_at = Instant::now();
            }
            if Instant::now() >= leaves_at && !self.day.is_calm() {
                return None;
            }
            let message = listen(&mut socket, self.day.is_over()).await?;
            if let Some(message) = message {
                self.receive(&message);
            }
            let waits = self.pending.is_some() && asked_at.elapsed() > PATIENCE;
            assert!(!waits, "member {}: {:?} is not answered", self.number, self.pending);
        }
    }

    /// Connects, authenticates and enters the room, from the last known event number if there is
    /// one.
    async fn enter(&mut self) -> Option<Socket> {
        let server = server_name(self.random.random_range(0..self.day.servers));
        let address = (server.as_str(), PORT);
        let stream = timeout(SILENCE, TcpStream::connect(address)).await.ok()?.ok()?;
        let url = format!("ws://{server}/ws");
        let (mut socket, _) = timeout(SILENCE, client_async(url, stream)).await.ok()?.ok()?;
        let identity = Some(self.identity.clone());
        let hello = LobbyRequest::Hello { protocol: VERSION, identity, name: None, token: None };
        match self.ask(&mut socket, Request::Lobby(hello)).await? {
            Message::Welcome { you, .. } => self.me = Some(you),
            Message::Refused { refusal, .. } if is_passing(refusal.reason) => return None,
            other => panic!("no welcome: {other:?}"),
        }
        let code = self.table.code.lock().unwrap().clone();
        let request = match (code, self.conduct) {
            (Some(room), _) => {
                LobbyRequest::Join { room, after: self.room.as_ref().map(|room| room.seq) }
            }
            (None, Conduct::Hosts) => return self.make_room(socket).await,
            (None, Conduct::Plays | Conduct::Watches) => return None,
        };
        match self.ask(&mut socket, Request::Lobby(request)).await? {
            Message::Joined { .. } => Some(socket),
            Message::Refused { refusal, .. } if is_passing(refusal.reason) => None,
            other => panic!("not joined: {other:?}"),
        }
    }

    /// Repeats the same command, over any connection, until it is answered.
    async fn make_room(&mut self, mut socket: Socket) -> Option<Socket> {
        let create = Create {
            rules: self.table.rules,
            visibility: Visibility::Public,
            assistance: false,
            seats: [SeatRequest::Me, SeatRequest::Open],
            colour: Colour::Black,
            time: self.table.time,
            opening: self.table.opening,
            chat: true,
        };
        let id = format!("make-{}", self.unmade).try_into().unwrap();
        let make = Request::Lobby(LobbyRequest::Create(create));
        match self.ask_as(&mut socket, id, make).await? {
            Message::Joined { room, .. } => {
                *self.table.code.lock().unwrap() = Some(room);
                Some(socket)
            }
            Message::Refused { refusal, .. } if is_passing(refusal.reason) => {
                // A new command from now on.
                self.unmade += 1;
                None
            }
            other => panic!("no room was made: {other:?}"),
        }
    }

    async fn ask(&mut self, socket: &mut Socket, request: Request) -> Option<Message> {
        let id = self.new_id();
        self.ask_as(socket, id, request).await
    }

    async fn ask_as(
        &mut self,
        socket: &mut Socket,
        id: CommandId,
        request: Request,
    ) -> Option<Message> {
        send(socket, id.clone(), request).await?;
        loop {
            let Some(message) = listen(socket, false).await? else { continue };
            self.receive(&message);
            if message.answers() == Some(&id) {
                return Some(message);
            }
        }
    }

    /// Sits down, moves when it is their turn, or asks for a rematch; sometimes twice. Sometimes
    /// repeats an old command, too.
    async fn act(&mut self, socket: &mut Socket) -> Option<()> {
        let Some(request) = self.wish() else { return Some(()) };
        sleep(THOUGHT_MAX.mul_f64(self.random.random())).await;
        let code = self.table.code.lock().unwrap().clone().expect("the member has entered");
        if self.random.random_bool(0.1) && !self.made.is_empty() {
            let recent = self.random.random_range(0..self.made.len().min(RECENT));
            let Made { command, request, .. } = self.made[self.made.len() - 1 - recent].clone();
            self.day.count(|day| day.repeated += 1);
            send(socket, command, Request::Room { room: code.clone(), request }).await?;
        }
        let id = self.new_id();
        let request = Request::Room { room: code, request };
        self.pending = Some((id.clone(), request.clone()));
        self.is_repeated = self.random.random_bool(0.2);
        if self.is_repeated {
            self.day.count(|day| day.repeated += 1);
            send(socket, id.clone(), request.clone()).await?;
        }
        send(socket, id, request).await
    }

    fn wish(&mut self) -> Option<RoomRequest> {
        let room = self.room.as_ref().expect("the member has entered");
        let Some(seat) = self.me.as_ref().and_then(|me| room.seats.of_member(me)) else {
            let plays = self.conduct == Conduct::Plays;
            return plays.then_some(RoomRequest::Sit { seat: None });
        };
        let game = room.game.as_ref()?;
        let Some(to_act) = game.to_act() else {
            return (game.rematch_ask != Some(seat)).then_some(RoomRequest::Rematch);
        };
        if to_act != seat {
            return None;
        }
        if self.random.random_bool(0.01) {
            return Some(RoomRequest::Resign);
        }
        let mut pick = |below| self.random.random_range(0..below);
        if let Some(act) = any_act(&game.opening, &game.position, &mut pick) {
            return Some(RoomRequest::Choose { ply: game.position.ply(), act });
        }
        let point = random_move(&game.position, &mut self.random);
        Some(RoomRequest::Play { ply: game.position.ply(), point })
    }

    /// Records a message, which must fit the earlier ones.
    fn receive(&mut self, message: &Message) {
        self.day.trace(self.number, message);
        match message {
            Message::Joined { catch_up: CatchUp::Snapshot(snapshot), .. }
            | Message::Snapshot { snapshot, .. } => self.replace(snapshot),
            Message::Joined { catch_up: CatchUp::Events(events), .. } => {
                self.day.count(|day| day.caught_up += u64::from(!events.is_empty()));
                for event in events {
                    self.follow(event);
                }
            }
            Message::Event { event, .. } => self.follow(event),
            Message::Closed { text, .. } => panic!("the room was closed: {text}"),
            Message::Welcome { .. }
            | Message::Done { .. }
            | Message::Refused { .. }
            | Message::Rooms { .. }
            | Message::OwnRooms { .. }
            | Message::Weights { .. }
            | Message::Spectators { .. }
            | Message::Presence { .. }
            | Message::Ratings { .. }
            | Message::Chat { .. }
            | Message::PlayerSaid { .. }
            | Message::SpectatorSaid { .. }
            | Message::Analysis { .. }
            | Message::AnalysisOver { .. }
            | Message::AccountChanged { .. }
            | Message::Seeking { .. }
            | Message::Paired { .. }
            | Message::SeekOver { .. }
            | Message::Challenged { .. }
            | Message::Lobby { .. }
            | Message::LobbyChanged { .. }
            | Message::Sanction { .. }
            | Message::Announcement { .. }
            | Message::Pong { .. } => {}
        }
        self.receive_answer(message);
    }

    fn follow(&mut self, event: &NumberedEvent) {
        let room = self.room.as_mut().expect("the member has entered");
        if let Err(error) = room.apply(event) {
            panic!("member {} is at {}, and receives {event:?}: {error}", self.number, room.seq);
        }
        let before = self.received.insert(event.seq, event.clone());
        if let Some(before) = before {
            assert!(before == *event, "{before:?} is {event:?} now: {ANOTHER_EVENT}");
        }
    }

    /// A snapshot takes nothing back.
    fn replace(&mut self, snapshot: &Snapshot) {
        self.day.count(|day| day.snapshots += 1);
        if let Some(room) = &self.room {
            let (known, sent) = (room.seq, snapshot.seq);
            assert!(sent >= known, "member {} is set back from {known} to {sent}", self.number);
            if sent == known {
                assert_eq!(room.snapshot(), *snapshot, "member {}", self.number);
            }
        }
        self.room = Some(RoomState::from_snapshot(snapshot.clone()).expect("a sound snapshot"));
    }

    fn receive_answer(&mut self, message: &Message) {
        let Some(id) = message.answers() else { return };
        if let Some(made) = self.made.iter().find(|made| made.command == *id) {
            let is_same = match message {
                Message::Done { seq, .. } => *seq == Some(made.seq),
                Message::Refused { refusal, .. } => is_passing(refusal.reason),
                _ => false,
            };
            assert!(is_same, "{made:?} was answered by {message:?}");
        }
        let Some((command, request)) = self.pending.take_if(|(pending, _)| pending == id) else {
            return;
        };
        match message {
            Message::Done { seq: Some(seq), .. } => {
                if let Request::Room {
                    request: request @ (RoomRequest::Play { .. } | RoomRequest::Choose { .. }),
                    ..
                } = request
                {
                    self.made.push(Made { command, request, seq: *seq });
                    self.note_move();
                }
            }
            Message::Refused { refusal, .. } => {
                let in_time = self.table.time.is_none();
                let reason = refusal.reason;
                let is_right = is_passing(reason) || (!in_time && reason == Reason::NoGame);
                // Where a fault is planted, the judge shall find what it did to the log.
                let is_right = is_right || self.day.is_planted;
                assert!(is_right, "member {}: {request:?} is refused: {refusal}", self.number);
                self.day.count(|day| day.refused += 1);
                if !self.is_repeated {
                    self.refused.push(command);
                }
            }
            other => panic!("{request:?} was answered by {other:?}"),
        }
    }

    fn note_move(&mut self) {
        self.day.count(|day| day.moves += 1);
        if self.day.is_calm() {
            self.moves_in_calm += 1;
            if self.moves_in_calm == MOVES_IN_CALM {
                self.day.note_content();
            }
        }
    }

    fn new_id(&mut self) -> CommandId {
        self.sent += 1;
        format!("{}-{}", self.number, self.sent).try_into().unwrap()
    }
}

/// Whether a command that is refused for this may be tried again at once.
pub(crate) fn is_passing(reason: Reason) -> bool {
    matches!(reason, Reason::Unavailable | Reason::Busy | Reason::Stopping)
}

pub(crate) async fn send(socket: &mut Socket, id: CommandId, request: Request) -> Option<()> {
    let json = Command { id, request }.to_json();
    timeout(SILENCE, socket.send(tungstenite::Message::text(json))).await.ok()?.ok()
}

/// Waits for the next frame: `Some(None)` if it is no message; `None` if the connection is lost or
/// was silent for too long. In a hurry, it reads only what has arrived.
pub(crate) async fn listen(socket: &mut Socket, in_hurry: bool) -> Option<Option<Message>> {
    let patience = if in_hurry { Duration::from_millis(50) } else { SILENCE };
    match timeout(patience, socket.next()).await {
        Ok(Some(Ok(tungstenite::Message::Text(text)))) => {
            Some(Some(Message::from_json(&text).unwrap()))
        }
        Ok(Some(Ok(tungstenite::Message::Ping(_)))) => Some(None),
        Ok(Some(_) | None) => None,
        Err(_) => in_hurry.then_some(None),
    }
}

/// Any legal move.
fn random_move(position: &Position, random: &mut StdRng) -> Point {
    loop {
        let point = match (position.rules().size(), position.moves()) {
            (Size::Bounded { width, height }, _) => Point::new(
                random.random_range(0..i32::from(width)),
                random.random_range(0..i32::from(height)),
            ),
            (Size::Unbounded, []) => Point::new(random.random(), random.random()),
            (Size::Unbounded, [.., last]) => {
                Point::new(last.x + random.random_range(-2..=2), last.y + 1)
            }
        };
        if position.legality(point).is_ok() {
            return point;
        }
    }
}
