//! News on its way to one browser or address.

use fivefold_shared::protocol::{ChatText, MemberId, Name, RoomCode};
use fivefold_storage::{MovePushes, PushSettings};
use serde::{Deserialize, Serialize};

use super::email_texts::Letter;

/// News for one browser or address.
#[derive(Debug)]
pub(super) struct Delivery {
    pub(super) to: Recipient,
    pub(super) about: About,
    /// When it is of no use any more, in milliseconds since the Unix epoch.
    pub(super) until: u64,
    pub(super) tries: u8,
}

#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) enum Recipient {
    /// By its endpoint.
    Browser(String),
    /// The member's address; the message has this id.
    Email(String),
}

/// What news is about.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) enum About {
    /// It is the member's turn of this number.
    Turn { room: RoomCode, number: u64 },
    /// The member's time ends; the reminder was due at this time.
    Reminder { room: RoomCode, due: u64 },
    /// A game with this opponent has begun without them; `is_turn` if they move first in a daily game.
    Found { room: RoomCode, opponent: Name, is_turn: bool },
    /// News that is also of use later.
    Lasting(LastingNews),
    /// A message that the member of this name has asked for.
    Letter { name: Name, letter: Letter },
}

/// News that is of use after quiet hours, too.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(tag = "type", rename_all = "snake_case")]
pub(super) enum LastingNews {
    /// A game has ended by time.
    TimeUp { room: RoomCode, opponent: Option<Name>, won: bool },
    /// An operator has closed the room of a game that ran.
    Closed { room: RoomCode, opponent: Option<Name>, why: ChatText },
    /// A friend challenges them.
    Challenge { from: MemberId, by: Name },
    /// Their report about somebody was decided.
    Report { of: MemberId, about: Name, acted: bool },
}

impl LastingNews {
    /// What it is about: newer news about the same subject replaces it.
    pub(super) fn subject(&self) -> String {
        match self {
            Self::TimeUp { room, .. } | Self::Closed { room, .. } => format!("end-{room}"),
            Self::Challenge { from, .. } => format!("challenge-{from}"),
            Self::Report { of, .. } => format!("report-{of}"),
        }
    }
}

impl About {
    /// Whether a member with these settings is told by e-mail: reminders, the digest, and what they have asked for.
    pub(super) fn is_mailed(&self, settings: &PushSettings) -> bool {
        match self {
            Self::Turn { .. } => settings.moves == MovePushes::Digest,
            Self::Reminder { .. } | Self::Letter { .. } => true,
            Self::Found { .. } | Self::Lasting(_) => false,
        }
    }
}
