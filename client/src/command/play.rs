//! `fivefold play`

use std::process::ExitCode;

use fivefold_shared::protocol::{Create, LobbyRequest, SeatRequest, Visibility};

use super::{
    output_mode::OutputMode,
    usage::{Usage, opening, rules},
    visit::Visit,
};
use crate::{cli::PlayArgs, server::room_link::Link};

/// Creates a room and plays in it.
pub(super) async fn run(args: &PlayArgs) -> anyhow::Result<ExitCode> {
    if let Some(word) = &args.room {
        let text = if word.parse::<Link>().is_ok() {
            "play makes a new room; `fivefold join` enters one, and `fivefold watch` shows a game"
                .into()
        } else {
            format!("`play` takes flags only, and no {word:?}: `fivefold play --help` lists them")
        };
        return Err(Usage(text).into());
    }
    let rules = rules(&args.game, args.bot.as_slice())?;
    let create = Create {
        rules,
        opening: opening(&args.opening, rules)?,
        visibility: if args.public { Visibility::Public } else { Visibility::Private },
        assistance: args.assistance,
        seats: [SeatRequest::Me, args.bot.map_or(SeatRequest::Open, SeatRequest::Bot)],
        colour: args.colour.into(),
        time: args.time,
        chat: true,
    };
    let mut mode = OutputMode::new(&args.view);
    mode.introduce(args.bot)?;
    let visit = Visit::to_play(&args.visit, None).await?;
    let table = visit.enter(LobbyRequest::Create(create), &mut mode).await?;
    mode.stay(table).await
}
