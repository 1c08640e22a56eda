//! The server over real sockets: its limits, how sockets end, stopping, and a store that fails.

#![expect(clippy::unwrap_used, reason = "helpers of tests fail by panicking")]

mod account_devices;
mod account_keys;
mod accounts;
mod admin;
mod analysis;
mod audit;
mod bots;
mod challenges;
mod chat;
mod cluster;
mod cluster_pairing;
mod collections;
mod conditional_moves;
mod daily;
mod daily_of_deleted_accounts;
mod data_protection;
mod documented;
mod email;
mod embeds;
mod ends;
mod farming;
mod faults;
mod feeds;
mod found_turns;
mod friends;
mod games;
mod handshake;
mod harness;
mod identities;
mod limits;
mod logs;
mod metrics;
mod moderation;
#[cfg(feature = "oidc")]
mod notes;
mod oidc;
mod operator_files;
mod operators;
mod other_pushes;
mod own;
mod own_guests;
mod page;
mod pairing;
mod pictures;
mod play;
mod players;
mod positions;
mod program;
mod pushes;
mod puzzles;
mod questions;
mod ratings;
mod rooms;
mod set_clock;
mod sleeping;
mod soft_passkey;
#[cfg(feature = "oidc")]
mod soft_provider;
mod storage;
mod time;
mod time_off;
mod tls;
