//! Notes of members about their games.

use serde::{Deserialize, Serialize};

use crate::protocol::RoomCode;

/// A member's note about the games of a room. Nobody else sees it.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Note {
    /// The room.
    pub room: RoomCode,
    /// What it says, in lines; never empty.
    pub text: String,
    /// When it was written, in milliseconds since the Unix epoch.
    pub at: u64,
}

/// All notes of a member, as the server answers.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct NoteList {
    /// The notes, the newest first.
    pub notes: Vec<Note>,
}

/// The text of a note, as the server answers and takes it.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct NoteText {
    /// Empty if there is no note.
    pub text: String,
}
