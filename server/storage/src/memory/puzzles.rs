//! Ratings of puzzles in memory.

use std::collections::HashMap;

use fivefold_shared::{protocol::MemberId, puzzle::PuzzleId};

use crate::{
    PuzzleAttempt, PuzzleCounted, PuzzleRating, PuzzleTry,
    puzzles::{self, Counted, is_old, number_to_be_old},
};

/// The ratings of puzzles and of those who solve them, and all tries.
#[derive(Debug, Default)]
pub(super) struct StoredPuzzles {
    pub(super) members: HashMap<MemberId, PuzzleRating>,
    pub(super) puzzles: HashMap<PuzzleId, PuzzleRating>,
    /// Oldest first.
    pub(super) tries: Vec<PuzzleTry>,
}

impl StoredPuzzles {
    /// Counts an attempt, unless the member has tried the puzzle before.
    pub(super) fn count(&mut self, attempt: &PuzzleAttempt) -> PuzzleCounted {
        let PuzzleAttempt { member, puzzle, at, .. } = attempt;
        let mut own_tries = self.tries.iter().rev().filter(|entry| entry.member == *member);
        if let Some(before) = own_tries.clone().find(|entry| entry.puzzle == *puzzle) {
            return PuzzleCounted::TriedBefore(before.clone());
        }
        let own = self.members.get(member).copied();
        if let Some(number) = number_to_be_old(own.map_or(0, |own| own.tries))
            && let Some(then) = own_tries.find(|entry| entry.own.number == number)
            && !is_old(then.at, *at)
        {
            return PuzzleCounted::TooMany;
        }
        let its = self.puzzles.get(puzzle).copied();
        let Counted { member: own, puzzle: its, entry } = puzzles::count(attempt, own, its);
        self.members.insert(member.clone(), own);
        self.puzzles.insert(puzzle.clone(), its);
        self.tries.push(entry.clone());
        PuzzleCounted::Counted(entry)
    }
}
