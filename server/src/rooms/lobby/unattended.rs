//! Opens rooms that nobody attends to: those of nodes that are dead, or of the server before this one; and those
//! that sleep and are due.

use std::{convert::Infallible, sync::Arc};

use fivefold_storage::{StorageError, limits::CLAIMED_ROOMS_MAX};
use tokio::{sync::oneshot, time::timeout};

use super::Lobby;
use crate::limits::{CLAIM_DOUBTS_MAX, SWEEP_INTERVAL, WOKEN_BEFORE_DUE};

impl Lobby {
    /// Opens rooms on a node of a cluster, for as long as the server runs.
    pub(crate) async fn sweep(self: &Arc<Self>) -> Infallible {
        let mut takeovers = Takeovers::default();
        loop {
            self.tell_news().await;
            let claimed = self.attend().await;
            if let Err(error) = &claimed {
                tracing::warn!(%error, "cannot claim rooms of dead nodes");
            }
            let total = self.context.metrics.cluster.rooms_taken_over.get();
            if let Some(rooms) = takeovers.settled(total) {
                tracing::info!(rooms, "has taken over the rooms of nodes that are gone");
            }
            // After as many as one commit may claim, more are likely to be left.
            if claimed != Ok(CLAIMED_ROOMS_MAX) {
                // Something may have to be learnt earlier.
                timeout(SWEEP_INTERVAL, self.news.notified()).await.ok();
            }
        }
    }

    /// Opens all such rooms on a server that is alone. Returns how many.
    ///
    /// # Errors
    /// If they cannot be claimed. Those that were are open.
    pub(crate) async fn attend_all(self: &Arc<Self>) -> Result<usize, StorageError> {
        let (mut count, mut doubts) = (0, 0);
        loop {
            match self.attend().await {
                Ok(0) => return Ok(count),
                Ok(claimed) => count += claimed,
                // Each room claims itself again.
                Err(StorageError::InDoubt(_)) if doubts < CLAIM_DOUBTS_MAX => doubts += 1,
                Err(error) => return Err(error),
            }
        }
    }

    /// Claims some rooms, all in one commit. Each gets its task first, which receives the answer, so nothing else on
    /// this node claims it. Rooms that have a task already are skipped: it claims them.
    async fn attend(self: &Arc<Self>) -> Result<usize, StorageError> {
        let cluster = self.context.cluster.as_ref();
        if cluster.is_some_and(|cluster| cluster.leaves_rooms_to_others()) {
            return Ok(0);
        }
        let log_writer = &self.context.log_writer;
        let due = self.context.clock.now().saturating_add(WOKEN_BEFORE_DUE);
        let unattended = log_writer.reserve().await?.unattended(due).wait().await?;
        let permit = log_writer.reserve().await?;
        let (mut rooms, mut tasks) = (Vec::new(), Vec::new());
        for room in unattended {
            let (answer, claimed) = oneshot::channel();
            let given_up = || StorageError::Failed("the claim was given up".to_owned());
            let claim = async move { claimed.await.unwrap_or_else(|_| Err(given_up())) };
            let begun = match cluster {
                Some(cluster) => self.begin_relay(&room, cluster, Some(Box::pin(claim))),
                None => self.begin_waking(&room, Box::pin(claim)),
            };
            if begun.is_ok() {
                rooms.push(room);
                tasks.push(answer);
            }
        }
        if rooms.is_empty() {
            return Ok(0);
        }
        let count = rooms.len();
        let claimed = permit.claim(rooms, self.context.node).wait().await;
        // A task that has ended needs no answer.
        match claimed {
            Ok(claimed) => {
                for (task, claimed) in tasks.into_iter().zip(claimed) {
                    drop(task.send(Ok(claimed)));
                }
            }
            Err(error) => {
                for task in tasks {
                    drop(task.send(Err(error.clone())));
                }
                return Err(error);
            }
        }
        Ok(count)
    }
}

/// Counts the rooms that this node takes over, until no more come: for one line of the log.
#[derive(Debug, Default)]
struct Takeovers {
    logged: u64,
    last: u64,
}

impl Takeovers {
    /// How many rooms were taken over since this was answered last, if it was as many a moment ago.
    fn settled(&mut self, total: u64) -> Option<u64> {
        let is_settled = std::mem::replace(&mut self.last, total) == total;
        (is_settled && total > self.logged)
            .then(|| total - std::mem::replace(&mut self.logged, total))
    }
}
