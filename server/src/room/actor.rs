//! The task that runs one room.
//!
//! It owns the [`Room`], hands it inputs one by one, and does what its effects say: appends events
//! to the store, sends messages, asks bots. It never waits for a socket, the disk or a bot.
//! Whatever follows an event that is not stored yet is held back, in order, until it is; if
//! storing fails, the room goes back to its log. The rules of rooms are not known here.

use std::{
    collections::{HashMap, VecDeque},
    panic::AssertUnwindSafe,
    pin::Pin,
    sync::{Arc, Mutex, PoisonError, atomic::AtomicBool, atomic::Ordering},
    time::{Duration, SystemTime, UNIX_EPOCH},
};

use fivefold_shared::{
    protocol::{CommandId, Message, NumberedEvent, Reason, Refusal, RoomCode, RoomSummary},
    record::{FinishedGame, Recorder},
};
use futures_util::{FutureExt, StreamExt, stream::FuturesUnordered};
use tokio::sync::mpsc;
use tokio_util::sync::CancellationToken;

use super::{Effect, Effects, Entry, Input, Job, Room, SessionId, Thought, Ticket};
use crate::{
    chance,
    counters::Counters,
    limits::{HELD_EFFECTS_MAX, REBUILD_RETRY},
    outbox::{Outbox, Posted, encode},
    store::{Append, AppendError, Conflict, Epoch, Reply, StorageError, Store},
    thinking::Pool,
};

/// An input, and where answers to it go.
#[derive(Debug)]
pub(crate) struct Letter {
    /// What came.
    pub(crate) input: Input,
    /// The outbox of the session it came from. The room keeps it while the session is there.
    pub(crate) outbox: Arc<Outbox>,
}

/// What a room needs from the server around it.
#[derive(Clone, Debug)]
pub(crate) struct Surroundings {
    pub(crate) store: Store,
    pub(crate) pool: Pool,
    pub(crate) counters: Arc<Counters>,
    /// Tells rooms to end, without closing them: the server stops.
    pub(crate) stop: CancellationToken,
}

/// A room that is made, or read back.
#[derive(Debug)]
pub(crate) struct Opened {
    pub(crate) room: Room,
    /// What came of opening it.
    pub(crate) effects: Effects,
    /// What the log is appended to by.
    pub(crate) epoch: Epoch,
    /// What the log has told it so far.
    pub(crate) recorder: Recorder,
    /// Whether its maker is about to enter it.
    pub(crate) is_new: bool,
}

/// Runs a room until it is closed or the server stops. A fault in it ends this room alone.
pub(crate) async fn run(
    opened: Opened,
    mut mailbox: mpsc::Receiver<Letter>,
    summary: Arc<Mutex<RoomSummary>>,
    around: Surroundings,
) {
    let Opened { room, effects, epoch, recorder, is_new } = opened;
    let code = room.code().clone();
    let unstored =
        Append { room: code.clone(), epoch, entries: vec![], games: vec![], closes: false };
    let mut actor = Actor {
        room,
        code,
        recorder,
        sessions: HashMap::new(),
        listening: HashMap::new(),
        held: VecDeque::new(),
        unstored,
        thinking: FuturesUnordered::new(),
        flags: HashMap::new(),
        gone: Vec::new(),
        summary,
        around,
    };
    let run = AssertUnwindSafe(actor.run(effects, is_new, &mut mailbox)).catch_unwind().await;
    if run.is_err() {
        tracing::error!(room.id = %actor.code, "a room panicked");
        actor.around.counters.rooms_failed.add();
        actor.tell_failure();
    }
    mailbox.close();
    let (reason, text) = if actor.around.stop.is_cancelled() {
        (Reason::Stopping, "The server restarts. Come back in a moment.")
    } else if actor.room.is_closed() {
        (Reason::NoSuchRoom, "The room is closed.")
    } else {
        (Reason::Unavailable, "The room has stopped. Try again in a moment.")
    };
    while let Some(letter) = mailbox.recv().await {
        refuse(&letter.outbox, letter.input.command_id(), reason, text);
    }
}

struct Actor {
    room: Room,
    code: RoomCode,
    /// Has read every event up to the last of `unstored`.
    recorder: Recorder,
    /// The outboxes of the sessions that are in the room.
    sessions: HashMap<SessionId, Arc<Outbox>>,
    /// Those of them that are sent events and broadcasts.
    listening: HashMap<SessionId, Arc<Outbox>>,
    /// What waits for events to be stored, in order. Begins with [`Held::Event`] or is empty.
    held: VecDeque<Held>,
    /// What waits for the store: events, and the games that they end.
    unstored: Append,
    thinking: FuturesUnordered<Answer>,
    /// The flags that call off jobs.
    flags: HashMap<Ticket, Arc<AtomicBool>>,
    /// Sessions that were found to have ended without a word.
    gone: Vec<SessionId>,
    /// What the lobby lists.
    summary: Arc<Mutex<RoomSummary>>,
    around: Surroundings,
}

type Answer = Pin<Box<dyn Future<Output = (Ticket, Option<Thought>)> + Send>>;

/// Something that is done when everything before it is.
enum Held {
    /// An event that is to be stored, and then told.
    Event(NumberedEvent),
    Listen(SessionId, Arc<Outbox>),
    Dismiss(SessionId),
    Send(Arc<Outbox>, Message),
    Broadcast(Message),
    Think(Job),
    CancelThinking(Ticket),
}

/// What the task has waited for.
enum Happening {
    Stored(Result<(), AppendError>),
    Sent(Reply<(), AppendError>),
    StoreGone(StorageError),
    Came(Letter),
    Thought(Ticket, Option<Thought>),
    Due,
    Stop,
}

impl Actor {
    async fn run(&mut self, founding: Effects, is_new: bool, mailbox: &mut mpsc::Receiver<Letter>) {
        let mut commit: Option<Reply<(), AppendError>> = None;
        let mut stopping = false;
        self.take(founding, None);
        // Whoever makes a room enters it at once. With that in hand before anything is stored, he
        // is told if the room cannot be.
        if is_new {
            tokio::select! {
                Some(letter) = mailbox.recv() => self.receive(letter),
                () = self.around.stop.cancelled() => {}
            }
        }
        loop {
            let is_settled = self.held.is_empty() && commit.is_none();
            if is_settled && (stopping || self.room.is_closed()) {
                break;
            }
            match self.next(mailbox, &mut commit, stopping).await {
                Happening::Sent(reply) => commit = Some(reply),
                Happening::Stored(Ok(())) => {
                    commit = None;
                    self.release();
                }
                Happening::Stored(Err(error)) => {
                    commit = None;
                    if !self.go_back(error).await {
                        break;
                    }
                }
                Happening::StoreGone(error) => {
                    if !self.go_back(error.into()).await {
                        break;
                    }
                }
                Happening::Came(letter) => self.receive(letter),
                Happening::Thought(ticket, thought) => {
                    self.flags.remove(&ticket);
                    self.apply(Input::Thought { ticket, thought }, None);
                }
                Happening::Due => self.apply(Input::Wake, None),
                Happening::Stop => stopping = true,
            }
            while let Some(session) = self.gone.pop() {
                self.apply(Input::Leave { session, command: None }, None);
            }
        }
        if self.room.is_closed()
            && let Ok(turn) = self.around.store.turn().await
        {
            // If that fails, the writer says so, and the room is met again at the next start.
            drop(turn.append(Append { closes: true, ..self.unstored.take() }));
        }
    }

    /// Waits for whatever comes first. What the store says goes before all else.
    async fn next(
        &mut self,
        mailbox: &mut mpsc::Receiver<Letter>,
        commit: &mut Option<Reply<(), AppendError>>,
        stopping: bool,
    ) -> Happening {
        let now = now();
        let due = self.room.deadline().map(|at| Duration::from_millis(at.saturating_sub(now)));
        let takes_more = self.held.len() < HELD_EFFECTS_MAX && !stopping;
        let may_store = commit.is_none() && !self.unstored.entries.is_empty();
        let is_due = async {
            match due {
                Some(wait) => tokio::time::sleep(wait).await,
                None => std::future::pending().await,
            }
        };
        let stored = async {
            match commit.as_mut() {
                Some(commit) => commit.wait().await,
                None => std::future::pending().await,
            }
        };
        tokio::select! {
            biased;
            result = stored => Happening::Stored(result),
            turn = self.around.store.turn(), if may_store => {
                match turn {
                    Ok(turn) => Happening::Sent(turn.append(self.unstored.take())),
                    Err(error) => Happening::StoreGone(error),
                }
            }
            () = self.around.stop.cancelled(), if !stopping => Happening::Stop,
            Some((ticket, thought)) = self.thinking.next(), if takes_more => {
                Happening::Thought(ticket, thought)
            }
            Some(letter) = mailbox.recv(), if takes_more => Happening::Came(letter),
            () = is_due, if takes_more => Happening::Due,
        }
    }

    fn receive(&mut self, letter: Letter) {
        let Letter { input, outbox } = letter;
        if let Input::Enter { session, .. } = &input {
            self.sessions.insert(*session, Arc::clone(&outbox));
        }
        self.apply(input, Some(&outbox));
    }

    /// Gives the room an input and does what it wants. `sender` is the outbox of the session that
    /// the input came from.
    fn apply(&mut self, input: Input, sender: Option<&Arc<Outbox>>) {
        let mut effects = Effects::new();
        self.room.apply(now(), input, &mut effects);
        self.take(effects, sender);
        // The lobby only ever copies the summary, so it is whole even in a poisoned lock.
        *self.summary.lock().unwrap_or_else(PoisonError::into_inner) = self.room.summary();
    }

    fn take(&mut self, effects: Effects, sender: Option<&Arc<Outbox>>) {
        for effect in effects {
            let held = match effect {
                Effect::Append(entry) => {
                    let event = entry.event.clone();
                    if let Some(record) = self.recorder.read(&event) {
                        self.unstored.games.push(FinishedGame { id: chance::game_id(), record });
                    }
                    self.unstored.entries.push(entry);
                    Held::Event(event)
                }
                Effect::Listen(session) => match self.sessions.get(&session) {
                    Some(outbox) => Held::Listen(session, Arc::clone(outbox)),
                    None => continue,
                },
                Effect::Dismiss(session) => {
                    self.sessions.remove(&session);
                    Held::Dismiss(session)
                }
                Effect::Send { session, message } => match self.sessions.get(&session).or(sender) {
                    Some(outbox) => Held::Send(Arc::clone(outbox), message),
                    None => continue,
                },
                Effect::Broadcast(message) => Held::Broadcast(message),
                Effect::Think(job) => Held::Think(job),
                Effect::CancelThinking(ticket) => Held::CancelThinking(ticket),
                // The room says so, too, and the task ends when nothing is held any more.
                Effect::Close => continue,
            };
            if self.held.is_empty() && !matches!(held, Held::Event(_)) {
                self.perform(held);
            } else {
                self.held.push_back(held);
            }
        }
    }

    /// Everything that was handed to the store is stored: tells it, and does what waited for it.
    fn release(&mut self) {
        let unstored = self.unstored.entries.first().map(|entry| entry.event.seq);
        while let Some(held) = self.held.pop_front() {
            if let Held::Event(event) = &held
                && Some(event.seq) == unstored
            {
                self.held.push_front(held);
                break;
            }
            self.perform(held);
        }
    }

    fn perform(&mut self, held: Held) {
        match held {
            Held::Event(event) => {
                self.broadcast(&Message::Event { room: self.code.clone(), event });
            }
            Held::Listen(session, outbox) => {
                self.listening.insert(session, outbox);
            }
            Held::Dismiss(session) => {
                self.listening.remove(&session);
            }
            // Who has ended is found out at the next broadcast, or says so.
            Held::Send(outbox, message) => {
                outbox.post(encode(&message));
            }
            Held::Broadcast(message) => self.broadcast(&message),
            Held::Think(job) => {
                let ticket = job.ticket;
                let pending = self.around.pool.submit(job);
                self.flags.insert(ticket, pending.cancel_flag());
                self.thinking.push(Box::pin(async move { (ticket, pending.answer().await) }));
            }
            Held::CancelThinking(ticket) => {
                if let Some(flag) = self.flags.get(&ticket) {
                    flag.store(true, Ordering::Relaxed);
                }
            }
        }
    }

    /// Sends to all who listen: encoded once.
    fn broadcast(&mut self, message: &Message) {
        let text = encode(message);
        for (session, outbox) in &self.listening {
            match outbox.post(text.clone()) {
                // A session whose outbox is full ends itself, and then leaves.
                Posted::Queued | Posted::Full => {}
                Posted::Gone => self.gone.push(*session),
            }
        }
    }

    /// After a commit that failed: nothing that waited for it has happened. Senders are told, and
    /// the room goes back to its log. Whether it goes on.
    async fn go_back(&mut self, error: AppendError) -> bool {
        tracing::error!(room.id = %self.code, %error, "the room goes back to its log");
        self.around.counters.commits_failed.add();
        drop(self.unstored.take());
        for held in std::mem::take(&mut self.held) {
            match held {
                Held::Send(outbox, message) => {
                    let text = "That could not be stored. Try again in a moment.";
                    refuse(&outbox, message_id(&message), Reason::Unavailable, text);
                }
                Held::CancelThinking(_) | Held::Dismiss(_) => self.perform(held),
                Held::Event(_) | Held::Listen(..) | Held::Broadcast(_) | Held::Think(_) => {}
            }
        }
        self.listening.clear();
        match error {
            AppendError::Conflict(Conflict::Owner) => {
                self.tell_failure();
                return false;
            }
            AppendError::Conflict(Conflict::Seq { .. }) | AppendError::Storage(_) => {}
        }
        let Some(log) = self.read_log().await else { return false };
        if log.is_empty() {
            tracing::warn!(room.id = %self.code, "the room was never stored, and ends");
            return false;
        }
        let mut effects = Effects::new();
        if let Err(error) = self.room.rebuild(now(), &log, &mut effects) {
            tracing::error!(room.id = %self.code, %error, "the log of the room cannot be read");
            self.around.counters.rooms_failed.add();
            self.tell_failure();
            return false;
        }
        self.recorder = recorder_of(&log);
        self.take(effects, None);
        true
    }

    /// Reads the log, for as long as it takes or until the server stops.
    async fn read_log(&mut self) -> Option<Vec<Entry>> {
        let read = async {
            loop {
                let log = match self.around.store.turn().await {
                    Ok(turn) => turn.read(self.code.clone()).wait().await,
                    Err(error) => Err(error),
                };
                match log {
                    Ok(log) => return log,
                    Err(error) => tracing::error!(room.id = %self.code, %error, "cannot read"),
                }
                tokio::time::sleep(REBUILD_RETRY).await;
            }
        };
        tokio::select! {
            log = read => Some(log),
            () = self.around.stop.cancelled() => None,
        }
    }

    fn tell_failure(&self) {
        let text = "The room has failed and is closed.".to_owned();
        let message = encode(&Message::Closed { room: self.code.clone(), text });
        for outbox in self.sessions.values() {
            outbox.post(message.clone());
        }
    }
}

impl Input {
    /// The id of the command that this came from.
    fn command_id(&self) -> Option<&CommandId> {
        match self {
            Self::Enter { command, .. } => Some(command),
            Self::Leave { command, .. } => command.as_ref(),
            Self::Command { id, .. } => Some(id),
            Self::Renamed { .. } | Self::Thought { .. } | Self::Wake => None,
        }
    }
}

fn refuse(outbox: &Outbox, id: Option<&CommandId>, reason: Reason, text: &str) {
    if let Some(id) = id {
        let refusal = Refusal::new(reason, text);
        // A session that cannot take this has ended or is about to.
        outbox.post(encode(&Message::Refused { id: Some(id.clone()), refusal }));
    }
}

/// A recorder that has read this log.
pub(crate) fn recorder_of(log: &[Entry]) -> Recorder {
    let mut recorder = Recorder::default();
    for entry in log {
        // The games that ended here were stored with the events that ended them.
        drop(recorder.read(&entry.event));
    }
    recorder
}

/// The id of the command that a message answers.
fn message_id(message: &Message) -> Option<&CommandId> {
    match message {
        Message::Welcome { id, .. }
        | Message::Done { id, .. }
        | Message::Rooms { id, .. }
        | Message::Joined { id, .. }
        | Message::Weights { id, .. }
        | Message::Pong { id } => Some(id),
        Message::Refused { id, .. } => id.as_ref(),
        Message::Event { .. }
        | Message::Snapshot { .. }
        | Message::Spectators { .. }
        | Message::Closed { .. } => None,
    }
}

/// The time, in milliseconds since the Unix epoch.
pub(crate) fn now() -> u64 {
    let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    u64::try_from(since.as_millis()).unwrap_or(u64::MAX)
}
