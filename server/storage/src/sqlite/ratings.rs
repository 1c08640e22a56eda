//! Ratings in a SQLite file: counted, taken back, and checked.

use std::collections::BTreeMap;

use fivefold_shared::{
    protocol::{GameId, MemberId},
    record::FinishedGame,
};
use rusqlite::{Connection, Transaction};

use super::sql::row;
use crate::{
    Findings, PoolRating, RatingChange, StorageError, Undone,
    glicko::Rating,
    ratings::known_ratings::KnownRatings,
    ratings::{self, ChainCheck, Key, Ratings, rated_members},
    sql::ratings::{CHANGE, ENDED_AT, RATING, band, change, of_game, rating},
};

/// In the order of `CHANGE`, and when the rating changed before.
pub(super) const INSERT_CHANGE: &str =
    "INSERT INTO rating_change (member, pool, number, game, kind, result, before,
        deviation_before, after, deviation_after, at, previous_at)
    VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)";

pub(super) const REPLACE_RATING: &str =
    "INSERT OR REPLACE INTO rating (member, pool, value, deviation, volatility, games, wins, draws,
        last_at, changes, changed_at, band)
    VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)";

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
    let (counted, undone) = ratings::counted_and_undone(of_game(&**transaction, game)?);
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
        let mut rows = select.query((member.as_str(),))?;
        while let Some(found) = rows.next()? {
            let mut row = row(found)?;
            let (rating, changed_at) = (rating(&mut row)?, row.get()?);
            stored.push((member, StoredRating { rating, changed_at }));
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

/// Checks the ratings of a file, and that each game that counts has changed some.
pub(crate) fn check(connection: &Connection, findings: &mut Findings) -> Result<(), StorageError> {
    let mut stored = Ratings::default();
    let mut select = connection.prepare(&format!("SELECT {RATING}, member FROM rating"))?;
    let mut rows = select.query(())?;
    while let Some(found) = rows.next()? {
        let mut row = row(found)?;
        match rating(&mut row).and_then(|rating| Ok((row.get()?, rating))) {
            Ok((member, rating)) => stored.insert(&member, rating),
            Err(error) => damaged(error, findings)?,
        }
    }
    let mut chains = ChainCheck::new(stored);
    let mut select = connection
        .prepare(&format!("SELECT {CHANGE} FROM rating_change ORDER BY member, pool, number"))?;
    let mut rows = select.query(())?;
    while let Some(found) = rows.next()? {
        match change(&mut row(found)?) {
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
