//! The command-line client of Fivefold.
//!
//! A command ([`cli`], [`command`]) opens a [`Table`](play::table::Table): a room of a server ([`server::connection`])
//! or a game in this process ([`play::local_game`]). A [`play::lobby::Lobby`] is where a person waits until
//! somebody plays them. A person or a script plays there through a view: the
//! terminal screen ([`tui`]), [`lines::plain_output`] or [`lines::json_output`] lines. A view knows tables and no
//! sockets; the connection knows rooms and no views.
//!
//! Gomocup's protocol lets our bots play elsewhere ([`engines::gomocup_brain`]), and other programs
//! ([`engines::gomocup_engine`]) play here: in matches ([`engines::arena`]) and in rooms ([`engines::engine_player`]).

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
