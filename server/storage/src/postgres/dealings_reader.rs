//! Reads where accounts were used, and whom members have met, in PostgreSQL.

use fivefold_shared::protocol::MemberId;

use super::{
    reader::PostgresReader,
    values::{signed, unsigned},
};
use crate::{DealingsReader, Meeting, StorageError, Trace, limits::MEETINGS_MAX, values::name};

const SELECT_TRACES: &str = "
    SELECT kind, mark, at FROM trace WHERE member = $1 ORDER BY at DESC, kind, mark";

/// By the key of each pool, so that a long history takes no longer.
const SELECT_MEETINGS: &str = "
    SELECT other.member, own.at, coalesce((game.summary::json->>'plies')::bigint, 0),
        coalesce((game.summary::json->>'ended_at')::bigint, 0)
            - coalesce((game.summary::json->>'started_at')::bigint, 0)
    FROM rating CROSS JOIN LATERAL (
        SELECT game, kind, at FROM rating_change
        WHERE rating_change.member = rating.member AND rating_change.pool = rating.pool
        ORDER BY number DESC LIMIT $3
    ) AS own
    JOIN rating_change AS other ON other.game = own.game AND other.kind = 'game'
        AND other.member <> rating.member
    LEFT JOIN game ON game.code = own.game
    WHERE rating.member = $1 AND own.kind = 'game' AND own.at >= $2
    ORDER BY own.at DESC, other.member";

impl DealingsReader for PostgresReader {
    fn traces(&mut self, member: &MemberId) -> Result<Vec<Trace>, StorageError> {
        self.rows(SELECT_TRACES, &[&member.as_str()], |row| {
            let (kind, mark): (String, i64) = (row.try_get(0)?, row.try_get(1)?);
            let (mark, at) = (mark.cast_unsigned(), unsigned(row.try_get(2)?));
            Ok(kind.try_into().map(|kind| Trace { kind, mark, at }))
        })
    }

    fn meetings(&mut self, member: &MemberId, since: u64) -> Result<Vec<Meeting>, StorageError> {
        let most = signed(MEETINGS_MAX as u64);
        self.rows(SELECT_MEETINGS, &[&member.as_str(), &signed(since), &most], |row| {
            let [at, plies, took] = [1, 2, 3].map(|column| row.try_get::<_, i64>(column));
            let (at, plies, took_ms) = (unsigned(at?), unsigned(plies?), unsigned(took?.max(0)));
            let plies = usize::try_from(plies).unwrap_or(usize::MAX);
            Ok(name(row.try_get(0)?).map(|opponent| Meeting { opponent, at, plies, took_ms }))
        })
    }
}
