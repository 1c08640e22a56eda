//! The task that runs one room.
//!
//! It owns the [`Room`], hands it inputs one by one, and does what its effects say: appends events
//! to the store, sends messages, asks bots. It never waits for a socket, the disk or a bot.
//! Whatever follows an event that is not stored yet is held back, in order, until it is; if
//! storing fails, the room goes back to its log. The rules of rooms are not known here.

#[cfg(test)]
mod tests;

use std::{
    collections::{BTreeMap, HashMap, VecDeque},
    panic::AssertUnwindSafe,
    pin::{Pin, pin},
    sync::Arc,
    time::{Duration, Instant},
};

use fivefold_shared::{
    analysis::Report,
    protocol::{
        CommandId, Event, Message, NumberedEvent, Player, Reason, Refusal, RoomCode, RoomRequest,
    },
    record::{FinishedGame, Recorder},
    room::{
        AnalysisUpdate, BotFault, BotReply, Effect, Effects, Entry, Input, Job, NOT_STORED, Room,
        SessionId, Ticket,
    },
    rules::Position,
};
use futures_util::{FutureExt, StreamExt, stream::FuturesUnordered};
use tokio::sync::mpsc;
use tokio_util::sync::{CancellationToken, WaitForCancellationFuture};

use crate::{
    clock::Clock,
    directory::Listed,
    disk::Disk,
    ids,
    limits::{
        FAULTS_MAX, FAULTS_WITHIN, Limits, MAKER_ENTERS_WITHIN, PENDING_EFFECTS_MAX, REBUILD_RETRY,
        REPORT_INTERVAL,
    },
    metrics::Metrics,
    outbox::{Encoder, Outbox, Outgoing, Posted, encode},
    storage::{Append, AppendError, Conflict, Epoch, KnownMember, LogWriter, Reply, StorageError},
    thinking::{BackgroundHandle, Busy, JobControl, Owner, Pool, Reports},
};

/// An input, and where answers to it go.
#[derive(Debug)]
pub(crate) struct Envelope {
    /// What came.
    pub(crate) input: Input,
    /// The outbox of the session it came from. The room keeps it while the session is there.
    pub(crate) outbox: Arc<Outbox>,
}

/// What a room needs from the server around it.
#[derive(Clone, Debug)]
pub(crate) struct RoomContext {
    pub(crate) log_writer: LogWriter,
    pub(crate) disk: Arc<Disk>,
    pub(crate) pool: Pool,
    pub(crate) metrics: Arc<Metrics>,
    pub(crate) clock: Clock,
    pub(crate) limits: Limits,
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
    mut mailbox: mpsc::Receiver<Envelope>,
    listed: Arc<Listed>,
    context: RoomContext,
) {
    let Opened { room, effects, epoch, recorder, is_new } = opened;
    let code = room.code().clone();
    let unstored = Append::nothing(code.clone(), epoch);
    let mut actor = Actor {
        room,
        code,
        recorder,
        sessions: BTreeMap::new(),
        listening: BTreeMap::new(),
        pending: VecDeque::new(),
        unstored,
        thinking: FuturesUnordered::new(),
        calls: HashMap::new(),
        gone: Vec::new(),
        failed_in: None,
        asked: None,
        commit: None,
        handed_over: None,
        encoder: Encoder::default(),
        listed,
        context,
    };
    let mut life = AssertUnwindSafe(actor.run(effects, is_new, &mut mailbox)).catch_unwind().await;
    let mut faults = VecDeque::new();
    while life.is_err() {
        tracing::error!(room.id = %actor.code, "a room panicked");
        actor.context.metrics.rooms_failed.inc();
        if !is_bearable(&mut faults, Instant::now()) {
            actor.tell_failure();
            break;
        }
        life = AssertUnwindSafe(actor.recover(&mut mailbox)).catch_unwind().await;
    }
    mailbox.close();
    let (reason, text) = if actor.context.stop.is_cancelled() {
        (Reason::Stopping, "The server restarts. Come back in a moment.")
    } else if actor.room.is_closed() {
        (Reason::NoSuchRoom, "The room is closed.")
    } else {
        (Reason::Unavailable, "The room has stopped. Try again in a moment.")
    };
    while let Some(envelope) = mailbox.recv().await {
        refuse(&envelope.outbox, envelope.input.command_id(), reason, text);
    }
}

/// Whether a room may go on after one more fault.
fn is_bearable(faults: &mut VecDeque<Instant>, now: Instant) -> bool {
    faults.retain(|&fault| now.duration_since(fault) < FAULTS_WITHIN);
    faults.push_back(now);
    faults.len() <= FAULTS_MAX
}

/// What is told with `unavailable` about the command at which a room panicked.
const FAILED: &str = "The room failed at that, and goes back to what is stored.";

struct Actor {
    room: Room,
    code: RoomCode,
    /// Has read every event up to the last of `unstored`.
    recorder: Recorder,
    /// The outboxes of the sessions that are in the room.
    sessions: BTreeMap<SessionId, Arc<Outbox>>,
    /// Those of them that are sent events and broadcasts.
    listening: BTreeMap<SessionId, Arc<Outbox>>,
    /// What waits for events to be stored, in order. Begins with [`PendingEffect::Event`] or is empty.
    pending: VecDeque<PendingEffect>,
    /// What waits for the store: events, and the games that they end.
    unstored: Append,
    thinking: FuturesUnordered<Answer>,
    /// By which jobs and analyses are called off.
    calls: HashMap<Ticket, Arc<JobControl>>,
    /// Sessions that were found to have ended without a word.
    gone: Vec<SessionId>,
    /// The last game in which a bot has failed: the log tells of the first time alone.
    failed_in: Option<u32>,
    /// The command that is dealt with.
    asked: Option<Asked>,
    /// What the store says to the events that it was handed last.
    commit: Option<Reply<(), AppendError>>,
    /// When events were last handed to the store.
    handed_over: Option<Instant>,
    encoder: Encoder,
    /// What others know of the room.
    listed: Arc<Listed>,
    context: RoomContext,
}

/// A command that is dealt with.
struct Asked {
    id: CommandId,
    /// To where it is answered.
    outbox: Arc<Outbox>,
    /// Whose it is, if it must not be done twice. Entering and leaving may be.
    once_for: Option<SessionId>,
}

impl Asked {
    fn of(input: &Input, outbox: &Arc<Outbox>) -> Option<Self> {
        let once_for = match input {
            Input::Command { session, .. } => Some(*session),
            Input::Enter { .. }
            | Input::Leave { .. }
            | Input::Close { .. }
            | Input::Evict
            | Input::Renamed { .. }
            | Input::BotReplied { .. }
            | Input::Analysed { .. }
            | Input::Wake => None,
        };
        let id = input.command_id()?.clone();
        Some(Self { id, outbox: Arc::clone(outbox), once_for })
    }
}

type Answer = Pin<Box<dyn Future<Output = PoolNews> + Send>>;

/// What a bot or the engine has told.
enum PoolNews {
    Reply(Ticket, Option<BotReply>),
    Report(Ticket, Report, BackgroundHandle, Reports),
    AnalysisOver(Ticket, AnalysisUpdate),
}

/// What an analysis tells next, after a rest.
async fn next_report(
    ticket: Ticket,
    rest: Duration,
    handle: BackgroundHandle,
    mut reports: Reports,
) -> PoolNews {
    tokio::time::sleep(rest).await;
    match reports.next().await {
        Some(report) => PoolNews::Report(ticket, report, handle, reports),
        None => PoolNews::AnalysisOver(ticket, AnalysisUpdate::Finished),
    }
}

/// Something that is done when everything before it is.
enum PendingEffect {
    /// An event that is to be stored, and then told.
    Event(NumberedEvent),
    Listen(SessionId, Arc<Outbox>),
    Dismiss(SessionId),
    /// Send an answer to the command with this id, or news to one session.
    Send(Arc<Outbox>, Option<CommandId>, Outgoing),
    Broadcast(Message),
    BroadcastExcept(Vec<SessionId>, Message),
    Think(Job, Owner),
    Analyse(Ticket, Owner, Position, u8),
    CancelThinking(Ticket),
}

/// What the task has waited for.
enum Wakeup {
    Stored(Result<(), AppendError>),
    Sent(Reply<(), AppendError>),
    StoreGone(StorageError),
    Came(Envelope),
    PoolNews(PoolNews),
    Due,
    Stop,
}

impl Actor {
    async fn run(
        &mut self,
        founding: Effects,
        is_new: bool,
        mailbox: &mut mpsc::Receiver<Envelope>,
    ) {
        let stop = self.context.stop.clone();
        let mut stopped = pin!(stop.cancelled());
        let mut stopping = false;
        // The creator's `Enter` follows immediately. Take it before the first commit, so that a
        // failure can be reported to them.
        let entry = if is_new {
            tokio::select! {
                envelope = mailbox.recv() => envelope,
                () = self.context.stop.cancelled() => None,
                () = tokio::time::sleep(MAKER_ENTERS_WITHIN) => None,
            }
        } else {
            None
        };
        self.take(founding, entry.as_ref().map(|envelope| &envelope.outbox));
        if let Some(envelope) = entry {
            self.receive(envelope);
        }
        loop {
            let is_settled = self.pending.is_empty() && self.commit.is_none();
            if is_settled && (stopping || self.room.is_closed()) {
                break;
            }
            match self.next(mailbox, stopped.as_mut(), stopping).await {
                Wakeup::Sent(reply) => {
                    self.commit = Some(reply);
                    self.handed_over = Some(Instant::now());
                }
                Wakeup::Stored(Ok(())) => {
                    self.commit = None;
                    self.release();
                }
                Wakeup::Stored(Err(error)) => {
                    self.commit = None;
                    if !self.rollback(error).await {
                        break;
                    }
                }
                Wakeup::StoreGone(error) => {
                    if !self.rollback(error.into()).await {
                        break;
                    }
                }
                Wakeup::Came(envelope) => {
                    self.context.metrics.note_mailbox(mailbox.len() + 1);
                    self.receive(envelope);
                }
                Wakeup::PoolNews(told) => self.take_news(told),
                Wakeup::Due => self.apply(Input::Wake, None),
                Wakeup::Stop => stopping = true,
            }
            while let Some(session) = self.gone.pop() {
                self.apply(Input::Leave { session, command: None }, None);
            }
        }
        if self.room.is_closed()
            && let Ok(turn) = self.context.log_writer.reserve().await
        {
            // If that fails, the writer says so, and the room is met again at the next start.
            drop(turn.append(Append { closes: true, ..self.unstored.take() }));
        }
    }

    /// Waits for whatever comes first. What the store says goes before all else.
    async fn next(
        &mut self,
        mailbox: &mut mpsc::Receiver<Envelope>,
        stopped: Pin<&mut WaitForCancellationFuture<'_>>,
        stopping: bool,
    ) -> Wakeup {
        let now = self.context.clock.now();
        let due = self.room.deadline().map(|at| Duration::from_millis(at.saturating_sub(now)));
        let thinks = !self.thinking.is_empty();
        let takes_more = self.pending.len() < PENDING_EFFECTS_MAX && !stopping;
        let commit = &mut self.commit;
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
            result = stored => Wakeup::Stored(result),
            turn = self.context.log_writer.reserve(), if may_store => {
                match turn {
                    Ok(turn) => Wakeup::Sent(turn.append(self.unstored.take())),
                    Err(error) => Wakeup::StoreGone(error),
                }
            }
            () = stopped, if !stopping => Wakeup::Stop,
            Some(told) = self.thinking.next(), if takes_more && thinks => Wakeup::PoolNews(told),
            Some(envelope) = mailbox.recv(), if takes_more => Wakeup::Came(envelope),
            () = is_due, if takes_more => Wakeup::Due,
        }
    }

    fn receive(&mut self, envelope: Envelope) {
        let Envelope { input, outbox } = envelope;
        if let Input::Enter { session, .. } = &input {
            self.sessions.insert(*session, Arc::clone(&outbox));
        }
        if let Err(refusal) = self.may_seat_bot(&input) {
            let message = Message::Refused { id: input.command_id().cloned(), refusal };
            self.context.metrics.answered(input.kind(), &message);
            outbox.post(encode(&message));
            return;
        }
        self.asked = Asked::of(&input, &outbox);
        self.apply(input, Some(&outbox));
        self.asked = None;
    }

    /// Whether a bot that is to sit down may be the second one in the room: there is a limit on
    /// such rooms.
    fn may_seat_bot(&self, input: &Input) -> Result<(), Refusal> {
        if let Input::Command { request: RoomRequest::SeatBot { seat, .. }, .. } = input
            && self.room.bot_in(seat.other()).is_some()
        {
            return self.listed.take_bots_place(&self.context.limits);
        }
        Ok(())
    }

    fn take_news(&mut self, told: PoolNews) {
        let input = match told {
            PoolNews::Reply(ticket, reply) => {
                self.calls.remove(&ticket);
                Input::BotReplied { ticket, reply }
            }
            PoolNews::Report(ticket, report, handle, reports) => {
                let next = next_report(ticket, REPORT_INTERVAL, handle, reports);
                self.thinking.push(Box::pin(next));
                Input::Analysed { ticket, found: AnalysisUpdate::Report(report) }
            }
            PoolNews::AnalysisOver(ticket, found) => {
                self.calls.remove(&ticket);
                Input::Analysed { ticket, found }
            }
        };
        self.apply(input, None);
    }

    /// Gives the room an input and does what it wants. `sender` is the outbox of the session that
    /// the input came from.
    fn apply(&mut self, input: Input, sender: Option<&Arc<Outbox>>) {
        // The lobby counts on the room being closed, whatever comes into it next.
        if self.listed.is_evicted() && !self.room.is_closed() {
            self.apply_next(Input::Evict, None);
        }
        self.apply_next(input, sender);
    }

    fn apply_next(&mut self, input: Input, sender: Option<&Arc<Outbox>>) {
        let mut effects = Effects::new();
        let kind = input.kind();
        self.room.apply(self.context.clock.now(), input, &mut effects);
        for effect in &effects {
            if let Effect::Send { message, .. } = effect {
                self.context.metrics.answered(kind, message);
            }
        }
        // Whoever is answered finds the room as it is now, wherever they look.
        self.listed.update(&self.room);
        self.take(effects, sender);
    }

    fn take(&mut self, effects: Effects, sender: Option<&Arc<Outbox>>) {
        for effect in effects {
            let held = match effect {
                Effect::Append(entry) => {
                    let event = entry.event.clone();
                    self.report(&event);
                    self.note_seated(&event, sender);
                    if let Some((id, record)) = self.recorder.read(&event) {
                        // Games that began under an older server have told none.
                        let id = id.unwrap_or_else(ids::game_id);
                        self.unstored.games.push(FinishedGame { id, record });
                    }
                    self.unstored.entries.push(entry);
                    PendingEffect::Event(event)
                }
                Effect::Listen(session) => match self.sessions.get(&session) {
                    Some(outbox) => PendingEffect::Listen(session, Arc::clone(outbox)),
                    None => continue,
                },
                Effect::Dismiss(session) => {
                    self.sessions.remove(&session);
                    PendingEffect::Dismiss(session)
                }
                Effect::Send { session, message } => match self.sessions.get(&session).or(sender) {
                    Some(outbox) => {
                        let (outbox, id) = (Arc::clone(outbox), message.answers().cloned());
                        PendingEffect::Send(outbox, id, self.encoder.encode(message))
                    }
                    None => continue,
                },
                Effect::Broadcast(message) => PendingEffect::Broadcast(message),
                Effect::BroadcastExcept { sessions, message } => {
                    PendingEffect::BroadcastExcept(sessions, message)
                }
                Effect::Think(job) => {
                    let owner = self.owner(job.session);
                    PendingEffect::Think(job, owner)
                }
                Effect::Analyse { ticket, session, position, lines } => {
                    PendingEffect::Analyse(ticket, self.owner(session), position, lines)
                }
                Effect::BotFailed { game, ply, fault } => {
                    self.note_fault(game, ply, fault);
                    continue;
                }
                Effect::CancelThinking(ticket) => PendingEffect::CancelThinking(ticket),
                // The room says so, too, and the task ends when nothing is held any more.
                Effect::Close => continue,
            };
            if self.pending.is_empty() && !matches!(held, PendingEffect::Event(_)) {
                self.perform(held);
            } else {
                self.pending.push_back(held);
            }
        }
    }

    /// For whom it is what is done for this session.
    fn owner(&self, session: SessionId) -> Owner {
        self.sessions.get(&session).map_or(Owner::UNKNOWN, |outbox| outbox.owner())
    }

    /// Counts that a bot has failed, and logs the first time in each game.
    fn note_fault(&mut self, game: u32, ply: usize, fault: BotFault) {
        self.context.metrics.bot_failed(fault);
        if self.failed_in.replace(game) != Some(game) {
            tracing::warn!(room.id = %self.code, game, ply, ?fault, "a bot has failed to answer");
        }
    }

    /// Logs what somebody who looks for a game wants to find.
    fn report(&self, event: &NumberedEvent) {
        let room = &self.code;
        if let Event::Started { game, .. } = &event.event {
            tracing::debug!(room.id = %room, game, "a game starts");
        } else if let Event::Ended { outcome } = &event.event {
            tracing::debug!(room.id = %room, ?outcome, "a game ends");
        }
    }

    /// A member is stored in the commit of their first seat.
    fn note_seated(&mut self, event: &NumberedEvent, sender: Option<&Arc<Outbox>>) {
        if let Event::Sat { player: Player::Member { member, name, .. }, .. } = &event.event
            && let Some(hash) = sender.and_then(|outbox| outbox.identity())
        {
            let (id, name) = (member.clone(), name.clone());
            self.unstored.members.push(KnownMember { id, hash, name, seen_at: event.at });
        }
    }

    /// Everything that was handed to the store is stored: tells it, and does what waited for it.
    fn release(&mut self) {
        if let Some(since) = self.handed_over.take() {
            self.context.metrics.note_commit(since.elapsed());
        }
        let unstored = self.unstored.entries.first().map(|entry| entry.event.seq);
        while let Some(held) = self.pending.pop_front() {
            if let PendingEffect::Event(event) = &held
                && Some(event.seq) == unstored
            {
                self.pending.push_front(held);
                break;
            }
            self.perform(held);
        }
    }

    fn perform(&mut self, held: PendingEffect) {
        match held {
            PendingEffect::Event(event) => {
                self.broadcast(&Message::Event { room: self.code.clone(), event }, &[]);
            }
            PendingEffect::Listen(session, outbox) => {
                self.listening.insert(session, outbox);
            }
            PendingEffect::Dismiss(session) => {
                self.listening.remove(&session);
            }
            // Who has ended is found out at the next broadcast, or says so.
            PendingEffect::Send(outbox, _, message) => {
                outbox.post(message);
            }
            PendingEffect::Broadcast(message) => self.broadcast(&message, &[]),
            PendingEffect::BroadcastExcept(sessions, message) => {
                self.broadcast(&message, &sessions);
            }
            PendingEffect::Think(job, owner) => {
                let ticket = job.ticket;
                let pending = self.context.pool.submit(job, owner);
                self.calls.insert(ticket, pending.call());
                let answer = async move { PoolNews::Reply(ticket, pending.answer().await) };
                self.thinking.push(Box::pin(answer));
            }
            PendingEffect::Analyse(ticket, owner, position, lines) => {
                let told: Answer = match self.context.pool.analyse(owner, position, lines) {
                    Ok((handle, reports)) => {
                        self.calls.insert(ticket, handle.call());
                        Box::pin(next_report(ticket, Duration::ZERO, handle, reports))
                    }
                    Err(busy) => {
                        let found = match busy {
                            Busy::Server => AnalysisUpdate::Busy,
                            Busy::Owner => AnalysisUpdate::TooMany,
                        };
                        Box::pin(async move { PoolNews::AnalysisOver(ticket, found) })
                    }
                };
                self.thinking.push(told);
            }
            PendingEffect::CancelThinking(ticket) => {
                if let Some(call) = self.calls.get(&ticket) {
                    call.cancel();
                }
            }
        }
    }

    /// Sends to all who listen, except these: encoded once.
    fn broadcast(&mut self, message: &Message, except: &[SessionId]) {
        let text = encode(message);
        for (session, outbox) in &self.listening {
            if except.contains(session) {
                continue;
            }
            match outbox.post(text.clone()) {
                // A session whose outbox is full ends itself, and then leaves.
                Posted::Queued | Posted::Full => {}
                Posted::Gone => self.gone.push(*session),
            }
        }
    }

    /// After a commit that failed: nothing that waited for it has happened. Senders are told, and
    /// the room goes back to its log. Whether it goes on.
    async fn rollback(&mut self, error: AppendError) -> bool {
        tracing::error!(room.id = %self.code, %error, "the room goes back to its log");
        self.context.metrics.note_failed_commit(self.context.clock.now());
        self.drop_pending();
        match error {
            AppendError::Conflict(Conflict::Owner) => {
                self.tell_failure();
                false
            }
            AppendError::Conflict(Conflict::Seq { .. }) | AppendError::Storage(_) => {
                self.reload().await
            }
        }
    }

    /// After a panic: goes back to the log, as after a commit that failed, and lives on. Of what
    /// was under way only the log can be trusted. Presence can, too: it is changed by inserting and
    /// removing alone, and a session that is missed there by a hair is found out by its silence.
    ///
    /// Commands whose events the store has in hand are stored or not, whatever has failed since,
    /// and are answered by that. The one at which the room failed stays refused.
    async fn recover(&mut self, mailbox: &mut mpsc::Receiver<Envelope>) {
        let failed = self.asked.take();
        if let Some(Asked { id, outbox, .. }) = &failed {
            self.context.metrics.refused(Reason::Unavailable);
            refuse(outbox, Some(id), Reason::Unavailable, FAILED);
        }
        let stored = match self.commit.take() {
            Some(mut commit) => commit.wait().await.map(|()| self.release()),
            None => Ok(()),
        };
        let goes_on = match stored {
            Ok(()) => {
                self.drop_pending();
                self.reload().await
            }
            Err(error) => self.rollback(error).await,
        };
        if !goes_on {
            return;
        }
        if let Some(Asked { id, once_for: Some(session), .. }) = failed {
            self.room.refuse_for_good(session, id, Refusal::new(Reason::Unavailable, FAILED));
        }
        self.run(Effects::new(), false, mailbox).await;
    }

    /// Drops what waited for the store, and tells those who have to know.
    fn drop_pending(&mut self) {
        drop(self.unstored.take());
        for held in std::mem::take(&mut self.pending) {
            match held {
                PendingEffect::Send(outbox, id, _) => {
                    self.context.metrics.refused(Reason::Unavailable);
                    refuse(&outbox, id.as_ref(), Reason::Unavailable, NOT_STORED);
                }
                PendingEffect::CancelThinking(_) | PendingEffect::Dismiss(_) => self.perform(held),
                PendingEffect::Event(_)
                | PendingEffect::Listen(..)
                | PendingEffect::Broadcast(_)
                | PendingEffect::BroadcastExcept(..)
                | PendingEffect::Think(..) => {}
                // Whoever asked is told that nothing came of it.
                PendingEffect::Analyse(ticket, ..) => {
                    let over = async move { PoolNews::AnalysisOver(ticket, AnalysisUpdate::Busy) };
                    self.thinking.push(Box::pin(over));
                }
            }
        }
        self.listening.clear();
        // The same number may come to mean another event.
        self.encoder = Encoder::default();
    }

    /// Builds the room anew from its log, and tells its members. Whether it goes on.
    async fn reload(&mut self) -> bool {
        self.context.metrics.rooms_rebuilt.inc();
        let Some(log) = self.read_log().await else { return false };
        if log.is_empty() {
            tracing::warn!(room.id = %self.code, "the room was never stored, and ends");
            return false;
        }
        let mut effects = Effects::new();
        if let Err(error) = self.room.rebuild(self.context.clock.now(), &log, &mut effects) {
            tracing::error!(room.id = %self.code, %error, "the log of the room cannot be read");
            self.tell_failure();
            return false;
        }
        self.recorder = recorder_of(&log);
        self.take(effects, None);
        self.listed.update(&self.room);
        true
    }

    /// Reads the log, for as long as it takes or until the server stops.
    async fn read_log(&mut self) -> Option<Vec<Entry>> {
        let read = async {
            loop {
                let log = match self.context.log_writer.reserve().await {
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
            () = self.context.stop.cancelled() => None,
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
