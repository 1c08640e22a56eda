//! Where accounts were used, in a SQLite file.

use rusqlite::Transaction;

use super::account_rows::Change;
use crate::{
    AccountChanged, StorageError, Trace, TraceKind, dealings::traced_before, limits::TRACES_MAX,
};

/// Notes where an account was used, and forgets the oldest if there are too many.
pub(super) fn note(change: &Change<'_>, traces: &[Trace]) -> Result<AccountChanged, StorageError> {
    if !change.is_there("SELECT 1 FROM account WHERE member = ?", (change.member,))? {
        return Ok(AccountChanged::Gone);
    }
    for Trace { kind, mark, at } in traces {
        change.execute(
            "INSERT INTO trace (member, kind, mark, at) VALUES (?, ?, ?, ?)
             ON CONFLICT (member, kind, mark) DO UPDATE SET at = max(at, excluded.at)",
            (change.member, kind.as_str(), mark.cast_signed(), at),
        )?;
        change.execute(
            "DELETE FROM trace WHERE member = ?1 AND kind = ?2 AND mark NOT IN (
                 SELECT mark FROM trace WHERE member = ?1 AND kind = ?2
                 ORDER BY at DESC, mark LIMIT ?3)",
            (change.member, kind.as_str(), TRACES_MAX),
        )?;
    }
    Ok(AccountChanged::Done)
}

/// Deletes what matters no more, at most so many rows.
pub(super) fn prune(
    transaction: &Transaction<'_>,
    now: u64,
    rows_max: usize,
) -> Result<usize, StorageError> {
    let mut pruned = 0;
    for kind in [TraceKind::Address, TraceKind::Device] {
        pruned += transaction
            .prepare_cached(
                "DELETE FROM trace WHERE (member, kind, mark) IN (
                     SELECT member, kind, mark FROM trace WHERE kind = ? AND at <= ? LIMIT ?)",
            )?
            .execute((kind.as_str(), traced_before(kind, now), rows_max - pruned))?;
    }
    Ok(pruned)
}
