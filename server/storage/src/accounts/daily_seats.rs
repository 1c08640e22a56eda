//! Places in daily games that are open or running: who has one, whether the room is awake or sleeps, and the
//! positions of their rated games. A room stores them with the events that change them.

use std::fmt;

use fivefold_shared::{
    clock::TimeOff,
    protocol::{CommandId, MemberId, RoomCode},
};

use crate::StorageError;

/// Who has a place in the daily game of a room, after an append: nobody when the game is over.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct DailySeats {
    /// The players, and the host of a room whose game has not begun; each once.
    pub seats: Vec<DailySeat>,
    /// The position of a rated game that is running.
    pub position: Option<RatedPosition>,
    /// The time of the append, in milliseconds since the Unix epoch.
    pub at: u64,
}

/// A place in a daily game.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct DailySeat {
    /// Whose place it is.
    pub member: MemberId,
    /// The command with which this member made the room; absent for others. In a room of paired players, both have the
    /// command with which the server made it.
    pub command: Option<CommandId>,
    /// Absent if it is not their turn.
    pub turn: Option<DailyTurn>,
    /// The member's time off as the running game knows it ([`TimeOff::NONE`] if it knows none); absent without a
    /// running game.
    pub off: Option<TimeOff>,
}

/// A turn of a member in a daily game.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct DailyTurn {
    /// Tells the turns of a room apart.
    pub number: u64,
    /// When the member's time ends, in milliseconds since the Unix epoch. Time off changes it.
    pub flag_at: u64,
}

/// What a room has to learn about a member with a place in its daily game.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum DailyNews {
    /// They are gone for good: their account was deleted or closed, and the room has to end their game.
    Gone,
    /// They have time off, will have it, or have ended it. The game knows something else.
    TimeOff(TimeOff),
    /// They have planned these conditional moves, or plan none any more. The storage does not know what they mean.
    ConditionalMoves(PlannedMoves),
}

/// Conditional moves as they are stored.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct PlannedMoves {
    /// Each change of those of a member has a higher number.
    pub number: u64,
    /// The moves; `None` if there are none any more.
    pub moves: Option<String>,
}

/// What a room may have to learn about the member in a place.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct PlaceNews {
    /// Whether they are gone.
    pub(crate) leaves: bool,
    pub(crate) off: TimeOff,
    /// Whether the game knows another period.
    pub(crate) is_off_new: bool,
    pub(crate) moves: PlannedMoves,
    /// Whether the room does not know these moves yet.
    pub(crate) are_moves_new: bool,
}

impl PlaceNews {
    /// What the room's owner has to learn.
    pub(crate) fn news(self) -> Vec<DailyNews> {
        if self.leaves {
            return vec![DailyNews::Gone];
        }
        let off = self.is_off_new.then_some(DailyNews::TimeOff(self.off));
        let moves = self.are_moves_new.then_some(DailyNews::ConditionalMoves(self.moves));
        off.into_iter().chain(moves).collect()
    }

    /// What the next owner has to learn. Includes all conditional moves, because no log has them.
    pub(crate) fn for_next_owner(self) -> Vec<DailyNews> {
        let are_moves_new = self.are_moves_new || self.moves.moves.is_some();
        Self { are_moves_new, ..self }.news()
    }
}

/// What changes in a member's conditional moves. Each may be repeated.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum ConditionalMovesStep {
    /// Sets what the member or a guest of theirs plans in a room; its owner has to learn it.
    /// [`AccountChanged::Gone`](crate::AccountChanged) if they have no place there.
    Set {
        /// The room.
        room: RoomCode,
        /// The moves; `None` deletes them.
        moves: Option<String>,
    },
    /// The room's owner knows those of this number. Later owners get them when they claim the room.
    /// [`AccountChanged::Gone`](crate::AccountChanged) if that is known, or they have changed.
    Told {
        /// The room.
        room: RoomCode,
        /// The owner's [`Epoch`](crate::Epoch).
        epoch: u64,
        /// The number.
        number: u64,
    },
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

    /// The open room for a daily game that was made with this command, by the member or for a pair to which the member
    /// belongs, until its game is over.
    ///
    /// # Errors
    /// When it cannot be read.
    fn made_daily(
        &mut self,
        member: &MemberId,
        command: &CommandId,
    ) -> Result<Option<RoomCode>, StorageError>;

    /// The places of a member and their guests in daily games: the room, whose it is, and what they have planned there.
    ///
    /// # Errors
    /// When they cannot be read.
    fn conditional_moves(
        &mut self,
        member: &MemberId,
    ) -> Result<Vec<(RoomCode, MemberId, Option<String>)>, StorageError>;

    /// What rooms have to learn about the members in at most so many places.
    ///
    /// # Errors
    /// When it cannot be read.
    fn daily_news(
        &mut self,
        max: usize,
    ) -> Result<Vec<(RoomCode, MemberId, DailyNews)>, StorageError>;
}
