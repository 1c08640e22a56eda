//! Ratings of puzzles in a SQLite file.

use std::collections::HashMap;

use fivefold_shared::{protocol::MemberId, puzzle::PuzzleId};
use rusqlite::{Connection, OptionalExtension, Row, Transaction};

use super::{SqliteReader, rows::collect};
use crate::{
    Findings, PuzzleAttempt, PuzzleChange, PuzzleCounted, PuzzleRating, PuzzleReader, PuzzleTry,
    StorageError,
    glicko::{Estimate, Rating},
    limits::PUZZLE_HISTORY_MAX,
    puzzles::{self, Counted, PuzzleChainCheck, Side, is_old, number_to_be_old},
    values::name,
};

pub(super) const RATING: &str = "value, deviation, volatility, tries, solved, last_at";

pub(super) const TRY: &str = "member, puzzle, solved, number, before, deviation_before, after, deviation_after,
    puzzle_number, puzzle_before, puzzle_deviation_before, puzzle_after, puzzle_deviation_after, at";

/// Counts an attempt, unless the member has tried the puzzle before.
pub(super) fn count(
    transaction: &Transaction<'_>,
    attempt: &PuzzleAttempt,
) -> Result<PuzzleCounted, StorageError> {
    let PuzzleAttempt { member, puzzle, at, .. } = attempt;
    let before = transaction
        .prepare_cached(&format!("SELECT {TRY} FROM puzzle_try WHERE member = ? AND puzzle = ?"))?
        .query_row((member.as_str(), puzzle.as_str()), |row| Ok(entry(row)))
        .optional()?;
    if let Some(before) = before {
        return Ok(PuzzleCounted::TriedBefore(before?));
    }
    let own = rating_of(transaction, Side::Member, member.as_str())?;
    if let Some(number) = number_to_be_old(own.map_or(0, |own| own.tries)) {
        let then: Option<u64> = transaction
            .prepare_cached("SELECT at FROM puzzle_try WHERE member = ? AND number = ?")?
            .query_row((member.as_str(), number), |row| row.get(0))
            .optional()?;
        if then.is_some_and(|then| !is_old(then, *at)) {
            return Ok(PuzzleCounted::TooMany);
        }
    }
    let its = rating_of(transaction, Side::Puzzle, puzzle.as_str())?;
    let Counted { member: own, puzzle: its, entry } = puzzles::count(attempt, own, its);
    write_rating(transaction, Side::Member, member.as_str(), &own)?;
    write_rating(transaction, Side::Puzzle, puzzle.as_str(), &its)?;
    write_try(transaction, &entry)?;
    Ok(PuzzleCounted::Counted(entry))
}

/// Writes the rating of one side.
pub(super) fn write_rating(
    connection: &Connection,
    side: Side,
    id: &str,
    PuzzleRating { rating, tries, solved }: &PuzzleRating,
) -> Result<(), StorageError> {
    let Rating { value, deviation, volatility, last_at } = *rating;
    connection
        .prepare_cached(
            "INSERT INTO puzzle_rating
                 (side, id, value, deviation, volatility, tries, solved, last_at)
             VALUES (?, ?, ?, ?, ?, ?, ?, ?)
             ON CONFLICT DO UPDATE SET value = excluded.value, deviation = excluded.deviation,
                 volatility = excluded.volatility, tries = excluded.tries,
                 solved = excluded.solved, last_at = excluded.last_at",
        )?
        .execute((side.as_str(), id, value, deviation, volatility, tries, solved, last_at))?;
    Ok(())
}

/// Writes a new try.
pub(super) fn write_try(connection: &Connection, entry: &PuzzleTry) -> Result<(), StorageError> {
    let PuzzleTry { member, puzzle, solved, own, its, at } = entry;
    connection
        .prepare_cached(&format!(
            "INSERT INTO puzzle_try ({TRY}) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)"
        ))?
        .execute((
            member.as_str(),
            puzzle.as_str(),
            solved,
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
            at,
        ))?;
    Ok(())
}

fn rating_of(
    connection: &Connection,
    side: Side,
    id: &str,
) -> Result<Option<PuzzleRating>, StorageError> {
    let found = connection
        .prepare_cached(&format!("SELECT {RATING} FROM puzzle_rating WHERE side = ? AND id = ?"))?
        .query_row((side.as_str(), id), |row| rating(row, 0));
    Ok(found.optional()?)
}

/// The rating in a row, from this column on.
pub(super) fn rating(row: &Row<'_>, first: usize) -> rusqlite::Result<PuzzleRating> {
    let rating = Rating {
        value: row.get(first)?,
        deviation: row.get(first + 1)?,
        volatility: row.get(first + 2)?,
        last_at: row.get(first + 5)?,
    };
    Ok(PuzzleRating { rating, tries: row.get(first + 3)?, solved: row.get(first + 4)? })
}

/// The try in a row. An error means that it is damaged.
pub(super) fn entry(row: &Row<'_>) -> Result<PuzzleTry, StorageError> {
    Ok(PuzzleTry {
        member: name(row.get(0)?)?,
        puzzle: name(row.get(1)?)?,
        solved: row.get(2)?,
        own: change(row, 3)?,
        its: change(row, 8)?,
        at: row.get(13)?,
    })
}

/// The change of one side, from this column on.
fn change(row: &Row<'_>, first: usize) -> rusqlite::Result<PuzzleChange> {
    let estimate = |column| -> rusqlite::Result<Estimate> {
        Ok(Estimate { value: row.get(column)?, deviation: row.get(column + 1)? })
    };
    let (before, after) = (estimate(first + 1)?, estimate(first + 3)?);
    Ok(PuzzleChange { number: row.get(first)?, before, after })
}

impl PuzzleReader for SqliteReader {
    fn puzzle_rating(&mut self, member: &MemberId) -> Result<Option<PuzzleRating>, StorageError> {
        rating_of(&self.connection, Side::Member, member.as_str())
    }

    fn puzzle_tries(&mut self, member: &MemberId) -> Result<Vec<PuzzleTry>, StorageError> {
        let mut select = self.connection.prepare_cached(&format!(
            "SELECT {TRY} FROM puzzle_try WHERE member = ? ORDER BY number DESC LIMIT ?"
        ))?;
        let mut newest = collect(select.query((member.as_str(), PUZZLE_HISTORY_MAX))?, entry)?;
        newest.reverse();
        Ok(newest)
    }

    fn rated_puzzles(&mut self) -> Result<HashMap<PuzzleId, f64>, StorageError> {
        let mut select = self
            .connection
            .prepare_cached("SELECT id, value FROM puzzle_rating WHERE side = 'puzzle'")?;
        let rated = collect(select.query(())?, |row| Ok((name(row.get(0)?)?, row.get(1)?)))?;
        Ok(rated.into_iter().collect())
    }
}

/// Checks that the tries at puzzles lead to the ratings.
pub(crate) fn check(connection: &Connection, findings: &mut Findings) -> Result<(), StorageError> {
    for (side, changes) in Side::BOTH.into_iter().zip([
        "SELECT member, number, before, deviation_before, after, deviation_after, solved
         FROM puzzle_try ORDER BY member, number",
        "SELECT puzzle, puzzle_number, puzzle_before, puzzle_deviation_before, puzzle_after,
             puzzle_deviation_after, solved
         FROM puzzle_try ORDER BY puzzle, puzzle_number",
    ]) {
        let mut select = connection
            .prepare(&format!("SELECT id, {RATING} FROM puzzle_rating WHERE side = ?"))?;
        let rows = select.query_map((side.as_str(),), |row| Ok((row.get(0)?, rating(row, 1)?)))?;
        let ratings = rows.collect::<Result<HashMap<String, _>, _>>()?;
        let mut chains = PuzzleChainCheck::new(side, ratings);
        let mut select = connection.prepare(changes)?;
        let rows = select.query_map((), |row| Ok((row.get(0)?, change(row, 1)?, row.get(6)?)))?;
        for row in rows {
            let (id, change, is_solved) = row?;
            chains.add(id, change, is_solved, findings);
        }
        chains.finish(findings);
    }
    Ok(())
}
