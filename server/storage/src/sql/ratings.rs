//! Reads ratings and their changes. How they are written is up to each database.

use fivefold_shared::{
    protocol::{GameId, MemberId, Name},
    rating_pool::RatingPool,
};

use super::{Dialect, Row, Sql, Value, list, values};
use crate::{
    Leaderboard, LeaderboardQuery, Meeting, MemberRatings, Placed, PoolRating, RatingChange,
    StorageError,
    glicko::{DEVIATION_GROWTH, Estimate, Rating},
    limits::{
        LEADERBOARD_DEVIATION_MAX, LEADERBOARD_GAMES_MIN, LEADERBOARD_PLACES_MAX, MEETINGS_MAX,
        RATING_HISTORY_MAX,
    },
    ratings,
    values::readable,
};

/// The columns of a rating, in the order that [`rating`] reads.
pub(crate) const RATING: &str =
    "pool, value, deviation, volatility, games, wins, draws, last_at, changes";

/// The columns of a change, in the order that [`change`] reads.
pub(crate) const CHANGE: &str =
    "member, pool, number, game, kind, result, before, deviation_before, after,
    deviation_after, at";

/// When a row of `game` in a file ended; null if its record is damaged.
pub(crate) const ENDED_AT: &str =
    "CASE WHEN json_valid(summary) THEN json_extract(summary, '$.ended_at') END";

/// Points of one band. In a file, leaderboards find the best by the bands, which few games change.
const BAND_POINTS: f64 = 50.0;

/// The ratings that have a place in a leaderboard.
const PLACED: &str = "
    rating JOIN account ON account.member = rating.member AND account.deleted_at IS NULL
        JOIN member ON member.id = rating.member
    WHERE pool = $1 AND games >= $2 AND last_at >= $3
        AND deviation * deviation + CASE WHEN last_at < $4 THEN $4 - last_at ELSE 0 END
            * CAST($5 AS double precision) * volatility * volatility
            <= CAST($6 AS double precision) * CAST($6 AS double precision)";

#[expect(clippy::cast_possible_truncation, reason = "ratings have a few digits")]
pub(crate) fn band(value: f64) -> i64 {
    (value / BAND_POINTS) as i64
}

/// The ratings of these members, those of each by pool.
pub(super) fn of_members(
    sql: &dyn Sql,
    members: &[MemberId],
) -> Result<MemberRatings, StorageError> {
    let members = list(members.iter().map(MemberId::as_str));
    let listed = sql.dialect().listed();
    let statement = format!(
        "SELECT member, {RATING} FROM rating WHERE member IN (SELECT value FROM {listed})
             ORDER BY member, pool"
    );
    sql.rows(&statement, values![&members], |row| Ok((row.get()?, rating(row)?)))
}

/// The last changes of a rating, the oldest first.
pub(super) fn history(
    sql: &dyn Sql,
    member: &MemberId,
    pool: RatingPool,
) -> Result<Vec<RatingChange>, StorageError> {
    let pool = pool.to_string();
    let mut history = match sql.dialect() {
        Dialect::Sqlite => chain(sql, member, &pool)?,
        Dialect::Postgres => {
            let statement = format!(
                "SELECT {CHANGE} FROM rating_change WHERE member = $1 AND pool = $2
                 ORDER BY number DESC LIMIT $3"
            );
            all(sql, &statement, values![member, &pool, RATING_HISTORY_MAX])?
        }
    };
    history.reverse();
    Ok(history)
}

/// The last changes of a rating in a file, from each back to the one before.
fn chain(sql: &dyn Sql, member: &MemberId, pool: &str) -> Result<Vec<RatingChange>, StorageError> {
    let last = "SELECT changes, changed_at FROM rating WHERE member = $1 AND pool = $2";
    let last = sql.row(last, values![member, pool], |row| Ok((row.get()?, row.get()?)))?;
    let Some((last, mut at)): Option<(usize, Option<u64>)> = last else { return Ok(Vec::new()) };
    let statement = format!(
        "SELECT {CHANGE}, previous_at FROM rating_change
         WHERE at = $1 AND member = $2 AND pool = $3 AND number = $4"
    );
    let mut chain = Vec::new();
    for number in (1..=last).rev().take(RATING_HISTORY_MAX) {
        let values = values![at, member, pool, number];
        let found = sql.row(&statement, values, |row| Ok((change(row)?, row.get()?)))?;
        let Some((change, previous_at)) = found else {
            let missing = format!("change {number} of member {member} in {pool} is missing");
            return Err(StorageError::Damaged(missing));
        };
        chain.push(change);
        at = previous_at;
    }
    Ok(chain)
}

/// What a game changed, and what of it was taken back.
pub(crate) fn of_game(sql: &dyn Sql, game: &GameId) -> Result<Vec<RatingChange>, StorageError> {
    let select = |which: &str| format!("SELECT {CHANGE} FROM rating_change WHERE {which}");
    match sql.dialect() {
        Dialect::Sqlite => {
            let counted = select(&format!(
                "at = (SELECT {ENDED_AT} FROM game WHERE code = $1) AND game = $1
                     AND kind = 'game' ORDER BY member"
            ));
            let mut found = all(sql, &counted, values![game])?;
            let undone = select("game = $1 AND kind = 'undo' ORDER BY member");
            found.extend(all(sql, &undone, values![game])?);
            Ok(found)
        }
        Dialect::Postgres => all(sql, &select("game = $1 ORDER BY kind, member"), values![game]),
    }
}

/// All changes; none may be damaged.
fn all(
    sql: &dyn Sql,
    statement: &str,
    values: &[Value<'_>],
) -> Result<Vec<RatingChange>, StorageError> {
    sql.query(statement, values)?.iter_mut().map(change).collect()
}

/// The best of a pool.
pub(super) fn leaderboard(
    sql: &dyn Sql,
    query: &LeaderboardQuery,
) -> Result<Leaderboard, StorageError> {
    let pool = query.pool.to_string();
    let limits: &[Value<'_>] = values![
        &pool,
        LEADERBOARD_GAMES_MIN,
        ratings::played_since(query.now),
        query.now,
        DEVIATION_GROWTH,
        LEADERBOARD_DEVIATION_MAX,
    ];
    let columns = format!("rating.member, name, {RATING}");
    let by_band = sql.dialect().pick("band DESC,", "");
    let best = format!(
        "SELECT {columns} FROM {PLACED} ORDER BY {by_band} value DESC, rating.member LIMIT $7"
    );
    let max = query.max.min(LEADERBOARD_PLACES_MAX);
    let places = ratings::places(sql.rows(&best, &[limits, values![max]].concat(), player)?);
    let Some(member) = &query.member else { return Ok(Leaderboard { places, own: None }) };
    if let Some(own) = places.iter().find(|placed| placed.member == *member) {
        let own = Some(own.clone());
        return Ok(Leaderboard { places, own });
    }
    let own = format!("SELECT {columns} FROM {PLACED} AND rating.member = $7");
    let own = sql.row(&own, &[limits, values![member]].concat(), player)?;
    let Some((member, name, rating)) = own else { return Ok(Leaderboard { places, own: None }) };
    // More points, as people see them.
    let least = rating.rating.value.round() + 0.5;
    let in_band = sql.dialect().pick("AND band >= $8", "");
    let better = format!("SELECT count(*) FROM {PLACED} AND value >= $7 {in_band}");
    let bounds = [Value::from(least), Value::from(band(least))];
    let bounds = match sql.dialect() {
        Dialect::Sqlite => &bounds[..],
        Dialect::Postgres => &bounds[..1],
    };
    let place = sql.count(&better, &[limits, bounds].concat())? as u64 + 1;
    Ok(Leaderboard { places, own: Some(Placed { place, member, name, rating }) })
}

/// The player in a row of member, name and rating.
fn player(row: &mut Row) -> Result<(MemberId, Name, PoolRating), StorageError> {
    Ok((row.get()?, row.get()?, rating(row)?))
}

/// The rating in a row.
pub(crate) fn rating(row: &mut Row) -> Result<PoolRating, StorageError> {
    let pool: String = row.get()?;
    let (value, deviation, volatility) = (row.get()?, row.get()?, row.get()?);
    let (games, wins, draws, last_at) = (row.get()?, row.get()?, row.get()?, row.get()?);
    let rating = Rating { value, deviation, volatility, last_at };
    let pool = ratings::parse(&pool)?;
    Ok(PoolRating { pool, rating, games, wins, draws, changes: row.get()? })
}

/// The change in a row.
pub(crate) fn change(row: &mut Row) -> Result<RatingChange, StorageError> {
    let (member, pool, number, game) = (row.get()?, row.get::<String>()?, row.get()?, row.get()?);
    let (kind, result): (String, String) = (row.get()?, row.get()?);
    Ok(RatingChange {
        member,
        pool: ratings::parse(&pool)?,
        number,
        game,
        kind: ratings::parse(&kind)?,
        result: ratings::parse(&result)?,
        before: estimate(row)?,
        after: estimate(row)?,
        at: row.get()?,
    })
}

/// The value and the deviation in a row.
pub(super) fn estimate(row: &mut Row) -> Result<Estimate, StorageError> {
    Ok(Estimate { value: row.get()?, deviation: row.get()? })
}

/// The games since a time that have changed a member's ratings, the newest first.
pub(super) fn meetings(
    sql: &dyn Sql,
    member: &MemberId,
    since: u64,
) -> Result<Vec<Meeting>, StorageError> {
    match sql.dialect() {
        Dialect::Sqlite => meetings_by_time(sql, member, since),
        // By the key of each pool, so that a long history takes no longer.
        Dialect::Postgres => sql.rows(
            "SELECT other.member, own.at, coalesce((game.summary::json->>'plies')::bigint, 0),
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
             ORDER BY own.at DESC, other.member",
            values![member, since, MEETINGS_MAX],
            |row| {
                let (opponent, at, plies) = (row.get()?, row.get()?, row.get()?);
                let took_ms: i64 = row.get()?;
                Ok(Meeting { opponent, at, plies, took_ms: took_ms.max(0).cast_unsigned() })
            },
        ),
    }
}

/// The same in a file: from each rating back to its changes, as they lead to one another.
fn meetings_by_time(
    sql: &dyn Sql,
    member: &MemberId,
    since: u64,
) -> Result<Vec<Meeting>, StorageError> {
    let pools: Vec<(String, usize, u64)> = sql
        .query(
            "SELECT pool, changes, changed_at FROM rating WHERE member = $1 AND changed_at >= $2",
            values![member, since],
        )?
        .iter_mut()
        .map(|row| Ok((row.get()?, row.get()?, row.get()?)))
        .collect::<Result<_, StorageError>>()?;
    let select = "
        SELECT previous_at, summary ->> '$.plies',
            max(0, (summary ->> '$.ended_at') - (summary ->> '$.started_at')),
            (SELECT o.member FROM rating_change AS o
             WHERE o.at = c.at AND o.game = c.game AND o.kind = 'game' AND o.member <> c.member
                 AND c.kind = 'game')
        FROM rating_change AS c LEFT JOIN game ON game.code = c.game AND json_valid(summary)
        WHERE c.at = $1 AND c.member = $2 AND pool = $3 AND c.number = $4";
    let mut met = Vec::new();
    for (pool, changes, changed_at) in pools {
        let mut next = Some(changed_at);
        for number in (1..=changes).rev().take(MEETINGS_MAX) {
            let Some(at) = next.filter(|at| *at >= since) else { break };
            let found = sql.row(select, values![at, member, &pool, number], |row| {
                let previous_at = row.get()?;
                let (plies, took_ms): (Option<_>, Option<_>) = (row.get()?, row.get()?);
                let (plies, took_ms) = (plies.unwrap_or(0), took_ms.unwrap_or(0));
                let opponent: Option<Option<_>> = readable(row.get())?;
                let meeting = |opponent: MemberId| Meeting { opponent, at, plies, took_ms };
                Ok((previous_at, opponent.flatten().map(meeting)))
            })?;
            let Some((previous_at, meeting)) = found else { break };
            met.extend(meeting);
            next = previous_at;
        }
    }
    met.sort_by(|one, other| (other.at, &one.opponent).cmp(&(one.at, &other.opponent)));
    Ok(met)
}
