//! Checks the ratings of puzzles in PostgreSQL.

use std::collections::HashMap;

use super::{connection::Session, ratings::Problem, sql};
use crate::{
    Findings,
    puzzles::{PuzzleChainCheck, Side},
    sql::puzzles::{change, rating},
};

const SELECT_RATINGS: &str = "
    SELECT id, value, deviation, volatility, tries, solved, last_at FROM puzzle_rating
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

/// Checks that the tries at puzzles lead to the ratings.
///
/// # Errors
/// As the database, or if a row is damaged.
pub(super) async fn check(session: &Session, findings: &mut Findings) -> Result<(), Problem> {
    for (side, changes) in Side::BOTH.into_iter().zip(SELECT_CHANGES) {
        let mut ratings = HashMap::new();
        for row in session.query(SELECT_RATINGS, &[&side.as_str()]).await? {
            let mut row = sql::row(&row)?;
            ratings.insert(row.get()?, rating(&mut row)?);
        }
        let mut chains = PuzzleChainCheck::new(side, ratings);
        let mut last = (String::new(), 0_i64);
        loop {
            let rows = session.query(changes, &[&last.0, &last.1, &PART]).await?;
            let Some(end) = rows.last() else { break };
            last = (end.try_get(0)?, end.try_get(1)?);
            for row in &rows {
                let mut row = sql::row(row)?;
                chains.add(row.get()?, change(&mut row)?, row.get()?, findings);
            }
        }
        chains.finish(findings);
    }
    Ok(())
}
