//! Ratings of puzzles, and of those who solve them, as they are stored. A try at a puzzle changes both in
//! one row, so that neither can be without the other. It computes what a try changes, so that all
//! back ends write the same.
//!
//! It does not know whether the moves of a try solve the puzzle.

use std::{collections::HashMap, fmt};

use fivefold_shared::{clock::millis, protocol::MemberId, puzzle::PuzzleId};

use super::{Findings, StorageError};
use crate::{
    glicko::{Estimate, Rating, Score, rate},
    limits::{PUZZLE_TRIES_MAX, PUZZLE_TRIES_WITHIN},
};

/// The greatest volatility of a puzzle: its strength does not change, only what is known of it.
const PUZZLE_VOLATILITY_MAX: f64 = 0.06;

/// What somebody has who solves puzzles, or what a puzzle has.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct PuzzleRating {
    /// The rating after the last try.
    pub rating: Rating,
    /// How many tries count: by the member, or at the puzzle.
    pub tries: u64,
    /// How many of them solved the puzzle.
    pub solved: u64,
}

/// The first try of a member at a puzzle.
#[derive(Clone, PartialEq, Debug)]
pub struct PuzzleAttempt {
    /// Who tries.
    pub member: MemberId,
    /// The puzzle.
    pub puzzle: PuzzleId,
    /// The puzzle's rating if this is the first try of all.
    pub start: Rating,
    /// Whether the member solved it.
    pub solved: bool,
    /// The time, in milliseconds since the Unix epoch.
    pub at: u64,
}

/// What a try has changed.
#[derive(Clone, PartialEq, Debug)]
pub struct PuzzleTry {
    /// Who tried.
    pub member: MemberId,
    /// The puzzle.
    pub puzzle: PuzzleId,
    /// Whether the member solved it.
    pub solved: bool,
    /// What it changed for the member.
    pub own: PuzzleChange,
    /// What it changed for the puzzle.
    pub its: PuzzleChange,
    /// The time, in milliseconds since the Unix epoch.
    pub at: u64,
}

/// What a try has changed for one side.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct PuzzleChange {
    /// The number of this try among those of the side, counted from 1.
    pub number: u64,
    /// The estimate before.
    pub before: Estimate,
    /// The estimate after.
    pub after: Estimate,
}

/// What became of an attempt.
#[derive(Clone, PartialEq, Debug)]
pub enum PuzzleCounted {
    /// It counts.
    Counted(PuzzleTry),
    /// The member has tried this puzzle before: that counts, and this does not.
    TriedBefore(PuzzleTry),
    /// The member tries too much: [`PUZZLE_TRIES_MAX`] in [`PUZZLE_TRIES_WITHIN`].
    TooMany,
}

/// Reads ratings of puzzles. Calls may block.
pub trait PuzzleReader {
    /// A member's rating; absent before their first try.
    ///
    /// # Errors
    /// When it cannot be read.
    fn puzzle_rating(&mut self, member: &MemberId) -> Result<Option<PuzzleRating>, StorageError>;

    /// The last tries of a member, the oldest first: at most
    /// [`PUZZLE_HISTORY_MAX`](crate::limits::PUZZLE_HISTORY_MAX).
    ///
    /// # Errors
    /// When they cannot be read.
    fn puzzle_tries(&mut self, member: &MemberId) -> Result<Vec<PuzzleTry>, StorageError>;

    /// The points of the puzzles that somebody has tried.
    ///
    /// # Errors
    /// When they cannot be read.
    fn rated_puzzles(&mut self) -> Result<HashMap<PuzzleId, f64>, StorageError>;
}

/// Both ratings after an attempt, and what it has changed.
#[derive(Clone, PartialEq, Debug)]
pub(super) struct Counted {
    pub(super) member: PuzzleRating,
    pub(super) puzzle: PuzzleRating,
    pub(super) entry: PuzzleTry,
}

/// Counts an attempt: the member plays a game against the puzzle. Absent ratings are those of a first try.
pub(super) fn count(
    attempt: &PuzzleAttempt,
    member: Option<PuzzleRating>,
    puzzle: Option<PuzzleRating>,
) -> Counted {
    let PuzzleAttempt { start, solved, at, .. } = *attempt;
    let new = |rating| PuzzleRating { rating, tries: 0, solved: 0 };
    let before = [member.unwrap_or(new(Rating::NEW)), puzzle.unwrap_or(new(start))];
    let score = if solved { Score::First } else { Score::Second };
    let [own, its] = rate(before.map(|side| side.rating), score, at);
    let its = Rating { volatility: its.volatility.min(PUZZLE_VOLATILITY_MAX), ..its };
    let after = |before: PuzzleRating, rating| PuzzleRating {
        rating,
        tries: before.tries + 1,
        solved: before.solved + u64::from(solved),
    };
    let [member, puzzle] = [after(before[0], own), after(before[1], its)];
    let change = |before: PuzzleRating, after: PuzzleRating| PuzzleChange {
        number: after.tries,
        before: before.rating.estimate(),
        after: after.rating.estimate(),
    };
    let entry = PuzzleTry {
        member: attempt.member.clone(),
        puzzle: attempt.puzzle.clone(),
        solved,
        own: change(before[0], member),
        its: change(before[1], puzzle),
        at,
    };
    Counted { member, puzzle, entry }
}

/// The number of the try that has to be old enough for one more, if there are so many.
pub(super) fn number_to_be_old(tries: u64) -> Option<u64> {
    (tries + 1).checked_sub(PUZZLE_TRIES_MAX).filter(|number| *number > 0)
}

/// Whether a try was long enough ago that another one may follow [`PUZZLE_TRIES_MAX`] later.
pub(super) fn is_old(at: u64, now: u64) -> bool {
    now.saturating_sub(at) >= millis(PUZZLE_TRIES_WITHIN)
}

/// Whose rating it is, in the order in which the rows are written and checked.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub(super) enum Side {
    Member,
    Puzzle,
}

impl Side {
    pub(super) const BOTH: [Self; 2] = [Self::Member, Self::Puzzle];

    pub(super) const fn as_str(self) -> &'static str {
        match self {
            Self::Member => "member",
            Self::Puzzle => "puzzle",
        }
    }
}

impl fmt::Display for Side {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

/// Checks that the tries of each member, or of each puzzle, follow each other and lead to the rating.
#[derive(Debug)]
pub(super) struct PuzzleChainCheck {
    side: Side,
    /// The ratings whose tries have not come yet.
    ratings: HashMap<String, PuzzleRating>,
    last: Option<Chain>,
}

/// The tries of one side so far.
#[derive(Debug)]
struct Chain {
    id: String,
    last: PuzzleChange,
    solved: u64,
}

impl PuzzleChainCheck {
    pub(super) const fn new(side: Side, ratings: HashMap<String, PuzzleRating>) -> Self {
        Self { side, ratings, last: None }
    }

    /// Checks the next change, in the order of ids and numbers.
    pub(super) fn add(
        &mut self,
        id: String,
        change: PuzzleChange,
        is_solved: bool,
        findings: &mut Findings,
    ) {
        if self.last.as_ref().is_some_and(|chain| chain.id != id) {
            self.end(findings);
        }
        let before = self.last.take();
        let due = before.as_ref().map_or(1, |chain| chain.last.number + 1);
        let begins_well = before.as_ref().is_none_or(|chain| chain.last.after == change.before);
        if change.number != due || !begins_well {
            let PuzzleChange { number, .. } = change;
            let side = self.side;
            findings.add(format_args!(
                "try {number} of the {side} {id} does not follow the one before"
            ));
        }
        let solved = before.map_or(0, |chain| chain.solved) + u64::from(is_solved);
        self.last = Some(Chain { id, last: change, solved });
    }

    /// Checks what is left after the last change.
    pub(super) fn finish(mut self, findings: &mut Findings) {
        self.end(findings);
        let mut left: Vec<_> = self.ratings.into_keys().collect();
        left.sort();
        for id in left {
            let side = self.side;
            findings.add(format_args!("the {side} {id} has a rating of puzzles, and no tries"));
        }
    }

    fn end(&mut self, findings: &mut Findings) {
        let (side, Some(Chain { id, last, solved })) = (self.side, self.last.take()) else {
            return;
        };
        let Some(rating) = self.ratings.remove(&id) else {
            findings.add(format_args!("the {side} {id} has tries at puzzles, and no rating"));
            return;
        };
        if rating.rating.estimate() != last.after
            || (rating.tries, rating.solved) != (last.number, solved)
        {
            findings.add(format_args!(
                "the rating of the {side} {id} is not what the last try at a puzzle left"
            ));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn attempt(solved: bool, at: u64) -> PuzzleAttempt {
        let member = MemberId::try_from("5d41402abc4b2a76".to_owned()).unwrap();
        let puzzle = PuzzleId::try_from("renju-1f110dv".to_owned()).unwrap();
        PuzzleAttempt { member, puzzle, start: Rating::NEW, solved, at }
    }

    #[test]
    fn who_solves_gains_what_the_puzzle_loses() {
        let Counted { member, puzzle, entry } = count(&attempt(true, 1_000), None, None);
        assert!(member.rating.value > 1500.0 && puzzle.rating.value < 1500.0);
        assert_eq!((member.tries, member.solved, puzzle.tries, puzzle.solved), (1, 1, 1, 1));
        assert_eq!((entry.own.number, entry.its.number), (1, 1));
        assert_eq!(entry.own.after, member.rating.estimate());
        let next = count(&attempt(false, 2_000), Some(member), Some(puzzle));
        assert!(next.member.rating.value < member.rating.value);
        assert_eq!((next.member.tries, next.member.solved), (2, 1));
        assert_eq!(next.entry.own.before, member.rating.estimate());
    }

    #[test]
    fn a_puzzle_does_not_become_volatile() {
        let mut puzzle = None;
        for at in 0..200 {
            // Solved by the weak only.
            let strong = Rating { value: 2400.0, deviation: 50.0, ..Rating::NEW };
            let weak = Rating { value: 800.0, ..strong };
            let is_weak = at % 2 == 0;
            let by = if is_weak { weak } else { strong };
            let by = PuzzleRating { rating: by, tries: 5, solved: 2 };
            puzzle = Some(count(&attempt(is_weak, at), Some(by), puzzle).puzzle);
        }
        assert!(puzzle.unwrap().rating.volatility <= PUZZLE_VOLATILITY_MAX);
    }

    #[test]
    fn so_many_tries_in_so_long() {
        assert_eq!(number_to_be_old(0), None);
        assert_eq!(number_to_be_old(PUZZLE_TRIES_MAX - 1), None);
        assert_eq!(number_to_be_old(PUZZLE_TRIES_MAX), Some(1));
        let within = millis(PUZZLE_TRIES_WITHIN);
        assert!(!is_old(1, within) && is_old(0, within));
    }
}
