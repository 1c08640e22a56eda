//! When the room of a daily game falls asleep: nobody is in it, and nothing is due soon. Its task ends then, and
//! whoever needs the room claims it.

use fivefold_storage::{AppendError, Claimed, Sleep, StorageError};
use tokio::time::Instant;

use super::{actor::Actor, mailbox::Mailbox, recovery::Inbox};
use crate::{limits::DUE_SOON, rooms::daily_news::inputs_of};

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
            && self.players_due.is_none()
            && !self.marks.has_stored();
        !is_quiet || !self.is_stored || self.room.is_closed() || !self.may_sleep()
    }

    fn may_sleep(&self) -> bool {
        let state = self.room.state();
        // Other clocks stand while a room is not in memory, and other rooms close soon.
        if !state.time.is_daily() {
            return false;
        }
        let is_due = self.room.deadline().is_some_and(|at| at <= self.now() + DUE_SOON);
        // A game between bots stops when nobody watches.
        let is_of_bots = self.listed.read(|standing| !standing.is_empty || standing.is_of_bots());
        let may_store = self.context.disk.may_grow().is_ok() && !self.listed.is_evicted();
        !is_due && !is_of_bots && may_store
    }

    /// Hands the room over to the storage. Returns whether the task ends; it goes on if somebody came in the
    /// meantime, or if that failed.
    pub(super) async fn fall_asleep(&mut self, mailbox: &mut Mailbox) -> bool {
        let append = self.gate.sleep(self.sleep(), self.daily_seats());
        let stored = match self.context.log_writer.reserve().await {
            Ok(permit) => permit.append(append).wait().await,
            Err(error) => Err(error.into()),
        };
        self.idle_since = None;
        let is_left = match stored {
            Ok(_) => mailbox.is_empty(),
            Err(AppendError::Storage(StorageError::Failed(_) | StorageError::Damaged(_))) => {
                tracing::debug!(room.id = %self.code(), "the room cannot sleep");
                return false;
            }
            // It may sleep, and another node may have claimed it.
            Err(AppendError::Storage(StorageError::InDoubt(_)) | AppendError::Conflict(_)) => false,
        };
        if is_left {
            self.context.chats.keep(self.code().clone(), self.gate.epoch(), self.room.take_chat());
        }
        self.is_asleep = is_left || !self.wake_again(mailbox).await;
        self.is_asleep
    }

    fn sleep(&self) -> Sleep {
        let room = self.listed.listed_room();
        let due = self.room.deadline().map(|at| at.saturating_sub(self.ahead_ms));
        Sleep {
            empty_since: self.room.empty_since().map(|at| at.saturating_sub(self.ahead_ms)),
            due,
            public_rank: room.public_rank(),
            members: self.listed.all_members(),
            listing: serde_json::to_string(&room).expect("a room is plain data"),
        }
    }

    /// Claims the room again. Returns whether it is this node's.
    async fn wake_again(&mut self, mailbox: &mut Mailbox) -> bool {
        let mut inbox = Inbox::new(mailbox);
        let claimed = self.claim(&mut inbox).await;
        let (epoch, log, news) = match claimed {
            Some(Claimed::Mine { epoch, log, news, .. }) => (epoch, log, news),
            Some(Claimed::Damaged(problem)) => {
                self.damage = Some(problem);
                self.send_failure();
                return false;
            }
            other => {
                tracing::debug!(room.id = %self.code(), ?other, "the room is not this node's any more");
                return false;
            }
        };
        self.gate.set_epoch(epoch);
        let is_whole = self.rebuild(&log);
        self.learn_news(inputs_of(news));
        self.receive_all(inbox.deferred);
        is_whole
    }
}
