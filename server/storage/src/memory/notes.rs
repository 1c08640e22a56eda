//! Notes of members about their games, in memory.

use std::{cmp::Reverse, collections::BTreeMap};

use fivefold_shared::{note::Note, protocol::MemberId};

use crate::limits::NOTES_MAX;

/// All notes, by their writers.
#[derive(Debug, Default)]
pub(super) struct Notes(BTreeMap<MemberId, Vec<Note>>);

impl Notes {
    /// Writes a note in place of the one before; an empty text deletes it. Whether there was room for it.
    pub(super) fn write(&mut self, member: &MemberId, new: Note) -> bool {
        let own = self.0.entry(member.clone()).or_default();
        let is_known = own.iter().any(|note| note.room == new.room);
        if !new.text.is_empty() && !is_known && own.len() >= NOTES_MAX {
            return false;
        }
        own.retain(|note| note.room != new.room);
        if !new.text.is_empty() {
            own.push(new);
        }
        true
    }

    /// A member's notes, the newest first.
    pub(super) fn of(&self, member: &MemberId) -> Vec<Note> {
        let mut notes = self.0.get(member).cloned().unwrap_or_default();
        notes.sort_by_key(|note| (Reverse(note.at), note.room.clone()));
        notes
    }

    /// Forgets those of these members.
    pub(super) fn forget(&mut self, members: &[MemberId]) {
        self.0.retain(|member, _| !members.contains(member));
    }
}
