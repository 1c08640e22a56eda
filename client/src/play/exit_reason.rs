//! Why a person, a script or an engine left the room.

use fivefold_shared::protocol::RoomCode;

/// Why the client left the room, or the lobby.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum ExitReason {
    /// The person, the script or the engine wanted to leave.
    Left,
    /// Ctrl-C, or a terminating signal.
    Interrupted,
    /// A game in this room has begun, by their seek or an accepted challenge, or waits for them.
    Paired(RoomCode),
    /// Nothing was sought, as a paired game of theirs runs in this room.
    Busy(RoomCode),
    /// The opponent did not begin the game, so their seek goes on.
    Aborted,
    /// The room or the connection was closed for good; the text is for people.
    Ended(String),
}
