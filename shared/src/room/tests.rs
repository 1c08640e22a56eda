//! Tests of rooms by script: each line gives an input or an expected output.

mod analysis;
mod chat;
mod conditional_moves;
mod daily;
mod daily_property;
mod dedup;
mod games;
mod harness;
mod limits;
mod nodes;
mod openings;
mod paired;
mod property;
mod rated;
mod records;
mod time;
