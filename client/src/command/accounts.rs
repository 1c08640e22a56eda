//! The commands about accounts, bots and people.

pub(crate) mod account;
pub(crate) mod account_request;
pub(crate) mod account_session;
pub(crate) mod blocks;
pub(crate) mod bots;
pub(crate) mod challenges_from;
pub(crate) mod device_login;
pub(crate) mod identity;
pub(crate) mod own_bots;
pub(crate) mod players;
pub(crate) mod token;
