//! One session: a socket and the identity behind it.
//!
//! It reads commands, one after the other, answers those that are no room's business and passes the
//! others on, and writes what its outbox holds. How rooms and games work is unknown here.

mod close_reason;
mod frame_limit;

use std::{
    collections::HashMap,
    net::IpAddr,
    pin::{Pin, pin},
    sync::{Arc, Weak},
    time::Duration,
};

use fivefold_shared::protocol::{
    self, Command, CommandId, Create, Identity, LobbyRequest, Message, Name, Reason, Refusal,
    RefusalValues, Request, RoomCode, RoomRequest,
};
use fivefold_shared::room::{Input, Member, SessionId};
use futures_util::{SinkExt, StreamExt, future::join_all};
use tokio::{
    sync::mpsc,
    time::{Instant, Sleep, sleep_until, timeout},
};
use tokio_tungstenite::{
    WebSocketStream,
    tungstenite::{self, Utf8Bytes, protocol::WebSocketConfig},
};
use tokio_util::sync::{CancellationToken, WaitForCancellationFuture};

use self::{close_reason::CloseReason, frame_limit::Metered};
use crate::{
    Server,
    address_limits::AddressLimit,
    identities::Authenticated,
    ids,
    limits::{
        CODE_REFUSALS_MAX, FRAMES_PER_COMMAND, JOINED_ROOMS_MAX, LOGIN_TRIES_MAX, Limits,
        READ_BUFFER, TOO_FAST_REFUSALS_MAX, WRITE_BUFFER, WRITE_BUFFER_MAX,
    },
    lobby::{RoomHandle, no_such_room},
    logins::Ending,
    outbox::{Outbox, OutboxReceiver, encode},
    room_actor::Envelope,
    thinking::Owner,
    token_bucket::TokenBucket,
};

/// A connection after its handshake.
type Connection = hyper_util::rt::TokioIo<hyper::upgrade::Upgraded>;

/// The same with its frames counted.
type Socket = Metered<Connection>;

/// How sockets are read and written.
fn config(message_max: usize) -> WebSocketConfig {
    WebSocketConfig::default()
        .read_buffer_size(READ_BUFFER)
        .write_buffer_size(WRITE_BUFFER)
        .max_write_buffer_size(WRITE_BUFFER_MAX)
        .max_message_size(Some(message_max))
        .max_frame_size(Some(message_max))
        .accept_unmasked_frames(false)
}

/// A client that sends commands too fast is refused for a while before it is ended: this does not
/// end it earlier.
fn frames_allowed(limits: &Limits) -> TokenBucket {
    let per_second = f64::from(limits.commands_per_second) * f64::from(FRAMES_PER_COMMAND);
    let burst = limits.commands_burst.saturating_add(TOO_FAST_REFUSALS_MAX);
    TokenBucket::new(Instant::now(), per_second, burst.saturating_mul(FRAMES_PER_COMMAND))
}

/// Runs a session until either side ends it.
pub(crate) async fn run(
    connection: Connection,
    id: SessionId,
    address: IpAddr,
    server: Arc<Server>,
) {
    let role = tungstenite::protocol::Role::Server;
    let config = config(server.limits.message_max);
    let socket = Metered::new(connection, frames_allowed(&server.limits));
    let socket = WebSocketStream::from_raw_socket(socket, role, Some(config)).await;
    let (outbox, messages, ending) = Outbox::new(&server.stop, Owner::of(address));
    let now = Instant::now();
    let per_second = f64::from(server.limits.commands_per_second);
    let bucket = TokenBucket::new(now, per_second, server.limits.commands_burst);
    let lines_per_second = f64::from(server.limits.lines_per_minute) / 60.0;
    let lines = TokenBucket::new(now, lines_per_second, server.limits.lines_burst);
    let help_per_second = f64::from(server.limits.help_per_minute) / 60.0;
    let help = TokenBucket::new(now, help_per_second, server.limits.help_burst);
    let address_rate = server.address_limits.of(address, now);
    let mut session = Session {
        hello_by: now + server.limits.hello_timeout,
        ping_at: now + server.limits.ping_interval,
        pings: 0,
        pinged_at: None,
        lag: Duration::ZERO,
        heard_at: now,
        id,
        address,
        server,
        socket,
        outbox,
        messages,
        login: Ending::new(ending.clone()),
        ending,
        who: None,
        rooms: HashMap::new(),
        bucket,
        lines,
        help,
        address_rate,
        too_fast: 0,
        codes_refused: 0,
        kind: "unknown",
    };
    let end = session.serve().await;
    tracing::debug!(session.id = id.0, ?end, "session ended");
    session.server.metrics.session_ended(end.code());
    if let Some(who) = &session.who {
        session.server.logins.leave(&who.member.id, id);
    }
    let Session { socket, rooms, outbox, messages, .. } = session;
    // Rooms see at once that nothing more is read.
    drop((outbox, messages));
    tokio::join!(close_reason::close(socket, end), leave_all(id, rooms));
}

struct Session {
    id: SessionId,
    /// From where the client comes.
    address: IpAddr,
    server: Arc<Server>,
    socket: WebSocketStream<Socket>,
    outbox: Outbox,
    messages: OutboxReceiver,
    /// The outbox was full, or the server stops.
    ending: CancellationToken,
    /// The same where the identity was replaced.
    login: Ending,
    /// Who this is; nobody before `hello`.
    who: Option<Authenticated>,
    /// The rooms that the session is in, or has asked to enter.
    rooms: HashMap<RoomCode, Joined>,
    bucket: TokenBucket,
    /// What is left of the lines of chat that it may say.
    lines: TokenBucket,
    /// The same of questions to bots.
    help: TokenBucket,
    /// Shared with the other sessions from the same address.
    address_rate: Arc<AddressLimit>,
    /// Commands refused as too fast since the last that was not.
    too_fast: u32,
    /// Codes that were not even looked up.
    codes_refused: u32,
    /// The type of the command that is dealt with.
    kind: &'static str,
    hello_by: Instant,
    ping_at: Instant,
    /// The pings sent so far; each carries its number.
    pings: u64,
    /// When the last one was sent, until it is answered.
    pinged_at: Option<Instant>,
    /// How long the last answer to a ping took.
    lag: Duration,
    /// When the peer last sent anything.
    heard_at: Instant,
}

struct Joined {
    room: RoomHandle,
    /// The room keeps this for as long as the session is in it.
    outbox: Weak<Outbox>,
}

impl Session {
    /// Reads and writes until the session is to end; why it is.
    async fn serve(&mut self) -> CloseReason {
        // These two live as long as the session: to begin and end them for every message costs
        // more than all else that is done for it here.
        let ending = self.ending.clone();
        let mut ended = pin!(ending.cancelled());
        let mut timer = pin!(sleep_until(self.timer()));
        loop {
            if timer.deadline() != self.timer() {
                timer.as_mut().reset(self.timer());
            }
            if let Err(end) = self.step(ended.as_mut(), timer.as_mut()).await {
                return end;
            }
        }
    }

    /// When [`Self::tick`] is due.
    fn timer(&self) -> Instant {
        match self.who {
            Some(_) => self.ping_at,
            None => self.ping_at.min(self.hello_by),
        }
    }

    async fn step(
        &mut self,
        ended: Pin<&mut WaitForCancellationFuture<'_>>,
        timer: Pin<&mut Sleep>,
    ) -> Result<(), CloseReason> {
        tokio::select! {
            biased;
            Some(text) = self.messages.recv() => self.write(text).await,
            () = ended => Err(self.end()),
            message = self.socket.next() => self.read(message).await,
            () = timer => self.tick().await,
        }
    }

    /// Why the session is to end at once.
    fn end(&self) -> CloseReason {
        if self.server.stop.is_cancelled() {
            CloseReason::RESTART
        } else if self.login.is_replaced() {
            CloseReason::IDENTITY_REPLACED
        } else {
            CloseReason::TOO_SLOW
        }
    }

    async fn tick(&mut self) -> Result<(), CloseReason> {
        let now = Instant::now();
        if self.who.is_none() && now >= self.hello_by {
            return Err(CloseReason::NO_HELLO);
        }
        if now >= self.heard_at + self.server.limits.idle_timeout {
            return Err(CloseReason::IDLE);
        }
        if now >= self.ping_at {
            self.ping_at = now + self.server.limits.ping_interval;
            self.pings += 1;
            self.pinged_at = Some(now);
            let number = self.pings.to_be_bytes().to_vec();
            return self.send(tungstenite::Message::Ping(number.into())).await;
        }
        Ok(())
    }

    /// Writes a message and whatever else waits.
    async fn write(&mut self, first: Utf8Bytes) -> Result<(), CloseReason> {
        let Self { socket, messages, ending, server, .. } = self;
        server.metrics.note_outbox(messages.len() + 1);
        let write = async {
            socket.feed(tungstenite::Message::Text(first)).await?;
            while let Some(next) = messages.try_recv() {
                socket.feed(tungstenite::Message::Text(next)).await?;
            }
            socket.flush().await
        };
        tokio::select! {
            biased;
            written = timeout(server.limits.write_timeout, write) => close_reason::written(written),
            () = ending.cancelled() => Err(self.end()),
        }
    }

    async fn send(&mut self, message: tungstenite::Message) -> Result<(), CloseReason> {
        let write = self.socket.send(message);
        close_reason::written(timeout(self.server.limits.write_timeout, write).await)
    }

    async fn say(&mut self, message: Message) -> Result<(), CloseReason> {
        self.server.metrics.answered(self.kind, &message);
        self.write(encode(&message)).await
    }

    async fn read(
        &mut self,
        message: Option<Result<tungstenite::Message, tungstenite::Error>>,
    ) -> Result<(), CloseReason> {
        self.heard_at = Instant::now();
        match message {
            None => Err(CloseReason::Gone),
            Some(Err(error)) => Err(CloseReason::from_error(&error)),
            Some(Ok(tungstenite::Message::Text(text))) => {
                self.command(Command::from_json(&text)).await
            }
            Some(Ok(tungstenite::Message::Binary(_))) => {
                let detail = "a command is a text message, not a binary one";
                self.command(Err((None, Refusal::malformed(detail)))).await
            }
            // The answers to these are written with the next read.
            Some(Ok(tungstenite::Message::Ping(_) | tungstenite::Message::Close(_))) => Ok(()),
            Some(Ok(tungstenite::Message::Pong(number))) => {
                self.measure_lag(&number);
                Ok(())
            }
            Some(Ok(tungstenite::Message::Frame(_))) => Ok(()),
        }
    }

    /// Takes the time that the answer to the last ping took: there and back, as for an opponent's
    /// move and the answer to it. Only that ping's number will do, and only once; a client that
    /// waits with the answer gains no more than the clock's caps allow.
    fn measure_lag(&mut self, number: &[u8]) {
        if number == self.pings.to_be_bytes()
            && let Some(pinged_at) = self.pinged_at.take()
        {
            self.lag = pinged_at.elapsed();
        }
    }

    fn lag_ms(&self) -> u64 {
        u64::try_from(self.lag.as_millis()).unwrap_or(u64::MAX)
    }

    /// Deals with a command, and says what comes of it unless a room does.
    async fn command(
        &mut self,
        command: Result<Command, (Option<CommandId>, Refusal)>,
    ) -> Result<(), CloseReason> {
        self.kind = command.as_ref().map_or("unknown", |command| command.request.kind());
        let now = Instant::now();
        let request = command.as_ref().ok().map(|command| &command.request);
        let (id, answer) = match (self.may_command(request, now), command) {
            (Ok(()), Ok(Command { id, request })) => {
                let answer = self.obey(&id, request, now).await;
                (Some(id), answer)
            }
            (Ok(()), Err((id, refusal))) => (id, Err(refusal.into())),
            (Err(no), Ok(Command { id, .. })) => (Some(id), Err(no)),
            (Err(no), Err((id, _))) => (id, Err(no)),
        };
        let refused = |refusal| Some(Message::Refused { id, refusal });
        let (message, end) = match answer {
            Ok(message) => (message, Ok(())),
            Err(CommandError::Refused(refusal)) => (refused(refusal), Ok(())),
            Err(CommandError::Close(end)) => (None, Err(end)),
            Err(CommandError::RefusedAndClosed(refusal, end)) => (refused(refusal), Err(end)),
        };
        if let Some(message) = message {
            self.say(message).await?;
        }
        end
    }

    /// Whether one more command is not too many. What others at the same address do costs nobody a
    /// move.
    fn may_command(&mut self, request: Option<&Request>, now: Instant) -> Result<(), CommandError> {
        if self.bucket.take(now)
            && (self.address_rate.take_command(now) || self.is_own_play(request))
        {
            self.too_fast = 0;
            return Ok(());
        }
        self.too_fast += 1;
        if self.too_fast >= TOO_FAST_REFUSALS_MAX {
            return Err(CloseReason::TOO_FAST.into());
        }
        Err(Refusal::new(Reason::TooFast).into())
    }

    /// Whether this plays a game in which the session has a seat.
    fn is_own_play(&self, request: Option<&Request>) -> bool {
        let (Some(Request::Room { room, request }), Some(who)) = (request, &self.who) else {
            return false;
        };
        let seated = |joined: &Joined| joined.room.is_seated(&who.member.id);
        request.is_play() && self.rooms.get(room).is_some_and(seated)
    }

    /// What is waited for while a room's command is passed on is nothing, and that for others is
    /// put into a box: an idle session is as large as the largest of what it may wait for.
    async fn obey(&mut self, id: &CommandId, request: Request, now: Instant) -> CommandResult {
        let Some(who) = &self.who else {
            return match request {
                Request::Lobby(LobbyRequest::Ping) => Ok(Some(Message::Pong { id: id.clone() })),
                Request::Lobby(LobbyRequest::Hello { protocol, identity, name }) => {
                    Box::pin(self.hello(id, protocol, identity, name)).await
                }
                Request::Lobby(_) | Request::Room { .. } => {
                    let refusal = Refusal::new(Reason::HelloFirst);
                    Err(CommandError::RefusedAndClosed(refusal, CloseReason::NO_HELLO))
                }
            };
        };
        match request {
            Request::Lobby(request) => {
                let who = who.clone();
                Box::pin(self.lobby(who, id, request)).await
            }
            Request::Room { request, .. } if !self.may_ask(&request, now) => {
                Err(Refusal::new(Reason::TooFast).into())
            }
            Request::Room { room, request } => {
                let lag_ms = self.lag_ms();
                let input = Input::Command { session: self.id, id: id.clone(), request, lag_ms };
                self.pass_on(&room, input)
            }
        }
    }

    /// Whether what is asked has a rate of its own and is asked too often.
    fn may_ask(&mut self, request: &RoomRequest, now: Instant) -> bool {
        if let RoomRequest::Say { .. } = request {
            return self.lines.take(now) && self.address_rate.take_line(now);
        }
        if let RoomRequest::Weights { .. } | RoomRequest::Analyse { .. } = request {
            return self.help.take(now) && self.address_rate.take_help(now);
        }
        true
    }

    async fn hello(
        &mut self,
        id: &CommandId,
        protocol: u32,
        identity: Option<Identity>,
        name: Option<Name>,
    ) -> CommandResult {
        if protocol != protocol::VERSION {
            let version = Some(protocol::VERSION);
            let values = RefusalValues { version, ..RefusalValues::default() };
            let refusal = Refusal::with(Reason::Version, values);
            return Err(CommandError::RefusedAndClosed(refusal, CloseReason::VERSION));
        }
        name.as_ref().map_or(Ok(()), may_be_called)?;
        let made = identity.is_none().then(ids::identity);
        let secret = identity.as_ref().or(made.as_ref()).expect("one of the two");
        let authenticated = log_in(&self.server, self.id, &self.login, secret, name).await?;
        let Member { id: you, name } = authenticated.member.clone();
        self.outbox.identify(authenticated.hash);
        self.who = Some(authenticated);
        // The lag is known before the first move.
        self.ping_at = Instant::now();
        Ok(Some(Message::Welcome {
            id: id.clone(),
            protocol: protocol::VERSION,
            server: concat!("fivefold ", env!("CARGO_PKG_VERSION")).to_owned(),
            you,
            name,
            identity: made,
            chat: self.server.limits.room.chat,
        }))
    }

    /// The command may be said again over another session, which has the new identity already.
    async fn replace_identity(
        &mut self,
        mut who: Authenticated,
        id: &CommandId,
        identity: &Identity,
    ) -> CommandResult {
        let new = ids::identity_hash(identity);
        if new != who.hash {
            self.server.identities.replace(&who, new).await?;
            self.server.logins.end_others(&who.member.id, self.id);
            who.hash = new;
            self.outbox.identify(new);
            self.who = Some(who);
        }
        Ok(Some(Message::Done { id: id.clone(), seq: None }))
    }

    async fn lobby(
        &mut self,
        who: Authenticated,
        id: &CommandId,
        request: LobbyRequest,
    ) -> CommandResult {
        match request {
            LobbyRequest::Hello { .. } => Err(Refusal::new(Reason::AlreadyGreeted).into()),
            LobbyRequest::SetName { name } => self.set_name(who, id, name).await,
            LobbyRequest::ReplaceIdentity { identity } => {
                self.replace_identity(who, id, &identity).await
            }
            LobbyRequest::Create(create) => self.create(who.member, id, create),
            LobbyRequest::Rooms => {
                let list = self.server.lobby.list();
                Ok(Some(Message::Rooms { id: id.clone(), rooms: list.rooms, total: list.total }))
            }
            LobbyRequest::OwnRooms => {
                let rooms = self.server.lobby.own_rooms(&who.member.id);
                Ok(Some(Message::OwnRooms { id: id.clone(), rooms }))
            }
            LobbyRequest::Join { room, after } => {
                let handle = self.find(&room)?;
                self.enter(who.member, id, room, handle, after)
            }
            LobbyRequest::Leave { room } => {
                let input = Input::Leave { session: self.id, command: Some(id.clone()) };
                let answer = self.pass_on(&room, input)?;
                self.rooms.remove(&room);
                Ok(answer)
            }
            LobbyRequest::Close { room } => {
                let (session, member) = (self.id, who.member.id);
                self.pass_on(&room, Input::Close { session, member, command: id.clone() })
            }
            LobbyRequest::Ping => Ok(Some(Message::Pong { id: id.clone() })),
        }
    }

    async fn set_name(
        &mut self,
        mut who: Authenticated,
        id: &CommandId,
        name: Name,
    ) -> CommandResult {
        may_be_called(&name)?;
        let envelopes: Vec<_> = self
            .rooms
            .values()
            .filter_map(|joined| {
                let input = Input::Renamed { session: self.id, name: name.clone() };
                let outbox = joined.outbox.upgrade()?;
                Some((joined.room.mailbox().try_reserve(), Envelope { input, outbox }))
            })
            .collect();
        let is_full = |(place, _): &(Result<_, mpsc::error::TrySendError<()>>, Envelope)| {
            matches!(place, Err(mpsc::error::TrySendError::Full(())))
        };
        if envelopes.iter().any(is_full) {
            return Err(busy().into());
        }
        who.member.name = name;
        if let Err(error) = self.server.identities.update(&who, self.server.clock.now()).await {
            tracing::warn!(%error, "the name of a member is not stored");
            return Err(Refusal::new(Reason::Unavailable).into());
        }
        for (place, envelope) in envelopes {
            // A room that has closed meanwhile has no names.
            if let Ok(place) = place {
                place.send(envelope);
            }
        }
        self.who = Some(who);
        Ok(Some(Message::Done { id: id.clone(), seq: None }))
    }

    fn create(&mut self, member: Member, id: &CommandId, create: Create) -> CommandResult {
        if self.server.stop.is_cancelled() {
            return Err(CloseReason::RESTART.into());
        }
        self.may_join(None)?;
        let (code, room) =
            self.server.lobby.create(member.clone(), self.address, id.clone(), create)?;
        self.enter(member, id, code, room, None)
    }

    /// Whether the session may enter this room, or a new one.
    fn may_join(&mut self, room: Option<&RoomCode>) -> Result<(), Refusal> {
        self.rooms.retain(|_, joined| joined.outbox.strong_count() > 0);
        let is_in = room.is_some_and(|code| self.rooms.contains_key(code));
        if is_in || self.rooms.len() < JOINED_ROOMS_MAX {
            return Ok(());
        }
        Err(Refusal::new(Reason::TooManyJoined))
    }

    /// Looks up a room by a code that may be guessed: not as often as one likes.
    fn find(&mut self, code: &RoomCode) -> Result<RoomHandle, CommandError> {
        let now = Instant::now();
        if self.rooms.contains_key(code) {
            return Ok(self.server.lobby.find(code)?);
        }
        if !self.address_rate.may_try_code(now) {
            self.codes_refused += 1;
            if self.codes_refused >= CODE_REFUSALS_MAX {
                return Err(CloseReason::TOO_FAST.into());
            }
            return Err(Refusal::new(Reason::TooManyUnknownCodes).into());
        }
        let found = self.server.lobby.find(code);
        if found.is_err() {
            self.address_rate.note_unknown_code(now);
        }
        Ok(found?)
    }

    fn enter(
        &mut self,
        member: Member,
        id: &CommandId,
        code: RoomCode,
        room: RoomHandle,
        after: Option<u64>,
    ) -> CommandResult {
        self.may_join(Some(&code))?;
        let outbox = Arc::new(self.outbox.clone());
        let kept = Arc::downgrade(&outbox);
        let input = Input::Enter { session: self.id, member, command: id.clone(), after };
        post(&room, Envelope { input, outbox })?;
        self.rooms.insert(code, Joined { room, outbox: kept });
        Ok(None)
    }

    /// Passes a command on to a room, which answers it, also when the session is not in it.
    fn pass_on(&mut self, code: &RoomCode, input: Input) -> CommandResult {
        if let Some(joined) = self.rooms.get(code)
            && let Some(outbox) = joined.outbox.upgrade()
        {
            post(&joined.room, Envelope { input, outbox })?;
        } else {
            let room = self.find(code)?;
            post(&room, Envelope { input, outbox: Arc::new(self.outbox.clone()) })?;
        }
        Ok(None)
    }
}

/// Looks up who has an identity, and enters the session among theirs.
async fn log_in(
    server: &Server,
    session: SessionId,
    ending: &Ending,
    identity: &Identity,
    name: Option<Name>,
) -> Result<Authenticated, CommandError> {
    let Server { identities, logins, clock, .. } = server;
    for _ in 0..LOGIN_TRIES_MAX {
        let replacements = logins.replacements();
        let authenticated = match identities.authenticate(identity, name.clone(), clock.now()).await
        {
            Ok(authenticated) => authenticated,
            Err(refusal) if refusal.reason == Reason::IdentityReplaced => {
                return Err(CommandError::RefusedAndClosed(
                    refusal,
                    CloseReason::IDENTITY_REPLACED,
                ));
            }
            Err(refusal) => return Err(refusal.into()),
        };
        if logins.enter(&authenticated.member.id, session, ending, replacements) {
            return Ok(authenticated);
        }
    }
    Err(Refusal::new(Reason::Busy).into())
}

/// What comes of a command: an answer, unless it is a room that gives it.
type CommandResult = Result<Option<Message>, CommandError>;

/// What else comes of a command.
enum CommandError {
    Refused(Refusal),
    Close(CloseReason),
    RefusedAndClosed(Refusal, CloseReason),
}

impl From<Refusal> for CommandError {
    fn from(refusal: Refusal) -> Self {
        Self::Refused(refusal)
    }
}

impl From<CloseReason> for CommandError {
    fn from(end: CloseReason) -> Self {
        Self::Close(end)
    }
}

/// Whether a person may have this name.
fn may_be_called(name: &Name) -> Result<(), Refusal> {
    if name.looks_like_bot() {
        return Err(Refusal::new(Reason::NameLooksLikeBot));
    }
    Ok(())
}

/// Puts an input into a room's mailbox.
fn post(room: &RoomHandle, envelope: Envelope) -> Result<(), Refusal> {
    room.mailbox().try_send(envelope).map_err(|error| match error {
        mpsc::error::TrySendError::Full(_) => busy(),
        mpsc::error::TrySendError::Closed(_) => no_such_room(),
    })
}

fn busy() -> Refusal {
    Refusal::new(Reason::Busy)
}

/// Tells the rooms that the socket is gone.
async fn leave_all(session: SessionId, rooms: HashMap<RoomCode, Joined>) {
    let leave = |joined: Joined| async move {
        if let Some(outbox) = joined.outbox.upgrade() {
            let input = Input::Leave { session, command: None };
            // A room that has closed knows nobody.
            drop(joined.room.mailbox().send(Envelope { input, outbox }).await);
        }
    };
    join_all(rooms.into_values().map(leave)).await;
}
