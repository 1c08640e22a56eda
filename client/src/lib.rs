//! The command-line client of Fivefold.
//!
//! A command ([`cli`], [`command`]) opens a [`table::Table`]: a room of a server ([`connection`])
//! or a game in this process ([`local_game`]). A [`lobby::Lobby`] is where a person waits until
//! somebody plays them. A person or a script plays there through a view: the
//! terminal screen ([`tui`]), [`plain_output`] or [`json_output`] lines. A view knows tables and no
//! sockets; the connection knows rooms and no views.
//!
//! Gomocup's protocol lets our bots play elsewhere ([`gomocup_brain`]), and other programs
//! ([`gomocup_engine`]) play here: in matches ([`arena`]) and in rooms ([`engine_player`]).

pub mod cli;
pub mod command;
pub mod engines;
pub mod game_files;
pub mod lines;
mod own_clock;
pub mod play;
pub mod server;
pub mod settings;
pub mod terminal;
pub mod tui;
pub mod words;
