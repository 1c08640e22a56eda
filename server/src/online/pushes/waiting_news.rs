//! News that is not about a turn. News that is also of use later waits in the storage until the member's quiet hours
//! are over.

use std::time::Duration;

use fivefold_shared::{clock::millis, protocol::MemberId};
use fivefold_storage::{PushChange, PushChanged, PushMember, Reader, WaitingNews};

use super::{Lines, NotNow, PushTask, delivery::About, due_times::after_quiet_hours};
use crate::limits::pushes::PUSHES_DUE_MAX;

impl PushTask {
    /// Tells a member news that is not about a turn: now, or after their quiet hours. It is of use for the time `kept`.
    pub(super) async fn tell_once(
        &self,
        member: &MemberId,
        about: &About,
        kept: Duration,
        lines: &mut Lines,
    ) -> Result<(), NotNow> {
        let (member, known) = self.member(member).await?;
        let now = self.clock.now();
        let until = now + millis(kept);
        let due = after_quiet_hours(&known.settings, now);
        match about {
            About::Lasting(news) if due > now && known.can_be_told() => {
                let subject = news.subject();
                let news = serde_json::to_string(news).expect("it is plain data");
                let waits = WaitingNews { member, subject, news, due, until };
                // If the account was deleted in the meantime, nothing is stored.
                self.change(PushChange::Keep(waits)).await?;
            }
            _ => self.queue(&member, &known, about, until, lines),
        }
        Ok(())
    }

    /// Tells news that has waited until now.
    pub(super) async fn tell_waiting(&self, now: u64, lines: &mut Lines) -> Result<(), NotNow> {
        let read = move |reader: &mut Reader| reader.news_due(now, PUSHES_DUE_MAX);
        for waiting in self.read_pool.try_read(read).await? {
            let known = self.known(&waiting.member).await?;
            let due = after_quiet_hours(&known.settings, now);
            if due > now {
                self.change(PushChange::Move(waiting, due)).await?;
                continue;
            }
            // Otherwise another node tells it.
            if self.change(PushChange::Tell(waiting.clone())).await? != PushChanged::Done {
                continue;
            }
            match serde_json::from_str(&waiting.news).map(About::Lasting) {
                Ok(news) => self.queue(&waiting.member, &known, &news, waiting.until, lines),
                // A newer version of the server has stored it.
                Err(error) => tracing::debug!(%error, "news that has waited cannot be read"),
            }
        }
        Ok(())
    }

    /// Moves the news that waits for a member to the end of their quiet hours as they are now.
    pub(super) async fn plan_news_again(&self, known: &PushMember) -> Result<(), NotNow> {
        let now = self.clock.now();
        let due = after_quiet_hours(&known.settings, now);
        let is_moved = |waiting: &&WaitingNews| waiting.due > now && waiting.due != due;
        for waiting in known.news.iter().filter(is_moved) {
            // If this fails, a node is already telling the member, or newer news waits.
            self.change(PushChange::Move(waiting.clone(), due)).await?;
        }
        Ok(())
    }
}
