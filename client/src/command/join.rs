//! `fivefold join`

use std::process::ExitCode;

use fivefold_shared::protocol::{LobbyRequest, RoomRequest};

use super::{output_mode::OutputMode, visit::Visit};
use crate::cli::JoinArgs;

/// Enters a room and takes a seat if one is open. A player who already has a seat keeps it. Nobody sits down by
/// entering a room whose game is over, because that would ask for another game.
pub(super) async fn run(args: &JoinArgs) -> anyhow::Result<ExitCode> {
    let mut mode = OutputMode::new(&args.view);
    let visit = Visit::to_play(&args.visit, args.room.server.as_ref()).await?;
    let join = LobbyRequest::Join { room: args.room.code.clone(), after: None };
    let mut table = visit.enter(join, &mut mode).await?;
    let room = table.room();
    let is_over = room.game.is_some() && room.running().is_none();
    if table.seat().is_none() && !is_over && room.open_seat(table.away()).is_some() {
        // If another player is quicker, the refusal is shown and this person watches.
        table.send(RoomRequest::Sit { seat: None });
    }
    mode.stay(table).await
}
