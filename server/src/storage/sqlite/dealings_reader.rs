//! Reads where accounts were used, and whom members have met, in a SQLite file.

use fivefold_shared::protocol::MemberId;
use rusqlite::OptionalExtension;

use super::{SqliteReader, rows::collect};
use crate::{
    limits::ratings::MEETINGS_MAX,
    storage::{DealingsReader, Meeting, StorageError, Trace, values::name},
};

impl DealingsReader for SqliteReader {
    fn traces(&mut self, member: &MemberId) -> Result<Vec<Trace>, StorageError> {
        let mut select = self.connection.prepare_cached(
            "SELECT kind, mark, at FROM trace WHERE member = ? ORDER BY at DESC, kind, mark",
        )?;
        collect(select.query((member.as_str(),))?, |row| {
            let kind: String = row.get(0)?;
            let mark: i64 = row.get(1)?;
            Ok(Trace { kind: kind.try_into()?, mark: mark.cast_unsigned(), at: row.get(2)? })
        })
    }

    fn meetings(&mut self, member: &MemberId, since: u64) -> Result<Vec<Meeting>, StorageError> {
        let mut pools = self.connection.prepare_cached(
            "SELECT pool, changes, changed_at FROM rating WHERE member = ? AND changed_at >= ?",
        )?;
        let pools = pools.query_map((member.as_str(), since), |row| {
            Ok((row.get(0)?, row.get(1)?, row.get(2)?))
        })?;
        let pools: Vec<(String, usize, u64)> = pools.collect::<Result<_, _>>()?;
        // From each rating back to its changes, as they lead to one another.
        let mut select = self.connection.prepare_cached(
            "SELECT previous_at, (SELECT o.member FROM rating_change AS o
                 WHERE o.at = c.at AND o.game = c.game AND o.kind = 'game' AND o.member <> c.member
                     AND c.kind = 'game'),
                 (SELECT CASE WHEN json_valid(summary) THEN json_extract(summary, '$.plies') END
                  FROM game WHERE code = c.game)
             FROM rating_change AS c WHERE at = ? AND member = ? AND pool = ? AND number = ?",
        )?;
        let mut met = Vec::new();
        for (pool, changes, changed_at) in pools {
            let mut next = Some(changed_at);
            for number in (1..=changes).rev().take(MEETINGS_MAX) {
                let Some(at) = next.filter(|at| *at >= since) else { break };
                let found = select
                    .query_row((at, member.as_str(), &pool, number), |row| {
                        Ok((row.get(0)?, row.get(1)?, row.get(2)?))
                    })
                    .optional()?;
                let Some((previous_at, opponent, plies)) = found else { break };
                let (opponent, plies): (Option<String>, Option<usize>) = (opponent, plies);
                if let Some(opponent) = opponent {
                    let plies = plies.unwrap_or_default();
                    met.push(Meeting { opponent: name(opponent)?, at, plies });
                }
                next = previous_at;
            }
        }
        met.sort_by(|one, other| (other.at, &one.opponent).cmp(&(one.at, &other.opponent)));
        Ok(met)
    }
}
