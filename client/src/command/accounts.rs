//! The commands about accounts, bots and people.

pub(super) mod account;
pub(super) mod account_request;
mod account_session;
pub(super) mod blocks;
pub(super) mod bots;
pub(super) mod challenges_from;
pub(super) mod collections;
mod device_login;
pub(super) mod friends;
pub(super) mod identity;
pub(super) mod notes;
mod own_bots;
pub(super) mod plan;
pub(super) mod players;
pub(super) mod time_off;
pub(super) mod token;
