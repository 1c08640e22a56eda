//! When a room falls asleep: nobody is in it, and nothing is due soon. Its task ends then, and whoever needs the
//! room claims it.

use fivefold_storage::{Claimed, Sleep, WriterPermit};
use tokio::time::Instant;

use super::{actor::Actor, mailbox::Mailbox, recovery::Inbox};
use crate::limits::DUE_SOON;

impl Actor {
    /// When the room falls asleep if nothing happens; never while it is needed.
    pub(super) fn sleeps_at(&mut self) -> Option<Instant> {
        if self.is_needed() {
            self.idle_since = None;
            return None;
        }
        let idle_since = *self.idle_since.get_or_insert_with(Instant::now);
        Some(idle_since + self.context.limits.room_sleeps_after)
    }

    fn is_needed(&self) -> bool {
        let is_quiet = self.fan_out.is_empty()
            && self.gate.is_settled()
            && self.bot_calls.is_empty()
            && self.waiting.is_empty()
            && self.reading.is_none()
            && !self.marks.has_stored();
        !is_quiet || !self.is_stored || self.room.is_closed() || !self.may_sleep()
    }

    fn may_sleep(&self) -> bool {
        let state = self.room.state();
        // Positions of rated games are known from their rooms.
        let is_rated = state.running().is_some_and(|game| game.rated);
        let is_due = self.room.deadline().is_some_and(|at| at <= self.now() + DUE_SOON);
        // Two bots play for those who watch.
        let is_of_bots = self.listed.read(|standing| !standing.is_empty || standing.is_of_bots());
        // Chat is stored nowhere.
        !self.room.has_chat() && !is_rated && !is_due && !is_of_bots && !self.listed.is_evicted()
    }

    /// Has the storage keep the room. Returns whether the task ends: it goes on if somebody has come in the
    /// meantime, or if that is not stored.
    pub(super) async fn fall_asleep(&mut self, mailbox: &mut Mailbox) -> bool {
        let append = self.gate.sleep(self.sleep());
        let stored = match self.context.log_writer.reserve().await {
            Ok(permit) => permit.append(append).wait().await,
            Err(error) => Err(error.into()),
        };
        self.idle_since = None;
        self.is_asleep = match stored {
            Ok(_) => mailbox.is_empty() || !self.wake_again(mailbox).await,
            Err(error) => return !Box::pin(self.rollback(&error, mailbox)).await,
        };
        self.is_asleep
    }

    fn sleep(&self) -> Sleep {
        let room = self.listed.listed_room();
        let due = self.room.deadline().map(|at| at.saturating_sub(self.ahead_ms));
        Sleep {
            empty_since: self.room.empty_since(),
            due,
            public_rank: room.public_rank(),
            members: self.listed.all_members(),
            listing: serde_json::to_string(&room).expect("a room is plain data"),
        }
    }

    /// Takes the room back for those who have come. Returns whether it is still this node's.
    async fn wake_again(&mut self, mailbox: &mut Mailbox) -> bool {
        let (code, node) = (self.code().clone(), self.context.node);
        let claim = |permit: WriterPermit<'_>| permit.claim(vec![code.clone()], node);
        let mut inbox = Inbox::new(mailbox);
        let claimed = self.ask_writer(claim, &mut inbox).await.into_iter().flatten().next();
        let Some(Claimed::Mine { epoch, log, .. }) = claimed else { return false };
        self.gate.set_epoch(epoch);
        let is_whole = self.rebuild(&log);
        self.receive_all(inbox.deferred);
        is_whole
    }
}
