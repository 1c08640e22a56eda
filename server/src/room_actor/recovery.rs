//! How a room continues after a commit that failed or a panic: it rolls back to its log, and
//! members who wait for an answer are refused.

use std::{collections::VecDeque, panic::AssertUnwindSafe, sync::Arc, time::Instant};

use fivefold_shared::{
    protocol::{CommandId, Message, Reason, Refusal, RoomCode},
    room::{AnalysisUpdate, Effect, Effects, Entry, Input, NOT_STORED, SessionId},
};
use futures_util::FutureExt;

use super::{Actor, Mailbox, RoomContext, commit_gate::Routed, refuse};
use crate::{
    limits::{FAULTS_MAX, FAULTS_WITHIN, REBUILD_RETRY},
    outbox::{Outbox, encode},
    storage::{AppendError, Conflict},
};

/// Text of the refusal of a command at which a room panicked.
const FAILED: &str = "The room failed at that command and returned to its last saved state.";

/// The command that a room is dealing with. It is refused if the room panics.
pub(super) struct CurrentCommand {
    id: CommandId,
    outbox: Arc<Outbox>,
    /// The session, if the command must not be done twice. Entering and leaving may be.
    once_for: Option<SessionId>,
}

/// The panics of one room.
#[derive(Default)]
struct Faults(VecDeque<Instant>);

impl CurrentCommand {
    pub(super) fn of(input: &Input, outbox: &Arc<Outbox>) -> Option<Self> {
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

impl Faults {
    /// Counts a panic now. Whether the room may continue.
    fn may_continue(&mut self, now: Instant) -> bool {
        self.0.retain(|&fault| now.duration_since(fault) < FAULTS_WITHIN);
        self.0.push_back(now);
        self.0.len() <= FAULTS_MAX
    }
}

impl Actor {
    /// After a panic: recovers, and again after the next ones, but not after too many.
    pub(super) async fn survive(&mut self, mailbox: &mut Mailbox) {
        let mut faults = Faults::default();
        loop {
            tracing::error!(room.id = %self.code(), "a room panicked");
            self.context.metrics.rooms_failed.inc();
            if !faults.may_continue(Instant::now()) {
                self.send_failure();
                return;
            }
            if AssertUnwindSafe(self.recover(mailbox)).catch_unwind().await.is_ok() {
                return;
            }
        }
    }

    /// After a panic: rolls back to the log, as after a commit that failed, and runs on. Only the
    /// log can be trusted then, and presence: it changes by single insertions and removals, and a
    /// session that is missed there is found by its silence.
    ///
    /// Commands whose events the log writer has are answered by what becomes of those events. The
    /// command at which the room failed stays refused.
    async fn recover(&mut self, mailbox: &mut Mailbox) {
        let failed = self.current.take();
        if let Some(CurrentCommand { id, outbox, .. }) = &failed {
            self.context.metrics.refused(Reason::Unavailable);
            refuse(outbox, Some(id), Reason::Unavailable, FAILED);
        }
        let stored = if self.gate.is_committing() {
            self.gate.committed().await.map(|since| self.release(since))
        } else {
            Ok(())
        };
        let may_continue = match stored {
            Ok(()) => {
                self.discard_pending();
                self.reload().await
            }
            Err(error) => self.rollback(&error).await,
        };
        if !may_continue {
            return;
        }
        if let Some(CurrentCommand { id, once_for: Some(session), .. }) = failed {
            self.room.refuse_for_good(session, id, Refusal::new(Reason::Unavailable, FAILED));
        }
        self.run(Effects::new(), false, mailbox).await;
    }

    /// After a commit that failed: refuses what waited for it, and reads the log again. Whether
    /// the room continues.
    pub(super) async fn rollback(&mut self, error: &AppendError) -> bool {
        tracing::error!(room.id = %self.code(), %error, "the room rolls back to its log");
        self.context.metrics.note_failed_commit(self.context.clock.now());
        self.discard_pending();
        match error {
            AppendError::Conflict(Conflict::Owner) => {
                self.send_failure();
                false
            }
            AppendError::Conflict(Conflict::Seq { .. }) | AppendError::Storage(_) => {
                self.reload().await
            }
        }
    }

    /// Discards what waits for a commit, and refuses the commands among it.
    fn discard_pending(&mut self) {
        for Routed { effect, outbox, kind } in self.gate.reset() {
            match effect {
                Effect::Send { message, .. } => {
                    if let (Some(outbox), Some(id)) = (outbox, message.answers()) {
                        let refusal = Refusal::new(Reason::Unavailable, NOT_STORED);
                        let message = Message::Refused { id: Some(id.clone()), refusal };
                        self.context.metrics.answered(kind, &message);
                        outbox.post(encode(&message));
                    }
                }
                Effect::CancelThinking(_) | Effect::Dismiss(_) | Effect::BotFailed { .. } => {
                    self.perform(Routed { effect, outbox, kind });
                }
                Effect::Analyse { ticket, .. } => {
                    self.bot_calls.refuse_analysis(ticket, AnalysisUpdate::Busy);
                }
                Effect::Append(_)
                | Effect::Listen(_)
                | Effect::Broadcast(_)
                | Effect::BroadcastExcept { .. }
                | Effect::Think(_)
                | Effect::Close => {}
            }
        }
        self.fan_out.reset();
    }

    /// Rebuilds the room from its log, and sends its members the result. Whether it continues.
    async fn reload(&mut self) -> bool {
        self.context.metrics.rooms_rebuilt.inc();
        let Some(log) = read_log(&self.context, self.room.code()).await else { return false };
        if log.is_empty() {
            tracing::warn!(room.id = %self.code(), "the room was never stored, and ends");
            return false;
        }
        let mut effects = Effects::new();
        if let Err(error) = self.room.rebuild(self.context.clock.now(), &log, &mut effects) {
            tracing::error!(room.id = %self.code(), %error, "the log of the room cannot be read");
            self.send_failure();
            return false;
        }
        self.gate.resume(&log);
        self.take(effects, "rebuild", None);
        self.listed.update(&self.room);
        true
    }

    /// Notifies everybody in the room that it has failed.
    fn send_failure(&self) {
        let text = "The room has failed and is closed.".to_owned();
        let message = encode(&Message::Closed { room: self.code().clone(), text });
        for outbox in self.fan_out.outboxes() {
            outbox.post(message.clone());
        }
    }
}

/// Reads the log, and retries until it succeeds or the server stops.
async fn read_log(context: &RoomContext, code: &RoomCode) -> Option<Vec<Entry>> {
    let read = async {
        loop {
            let log = match context.log_writer.reserve().await {
                Ok(permit) => permit.read(code.clone()).wait().await,
                Err(error) => Err(error),
            };
            match log {
                Ok(log) => return log,
                Err(error) => tracing::error!(room.id = %code, %error, "cannot read"),
            }
            tokio::time::sleep(REBUILD_RETRY).await;
        }
    };
    tokio::select! {
        log = read => Some(log),
        () = context.stop.cancelled() => None,
    }
}
