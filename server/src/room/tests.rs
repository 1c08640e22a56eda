//! Rooms by script: each line says what comes in and what must come out.

mod answers;
mod chat;
mod games;
mod harness;
mod limits;
mod property;
mod study;
mod time;
