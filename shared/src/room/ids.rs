//! Who a room deals with, and the tickets of what it asks for.

use crate::protocol::{MemberId, Name};

/// One live socket; given out by the server and never used again while it runs.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub struct SessionId(pub u64);

/// Somebody as a room knows him: one member may have several sessions.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Member {
    /// His public id.
    pub id: MemberId,
    /// What he calls himself.
    pub name: Name,
}

/// Names a job within its room; never used twice by the same value of a room, rebuilt or not.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub struct Ticket(pub u64);
