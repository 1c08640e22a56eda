//! The connection to a server, by any of its addresses: one task sends hello, reconnects after a
//! loss, requests the events it missed, and resends unanswered commands.
//!
//! It does not know what the room's events mean; see [`crate::table`].

use std::{
    collections::VecDeque,
    fmt,
    sync::{
        Arc,
        atomic::{AtomicUsize, Ordering},
    },
    time::Duration,
};

use fivefold_shared::protocol::{
    ApiToken, CatchUp, Command, CommandId, Identity, LobbyRequest, MemberId, Message, Name, Reason,
    Refusal, Request, RoomCode, VERSION, close,
};
use futures_util::{SinkExt, StreamExt};
use hyper::Method;
use serde_json::Value;
use tokio::{
    net::TcpStream,
    sync::mpsc,
    task::JoinHandle,
    time::{Instant, sleep, sleep_until, timeout},
};
use tokio_tungstenite::{
    Connector, MaybeTlsStream, WebSocketStream, connect_async_tls_with_config,
    tungstenite::{
        Bytes, Error as SocketError, Message as Frame,
        client::IntoClientRequest,
        http::{HeaderValue, Response, header::COOKIE},
        protocol::WebSocketConfig,
    },
};

use crate::{
    backoff::Backoff,
    http_request::{HttpRequest, Key},
    room_link::ServerAddress,
    sanitize::sanitize,
    server_list::ServerList,
    session_cookie::SessionCookie,
};

/// The longest time for the server to accept a socket, to answer `hello` or `join`, or to read a
/// command from the socket.
const ANSWER_TIMEOUT: Duration = Duration::from_secs(10);
/// The longest time for the server to accept a socket where it has another address to try: a frozen
/// node accepts none.
const NEXT_ADDRESS_AFTER: Duration = Duration::from_secs(4);
/// Send a ping after this long without a frame.
const PING_AFTER: Duration = Duration::from_secs(20);
/// Treat the connection as lost after this long without a frame.
const LOST_AFTER: Duration = Duration::from_secs(45);
/// After a connection that lasted this long, the backoff starts again at its shortest wait.
const STABLE_AFTER: Duration = Duration::from_secs(30);
/// The largest accepted message. The largest real ones, snapshots of the longest games, take a
/// tenth of it.
const MESSAGE_BYTES_MAX: usize = 1 << 20;
/// Most unanswered commands; `send` refuses more.
const UNANSWERED_MAX: usize = 64;
/// Messages and commands that may be queued in this process.
const QUEUE: usize = 128;

type Socket = WebSocketStream<MaybeTlsStream<TcpStream>>;

/// An event of a table.
#[derive(Clone, PartialEq, Debug)]
pub enum TableEvent {
    /// A message from the server or the local game.
    Message(Box<Message>),
    /// The connection is lost; it is retried automatically.
    Lost {
        /// The reason, for people.
        reason: String,
        /// Until all addresses of the server are tried again.
        retry_in: Duration,
    },
    /// The connection and the room are restored and up to date.
    Back,
    /// The bot of a local game gave no usable reply, and the room moves for it.
    BotFailed,
    /// What became of blocking, muting or reporting somebody, as a sentence.
    AboutPerson {
        /// The sentence.
        text: String,
        /// Whether it is done.
        done: bool,
    },
    /// No further events will come.
    Ended {
        /// The reason, for people.
        reason: String,
    },
}

/// The person who connects, before the server has accepted them.
#[derive(Clone, Default)]
pub struct Visitor {
    /// Their identity from an earlier visit.
    pub identity: Option<Identity>,
    /// The session of their account, which speaks instead.
    pub session: Option<SessionCookie>,
    /// A token of their account, which speaks instead of both.
    pub token: Option<ApiToken>,
    /// The name that they request.
    pub name: Option<Name>,
    /// For encrypted connections; `None` allows none.
    pub connector: Option<Connector>,
}

impl fmt::Debug for Visitor {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Visitor").field("name", &self.name).finish_non_exhaustive()
    }
}

/// A server's answer to hello.
#[derive(Clone, Debug)]
pub struct Welcome {
    /// Their public id.
    pub you: MemberId,
    /// Their name.
    pub name: Name,
    /// A new identity for them, to be saved.
    pub identity: Option<Identity>,
    /// Whether they have an account.
    pub account: bool,
    /// Whether that is the account of a bot.
    pub bot: bool,
}

/// Why there is no connection.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum ConnectionError {
    /// The server did not answer.
    #[error("cannot reach {server}: {why}. Is the server running, and is the address right?")]
    Unreachable {
        /// The server's address, or all of them.
        server: String,
        /// The system's error.
        why: String,
    },
    /// The server refused.
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
    /// Whether a later retry may succeed.
    fn is_passing(&self) -> bool {
        match self {
            Self::Unreachable { .. } | Self::Lost(_) => true,
            Self::Closed(_) => false,
            Self::Refused(refusal) => is_passing(refusal),
        }
    }
}

/// Whether a command that was refused so may be done later.
pub const fn is_passing(refusal: &Refusal) -> bool {
    matches!(
        refusal.reason,
        Reason::TooFast
            | Reason::Busy
            | Reason::Unavailable
            | Reason::Stopping
            | Reason::ServerFull
            | Reason::DiskFull
            | Reason::RoomFull
            | Reason::TooManySessions
            | Reason::TooManyJoined
            | Reason::TooManyRoomsMade
            | Reason::TooManyUnknownCodes
            | Reason::TooManyConnections
            | Reason::TooManyNewConnections
    )
}

/// A connection that outlives its sockets by reconnecting.
pub struct Connection {
    server: ServerList,
    /// The index of the address of the last socket.
    address: Arc<AtomicUsize>,
    identity: Option<Identity>,
    session: Option<SessionCookie>,
    token: Option<ApiToken>,
    connector: Option<Connector>,
    ids: CommandIds,
    commands: mpsc::Sender<Command>,
    events: mpsc::Receiver<TableEvent>,
    /// Events that come before those of the task: commands that this process refused, and
    /// challenges that came during a question.
    early: VecDeque<TableEvent>,
    task: JoinHandle<()>,
}

impl Connection {
    /// Connects to the first address that accepts us, and sends hello.
    ///
    /// # Errors
    /// When no address can be reached or answers, or the server refuses.
    pub async fn open(
        server: ServerList,
        visitor: Visitor,
    ) -> Result<(Self, Welcome), ConnectionError> {
        let mut ids = CommandIds::new();
        let mut index = 0;
        let (socket, welcome) = loop {
            match greet(&server, index, &mut ids, &visitor).await {
                Err(error) if error.is_passing() && index + 1 < server.len() => index += 1,
                Err(ConnectionError::Unreachable { why, .. }) => {
                    let server = server.to_string();
                    return Err(ConnectionError::Unreachable { server, why });
                }
                greeted => break greeted?,
            }
        };
        let identity = welcome.identity.clone().or(visitor.identity);
        let (session, token) = (visitor.session.clone(), visitor.token.clone());
        let connector = visitor.connector.clone();
        let address = Arc::new(AtomicUsize::new(index));
        let (commands, taken) = mpsc::channel(QUEUE);
        let (given, events) = mpsc::channel(QUEUE);
        let task = ConnectionTask {
            server: server.clone(),
            address: address.clone(),
            visitor: Visitor {
                identity: identity.clone(),
                session: visitor.session,
                token: visitor.token.clone(),
                name: visitor.name,
                connector: visitor.connector,
            },
            ids: CommandIds::new(),
            room: None,
            unanswered: VecDeque::new(),
            commands: taken,
            events: given,
        };
        let task = tokio::spawn(task.run(socket));
        let early = VecDeque::new();
        let connection = Self {
            server,
            address,
            identity,
            session,
            token,
            connector,
            ids,
            commands,
            events,
            early,
            task,
        };
        Ok((connection, welcome))
    }

    /// The server's address, the one that answered last.
    pub fn server(&self) -> &ServerAddress {
        self.server.at(self.address.load(Ordering::Relaxed))
    }

    /// All addresses of the server.
    pub const fn servers(&self) -> &ServerList {
        &self.server
    }

    /// The identity of this person, a new one or an earlier one.
    pub const fn identity(&self) -> Option<&Identity> {
        self.identity.as_ref()
    }

    /// The session of the account that is connected.
    pub const fn session(&self) -> Option<&SessionCookie> {
        self.session.as_ref()
    }

    /// The key for requests over HTTP: the token, the account's session, or else the guest's identity.
    pub fn key(&self) -> Key<'_> {
        Key::of(self.token.as_ref(), self.session.as_ref(), self.identity.as_ref())
    }

    /// Sends a request over HTTP to the address that answered last, beside the socket.
    pub fn post(
        &self,
        path: &'static str,
        body: Value,
    ) -> impl Future<Output = anyhow::Result<()>> + Send + use<> {
        let (server, connector) = (self.server().clone(), self.connector.clone());
        let (token, session, identity) =
            (self.token.clone(), self.session.clone(), self.identity.clone());
        async move {
            let key = Key::of(token.as_ref(), session.as_ref(), identity.as_ref());
            let request = HttpRequest { method: Method::POST, path, key, body: Some(body) };
            request.send(&server, connector).await.map(drop)
        }
    }

    /// Sends a command, and resends it after each loss until it is answered. Refuses it here when
    /// too many commands are already waiting.
    pub fn send(&mut self, request: Request) -> CommandId {
        let id = self.ids.make();
        self.send_as(id.clone(), request);
        id
    }

    /// The same under an id that the command may have had before: then it is the same command.
    pub fn send_as(&mut self, id: CommandId, request: Request) {
        if self.commands.try_send(Command { id: id.clone(), request }).is_err() {
            let refusal = Refusal::new(Reason::Busy);
            let message = Message::Refused { id: Some(id), refusal };
            self.early.push_back(TableEvent::Message(Box::new(message)));
        }
    }

    /// The next event. Cancel-safe. After [`TableEvent::Ended`] it waits forever.
    pub async fn next(&mut self) -> TableEvent {
        if let Some(event) = self.early.pop_front() {
            return event;
        }
        match self.events.recv().await {
            Some(event) => event,
            None => std::future::pending().await,
        }
    }

    /// Sends a request and waits for its answer. Only for use while there is no table: drops other
    /// messages, except challenges.
    ///
    /// # Errors
    /// When the server refuses, or the connection breaks: a second time, if there is another address
    /// that may answer.
    pub async fn ask(&mut self, request: LobbyRequest) -> Result<Message, ConnectionError> {
        let losses = usize::from(self.server.len() > 1);
        self.ask_through(request, losses).await
    }

    /// The same, for as long as the connection comes back.
    ///
    /// # Errors
    /// When the server refuses, or does not want this client back.
    pub async fn ask_patiently(
        &mut self,
        request: LobbyRequest,
    ) -> Result<Message, ConnectionError> {
        self.ask_through(request, usize::MAX).await
    }

    async fn ask_through(
        &mut self,
        request: LobbyRequest,
        mut losses_left: usize,
    ) -> Result<Message, ConnectionError> {
        let id = self.send(Request::Lobby(request));
        let mut challenges = VecDeque::new();
        let answer = loop {
            match self.next().await {
                TableEvent::Message(message) if message.answers() == Some(&id) => {
                    break accepted(*message);
                }
                TableEvent::Message(message) if matches!(*message, Message::Challenged { .. }) => {
                    challenges.push_back(TableEvent::Message(message));
                }
                TableEvent::Message(_)
                | TableEvent::Back
                | TableEvent::BotFailed
                | TableEvent::AboutPerson { .. } => {}
                TableEvent::Lost { .. } if losses_left > 0 => losses_left -= 1,
                TableEvent::Lost { reason, .. } => break Err(ConnectionError::Lost(reason)),
                TableEvent::Ended { reason } => break Err(ConnectionError::Closed(reason)),
            }
        };
        self.early.append(&mut challenges);
        answer
    }

    /// Closes the connection, and waits briefly for the close frame to be sent.
    pub async fn close(self) {
        let Self { commands, events, mut task, .. } = self;
        drop((commands, events));
        if timeout(Duration::from_secs(2), &mut task).await.is_err() {
            task.abort();
        }
    }
}

impl fmt::Debug for Connection {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Connection").field("server", &self.server).finish_non_exhaustive()
    }
}

/// Makes command ids that no other process with this identity makes.
#[derive(Debug)]
pub struct CommandIds {
    prefix: u64,
    count: u64,
}

impl CommandIds {
    /// Starts with a random prefix.
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

/// The task behind a [`Connection`].
struct ConnectionTask {
    server: ServerList,
    /// The index of the address of the last socket.
    address: Arc<AtomicUsize>,
    visitor: Visitor,
    ids: CommandIds,
    /// The joined room, and the last event that was passed on.
    room: Option<(RoomCode, u64)>,
    /// Unanswered commands, in the order sent.
    unanswered: VecDeque<Command>,
    commands: mpsc::Receiver<Command>,
    events: mpsc::Sender<TableEvent>,
}

/// Why a socket is closed.
enum CloseReason {
    /// The table was dropped.
    Left,
    /// The server or the network closed it, with the close frame's code if there was one.
    Lost { code: Option<u16>, reason: String },
}

impl ConnectionTask {
    async fn run(mut self, mut socket: Socket) {
        let mut backoff = Backoff::default();
        // How often in a row another address was tried without a wait.
        let mut moves = 0;
        loop {
            let since = Instant::now();
            let (code, reason) = match self.exchange_messages(&mut socket).await {
                CloseReason::Left => {
                    // The server also notices the end of the stream.
                    drop(timeout(ANSWER_TIMEOUT, socket.close(None)).await);
                    return;
                }
                CloseReason::Lost { code, reason } => (code, reason),
            };
            if code.is_some_and(|code| !close::come_back(code)) {
                self.send_event(TableEvent::Ended { reason }).await;
                return;
            }
            if since.elapsed() >= STABLE_AFTER {
                backoff = Backoff::default();
                moves = 0;
            }
            if code == Some(close::POLICY) {
                backoff.slow_down();
            }
            // Another node is there when one stops, but we do not run in circles.
            let wait = if code == Some(close::RESTART) && moves + 1 < self.server.len() {
                moves += 1;
                Duration::ZERO
            } else {
                moves = 0;
                backoff.next(rand::random())
            };
            match self.reconnect(&mut backoff, wait, reason).await {
                Some(found) => socket = found,
                None => return,
            }
        }
    }

    /// Exchanges messages until the socket is closed.
    async fn exchange_messages(&mut self, socket: &mut Socket) -> CloseReason {
        let mut heard = Instant::now();
        let mut asked = false;
        loop {
            let alarm = heard + if asked { LOST_AFTER } else { PING_AFTER };
            tokio::select! {
                command = self.commands.recv(), if self.unanswered.len() < UNANSWERED_MAX => {
                    let Some(command) = command else { return CloseReason::Left };
                    let text = command.to_json();
                    self.unanswered.push_back(command);
                    if let Err(error) = send_frame(socket, Frame::text(text)).await {
                        return error.into();
                    }
                }
                frame = socket.next() => {
                    heard = Instant::now();
                    asked = false;
                    match read(frame) {
                        Ok(Some(message)) => {
                            self.track(&message);
                            if !self.send_event(TableEvent::Message(Box::new(message))).await {
                                return CloseReason::Left;
                            }
                        }
                        Ok(None) => {}
                        Err(reason) => return reason,
                    }
                }
                () = sleep_until(alarm) => {
                    if asked {
                        let reason = "the server is silent".into();
                        return CloseReason::Lost { code: None, reason };
                    }
                    asked = true;
                    if let Err(error) = send_frame(socket, Frame::Ping(Bytes::new())).await {
                        return error.into();
                    }
                }
            }
        }
    }

    /// Retries until the connection and the room are restored; `None` if that is impossible.
    async fn reconnect(
        &mut self,
        backoff: &mut Backoff,
        wait: Duration,
        reason: String,
    ) -> Option<Socket> {
        let mut reason = reason;
        let mut retry_in = wait;
        loop {
            if !self.send_event(TableEvent::Lost { reason, retry_in }).await {
                return None;
            }
            tokio::select! {
                () = sleep(retry_in) => {}
                () = self.events.closed() => return None,
            }
            match self.resume_anywhere().await {
                Ok(socket) => return self.send_event(TableEvent::Back).await.then_some(socket),
                Err(error) if error.is_passing() => reason = error.to_string(),
                Err(error) => {
                    self.send_event(TableEvent::Ended { reason: error.to_string() }).await;
                    return None;
                }
            }
            retry_in = backoff.next(rand::random());
        }
    }

    /// Tries each address once: the one after the last first, and the last one at the end.
    async fn resume_anywhere(&mut self) -> Result<Socket, ConnectionError> {
        let last = self.address.load(Ordering::Relaxed);
        let mut index = last;
        loop {
            index = (index + 1) % self.server.len();
            match self.resume(index).await {
                Err(error) if error.is_passing() && index != last => {}
                Ok(socket) => {
                    self.address.store(index, Ordering::Relaxed);
                    return Ok(socket);
                }
                Err(error) => return Err(error),
            }
        }
    }

    /// One try at one address: connects, sends hello, rejoins the room, and resends unanswered
    /// commands.
    async fn resume(&mut self, index: usize) -> Result<Socket, ConnectionError> {
        let (mut socket, _) = greet(&self.server, index, &mut self.ids, &self.visitor).await?;
        if let Some((room, seq)) = self.room.clone() {
            let request = LobbyRequest::Join { room, after: Some(seq) };
            let joined = ask_once(&mut socket, &mut self.ids, request).await?;
            self.track(&joined);
            self.send_event(TableEvent::Message(Box::new(joined))).await;
        }
        for command in &self.unanswered {
            send_frame(&mut socket, Frame::text(command.to_json())).await?;
        }
        Ok(socket)
    }

    /// Updates the unanswered commands and the room's last event.
    fn track(&mut self, message: &Message) {
        if let Some(id) = message.answers() {
            let is_leave = |command: &Command| {
                command.id == *id
                    && matches!(command.request, Request::Lobby(LobbyRequest::Leave { .. }))
            };
            if self.unanswered.iter().any(is_leave) {
                self.room = None;
            }
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
            | Message::AccountChanged { .. }
            | Message::Seeking { .. }
            | Message::Paired { .. }
            | Message::SeekOver { .. }
            | Message::Challenged { .. }
            | Message::Lobby { .. }
            | Message::LobbyChanged { .. }
            | Message::Sanction { .. }
            | Message::Presence { .. }
            | Message::Ratings { .. } => {}
        }
    }

    /// Sends an event to the table; `false` if it was dropped.
    async fn send_event(&self, event: TableEvent) -> bool {
        self.events.send(event).await.is_ok()
    }
}

/// Connects to one address of a server, and sends hello.
async fn greet(
    server: &ServerList,
    index: usize,
    ids: &mut CommandIds,
    visitor: &Visitor,
) -> Result<(Socket, Welcome), ConnectionError> {
    let patience = if server.len() > 1 { NEXT_ADDRESS_AFTER } else { ANSWER_TIMEOUT };
    let mut socket = connect(server.at(index), visitor, patience).await?;
    let welcome = send_hello(&mut socket, ids, visitor).await?;
    Ok((socket, welcome))
}

async fn connect(
    server: &ServerAddress,
    visitor: &Visitor,
    patience: Duration,
) -> Result<Socket, ConnectionError> {
    let config = WebSocketConfig::default()
        .read_buffer_size(16 << 10)
        .write_buffer_size(0)
        .max_write_buffer_size(1 << 20)
        .max_message_size(Some(MESSAGE_BYTES_MAX))
        .max_frame_size(Some(MESSAGE_BYTES_MAX));
    let unreachable =
        |why: String| ConnectionError::Unreachable { server: server.to_string(), why };
    let mut request = server
        .socket()
        .into_client_request()
        .map_err(|error| unreachable(sanitize(&error.to_string()).into_owned()))?;
    if let Some(session) = &visitor.session {
        let cookie = HeaderValue::from_str(session.as_str()).expect("letters, digits and marks");
        request.headers_mut().insert(COOKIE, cookie);
    }
    let connector = visitor.connector.clone();
    let connecting = connect_async_tls_with_config(request, Some(config), true, connector);
    match timeout(patience, connecting).await {
        Ok(Ok((socket, _))) => Ok(socket),
        Ok(Err(SocketError::Io(error))) => Err(unreachable(error.to_string())),
        Ok(Err(SocketError::Http(answer))) => Err(match refusal_in(&answer) {
            Some(refusal) => ConnectionError::Refused(refusal),
            None => unreachable(format!("it answers with status {}", answer.status())),
        }),
        Ok(Err(error)) => Err(unreachable(sanitize(&error.to_string()).into_owned())),
        Err(_) => Err(unreachable("no answer in time".into())),
    }
}

/// The refusal in the body of an HTTP answer.
fn refusal_in(answer: &Response<Option<Vec<u8>>>) -> Option<Refusal> {
    serde_json::from_slice(answer.body().as_deref()?).ok()
}

async fn send_hello(
    socket: &mut Socket,
    ids: &mut CommandIds,
    visitor: &Visitor,
) -> Result<Welcome, ConnectionError> {
    let is_guest = visitor.session.is_none() && visitor.token.is_none();
    let hello = LobbyRequest::Hello {
        protocol: VERSION,
        identity: visitor.identity.clone().filter(|_| is_guest),
        name: visitor.name.clone().filter(|_| is_guest),
        token: visitor.token.clone(),
    };
    match ask_once(socket, ids, hello).await? {
        Message::Welcome { you, name, identity, account, bot, .. } => {
            Ok(Welcome { you, name, identity, account, bot })
        }
        other => Err(unexpected(&other)),
    }
}

/// The error for an answer of the wrong type.
pub fn unexpected(answer: &Message) -> ConnectionError {
    let text = answer.to_json();
    let start: String = text.chars().take(60).collect();
    ConnectionError::Closed(format!("unexpected answer from the server: {}", sanitize(&start)))
}

/// Sends one request and waits for its answer, before the task takes over.
async fn ask_once(
    socket: &mut Socket,
    ids: &mut CommandIds,
    request: LobbyRequest,
) -> Result<Message, ConnectionError> {
    let command = Command { id: ids.make(), request: Request::Lobby(request) };
    send_frame(socket, Frame::text(command.to_json())).await?;
    let answer = async {
        loop {
            match read(socket.next().await) {
                Ok(Some(message)) if message.answers() == Some(&command.id) => {
                    return accepted(message);
                }
                Ok(_) => {}
                Err(CloseReason::Lost { code: Some(code), reason }) if !close::come_back(code) => {
                    return Err(ConnectionError::Closed(reason));
                }
                Err(CloseReason::Lost { reason, .. }) => return Err(ConnectionError::Lost(reason)),
                Err(CloseReason::Left) => return Err(ConnectionError::Lost("left".into())),
            }
        }
    };
    match timeout(ANSWER_TIMEOUT, answer).await {
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

async fn send_frame(socket: &mut Socket, frame: Frame) -> Result<(), ConnectionError> {
    match timeout(ANSWER_TIMEOUT, socket.send(frame)).await {
        Ok(Ok(())) => Ok(()),
        Ok(Err(error)) => Err(ConnectionError::Lost(error.to_string())),
        Err(_) => Err(ConnectionError::Lost("the server accepts no data".into())),
    }
}

/// Reads a frame. `None` for those without a message: pings, and messages of later versions.
fn read(frame: Option<Result<Frame, SocketError>>) -> Result<Option<Message>, CloseReason> {
    let lost =
        |code, reason: &str| Err(CloseReason::Lost { code, reason: sanitize(reason).into() });
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

impl From<ConnectionError> for CloseReason {
    fn from(error: ConnectionError) -> Self {
        Self::Lost { code: None, reason: error.to_string() }
    }
}
