//! Notes of members about their games.

use fivefold_shared::{
    note::Note,
    protocol::{MemberId, RoomCode},
};

use super::{Row, account_rows::Change, source::DatabaseReader, values};
use crate::{AccountChanged, NotesReader, StorageError, limits::NOTES_MAX};

/// Writes a note in place of the one before; an empty text deletes it.
pub(super) fn write(
    change: &Change<'_>,
    room: &RoomCode,
    text: &str,
) -> Result<AccountChanged, StorageError> {
    let Change { sql, member, at } = *change;
    if text.is_empty() {
        sql.execute("DELETE FROM note WHERE member = $1 AND room = $2", values![member, room])?;
        return Ok(AccountChanged::Done);
    }
    let replace = "UPDATE note SET text = $3, at = $4 WHERE member = $1 AND room = $2";
    if change.execute(replace, values![member, room, text, at])? == AccountChanged::Done {
        return Ok(AccountChanged::Done);
    }
    if !change.has_account()? {
        return Ok(AccountChanged::Gone);
    }
    let is_full = "SELECT 1 FROM note WHERE member = $1 LIMIT 1 OFFSET $2";
    if sql.exists(is_full, values![member, NOTES_MAX - 1])? {
        return Ok(AccountChanged::Full);
    }
    let insert = "INSERT INTO note (member, room, text, at) VALUES ($1, $2, $3, $4)";
    change.execute(insert, values![member, room, text, at])
}

impl NotesReader for DatabaseReader {
    fn notes(&mut self, member: &MemberId) -> Result<Vec<Note>, StorageError> {
        let select = "SELECT room, text, at FROM note WHERE member = $1 ORDER BY at DESC, room";
        self.read(|sql| sql.rows(select, values![member], read))
    }

    fn note(&mut self, member: &MemberId, room: &RoomCode) -> Result<Option<Note>, StorageError> {
        let select = "SELECT room, text, at FROM note WHERE member = $1 AND room = $2";
        self.read(|sql| sql.row(select, values![member, room], read))
    }
}

fn read(row: &mut Row) -> Result<Note, StorageError> {
    Ok(Note { room: row.get()?, text: row.get()?, at: row.get()? })
}
