//! The relay of a room that another node owns: it has the room's sessions on this node and the same
//! mailbox as a room here, and passes on what they send and receive.
//!
//! It keeps every command until it is answered, and sends it again when frames were lost or the room
//! has a new owner: the command's id makes that safe. It forwards events strictly in order.
//! When the owner is dead it claims the room, and hands everything over to the room that it becomes.
//! It does not know what the commands and messages mean.

mod guests;
#[cfg(test)]
mod tests;

use std::{
    collections::VecDeque,
    future::pending,
    pin::{Pin, pin},
    sync::{Arc, Mutex, MutexGuard, PoisonError},
};

use fivefold_shared::{
    protocol::{CommandId, MemberId, Reason, RoomCode, RoomRequest},
    room::{Entry, Input, SessionId},
};
use fivefold_storage::{Claimed, DailyNews, Epoch, NodeId, StorageError};
use tokio::{
    sync::mpsc,
    time::{Instant, sleep_until},
};

use self::guests::Guests;
use crate::{
    cluster::{
        Cluster, FromOwner,
        frame::{Mark, Outcome, RemoteInput, ToOwner, ToRelay},
    },
    limits::{
        ANSWER_AWAITED, ANSWERED_WITHIN, RELAY_IDLE, RELAY_RETRY, RELAY_UNANSWERED_MAX,
        RESUMED_SESSIONS_MAX, RESUMED_WITHIN, SILENT_OWNER_ASKED, TAKE_WITHIN,
        UNANSWERED_COMMANDS_MAX,
    },
    online::{
        heard_lines::{heard_by, said, speaker},
        outbox::{Outbox, refuse},
    },
    rooms::room_actor::{Envelope, Handover, Mailbox, RoomContext},
};

/// A claim of a room that is under way.
pub(crate) type Claim = Pin<Box<dyn Future<Output = Result<Claimed, StorageError>> + Send>>;

/// Claims a room for this node.
pub(crate) fn claim(context: &RoomContext, code: &RoomCode) -> Claim {
    let (log_writer, rooms) = (context.log_writer.clone(), vec![code.clone()]);
    let node = context.node;
    Box::pin(async move {
        let claimed = log_writer.reserve().await?.claim(rooms, node).wait().await?;
        Ok(claimed.into_iter().next().unwrap_or(Claimed::Closed))
    })
}

/// The members with a seat in a relayed room, as its owner says. A copy is of the same room.
#[derive(Clone, Debug, Default)]
pub(crate) struct RelayedSeats(Arc<Mutex<Vec<MemberId>>>);

/// The relay of one room.
pub(crate) struct Relay {
    code: RoomCode,
    context: Arc<RoomContext>,
    cluster: Arc<Cluster>,
    guests: Guests,
    /// Inputs that are not answered, in order.
    unanswered: VecDeque<Unanswered>,
    from_owner: mpsc::Receiver<FromOwner>,
    state: State,
    /// The node that owned the room when the storage was asked last.
    owner: Option<NodeId>,
    /// The attempt that the owner was asked to begin last.
    ///
    /// Each attempt begins with `Resume`, which lists the sessions here and the last event of each.
    /// Both sides ignore messages of other attempts. So the next attempt repairs whatever was lost on
    /// any path, and the links need only keep the order of messages between two attempts.
    attempt: u64,
    /// How often that has failed since it succeeded.
    failures: u32,
    /// Whether it knows all commands that the owner has refused.
    knowledge: Knowledge,
    seats: RelayedSeats,
    /// Whether a claim that was in doubt may have made the room this node's.
    may_own: bool,
    /// Since when there is nobody to relay for.
    idle_since: Instant,
}

/// An input with an answer to come.
struct Unanswered {
    session: SessionId,
    input: Input,
    outbox: Arc<Outbox>,
    since: Instant,
    /// The node that it was sent to, if it was.
    sent_to: Option<NodeId>,
}

/// Whether a relay knows which commands its owner has refused. A member may have sent a command
/// here, and again over a socket at another node where it was refused: it must not be done then.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Knowledge {
    /// Messages of the owner may be missing.
    Incomplete,
    /// Nothing of the attempt is missing so far.
    Complete,
    /// The owner decides nothing more.
    Final,
}

enum State {
    /// Asks the storage who owns the room, and claims it if nobody does.
    Claiming(Claim),
    /// Claims it then.
    Waiting(Instant),
    /// Frames go to the owner, who has not confirmed the attempt. It is given up then.
    Resuming(Instant),
    /// Frames go to the owner.
    Linked,
}

/// What becomes of the room on this node.
pub(crate) enum Next {
    /// This node owns it.
    Own {
        epoch: Epoch,
        log: Vec<Entry>,
        empty_since: Option<u64>,
        news: Vec<(MemberId, DailyNews)>,
        handover: Box<Handover>,
    },
    /// Its log cannot be read.
    Damaged(String),
    /// Nothing; why further commands are refused.
    Over(Reason),
    /// All rooms of this node end. Others may know what became of commands that wait here.
    Stopped,
}

enum Wakeup {
    Claimed(Result<Claimed, StorageError>),
    FromOwner(Option<FromOwner>),
    Envelope(Box<Envelope>),
    Due,
    Stop,
}

impl Relay {
    /// A relay that claims the room, unless a claim is under way.
    pub(crate) fn new(
        code: RoomCode,
        context: Arc<RoomContext>,
        cluster: Arc<Cluster>,
        seats: RelayedSeats,
        claim: Option<Claim>,
    ) -> Self {
        let from_owner = cluster.listen(&code);
        let mut relay = Self {
            code,
            context,
            cluster,
            guests: Guests::default(),
            unanswered: VecDeque::new(),
            from_owner,
            state: State::Linked,
            owner: None,
            attempt: 0,
            failures: 0,
            knowledge: Knowledge::Incomplete,
            seats,
            may_own: false,
            idle_since: Instant::now(),
        };
        match claim {
            Some(claim) => relay.state = State::Claiming(claim),
            None => relay.claim(),
        }
        relay
    }

    /// Relays until the room is owned here, is closed, or nobody needs it here.
    pub(crate) async fn run(mut self, mailbox: &mut Mailbox) -> Next {
        let stop = self.context.stop.clone();
        let mut stopped = pin!(stop.cancelled());
        let next = loop {
            let due = self.due();
            let wakeup = tokio::select! {
                biased;
                () = stopped.as_mut() => Wakeup::Stop,
                claimed = self.state.claimed() => Wakeup::Claimed(claimed),
                message = self.from_owner.recv() => Wakeup::FromOwner(message),
                Some(envelope) = mailbox.recv(), if self.unanswered.len() < RELAY_UNANSWERED_MAX => {
                    Wakeup::Envelope(envelope)
                }
                () = sleep_until(due) => Wakeup::Due,
            };
            let over = match wakeup {
                Wakeup::Stop => Some(Next::Stopped),
                Wakeup::Claimed(Ok(claimed)) => self.note_claim(claimed),
                Wakeup::Claimed(Err(error)) => {
                    self.may_own |= matches!(error, StorageError::InDoubt(_));
                    tracing::warn!(room.id = %self.code, %error, "cannot claim a room");
                    self.retry();
                    None
                }
                Wakeup::FromOwner(Some(message)) => {
                    self.receive(message);
                    None
                }
                Wakeup::FromOwner(None) => {
                    self.from_owner = self.cluster.listen(&self.code);
                    self.start_over();
                    None
                }
                Wakeup::Envelope(envelope) => {
                    self.open(*envelope);
                    None
                }
                Wakeup::Due => self.note_time(),
            };
            if let Some(next) = over {
                break next;
            }
        };
        self.cluster.forget(&self.code);
        next
    }

    /// When something is to be done, if nothing comes.
    fn due(&self) -> Instant {
        let state = match &self.state {
            State::Waiting(until) | State::Resuming(until) => Some(*until),
            State::Claiming(_) | State::Linked => None,
        };
        let oldest = self.unanswered.front().map(|input| input.since + ANSWERED_WITHIN);
        let idle = self.is_idle().then(|| self.idle_since + RELAY_IDLE);
        let far = Instant::now() + ANSWERED_WITHIN;
        [state, oldest, idle].into_iter().flatten().min().unwrap_or(far)
    }

    fn is_idle(&self) -> bool {
        self.guests.is_empty() && self.unanswered.is_empty() && !self.may_own
    }

    fn note_time(&mut self) -> Option<Next> {
        let now = Instant::now();
        while let Some(late) =
            self.unanswered.pop_front_if(|input| input.since + ANSWERED_WITHIN <= now)
        {
            self.context.metrics.cluster.sockets_restarted.inc();
            late.outbox.restart();
            self.unanswered.retain(|input| input.session != late.session);
        }
        if self.is_idle() && self.idle_since + RELAY_IDLE <= now {
            return Some(Next::Over(Reason::Busy));
        }
        match self.state {
            State::Waiting(until) if until <= now => self.claim(),
            State::Resuming(until) if until <= now => self.retry(),
            State::Waiting(_) | State::Resuming(_) | State::Claiming(_) | State::Linked => {}
        }
        None
    }

    fn claim(&mut self) {
        if self.owner.is_some_and(|owner| self.cluster.is_silent(owner)) && !self.cluster.sees_bus()
        {
            // The bus is away, and nobody can be asked to begin an attempt.
            self.state = State::Waiting(Instant::now() + RESUMED_WITHIN);
            return;
        }
        self.state = State::Claiming(claim(&self.context, &self.code));
    }

    /// Claims again after a while.
    fn retry(&mut self) {
        let wait = RELAY_RETRY * 2_u32.pow(self.failures.min(10));
        self.failures += 1;
        self.state = State::Waiting(Instant::now() + wait.min(RESUMED_WITHIN));
    }

    fn note_claim(&mut self, claimed: Claimed) -> Option<Next> {
        self.may_own = false;
        match claimed {
            Claimed::Mine { epoch, log, empty_since, news } => {
                tracing::debug!(room.id = %self.code, sessions = self.guests.len(), "takes over a room");
                if empty_since.is_none() {
                    self.context.metrics.cluster.rooms_taken_over.inc();
                }
                self.leave_owner(self.context.node);
                let unanswered = self.unanswered.drain(..).map(|one| (one.input, one.outbox));
                let unanswered = unanswered.collect();
                let handover = Box::new(Handover {
                    guests: self.guests.all(),
                    after: self.guests.seq(),
                    refused: self.guests.refused(),
                    unanswered,
                });
                Some(Next::Own { epoch, log, empty_since, news, handover })
            }
            Claimed::Elsewhere(owner) if owner == self.context.node => {
                self.cluster.node.note_own_death();
                Some(Next::Stopped)
            }
            Claimed::Elsewhere(owner) => {
                self.leave_owner(owner);
                self.owner = Some(owner);
                self.start_over();
                None
            }
            Claimed::Newer => {
                // A newer node will own it.
                self.retry();
                None
            }
            Claimed::Closed => {
                for Unanswered { input, outbox, .. } in self.unanswered.drain(..) {
                    refuse(&outbox, input.command_id(), Reason::NoSuchRoom);
                }
                self.guests.tell_closed(&self.code);
                Some(Next::Over(Reason::NoSuchRoom))
            }
            Claimed::Damaged(problem) => Some(Next::Damaged(problem)),
        }
    }

    /// Begins an attempt with the owner: the sessions resume, and what is unanswered is sent again.
    fn start_over(&mut self) {
        let Some(owner) = self.owner else { return self.claim() };
        if self.cluster.is_silent(owner) {
            self.state = State::Waiting(Instant::now() + SILENT_OWNER_ASKED);
            return;
        }
        self.context.metrics.cluster.relay_attempts.inc();
        self.attempt = self.cluster.next_attempt();
        if self.knowledge == Knowledge::Complete {
            // What the owner sends before it has begun the attempt is ignored.
            self.knowledge = Knowledge::Incomplete;
        }
        tracing::debug!(room.id = %self.code, node.id = %owner, attempt = self.attempt, "relays a room");
        self.state = State::Resuming(Instant::now() + RESUMED_WITHIN);
        self.drop_unlogged(owner);
        let guests = self.guests.remote();
        let after = self.guests.seq();
        let count = guests.len().div_ceil(RESUMED_SESSIONS_MAX).max(1);
        let mut guests = guests.into_iter();
        for part in 1..=count {
            let guests = guests.by_ref().take(RESUMED_SESSIONS_MAX).collect();
            let (is_first, is_last) = (part == 1, part == count);
            self.send(owner, ToOwner::Resume { guests, after, is_first, is_last });
        }
        for index in 0..self.unanswered.len() {
            self.unanswered[index].sent_to = Some(owner);
            let Unanswered { input, outbox, .. } = &self.unanswered[index];
            self.send_input(owner, input, outbox);
        }
    }

    /// Another node is the owner, and does not know what the one before has refused: ends those
    /// commands. If they may be unknown here, too, clients must show that they still wait for the
    /// answers: they send the commands again over new sockets. Clients that have just come do wait.
    fn leave_owner(&mut self, next: NodeId) {
        if self.owner.is_none_or(|owner| owner == next) {
            return;
        }
        let is_known = std::mem::replace(&mut self.knowledge, Knowledge::Incomplete);
        self.guests.change_owner();
        self.drop_unlogged(next);
        if is_known == Knowledge::Incomplete {
            let (guests, restarted) =
                (&self.guests, &self.context.metrics.cluster.sockets_restarted);
            self.unanswered.retain(|one| {
                let is_old = one.since.elapsed() >= ANSWER_AWAITED;
                let may_be_gone = is_old || guests.is_inside(one.session);
                if may_be_gone {
                    restarted.inc();
                    one.outbox.restart();
                }
                !may_be_gone
            });
        }
        let guests = &self.guests;
        self.unanswered.retain(|one| {
            let id = one.input.command_id().filter(|id| guests.has_refused_before(one.session, id));
            if id.is_some() {
                refuse(&one.outbox, id, Reason::Unavailable);
            }
            id.is_none()
        });
    }

    /// Ends what the next attempt cannot go on with: analyses, and chat that another owner has seen.
    fn drop_unlogged(&mut self, next: NodeId) {
        self.guests.end_analyses(&self.code);
        self.unanswered.retain(|one| {
            let Input::Command { request, .. } = &one.input else { return true };
            let is_lost = if let RoomRequest::Say { .. } = request {
                one.sent_to.is_some_and(|owner| owner != next)
            } else if let RoomRequest::Analyse { .. } = request {
                one.sent_to.is_some()
            } else {
                false
            };
            if is_lost {
                refuse(&one.outbox, one.input.command_id(), Reason::Unavailable);
            }
            !is_lost
        });
    }

    fn send(&self, owner: NodeId, message: ToOwner) {
        self.cluster.to_owner(owner, &self.code, self.attempt, message);
    }

    fn send_input(&self, owner: NodeId, input: &Input, outbox: &Outbox) {
        if let Some(input) = RemoteInput::new(input, outbox) {
            self.send(owner, ToOwner::Input(input));
        }
    }

    /// The owner, if frames can go there.
    fn linked(&self) -> Option<NodeId> {
        match self.state {
            State::Resuming(_) | State::Linked => self.owner,
            State::Waiting(_) | State::Claiming(_) => None,
        }
    }

    fn open(&mut self, envelope: Envelope) {
        match envelope {
            Envelope::Session { input, outbox } => self.take(input, outbox),
            Envelope::Relay { node, attempt, .. } => {
                self.cluster.to_relay(node, &self.code, attempt, ToRelay::Rejected);
            }
            Envelope::Silent(_) => {}
        }
    }

    /// Takes an input of a session here.
    fn take(&mut self, input: Input, outbox: Arc<Outbox>) {
        let Some(session) = input.session() else { return };
        let waiting = self.unanswered.iter().filter(|one| one.session == session).count();
        if input.command_id().is_some() && waiting >= UNANSWERED_COMMANDS_MAX {
            return refuse(&outbox, input.command_id(), Reason::Busy);
        }
        if let Input::Command { id, .. } = &input
            && self.guests.has_refused_before(session, id)
        {
            return refuse(&outbox, Some(id), Reason::Unavailable);
        }
        if let Input::Enter { member, .. } = &input {
            self.guests.admit(session, member.clone(), Arc::clone(&outbox));
        } else if let Input::Renamed { name, .. } = &input {
            self.guests.rename(session, name);
        } else if let Input::Leave { command: None, .. } = &input {
            self.guests.remove(session);
            self.unanswered.retain(|one| one.session != session);
        }
        self.idle_since = Instant::now();
        let sent_to = self.linked();
        if let Some(owner) = sent_to {
            self.send_input(owner, &input, &outbox);
        }
        if input.command_id().is_some() {
            let since = Instant::now();
            self.unanswered.push_back(Unanswered { session, input, outbox, since, sent_to });
        }
    }

    fn receive(&mut self, message: FromOwner) {
        match message {
            FromOwner::Message { from, attempt, message } => {
                if attempt == self.attempt && Some(from) == self.owner {
                    self.receive_message(message);
                }
            }
            FromOwner::Lost(node) if self.is_owner(node) => {
                if self.linked().is_some() {
                    self.start_over();
                }
            }
            FromOwner::Silent(node) if self.is_owner(node) => {
                if self.linked().is_some() {
                    self.state = State::Waiting(Instant::now() + SILENT_OWNER_ASKED);
                }
            }
            FromOwner::Present(node) if self.is_owner(node) => {
                if let State::Waiting(_) = self.state {
                    self.start_over();
                }
            }
            FromOwner::Died(node) if self.is_owner(node) => {
                if self.cluster.offer(&self.code) {
                    self.state = State::Waiting(Instant::now() + TAKE_WITHIN);
                } else {
                    self.claim();
                }
            }
            FromOwner::Lost(_)
            | FromOwner::Silent(_)
            | FromOwner::Present(_)
            | FromOwner::Died(_) => {}
        }
    }

    fn is_owner(&self, node: NodeId) -> bool {
        self.owner == Some(node)
    }

    fn receive_message(&mut self, message: ToRelay) {
        match message {
            ToRelay::Resumed => {
                if let State::Resuming(_) = self.state {
                    (self.state, self.failures) = (State::Linked, 0);
                    self.knowledge = Knowledge::Complete;
                }
            }
            ToRelay::Rejected => self.retry_if_linked(),
            ToRelay::Dropped => {
                self.knowledge = Knowledge::Incomplete;
                self.retry_if_linked();
            }
            ToRelay::Over => {
                if self.knowledge == Knowledge::Complete {
                    self.knowledge = Knowledge::Final;
                }
                self.retry_if_linked();
            }
            ToRelay::Seated(members) => self.seats.set(members),
            ToRelay::Refused(commands) => self.guests.note_refused_members(commands),
            ToRelay::Answer { session, command, outcome, text } => {
                self.answer(SessionId(session), &command, outcome, text);
            }
            ToRelay::Tell { sessions, ends, text } => {
                self.guests.tell(&sessions, ends.as_ref(), text);
            }
            ToRelay::Broadcast { mark, except, text } => self.broadcast(mark, &except, text),
        }
    }

    fn retry_if_linked(&mut self) {
        if self.linked().is_some() {
            self.retry();
        }
    }

    fn answer(&mut self, session: SessionId, command: &CommandId, outcome: Outcome, text: String) {
        let is_it =
            |one: &Unanswered| one.session == session && one.input.command_id() == Some(command);
        // What was sent before and after a reset is answered twice.
        let Some(index) = self.unanswered.iter().position(is_it) else { return };
        let Some(Unanswered { input, outbox, .. }) = self.unanswered.remove(index) else { return };
        outbox.post(heard_by(outbox.blocks(), text));
        match (outcome, &input) {
            (Outcome::Joined(seq), _) => self.guests.note_joined(session, seq),
            (Outcome::Refused, Input::Enter { .. }) => {
                if self.guests.refuse(session)
                    && let Some(owner) = self.linked()
                {
                    // A commit that failed refuses sessions that are in the room.
                    self.send_input(owner, &Input::Leave { session, command: None }, &outbox);
                }
            }
            (Outcome::Refused | Outcome::Done, Input::Leave { .. }) => self.guests.remove(session),
            (Outcome::Refused, _) => self.guests.note_refused(session, command),
            (Outcome::Done, _) => {
                if let Input::Command { request: RoomRequest::Analyse { .. }, .. } = input {
                    self.guests.note_analysis(session, command);
                }
            }
        }
        self.idle_since = Instant::now();
    }

    fn broadcast(&mut self, mark: Mark, except: &[u64], text: String) {
        match (mark, self.guests.seq()) {
            (Mark::Event(seq), Some(last)) if seq == last + 1 => self.guests.set_seq(seq),
            // It is known, or nobody is here.
            (Mark::Event(seq), Some(last)) if seq <= last => return,
            (Mark::Event(_) | Mark::Snapshot(_), None) => return,
            (Mark::Event(_), Some(_)) => {
                tracing::warn!(room.id = %self.code, "an event is missing");
                return self.start_over();
            }
            (Mark::Snapshot(seq), Some(_)) => self.guests.set_seq(seq),
            (Mark::None, _) => {}
        }
        let said = said(&text);
        if let Some(message) = &said {
            self.context.heard.note(message);
        }
        self.guests.broadcast(except, said.as_ref().and_then(speaker), text);
    }
}

impl RelayedSeats {
    fn set(&self, members: Vec<MemberId>) {
        *self.lock() = members;
    }

    /// Whether this member has a seat.
    pub(crate) fn contains(&self, member: &MemberId) -> bool {
        self.lock().contains(member)
    }

    fn lock(&self) -> MutexGuard<'_, Vec<MemberId>> {
        // Nothing panics while the lock is held.
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl State {
    /// The answer of the storage; never if it is not asked. Cancel safe.
    async fn claimed(&mut self) -> Result<Claimed, StorageError> {
        match self {
            Self::Claiming(claim) => claim.await,
            Self::Waiting(_) | Self::Resuming(_) | Self::Linked => pending().await,
        }
    }
}
