//! `fivefold play`

use std::process::ExitCode;

use fivefold_shared::protocol::{Create, LobbyRequest, SeatRequest, Visibility};

use super::{OutputMode, Visit, rules};
use crate::cli::PlayArgs;

/// Makes a room and plays in it.
pub(super) async fn run(args: &PlayArgs) -> anyhow::Result<ExitCode> {
    let create = Create {
        rules: rules(&args.game, args.bot.as_slice())?,
        visibility: if args.public { Visibility::Public } else { Visibility::Private },
        assistance: args.assistance,
        seats: [SeatRequest::Me, args.bot.map_or(SeatRequest::Open, SeatRequest::Bot)],
        colour: args.colour.into(),
        time: args.time,
        chat: true,
    };
    let mut shown = OutputMode::new(&args.view);
    let visit = Visit::open(&args.visit, None).await?;
    let table = visit.sit(LobbyRequest::Create(create), &mut shown).await?;
    shown.stay(table).await
}
