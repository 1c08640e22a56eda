//! Ratings of puzzles in PostgreSQL.
//!
//! They are read before the one statement that writes a try and both ratings. If another node has
//! counted a try of the same member or at the same puzzle since, a number is taken, and the whole
//! statement fails and is tried again with what is stored now.

use std::{collections::HashMap, sync::LazyLock};

use fivefold_shared::{protocol::MemberId, puzzle::PuzzleId};
use tokio_postgres::{Error, Row, error::SqlState};

use super::{
    connection::{Session, Value},
    reader::PostgresReader,
    values::{signed, unsigned},
};
use crate::{
    Findings, PuzzleAttempt, PuzzleChange, PuzzleCounted, PuzzleRating, PuzzleReader, PuzzleTry,
    StorageError,
    glicko::{Estimate, Rating},
    limits::{DATABASE_READ_WITHIN, PUZZLE_HISTORY_MAX},
    puzzles::{self, Counted, PuzzleChainCheck, Side, is_old, number_to_be_old},
    values::name,
};

const SELECT_RATING: &str = "
    SELECT value, deviation, volatility, tries, solved, last_at FROM puzzle_rating
    WHERE side = $1 AND id = $2";

/// The columns of a try, as [`entry`] reads them.
const TRY: &str = "
    SELECT member, puzzle, solved, number, before, deviation_before, after, deviation_after,
        puzzle_number, puzzle_before, puzzle_deviation_before, puzzle_after,
        puzzle_deviation_after, at
    FROM puzzle_try";

static SELECT_TRY: LazyLock<String> =
    LazyLock::new(|| format!("{TRY} WHERE member = $1 AND puzzle = $2"));

static SELECT_TRIES: LazyLock<String> =
    LazyLock::new(|| format!("{TRY} WHERE member = $1 ORDER BY number DESC LIMIT $2"));

const SELECT_AT: &str = "SELECT at FROM puzzle_try WHERE member = $1 AND number = $2";

const SELECT_RATED: &str = "SELECT id, value FROM puzzle_rating WHERE side = 'puzzle'";

const COUNT: &str = "
    WITH saved AS (
        INSERT INTO puzzle_rating (side, id, value, deviation, volatility, tries, solved, last_at)
        VALUES ('member', $1, $7, $8, $15, $4, $16, $14), ('puzzle', $2, $12, $13, $17, $9, $18, $14)
        ON CONFLICT (side, id) DO UPDATE SET value = excluded.value,
            deviation = excluded.deviation, volatility = excluded.volatility,
            tries = excluded.tries, solved = excluded.solved, last_at = excluded.last_at
    )
    INSERT INTO puzzle_try (member, puzzle, solved, number, before, deviation_before, after,
        deviation_after, puzzle_number, puzzle_before, puzzle_deviation_before, puzzle_after,
        puzzle_deviation_after, at)
    VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14)";

const SELECT_RATINGS: &str = "
    SELECT value, deviation, volatility, tries, solved, last_at, id FROM puzzle_rating
    WHERE side = $1";

/// The changes of members and of puzzles in parts, in the order of [`Side::BOTH`].
const SELECT_CHANGES: [&str; 2] = [
    "SELECT member, number, before, deviation_before, after, deviation_after, solved
     FROM puzzle_try WHERE (member, number) > ($1, $2) ORDER BY member, number LIMIT $3",
    "SELECT puzzle, puzzle_number, puzzle_before, puzzle_deviation_before, puzzle_after,
         puzzle_deviation_after, solved
     FROM puzzle_try WHERE (puzzle, puzzle_number) > ($1, $2)
     ORDER BY puzzle, puzzle_number LIMIT $3",
];

/// Changes that are checked at a time.
const PART: i64 = 10_000;

/// Another node may count a try at the same puzzle at the same moment. Each attempt to write means that
/// one did.
const TRIES_MAX: usize = 16;

/// Counts an attempt, unless the member has tried the puzzle before.
///
/// # Errors
/// As the database. The inner error means that a row is damaged.
pub(super) async fn count(
    session: &Session,
    attempt: &PuzzleAttempt,
) -> Result<Result<PuzzleCounted, StorageError>, Error> {
    let mut tries = 0;
    loop {
        tries += 1;
        match try_to_count(session, attempt).await {
            Err(error) if is_outdated(&error) && tries < TRIES_MAX => {}
            result => return result,
        }
    }
}

fn is_outdated(error: &Error) -> bool {
    error.as_db_error().is_some_and(|db| {
        *db.code() == SqlState::UNIQUE_VIOLATION && db.table() == Some("puzzle_try")
    })
}

async fn try_to_count(
    session: &Session,
    attempt: &PuzzleAttempt,
) -> Result<Result<PuzzleCounted, StorageError>, Error> {
    let (member, puzzle) = (attempt.member.as_str(), attempt.puzzle.as_str());
    if let Some(row) = session.query(&SELECT_TRY, &[&member, &puzzle]).await?.first() {
        return Ok(entry(row)?.map(PuzzleCounted::TriedBefore));
    }
    let own = rating_of(session, Side::Member, member).await?;
    if let Some(number) = number_to_be_old(own.map_or(0, |own| own.tries)) {
        let rows = session.query(SELECT_AT, &[&member, &signed(number)]).await?;
        let then: Option<i64> = rows.first().map(|row| row.try_get(0)).transpose()?;
        if then.is_some_and(|then| !is_old(unsigned(then), attempt.at)) {
            return Ok(Ok(PuzzleCounted::TooMany));
        }
    }
    let its = rating_of(session, Side::Puzzle, puzzle).await?;
    let counted = puzzles::count(attempt, own, its);
    write(session, &counted).await?;
    Ok(Ok(PuzzleCounted::Counted(counted.entry)))
}

async fn write(session: &Session, counted: &Counted) -> Result<(), Error> {
    let Counted { member: own, puzzle: its, entry } = counted;
    let PuzzleTry { member, puzzle, solved, own: mine, its: theirs, at } = entry;
    let values: &[Value<'_>] = &[
        &member.as_str(),
        &puzzle.as_str(),
        solved,
        &signed(mine.number),
        &mine.before.value,
        &mine.before.deviation,
        &mine.after.value,
        &mine.after.deviation,
        &signed(theirs.number),
        &theirs.before.value,
        &theirs.before.deviation,
        &theirs.after.value,
        &theirs.after.deviation,
        &signed(*at),
        &own.rating.volatility,
        &signed(own.solved),
        &its.rating.volatility,
        &signed(its.solved),
    ];
    session.execute(COUNT, values).await.map(drop)
}

async fn rating_of(session: &Session, side: Side, id: &str) -> Result<Option<PuzzleRating>, Error> {
    let rows = session.query(SELECT_RATING, &[&side.as_str(), &id]).await?;
    rows.first().map(rating).transpose()
}

/// The rating in a row that begins with it.
fn rating(row: &Row) -> Result<PuzzleRating, Error> {
    let number = |column: usize| row.try_get(column).map(unsigned);
    let rating = Rating {
        value: row.try_get(0)?,
        deviation: row.try_get(1)?,
        volatility: row.try_get(2)?,
        last_at: Some(number(5)?),
    };
    Ok(PuzzleRating { rating, tries: number(3)?, solved: number(4)? })
}

fn entry(row: &Row) -> Result<Result<PuzzleTry, StorageError>, Error> {
    let (member, puzzle): (String, String) = (row.try_get(0)?, row.try_get(1)?);
    let (solved, own, its) = (row.try_get(2)?, change(row, 3)?, change(row, 8)?);
    let at = unsigned(row.try_get(13)?);
    let named = || Ok((name(member)?, name(puzzle)?));
    Ok(named().map(|(member, puzzle)| PuzzleTry { member, puzzle, solved, own, its, at }))
}

/// The change of one side, from this column on.
fn change(row: &Row, first: usize) -> Result<PuzzleChange, Error> {
    let estimate = |column: usize| -> Result<Estimate, Error> {
        Ok(Estimate { value: row.try_get(column)?, deviation: row.try_get(column + 1)? })
    };
    let number = unsigned(row.try_get(first)?);
    Ok(PuzzleChange { number, before: estimate(first + 1)?, after: estimate(first + 3)? })
}

impl PuzzleReader for PostgresReader {
    fn puzzle_rating(&mut self, member: &MemberId) -> Result<Option<PuzzleRating>, StorageError> {
        self.primary.read(DATABASE_READ_WITHIN, &async |session| {
            rating_of(session, Side::Member, member.as_str()).await
        })
    }

    fn puzzle_tries(&mut self, member: &MemberId) -> Result<Vec<PuzzleTry>, StorageError> {
        let max = signed(PUZZLE_HISTORY_MAX as u64);
        let newest: Vec<_> = self.primary.read(DATABASE_READ_WITHIN, &async |session| {
            let rows = session.query(&SELECT_TRIES, &[&member.as_str(), &max]).await?;
            rows.iter().map(entry).collect()
        })?;
        newest.into_iter().rev().collect()
    }

    fn rated_puzzles(&mut self) -> Result<HashMap<PuzzleId, f64>, StorageError> {
        let rated: Vec<(String, f64)> =
            self.primary.read(DATABASE_READ_WITHIN, &async |session| {
                let rows = session.query(SELECT_RATED, &[]).await?;
                rows.iter().map(|row| Ok((row.try_get(0)?, row.try_get(1)?))).collect()
            })?;
        rated.into_iter().map(|(id, value)| Ok((name(id)?, value))).collect()
    }
}

/// Checks that the tries at puzzles lead to the ratings.
///
/// # Errors
/// As the database.
pub(super) async fn check(session: &Session, findings: &mut Findings) -> Result<(), Error> {
    for (side, changes) in Side::BOTH.into_iter().zip(SELECT_CHANGES) {
        let mut ratings = HashMap::new();
        for row in session.query(SELECT_RATINGS, &[&side.as_str()]).await? {
            ratings.insert(row.try_get(6)?, rating(&row)?);
        }
        let mut chains = PuzzleChainCheck::new(side, ratings);
        let mut last = (String::new(), 0_i64);
        loop {
            let rows = session.query(changes, &[&last.0, &last.1, &PART]).await?;
            let Some(end) = rows.last() else { break };
            last = (end.try_get(0)?, end.try_get(1)?);
            for row in &rows {
                chains.add(row.try_get(0)?, change(row, 1)?, row.try_get(6)?, findings);
            }
        }
        chains.finish(findings);
    }
    Ok(())
}
