//! Rooms by script: each line says what comes in and what must come out.

mod harness;
mod property;
mod scripts;
