//! Places in daily games that are open or running: who has one, whether the room is awake or sleeps, and the
//! positions of their rated games. A room stores them with the events that change them.

use std::fmt;

use fivefold_shared::protocol::{CommandId, MemberId, RoomCode};

use crate::StorageError;

/// Who has a place in the daily game of a room, after an append: nobody when the game is over.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct DailySeats {
    /// The players, and the host of a room whose game has not begun; each once.
    pub seats: Vec<DailySeat>,
    /// The position of a rated game that is running.
    pub position: Option<RatedPosition>,
}

/// A place in a daily game.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct DailySeat {
    /// Whose place it is.
    pub member: MemberId,
    /// The command with which this member made the room; absent for others.
    pub command: Option<CommandId>,
    /// When the member's time ends, in milliseconds since the Unix epoch; absent if it is not their turn. No two turns
    /// of a member have the same.
    pub flag_at: Option<u64>,
}

/// The position of a rated game. The storage does not know how its digest is made.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct RatedPosition {
    /// The same for all positions that count as this one; below 2^63.
    pub digest: u64,
    /// How many stones it has.
    pub stones: usize,
}

/// What a member has of daily games, with the guests of their account.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct OwnDailyGames {
    /// Whether the member has an account.
    pub has_account: bool,
    /// How many places they have.
    pub count: usize,
    /// The positions of their rated games.
    pub positions: Vec<RatedPosition>,
}

/// What can be read about daily games. Calls may block.
pub trait DailyReader: fmt::Debug {
    /// The daily games of a member; the game of `except` does not count.
    ///
    /// # Errors
    /// When they cannot be read.
    fn daily_games(
        &mut self,
        member: &MemberId,
        except: Option<&RoomCode>,
    ) -> Result<OwnDailyGames, StorageError>;

    /// The open room that a member made for a daily game with this command, until its game is over.
    ///
    /// # Errors
    /// When it cannot be read.
    fn made_daily(
        &mut self,
        member: &MemberId,
        command: &CommandId,
    ) -> Result<Option<RoomCode>, StorageError>;

    /// At most so many places of members who are gone for good: their account was deleted or closed, and their
    /// rooms have to end their games.
    ///
    /// # Errors
    /// When they cannot be read.
    fn daily_leavers(&mut self, max: usize) -> Result<Vec<(RoomCode, MemberId)>, StorageError>;
}
