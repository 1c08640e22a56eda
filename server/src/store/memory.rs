//! A storage that keeps everything in memory and forgets it with the process.

use std::collections::HashMap;

use fivefold_shared::protocol::RoomCode;

use super::{Append, Storage, StorageError};
use crate::room::Entry;

/// The logs of rooms, in memory.
#[derive(Debug, Default)]
pub struct Memory {
    rooms: HashMap<RoomCode, Vec<Entry>>,
}

impl Storage for Memory {
    fn append(&mut self, batch: &[Append]) -> Result<(), StorageError> {
        for append in batch {
            let log = self.rooms.entry(append.room.clone()).or_default();
            log.extend_from_slice(&append.entries);
        }
        Ok(())
    }

    fn read(&mut self, room: &RoomCode) -> Result<Vec<Entry>, StorageError> {
        Ok(self.rooms.get(room).cloned().unwrap_or_default())
    }

    fn remove(&mut self, room: &RoomCode) -> Result<(), StorageError> {
        self.rooms.remove(room);
        Ok(())
    }
}
