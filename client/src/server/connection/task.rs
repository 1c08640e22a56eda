//! The task behind a connection: it passes messages on, notices a loss, and comes back.

use std::{
    collections::{HashSet, VecDeque},
    sync::{
        Arc,
        atomic::{AtomicUsize, Ordering},
    },
    time::Duration,
};

use fivefold_shared::protocol::{
    CatchUp, ChatText, Command, CommandId, LobbyRequest, Message, NumberedEvent, Reason, Request,
    RoomCode, close,
};
use futures_util::{StreamExt, stream::FuturesUnordered};
use tokio::{
    sync::{mpsc, watch},
    time::{Instant, sleep, sleep_until, timeout},
};
use tokio_tungstenite::tungstenite::{Bytes, Message as Frame};

use super::{
    data::{CommandIds, ConnectionError, TableEvent, Visitor},
    server_clock::ServerClock,
    socket::{ANSWER_TIMEOUT, Loss, Socket, ask_once, greet, read, send_frame},
};
use crate::server::{backoff::Backoff, server_list::ServerList};

/// How long a server may be silent.
struct Silence {
    /// Send a ping after this long without a frame.
    ping_after: Duration,
    /// Treat the connection as lost after this long without a frame.
    lost_after: Duration,
}

/// While nothing is urgent.
const IDLE: Silence =
    Silence { ping_after: Duration::from_secs(20), lost_after: Duration::from_secs(45) };
/// While a game is running: the clock runs, too.
const PLAYING: Silence =
    Silence { ping_after: Duration::from_secs(3), lost_after: Duration::from_secs(6) };
/// When a silent server is left, the most sockets that are tried before the loss is reported. Each
/// may lead to another node, also by a single address.
const MORE_SOCKETS: usize = 5;
/// The pause before the next of them: the earlier ones may still be greeted.
const NEXT_SOCKET_AFTER: Duration = Duration::from_millis(400);
/// The longest time for one of them to come back to the room.
const CHANGE_WITHIN: Duration = Duration::from_secs(3);
/// After a connection that lasted this long, the backoff starts again at its shortest wait.
const STABLE_AFTER: Duration = Duration::from_secs(30);
/// How many questions for the server's time follow each other soon.
const CLOCK_SAMPLES: u32 = 3;
/// The pause between those.
const CLOCK_SOON: Duration = Duration::from_secs(1);
/// The pause between later ones: a clock may be set, or this machine may have slept.
const CLOCK_LATER: Duration = Duration::from_secs(15);
/// Most unanswered commands; `send` refuses more.
const UNANSWERED_MAX: usize = 64;
/// Most friends' challenges to remember: many more than an account has at the same time.
const TOLD_CHALLENGES_MAX: usize = 100;

/// The task behind a [`Connection`].
pub(super) struct ConnectionTask {
    pub(super) server: ServerList,
    /// The index of the address of the last socket.
    pub(super) address: Arc<AtomicUsize>,
    pub(super) visitor: Visitor,
    pub(super) ids: CommandIds,
    /// Whether a game is running.
    pub(super) playing: watch::Receiver<bool>,
    /// When the server was asked something, since its last answer.
    pub(super) asking: watch::Sender<Option<Instant>>,
    /// The server's clock, once it is known.
    pub(super) clock: watch::Sender<Option<ServerClock>>,
    pub(super) room: Option<JoinedRoom>,
    /// Unanswered commands, in the order sent.
    pub(super) unanswered: VecDeque<Command>,
    /// Challenges of friends that the person has seen already: the friend's name, and the time of the challenge.
    pub(super) told_challenges: HashSet<(String, u64)>,
    /// What an operator has announced last.
    pub(super) announced: Option<ChatText>,
    pub(super) commands: mpsc::Receiver<Command>,
    pub(super) events: mpsc::Sender<TableEvent>,
}

/// The joined room.
#[derive(Clone)]
pub(super) struct JoinedRoom {
    code: RoomCode,
    /// The number of the last event that was passed on.
    seq: u64,
    /// That event; absent if it was in a snapshot.
    last: Option<NumberedEvent>,
}

/// The questions of one socket for the server's time: a few soon, then one now and then.
struct ClockPings {
    sent: Option<(CommandId, Instant)>,
    next: Instant,
    answers: u32,
}

impl Default for ClockPings {
    fn default() -> Self {
        Self { sent: None, next: Instant::now(), answers: 0 }
    }
}

impl ClockPings {
    fn is_due(&self, id: &CommandId) -> bool {
        self.sent.as_ref().is_some_and(|(sent, _)| sent == id)
    }

    /// The sample in an answer; none if the server says no time.
    fn answered(&mut self, server_now: u64) -> Option<ServerClock> {
        let (_, sent_at) = self.sent.take()?;
        let now = Instant::now();
        self.answers += 1;
        self.next = now + if self.answers < CLOCK_SAMPLES { CLOCK_SOON } else { CLOCK_LATER };
        (server_now > 0)
            .then(|| ServerClock::answered(sent_at.into_std(), now.into_std(), server_now))
    }
}

/// Why a socket is closed.
enum CloseReason {
    /// The table was dropped.
    Left,
    /// The server is silent.
    Silent,
    /// The server or the network closed it.
    Lost(Loss),
}

impl ConnectionTask {
    pub(super) async fn run(mut self, mut socket: Socket) {
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
                CloseReason::Silent => match self.change_over().await {
                    Some(found) => {
                        socket = found;
                        continue;
                    }
                    None => (None, "the server is silent".into()),
                },
                CloseReason::Lost(Loss { code, reason }) => (code, reason),
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
        self.asking.send_replace(None);
        let mut pings = ClockPings::default();
        loop {
            let knows_clock = self.clock.borrow().is_some();
            let silence = if *self.playing.borrow() { PLAYING } else { IDLE };
            let alarm = heard + if asked { silence.lost_after } else { silence.ping_after };
            tokio::select! {
                // Frames that have come count before the alarm.
                biased;
                command = self.commands.recv(), if self.unanswered.len() < UNANSWERED_MAX => {
                    let Some(command) = command else { return CloseReason::Left };
                    let text = command.to_json();
                    self.unanswered.push_back(command);
                    self.ask();
                    if let Err(error) = send_frame(socket, Frame::text(text)).await {
                        return error.into();
                    }
                }
                frame = socket.next() => {
                    heard = Instant::now();
                    asked = false;
                    self.asking.send_replace(None);
                    match read(frame) {
                        Ok(Some(Message::Pong { id, now })) if pings.is_due(&id) => {
                            let sample = pings.answered(now);
                            self.learn_clock(sample);
                        }
                        Ok(Some(message)) => {
                            self.track(&message);
                            if !self.is_told(&message)
                                && !self.send_event(TableEvent::Message(Box::new(message))).await
                            {
                                return CloseReason::Left;
                            }
                        }
                        Ok(None) => {}
                        Err(loss) => return CloseReason::Lost(loss),
                    }
                }
                Ok(()) = self.playing.changed() => {}
                () = sleep_until(pings.next), if knows_clock && pings.sent.is_none() => {
                    if let Err(error) = self.ask_time(socket, &mut pings).await {
                        return error.into();
                    }
                }
                () = sleep_until(alarm) => {
                    if asked {
                        return CloseReason::Silent;
                    }
                    asked = true;
                    self.ask();
                    if let Err(error) = send_frame(socket, Frame::Ping(Bytes::new())).await {
                        return error.into();
                    }
                }
            }
        }
    }

    /// Asks the server for its time.
    async fn ask_time(
        &mut self,
        socket: &mut Socket,
        pings: &mut ClockPings,
    ) -> Result<(), ConnectionError> {
        let id = self.ids.make();
        let command = Command { id: id.clone(), request: Request::Lobby(LobbyRequest::Ping) };
        pings.sent = Some((id, Instant::now()));
        self.ask();
        send_frame(socket, Frame::text(command.to_json())).await
    }

    /// A sample of the server's clock; none if the answer has no time.
    fn learn_clock(&self, sample: Option<ServerClock>) {
        let Some(sample) = sample else { return };
        self.clock.send_modify(|known| {
            *known = Some(known.map_or(sample, |known| known.or_better(sample)));
        });
    }

    /// The server is asked something, and its silence counts from the first question.
    fn ask(&self) {
        self.asking.send_modify(|asked_at| *asked_at = asked_at.or(Some(Instant::now())));
    }

    /// Leaves a silent server for another socket without a report; `None` if none comes back in time.
    async fn change_over(&mut self) -> Option<Socket> {
        let change = async {
            let (index, mut socket) = self.first_greeted().await?;
            self.rejoin(&mut socket).await.ok()?;
            self.address.store(index, Ordering::Relaxed);
            Some(socket)
        };
        timeout(CHANGE_WITHIN, change).await.ok().flatten()
    }

    /// The first of several sockets that is greeted, and the index of its address.
    async fn first_greeted(&self) -> Option<(usize, Socket)> {
        let last = self.address.load(Ordering::Relaxed);
        let mut tries: FuturesUnordered<_> = (0_u32..)
            .zip(1..=MORE_SOCKETS)
            .map(|(earlier, step)| async move {
                sleep(NEXT_SOCKET_AFTER * earlier).await;
                let index = (last + step) % self.server.len();
                let mut ids = CommandIds::new();
                let greeted = greet(&self.server, index, &mut ids, &self.visitor).await;
                greeted.ok().map(|(socket, _)| (index, socket))
            })
            .collect();
        while let Some(tried) = tries.next().await {
            if tried.is_some() {
                return tried;
            }
        }
        None
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
            let is_unavailable = match self.resume_anywhere().await {
                Ok(socket) => return self.send_event(TableEvent::Back).await.then_some(socket),
                Err(error) if error.is_passing() => {
                    reason = error.to_string();
                    error.is_unavailable()
                }
                Err(error) => {
                    self.send_event(TableEvent::Ended { reason: error.to_string() }).await;
                    return None;
                }
            };
            let chance = rand::random();
            retry_in =
                if is_unavailable { Backoff::after_refusal(chance) } else { backoff.next(chance) };
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
        self.rejoin(&mut socket).await?;
        Ok(socket)
    }

    /// Rejoins the room over a new socket, and resends unanswered commands.
    async fn rejoin(&mut self, socket: &mut Socket) -> Result<(), ConnectionError> {
        // It may be another node, with a clock of its own.
        self.clock.send_modify(|known| *known = known.map(ServerClock::of_another));
        if let Some(JoinedRoom { code, seq, last }) = self.room.clone() {
            // The server repeats the last event. If it has another one, it was restored from a backup.
            let after = if last.is_some() { seq - 1 } else { seq };
            let request = LobbyRequest::Join { room: code.clone(), after: Some(after) };
            let mut joined = ask_once(socket, &mut self.ids, request).await.map_err(room_gone)?;
            if let (Some(last), Message::Joined { catch_up: CatchUp::Events(events), .. }) =
                (&last, &joined)
                && events.first() != Some(last)
            {
                let request = LobbyRequest::Join { room: code, after: None };
                joined = ask_once(socket, &mut self.ids, request).await.map_err(room_gone)?;
                self.send_event(TableEvent::Restored { moves: 0 }).await;
            }
            self.track(&joined);
            self.send_event(TableEvent::Message(Box::new(joined))).await;
        }
        for command in &self.unanswered {
            send_frame(socket, Frame::text(command.to_json())).await?;
        }
        Ok(())
    }

    /// Whether this client has been told this before: after each `welcome`, the server repeats which friends'
    /// challenges wait, and what an operator announces.
    fn is_told(&mut self, message: &Message) -> bool {
        if let Message::Announcement { text, .. } = message {
            let is_told = self.announced == *text;
            self.announced.clone_from(text);
            return is_told;
        }
        let Message::AccountChanged { label, at: Some(at), .. } = message else {
            return false;
        };
        if self.told_challenges.len() >= TOLD_CHALLENGES_MAX {
            self.told_challenges.clear();
        }
        !self.told_challenges.insert((label.clone(), *at))
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
            Message::Joined { room, now, catch_up, .. } => {
                if *now > 0 {
                    self.learn_clock(Some(ServerClock::late(Instant::now().into_std(), *now)));
                }
                let (seq, last) = match catch_up {
                    CatchUp::Snapshot(snapshot) => (snapshot.seq, None),
                    CatchUp::Events(events) => match (events.last(), self.room.take()) {
                        (Some(event), _) => (event.seq, Some(event.clone())),
                        (None, Some(before)) => (before.seq, before.last),
                        (None, None) => (0, None),
                    },
                };
                self.room = Some(JoinedRoom { code: room.clone(), seq, last });
            }
            Message::Event { event, .. } => {
                if let Some(room) = &mut self.room {
                    (room.seq, room.last) = (event.seq, Some(event.clone()));
                }
            }
            Message::Snapshot { room, snapshot } => {
                let (code, seq) = (room.clone(), snapshot.seq);
                self.room = Some(JoinedRoom { code, seq, last: None });
            }
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
            | Message::Announcement { .. }
            | Message::Presence { .. }
            | Message::Ratings { .. } => {}
        }
    }

    /// Sends an event to the table; `false` if it was dropped.
    async fn send_event(&self, event: TableEvent) -> bool {
        self.events.send(event).await.is_ok()
    }
}

/// Says what may have become of a room that this client was in.
fn room_gone(error: ConnectionError) -> ConnectionError {
    match error {
        ConnectionError::Refused(refusal) if refusal.reason == Reason::NoSuchRoom => {
            let text = "This room is gone: it was closed, or the server was restored from a backup without it.";
            ConnectionError::Closed(text.to_owned())
        }
        other => other,
    }
}

impl From<ConnectionError> for CloseReason {
    fn from(error: ConnectionError) -> Self {
        Self::Lost(Loss { code: None, reason: error.to_string() })
    }
}
