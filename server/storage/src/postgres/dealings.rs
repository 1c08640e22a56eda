//! Where accounts were used, in PostgreSQL.

use tokio_postgres::Error;

use super::{account_rows::Change, values::signed};
use crate::{AccountChanged, Trace, limits::TRACES_MAX};

/// Of the others of a kind that is noted, one place is left free. The time of the change is not needed.
const NOTE: &str = "
    WITH owner AS MATERIALIZED (
        SELECT member FROM account WHERE member = $1 AND $2::bigint IS NOT NULL
    ), noted AS MATERIALIZED (
        SELECT * FROM unnest($3::text[], $4::bigint[], $5::bigint[]) AS n (kind, mark, at)
    ), crowd AS (
        DELETE FROM trace WHERE member = $1 AND (kind, mark) IN (
            SELECT kind, mark FROM (
                SELECT kind, mark,
                    row_number() OVER (PARTITION BY kind ORDER BY at DESC, mark) AS place
                FROM trace WHERE member = $1 AND kind IN (SELECT kind FROM noted)
                    AND (kind, mark) NOT IN (SELECT kind, mark FROM noted)
            ) AS others WHERE place >= $6
        )
    ), added AS (
        INSERT INTO trace (member, kind, mark, at)
        SELECT owner.member, kind, mark, at FROM owner CROSS JOIN noted
        ON CONFLICT (member, kind, mark) DO UPDATE SET at = greatest(trace.at, excluded.at)
    )
    SELECT EXISTS (SELECT FROM owner), false";

/// Notes where an account was used, and forgets the oldest if there are too many.
pub(super) async fn note(change: &Change<'_>, traces: &[Trace]) -> Result<AccountChanged, Error> {
    let kinds: Vec<_> = traces.iter().map(|trace| trace.kind.as_str()).collect();
    let marks: Vec<_> = traces.iter().map(|trace| trace.mark.cast_signed()).collect();
    let times: Vec<_> = traces.iter().map(|trace| signed(trace.at)).collect();
    change.run(NOTE, &[&kinds, &marks, &times, &signed(TRACES_MAX as u64)]).await
}
