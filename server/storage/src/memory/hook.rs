//! What a test puts between a server and its storage: faults, delays, and a look at the calls.

use std::fmt;

use fivefold_shared::protocol::RoomCode;

use crate::{Append, Appended, Claimed, NodeId, Storage, StorageError};

/// Takes part in the calls of a storage. The last three take the place of the call; they get the storage
/// without the hook.
pub trait Hook: Send + Sync + fmt::Debug + 'static {
    /// Comes before each call that `Call` names. With an error the call does nothing else.
    ///
    /// # Errors
    /// The answer of the call.
    fn before(&self, call: Call) -> Result<(), StorageError> {
        let _ = call;
        Ok(())
    }

    /// See [`Storage::unattended`].
    ///
    /// # Errors
    /// As there.
    fn unattended(
        &self,
        kept: &mut dyn Storage,
        due: u64,
        max: usize,
    ) -> Result<Vec<RoomCode>, StorageError> {
        kept.unattended(due, max)
    }

    /// See [`Storage::claim`].
    ///
    /// # Errors
    /// As there.
    fn claim(
        &self,
        kept: &mut dyn Storage,
        rooms: &[RoomCode],
        node: NodeId,
    ) -> Result<Vec<Claimed>, StorageError> {
        kept.claim(rooms, node)
    }

    /// See [`Storage::append`].
    ///
    /// # Errors
    /// As there.
    fn append(
        &self,
        kept: &mut dyn Storage,
        batch: &[Append],
    ) -> Result<Vec<Appended>, StorageError> {
        kept.append(batch)
    }
}

/// A call of a storage or of one of its readers.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Call {
    /// Updates members.
    Members,
    /// Changes anything else but logs.
    Change,
    /// Reads a room's log.
    Log,
    /// Reads with a reader.
    Browse,
}
