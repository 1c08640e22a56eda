//! `fivefold watch`

use std::process::ExitCode;

use anyhow::Context;
use fivefold_shared::protocol::{Colour, Create, LobbyRequest, SeatRequest, Visibility};

use super::{
    finished_game::fetch,
    output_mode::OutputMode,
    usage::{Usage, opening, rules},
    visit::Visit,
};
use crate::{
    cli::WatchArgs,
    play::{finished_game, table::Table},
    server::room_link::Link,
};

/// Watches a room, or creates one in which two bots play; or shows a finished game.
pub(super) async fn run(args: &WatchArgs) -> anyhow::Result<ExitCode> {
    let (server, request) = match (&args.room, args.bots) {
        (Some(Link::Game(link)), _) => {
            let (record, address) = fetch(link, &args.visit.server).await?;
            let room = finished_game::room(&record, link.id.clone())
                .with_context(|| format!("the game at {address}"))?;
            let table = Table::finished(room, address);
            return OutputMode::new(&args.view).stay(table).await;
        }
        (Some(Link::Room(link)), _) => {
            let request = LobbyRequest::Join { room: link.code.clone(), after: None };
            (link.server.as_ref(), request)
        }
        (None, Some(bots)) => {
            let rules = rules(&args.game, &bots)?;
            let create = Create {
                rules,
                opening: opening(&args.opening, rules)?,
                visibility: Visibility::Public,
                assistance: false,
                seats: bots.map(SeatRequest::Bot),
                colour: Colour::Black,
                time: args.time,
                chat: true,
            };
            (None, LobbyRequest::Create(create))
        }
        (None, None) => return Err(Usage("watch which room?".into()).into()),
    };
    let mut mode = OutputMode::new(&args.view);
    let visit = Visit::to_play(&args.visit, server).await?;
    let table = visit.enter(request, &mut mode).await?;
    mode.stay(table).await
}
