//! Takes over the rooms of nodes that are dead.

use std::{convert::Infallible, sync::Arc};

use fivefold_storage::{StorageError, limits::CLAIMED_ROOMS_MAX};
use tokio::{sync::oneshot, time::sleep};

use super::Lobby;
use crate::{cluster::Cluster, limits::SWEEP_INTERVAL};

impl Lobby {
    /// Claims rooms whose node is dead, for as long as the server runs.
    pub(crate) async fn sweep(self: &Arc<Self>, cluster: &Arc<Cluster>) -> Infallible {
        let mut takeovers = Takeovers::default();
        loop {
            let claimed = self.claim_orphans(cluster).await;
            if let Err(error) = &claimed {
                tracing::warn!(%error, "cannot claim rooms of dead nodes");
            }
            let total = self.context.metrics.cluster.rooms_taken_over.get();
            if let Some(rooms) = takeovers.settled(total) {
                tracing::info!(rooms, "has taken over the rooms of nodes that are gone");
            }
            // After as many as one commit may claim, more are likely to be left.
            if claimed != Ok(CLAIMED_ROOMS_MAX) {
                sleep(SWEEP_INTERVAL).await;
            }
        }
    }

    /// Claims some rooms that nobody owns, all in one commit. Each has a relay before that, which gets
    /// the answer, so nobody else claims it here. Rooms that are relayed already claim themselves.
    async fn claim_orphans(
        self: &Arc<Self>,
        cluster: &Arc<Cluster>,
    ) -> Result<usize, StorageError> {
        if cluster.leaves_rooms_to_others() {
            return Ok(0);
        }
        let log_writer = &self.context.log_writer;
        let orphans = log_writer.reserve().await?.orphans().wait().await?;
        let permit = log_writer.reserve().await?;
        let (mut rooms, mut relays) = (Vec::new(), Vec::new());
        for room in orphans {
            let (answer, claimed) = oneshot::channel();
            let given_up = || StorageError::Failed("the claim was given up".to_owned());
            let claim = async move { claimed.await.unwrap_or_else(|_| Err(given_up())) };
            if self.begin_relay(&room, cluster, Some(Box::pin(claim))).is_ok() {
                rooms.push(room);
                relays.push(answer);
            }
        }
        if rooms.is_empty() {
            return Ok(0);
        }
        let count = rooms.len();
        let claimed = permit.claim(rooms, self.context.node).wait().await;
        // A relay that has ended needs no answer.
        match claimed {
            Ok(claimed) => {
                for (relay, claimed) in relays.into_iter().zip(claimed) {
                    drop(relay.send(Ok(claimed)));
                }
            }
            Err(error) => {
                for relay in relays {
                    drop(relay.send(Err(error.clone())));
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
