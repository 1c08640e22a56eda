//! Repairs the ratings of puzzles in a file: the tries of each side follow each other again and lead to its rating.

use std::collections::BTreeMap;

use rusqlite::Connection;

use super::{
    puzzle_check,
    rating_repair::{ended, follow, in_order},
    sql::row,
};
use crate::{
    Findings, PuzzleChange, PuzzleRating, PuzzleTry, StorageError,
    puzzles::Side,
    sql::puzzles::{RATING, TRY, entry, rating, write_rating, write_try},
    sqlite::cells::{self, Mended},
};

/// Repairs the ratings, unless they are sound.
pub(crate) fn mend(connection: &Connection, mended: &mut Mended) -> Result<(), StorageError> {
    let mut findings = Findings::default();
    match puzzle_check::check(connection, &mut findings) {
        Ok(()) if findings.is_sound() => return Ok(()),
        Ok(()) | Err(StorageError::Damaged(_)) => {}
        Err(error) => return Err(error),
    }
    let stored = stored_tries(connection, mended)?;
    let mut tries = stored.clone();
    for side in Side::BOTH {
        let wrong = mend_side(connection, side, &mut tries, mended)?;
        mended.cells += wrong;
    }
    let wrong = stored.iter().zip(&tries).filter(|(one, other)| one != other).count();
    if wrong > 0 {
        connection.execute("DELETE FROM puzzle_try", ())?;
        for one in &tries {
            write_try(connection, one)?;
        }
        mended.cells += wrong;
    }
    Ok(())
}

/// All tries. Those that nobody can read are taken out.
fn stored_tries(
    connection: &Connection,
    mended: &mut Mended,
) -> Result<Vec<PuzzleTry>, StorageError> {
    let mut select = connection.prepare(&format!("SELECT {TRY} FROM puzzle_try"))?;
    let mut rows = select.query(())?;
    let (mut tries, mut unreadable) = (Vec::new(), Vec::new());
    while let Some(found) = rows.next()? {
        match entry(&mut row(found)?) {
            Ok(entry) => tries.push(entry),
            Err(_) => unreadable.push((found.get::<_, String>(0)?, found.get::<_, i64>(3)?)),
        }
    }
    for row in unreadable {
        cells::take_out(connection, "puzzle_try", "member = ? AND number = ?", row, mended)?;
    }
    Ok(tries)
}

/// Makes the tries of one side follow each other, and writes its ratings. Returns how many ratings were not as they
/// are now.
fn mend_side(
    connection: &Connection,
    side: Side,
    tries: &mut [PuzzleTry],
    mended: &mut Mended,
) -> Result<usize, StorageError> {
    let mut ratings = BTreeMap::new();
    let mut select =
        connection.prepare(&format!("SELECT id, {RATING} FROM puzzle_rating WHERE side = ?"))?;
    let mut rows = select.query((side.as_str(),))?;
    while let Some(found) = rows.next()? {
        let mut row = row(found)?;
        ratings.insert(row.get::<String>()?, rating(&mut row)?);
    }
    let mut chains: BTreeMap<String, Vec<usize>> = BTreeMap::new();
    for (place, one) in tries.iter().enumerate() {
        chains.entry(id(one, side)).or_default().push(place);
    }
    let mut wrong = 0;
    for (id, mut places) in chains {
        in_order(&mut places, |place| (tries[*place].at, change_of(&tries[*place], side).number));
        let known: Vec<_> = places
            .iter()
            .map(|place| change_of(&tries[*place], side))
            .map(|PuzzleChange { before, after, .. }| Some((before, after)))
            .collect();
        let own = ratings.remove(&id);
        let followed = follow(&known, None, own.map(|own: PuzzleRating| own.rating.estimate()));
        for ((number, place), (before, after)) in (1..).zip(&places).zip(&followed) {
            let change = PuzzleChange { number, before: *before, after: *after };
            match side {
                Side::Member => tries[*place].own = change,
                Side::Puzzle => tries[*place].its = change,
            }
        }
        let (Some((_, end)), Some(last)) = (followed.last(), places.last()) else { continue };
        let solved = places.iter().filter(|place| tries[**place].solved).count();
        let due = PuzzleRating {
            rating: ended(*end, own.map(|own| own.rating), Some(tries[*last].at)),
            tries: places.len() as u64,
            solved: solved as u64,
        };
        if own != Some(due) {
            write_rating(connection, side, &id, &due)?;
            wrong += 1;
        }
    }
    for id in ratings.into_keys() {
        let which = "side = ? AND id = ?";
        cells::take_out(connection, "puzzle_rating", which, (side.as_str(), id), mended)?;
    }
    Ok(wrong)
}

fn id(one: &PuzzleTry, side: Side) -> String {
    match side {
        Side::Member => one.member.to_string(),
        Side::Puzzle => one.puzzle.to_string(),
    }
}

const fn change_of(one: &PuzzleTry, side: Side) -> PuzzleChange {
    match side {
        Side::Member => one.own,
        Side::Puzzle => one.its,
    }
}
