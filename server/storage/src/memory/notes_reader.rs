//! What notes have to do with accounts, and reading them, in memory.

use fivefold_shared::{
    note::Note,
    protocol::{MemberId, RoomCode},
};

use super::{Memory, Tables};
use crate::{AccountChanged, Call, NotesReader, StorageError};

impl Tables {
    /// Writes a note in place of the one before; an empty text deletes it.
    pub(super) fn write_note(&mut self, member: &MemberId, new: Note) -> AccountChanged {
        if !self.accounts.has_row(member) && !new.text.is_empty() {
            return AccountChanged::Gone;
        }
        if self.notes.write(member, new) { AccountChanged::Done } else { AccountChanged::Full }
    }
}

impl NotesReader for Memory {
    fn notes(&mut self, member: &MemberId) -> Result<Vec<Note>, StorageError> {
        Ok(self.tables_for(Call::Browse)?.notes.of(member))
    }

    fn note(&mut self, member: &MemberId, room: &RoomCode) -> Result<Option<Note>, StorageError> {
        Ok(self.notes(member)?.into_iter().find(|note| note.room == *room))
    }
}
