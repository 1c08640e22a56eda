//! This machine's clock, which nobody can set while the program runs.

use std::{
    sync::LazyLock,
    time::{Duration, Instant, SystemTime, UNIX_EPOCH},
};

/// The time, in milliseconds since the Unix epoch: the system's when this is first asked, and counted on
/// from then.
pub(crate) fn now() -> u64 {
    static START: LazyLock<(Instant, Duration)> = LazyLock::new(|| {
        (Instant::now(), SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default())
    });
    let since = START.1 + START.0.elapsed();
    u64::try_from(since.as_millis()).unwrap_or(u64::MAX)
}
