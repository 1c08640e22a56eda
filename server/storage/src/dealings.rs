//! What the storage knows of a member who plays for ratings: from where the account was used, and whom the
//! member has met. Nothing here knows what follows from it.
//!
//! Addresses and devices are kept as digests, for as long as they matter.

use fivefold_shared::{clock::millis, protocol::MemberId};
use serde::{Deserialize, Serialize};

use super::{StorageError, moderation::words};
use crate::limits::{TRACED_ADDRESS_KEPT, TRACED_DEVICE_KEPT};

words! {
    /// What an account was used at.
    TraceKind {
        /// An address.
        Address = "address",
        /// A device.
        Device = "device",
    }
}

/// An account was used at an address, or on a device.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Trace {
    /// Which of both.
    pub kind: TraceKind,
    /// A digest of it, of 63 bits.
    pub mark: u64,
    /// When it was last used there, in milliseconds since the Unix epoch.
    pub at: u64,
}

impl Trace {
    /// Whether it still matters.
    pub fn is_fresh(&self, now: u64) -> bool {
        self.at > traced_before(self.kind, now)
    }
}

/// A game that has changed a member's rating.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Meeting {
    /// The other player.
    pub opponent: MemberId,
    /// When it ended, in milliseconds since the Unix epoch.
    pub at: u64,
    /// How many stones were on the board.
    pub plies: usize,
    /// How long it took, in milliseconds.
    pub took_ms: u64,
}

/// Reads what is kept here. Calls may block.
pub trait DealingsReader {
    /// Where a member's account was used, the newest first; some may not matter any more.
    ///
    /// # Errors
    /// When it cannot be read.
    fn traces(&mut self, member: &MemberId) -> Result<Vec<Trace>, StorageError>;

    /// The games since a time that have changed a member's ratings, the newest first; of each pool at most
    /// [`MEETINGS_MAX`](crate::limits::MEETINGS_MAX), the newest.
    ///
    /// # Errors
    /// When they cannot be read.
    fn meetings(&mut self, member: &MemberId, since: u64) -> Result<Vec<Meeting>, StorageError>;
}

/// Traces of this kind up to this time are forgotten.
pub(super) fn traced_before(kind: TraceKind, now: u64) -> u64 {
    now.saturating_sub(millis(match kind {
        TraceKind::Address => TRACED_ADDRESS_KEPT,
        TraceKind::Device => TRACED_DEVICE_KEPT,
    }))
}
