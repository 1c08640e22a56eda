//! Forgetting what nobody needs any more: the logs of rooms that were closed long ago, and members
//! who were last seen as long ago and have finished no game. Finished games stay.

use std::{convert::Infallible, time::Duration};

use tokio::time::sleep;

use crate::{
    clock::Clock,
    limits::{FORGET_INTERVAL, FORGET_ROOMS_MAX, PRUNED_MEMBERS_MAX},
    store::{StorageError, Store},
};

/// Forgets again and again what is older than `keep`; never returns.
pub(crate) async fn forget_old(store: Store, clock: Clock, keep: Duration) -> Infallible {
    let keep_ms = u64::try_from(keep.as_millis()).unwrap_or(u64::MAX);
    loop {
        let before = clock.now().saturating_sub(keep_ms);
        match prune_members(&store, before).await {
            Ok(0) => {}
            Ok(members) => tracing::info!(members, "members without a game are deleted"),
            Err(error) => tracing::warn!(%error, "cannot delete members without a game"),
        }
        match forget(&store, before).await {
            Ok(0) => {}
            Ok(rooms) => tracing::info!(rooms, "the logs of rooms closed long ago are forgotten"),
            Err(error) => tracing::warn!(%error, "cannot forget the logs of closed rooms"),
        }
        sleep(FORGET_INTERVAL).await;
    }
}

/// A few rooms at a time, so that no move waits for long. How many there were.
async fn forget(store: &Store, before: u64) -> Result<usize, StorageError> {
    let mut rooms = 0;
    loop {
        let some = store.turn().await?.forget(before).wait().await?;
        rooms += some;
        if some < FORGET_ROOMS_MAX {
            return Ok(rooms);
        }
    }
}

/// A few members at a time, as above. Returns how many.
async fn prune_members(store: &Store, before: u64) -> Result<usize, StorageError> {
    let mut members = 0;
    loop {
        let some = store.turn().await?.prune_members(before).wait().await?;
        members += some;
        if some < PRUNED_MEMBERS_MAX {
            return Ok(members);
        }
    }
}
