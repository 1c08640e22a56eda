//! Counts the tries of members at puzzles, and finds the next puzzle for them.
//!
//! It does not know who is signed in, and how a try is sent.

use std::sync::LazyLock;

use fivefold_shared::{
    clock::millis,
    protocol::{MemberId, Reason, Refusal, RefusalValues},
    puzzle::PuzzleId,
};
use fivefold_storage::{
    LogWriter, PuzzleAttempt, PuzzleCounted, PuzzleRating, PuzzleTry, Reader, StorageError,
    glicko::Rating, limits::PUZZLE_TRIES_WITHIN,
};

use crate::puzzles::{PuzzleFilter, Puzzles};

/// The puzzles, and the way to the ratings of those who try them.
#[derive(Debug)]
pub(crate) struct PuzzleTries {
    puzzles: LazyLock<Puzzles>,
    log_writer: LogWriter,
}

/// A try that is stored.
#[derive(Clone, PartialEq, Debug)]
pub(crate) struct StoredTry {
    pub(crate) entry: PuzzleTry,
    /// Whether the puzzle was tried before: this changed nothing.
    pub(crate) is_repeated: bool,
}

impl PuzzleTries {
    /// The puzzles are read from their files when somebody first asks for one.
    pub(crate) const fn new(log_writer: LogWriter) -> Self {
        Self { puzzles: LazyLock::new(Puzzles::shipped), log_writer }
    }

    pub(crate) fn puzzles(&self) -> &Puzzles {
        &self.puzzles
    }

    /// A member's rating, and the puzzles near it that they have not tried. A member without a rating
    /// begins at that of a newcomer.
    ///
    /// # Errors
    /// When the ratings cannot be read.
    pub(crate) fn next(
        &self,
        reader: &mut Reader,
        member: &MemberId,
        filter: &PuzzleFilter,
    ) -> Result<(Option<PuzzleRating>, Vec<PuzzleId>), StorageError> {
        let own = reader.puzzle_rating(member)?;
        let points = own.map_or(Rating::NEW, |own| own.rating).value;
        let rated = reader.rated_puzzles()?;
        let tries = reader.puzzle_tries(member)?;
        let done = tries.into_iter().map(|entry| entry.puzzle).collect();
        Ok((own, self.puzzles.near(filter, points, &rated, &done)))
    }

    /// Counts a try, if it is the member's first one at the puzzle.
    ///
    /// # Errors
    /// If the member tries too much, or it cannot be stored.
    pub(crate) async fn count(&self, attempt: PuzzleAttempt) -> Result<StoredTry, Refusal> {
        let counted = self.log_writer.settle(|permit| permit.count_puzzle(attempt.clone())).await;
        match counted {
            Ok(PuzzleCounted::Counted(entry)) => Ok(StoredTry { entry, is_repeated: false }),
            Ok(PuzzleCounted::TriedBefore(entry)) => {
                // An answer that was lost, or in doubt, is given again as it was.
                let is_repeated = entry.at != attempt.at;
                Ok(StoredTry { entry, is_repeated })
            }
            Ok(PuzzleCounted::TooMany) => {
                let wait_ms = Some(millis(PUZZLE_TRIES_WITHIN));
                let values = RefusalValues { wait_ms, ..RefusalValues::default() };
                Err(Refusal::with(Reason::TooManyTries, values))
            }
            Err(error) => {
                tracing::warn!(%error, "a try at a puzzle is not stored");
                Err(Refusal::new(Reason::Unavailable))
            }
        }
    }
}
