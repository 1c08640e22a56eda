//! How a room continues after a commit that failed or a panic: it rolls back to its log, and
//! members who wait for an answer are refused.

use std::{collections::VecDeque, pin::pin, sync::Arc, time::Instant};

use fivefold_shared::{
    protocol::{Message, Reason, Refusal, RoomCode},
    room::{AnalysisUpdate, Cause, Effect, Effects, Entry},
};
use fivefold_storage::{AppendError, Claimed, Conflict, Reply, StorageError, WriterPermit};
use tokio::time::sleep;

use super::{
    actor::{Actor, CurrentCommand, RoomContext},
    commit_gate::Routed,
    mailbox::{Envelope, Mailbox},
    paired::reason_without_game,
};
use crate::{
    limits::{ANSWERED_WITHIN, FAULTS_MAX, FAULTS_WITHIN, MAILBOX_INPUTS_MAX, REBUILD_RETRY},
    online::outbox::encode,
    rooms::daily_news::inputs_of,
};

/// What a room receives while it waits for its log.
pub(super) struct Inbox<'a> {
    mailbox: &'a mut Mailbox,
    /// Inputs without an answer, such as sessions that leave: each does so once.
    pub(super) deferred: Vec<Envelope>,
}

impl<'a> Inbox<'a> {
    pub(super) fn new(mailbox: &'a mut Mailbox) -> Self {
        Self { mailbox, deferred: Vec::new() }
    }
}

/// The panics of one room.
#[derive(Default)]
pub(super) struct Faults(VecDeque<Instant>);

impl Faults {
    /// Counts a panic now. Returns whether the room may continue.
    fn may_continue(&mut self, now: Instant) -> bool {
        self.0.retain(|&fault| now.duration_since(fault) < FAULTS_WITHIN);
        self.0.push_back(now);
        self.0.len() <= FAULTS_MAX
    }
}

impl Actor {
    /// After a panic: logs it, and returns whether the room may recover. If not, its members are
    /// notified.
    pub(super) fn may_recover(&self, faults: &mut Faults) -> bool {
        tracing::error!(room.id = %self.code(), "a room panicked");
        self.context.metrics.rooms_failed.inc();
        let may_continue = faults.may_continue(Instant::now());
        if !may_continue {
            self.send_failure();
        }
        may_continue
    }

    /// Rolls back to the log, as after a failed commit. Only the log can be trusted after a panic,
    /// and presence: it changes by single insertions and removals, and a session missed there is
    /// found by its idle timeout. Returns whether the room continues.
    ///
    /// Commands whose events are with the log writer get their answer from the result of that
    /// commit. The command that caused the panic stays refused.
    pub(super) async fn recover(&mut self, mailbox: &mut Mailbox) -> bool {
        let failed = self.current.take();
        if let Some(CurrentCommand { id, route, .. }) = &failed {
            self.context.metrics.refused(Reason::Unavailable);
            route.refuse(id, Reason::Unavailable);
        }
        let mut inbox = Inbox::new(mailbox);
        let stored = if self.gate.is_committing() {
            // The room learns what has changed in ratings when it is whole again.
            self.gate.committed().await.map(|committed| self.release(committed.since))
        } else {
            Ok(())
        };
        let may_continue = match stored {
            Ok(()) => {
                self.discard_pending();
                self.reload(&mut inbox).await
            }
            Err(error) => self.roll_back_to_log(&error, &mut inbox).await,
        };
        let deferred = inbox.deferred;
        if may_continue {
            if let Some(CurrentCommand { id, once_for: Some(session), .. }) = failed
                && let Some(member) = self.room.member(session).cloned()
            {
                let cause = Cause { member, command: id };
                self.room.refuse_for_good(&cause, Refusal::new(Reason::Unavailable));
            }
            self.receive_all(deferred);
        }
        may_continue
    }

    /// After a commit that was not acknowledged. Returns whether the room continues.
    pub(super) async fn rollback(&mut self, error: &AppendError, mailbox: &mut Mailbox) -> bool {
        let mut inbox = Inbox::new(mailbox);
        let may_continue = self.roll_back_to_log(error, &mut inbox).await;
        if may_continue {
            self.receive_all(inbox.deferred);
        }
        may_continue
    }

    pub(super) fn receive_all(&mut self, envelopes: Vec<Envelope>) {
        for envelope in envelopes {
            self.open(envelope);
        }
    }

    async fn roll_back_to_log(&mut self, error: &AppendError, inbox: &mut Inbox<'_>) -> bool {
        if !matches!(error, AppendError::Conflict(Conflict::Playing(_))) {
            tracing::error!(room.id = %self.code(), %error, "the room rolls back to its log");
            self.context.metrics.note_failed_commit();
        }
        match error {
            AppendError::Storage(StorageError::InDoubt(_)) => self.settle(inbox).await,
            AppendError::Storage(StorageError::Failed(_) | StorageError::Damaged(_)) => {
                self.discard_pending();
                self.reload(inbox).await
            }
            AppendError::Conflict(Conflict::Playing(playing)) => {
                self.note_playing(playing);
                self.discard_pending_for(reason_without_game);
                self.reload(inbox).await
            }
            AppendError::Conflict(Conflict::Seq { .. }) => {
                self.discard_pending();
                self.settle(inbox).await
            }
            // A node that is fenced may have been declared dead, or its room was made elsewhere.
            AppendError::Conflict(Conflict::Owner) if self.context.cluster.is_some() => {
                self.settle(inbox).await
            }
            AppendError::Conflict(Conflict::Owner) => {
                self.discard_pending();
                self.send_failure();
                false
            }
        }
    }

    /// After a commit in doubt: claims the room, and only then answers the pending commands by what
    /// its log says. Returns whether the room continues.
    async fn settle(&mut self, inbox: &mut Inbox<'_>) -> bool {
        let code = self.code().clone();
        match self.claim(inbox).await {
            None => false,
            Some(Claimed::Mine { epoch, log, news, .. }) => {
                self.gate.set_epoch(epoch);
                let last = log.last().map_or(0, |entry| entry.event.seq);
                let is_whole = if self.gate.is_stored(last) {
                    self.release(Instant::now());
                    true
                } else {
                    self.discard_pending();
                    self.rebuild(&log)
                };
                self.learn_news(inputs_of(news));
                is_whole
            }
            Some(Claimed::Closed) => {
                tracing::warn!(room.id = %code, "the room was never stored, and ends");
                self.discard_pending();
                false
            }
            // The next owner's log may have what is pending, so nothing of it is refused.
            Some(Claimed::Elsewhere(owner)) => {
                tracing::error!(room.id = %code, %owner, "another node owns the room");
                if let Some(cluster) = &self.context.cluster {
                    cluster.node.note_own_death();
                }
                false
            }
            Some(Claimed::Newer) => {
                tracing::error!(room.id = %code, "a newer server has written to the room");
                self.send_failure();
                false
            }
            Some(Claimed::Damaged(problem)) => {
                self.damage = Some(problem);
                self.send_failure();
                false
            }
        }
    }

    /// Claims the room again; nothing if the server stops.
    pub(super) async fn claim(&mut self, inbox: &mut Inbox<'_>) -> Option<Claimed> {
        let (code, node) = (self.code().clone(), self.context.node);
        let claim = |permit: WriterPermit<'_>| permit.claim(vec![code.clone()], node);
        let claimed = self.ask_writer(claim, inbox).await?;
        Some(claimed.into_iter().next().unwrap_or(Claimed::Closed))
    }

    /// Nobody knows whether the pending commands are done: their clients send them again.
    fn restart_unanswered(&self) {
        for route in self.gate.unanswered() {
            self.context.metrics.cluster.sockets_restarted.inc();
            route.restart();
        }
    }

    /// Discards what waits for a commit, and refuses the commands among it: they may be sent again.
    fn discard_pending(&mut self) {
        self.discard_pending_for(|_| Reason::Unavailable);
    }

    /// The same, with a reason for each by its metric label.
    fn discard_pending_for(&mut self, reason: impl Fn(&str) -> Reason) {
        self.withdraw_unstored();
        self.marks.forget_unstored();
        if self.may_be_made_elsewhere() {
            self.restart_unanswered();
        }
        for Routed { effect, route, kind } in self.gate.reset() {
            match effect {
                Effect::Send { session, message } => {
                    if let (Some(route), true) = (&route, self.is_stored(&message)) {
                        // The answer to a repeated command only waited for other events.
                        self.late_answers.push((route.clone(), message));
                    } else if let (Some(route), Some(id)) = (route, message.answers())
                        && !self.may_be_made_elsewhere()
                    {
                        let refusal = Refusal::new(reason(kind));
                        let message = Message::Refused { id: Some(id.clone()), refusal };
                        self.answer(session, &route, message, kind);
                    }
                }
                Effect::CancelThinking(_) | Effect::Dismiss(_) | Effect::BotFailed { .. } => {
                    self.perform(Routed { effect, route, kind });
                }
                Effect::Analyse { ticket, .. } => {
                    self.bot_calls.refuse_analysis(ticket, AnalysisUpdate::Busy);
                }
                Effect::Append { .. }
                | Effect::Listen(_)
                | Effect::SendMany { .. }
                | Effect::Broadcast(_)
                | Effect::BroadcastExcept { .. }
                | Effect::Think(_)
                | Effect::Close => {}
            }
        }
        self.fan_out.reset();
    }

    /// Whether this says that a command is done whose events are stored.
    fn is_stored(&self, message: &Message) -> bool {
        if let Message::Done { seq: Some(seq), .. } = message {
            *seq <= self.fan_out.seq()
        } else {
            false
        }
    }

    /// Reads the log of a room that is still owned here, and rebuilds the room. Returns whether it
    /// continues.
    async fn reload(&mut self, inbox: &mut Inbox<'_>) -> bool {
        let code = self.code().clone();
        let read = |permit: WriterPermit<'_>| permit.read(code.clone());
        let Some(log) = self.ask_writer(read, inbox).await else { return false };
        if log.is_empty() {
            tracing::warn!(room.id = %code, "the room was never stored, and ends");
            return false;
        }
        self.rebuild(&log)
    }

    /// Rebuilds the room from its log, and sends its members the result. Returns whether it
    /// continues.
    pub(super) fn rebuild(&mut self, log: &[Entry]) -> bool {
        self.context.metrics.rooms_rebuilt.inc();
        let mut effects = Effects::new();
        if let Err(error) = self.room.rebuild(self.now(), log, &mut effects) {
            self.damage = Some(error.to_string());
            self.send_failure();
            return false;
        }
        self.fan_out.set_seq(log.last().map_or(0, |entry| entry.event.seq));
        self.take(effects, "rebuild", None);
        for (route, message) in std::mem::take(&mut self.late_answers) {
            self.fan_out.send(&route, message);
        }
        self.update_listed();
        self.restore_paired();
        true
    }

    /// Notifies everybody in the room that it has failed.
    pub(super) fn send_failure(&self) {
        let text = "The room has failed and is closed.".to_owned();
        let message = encode(&Message::Closed { room: self.code().clone(), text, why: None });
        for route in self.fan_out.routes() {
            route.post(&message);
        }
    }

    /// Repeats a request until the storage answers; `None` when the server stops. Every
    /// [`ANSWERED_WITHIN`] it ends the sessions that wait for this room. Their commands are dropped, not
    /// refused: the clients send them again with the same ids.
    async fn ask_writer<T>(
        &mut self,
        request: impl Fn(WriterPermit<'_>) -> Reply<T, StorageError>,
        inbox: &mut Inbox<'_>,
    ) -> Option<T> {
        let context = Arc::clone(&self.context);
        let code = self.code().clone();
        let mut asking = pin!(repeat(&context, &code, request));
        loop {
            tokio::select! {
                biased;
                answer = &mut asking => return Some(answer),
                () = context.stop.cancelled() => return None,
                () = sleep(ANSWERED_WITHIN) => self.end_waiting_sessions(inbox),
            }
        }
    }

    fn end_waiting_sessions(&self, inbox: &mut Inbox<'_>) {
        self.restart_unanswered();
        while inbox.deferred.len() < MAILBOX_INPUTS_MAX
            && let Ok(envelope) = inbox.mailbox.try_recv()
        {
            match *envelope {
                Envelope::Session { input, outbox } if input.command_id().is_some() => {
                    self.context.metrics.cluster.sockets_restarted.inc();
                    outbox.restart();
                }
                other @ (Envelope::Session { .. }
                | Envelope::Relay { .. }
                | Envelope::Silent(_)) => inbox.deferred.push(other),
            }
        }
    }
}

/// Repeats a request until the storage answers.
async fn repeat<T>(
    context: &RoomContext,
    code: &RoomCode,
    request: impl Fn(WriterPermit<'_>) -> Reply<T, StorageError>,
) -> T {
    loop {
        let answer = match context.log_writer.reserve().await {
            Ok(permit) => request(permit).wait().await,
            Err(error) => Err(error),
        };
        match answer {
            Ok(answer) => return answer,
            Err(error) => tracing::error!(room.id = %code, %error, "cannot read"),
        }
        sleep(REBUILD_RETRY).await;
    }
}
