//! Why a person, a script or an engine left the room.

/// Why the client left the room.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum ExitReason {
    /// The person, the script or the engine wanted to leave.
    Left,
    /// Ctrl-C, or a terminating signal.
    Interrupted,
    /// The room or the connection was closed for good; the text is for people.
    Ended(String),
}
