//! Forgets what is stored about members who are deleted.

use super::{Sql, list, values};
use crate::{StorageError, accounts::DELETED_NAME};

/// What [`Sanction::forget_texts`](crate::Sanction) does, with the name `$2`, at the time `$3`.
pub(super) const FORGET_TEXTS: &str = "
    UPDATE sanction SET name = $2, reason = '',
        appeal = CASE WHEN appeal IS NULL THEN NULL ELSE '' END,
        answered_at = CASE WHEN appeal IS NULL THEN answered_at ELSE coalesce(answered_at, $3) END,
        until_at = CASE WHEN kind = 'note' OR undone_at IS NOT NULL OR until_at <= $3 THEN until_at
            WHEN from_at < $3 THEN $3 ELSE from_at + 1 END,
        changes = changes + 1";

/// Forgets what is stored about members and their guests: who reports them and why, the texts of their
/// sanctions, their lists, friends, notes and time off, and what is noted about their games. They are no operators any more.
pub(super) fn forget<'m>(
    sql: &dyn Sql,
    members: impl IntoIterator<Item = &'m str>,
    now: u64,
) -> Result<(), StorageError> {
    let members = list(members);
    let listed = sql.dialect().listed();
    let ids = format!(
        "(SELECT value FROM {listed} UNION ALL
          SELECT member FROM alias WHERE account IN (SELECT value FROM {listed}))"
    );
    for statement in [
        format!("DELETE FROM report WHERE about IN {ids}"),
        format!("DELETE FROM block WHERE member IN {ids}"),
        format!("DELETE FROM friend WHERE member IN {ids}"),
        format!("DELETE FROM friend WHERE other IN {ids}"),
        format!("DELETE FROM note WHERE member IN {ids}"),
        format!("DELETE FROM time_off WHERE member IN {ids}"),
        format!("DELETE FROM game_mark WHERE member IN {ids}"),
        format!("DELETE FROM game_mark WHERE opponent IN {ids}"),
        format!("DELETE FROM operator WHERE member IN (SELECT value FROM {listed})"),
    ] {
        sql.execute(&statement, values![&members])?;
    }
    let texts = format!("{FORGET_TEXTS} WHERE member IN {ids} AND name <> $2");
    sql.execute(&texts, values![&members, DELETED_NAME, now])?;
    Ok(())
}
