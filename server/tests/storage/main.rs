//! The storage: one suite for every back end, and what only a file or only PostgreSQL can suffer.

#![expect(clippy::unwrap_used, reason = "helpers of tests fail by panicking")]

mod accounts;
mod agreement;
mod backups;
mod bots;
mod collections;
mod conditional_moves;
mod contract;
mod crash;
mod daily;
mod damage;
mod databases;
mod dealings;
mod doubt;
mod email;
mod examination;
mod files;
mod folders;
mod formats;
mod friends;
mod keys;
mod left_log;
mod migrations;
mod moderation;
mod names;
mod notes;
mod playing;
mod pooler;
mod postgres;
mod pushes;
mod puzzles;
mod random_damage;
mod ratings;
mod relay;
mod restore;
mod rooms;
mod sleeping;
mod standby;
mod time_off;
