//! The store: one suite for every back end, and what only a file can suffer.

#![expect(clippy::unwrap_used, reason = "helpers of tests fail by panicking")]

mod contract;
mod crash;
mod files;
mod rooms;
