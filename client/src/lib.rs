//! The command-line client of Fivefold.
//!
//! A command ([`cli`]) opens a [`table::Table`]: a room of a server ([`connection`]) or a game in
//! this process ([`local`]). A person or a script then sits at it through a view. A view knows
//! tables and nothing of sockets; the connection knows rooms and nothing of views.

pub mod backoff;
pub mod cli;
pub mod connection;
pub mod link;
pub mod local;
pub mod settings;
pub mod table;
pub mod text;
