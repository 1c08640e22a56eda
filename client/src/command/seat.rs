//! `fivefold seat`

use std::{process::ExitCode, time::Duration};

use anyhow::bail;
use fivefold_shared::protocol::{CatchUp, LobbyRequest, Message};

use super::{
    output_mode::interrupted,
    seat_engine::{introduce, started, warn_if_open},
    seat_seeking,
    usage::{Usage, exit_code, refuse_root},
    visit::Visit,
};
use crate::{
    cli::{SeatArgs, VisitArgs},
    engines::{
        engine_player::{self, SeatOptions},
        gomocup_engine::{EngineCommand, Limits},
    },
    lines::{line_interface::View, plain_output::Plain},
    play::table::Table,
    server::{connection::unexpected, room_link::RoomLink},
    terminal::output,
};

/// Extra time for network delay.
const GRACE: Duration = Duration::from_millis(1_000);

/// Seats an engine in a room, or lets it seek opponents. The engine comes as the bot whose token it has, or
/// as a new guest, and not as the person who started it.
pub(super) async fn run(args: &SeatArgs) -> anyhow::Result<ExitCode> {
    let options = options_of(args)?;
    let visit_args =
        VisitArgs { server: args.server.clone(), name: args.name.clone(), guest: true };
    let link = args.room.as_ref().and_then(|room| room.server.as_ref());
    let visit = Visit::of_program(&visit_args, link).await?;
    if visit.welcome.account && !visit.welcome.bot {
        bail!(
            "FIVEFOLD_TOKEN speaks for {}, a person, and a program plays as a bot: `fivefold bot new \
             NAME` makes one. Without a token it plays as a guest",
            visit.welcome.name
        );
    }
    match &args.room {
        Some(room) => in_room(args, options, visit, room).await,
        None => seat_seeking::run(args, options, visit).await,
    }
}

/// Plays in a room.
async fn in_room(
    args: &SeatArgs,
    options: SeatOptions,
    visit: Visit,
    room: &RoomLink,
) -> anyhow::Result<ExitCode> {
    let Visit { mut connection, mut welcome, .. } = visit;
    let mut view = Plain::of_program(output::stdout(), output::stderr());
    let join = || LobbyRequest::Join { room: room.code.clone(), after: None };
    let joined = connection.ask(join()).await?;
    let Message::Joined { catch_up: CatchUp::Snapshot(snapshot), .. } = joined else {
        return Err(unexpected(&joined).into());
    };
    let (ready, name) = started(&options, snapshot.rules, snapshot.opening).await?;
    introduce(args, &mut connection, &mut welcome, &name).await?;
    view.connected(connection.server(), &welcome)?;
    warn_if_open(args, &ready)?;
    // This answer includes everything that has happened since.
    let joined = connection.ask(join()).await?;
    let mut table = Table::remote(connection, welcome.you, joined)?;
    let stay = engine_player::stay(&mut table, ready, &options, &mut view, interrupted()).await;
    table.leave().await;
    Ok(exit_code(&stay?.exit_reason))
}

fn options_of(args: &SeatArgs) -> anyhow::Result<SeatOptions> {
    let words = shlex::split(&args.engine).filter(|words| !words.is_empty());
    let words = words.ok_or_else(|| Usage("--engine: a path and its arguments".into()))?;
    refuse_root(args.allow_root)?;
    let turn = Duration::from_millis(args.time);
    let limits = Limits {
        turn: Some(turn),
        game: None,
        grace: GRACE,
        nodes: None,
        memory: Some(u64::from(args.memory) << 20),
        start: Duration::from_secs(args.start),
        is_trusted: args.trust,
    };
    let engine = EngineCommand { words, limits };
    let pause = args.room.is_none().then(|| Duration::from_secs(args.pause));
    let (games, openings) = (args.games, args.openings);
    Ok(SeatOptions { engine, turn, retries: args.retry, games, pause, openings })
}
