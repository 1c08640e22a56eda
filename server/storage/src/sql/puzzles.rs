//! Ratings of puzzles.

use std::collections::HashMap;

use fivefold_shared::{protocol::MemberId, puzzle::PuzzleId};

use super::{Row, Sql, ratings::estimate, source::DatabaseReader, values};
use crate::{
    PuzzleAttempt, PuzzleChange, PuzzleCounted, PuzzleRating, PuzzleReader, PuzzleTry,
    StorageError,
    glicko::Rating,
    limits::PUZZLE_HISTORY_MAX,
    puzzles::{self, Counted, Side, is_old, number_to_be_old},
};

/// The columns of a rating, in the order that [`rating`] reads.
pub(crate) const RATING: &str = "value, deviation, volatility, tries, solved, last_at";

/// The columns of a try, in the order that [`entry`] reads.
pub(crate) const TRY: &str = "member, puzzle, solved, number, before, deviation_before, after, deviation_after,
    puzzle_number, puzzle_before, puzzle_deviation_before, puzzle_after, puzzle_deviation_after, at";

/// Counts an attempt, unless the member has tried the puzzle before.
pub(crate) fn count(sql: &dyn Sql, attempt: &PuzzleAttempt) -> Result<PuzzleCounted, StorageError> {
    let PuzzleAttempt { member, puzzle, at, .. } = attempt;
    // Always in this order, so that two attempts never wait for each other.
    sql.lock(member.as_str())?;
    sql.lock(puzzle.as_str())?;
    let before = format!("SELECT {TRY} FROM puzzle_try WHERE member = $1 AND puzzle = $2");
    if let Some(before) = sql.row(&before, values![member, puzzle], entry)? {
        return Ok(PuzzleCounted::TriedBefore(before));
    }
    let own = rating_of(sql, Side::Member, member.as_str())?;
    if let Some(number) = number_to_be_old(own.map_or(0, |own| own.tries)) {
        let then = "SELECT at FROM puzzle_try WHERE member = $1 AND number = $2";
        let then: Option<u64> = sql.row(then, values![member, number], Row::get)?;
        if then.is_some_and(|then| !is_old(then, *at)) {
            return Ok(PuzzleCounted::TooMany);
        }
    }
    let its = rating_of(sql, Side::Puzzle, puzzle.as_str())?;
    let Counted { member: own, puzzle: its, entry } = puzzles::count(attempt, own, its);
    write_rating(sql, Side::Member, member.as_str(), &own)?;
    write_rating(sql, Side::Puzzle, puzzle.as_str(), &its)?;
    write_try(sql, &entry)?;
    Ok(PuzzleCounted::Counted(entry))
}

/// Writes the rating of one side.
pub(crate) fn write_rating(
    sql: &dyn Sql,
    side: Side,
    id: &str,
    PuzzleRating { rating, tries, solved }: &PuzzleRating,
) -> Result<(), StorageError> {
    let Rating { value, deviation, volatility, last_at } = *rating;
    sql.defer(
        "INSERT INTO puzzle_rating (side, id, value, deviation, volatility, tries, solved, last_at)
         VALUES ($1, $2, $3, $4, $5, $6, $7, $8)
         ON CONFLICT (side, id) DO UPDATE SET value = excluded.value,
             deviation = excluded.deviation, volatility = excluded.volatility,
             tries = excluded.tries, solved = excluded.solved, last_at = excluded.last_at",
        values![side.as_str(), id, value, deviation, volatility, *tries, *solved, last_at],
    )
}

/// Writes a new try.
pub(crate) fn write_try(sql: &dyn Sql, entry: &PuzzleTry) -> Result<(), StorageError> {
    let PuzzleTry { member, puzzle, solved, own, its, at } = entry;
    sql.defer(
        &format!(
            "INSERT INTO puzzle_try ({TRY})
             VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14)"
        ),
        values![
            member,
            puzzle,
            *solved,
            own.number,
            own.before.value,
            own.before.deviation,
            own.after.value,
            own.after.deviation,
            its.number,
            its.before.value,
            its.before.deviation,
            its.after.value,
            its.after.deviation,
            *at,
        ],
    )
}

fn rating_of(sql: &dyn Sql, side: Side, id: &str) -> Result<Option<PuzzleRating>, StorageError> {
    let statement = format!("SELECT {RATING} FROM puzzle_rating WHERE side = $1 AND id = $2");
    sql.row(&statement, values![side.as_str(), id], rating)
}

impl PuzzleReader for DatabaseReader {
    fn puzzle_rating(&mut self, member: &MemberId) -> Result<Option<PuzzleRating>, StorageError> {
        self.read(|sql| rating_of(sql, Side::Member, member.as_str()))
    }

    fn puzzle_tries(&mut self, member: &MemberId) -> Result<Vec<PuzzleTry>, StorageError> {
        self.read(|sql| {
            let statement = format!(
                "SELECT {TRY} FROM puzzle_try WHERE member = $1 ORDER BY number DESC LIMIT $2"
            );
            let mut newest = sql.rows(&statement, values![member, PUZZLE_HISTORY_MAX], entry)?;
            newest.reverse();
            Ok(newest)
        })
    }

    fn rated_puzzles(&mut self) -> Result<HashMap<PuzzleId, f64>, StorageError> {
        self.read(|sql| {
            let statement = "SELECT id, value FROM puzzle_rating WHERE side = 'puzzle'";
            let rated = sql.rows(statement, &[], |row| Ok((row.get()?, row.get()?)))?;
            Ok(rated.into_iter().collect())
        })
    }
}

/// The rating in a row.
pub(crate) fn rating(row: &mut Row) -> Result<PuzzleRating, StorageError> {
    let (value, deviation, volatility) = (row.get()?, row.get()?, row.get()?);
    let (tries, solved, last_at) = (row.get()?, row.get()?, row.get()?);
    Ok(PuzzleRating { rating: Rating { value, deviation, volatility, last_at }, tries, solved })
}

/// The try in a row.
pub(crate) fn entry(row: &mut Row) -> Result<PuzzleTry, StorageError> {
    Ok(PuzzleTry {
        member: row.get()?,
        puzzle: row.get()?,
        solved: row.get()?,
        own: change(row)?,
        its: change(row)?,
        at: row.get()?,
    })
}

/// The change of one side in a row.
pub(crate) fn change(row: &mut Row) -> Result<PuzzleChange, StorageError> {
    Ok(PuzzleChange { number: row.get()?, before: estimate(row)?, after: estimate(row)? })
}
