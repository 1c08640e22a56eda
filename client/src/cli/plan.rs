//! The arguments of the command about conditional moves.

use clap::Args;

use super::ServerArgs;
use crate::server::room_link::RoomLink;

/// `fivefold plan`
#[derive(Args, Debug)]
pub struct PlanArgs {
    /// The room of the game, by its code or its link.
    #[arg(value_name = "CODE|URL")]
    pub room: RoomLink,
    /// The moves that you expect and your replies, in turn: "h9 i9 h7 i10". The lines that you give replace all old
    /// ones; without any, your lines are shown.
    #[arg(value_name = "LINE")]
    pub lines: Vec<String>,
    /// Delete all your lines.
    #[arg(long, conflicts_with = "lines")]
    pub delete: bool,
    /// One JSON object.
    #[arg(long)]
    pub json: bool,
    /// The server.
    #[command(flatten)]
    pub server: ServerArgs,
}
