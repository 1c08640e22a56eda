//! Rooms by script: each line says what comes in and what must come out.

mod analysis;
mod chat;
mod dedup;
mod games;
mod harness;
mod limits;
mod property;
mod time;
