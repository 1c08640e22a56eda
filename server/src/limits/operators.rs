//! Limits that concern operators: what is logged and read from their files, backups, and what they do on the server.
//! Also when the server follows the system's clock.

use std::{ops::RangeInclusive, time::Duration};

use fivefold_shared::protocol::ROOMS_MAX;

use super::LINK_FRAME_MAX;

/// Most nodes whose names are kept for the log; those with the lowest numbers are forgotten.
pub const NODE_NAMES_MAX: usize = 64;
/// How often a line of the log sums up the connections that were refused.
pub const REFUSED_REPORT_INTERVAL: Duration = Duration::from_secs(60);
/// Most addresses whose refused connections are counted apart for that.
pub const REFUSED_ADDRESSES_MAX: usize = 10_000;
/// Most acts of operators that a node keeps in memory; the oldest are forgotten.
pub const ACTS_KEPT: usize = 50;
/// Most people online that an operator sees.
pub const SHOWN_TO_OPERATORS_MAX: usize = 200;
/// Longest time that an announcement lasts, in hours.
pub const ANNOUNCEMENT_HOURS_MAX: u32 = 7 * 24;
/// How long an operator waits for a room to close.
pub const ROOM_CLOSES_WITHIN: Duration = Duration::from_secs(5);
/// Tries of one address with the link for the first operator, in [`FIRST_OPERATOR_TRIES_WITHIN`].
pub const FIRST_OPERATOR_TRIES_MAX: u32 = 10;
/// How long the link that makes the first operator is valid.
pub const OPERATOR_LINK_VALID: Duration = Duration::from_secs(24 * 60 * 60);
/// See [`FIRST_OPERATOR_TRIES_MAX`].
pub const FIRST_OPERATOR_TRIES_WITHIN: Duration = Duration::from_secs(10 * 60);
/// A server without other nodes follows the system's clock when that differs by more than this.
pub const CLOCK_DRIFT_FOLLOWED: Duration = Duration::from_secs(1);
/// How often it looks.
pub const CLOCK_LOOK_INTERVAL: Duration = Duration::from_secs(1);
/// Longest file that holds a secret of the settings, in bytes.
pub const SECRET_FILE_BYTES: u64 = 64 << 10;
/// The hours from one backup to the next that an operator may choose, up to a year; 0 for no backups.
pub const BACKUP_HOURS: RangeInclusive<u32> = 0..=8_784;
/// Backups that are kept unless the operator chooses another number: a week of one every six hours.
pub const BACKUPS_KEPT: usize = 28;
/// How often the server looks whether a backup is due.
pub const BACKUP_LOOK_INTERVAL: Duration = Duration::from_secs(1);
/// How long the server waits after a failed backup before it tries again.
pub const BACKUP_RETRIED_AFTER: Duration = Duration::from_secs(10 * 60);
/// The longest time in which a backup may copy the database. What is committed meanwhile stays in the write-ahead log.
pub const BACKUP_COPIED_WITHIN: Duration = Duration::from_secs(60 * 60);
/// A backup ends when the write-ahead log has more bytes than this while it copies the database.
pub const BACKUP_LOG_BYTES_MAX: u64 = 512 << 20;

const _: () = assert!(
    ACTS_KEPT * 2_560 + SHOWN_TO_OPERATORS_MAX * 256 + ROOMS_MAX * 768 <= LINK_FRAME_MAX,
    "what a node tells operators of another one fits into a frame"
);
