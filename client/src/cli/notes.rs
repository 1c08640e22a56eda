//! The arguments of the command about notes.

use clap::Args;

use super::ServerArgs;
use crate::server::room_link::RoomLink;

/// `fivefold notes`
#[derive(Args, Debug)]
pub struct NotesArgs {
    /// The room of the game, by its code or its link; without one, all notes are listed.
    #[arg(value_name = "CODE|URL")]
    pub room: Option<RoomLink>,
    /// The text of the note, which replaces the old one; `-` reads standard input.
    #[arg(value_name = "TEXT")]
    pub text: Option<String>,
    /// Delete the note.
    #[arg(long, requires = "room", conflicts_with = "text")]
    pub delete: bool,
    /// One JSON object a line.
    #[arg(long, conflicts_with_all = ["text", "delete"])]
    pub json: bool,
    /// The server.
    #[command(flatten)]
    pub server: ServerArgs,
}
