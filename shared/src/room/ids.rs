//! Who a room deals with, and the tickets of what it asks for.

use serde::{Deserialize, Serialize};

use crate::protocol::{MemberId, Name};

/// One live socket; the server never reuses an id while it runs.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug, Serialize, Deserialize)]
pub struct SessionId(pub u64);

/// A person, or the account of a bot, as the room knows them: one member may have several sessions.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Member {
    /// Their public id.
    pub id: MemberId,
    /// Their name.
    pub name: Name,
    /// Whether it is the account of a bot, whose programs play.
    pub bot: bool,
    /// Whether it is nobody, who only watches from another site. Its name is shown to nobody.
    pub watches: bool,
}

impl Member {
    /// A person.
    pub const fn person(id: MemberId, name: Name) -> Self {
        Self { id, name, bot: false, watches: false }
    }

    /// One who only watches.
    pub const fn watching(id: MemberId, name: Name) -> Self {
        Self { id, name, bot: false, watches: true }
    }
}

/// Names a job within its room; unique for the lifetime of a room, rebuilds included.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub struct Ticket(pub u64);
