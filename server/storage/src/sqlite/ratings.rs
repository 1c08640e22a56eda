//! Ratings in a SQLite file: counted, taken back, and read.

use std::collections::BTreeMap;

use fivefold_shared::{
    protocol::{GameId, MemberId, Name},
    rating_pool::RatingPool,
    record::FinishedGame,
};
use rusqlite::{Connection, OptionalExtension, Params, Row, Transaction, named_params};

use super::rows::collect;
use crate::{
    Findings, Leaderboard, LeaderboardQuery, Placed, PoolRating, RatingChange, StorageError,
    Undone,
    glicko::{DEVIATION_GROWTH, Estimate, Rating},
    known_ratings::KnownRatings,
    limits::{
        LEADERBOARD_DEVIATION_MAX, LEADERBOARD_GAMES_MIN, LEADERBOARD_PLACES_MAX,
        RATING_HISTORY_MAX,
    },
    ratings::{self, ChainCheck, Key, Ratings, rated_members},
    values::name,
};

/// The ratings that have a place in a leaderboard.
const PLACED: &str = "
    rating JOIN account ON account.member = rating.member AND account.deleted_at IS NULL
        JOIN member ON member.id = rating.member
    WHERE pool = :pool AND games >= :games AND last_at >= :since
        AND deviation * deviation + max(:now - last_at, 0) * :growth * volatility * volatility
            <= :deviation * :deviation";

pub(super) const RATING: &str =
    "pool, value, deviation, volatility, games, wins, draws, last_at, changes";

pub(super) const CHANGE: &str =
    "member, pool, number, game, kind, result, before, deviation_before, after,
    deviation_after, at";

/// In the order of `CHANGE`, and when the rating changed before.
pub(super) const INSERT_CHANGE: &str =
    "INSERT INTO rating_change (member, pool, number, game, kind, result, before,
        deviation_before, after, deviation_after, at, previous_at)
    VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)";

pub(super) const REPLACE_RATING: &str =
    "INSERT OR REPLACE INTO rating (member, pool, value, deviation, volatility, games, wins, draws,
        last_at, changes, changed_at, band)
    VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)";

/// When a row of `game` ended; null if its record is damaged.
pub(super) const ENDED_AT: &str =
    "CASE WHEN json_valid(summary) THEN json_extract(summary, '$.ended_at') END";

/// Points of one band. Leaderboards find the best by the bands, which few games change.
const BAND_POINTS: f64 = 50.0;

/// A rating, and when it last changed.
#[derive(Clone, Copy, Debug)]
struct StoredRating {
    rating: PoolRating,
    changed_at: u64,
}

/// When each rating last changed.
type ChangedAt = BTreeMap<Key, u64>;

/// The ratings that the writing connection has written, for as long as no other one writes.
#[derive(Debug, Default)]
pub(super) struct WrittenRatings {
    ratings: KnownRatings<StoredRating>,
    /// As SQLite counts what other connections commit.
    version: Option<i64>,
}

impl WrittenRatings {
    /// What these members have; nothing if one of them is unknown.
    fn of<'m>(
        &mut self,
        transaction: &Transaction<'_>,
        members: &[&'m MemberId],
    ) -> Result<Option<Vec<(&'m MemberId, StoredRating)>>, StorageError> {
        let version = transaction
            .prepare_cached("PRAGMA data_version")?
            .query_row((), |row| row.get(0).map(Some))?;
        if version != self.version {
            self.forget_all();
            self.version = version;
        }
        Ok(self.ratings.of(members))
    }

    fn remember(&self, members: &[&MemberId], ratings: &Ratings, changed_at: &ChangedAt) {
        for member in members {
            let stored = |&rating: &PoolRating| {
                let key = ((*member).clone(), rating.pool);
                changed_at.get(&key).map(|&changed_at| StoredRating { rating, changed_at })
            };
            let own = ratings.of_member(member).iter().filter_map(stored).collect();
            self.ratings.remember(member, own);
        }
    }

    /// Ratings were changed otherwise, or what was written is rolled back.
    pub(super) fn forget_all(&self) {
        self.ratings.forget_all();
    }
}

/// Counts these games, in the transaction that stores them. If that is rolled back, `known` is wrong.
pub(super) fn count(
    transaction: &Transaction<'_>,
    games: &[FinishedGame],
    known: &mut WrittenRatings,
) -> Result<Vec<RatingChange>, StorageError> {
    let members = rated_members(games);
    if members.is_empty() {
        return Ok(Vec::new());
    }
    let stored = match known.of(transaction, &members)? {
        Some(stored) => stored,
        None => ratings_of(transaction, &members)?,
    };
    let (mut ratings, mut changed_at) = apart(stored);
    let changes = ratings.count_all(games);
    write(transaction, &ratings, &mut changed_at, &changes)?;
    known.remember(&members, &ratings, &changed_at);
    Ok(changes)
}

/// Takes back what a game changed, unless that was done before.
pub(crate) fn undo(
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
    let members: Vec<_> = counted.iter().map(|change| &change.member).collect();
    let (mut ratings, mut changed_at) = apart(ratings_of(transaction, &members)?);
    let changes: Vec<_> = counted.iter().filter_map(|change| ratings.undo(change, at)).collect();
    write(transaction, &ratings, &mut changed_at, &changes)?;
    Ok(Undone::Done(changes))
}

/// What members have in the file.
fn ratings_of<'m>(
    connection: &Connection,
    members: &[&'m MemberId],
) -> Result<Vec<(&'m MemberId, StoredRating)>, StorageError> {
    let mut stored = Vec::new();
    let mut select = connection
        .prepare_cached(&format!("SELECT {RATING}, changed_at FROM rating WHERE member = ?"))?;
    for &member in members {
        let rows =
            select.query_map((member.as_str(),), |row| Ok((rating(row, 0)?, row.get(9)?)))?;
        for row in rows {
            let (rating, changed_at) = row?;
            stored.push((member, StoredRating { rating: rating?, changed_at }));
        }
    }
    Ok(stored)
}

fn apart(stored: Vec<(&MemberId, StoredRating)>) -> (Ratings, ChangedAt) {
    let (mut ratings, mut changed_at) = (Ratings::default(), ChangedAt::new());
    for (member, StoredRating { rating, changed_at: at }) in stored {
        changed_at.insert((member.clone(), rating.pool), at);
        ratings.insert(member, rating);
    }
    (ratings, changed_at)
}

/// Writes changes, and what the ratings are after them. `changed_at` is what it was before, and then brought up
/// to date.
fn write(
    transaction: &Transaction<'_>,
    ratings: &Ratings,
    changed_at: &mut ChangedAt,
    changes: &[RatingChange],
) -> Result<(), StorageError> {
    insert_changes(transaction, changed_at, changes)?;
    // Most games leave a rating in its band, and then touch no index.
    let mut update = transaction.prepare_cached(
        "UPDATE rating SET value = ?3, deviation = ?4, volatility = ?5, games = ?6, wins = ?7,
             draws = ?8, last_at = ?9, changes = ?10, changed_at = ?11
         WHERE member = ?1 AND pool = ?2 AND band = ?12",
    )?;
    for RatingChange { member, pool, number, at, .. } in changes {
        // Two games of one append may change the same rating: the last one is written.
        let Some(own) = ratings.get(member, *pool).filter(|own| own.changes == *number) else {
            continue;
        };
        let Rating { value, deviation, volatility, last_at } = own.rating;
        let pool = pool.to_string();
        let row = (
            member.as_str(),
            &pool,
            value,
            deviation,
            volatility,
            own.games,
            own.wins,
            own.draws,
            last_at.unwrap_or(*at),
            own.changes,
            at,
            band(value),
        );
        if update.execute(row)? == 0 {
            transaction.prepare_cached(REPLACE_RATING)?.execute(row)?;
        }
    }
    Ok(())
}

/// Inserts changes, each by a statement of its own: for one of several rows SQLite keeps a copy of each page that
/// it changes.
fn insert_changes(
    transaction: &Transaction<'_>,
    changed_at: &mut ChangedAt,
    changes: &[RatingChange],
) -> Result<(), StorageError> {
    for change in changes {
        let previous_at = changed_at.insert((change.member.clone(), change.pool), change.at);
        insert_change(transaction, change, previous_at)?;
    }
    Ok(())
}

/// Inserts a change after the one that happened then.
pub(super) fn insert_change(
    connection: &Connection,
    change: &RatingChange,
    previous_at: Option<u64>,
) -> Result<(), StorageError> {
    let RatingChange { game, member, pool, kind, result, before, after, number, at } = change;
    let (kind, result): (&str, &str) = (kind.into(), result.into());
    connection.prepare_cached(INSERT_CHANGE)?.execute((
        member.as_str(),
        pool.to_string(),
        number,
        game.as_str(),
        kind,
        result,
        before.value,
        before.deviation,
        after.value,
        after.deviation,
        at,
        previous_at,
    ))?;
    Ok(())
}

#[expect(clippy::cast_possible_truncation, reason = "ratings have a few digits")]
pub(super) fn band(value: f64) -> i64 {
    (value / BAND_POINTS) as i64
}

/// The ratings of a member, by pool.
pub(super) fn of_member(
    connection: &Connection,
    member: &MemberId,
) -> Result<Vec<PoolRating>, StorageError> {
    let mut select = connection
        .prepare_cached(&format!("SELECT {RATING} FROM rating WHERE member = ? ORDER BY pool"))?;
    collect(select.query((member.as_str(),))?, |row| rating(row, 0)?)
}

/// The last changes of a rating, the oldest first.
pub(super) fn history(
    connection: &Connection,
    member: &MemberId,
    pool: RatingPool,
) -> Result<Vec<RatingChange>, StorageError> {
    let pool = pool.to_string();
    let last = connection
        .prepare_cached("SELECT changes, changed_at FROM rating WHERE member = ? AND pool = ?")?
        .query_row((member.as_str(), &pool), |row| Ok((row.get(0)?, row.get(1)?)))
        .optional()?;
    let Some((last, mut at)): Option<(usize, Option<u64>)> = last else { return Ok(Vec::new()) };
    let mut select = connection.prepare_cached(&format!(
        "SELECT {CHANGE}, previous_at FROM rating_change
         WHERE at = ? AND member = ? AND pool = ? AND number = ?"
    ))?;
    let mut history = Vec::new();
    for number in (1..=last).rev().take(RATING_HISTORY_MAX) {
        let found = select
            .query_row((at, member.as_str(), &pool, number), |row| Ok((change(row), row.get(11)?)))
            .optional()?;
        let Some((change, previous_at)) = found else {
            let missing = format!("change {number} of member {member} in {pool} is missing");
            return Err(StorageError::Damaged(missing));
        };
        history.push(change?);
        at = previous_at;
    }
    history.reverse();
    Ok(history)
}

/// What a game changed, and what of it was taken back.
pub(super) fn of_game(
    connection: &Connection,
    game: &GameId,
) -> Result<Vec<RatingChange>, StorageError> {
    let counted = format!(
        "WHERE at = (SELECT {ENDED_AT} FROM game WHERE code = ?1) AND game = ?1
             AND kind = 'game' ORDER BY member"
    );
    let mut found = changes(connection, &counted, (game.as_str(),))?;
    let undone = "WHERE game = ? AND kind = 'undo' ORDER BY member";
    found.extend(changes(connection, undone, (game.as_str(),))?);
    Ok(found)
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
    let mut best = connection.prepare_cached(&select(
        &columns,
        "ORDER BY band DESC, value DESC, rating.member LIMIT :max",
    ))?;
    let max = query.max.min(LEADERBOARD_PLACES_MAX);
    let listed = collect(best.query(&[values, named_params! {":max": max}].concat()[..])?, player)?;
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
    let better = "AND band >= :band AND round(value) > round(:value)";
    let mut better = connection.prepare_cached(&select("count(*) + 1", better))?;
    let value = rating.rating.value;
    let value = named_params! {":value": value, ":band": band(value)};
    let place = better.query_row(&[values, value].concat()[..], |row| row.get(0))?;
    Ok(Leaderboard { places, own: Some(Placed { place, member, name, rating }) })
}

/// The player in a row of member, name and rating.
fn player(row: &Row<'_>) -> Result<(MemberId, Name, PoolRating), StorageError> {
    Ok((name(row.get(0)?)?, name(row.get(1)?)?, rating(row, 2)??))
}

/// The rating in a row, from this column on. The inner error means that it is damaged.
pub(super) fn rating(
    row: &Row<'_>,
    first: usize,
) -> rusqlite::Result<Result<PoolRating, StorageError>> {
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

/// The change in a row of these columns. An error means that it is damaged.
pub(super) fn change(row: &Row<'_>) -> Result<RatingChange, StorageError> {
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
pub(crate) fn check(connection: &Connection, findings: &mut Findings) -> Result<(), StorageError> {
    let mut stored = Ratings::default();
    let mut select = connection.prepare(&format!("SELECT {RATING}, member FROM rating"))?;
    let mut rows = select.query(())?;
    while let Some(row) = rows.next()? {
        let read = || -> Result<(MemberId, PoolRating), StorageError> {
            Ok((name(row.get(9)?)?, rating(row, 0)??))
        };
        match read() {
            Ok((member, rating)) => stored.insert(&member, rating),
            Err(error) => damaged(error, findings)?,
        }
    }
    let mut chains = ChainCheck::new(stored);
    let mut select = connection
        .prepare(&format!("SELECT {CHANGE} FROM rating_change ORDER BY member, pool, number"))?;
    let mut rows = select.query(())?;
    while let Some(row) = rows.next()? {
        match change(row) {
            Ok(change) => chains.add(change, findings),
            Err(error) => damaged(error, findings)?,
        }
    }
    chains.finish(findings);
    let mut select = connection.prepare(&format!(
        "SELECT code FROM game WHERE instr(summary, '\"rated\":true') > 0 AND 2 <>
             (SELECT count(*) FROM rating_change AS c
              WHERE c.at = {ENDED_AT} AND c.game = game.code AND kind = 'game')"
    ))?;
    let rows = select.query_map((), |row| {
        row.get_ref(0)
            .map(|code| String::from_utf8_lossy(code.as_bytes().unwrap_or_default()).into_owned())
    })?;
    for row in rows {
        findings.add(format_args!("game {} counts, and has not changed two ratings", row?));
    }
    let is_by_time = "SELECT 1 FROM pragma_table_info('rating_change') WHERE name = 'previous_at'";
    if !connection.prepare(is_by_time)?.exists(())? {
        // A file of an older format.
        return Ok(());
    }
    for (statement, problem) in CONTRADICTIONS {
        let rows: u64 = connection.query_row(statement, (), |row| row.get(0))?;
        if rows > 0 {
            findings.add(format_args!("{rows} {problem}"));
        }
    }
    Ok(())
}

/// Notes a damaged row; others are read.
fn damaged(error: StorageError, findings: &mut Findings) -> Result<(), StorageError> {
    match error {
        StorageError::Damaged(problem) => {
            findings.add(problem);
            Ok(())
        }
        StorageError::Failed(_) | StorageError::InDoubt(_) => Err(error),
    }
}

/// Statements that count wrong rows, and what is wrong with them: readers would miss ratings or changes.
const CONTRADICTIONS: [(&str, &str); 3] = [
    (
        "SELECT count(*) FROM (
             SELECT previous_at, lag(at) OVER (PARTITION BY member, pool ORDER BY number) AS due
             FROM rating_change)
         WHERE previous_at IS NOT due",
        "changes of ratings do not lead to the one before",
    ),
    (
        "SELECT count(*) FROM rating AS r WHERE NOT EXISTS (
             SELECT 1 FROM rating_change AS c WHERE c.at = r.changed_at AND c.member = r.member
                 AND c.pool = r.pool AND c.number = r.changes)",
        "ratings do not lead to their last change",
    ),
    (
        "SELECT count(*) FROM rating WHERE band <> CAST(value / 50 AS INTEGER)",
        "ratings are in another band than their value",
    ),
];
