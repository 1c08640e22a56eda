//! Checks and stores batches of games for collections, one at a time, so that a move waits for at most one of them. It
//! does not know whose the collections are.

use std::net::IpAddr;

use fivefold_shared::{
    collection::{CollectedGame, RefusedGame},
    protocol::{Reason, Refusal, RefusalValues},
};
use fivefold_storage::{Blocking, KeyedGame};

use crate::{
    limits::accounts::{
        COLLECTED_BATCH_QUEUE_MAX, COLLECTED_BATCHES_MAX, COLLECTED_BATCHES_PER_ADDRESS_MAX,
    },
    process::{
        fair_queue::{FairPlace, FairQueue, NoPlace, Shares},
        priority,
    },
};

/// How addresses share the queue of batches.
const BATCHES: Shares = Shares {
    running_max: COLLECTED_BATCHES_MAX,
    places_max: COLLECTED_BATCH_QUEUE_MAX,
    reserved: 0,
    per_address_max: COLLECTED_BATCHES_PER_ADDRESS_MAX,
    pace: None,
};

/// How long to wait before a refused batch is sent again.
const BUSY_MS: u64 = 1_000;

/// The batches that are being stored or are waiting.
#[derive(Debug)]
pub(super) struct Batches {
    queue: FairQueue,
    blocking: Blocking,
    /// Most games of an account in all its collections.
    pub(super) games_max: u64,
}

/// A batch after its games were checked.
pub(super) struct CheckedBatch {
    /// The games that can be stored.
    pub(super) games: Vec<KeyedGame>,
    /// Their positions in the batch.
    pub(super) indexes: Vec<usize>,
    /// The others.
    pub(super) refused: Vec<RefusedGame>,
}

impl Batches {
    pub(super) fn new(blocking: Blocking, games_max: u64) -> Self {
        Self { queue: FairQueue::new(BATCHES), blocking, games_max }
    }

    /// Waits until it is the turn of a batch from this address. The turn lasts until the place is dropped.
    ///
    /// # Errors
    /// If too many wait.
    pub(super) async fn turn(&self, address: IpAddr) -> Result<FairPlace, Refusal> {
        let place = self.queue.place(address, false).map_err(busy)?;
        place.turn().await.map_err(busy)?;
        Ok(place)
    }

    /// Checks each game of a batch on its own.
    ///
    /// # Errors
    /// If a check panics.
    pub(super) async fn checked(&self, games: Vec<CollectedGame>) -> Result<CheckedBatch, Refusal> {
        let checking = self.blocking.call_below(priority::give_way, move || checked(games));
        checking.await.ok_or_else(|| {
            tracing::error!("checking games for a collection panicked");
            Refusal::new(Reason::Broken)
        })
    }
}

fn busy(NoPlace: NoPlace) -> Refusal {
    let values = RefusalValues { wait_ms: Some(BUSY_MS), ..RefusalValues::default() };
    Refusal::with(Reason::Busy, values)
}

fn checked(all: Vec<CollectedGame>) -> CheckedBatch {
    let (mut games, mut indexes, mut refused) = (Vec::new(), Vec::new(), Vec::new());
    for (index, game) in all.into_iter().enumerate() {
        match game.checked() {
            Ok((game, key)) => {
                games.push(KeyedGame { game, key });
                indexes.push(index);
            }
            Err(text) => refused.push(RefusedGame { index, text }),
        }
    }
    CheckedBatch { games, indexes, refused }
}
