//! A scripted person: speaks the protocol over a real socket, and folds the events of each room as
//! server and clients do. An event that is missing, duplicated or out of order fails the test.

use std::{
    collections::HashMap,
    net::{Ipv4Addr, SocketAddr},
    time::Duration,
};

use fivefold_shared::{
    protocol::{
        CatchUp, Command, CommandId, Create, Event, Identity, LobbyRequest, MemberId, Message,
        Name, NumberedEvent, PoolName, Reason, Refusal, Request, RoomCode, RoomRequest, SeekId,
        Snapshot, Spectators, VERSION, Wanted,
    },
    room::RoomState,
    rules::{Point, Position},
    seat::Seat,
};
use futures_util::{FutureExt, SinkExt, StreamExt};
use tokio::time::{Instant, error::Elapsed, sleep, timeout, timeout_at};
use tokio_tungstenite::tungstenite;

use crate::{PATIENCE, Server, Socket, http::post, socket::connect_with};

/// The longest wait for a server that may be down.
const RETURN_WITHIN: Duration = Duration::from_secs(5);
/// How long to wait before the next try to connect.
pub(crate) const RETURN_AGAIN: Duration = Duration::from_millis(20);
/// The longest wait besides, after a server has refused a greeting.
const REFUSED_AGAIN: Duration = Duration::from_millis(500);

/// A person with an identity, on one socket.
#[derive(Debug)]
pub struct Guest {
    address: SocketAddr,
    socket: Socket,
    prefix: u64,
    sent: u64,
    rooms: HashMap<RoomCode, Seen>,
    /// Their public id.
    pub me: MemberId,
    /// The key to their seats, unless they have an account.
    pub identity: Identity,
    /// The cookie of their account, if they have one.
    cookie: Option<String>,
    /// Their name.
    pub name: Name,
}

/// What opens the seats of a person: their identity, or the cookie of their account.
struct Key {
    identity: Identity,
    cookie: Option<String>,
}

/// A person without a socket, who remembers the events they received.
#[derive(Debug)]
pub struct Away {
    address: SocketAddr,
    identity: Identity,
    cookie: Option<String>,
    name: Name,
    rooms: HashMap<RoomCode, Seen>,
}

impl Away {
    /// The same person, for another socket, who remembers nothing.
    pub(crate) fn in_no_room(&self) -> Self {
        let (identity, cookie) = (self.identity.clone(), self.cookie.clone());
        Self {
            address: self.address,
            identity,
            cookie,
            name: self.name.clone(),
            rooms: HashMap::new(),
        }
    }

    /// Sets the server's new address.
    pub fn moved_to(self, server: &Server) -> Self {
        Self { address: server.address(), ..self }
    }

    /// Returns on a new socket. The server knows their identity; they still have to join the rooms.
    ///
    /// # Panics
    /// When the server does not welcome them.
    pub async fn back(self) -> Guest {
        let address = self.address;
        let rooms = self.rooms;
        let key = Key { identity: self.identity, cookie: self.cookie };
        let guest = Guest::try_greet(None, address, self.name.as_str(), Some(key)).await;
        Guest { rooms, ..guest.expect("the server sends welcome") }
    }

    /// As [`back`](Self::back), to a server that may be down, and otherwise listens at this
    /// address; on failure the person stays away.
    pub(crate) async fn try_back(self, address: SocketAddr) -> Result<Guest, Self> {
        let key = Key { identity: self.identity.clone(), cookie: self.cookie.clone() };
        let greeted = Guest::try_greet(None, address, self.name.as_str(), Some(key));
        match timeout(RETURN_WITHIN, greeted).await {
            Ok(Some(guest)) => Ok(Guest { rooms: self.rooms, ..guest }),
            Ok(None) | Err(Elapsed { .. }) => Err(self),
        }
    }

    /// Returns to one of several servers and joins the room there, with the number of the last event.
    /// Some of the servers may be down.
    ///
    /// # Panics
    /// When none takes them in.
    pub async fn back_in(mut self, room: &RoomCode, servers: &[SocketAddr]) -> Guest {
        let deadline = Instant::now() + PATIENCE;
        loop {
            for &address in servers {
                match self.try_back(address).await {
                    Ok(mut guest) => {
                        if guest.try_join(room).await {
                            return guest;
                        }
                        self = guest.lost();
                    }
                    Err(away) => self = away,
                }
            }
            assert!(Instant::now() < deadline, "{} cannot come back", self.name);
            sleep(RETURN_AGAIN).await;
        }
    }
}

/// The events and news that a guest received about a room.
#[derive(Debug)]
pub struct Seen {
    /// The room as it is after the last event.
    pub room: RoomState,
    /// The received events: one by one, or as missed events after a pause.
    pub events: Vec<NumberedEvent>,
    /// The number and the final board of each game that has ended since the guest joined.
    pub finals: Vec<(u32, Position)>,
    /// The number of received snapshots.
    pub snapshots: usize,
    /// The latest news of the spectators.
    pub spectators: Spectators,
    /// The reason why the room was closed.
    pub closed: Option<String>,
}

impl Seen {
    /// The board of the game, running or ended.
    ///
    /// # Panics
    /// Before the first game.
    pub fn position(&self) -> &Position {
        &self.room.game.as_ref().expect("a game").position
    }
}

impl Guest {
    /// Connects a new person.
    ///
    /// # Panics
    /// When the server does not welcome them. Here and below, a test fails as soon as an unexpected
    /// message comes.
    pub async fn hello(server: &Server, name: &str) -> Self {
        Self::greet(server.address(), name, None).await
    }

    /// Connects a new person from an address of this machine, and signs them up.
    ///
    /// # Panics
    /// When the server refuses it.
    pub async fn sign_up(source: Ipv4Addr, address: SocketAddr, name: &str) -> Self {
        let guest = Self::greet_from(Some(source), address, name).await;
        let authorization = format!("Authorization: Bearer {}", guest.identity.as_str());
        let body = format!(r#"{{"name": "{name}", "password": "a long password of tests"}}"#);
        let answer = post(source, address, "/api/account", &authorization, &body).await;
        let answer = answer.expect("the server answers");
        assert!(answer.starts_with("HTTP/1.1 201"), "{answer}");
        let cookie = answer.lines().find_map(|line| line.strip_prefix("set-cookie: "));
        let cookie = cookie.and_then(|line| line.split(';').next()).expect("a cookie");
        let key = Key { identity: guest.lost().identity, cookie: Some(cookie.to_owned()) };
        let member = Self::try_greet(Some(source), address, name, Some(key)).await;
        member.expect("the server welcomes them")
    }

    /// Connects a known person on a new socket, without any joined rooms.
    ///
    /// # Panics
    /// When the server does not welcome them.
    pub async fn back(server: &Server, identity: &Identity, name: &str) -> Self {
        Self::greet(server.address(), name, Some(identity.clone())).await
    }

    pub(crate) async fn greet(address: SocketAddr, name: &str, identity: Option<Identity>) -> Self {
        let key = identity.map(|identity| Key { identity, cookie: None });
        Self::try_greet(None, address, name, key).await.expect("the server sends welcome")
    }

    /// Connects a new person from an address of this machine, or from any.
    pub(crate) async fn greet_from(
        source: Option<Ipv4Addr>,
        address: SocketAddr,
        name: &str,
    ) -> Self {
        Self::try_greet(source, address, name, None).await.expect("the server welcomes them")
    }

    /// `None` when there is no server, it goes away, or it cannot read who they are.
    async fn try_greet(
        source: Option<Ipv4Addr>,
        address: SocketAddr,
        name: &str,
        key: Option<Key>,
    ) -> Option<Self> {
        let cookie = key.as_ref().and_then(|key| key.cookie.clone());
        let known = key.map(|key| key.identity);
        // An account is known by its cookie, and has its own name.
        let identity = known.clone().filter(|_| cookie.is_none());
        let name = cookie.is_none().then(|| Name::new(name).expect("a name"));
        let mut socket = connect_with(source, address, cookie.as_deref()).await.ok()?;
        let id = CommandId::try_from("hello".to_owned()).expect("an id");
        let hello = LobbyRequest::Hello {
            protocol: VERSION,
            identity: identity.clone(),
            name,
            token: None,
        };
        let json = Command { id, request: Request::Lobby(hello) }.to_json();
        socket.send(tungstenite::Message::text(json)).await.ok()?;
        let welcome = receive(&mut socket).await.ok()?;
        if is_unavailable(&welcome) || is_busy(&welcome) {
            // Not all at once, as the page and the client.
            sleep(REFUSED_AGAIN.mul_f64(rand::random())).await;
            return None;
        }
        let Message::Welcome { you: me, name, identity: new, .. } = welcome else {
            panic!("no welcome: {welcome:?}");
        };
        assert_ne!(new.is_some(), known.is_some(), "a new identity for who brings none");
        let identity = new.or(known).expect("one of both");
        let (prefix, rooms) = (rand::random(), HashMap::new());
        Some(Self { address, socket, prefix, sent: 0, rooms, me, identity, cookie, name })
    }

    /// The server that they are at.
    pub(crate) const fn address(&self) -> SocketAddr {
        self.address
    }

    /// A fresh command id.
    pub(crate) fn new_id(&mut self) -> CommandId {
        self.sent += 1;
        let id = format!("{:x}-{}", self.prefix, self.sent);
        CommandId::try_from(id).expect("an id")
    }

    /// Returns the socket for a caller that does not keep events.
    pub(crate) fn into_socket(self) -> Socket {
        self.socket
    }

    /// The state of a room that the guest has joined.
    ///
    /// # Panics
    /// When they never joined it.
    pub fn seen(&self, room: &RoomCode) -> &Seen {
        self.rooms.get(room).expect("a room that the guest has entered")
    }

    /// Sends a command with a fresh id, and returns the id.
    pub async fn send(&mut self, request: Request) -> CommandId {
        let id = self.new_id();
        self.send_as(id.clone(), request).await;
        id
    }

    /// As [`send`](Self::send), but flushes at once.
    ///
    /// # Panics
    /// When the socket is closed.
    pub async fn send_now(&mut self, request: Request) -> CommandId {
        let id = self.send(request).await;
        self.socket.flush().await.expect("the server listens");
        id
    }

    /// Sends a command with a given id. Queued commands are flushed when the guest next waits,
    /// which also reports a lost socket.
    pub async fn send_as(&mut self, id: CommandId, request: Request) {
        let json = Command { id, request }.to_json();
        drop(self.socket.feed(tungstenite::Message::text(json)).await);
    }

    /// Sends any frame at all.
    ///
    /// # Panics
    /// When the socket is closed.
    pub async fn send_frame(&mut self, frame: tungstenite::Message) {
        self.socket.send(frame).await.expect("the server listens");
    }

    /// The next message, after applying it.
    ///
    /// # Panics
    /// When the socket is closed, nothing comes, or the message does not fit the ones before.
    pub async fn next(&mut self) -> Message {
        let message = self.try_next().await;
        message.unwrap_or_else(|end| panic!("{} lost the socket: {end:?}", self.name))
    }

    /// As [`next`](Self::next), or the close frame's code and reason, if one came.
    ///
    /// # Panics
    /// When nothing comes, or the message does not fit the ones before.
    pub async fn try_next(&mut self) -> Result<Message, Option<(u16, String)>> {
        let message = receive(&mut self.socket).await?;
        self.take_in(&message);
        Ok(message)
    }

    fn take_in(&mut self, message: &Message) {
        match message {
            Message::Joined { room, spectators, catch_up, .. } => {
                match catch_up {
                    CatchUp::Snapshot(snapshot) => self.snapshot(room, snapshot),
                    CatchUp::Events(events) => {
                        for event in events {
                            self.event(room, event);
                        }
                    }
                }
                self.seen_mut(room).spectators = spectators.clone();
            }
            Message::Snapshot { room, snapshot } => self.snapshot(room, snapshot),
            Message::Event { room, event } => self.event(room, event),
            Message::Spectators { room, spectators } => {
                self.seen_mut(room).spectators = spectators.clone();
            }
            Message::Closed { room, text, .. } => self.seen_mut(room).closed = Some(text.clone()),
            Message::Welcome { .. }
            | Message::Done { .. }
            | Message::Refused { .. }
            | Message::Rooms { .. }
            | Message::OwnRooms { .. }
            | Message::Weights { .. }
            | Message::Presence { .. }
            | Message::Ratings { .. }
            | Message::Chat { .. }
            | Message::PlayerSaid { .. }
            | Message::SpectatorSaid { .. }
            | Message::Analysis { .. }
            | Message::AccountChanged { .. }
            | Message::AnalysisOver { .. }
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
    }

    fn seen_mut(&mut self, room: &RoomCode) -> &mut Seen {
        self.rooms.get_mut(room).expect("news of a room that the guest has entered")
    }

    fn event(&mut self, room: &RoomCode, event: &NumberedEvent) {
        let name = self.name.clone();
        let seen = self.seen_mut(room);
        seen.room.apply(event).unwrap_or_else(|error| panic!("{name}: {error}"));
        if let (Event::Ended { .. }, Some(game)) = (&event.event, &seen.room.game) {
            seen.finals.push((game.number, game.position.clone()));
        }
        seen.events.push(event.clone());
    }

    fn snapshot(&mut self, code: &RoomCode, snapshot: &Snapshot) {
        let room = RoomState::from_snapshot(snapshot.clone()).expect("a sound snapshot");
        match self.rooms.get_mut(code) {
            Some(seen) => {
                seen.room = room;
                seen.snapshots += 1;
            }
            None => {
                let (events, finals) = (Vec::new(), Vec::new());
                let spectators = Spectators::default();
                let seen = Seen { room, events, finals, snapshots: 1, spectators, closed: None };
                self.rooms.insert(code.clone(), seen);
            }
        }
    }

    /// Waits for the answer to a command, and applies all messages before it.
    ///
    /// # Panics
    /// When none comes.
    pub async fn answer(&mut self, id: &CommandId) -> Message {
        loop {
            let message = self.next().await;
            if message.answers() == Some(id) {
                return message;
            }
        }
    }

    /// Sends a request and waits for its answer.
    ///
    /// # Panics
    /// When none comes.
    pub async fn ask(&mut self, request: Request) -> Message {
        let id = self.send(request).await;
        self.answer(&id).await
    }

    /// Waits until the guest's view of a room is as wanted.
    ///
    /// # Panics
    /// When nothing more comes.
    pub async fn until(&mut self, room: &RoomCode, wanted: impl Fn(&Seen) -> bool) -> &Seen {
        while !wanted(self.seen(room)) {
            self.next().await;
        }
        self.seen(room)
    }

    /// Sends a request that the room accepts, and waits for its events.
    ///
    /// # Panics
    /// When it is refused.
    pub async fn done(&mut self, room: &RoomCode, request: RoomRequest) {
        let answer = self.ask(Request::Room { room: room.clone(), request: request.clone() }).await;
        let Message::Done { seq, .. } = answer else {
            panic!("{}: {request:?} was answered by {answer:?}", self.name);
        };
        if let Some(seq) = seq {
            self.until(room, |seen| seen.room.seq >= seq).await;
        }
    }

    /// Sends a request that the room refuses, and returns the reason.
    ///
    /// # Panics
    /// When it is accepted.
    pub async fn refused(&mut self, room: &RoomCode, request: RoomRequest) -> Reason {
        self.refusal(Request::Room { room: room.clone(), request }).await.reason
    }

    /// Sends a request that is refused, and returns the refusal.
    ///
    /// # Panics
    /// When it is accepted.
    pub async fn refusal(&mut self, request: Request) -> Refusal {
        match self.ask(request.clone()).await {
            Message::Refused { refusal, .. } => refusal,
            other => panic!("{}: {request:?} was answered by {other:?}", self.name),
        }
    }

    /// Creates a room and joins it.
    ///
    /// # Panics
    /// When it is refused.
    pub async fn create(&mut self, create: Create) -> RoomCode {
        match self.ask(Request::Lobby(LobbyRequest::Create(create))).await {
            Message::Joined { room, .. } => room,
            other => panic!("no room was made: {other:?}"),
        }
    }

    /// Begins to seek in a pool, and returns the seek's id.
    ///
    /// # Panics
    /// When it is refused, or they play already.
    pub async fn seek(&mut self, pool: &str) -> SeekId {
        let wanted = Wanted::Pool(PoolName::try_from(pool).expect("a pool's name"));
        match self.ask(Request::Lobby(LobbyRequest::Seek { wanted, engine: false })).await {
            Message::Seeking { seek, .. } => seek,
            other => panic!("{} does not seek: {other:?}", self.name),
        }
    }

    /// Waits until a game is found, and joins its room. Returns it with the seat.
    ///
    /// # Panics
    /// When none is found.
    pub async fn paired(&mut self) -> (RoomCode, Seat) {
        loop {
            if let Message::Paired { room, seat, .. } = self.next().await {
                self.join(&room).await;
                return (room, seat);
            }
        }
    }

    /// Joins a room; a known one with the number of the last event.
    ///
    /// # Panics
    /// When it is refused.
    pub async fn join(&mut self, room: &RoomCode) {
        let after = self.rooms.get(room).map(|seen| seen.room.seq);
        let join = LobbyRequest::Join { room: room.clone(), after };
        let answer = self.ask(Request::Lobby(join)).await;
        assert!(matches!(answer, Message::Joined { .. }), "{}: {answer:?}", self.name);
    }

    /// As [`join`](Self::join), from a server that may go away or lose its storage; `false` then.
    /// The room may have been joined all the same, so try again on another socket.
    ///
    /// # Panics
    /// When it is refused for another reason.
    pub(crate) async fn try_join(&mut self, room: &RoomCode) -> bool {
        let after = self.rooms.get(room).map(|seen| seen.room.seq);
        let join = LobbyRequest::Join { room: room.clone(), after };
        let id = self.send(Request::Lobby(join)).await;
        loop {
            let Ok(message) = self.try_next().await else { return false };
            if message.answers() != Some(&id) {
                continue;
            }
            if is_unavailable(&message) || is_busy(&message) {
                return false;
            }
            assert!(matches!(message, Message::Joined { .. }), "{}: {message:?}", self.name);
            return true;
        }
    }

    /// Plays a point as the next move, until it is stored: comes back to one of these servers, and
    /// plays the same move again, whenever the socket is lost.
    ///
    /// # Panics
    /// When it is refused.
    pub async fn play_through(
        mut self,
        room: &RoomCode,
        point: impl Into<Point>,
        servers: &[SocketAddr],
    ) -> Self {
        let request =
            RoomRequest::Play { ply: self.seen(room).position().ply(), point: point.into() };
        let request = Request::Room { room: room.clone(), request };
        let mut id = self.new_id();
        let deadline = Instant::now() + PATIENCE;
        self.send_as(id.clone(), request.clone()).await;
        loop {
            assert!(Instant::now() < deadline, "{}: the move has no answer", self.name);
            match self.try_next().await {
                Ok(Message::Done { id: done, .. }) if done == id => return self,
                Ok(message) if message.answers() == Some(&id) && is_unavailable(&message) => {
                    // Nothing is stored, and the same command would get the same answer.
                    id = self.new_id();
                    sleep(RETURN_AGAIN).await;
                }
                Ok(message) if message.answers() == Some(&id) && is_busy(&message) => {
                    sleep(RETURN_AGAIN).await;
                }
                Ok(message) => {
                    assert!(message.answers() != Some(&id), "{}: {message:?}", self.name);
                    continue;
                }
                Err(_) => self = self.lost().back_in(room, servers).await,
            }
            self.send_as(id.clone(), request.clone()).await;
        }
    }

    /// As [`until`](Self::until), coming back to one of these servers whenever the socket is lost.
    ///
    /// # Panics
    /// When nothing more comes.
    pub async fn until_through(
        mut self,
        room: &RoomCode,
        wanted: impl Fn(&Seen) -> bool,
        servers: &[SocketAddr],
    ) -> Self {
        while !wanted(self.seen(room)) {
            if self.try_next().await.is_err() {
                self = self.lost().back_in(room, servers).await;
            }
        }
        self
    }

    /// Plays a point as the next move.
    ///
    /// # Panics
    /// When it is refused.
    pub async fn play(&mut self, room: &RoomCode, point: impl Into<Point>) {
        let ply = self.seen(room).position().ply();
        self.done(room, RoomRequest::Play { ply, point: point.into() }).await;
    }

    /// Drops the socket without a close frame.
    pub fn lost(self) -> Away {
        let Self { address, identity, cookie, name, rooms, .. } = self;
        Away { address, identity, cookie, name, rooms }
    }

    /// Reads on until the server closes the socket, and returns the code and the reason.
    ///
    /// # Panics
    /// When the server does not close it.
    pub async fn closing(&mut self) -> (u16, String) {
        loop {
            match self.try_next().await {
                Ok(_) => {}
                Err(end) => return end.expect("a close frame at the end"),
            }
        }
    }
}

/// Whether the refusal means that the storage, or the room's node, cannot be reached.
pub(crate) fn is_unavailable(message: &Message) -> bool {
    matches!(message, Message::Refused { refusal, .. } if refusal.reason == Reason::Unavailable)
}

/// Whether the refusal means that a queue is full.
pub(crate) fn is_busy(message: &Message) -> bool {
    matches!(message, Message::Refused { refusal, .. } if refusal.reason == Reason::Busy)
}

/// The next message, or the close frame's code and reason, if one came.
async fn receive(socket: &mut Socket) -> Result<Message, Option<(u16, String)>> {
    let deadline = Instant::now() + PATIENCE;
    loop {
        // Flush queued frames before waiting, but read what has arrived first.
        let frame = match socket.next().now_or_never() {
            Some(frame) => frame,
            None => {
                // A socket that cannot send may still receive the reason.
                drop(socket.flush().await);
                timeout_at(deadline, socket.next()).await.expect("the server says something")
            }
        };
        match frame {
            Some(Ok(tungstenite::Message::Text(text))) => {
                return Ok(Message::from_json(&text).unwrap_or_else(|e| panic!("{e}: {text}")));
            }
            Some(Ok(tungstenite::Message::Close(frame))) => {
                return Err(frame.map(|frame| (frame.code.into(), frame.reason.to_string())));
            }
            Some(Ok(
                tungstenite::Message::Ping(_)
                | tungstenite::Message::Pong(_)
                | tungstenite::Message::Binary(_)
                | tungstenite::Message::Frame(_),
            )) => {}
            Some(Err(_)) | None => return Err(None),
        }
    }
}
