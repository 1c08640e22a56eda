//! The task that runs one room.
//!
//! It owns the [`Room`], gives it inputs one by one, and performs its effects: it appends events to
//! the log, sends messages and asks bots. It never waits for a socket, the disk or a bot. It does
//! not know the rules of rooms.
//!
//! [`Actor`] performs the effects. [`CommitGate`] delays what follows an event until that event is
//! stored, [`FanOut`] knows who listens, [`BotCalls`] what bots were asked; `recovery.rs` rolls back
//! after a failure.

mod actor;
mod bot_calls;
mod commit_gate;
mod conditional_moves;
mod daily_seats;
mod daily_turn;
mod fair_play;
mod fan_out;
mod mailbox;
mod marks;
mod needs;
mod paired;
mod peers;
mod rated_games;
mod ratings;
mod recovery;
mod route;
mod sleep;
#[cfg(test)]
mod tests;
mod turn_pushes;
mod waiting;

use std::{
    collections::VecDeque,
    panic::AssertUnwindSafe,
    pin::{Pin, pin},
    sync::Arc,
};

use fivefold_shared::{
    protocol::{CommandId, MemberId, Message, Reason, Refusal, RoomCode, RoomRequest},
    room::{Cause, Dealings, Effects, Entry, Input, Member, Room, SessionId},
};
use fivefold_storage::{
    Append, AppendError, Epoch, KnownMember, LogWriter, Playing, StorageError, WriterPermit,
};
use futures_util::FutureExt;
use tokio::sync::oneshot;
use tokio_util::sync::{CancellationToken, WaitForCancellationFuture};

#[cfg(test)]
pub(crate) use self::tests::around;
pub(crate) use self::{
    actor::RoomContext,
    mailbox::{Envelope, Mailbox},
};
use self::{
    actor::{Actor, ClosingByOperator, CurrentCommand, Reading},
    bot_calls::{BotCalls, PoolReply},
    commit_gate::{CommitGate, Committed},
    daily_turn::turn_of,
    fan_out::FanOut,
    marks::Marks,
    recovery::Faults,
    route::Route,
    waiting::{Learned, Need, Waiting},
};
use crate::{
    cluster::frame::ToRelay,
    limits::{MAKER_ENTERS_WITHIN, PENDING_EFFECTS_MAX},
    online::outbox::Outbox,
    process::{alarm::Alarm, ids},
    rooms::directory::Listed,
};

/// A room that was just made or read from its log.
#[derive(Debug)]
pub(crate) struct Opened {
    pub(crate) room: Room,
    /// The effects of opening it.
    pub(crate) effects: Effects,
    /// Proves to the storage that this task owns the log.
    pub(crate) epoch: Epoch,
    /// The time of its last event, or later.
    pub(crate) opened_at: u64,
    /// Whether its maker is about to enter it.
    pub(crate) is_new: bool,
    /// The sessions of the relay that the room was before.
    pub(crate) handover: Option<Box<Handover>>,
    /// News about its players. The room learns it before anything else, so before a flag falls.
    pub(crate) news: Vec<Input>,
    /// For a new room of players who were paired.
    pub(crate) paired: Option<Box<PairedStart>>,
}

/// The start of a room of players who were paired.
#[derive(Debug)]
pub(crate) struct PairedStart {
    /// The players, who are stored with the room.
    pub(crate) members: Vec<KnownMember>,
    /// Notified when the room is stored, or refused because a player plays elsewhere; dropped if it
    /// cannot be stored otherwise.
    pub(crate) on_stored: oneshot::Sender<Result<(), Playing>>,
}

/// Sessions that a relay hands over to the room that it becomes.
#[derive(Debug)]
pub(crate) struct Handover {
    /// The sessions in the room.
    pub(crate) guests: Vec<(SessionId, Member, Arc<Outbox>)>,
    /// The last event that they have.
    pub(crate) after: Option<u64>,
    /// Commands that were refused.
    pub(crate) refused: Vec<(MemberId, CommandId)>,
    /// Inputs that were not answered.
    pub(crate) unanswered: Vec<(Input, Arc<Outbox>)>,
}

impl Opened {
    /// A room that was made just now, and is not stored. Nobody is about to enter it.
    pub(crate) const fn founded(room: Room, effects: Effects, now: u64) -> Self {
        let (epoch, opened_at, is_new) = (Epoch::FIRST, now, false);
        Self {
            room,
            effects,
            epoch,
            opened_at,
            is_new,
            handover: None,
            news: Vec::new(),
            paired: None,
        }
    }

    /// A room that this node has claimed, and the command that made it. Nobody is present.
    ///
    /// # Errors
    /// When the log is not one of a room. The text is for the operator.
    pub(crate) fn from_log(
        context: &RoomContext,
        code: RoomCode,
        epoch: Epoch,
        log: &[Entry],
        empty_since: Option<u64>,
    ) -> Result<(Self, Cause), String> {
        let mut effects = Effects::new();
        // Another node's clock may have been ahead.
        let opened_at = context.clock.now().max(last_at(log));
        let limits = context.limits.room;
        let room = Room::from_log(opened_at, code, ids::seeds(), log, limits, &mut effects);
        let mut room = room.map_err(|error| error.to_string())?;
        if let Some(at) = empty_since {
            room.set_empty_since(at);
        }
        let cause = log.first().and_then(|entry| entry.cause.clone());
        let cause = cause.ok_or_else(|| "nobody made the room".to_owned())?;
        Ok((Self { epoch, ..Self::founded(room, effects, opened_at) }, cause))
    }
}

/// Runs a room until it is closed, falls asleep, or the server stops. Then `forget` is called, after which nobody
/// finds the room here, and its mailbox closes. `forget` is told what is wrong with a log that cannot be read. A
/// panic in the task ends no other room.
///
/// Not an async function: its future would keep space for `opened` beside the actor.
pub(crate) fn run(
    opened: Opened,
    mut mailbox: Mailbox,
    listed: Arc<Listed>,
    context: Arc<RoomContext>,
    forget: impl FnOnce(Option<String>) + Send,
) -> impl Future<Output = ()> + Send {
    let Opened { room, effects, epoch, opened_at, is_new, handover, news, paired } = opened;
    let seq = room.state().seq;
    let unstored = Append::nothing(room.code().clone(), context.node, epoch);
    let clock = context.clock.steady();
    let mut actor = Actor {
        gate: CommitGate::new(unstored),
        fan_out: FanOut::new(seq),
        bot_calls: BotCalls::default(),
        alarm: Alarm::default(),
        failed_in: None,
        current: None,
        late_answers: Vec::new(),
        refused: VecDeque::new(),
        is_stored: epoch > Epoch::FIRST,
        has_begun: false,
        idle_since: None,
        is_asleep: false,
        damage: None,
        players_due: None,
        on_stored: None,
        reading: None,
        waiting: Waiting::default(),
        closing: None,
        marks: Marks::default(),
        // The players of a room that is read back know of the turn.
        turn: room.state().running().filter(|_| epoch > Epoch::FIRST).and_then(turn_of),
        ahead_ms: opened_at.saturating_sub(clock.now()),
        clock,
        listed,
        context,
        room,
    };
    if let Some(PairedStart { members, on_stored }) = paired.map(|paired| *paired) {
        actor.gate.store_members(members);
        actor.on_stored = Some(on_stored);
    }
    async move {
        let life = actor.run((effects, news), is_new, handover, &mut mailbox);
        if AssertUnwindSafe(life).catch_unwind().await.is_err() {
            // In a box, so that rooms that never panic have no space for it.
            Box::pin(actor.survive(&mut mailbox)).await;
        }
        actor.withdraw_unstored();
        actor.forget_rated();
        forget(actor.damage.take());
        actor.refuse_the_rest(&mut mailbox).await;
    }
}

/// The reason the task woke up.
enum Wakeup {
    Committed(Result<Committed, AppendError>),
    /// Ratings were read.
    Rated(Input),
    /// What the first waiting input needs was looked up.
    Learned(Need, Learned),
    /// The log writer, which was busy, took the next batch.
    Sent,
    WriterGone(StorageError),
    Envelope(Box<Envelope>),
    PoolReply(PoolReply),
    Due,
    /// Nobody has needed the room for a while.
    Idle,
    Stop,
}

impl Actor {
    /// After a panic: recovers and runs on, unless there were too many panics.
    async fn survive(&mut self, mailbox: &mut Mailbox) {
        let mut faults = Faults::default();
        while self.may_recover(&mut faults) {
            let life = async {
                if self.recover(mailbox).await {
                    self.run((Effects::new(), Vec::new()), false, None, mailbox).await;
                }
            };
            if AssertUnwindSafe(life).catch_unwind().await.is_ok() {
                return;
            }
        }
    }

    /// Runs the room. A new one is stored together with its maker's entry.
    async fn run(
        &mut self,
        (founding, news): (Effects, Vec<Input>),
        is_new: bool,
        handover: Option<Box<Handover>>,
        mailbox: &mut Mailbox,
    ) {
        let stop = self.context.stop.clone();
        let mut stopped = pin!(stop.cancelled());
        let mut is_stopping = false;
        // The creator's `Enter` follows immediately. Take it before the first commit, so that a
        // failure can be reported to them.
        self.note_rated();
        let entry = if is_new { Box::pin(maker_entry(mailbox, &stop)).await } else { None };
        let maker = entry.as_ref().and_then(|envelope| match &**envelope {
            Envelope::Session { outbox, .. } => Some(Route::Local(Arc::clone(outbox))),
            Envelope::Relay { .. } | Envelope::Silent(_) => None,
        });
        self.take(founding, "create", maker.as_ref());
        self.learn_news(news);
        if let Some(handover) = handover {
            self.take_over(*handover);
        }
        if let Some(envelope) = entry {
            self.open(*envelope);
        }
        while !(self.gate.is_settled() && (is_stopping || self.room.is_closed())) {
            match self.next(mailbox, stopped.as_mut(), is_stopping).await {
                Wakeup::Committed(Ok(Committed { since, changes })) => {
                    self.release(since);
                    self.note_changes(&changes);
                }
                Wakeup::Rated(input) => self.apply(input, None),
                Wakeup::Committed(Err(error)) => {
                    if !Box::pin(self.rollback(&error, mailbox)).await {
                        break;
                    }
                }
                Wakeup::Learned(need, found) => self.learn(&need, found),
                Wakeup::Sent => {}
                Wakeup::WriterGone(error) => {
                    if !Box::pin(self.rollback(&error.into(), mailbox)).await {
                        break;
                    }
                }
                Wakeup::Envelope(envelope) => {
                    self.context.metrics.note_mailbox(mailbox.len() + 1);
                    self.open(*envelope);
                }
                Wakeup::PoolReply(reply) => {
                    let input = self.bot_calls.input(reply);
                    self.apply(input, None);
                }
                Wakeup::Due => {
                    self.call_players();
                    self.apply(Input::Wake, None);
                }
                Wakeup::Idle => {
                    if Box::pin(self.fall_asleep(mailbox)).await {
                        break;
                    }
                }
                Wakeup::Stop => is_stopping = true,
            }
            while let Some(session) = self.fan_out.pop_gone() {
                self.apply(Input::Leave { session, command: None }, None);
            }
        }
        if self.room.is_closed() {
            Box::pin(self.close_log()).await;
        }
    }

    /// Stores that the room is closed. An operator who has closed it learns whether that is stored.
    async fn close_log(&mut self) {
        let closing = self.closing.take();
        let stored = match self.context.log_writer.reserve().await {
            Ok(permit) => {
                let mut reply = permit.append(self.gate.close());
                // If that fails, the writer logs it, and the room opens again at the next start.
                if closing.is_none() {
                    return;
                }
                reply.wait().await.is_ok()
            }
            Err(_) => false,
        };
        let Some(ClosingByOperator { command, route, .. }) = closing.map(|closing| *closing) else {
            return;
        };
        let message = if stored {
            Message::Done { id: command, seq: None }
        } else {
            Message::Refused { id: Some(command), refusal: Refusal::new(Reason::Unavailable) }
        };
        self.context.metrics.answered("close", &message);
        self.fan_out.send(&route, message);
    }

    /// Waits for the next wakeup. Commits have priority.
    async fn next(
        &mut self,
        mailbox: &mut Mailbox,
        stopped: Pin<&mut WaitForCancellationFuture<'_>>,
        is_stopping: bool,
    ) -> Wakeup {
        self.read_ratings();
        self.look_up();
        self.send_marks();
        let sleeps_at = self.sleeps_at();
        let Self { gate, bot_calls, alarm, reading, waiting, .. } = self;
        let log_writer = &self.context.log_writer;
        if gate.has_batch()
            && let Some(Ok(permit)) = log_writer.reserve().now_or_never()
        {
            gate.send(permit);
        }
        let waits_for_writer = gate.has_batch();
        let takes_more = gate.len() < PENDING_EFFECTS_MAX && !is_stopping;
        let takes_inputs = takes_more && waiting.is_empty();
        let due = self.room.deadline().map(|at| at.saturating_sub(self.ahead_ms));
        let due = due.map(|at| self.clock.instant(at));
        let due = [due, self.players_due].into_iter().flatten().min();
        let (due, on_due) = match (due, sleeps_at) {
            (Some(due), Some(sleeps_at)) if due <= sleeps_at => (Some(due), Wakeup::Due),
            (_, Some(sleeps_at)) => (Some(sleeps_at), Wakeup::Idle),
            (due, None) => (due, Wakeup::Due),
        };
        tokio::select! {
            biased;
            result = gate.committed() => Wakeup::Committed(result),
            permit = reserve(log_writer), if waits_for_writer => match permit {
                Ok(permit) => {
                    gate.send(permit);
                    Wakeup::Sent
                }
                Err(error) => Wakeup::WriterGone(error),
            },
            input = read(reading), if takes_more && reading.is_some() => Wakeup::Rated(input),
            (need, found) = waiting.found(), if takes_more => Wakeup::Learned(need, found),
            Some(reply) = bot_calls.next(), if takes_more && !bot_calls.is_empty() => {
                Wakeup::PoolReply(reply)
            }
            Some(envelope) = mailbox.recv(), if takes_inputs => Wakeup::Envelope(envelope),
            () = alarm.ring(due), if takes_more => on_due,
            () = stopped, if !is_stopping => Wakeup::Stop,
        }
    }

    fn open(&mut self, envelope: Envelope) {
        match envelope {
            Envelope::Session { input, outbox } => self.receive(input, &Route::Local(outbox)),
            Envelope::Relay { node, attempt, message } => {
                self.receive_from_relay(node, attempt, message);
            }
            Envelope::Silent(node) => self.disconnect(node),
        }
    }

    /// Takes an input of a session, for which this was found.
    fn act(&mut self, input: Input, route: &Route, found: Learned) {
        if let Input::Enter { session, .. } = &input {
            self.fan_out.enter(*session, route.clone());
        }
        let (begins_paired, dealings) = match self.may_act(&input, found) {
            Ok(may) => may,
            // The room repeats its answer.
            Err(_) if self.is_answered(&input) => (false, None),
            Err(refusal) => {
                self.refuse(&input, route, refusal);
                return;
            }
        };
        self.note_origin(&input, route);
        if let Some(dealings) = dealings {
            let one_place = dealings.one_place || self.marks.are_at_one_address();
            self.room.set_dealings(Dealings { one_place, ..dealings });
        }
        self.current = CurrentCommand::of(&input, route);
        self.closing = ClosingByOperator::of(&input, route).or_else(|| self.closing.take());
        self.apply(input, Some(route));
        self.current = None;
        if begins_paired {
            self.settle_paired();
        }
    }

    /// Refuses an input before the room takes it. The command stays refused: it may come again over another socket.
    fn refuse(&mut self, input: &Input, route: &Route, refusal: Refusal) {
        if let Some(cause) = self.cause(input) {
            self.room.refuse_for_good(&cause, refusal.clone());
        }
        let message = Message::Refused { id: input.command_id().cloned(), refusal };
        self.context.metrics.answered(input.kind(), &message);
        self.fan_out.send(route, message);
    }

    /// Whether an input is a command that was answered before: the room repeats its answer.
    fn is_answered(&self, input: &Input) -> bool {
        self.cause(input).is_some_and(|cause| self.room.is_answered(&cause))
    }

    fn cause(&self, input: &Input) -> Option<Cause> {
        let Input::Command { session, id, .. } = input else { return None };
        Some(Cause { member: self.room.member(*session)?.clone(), command: id.clone() })
    }

    /// Whether the room may take an input at all. Whether it begins a game of paired players, and what is known of
    /// them.
    fn may_act(&self, input: &Input, found: Learned) -> Result<(bool, Option<Dealings>), Refusal> {
        self.may_seat_bot(input)?;
        self.may_be_rated(input)?;
        let dealings = match found {
            Learned::Nothing => None,
            Learned::Dealings(dealings) => Some(dealings),
            Learned::Refused(refusal) => return Err(refusal),
        };
        Ok((self.begin_paired(input)?, dealings))
    }

    /// Whether a bot may sit down: the number of rooms with two bots is limited.
    fn may_seat_bot(&self, input: &Input) -> Result<(), Refusal> {
        if let Input::Command { request: RoomRequest::SeatBot { seat, .. }, .. } = input
            && self.room.bot_in(seat.other()).is_some()
        {
            return self.listed.take_bots_place(&self.context.limits);
        }
        Ok(())
    }

    /// Gives the room an input and takes its effects. `sender` is the way to the session that the
    /// input came from.
    fn apply(&mut self, input: Input, sender: Option<&Route>) {
        self.follow_clock();
        // The lobby counts on the room being closed, whatever input comes next.
        if self.listed.is_evicted() && !self.room.is_closed() {
            self.apply_next(Input::Evict, None);
        }
        self.apply_next(input, sender);
    }

    /// Applies what is new about the players of a room that was claimed.
    fn learn_news(&mut self, news: Vec<Input>) {
        for input in news {
            self.apply(input, None);
        }
    }

    fn apply_next(&mut self, input: Input, sender: Option<&Route>) {
        let mut effects = Effects::new();
        let kind = input.kind();
        self.note_known_moves(&input);
        self.room.apply(self.now(), input, &mut effects);
        // Update the list before the answer, so that the sender finds the change there.
        self.update_listed();
        self.note_rated();
        self.take(effects, kind, sender);
    }

    /// Refuses the inputs that still wait when the task ends.
    async fn refuse_the_rest(&mut self, mailbox: &mut Mailbox) {
        mailbox.close();
        for (input, route) in self.waiting.take() {
            self.refuse_at_end(&input, &route);
        }
        while let Some(envelope) = mailbox.recv().await {
            match (*envelope, &self.context.cluster) {
                (Envelope::Session { input, outbox }, _) => {
                    self.refuse_at_end(&input, &Route::Local(outbox));
                }
                // The relay sends it to the next owner.
                (Envelope::Relay { node, attempt, .. }, Some(cluster)) => {
                    cluster.to_relay(node, self.code(), attempt, ToRelay::Rejected);
                }
                (Envelope::Relay { .. }, None) | (Envelope::Silent(_), _) => {}
            }
        }
        self.dismiss_relays();
    }

    /// Refuses an input when the task ends. When the server stops, nobody here knows what became of a command
    /// that was sent before: the client sends it again over a new socket.
    fn refuse_at_end(&self, input: &Input, route: &Route) {
        let is_stopping = self.context.stop.is_cancelled();
        let reason = if self.room.is_closed() { Reason::NoSuchRoom } else { Reason::Unavailable };
        match route {
            Route::Local(outbox)
                if is_stopping || self.is_asleep || self.may_be_made_elsewhere() =>
            {
                outbox.restart();
            }
            Route::Local(_) => {
                if let Some(id) = input.command_id() {
                    route.refuse(id, reason);
                }
            }
            Route::Remote(remote) => remote.reject(),
        }
    }
}

/// The time of a log's last event.
fn last_at(log: &[Entry]) -> u64 {
    log.last().map_or(0, |entry| entry.event.at)
}

/// Waits for the first input of a new room, but not for long.
async fn maker_entry(mailbox: &mut Mailbox, stop: &CancellationToken) -> Option<Box<Envelope>> {
    tokio::select! {
        envelope = mailbox.recv() => envelope,
        () = stop.cancelled() => None,
        () = tokio::time::sleep(MAKER_ENTERS_WITHIN) => None,
    }
}

/// Waits for ratings; forever if none are read. Cancel safe.
async fn read(reading: &mut Option<Reading>) -> Input {
    let Some(read) = reading else { return std::future::pending().await };
    let input = read.await;
    *reading = None;
    input
}

/// Waits for a permit of the log writer. Boxed, because waiting is rare and takes space.
async fn reserve(log_writer: &LogWriter) -> Result<WriterPermit<'_>, StorageError> {
    Box::pin(log_writer.reserve()).await
}
