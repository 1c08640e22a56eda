//! Prunes old data: the logs of rooms that closed long ago, members not seen for as long who have
//! finished no game, expired sessions, deleted accounts, deleted collections, and old reports. Finished games
//! stay.

use std::{convert::Infallible, time::Duration};

use fivefold_shared::clock::millis;
use fivefold_storage::{
    LogWriter, Reply, StorageError, WriterPermit,
    limits::{PRUNED_ACCOUNTS_MAX, PRUNED_LOGS_MAX, PRUNED_MEMBERS_MAX, PRUNED_MODERATION_MAX},
};
use tokio::time::sleep;

use crate::{
    limits::{PRUNE_INTERVAL, REST_INTERVAL},
    process::clock::Clock,
};

/// Prunes data older than `keep` at intervals; never returns.
pub(crate) async fn prune_old(log_writer: LogWriter, clock: Clock, keep: Duration) -> Infallible {
    let keep_ms = millis(keep);
    loop {
        let before = clock.now().saturating_sub(keep_ms);
        let members =
            in_parts(&log_writer, PRUNED_MEMBERS_MAX, |permit| permit.prune_members(before)).await;
        match members {
            Ok(0) => {}
            Ok(members) => tracing::info!(members, "members without a game are deleted"),
            Err(error) => tracing::warn!(%error, "cannot delete members without a game"),
        }
        let accounts =
            in_parts(&log_writer, PRUNED_ACCOUNTS_MAX, |permit| permit.prune_accounts(clock.now()));
        match accounts.await {
            Ok(0) => {}
            Ok(rows) => tracing::info!(rows, "expired sessions and accounts are deleted"),
            Err(error) => tracing::warn!(%error, "cannot delete expired sessions and accounts"),
        }
        // After the accounts: their collections are deleted with them.
        // A part may have few rows although more follow: so until there is none.
        let collections = in_parts(&log_writer, 1, |permit| permit.prune_collections());
        match collections.await {
            Ok(0) => {}
            Ok(games) => tracing::info!(games, "deleted the games of deleted collections"),
            Err(error) => tracing::warn!(%error, "cannot delete games of deleted collections"),
        }
        let moderation = in_parts(&log_writer, PRUNED_MODERATION_MAX, |permit| {
            permit.prune_moderation(clock.now())
        });
        match moderation.await {
            Ok(0) => {}
            Ok(rows) => {
                tracing::info!(rows, "old reports, and blocks by people unknown, are deleted");
            }
            Err(error) => tracing::warn!(%error, "cannot delete old reports and blocks"),
        }
        let rooms =
            in_parts(&log_writer, PRUNED_LOGS_MAX, |permit| permit.prune_logs(before)).await;
        match rooms {
            Ok(0) => {}
            Ok(rooms) => tracing::info!(rooms, "the logs of rooms closed long ago are deleted"),
            Err(error) => tracing::warn!(%error, "cannot delete the logs of closed rooms"),
        }
        sleep(PRUNE_INTERVAL).await;
    }
}

/// Gives the writer a moment for what can wait, at intervals; never returns.
pub(crate) async fn rest(log_writer: LogWriter) -> Infallible {
    loop {
        sleep(REST_INTERVAL).await;
        if let Ok(permit) = log_writer.reserve().await {
            permit.rest();
        }
    }
}

/// Deletes part by part, so that no move waits long, until a part is smaller than `part_max`.
/// Returns the number deleted.
async fn in_parts(
    log_writer: &LogWriter,
    part_max: usize,
    delete: impl Fn(WriterPermit<'_>) -> Reply<usize, StorageError>,
) -> Result<usize, StorageError> {
    let mut deleted = 0;
    loop {
        let part = delete(log_writer.reserve().await?).wait().await?;
        deleted += part;
        if part < part_max {
            return Ok(deleted);
        }
    }
}
