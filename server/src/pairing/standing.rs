//! What stands: seeks, challenges, the members behind them, and pairs whose rooms are being made.

use fivefold_shared::{
    protocol::{GameSettings, MemberId, OpenSeek, RoomCode, SeekId},
    seat::{BySeat, Seat},
};

use super::input::{PairNumber, Seeker};

/// Numbers seeks in the order in which they begin.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub(super) struct SeekNumber(pub(super) u64);

/// A seek or a challenge.
#[derive(Debug)]
pub(super) struct Seek {
    pub(super) id: SeekId,
    pub(super) by: Seeker,
    pub(super) aim: Aim,
    pub(super) settings: GameSettings,
    /// When it began, or went on.
    pub(super) since: u64,
    /// When its session asked for it.
    pub(super) asked_at: u64,
    /// When its session's node has repeated it last.
    pub(super) repeated_at: u64,
    /// How long it had waited before.
    pub(super) waited_before_ms: u64,
    /// When its session ended.
    pub(super) gone_at: Option<u64>,
}

/// Who may play with the seeker.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) enum Aim {
    /// Anybody who seeks the same, in the pool with this index.
    Pool(usize),
    /// Anybody who seeks the same or accepts.
    Anybody,
    /// A challenge: only this member, if they accept.
    Member(MemberId),
}

/// A member with seeks, or with a room that is being made.
#[derive(Debug, Default)]
pub(super) struct Standing {
    /// Their seeks and challenges, the oldest first.
    pub(super) seeks: Vec<SeekNumber>,
    pub(super) pair: Option<PairNumber>,
}

/// Two players whose room is being made.
#[derive(Debug)]
pub(super) struct Pair {
    pub(super) sides: BySeat<Side>,
    pub(super) is_rated: bool,
}

/// The game that a member plays.
#[derive(Clone, Copy, Debug)]
pub(super) struct FoundGame<'a> {
    pub(super) room: &'a RoomCode,
    pub(super) seat: Seat,
    /// Whether it is rated, if it was found now.
    pub(super) rated: Option<bool>,
}

/// One player of a pair.
#[derive(Debug)]
pub(super) struct Side {
    pub(super) by: Seeker,
    /// The seek that found the game: their own, or the one that they accept.
    pub(super) seek: SeekId,
    /// Absent for the one who accepts, who waits for an answer.
    pub(super) own: Option<SeekNumber>,
    pub(super) waited_ms: u64,
    pub(super) pool: Option<usize>,
}

impl Seek {
    pub(super) fn waited_ms(&self, now: u64) -> u64 {
        self.waited_before_ms + now.saturating_sub(self.since)
    }

    pub(super) fn to_side(&self, now: u64, number: SeekNumber) -> Side {
        let pool = match self.aim {
            Aim::Pool(pool) => Some(pool),
            Aim::Anybody | Aim::Member(_) => None,
        };
        let (by, seek, own) = (self.by.clone(), self.id.clone(), Some(number));
        Side { by, seek, own, waited_ms: self.waited_ms(now), pool }
    }

    pub(super) fn to_open(&self) -> OpenSeek {
        let Seeker { member, name, engine, .. } = self.by.clone();
        OpenSeek { seek: self.id.clone(), member, name, engine, settings: self.settings }
    }
}

impl Standing {
    pub(super) const fn is_idle(&self) -> bool {
        self.seeks.is_empty() && self.pair.is_none()
    }
}
