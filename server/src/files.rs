//! How many files the system lets the server have open: each connection is one.

use rlimit::increase_nofile_limit;

use crate::limits::{CONNECTIONS_SPARE, Limits, OTHER_FILES};

/// Raises the limit as far as the system lets us, and warns when that is not enough for as many
/// sessions as the server would take.
pub fn raise_limit(limits: &Limits) {
    let needed = limits.sessions_max.saturating_add(CONNECTIONS_SPARE + OTHER_FILES);
    let needed = u64::try_from(needed).unwrap_or(u64::MAX);
    match increase_nofile_limit(u64::MAX) {
        Ok(limit) if limit >= needed => tracing::debug!(limit, "files that may be open"),
        Ok(limit) => tracing::warn!(
            limit,
            needed,
            "the system lets too few files be open for all sessions; raise its hard limit (in a \
             systemd unit: LimitNOFILE=), or take fewer by --sessions"
        ),
        Err(error) => tracing::warn!(%error, "cannot raise the number of files that may be open"),
    }
}
