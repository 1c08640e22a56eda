//! Forgets what a SQLite file has about a member who is deleted.

use rusqlite::Transaction;

use crate::{StorageError, accounts::DELETED_NAME};

/// What [`Sanction::forget_texts`](crate::Sanction) does, at the time `?1`, with the name `?2`.
pub(super) const FORGET_TEXTS: &str = "
    UPDATE sanction SET name = ?2, reason = '',
        appeal = CASE WHEN appeal IS NULL THEN NULL ELSE '' END,
        answered_at = CASE WHEN appeal IS NULL THEN answered_at ELSE coalesce(answered_at, ?1) END,
        until_at = CASE WHEN kind = 'note' OR undone_at IS NOT NULL OR until_at <= ?1 THEN until_at
            ELSE max(?1, from_at + 1) END,
        changes = changes + 1";

/// Forgets what is stored about a member and their guests: who reports them and why, the texts of their
/// sanctions, their list, and what is noted about their games. They are no operator any more.
pub(super) fn forget(
    transaction: &Transaction<'_>,
    member: &str,
    now: u64,
) -> Result<(), StorageError> {
    let ids = "(SELECT ?1 UNION ALL SELECT member FROM alias WHERE account = ?1)";
    for statement in [
        format!("DELETE FROM report WHERE about IN {ids}"),
        format!("DELETE FROM block WHERE member IN {ids}"),
        format!("DELETE FROM game_mark WHERE member IN {ids} OR opponent IN {ids}"),
        "DELETE FROM operator WHERE member = ?1".to_owned(),
    ] {
        transaction.prepare_cached(&statement)?.execute((member,))?;
    }
    let ids = ids.replace("?1", "?3");
    transaction
        .prepare_cached(&format!("{FORGET_TEXTS} WHERE member IN {ids} AND name <> ?2"))?
        .execute((now, DELETED_NAME, member))?;
    Ok(())
}
