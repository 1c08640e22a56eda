//! A room with what its task keeps for it. Performs the room's effects.
//!
//! It does not know where inputs come from; see `room_actor.rs`.

use std::{collections::VecDeque, future::Future, pin::Pin, sync::Arc, time::Instant};

use fivefold_shared::{
    protocol::{ChatText, CommandId, Event, MemberId, Message, NumberedEvent, RoomCode},
    room::{BotFault, Effect, Effects, Input, Room, SessionId},
};
use fivefold_storage::{Blocking, DailyTurn, LogWriter, NodeId, Playing};
use tokio::sync::oneshot;
use tokio_util::sync::CancellationToken;

use super::{
    bot_calls::BotCalls,
    commit_gate::{CommitGate, Pending, Routed},
    fan_out::FanOut,
    marks::Marks,
    route::Route,
    waiting::Waiting,
};
use crate::{
    cluster::{Cluster, frame::ToRelay},
    limits::{Limits, REFUSED_IN_ROOM_KEPT, operators::CLOCK_DRIFT_FOLLOWED},
    metrics::Metrics,
    moderation::{dealings::SharedAddresses, sanctions::Sanctions},
    net::changeable::Changeable,
    online::{
        heard_lines::{HeardLines, leave_out_unheard},
        pushes::Pushes,
    },
    process::{alarm::Alarm, clock::Clock, disk::Disk, operation::Operation, read_pool::ReadPool},
    rooms::{directory::Listed, rated_positions::RatedPositions, sleeping_chats::SleepingChats},
    thinking::{Owner, Pool},
};

/// Reads ratings, for a room that lacks them.
pub(super) type Reading = Pin<Box<dyn Future<Output = Input> + Send>>;

/// One room, with everything its task keeps for it.
pub(super) struct Actor {
    pub(super) room: Room,
    pub(super) gate: CommitGate,
    pub(super) fan_out: FanOut,
    pub(super) bot_calls: BotCalls,
    /// Rings when the room wants to be woken.
    pub(super) alarm: Alarm,
    /// The last game in which a bot failed: only its first failure in each game is logged.
    pub(super) failed_in: Option<u32>,
    pub(super) current: Option<CurrentCommand>,
    /// Answers that are true whatever is rolled back. They follow the room as it is then.
    pub(super) late_answers: Vec<(Route, Message)>,
    /// The last commands that were refused, the oldest first. Empty on a node that is alone.
    pub(super) refused: VecDeque<(MemberId, CommandId)>,
    /// How far the room's time is ahead of the clock here, in milliseconds: the clock of its owner
    /// before may have been.
    pub(super) ahead_ms: u64,
    /// Goes on steadily, whatever becomes of the server's.
    pub(super) clock: Clock,
    /// Since when nobody has needed the room.
    pub(super) idle_since: Option<tokio::time::Instant>,
    /// Why the log of the room cannot be read any more; the task ends then.
    pub(super) damage: Option<String>,
    /// Whether it sleeps: the storage has it, and its task ends.
    pub(super) is_asleep: bool,
    /// Whether anything of the room is known to be stored.
    pub(super) is_stored: bool,
    /// Whether a game between paired players has begun, and is not known to be stored.
    pub(super) has_begun: bool,
    /// Reads the ratings that the room lacks.
    pub(super) reading: Option<Reading>,
    /// Inputs for which the room has to learn something.
    pub(super) waiting: Waiting,
    /// The operator who closes the room, until that is stored.
    pub(super) closing: Option<Box<ClosingByOperator>>,
    /// The marks of rated games.
    pub(super) marks: Marks,
    /// The turn of the daily game that its players know of.
    pub(super) turn: Option<DailyTurn>,
    /// When to tell the players who have not come that their first game here has begun.
    pub(super) players_due: Option<tokio::time::Instant>,
    /// Notified as soon as something is stored, or cannot be because a player plays elsewhere.
    pub(super) on_stored: Option<oneshot::Sender<Result<(), Playing>>>,
    /// The room's entry in the directory.
    pub(super) listed: Arc<Listed>,
    pub(super) context: Arc<RoomContext>,
}

/// What a room needs from the server around it.
#[derive(Clone, Debug)]
pub(crate) struct RoomContext {
    pub(crate) log_writer: LogWriter,
    pub(crate) read_pool: Arc<ReadPool>,
    pub(crate) disk: Arc<Disk>,
    pub(crate) pool: Pool,
    pub(crate) metrics: Arc<Metrics>,
    pub(crate) clock: Clock,
    /// The node that owns the rooms here.
    pub(crate) node: NodeId,
    /// The other nodes; absent on a node that is alone.
    pub(crate) cluster: Option<Arc<Cluster>>,
    pub(crate) limits: Limits,
    /// Ends the rooms' tasks without closing the rooms: the server stops.
    pub(crate) stop: CancellationToken,
    /// Keeps the lines of chat that are sent.
    pub(crate) heard: Arc<HeardLines>,
    /// Keeps the chat of rooms that sleep.
    pub(crate) chats: Arc<SleepingChats>,
    /// Knows the positions of rated games that are not daily: nobody gets help with them.
    pub(crate) rated: Arc<RatedPositions>,
    /// Knows who may play rated games.
    pub(crate) sanctions: Arc<Sanctions>,
    /// Where searches run that take long.
    pub(crate) blocking: Blocking,
    /// Addresses whose people may play rated games with each other.
    pub(crate) shared_addresses: Changeable<SharedAddresses>,
    /// Tells players who are away.
    pub(crate) pushes: Pushes,
    /// What operators do about the node.
    pub(crate) operation: Arc<Operation>,
}

/// An operator closes a room.
pub(super) struct ClosingByOperator {
    /// The id of the command to answer.
    pub(super) command: CommandId,
    pub(super) route: Route,
    pub(super) why: ChatText,
}

/// The command that a room is processing. It is refused if the room panics.
pub(super) struct CurrentCommand {
    pub(super) id: CommandId,
    pub(super) route: Route,
    /// The session, if the command must not be done twice. Entering and leaving may be repeated.
    pub(super) once_for: Option<SessionId>,
}

impl ClosingByOperator {
    pub(super) fn of(input: &Input, route: &Route) -> Option<Box<Self>> {
        let Input::CloseByOperator { command, why, .. } = input else { return None };
        Some(Box::new(Self { command: command.clone(), route: route.clone(), why: why.clone() }))
    }
}

impl CurrentCommand {
    pub(super) fn of(input: &Input, route: &Route) -> Option<Self> {
        let once_for = match input {
            Input::Command { session, .. } => Some(*session),
            Input::Enter { .. }
            | Input::Resume { .. }
            | Input::Disconnected { .. }
            | Input::Leave { .. }
            | Input::Close { .. }
            | Input::CloseByOperator { .. }
            | Input::Evict
            | Input::Renamed { .. }
            | Input::AccountGone { .. }
            | Input::TimeOff { .. }
            | Input::ConditionalMoves { .. }
            | Input::BotReplied { .. }
            | Input::Analysed { .. }
            | Input::Rated { .. }
            | Input::Wake => None,
        };
        let id = input.command_id()?.clone();
        Some(Self { id, route: route.clone(), once_for })
    }
}

impl Actor {
    /// Appends the events among the effects, and performs the others when all events before them
    /// are stored. `kind` is the metric label of the input.
    pub(super) fn take(&mut self, effects: Effects, kind: &'static str, sender: Option<&Route>) {
        if effects.iter().any(|effect| matches!(effect, Effect::Append { .. }))
            && let Some(seats) = self.daily_seats()
        {
            self.gate.store_daily(seats);
        }
        for effect in effects {
            if let Effect::Append { entry, finished } = effect {
                log_game(self.room.code(), &entry.event);
                self.note_end(&entry.event);
                let playing = self.now_playing(&entry.event.event);
                self.gate.append(entry, finished, playing, sender);
                continue;
            }
            let route = self.route(&effect, sender);
            if let Some(routed) = self.gate.hold(Routed { effect, route, kind }) {
                self.perform(routed);
            }
        }
    }

    /// The way to the session that an effect is for.
    fn route(&mut self, effect: &Effect, sender: Option<&Route>) -> Option<Route> {
        let session = match effect {
            Effect::Send { session, .. } | Effect::Analyse { session, .. } => *session,
            Effect::Think(job) => job.session?,
            Effect::Dismiss(session) => {
                self.fan_out.leave(*session);
                return None;
            }
            Effect::Append { .. }
            | Effect::Listen(_)
            | Effect::SendMany { .. }
            | Effect::Broadcast(_)
            | Effect::BroadcastExcept { .. }
            | Effect::CancelThinking(_)
            | Effect::BotFailed { .. }
            | Effect::Close => return None,
        };
        self.fan_out.route(session).or(sender).cloned()
    }

    /// Performs what waited for a commit that was begun at `since` and has succeeded.
    pub(super) fn release(&mut self, since: Instant) {
        self.context.metrics.note_commit(since.elapsed());
        self.is_stored = true;
        self.has_begun = false;
        if let Some(on_stored) = self.on_stored.take() {
            // Nobody waits if the server is about to stop.
            on_stored.send(Ok(())).ok();
            self.await_players();
        }
        while let Some(pending) = self.gate.release() {
            match pending {
                Pending::Event(seq, text) => self.fan_out.broadcast_event(seq, &text),
                Pending::Effect(routed) => self.perform(routed),
                Pending::End(seq, text, aborted_by) => {
                    self.marks.note_stored(seq);
                    // First, so that players who learn of the end can seek again.
                    self.end_paired(aborted_by);
                    self.fan_out.broadcast_event(seq, &text);
                }
            }
        }
        self.note_turn();
    }

    pub(super) fn perform(&mut self, routed: Routed) {
        let Routed { effect, route, kind } = routed;
        let owner = || route.as_ref().map_or(Owner::UNKNOWN, Route::owner);
        match effect {
            Effect::Listen(session) => self.fan_out.listen(session),
            Effect::Dismiss(session) => self.fan_out.dismiss(session),
            Effect::Send { session, message } => {
                if let Some(route) = route {
                    self.answer(session, &route, message, kind);
                }
            }
            Effect::SendMany { sessions, message } => self.fan_out.send_many(&sessions, &message),
            Effect::Broadcast(message) => {
                self.context.heard.note(&message);
                self.fan_out.broadcast(&message, &[]);
            }
            Effect::BroadcastExcept { sessions, message } => {
                self.context.heard.note(&message);
                self.fan_out.broadcast(&message, &sessions);
            }
            Effect::Think(job) => {
                let owner = owner();
                self.bot_calls.think(&self.context.pool, job, owner);
            }
            Effect::Analyse { ticket, position, lines, .. } => {
                let owner = owner();
                self.bot_calls.analyse(&self.context.pool, ticket, owner, position, lines);
            }
            Effect::CancelThinking(ticket) => self.bot_calls.cancel(ticket),
            Effect::BotFailed { game, ply, fault } => self.note_fault(game, ply, fault),
            // The gate has the entry. The task ends when the gate is settled and the room closed.
            Effect::Append { .. } | Effect::Close => {}
        }
    }

    /// Sends a session a message. All relays learn first that a command is refused: its member may
    /// have sent it over another node, too.
    pub(super) fn answer(
        &mut self,
        session: SessionId,
        route: &Route,
        mut message: Message,
        kind: &'static str,
    ) {
        leave_out_unheard(&mut message, route.blocks());
        self.context.metrics.answered(kind, &message);
        if self.context.cluster.is_some()
            && let Message::Refused { id: Some(command), .. } = &message
            && let Some(member) = self.room.member(session)
        {
            if self.refused.len() == REFUSED_IN_ROOM_KEPT {
                self.refused.pop_front();
            }
            self.refused.push_back((member.clone(), command.clone()));
            for link in self.fan_out.links() {
                link.send(ToRelay::Refused(vec![(member.clone(), command.clone())]));
            }
        }
        self.fan_out.send(route, message);
    }

    /// Updates the room's entry in the directory, and the relays if the seats have changed.
    pub(super) fn update_listed(&mut self) {
        if self.listed.update(&self.room) {
            for link in self.fan_out.links() {
                link.send(ToRelay::Seated(self.listed.seated()));
            }
        }
    }

    /// Counts a bot's failure, and logs the first one in each game.
    fn note_fault(&mut self, game: u32, ply: usize, fault: BotFault) {
        self.context.metrics.bot_failed(fault);
        if self.failed_in.replace(game) != Some(game) {
            tracing::warn!(room.id = %self.code(), game, ply, ?fault, "a bot has failed to answer");
        }
    }

    /// Whether the command that made this room may have made, or may still make, another one on
    /// another node. It must not be refused then, for clients send a refused command again with a
    /// new id.
    pub(super) fn may_be_made_elsewhere(&self) -> bool {
        self.context.cluster.is_some() && !self.is_stored
    }

    /// The time for the room, which never goes back in its log.
    pub(super) fn now(&self) -> u64 {
        self.clock.now().saturating_add(self.ahead_ms)
    }

    /// Between games the room goes over to the server's time, if that was set forward. In a game nobody's
    /// clock may notice, and a log never goes back.
    pub(super) fn follow_clock(&mut self) {
        let behind_ms = self.context.clock.now().saturating_sub(self.now());
        let is_set = u128::from(behind_ms) > CLOCK_DRIFT_FOLLOWED.as_millis();
        if is_set && self.room.state().running().is_none() {
            self.ahead_ms = self.ahead_ms.saturating_add(behind_ms);
        }
    }

    pub(super) const fn code(&self) -> &RoomCode {
        self.room.code()
    }
}

/// Logs the start and the end of games.
fn log_game(room: &RoomCode, event: &NumberedEvent) {
    if let Event::Started { game, .. } = &event.event {
        tracing::debug!(room.id = %room, game, "a game starts");
    } else if let Event::Ended { outcome, .. } = &event.event {
        tracing::debug!(room.id = %room, ?outcome, "a game ends");
    }
}
