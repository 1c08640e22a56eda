//! The command-line client of Fivefold.
//!
//! A command ([`cli`], [`command`]) opens a [`table::Table`]: a room of a server ([`connection`])
//! or a game in this process ([`local`]). A person or a script then sits at it through a view:
//! the terminal screen ([`tui`]), [`plain`] or [`json`] lines. A view knows tables and nothing of
//! sockets; the connection knows rooms and nothing of views.
//!
//! By Gomocup's protocol our bots play elsewhere ([`brain`]), and other programs ([`external`]) play
//! here: in matches ([`arena`]) and in rooms ([`seat`]).

pub mod analysis;
pub mod arena;
pub mod backoff;
pub mod board;
pub mod brain;
pub mod cli;
pub mod command;
pub mod connection;
pub mod external;
pub mod files;
pub mod json;
pub mod launcher;
pub mod lines;
pub mod link;
pub mod local;
pub mod openings;
pub mod output;
pub mod place;
pub mod plain;
pub mod program;
pub mod search_threads;
pub mod seat;
pub mod settings;
pub mod table;
pub mod text;
pub mod trust;
pub mod tui;
pub mod typed;
pub mod words;
