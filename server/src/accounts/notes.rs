//! Notes of members about their games. Only their writers see them.

use fivefold_shared::{
    note::Note,
    protocol::{Reason, Refusal, RoomCode},
};
use fivefold_storage::{Account, AccountStep};

use super::Accounts;
use crate::limits::accounts::NOTE_LENGTH_MAX;

impl Accounts {
    /// A member's notes, the newest first.
    ///
    /// # Errors
    /// If they cannot be read.
    pub(crate) async fn notes(&self, own: &Account) -> Result<Vec<Note>, Refusal> {
        let member = own.member.clone();
        self.read(move |reader| reader.notes(&member)).await
    }

    /// A member's note about a room.
    ///
    /// # Errors
    /// If it cannot be read.
    pub(crate) async fn note(
        &self,
        own: &Account,
        room: RoomCode,
    ) -> Result<Option<Note>, Refusal> {
        let member = own.member.clone();
        self.read(move |reader| reader.note(&member, &room)).await
    }

    /// Writes a member's note about a room in place of the one before. Without a text there is none any more.
    ///
    /// # Errors
    /// If the text is too long, the member has too many notes, or the storage fails.
    pub(crate) async fn write_note(
        &self,
        own: &Account,
        room: RoomCode,
        text: &str,
    ) -> Result<(), Refusal> {
        let step = AccountStep::Note { room, text: cleaned(text)? };
        self.change(&own.member, step, Reason::SignedOut).await
    }
}

/// A note as it is stored: the lines end in the same way everywhere, and databases and terminals can take it.
fn cleaned(text: &str) -> Result<String, Refusal> {
    let lines = text.replace("\r\n", "\n");
    let kept: String =
        lines.trim_end().chars().filter(|char| *char == '\n' || !char.is_control()).collect();
    if kept.chars().count() > NOTE_LENGTH_MAX {
        let problem = format!("a note has at most {NOTE_LENGTH_MAX} characters");
        return Err(Refusal::malformed(problem));
    }
    Ok(kept)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_note_is_cleaned_and_has_a_length() {
        let cases = [
            ("", ""),
            (" \n ", ""),
            ("  a fork at k6\r\n- or j7 \n", "  a fork at k6\n- or j7"),
            ("a\0b\u{1b}[31mc\td", "ab[31mcd"),
        ];
        for (text, expected) in cases {
            assert_eq!(cleaned(text).unwrap(), expected, "{text:?}");
        }
        assert!(cleaned(&"ё".repeat(NOTE_LENGTH_MAX)).is_ok());
        assert_eq!(
            cleaned(&"ё".repeat(NOTE_LENGTH_MAX + 1)).unwrap_err().reason,
            Reason::Malformed
        );
    }
}
