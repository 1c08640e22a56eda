//! Where accounts were used, and whom members have met.

use fivefold_shared::protocol::MemberId;

use super::{Sql, account_rows::Change, ratings, source::DatabaseReader, values};
use crate::{
    AccountChanged, DealingsReader, Meeting, StorageError, Trace, TraceKind,
    dealings::traced_before, limits::TRACES_MAX,
};

/// Notes where an account was used, and forgets the oldest if there are too many.
pub(super) fn note(change: &Change<'_>, traces: &[Trace]) -> Result<AccountChanged, StorageError> {
    if !change.has_account()? {
        return Ok(AccountChanged::Gone);
    }
    for Trace { kind, mark, at } in traces {
        change.sql.defer(
            "INSERT INTO trace (member, kind, mark, at) VALUES ($1, $2, $3, $4)
             ON CONFLICT (member, kind, mark) DO UPDATE
                 SET at = CASE WHEN trace.at > excluded.at THEN trace.at ELSE excluded.at END",
            values![change.member, kind.as_str(), mark.cast_signed(), *at],
        )?;
        change.sql.defer(
            "DELETE FROM trace WHERE member = $1 AND kind = $2 AND mark NOT IN (
                 SELECT mark FROM trace WHERE member = $1 AND kind = $2
                 ORDER BY at DESC, mark LIMIT $3)",
            values![change.member, kind.as_str(), TRACES_MAX],
        )?;
    }
    Ok(AccountChanged::Done)
}

/// Deletes what matters no more, at most so many rows.
pub(super) fn prune(sql: &dyn Sql, now: u64, rows_max: usize) -> Result<usize, StorageError> {
    let mut pruned = 0;
    for kind in [TraceKind::Address, TraceKind::Device] {
        pruned += sql.execute(
            "DELETE FROM trace WHERE (member, kind, mark) IN (
                 SELECT member, kind, mark FROM trace WHERE kind = $1 AND at <= $2 LIMIT $3)",
            values![kind.as_str(), traced_before(kind, now), rows_max - pruned],
        )?;
    }
    Ok(pruned)
}

impl DealingsReader for DatabaseReader {
    fn traces(&mut self, member: &MemberId) -> Result<Vec<Trace>, StorageError> {
        self.read(|sql| {
            sql.rows(
                "SELECT kind, mark, at FROM trace WHERE member = $1 ORDER BY at DESC, kind, mark",
                values![member],
                |row| {
                    let (kind, mark): (_, i64) = (row.get()?, row.get()?);
                    Ok(Trace { kind, mark: mark.cast_unsigned(), at: row.get()? })
                },
            )
        })
    }

    fn meetings(&mut self, member: &MemberId, since: u64) -> Result<Vec<Meeting>, StorageError> {
        self.read(|sql| ratings::meetings(sql, member, since))
    }
}
