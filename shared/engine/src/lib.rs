//! Everything that thinks about a position: the engine, the bots, the book of openings, puzzles, and
//! the review of finished games.
//!
//! It builds on the rules and knows rooms only by the jobs that they give to bots (`bot_job`). Like
//! `fivefold-shared` it is pure: no sockets, files, threads or clock.

#![warn(missing_docs)]

pub mod agreement;
pub mod balance;
pub mod book;
pub mod bot;
pub mod bot_job;
pub mod calibration;
pub mod puzzle_solver;
pub mod reviewer;
pub mod search;
