//! Reads where accounts were used, and whom members have met, in a SQLite file.

use fivefold_shared::protocol::MemberId;
use rusqlite::OptionalExtension;

use super::{SqliteReader, rows::collect};
use crate::{
    DealingsReader, Meeting, StorageError, Trace,
    limits::MEETINGS_MAX,
    values::{name, readable},
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
                 summary ->> '$.plies',
                 max(0, (summary ->> '$.ended_at') - (summary ->> '$.started_at'))
             FROM rating_change AS c
             LEFT JOIN game ON game.code = c.game AND json_valid(summary)
             WHERE c.at = ? AND c.member = ? AND pool = ? AND c.number = ?",
        )?;
        let mut met = Vec::new();
        for (pool, changes, changed_at) in pools {
            let mut next = Some(changed_at);
            for number in (1..=changes).rev().take(MEETINGS_MAX) {
                let Some(at) = next.filter(|at| *at >= since) else { break };
                let found = select
                    .query_row((at, member.as_str(), &pool, number), |row| {
                        Ok((row.get(0)?, row.get(1)?, row.get(2)?, row.get(3)?))
                    })
                    .optional()?;
                let Some((previous_at, opponent, plies, took_ms)) = found else { break };
                let (opponent, plies): (Option<String>, Option<usize>) = (opponent, plies);
                let took_ms: Option<u64> = took_ms;
                if let Some(opponent) = opponent.map(name).and_then(|it| readable(it).transpose()) {
                    let (plies, took_ms) = (plies.unwrap_or(0), took_ms.unwrap_or(0));
                    met.push(Meeting { opponent: opponent?, at, plies, took_ms });
                }
                next = previous_at;
            }
        }
        met.sort_by(|one, other| (other.at, &one.opponent).cmp(&(one.at, &other.opponent)));
        Ok(met)
    }
}
