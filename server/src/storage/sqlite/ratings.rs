//! Ratings in a SQLite file: counted, taken back, and read.

use fivefold_shared::{
    protocol::{GameId, MemberId, Name},
    rating_pool::RatingPool,
    record::FinishedGame,
};
use rusqlite::{Connection, OptionalExtension, Params, Row, Transaction, named_params};

use crate::{
    limits::ratings::{
        LEADERBOARD_DEVIATION_MAX, LEADERBOARD_GAMES_MIN, LEADERBOARD_PLACES_MAX,
        RATING_HISTORY_MAX,
    },
    ratings::{DEVIATION_GROWTH, Estimate, Rating},
    storage::{
        Findings, Leaderboard, LeaderboardQuery, Placed, PoolRating, RatingChange, StorageError,
        Undone,
        ratings::{self, ChainCheck, Ratings, rated_members},
        values::name,
    },
};

/// The ratings that have a place in a leaderboard.
const PLACED: &str = "
    rating JOIN account ON account.member = rating.member AND account.deleted_at IS NULL
        JOIN member ON member.id = rating.member
    WHERE pool = :pool AND games >= :games AND last_at >= :since
        AND deviation * deviation + max(:now - last_at, 0) * :growth * volatility * volatility
            <= :deviation * :deviation";

const RATING: &str = "pool, value, deviation, volatility, games, wins, draws, last_at, changes";

const CHANGE: &str = "member, pool, number, game, kind, result, before, deviation_before, after,
    deviation_after, at";

/// Counts these games, in the transaction that stores them.
pub(super) fn count(
    transaction: &Transaction<'_>,
    games: &[FinishedGame],
) -> Result<Vec<RatingChange>, StorageError> {
    let members = rated_members(games);
    if members.is_empty() {
        return Ok(Vec::new());
    }
    let mut ratings = ratings_of_all(transaction, members)?;
    let changes = ratings.count_all(games);
    write(transaction, &ratings, &changes)?;
    Ok(changes)
}

/// Takes back what a game changed, unless that was done before.
pub(in crate::storage) fn undo(
    transaction: &Transaction<'_>,
    game: &GameId,
    at: u64,
) -> Result<Undone, StorageError> {
    let (counted, undone) = ratings::counted_and_undone(of_game(transaction, game)?);
    if counted.is_empty() {
        return Ok(Undone::NotRated);
    }
    if !undone.is_empty() {
        return Ok(Undone::Done(undone));
    }
    let members = counted.iter().map(|change| &change.member).collect();
    let mut ratings = ratings_of_all(transaction, members)?;
    let changes: Vec<_> = counted.iter().filter_map(|change| ratings.undo(change, at)).collect();
    write(transaction, &ratings, &changes)?;
    Ok(Undone::Done(changes))
}

fn ratings_of_all(
    connection: &Connection,
    members: Vec<&MemberId>,
) -> Result<Ratings, StorageError> {
    let mut ratings = Ratings::default();
    for member in members {
        for rating in of_member(connection, member)? {
            ratings.insert(member.clone(), rating);
        }
    }
    Ok(ratings)
}

fn write(
    transaction: &Transaction<'_>,
    ratings: &Ratings,
    changes: &[RatingChange],
) -> Result<(), StorageError> {
    let mut insert = transaction.prepare_cached(
        "INSERT INTO rating_change (member, pool, number, game, kind, result, before,
             deviation_before, after, deviation_after, at)
         VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
    )?;
    let mut update = transaction.prepare_cached(
        "INSERT INTO rating (member, pool, value, deviation, volatility, games, wins, draws,
             last_at, changes)
         VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
         ON CONFLICT DO UPDATE SET value = excluded.value, deviation = excluded.deviation,
             volatility = excluded.volatility, games = excluded.games, wins = excluded.wins,
             draws = excluded.draws, last_at = excluded.last_at, changes = excluded.changes",
    )?;
    for change in changes {
        let RatingChange { game, member, kind, result, before, after, number, at, .. } = change;
        let key = (member.clone(), change.pool.to_string());
        let (kind, result): (&str, &str) = (kind.into(), result.into());
        insert.execute((
            member.as_str(),
            &key.1,
            number,
            game.as_str(),
            kind,
            result,
            before.value,
            before.deviation,
            after.value,
            after.deviation,
            at,
        ))?;
        // Two games of one append may change the same rating: the last one is written.
        if let Some(own) = ratings.get(&key).filter(|own| own.changes == *number) {
            let Rating { value, deviation, volatility, last_at } = own.rating;
            let counts = (own.games, own.wins, own.draws);
            update.execute((
                member.as_str(),
                &key.1,
                value,
                deviation,
                volatility,
                counts.0,
                counts.1,
                counts.2,
                last_at.unwrap_or(*at),
                own.changes,
            ))?;
        }
    }
    Ok(())
}

/// The ratings of a member, by pool.
pub(super) fn of_member(
    connection: &Connection,
    member: &MemberId,
) -> Result<Vec<PoolRating>, StorageError> {
    let mut select = connection
        .prepare_cached(&format!("SELECT {RATING} FROM rating WHERE member = ? ORDER BY pool"))?;
    let rows = select.query_map((member.as_str(),), |row| rating(row, 0))?;
    rows.map(|row| row?).collect()
}

/// The last changes of a rating, the oldest first.
pub(super) fn history(
    connection: &Connection,
    member: &MemberId,
    pool: RatingPool,
) -> Result<Vec<RatingChange>, StorageError> {
    let mut newest = changes(
        connection,
        "WHERE member = ? AND pool = ? ORDER BY number DESC LIMIT ?",
        (member.as_str(), pool.to_string(), RATING_HISTORY_MAX),
    )?;
    newest.reverse();
    Ok(newest)
}

/// What a game changed, and what of it was taken back.
pub(super) fn of_game(
    connection: &Connection,
    game: &GameId,
) -> Result<Vec<RatingChange>, StorageError> {
    changes(connection, "WHERE game = ? ORDER BY kind, member", (game.as_str(),))
}

fn changes(
    connection: &Connection,
    which: &str,
    values: impl Params,
) -> Result<Vec<RatingChange>, StorageError> {
    let mut select =
        connection.prepare_cached(&format!("SELECT {CHANGE} FROM rating_change {which}"))?;
    let rows = select.query_map(values, |row| Ok(change(row)))?;
    rows.map(|row| row?).collect()
}

/// The best of a pool.
pub(super) fn leaderboard(
    connection: &Connection,
    query: &LeaderboardQuery,
) -> Result<Leaderboard, StorageError> {
    let pool = query.pool.to_string();
    let since = ratings::played_since(query.now);
    let values = named_params! {
        ":pool": pool,
        ":games": LEADERBOARD_GAMES_MIN,
        ":since": since,
        ":now": query.now,
        ":growth": DEVIATION_GROWTH,
        ":deviation": LEADERBOARD_DEVIATION_MAX,
    };
    let select = |what: &str, rest: &str| format!("SELECT {what} FROM {PLACED} {rest}");
    let columns = format!("rating.member, name, {RATING}");
    let own_columns = format!("{columns}, :own");
    let mut best = connection
        .prepare_cached(&select(&columns, "ORDER BY value DESC, rating.member LIMIT :max"))?;
    let max = query.max.min(LEADERBOARD_PLACES_MAX);
    let listed: Vec<_> = best
        .query_map(&[values, named_params! {":max": max}].concat()[..], |row| Ok(player(row)))?
        .map(|row| row?)
        .collect::<Result<_, StorageError>>()?;
    let places = ratings::places(listed);
    let Some(member) = &query.member else { return Ok(Leaderboard { places, own: None }) };
    if let Some(own) = places.iter().find(|placed| placed.member == *member) {
        let own = Some(own.clone());
        return Ok(Leaderboard { places, own });
    }
    let mut find = connection.prepare_cached(&select(&own_columns, "AND rating.member = :own"))?;
    let own = find
        .query_row(&[values, named_params! {":own": member.as_str()}].concat()[..], |row| {
            Ok(player(row))
        })
        .optional()?;
    let Some((member, name, rating)) = own.transpose()? else {
        return Ok(Leaderboard { places, own: None });
    };
    let mut better =
        connection.prepare_cached(&select("count(*) + 1", "AND round(value) > round(:value)"))?;
    let value = named_params! {":value": rating.rating.value};
    let place = better.query_row(&[values, value].concat()[..], |row| row.get(0))?;
    Ok(Leaderboard { places, own: Some(Placed { place, member, name, rating }) })
}

/// The player in a row of member, name and rating.
fn player(row: &Row<'_>) -> Result<(MemberId, Name, PoolRating), StorageError> {
    Ok((name(row.get(0)?)?, name(row.get(1)?)?, rating(row, 2)??))
}

/// The rating in a row, from this column on. The inner error means that it is damaged.
fn rating(row: &Row<'_>, first: usize) -> rusqlite::Result<Result<PoolRating, StorageError>> {
    let pool: String = row.get(first)?;
    let rating = Rating {
        value: row.get(first + 1)?,
        deviation: row.get(first + 2)?,
        volatility: row.get(first + 3)?,
        last_at: row.get(first + 7)?,
    };
    let [games, wins, draws, changes] =
        [row.get(first + 4)?, row.get(first + 5)?, row.get(first + 6)?, row.get(first + 8)?];
    let pool = ratings::parse(&pool);
    Ok(pool.map(|pool| PoolRating { pool, rating, games, wins, draws, changes }))
}

fn change(row: &Row<'_>) -> Result<RatingChange, StorageError> {
    let text = |column: usize| row.get::<_, String>(column);
    Ok(RatingChange {
        member: name(text(0)?)?,
        pool: ratings::parse(&text(1)?)?,
        number: row.get(2)?,
        game: name(text(3)?)?,
        kind: ratings::parse(&text(4)?)?,
        result: ratings::parse(&text(5)?)?,
        before: Estimate { value: row.get(6)?, deviation: row.get(7)? },
        after: Estimate { value: row.get(8)?, deviation: row.get(9)? },
        at: row.get(10)?,
    })
}

/// Checks the ratings of a file, and that each game that counts has changed some.
pub(in crate::storage) fn check(
    connection: &Connection,
    findings: &mut Findings,
) -> Result<(), StorageError> {
    let mut stored = Ratings::default();
    let mut select = connection.prepare(&format!("SELECT {RATING}, member FROM rating"))?;
    let rows = select.query_map((), |row| Ok((row.get(9)?, rating(row, 0)?)))?;
    for row in rows {
        let (member, rating): (String, Result<PoolRating, StorageError>) = row?;
        stored.insert(name(member)?, rating?);
    }
    let mut chains = ChainCheck::new(stored);
    let mut select = connection
        .prepare(&format!("SELECT {CHANGE} FROM rating_change ORDER BY member, pool, number"))?;
    let rows = select.query_map((), |row| Ok(change(row)))?;
    for row in rows {
        chains.add(row??, findings);
    }
    chains.finish(findings);
    let mut select = connection.prepare(
        "SELECT code FROM game WHERE instr(summary, '\"rated\":true') > 0 AND 2 <>
             (SELECT count(*) FROM rating_change AS c WHERE c.game = game.code AND kind = 'game')",
    )?;
    let rows = select.query_map((), |row| row.get::<_, String>(0))?;
    for row in rows {
        findings.add(format_args!("game {} counts, and has not changed two ratings", row?));
    }
    Ok(())
}
