//! Checks the ratings of puzzles in a SQLite file.

use std::collections::HashMap;

use rusqlite::Connection;

use super::sql::row;
use crate::{
    Findings, StorageError,
    puzzles::{PuzzleChainCheck, Side},
    sql::puzzles::{RATING, change, rating},
};

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
        let mut rows = select.query((side.as_str(),))?;
        let mut ratings = HashMap::new();
        while let Some(found) = rows.next()? {
            let mut row = row(found)?;
            ratings.insert(row.get()?, rating(&mut row)?);
        }
        let mut chains = PuzzleChainCheck::new(side, ratings);
        let mut select = connection.prepare(changes)?;
        let mut rows = select.query(())?;
        while let Some(found) = rows.next()? {
            let mut row = row(found)?;
            chains.add(row.get()?, change(&mut row)?, row.get()?, findings);
        }
        chains.finish(findings);
    }
    Ok(())
}
