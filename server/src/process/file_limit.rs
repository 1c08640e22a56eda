//! Fits the connection limits to the system's limit on open files; each connection needs one file.
//! If the limit is low, the server accepts fewer connections, so that it never runs out of files.

use rlimit::increase_nofile_limit;

use crate::limits::{ADDRESS_PART, CONNECTIONS_MIN, Limits, OTHER_FILES, embeds::WATCHERS_PART};

/// The system allows too few open files to run a server.
#[derive(Clone, Copy, PartialEq, Eq, Debug, thiserror::Error)]
#[error(
    "the system lets only {files} files be open, and a server needs {}; raise the limit (ulimit -n, \
     or LimitNOFILE= in a systemd unit)",
    OTHER_FILES + CONNECTIONS_MIN
)]
pub struct TooFewFiles {
    files: usize,
}

/// Raises the system's limit as far as allowed, and lowers the server's limits to fit it.
///
/// # Errors
/// If the system's limit is too low even for a few connections.
pub fn fit(limits: Limits) -> Result<Limits, TooFewFiles> {
    let files = match increase_nofile_limit(u64::MAX) {
        Ok(files) => usize::try_from(files).unwrap_or(usize::MAX),
        Err(error) => {
            tracing::warn!(%error, "cannot tell how many files may be open");
            return Ok(limits);
        }
    };
    let fitted = lowered(limits, files)?;
    if fitted != limits {
        tracing::warn!(
            files,
            sessions = fitted.sessions_max,
            sessions_per_address = fitted.sessions_per_address_max,
            other_connections = fitted.connections_spare,
            other_connections_per_address = fitted.connections_spare_per_address,
            wanted = needed(&limits),
            "the system lets too few files be open for all sessions, so fewer are taken; raise its \
             hard limit (in a systemd unit: LimitNOFILE=)"
        );
    }
    Ok(fitted)
}

/// Number of open files that these limits may need.
const fn needed(limits: &Limits) -> usize {
    limits.connections_max().saturating_add(OTHER_FILES)
}

/// Lowers the limits for a server with this many open files. If there are few, an address gets at
/// most a part of the connections.
fn lowered(limits: Limits, files: usize) -> Result<Limits, TooFewFiles> {
    if files >= needed(&limits) {
        return Ok(limits);
    }
    let connections = files.saturating_sub(OTHER_FILES);
    if connections < CONNECTIONS_MIN {
        return Err(TooFewFiles { files });
    }
    // A connection is not a session until its handshake, so keep some spare.
    let spare = limits.connections_spare.min(connections / 4);
    // Those who only watch are a part more.
    let part = WATCHERS_PART as usize;
    let sessions_max = limits.sessions_max.min((connections - spare) * part / (part + 1));
    let limits = Limits { sessions_max, ..limits };
    let others = connections - sessions_max - limits.watchers_max();
    let connections_spare = limits.connections_spare.min(others);
    let share = connections / ADDRESS_PART;
    let spare_here = limits.connections_spare_per_address.min((share / 3).max(1));
    Ok(Limits {
        connections_spare,
        sessions_per_address_max: limits.sessions_per_address_max.min(share - spare_here),
        connections_spare_per_address: spare_here,
        ..limits
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fewer_connections_are_taken_where_few_files_may_be_open() {
        let few = Limits { sessions_max: 20, ..Limits::DEFAULT };
        let enough = needed(&Limits::DEFAULT);
        // The limits, the files, and the sessions and spare connections, in total and per address.
        let cases = [
            (Limits::DEFAULT, usize::MAX, Some([50_000, 1_000, 64, 64])),
            (Limits::DEFAULT, enough, Some([50_000, 1_000, 64, 64])),
            (Limits::DEFAULT, enough - 1, Some([49_999, 1_000, 64, 64])),
            (Limits::DEFAULT, 1_024, Some([600, 240, 64, 64])),
            (Limits::DEFAULT, 160, Some([60, 24, 16, 8])),
            (Limits::DEFAULT, OTHER_FILES + CONNECTIONS_MIN, Some([10, 4, 3, 1])),
            (Limits::DEFAULT, OTHER_FILES + CONNECTIONS_MIN - 1, None),
            (Limits::DEFAULT, 0, None),
            (few, 160, Some([20, 72, 16, 8])),
        ];
        for (limits, files, expected) in cases {
            let found = lowered(limits, files).ok().map(|limits| {
                assert!(needed(&limits) <= files);
                [
                    limits.sessions_max,
                    limits.connections_spare,
                    limits.sessions_per_address_max,
                    limits.connections_spare_per_address,
                ]
            });
            assert_eq!(found, expected, "{} sessions, {files} files", limits.sessions_max);
        }
    }
}
