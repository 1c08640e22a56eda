//! What the server keeps of rated games for operators: marks of how a game was played or left, and the
//! facts of games that were examined. Nothing here knows what an operator makes of them.

use fivefold_shared::{
    clock::millis,
    protocol::{GameId, MemberId},
    review::Agreement,
    seat::BySeat,
};
use serde::{Deserialize, Serialize};

use super::{GameResult, StorageError, moderation::words};
use crate::limits::EXAMINED_KEPT;

words! {
    /// A kind of note about a player of one game.
    MarkKind {
        /// The player left a paired game before it began.
        Aborted = "aborted",
        /// Both players used the same browser or program in one network.
        Device = "device",
        /// Both players came from one network.
        Network = "network",
    }
}

/// A note about a player of one game.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct GameMark {
    /// The player.
    pub member: MemberId,
    /// The game; one that was aborted has no record.
    pub game: GameId,
    /// Its kind.
    pub kind: MarkKind,
    /// The other player.
    pub opponent: MemberId,
    /// When the game ended, in milliseconds since the Unix epoch.
    pub at: u64,
}

/// A node begins to examine a rated game.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ExaminationClaim {
    /// The game.
    pub game: GameId,
    /// When it ended, in milliseconds since the Unix epoch.
    pub ended_at: u64,
    /// When the node begins, in milliseconds since the Unix epoch.
    pub at: u64,
    /// A node that began up to this time has not finished, and is not waited for.
    pub stale: u64,
    /// Whether the engine looks at it.
    pub engine: bool,
}

/// A rated game that waits to be examined.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Unexamined {
    /// The game.
    pub game: GameId,
    /// When it ended, in milliseconds since the Unix epoch.
    pub ended_at: u64,
}

/// A rated game that was examined.
#[derive(Clone, PartialEq, Debug)]
pub struct ExaminedGame {
    /// The game.
    pub game: GameId,
    /// When it ended, in milliseconds since the Unix epoch.
    pub ended_at: u64,
    /// What it shows of both players.
    pub facts: BySeat<PlayerFacts>,
}

/// What a rated game shows of one of its players.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct PlayerFacts {
    /// The player.
    pub member: MemberId,
    /// The rating before the game.
    pub rating: f64,
    /// What the player reached.
    pub result: GameResult,
    /// Whether the player lost by giving up, leaving or on time.
    pub gave_up: bool,
    /// The player's time for moves after the opening.
    pub times: MoveTimes,
    /// The player's moves beside the engine's; absent where the engine has not looked.
    pub agreement: Option<Agreement>,
}

/// Times of moves, as sums: of several games they are added.
#[derive(Clone, Copy, PartialEq, Debug, Default, Serialize, Deserialize)]
pub struct MoveTimes {
    /// How many moves.
    pub moves: u32,
    /// Their times in milliseconds, together.
    pub total_ms: f64,
    /// The squares of their times, together.
    pub squares: f64,
}

/// Reads what is kept here. Calls may block.
pub trait ExaminationReader {
    /// The oldest rated game since a time that nobody has examined, and nobody has begun to examine after
    /// `stale`; both in milliseconds since the Unix epoch.
    ///
    /// # Errors
    /// When it cannot be read.
    fn unexamined(&mut self, since: u64, stale: u64) -> Result<Option<Unexamined>, StorageError>;

    /// The oldest examined game since a time that shows something, and that the engine has not begun to look
    /// at.
    ///
    /// # Errors
    /// When it cannot be read.
    fn unsearched(&mut self, since: u64) -> Result<Option<Unexamined>, StorageError>;

    /// How many games the engine has begun to look at since a time.
    ///
    /// # Errors
    /// When they cannot be counted.
    fn engine_games(&mut self, since: u64) -> Result<usize, StorageError>;

    /// The games that were examined, the newest first: at most
    /// [`EXAMINED_MAX`](crate::limits::EXAMINED_MAX).
    ///
    /// # Errors
    /// When they cannot be read.
    fn examined(&mut self) -> Result<Vec<ExaminedGame>, StorageError>;

    /// The marks of all players, the newest first: at most
    /// [`MARKS_MAX`](crate::limits::MARKS_MAX).
    ///
    /// # Errors
    /// When they cannot be read.
    fn marks(&mut self) -> Result<Vec<GameMark>, StorageError>;

    /// The marks of one player, the newest first: at most
    /// [`MARKS_MAX`](crate::limits::MARKS_MAX).
    ///
    /// # Errors
    /// When they cannot be read.
    fn marks_of(&mut self, member: &MemberId) -> Result<Vec<GameMark>, StorageError>;
}

/// Games that ended up to this time are forgotten here, with their marks.
pub(super) fn examined_before(now: u64) -> u64 {
    now.saturating_sub(millis(EXAMINED_KEPT))
}
