//! A game at the table, on a server or alone, and the lobby before it.

pub mod challenges;
pub mod exit_reason;
pub mod finished_game;
pub mod lobby;
pub mod local_game;
pub(crate) mod lost_moves;
pub mod person_requests;
pub mod perspective;
pub mod table;
