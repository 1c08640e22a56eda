//! The limits of what is logged for operators and read from their files, and when the server follows the system's clock.

use std::time::Duration;

/// Most nodes whose names are kept for the log; those with the lowest numbers are forgotten.
pub const NODE_NAMES_MAX: usize = 64;
/// How often a line of the log sums up the connections that were refused.
pub const REFUSED_REPORT_INTERVAL: Duration = Duration::from_secs(60);
/// Most addresses whose refused connections are counted apart for that.
pub const REFUSED_ADDRESSES_MAX: usize = 10_000;
/// A server without other nodes follows the system's clock when that differs by more than this.
pub const CLOCK_DRIFT_FOLLOWED: Duration = Duration::from_secs(1);
/// How often it looks.
pub const CLOCK_LOOK_INTERVAL: Duration = Duration::from_secs(1);
/// Longest file that holds a secret of the settings, in bytes.
pub const SECRET_FILE_BYTES: u64 = 64 << 10;
