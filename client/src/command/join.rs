//! `fivefold join`

use std::process::ExitCode;

use fivefold_shared::protocol::{LobbyRequest, RoomRequest};

use super::{output_mode::OutputMode, visit::Visit};
use crate::cli::JoinArgs;

/// Enters a room and takes a seat if one is open. A player who already has a seat keeps it.
pub(super) async fn run(args: &JoinArgs) -> anyhow::Result<ExitCode> {
    let mut mode = OutputMode::new(&args.view);
    let visit = Visit::to_play(&args.visit, args.room.server.as_ref()).await?;
    let join = LobbyRequest::Join { room: args.room.code.clone(), after: None };
    let mut table = visit.enter(join, &mut mode).await?;
    let open = table.room().open_seat(table.away());
    if table.seat().is_none() && open.is_some() {
        // If another player is quicker, the refusal is shown and this person watches.
        table.send(RoomRequest::Sit { seat: None });
    }
    mode.stay(table).await
}
