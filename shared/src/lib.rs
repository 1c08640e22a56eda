//! What every part of Fivefold agrees on: the rules of the game, the bots, and the messages that
//! cross the wire.
//!
//! Everything here is pure. No sockets, files, threads, wall clock or randomness: whatever comes
//! from outside is handed in, so that each rule can be tested alone and replayed exactly.

pub mod analysis;
pub mod balance;
pub mod book;
pub mod bot;
pub mod clock;
pub mod engine;
pub mod notation;
pub mod protocol;
pub mod record;
pub mod review;
pub mod room;
pub mod rules;
pub mod seat;
pub mod symmetry;
