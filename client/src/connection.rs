//! The socket to a server, and how it is kept: one task says hello, comes back by itself after a
//! loss, asks for the events it has missed, and says again what was not answered.
//!
//! It does not know what the room's events mean; see [`crate::table`].

use std::{collections::VecDeque, fmt, time::Duration};

use fivefold_shared::protocol::{
    CatchUp, Command, CommandId, Identity, LobbyRequest, MemberId, Message, Name, Reason, Refusal,
    Request, RoomCode, VERSION, close,
};
use futures_util::{SinkExt, StreamExt};
use tokio::{
    net::TcpStream,
    sync::mpsc,
    task::JoinHandle,
    time::{Instant, sleep, sleep_until, timeout},
};
use tokio_tungstenite::{
    Connector, MaybeTlsStream, WebSocketStream, connect_async_tls_with_config,
    tungstenite::{Bytes, Error as SocketError, Message as Frame, protocol::WebSocketConfig},
};

use crate::{backoff::Backoff, link::ServerAddress, text::sanitize};

/// The longest that the server may take to accept a socket, to answer `hello` or `join`, or to
/// take a command off the socket.
const PATIENCE: Duration = Duration::from_secs(10);
/// After this long without a word the server is asked whether it is there.
const ASK_AFTER: Duration = Duration::from_secs(20);
/// After this long without a word the connection counts as lost.
const LOST_AFTER: Duration = Duration::from_secs(45);
/// A connection that lasted this long starts over with short waits.
const STABLE_AFTER: Duration = Duration::from_secs(30);
/// Largest message that is taken; the largest that are sent, snapshots of the longest games, are
/// a tenth of it.
const MESSAGE_BYTES_MAX: usize = 1 << 20;
/// Most commands without an answer; more have to wait.
const UNANSWERED_MAX: usize = 64;
/// Messages and commands that may wait on their way through this process.
const QUEUE: usize = 128;

type Socket = WebSocketStream<MaybeTlsStream<TcpStream>>;

/// What comes to whoever sits at a table.
#[derive(Clone, PartialEq, Debug)]
pub enum TableEvent {
    /// The server (or the local game) says something.
    Message(Box<Message>),
    /// The connection is lost; it will be tried again by itself.
    Lost {
        /// For people.
        reason: String,
        /// Until the next try.
        retry_in: Duration,
    },
    /// The connection and the room are back, and up to date.
    Back,
    /// Nothing more will come.
    Ended {
        /// For people.
        reason: String,
    },
}

/// Who comes to a server.
#[derive(Clone, Default)]
pub struct Visitor {
    /// Who he was there before.
    pub identity: Option<Identity>,
    /// What he wants to be called.
    pub name: Option<Name>,
    /// How he makes encrypted connections; without it, he makes none.
    pub connector: Option<Connector>,
}

impl fmt::Debug for Visitor {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Visitor").field("name", &self.name).finish_non_exhaustive()
    }
}

/// How a server received somebody.
#[derive(Clone, Debug)]
pub struct Welcome {
    /// What others know him by.
    pub you: MemberId,
    /// What he is called.
    pub name: Name,
    /// The identity that was made for him, to be kept.
    pub identity: Option<Identity>,
}

/// Why there is no connection.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum ConnectionError {
    /// Nobody answers there.
    #[error("cannot reach {server}: {why}. Is the server running, and is the address right?")]
    Unreachable {
        /// Where.
        server: String,
        /// What the system says.
        why: String,
    },
    /// The server said no.
    #[error("the server refuses: {}", sanitize(.0.text.as_str()))]
    Refused(Refusal),
    /// The server closed the socket and does not want this client back.
    #[error("{0}")]
    Closed(String),
    /// The connection broke.
    #[error("the connection is lost: {0}")]
    Lost(String),
}

impl ConnectionError {
    /// Whether it may help to come back later.
    fn is_passing(&self) -> bool {
        match self {
            Self::Unreachable { .. } | Self::Lost(_) => true,
            Self::Closed(_) => false,
            Self::Refused(refusal) => matches!(
                refusal.reason,
                Reason::TooFast
                    | Reason::Busy
                    | Reason::Unavailable
                    | Reason::Stopping
                    | Reason::ServerFull
                    | Reason::RoomFull
                    | Reason::TooManyJoined
            ),
        }
    }
}

/// A connection that lasts longer than its sockets.
pub struct Connection {
    server: ServerAddress,
    ids: CommandIds,
    commands: mpsc::Sender<Command>,
    events: mpsc::Receiver<TableEvent>,
    /// What this process itself refused.
    refused: VecDeque<TableEvent>,
    keeper: JoinHandle<()>,
}

impl Connection {
    /// Connects and says hello.
    ///
    /// # Errors
    /// When the server cannot be reached, says no, or says nothing.
    pub async fn open(
        server: ServerAddress,
        visitor: Visitor,
    ) -> Result<(Self, Welcome), ConnectionError> {
        let mut ids = CommandIds::new();
        let mut socket = connect(&server, visitor.connector.clone()).await?;
        let welcome = greet(&mut socket, &mut ids, &visitor).await?;
        let (commands, taken) = mpsc::channel(QUEUE);
        let (given, events) = mpsc::channel(QUEUE);
        let keeper = Keeper {
            server: server.clone(),
            visitor: Visitor {
                identity: welcome.identity.clone().or(visitor.identity),
                name: visitor.name,
                connector: visitor.connector,
            },
            ids: CommandIds::new(),
            room: None,
            unanswered: VecDeque::new(),
            commands: taken,
            events: given,
        };
        let keeper = tokio::spawn(keeper.run(socket));
        let connection = Self { server, ids, commands, events, refused: VecDeque::new(), keeper };
        Ok((connection, welcome))
    }

    /// The server's address.
    pub const fn server(&self) -> &ServerAddress {
        &self.server
    }

    /// Says a command; it is said again after a loss until it is answered. Where too many are
    /// waiting already, it is refused here.
    pub fn send(&mut self, request: Request) -> CommandId {
        let id = self.ids.make();
        if self.commands.try_send(Command { id: id.clone(), request }).is_err() {
            let refusal = Refusal::new(Reason::Busy);
            let message = Message::Refused { id: Some(id.clone()), refusal };
            self.refused.push_back(TableEvent::Message(Box::new(message)));
        }
        id
    }

    /// What comes next. Nothing is lost when this future is dropped and asked for again. After
    /// [`TableEvent::Ended`] it waits for ever.
    pub async fn next(&mut self) -> TableEvent {
        if let Some(event) = self.refused.pop_front() {
            return event;
        }
        match self.events.recv().await {
            Some(event) => event,
            None => std::future::pending().await,
        }
    }

    /// Asks and waits for the answer. For the time before there is a table: what else comes
    /// meanwhile is dropped.
    ///
    /// # Errors
    /// When the answer is no, or the connection breaks.
    pub async fn ask(&mut self, request: LobbyRequest) -> Result<Message, ConnectionError> {
        let id = self.send(Request::Lobby(request));
        loop {
            match self.next().await {
                TableEvent::Message(message) if message.answers() == Some(&id) => {
                    return accepted(*message);
                }
                TableEvent::Message(_) | TableEvent::Back => {}
                TableEvent::Lost { reason, .. } => return Err(ConnectionError::Lost(reason)),
                TableEvent::Ended { reason } => return Err(ConnectionError::Closed(reason)),
            }
        }
    }

    /// Says goodbye, and waits a moment for it to be sent.
    pub async fn close(self) {
        let Self { commands, events, mut keeper, .. } = self;
        drop((commands, events));
        if timeout(Duration::from_secs(2), &mut keeper).await.is_err() {
            keeper.abort();
        }
    }
}

impl fmt::Debug for Connection {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Connection").field("server", &self.server).finish_non_exhaustive()
    }
}

/// Makes ids that no other process with this identity makes.
#[derive(Debug)]
pub struct CommandIds {
    prefix: u64,
    count: u64,
}

impl CommandIds {
    /// Begins with a random prefix.
    #[expect(clippy::new_without_default, reason = "each one is different")]
    pub fn new() -> Self {
        Self { prefix: rand::random(), count: 0 }
    }

    /// A new id.
    pub fn make(&mut self) -> CommandId {
        self.count += 1;
        CommandId::try_from(format!("{:016x}-{:x}", self.prefix, self.count))
            .expect("at most 33 printable characters")
    }
}

/// The task that keeps the connection.
struct Keeper {
    server: ServerAddress,
    visitor: Visitor,
    ids: CommandIds,
    /// The room that is heard, and its last event that was passed on.
    room: Option<(RoomCode, u64)>,
    /// In the order they were given.
    unanswered: VecDeque<Command>,
    commands: mpsc::Receiver<Command>,
    events: mpsc::Sender<TableEvent>,
}

/// Why a socket is not used any more.
enum Parting {
    /// Nobody sits at the table any more.
    Left,
    /// The other side, or the network. With the close frame's code, if there was one.
    Lost { code: Option<u16>, reason: String },
}

impl Keeper {
    async fn run(mut self, mut socket: Socket) {
        let mut backoff = Backoff::default();
        loop {
            let since = Instant::now();
            let (code, reason) = match self.converse(&mut socket).await {
                Parting::Left => {
                    // The server notices the end of the stream as well.
                    drop(timeout(PATIENCE, socket.close(None)).await);
                    return;
                }
                Parting::Lost { code, reason } => (code, reason),
            };
            if code.is_some_and(|code| !close::come_back(code)) {
                self.tell(TableEvent::Ended { reason }).await;
                return;
            }
            if since.elapsed() >= STABLE_AFTER {
                backoff = Backoff::default();
            }
            if code == Some(close::POLICY) {
                backoff.slow_down();
            }
            match self.come_back(&mut backoff, reason).await {
                Some(found) => socket = found,
                None => return,
            }
        }
    }

    /// Speaks and listens until the socket is of no more use.
    async fn converse(&mut self, socket: &mut Socket) -> Parting {
        let mut heard = Instant::now();
        let mut asked = false;
        loop {
            let alarm = heard + if asked { LOST_AFTER } else { ASK_AFTER };
            tokio::select! {
                command = self.commands.recv(), if self.unanswered.len() < UNANSWERED_MAX => {
                    let Some(command) = command else { return Parting::Left };
                    let text = command.to_json();
                    self.unanswered.push_back(command);
                    if let Err(error) = say(socket, Frame::text(text)).await {
                        return error.into();
                    }
                }
                frame = socket.next() => {
                    heard = Instant::now();
                    asked = false;
                    match read(frame) {
                        Ok(Some(message)) => {
                            self.note(&message);
                            if !self.tell(TableEvent::Message(Box::new(message))).await {
                                return Parting::Left;
                            }
                        }
                        Ok(None) => {}
                        Err(parting) => return parting,
                    }
                }
                () = sleep_until(alarm) => {
                    if asked {
                        let reason = "the server is silent".into();
                        return Parting::Lost { code: None, reason };
                    }
                    asked = true;
                    if let Err(error) = say(socket, Frame::Ping(Bytes::new())).await {
                        return error.into();
                    }
                }
            }
        }
    }

    /// Tries until the connection and the room are back. `None`: that will not be.
    async fn come_back(&mut self, backoff: &mut Backoff, reason: String) -> Option<Socket> {
        let mut reason = reason;
        loop {
            let retry_in = backoff.next(rand::random());
            if !self.tell(TableEvent::Lost { reason, retry_in }).await {
                return None;
            }
            tokio::select! {
                () = sleep(retry_in) => {}
                () = self.events.closed() => return None,
            }
            match self.resume().await {
                Ok(socket) => return self.tell(TableEvent::Back).await.then_some(socket),
                Err(error) if error.is_passing() => reason = error.to_string(),
                Err(error) => {
                    self.tell(TableEvent::Ended { reason: error.to_string() }).await;
                    return None;
                }
            }
        }
    }

    /// One try: connects, says hello, comes back into the room, and says again what was not
    /// answered.
    async fn resume(&mut self) -> Result<Socket, ConnectionError> {
        let mut socket = connect(&self.server, self.visitor.connector.clone()).await?;
        greet(&mut socket, &mut self.ids, &self.visitor).await?;
        if let Some((room, seq)) = self.room.clone() {
            let request = LobbyRequest::Join { room, after: Some(seq) };
            let joined = exchange(&mut socket, &mut self.ids, request).await?;
            self.note(&joined);
            self.tell(TableEvent::Message(Box::new(joined))).await;
        }
        for command in &self.unanswered {
            say(&mut socket, Frame::text(command.to_json())).await?;
        }
        Ok(socket)
    }

    /// Keeps account of what is answered and how far the room has been heard.
    fn note(&mut self, message: &Message) {
        if let Some(id) = message.answers() {
            self.unanswered.retain(|command| command.id != *id);
        }
        match message {
            Message::Joined { room, catch_up, .. } => {
                let before = self.room.as_ref().map_or(0, |(_, seq)| *seq);
                let seq = match catch_up {
                    CatchUp::Snapshot(snapshot) => snapshot.seq,
                    CatchUp::Events(events) => events.last().map_or(before, |event| event.seq),
                };
                self.room = Some((room.clone(), seq));
            }
            Message::Event { event, .. } => {
                if let Some((_, seq)) = &mut self.room {
                    *seq = event.seq;
                }
            }
            Message::Snapshot { room, snapshot } => self.room = Some((room.clone(), snapshot.seq)),
            Message::Closed { .. } => self.room = None,
            Message::Welcome { .. }
            | Message::Done { .. }
            | Message::Refused { .. }
            | Message::Rooms { .. }
            | Message::OwnRooms { .. }
            | Message::Weights { .. }
            | Message::Pong { .. }
            | Message::Spectators { .. }
            | Message::Chat { .. }
            | Message::PlayerSaid { .. }
            | Message::SpectatorSaid { .. }
            | Message::Analysis { .. }
            | Message::AnalysisOver { .. }
            | Message::Presence { .. } => {}
        }
    }

    /// Whether somebody still listens.
    async fn tell(&self, event: TableEvent) -> bool {
        self.events.send(event).await.is_ok()
    }
}

async fn connect(
    server: &ServerAddress,
    connector: Option<Connector>,
) -> Result<Socket, ConnectionError> {
    let config = WebSocketConfig::default()
        .read_buffer_size(16 << 10)
        .write_buffer_size(0)
        .max_write_buffer_size(1 << 20)
        .max_message_size(Some(MESSAGE_BYTES_MAX))
        .max_frame_size(Some(MESSAGE_BYTES_MAX));
    let unreachable =
        |why: String| ConnectionError::Unreachable { server: server.to_string(), why };
    let connecting = connect_async_tls_with_config(server.socket(), Some(config), true, connector);
    match timeout(PATIENCE, connecting).await {
        Ok(Ok((socket, _))) => Ok(socket),
        Ok(Err(SocketError::Io(error))) => Err(unreachable(error.to_string())),
        Ok(Err(error)) => Err(unreachable(sanitize(&error.to_string()).into_owned())),
        Err(_) => Err(unreachable("no answer in time".into())),
    }
}

async fn greet(
    socket: &mut Socket,
    ids: &mut CommandIds,
    visitor: &Visitor,
) -> Result<Welcome, ConnectionError> {
    let hello = LobbyRequest::Hello {
        protocol: VERSION,
        identity: visitor.identity.clone(),
        name: visitor.name.clone(),
    };
    match exchange(socket, ids, hello).await? {
        Message::Welcome { you, name, identity, .. } => Ok(Welcome { you, name, identity }),
        other => Err(strange(&other)),
    }
}

/// The complaint about an answer that does not fit the question.
pub fn strange(answer: &Message) -> ConnectionError {
    let text = answer.to_json();
    let start: String = text.chars().take(60).collect();
    ConnectionError::Closed(format!("the server answers strangely: {}", sanitize(&start)))
}

/// One question and its answer, before the conversation proper.
async fn exchange(
    socket: &mut Socket,
    ids: &mut CommandIds,
    request: LobbyRequest,
) -> Result<Message, ConnectionError> {
    let command = Command { id: ids.make(), request: Request::Lobby(request) };
    say(socket, Frame::text(command.to_json())).await?;
    let answer = async {
        loop {
            match read(socket.next().await) {
                Ok(Some(message)) if message.answers() == Some(&command.id) => {
                    return accepted(message);
                }
                Ok(_) => {}
                Err(Parting::Lost { code: Some(code), reason }) if !close::come_back(code) => {
                    return Err(ConnectionError::Closed(reason));
                }
                Err(Parting::Lost { reason, .. }) => return Err(ConnectionError::Lost(reason)),
                Err(Parting::Left) => return Err(ConnectionError::Lost("left".into())),
            }
        }
    };
    match timeout(PATIENCE, answer).await {
        Ok(answer) => answer,
        Err(_) => Err(ConnectionError::Lost("no answer in time".into())),
    }
}

fn accepted(answer: Message) -> Result<Message, ConnectionError> {
    match answer {
        Message::Refused { refusal, .. } => Err(ConnectionError::Refused(refusal)),
        other => Ok(other),
    }
}

async fn say(socket: &mut Socket, frame: Frame) -> Result<(), ConnectionError> {
    match timeout(PATIENCE, socket.send(frame)).await {
        Ok(Ok(())) => Ok(()),
        Ok(Err(error)) => Err(ConnectionError::Lost(error.to_string())),
        Err(_) => Err(ConnectionError::Lost("the server does not listen".into())),
    }
}

/// Reads a frame. `None` for those without a message: pings, and messages of later versions.
fn read(frame: Option<Result<Frame, SocketError>>) -> Result<Option<Message>, Parting> {
    let lost = |code, reason: &str| Err(Parting::Lost { code, reason: sanitize(reason).into() });
    match frame {
        Some(Ok(Frame::Text(text))) => Ok(Message::from_json(&text).ok()),
        Some(Ok(Frame::Ping(_) | Frame::Pong(_) | Frame::Binary(_) | Frame::Frame(_))) => Ok(None),
        Some(Ok(Frame::Close(Some(frame)))) if frame.reason.is_empty() => {
            lost(Some(frame.code.into()), "the server closed the connection")
        }
        Some(Ok(Frame::Close(Some(frame)))) => lost(Some(frame.code.into()), &frame.reason),
        Some(Ok(Frame::Close(None))) | None => lost(None, "the server closed the connection"),
        Some(Err(error)) => lost(None, &error.to_string()),
    }
}

impl From<ConnectionError> for Parting {
    fn from(error: ConnectionError) -> Self {
        Self::Lost { code: None, reason: error.to_string() }
    }
}
