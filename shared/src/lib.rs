//! The code that server, client and page share: the rules of the game, the bots, and the messages
//! of the protocol.
//!
//! Everything here is pure: no sockets, files, threads, wall clock or randomness. Callers pass in
//! whatever comes from outside, so each rule can be tested alone and replayed exactly.

#![warn(missing_docs)]

pub mod analysis;
pub mod bot_spec;
pub mod clock;
pub mod collection;
pub mod conditional_moves;
pub mod friends;
#[cfg(test)]
mod json_schema;
pub mod local_room;
pub mod notation;
pub mod note;
pub mod opening;
pub mod profile;
pub mod protocol;
pub mod protocol_guide;
pub mod puzzle;
pub mod questions;
pub mod rating_pool;
pub mod record;
pub mod review;
pub mod room;
pub mod rules;
pub mod search_budget;
pub mod seat;
pub mod symmetry;
pub mod time_off_status;
#[cfg(test)]
mod typescript;
