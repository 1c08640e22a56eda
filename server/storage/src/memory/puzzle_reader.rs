//! Reads ratings of puzzles in memory.

use std::collections::HashMap;

use fivefold_shared::{protocol::MemberId, puzzle::PuzzleId};

use crate::{
    Call, Memory, PuzzleRating, PuzzleReader, PuzzleTry, StorageError, limits::PUZZLE_HISTORY_MAX,
};

impl PuzzleReader for Memory {
    fn puzzle_rating(&mut self, member: &MemberId) -> Result<Option<PuzzleRating>, StorageError> {
        Ok(self.tables_for(Call::Browse)?.puzzles.members.get(member).copied())
    }

    fn puzzle_tries(&mut self, member: &MemberId) -> Result<Vec<PuzzleTry>, StorageError> {
        let tables = self.tables_for(Call::Browse)?;
        let own = tables.puzzles.tries.iter().rev().filter(|entry| entry.member == *member);
        let mut newest: Vec<_> = own.take(PUZZLE_HISTORY_MAX).cloned().collect();
        newest.reverse();
        Ok(newest)
    }

    fn rated_puzzles(&mut self) -> Result<HashMap<PuzzleId, f64>, StorageError> {
        let tables = self.tables_for(Call::Browse)?;
        let rated = tables.puzzles.puzzles.iter();
        Ok(rated.map(|(id, its)| (id.clone(), its.rating.value)).collect())
    }
}
