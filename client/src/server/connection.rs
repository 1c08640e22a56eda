//! The connection to a server, by any of its addresses: one task sends hello, reconnects after a
//! loss, requests the events it missed, and resends unanswered commands.
//!
//! It does not know what the room's events mean; see [`crate::play::table`].

mod data;
mod server_clock;
mod socket;
mod task;

use std::{
    collections::{HashSet, VecDeque},
    fmt,
    sync::{
        Arc,
        atomic::{AtomicUsize, Ordering},
    },
    time::Duration,
};

use fivefold_shared::protocol::{
    ApiToken, Command, CommandId, Identity, LobbyRequest, Message, Reason, Refusal, Request,
};
use hyper::Method;
use serde_json::Value;
use tokio::{
    sync::{mpsc, watch},
    task::JoinHandle,
    time::{Instant, timeout},
};
use tokio_tungstenite::Connector;

pub use self::data::{CommandIds, ConnectionError, TableEvent, Visitor, Welcome, unexpected};
use self::{data::accepted, server_clock::ServerClock, socket::greet, task::ConnectionTask};
use crate::{
    own_clock::now,
    server::{
        http_request::{HttpRequest, Key},
        room_link::ServerAddress,
        server_list::ServerList,
        session_cookie::SessionCookie,
    },
};

/// Messages and commands that may be queued in this process.
const QUEUE: usize = 128;

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
    is_playing: watch::Sender<bool>,
    /// When the server was asked something, since its last answer.
    asked_at: watch::Receiver<Option<Instant>>,
    clock: watch::Receiver<Option<ServerClock>>,
    commands: mpsc::Sender<Command>,
    events: mpsc::Receiver<TableEvent>,
    /// Events that come before those of the task: commands that this process refused, and
    /// challenges and account news that came during a question.
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
        let (is_playing, playing) = watch::channel(false);
        let (asking, asked_at) = watch::channel(None);
        let (clock_sender, clock) = watch::channel(None);
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
            playing,
            asking,
            clock: clock_sender,
            room: None,
            unanswered: VecDeque::new(),
            told_challenges: HashSet::new(),
            announced: None,
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
            is_playing,
            asked_at,
            clock,
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

    /// Says whether a game is running. Then a silent server is noticed sooner.
    pub fn set_playing(&self, is_playing: bool) {
        self.is_playing
            .send_if_modified(|before| std::mem::replace(before, is_playing) != is_playing);
    }

    /// For how long the server has been silent although something was asked.
    pub fn silence(&self) -> Duration {
        self.asked_at.borrow().map_or(Duration::ZERO, |asked_at| asked_at.elapsed())
    }

    /// The time by the server's clock, in milliseconds since the Unix epoch; by ours as long as it is not
    /// known.
    pub fn now(&self) -> u64 {
        self.clock.borrow().map_or_else(now, |clock| clock.now(std::time::Instant::now()))
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
    /// messages, except challenges and account news.
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
        let mut news = VecDeque::new();
        let answer = loop {
            match self.next().await {
                TableEvent::Message(message) if message.answers() == Some(&id) => {
                    break accepted(*message);
                }
                TableEvent::Message(message)
                    if matches!(
                        *message,
                        Message::Challenged { .. }
                            | Message::AccountChanged { .. }
                            | Message::Announcement { .. }
                    ) =>
                {
                    news.push_back(TableEvent::Message(message));
                }
                TableEvent::Message(_)
                | TableEvent::Back
                | TableEvent::Restored { .. }
                | TableEvent::BotFailed
                | TableEvent::AboutPerson { .. } => {}
                TableEvent::Lost { .. } if losses_left > 0 => losses_left -= 1,
                TableEvent::Lost { reason, .. } => break Err(ConnectionError::Lost(reason)),
                TableEvent::Ended { reason } => break Err(ConnectionError::Closed(reason)),
            }
        };
        self.early.append(&mut news);
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
