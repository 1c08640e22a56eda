//! What the judge finds when the log was broken. Planted faults must cause these findings.

/// A command was refused, and is in the log.
pub(crate) const REFUSED_AND_DONE: &str = "a command was refused and done";

/// A member has received an event under a number that another event has.
pub(crate) const ANOTHER_EVENT: &str = "two events have one number";

/// Somebody played in two rooms of paired players at once.
pub(crate) const TWO_GAMES: &str = "a player is in two paired games";
