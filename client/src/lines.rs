//! Lines for scripts and plain terminals: what is typed, and what is written as text or JSON.

pub mod analysis_output;
pub mod ascii_board;
pub mod game_list;
pub(crate) mod json_lobby;
pub(crate) mod json_lobby_line;
pub mod json_output;
pub mod line_interface;
pub mod lobby_lines;
pub(crate) mod plain_lobby;
pub mod plain_output;
pub mod typed_command;
