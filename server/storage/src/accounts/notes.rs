//! Notes of members about their games.

use fivefold_shared::{
    note::Note,
    protocol::{MemberId, RoomCode},
};

use crate::{StorageError, contradiction::Contradiction};

/// Reads notes. Calls may block.
pub trait NotesReader {
    /// A member's notes, the newest first.
    ///
    /// # Errors
    /// When they cannot be read.
    fn notes(&mut self, member: &MemberId) -> Result<Vec<Note>, StorageError>;

    /// A member's note about a room.
    ///
    /// # Errors
    /// When it cannot be read.
    fn note(&mut self, member: &MemberId, room: &RoomCode) -> Result<Option<Note>, StorageError>;
}

/// Rows that contradict themselves.
pub(crate) const CONTRADICTIONS: [Contradiction; 1] = [Contradiction {
    since: "note",
    table: "note",
    rows: "text = '' OR member NOT IN (SELECT member FROM account)",
    problem: "notes are empty or nobody's",
    sets: None,
}];
