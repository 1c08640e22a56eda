//! `fivefold seat`

use std::{io::Write, process::ExitCode, time::Duration};

use anyhow::Context;
use fivefold_shared::{
    opening::OpeningKind,
    protocol::{CatchUp, LobbyRequest, Message, Name},
    rules::Rules,
};
use tokio::task;

use super::{
    output_mode::interrupted,
    seat_seeking,
    usage::{Usage, exit_code},
    visit::Visit,
};
use crate::{
    cli::{SeatArgs, VisitArgs},
    connection::{Connection, ConnectionError, Welcome, unexpected},
    engine_player::{self, ReadyEngine, SeatOptions},
    gomocup_engine::{EngineCommand, Fault, Limits, OPEN, file_name},
    line_interface::View,
    output,
    plain_output::Plain,
    room_link::RoomLink,
    table::Table,
};

/// Extra time for network delay.
const GRACE: Duration = Duration::from_millis(1_000);

/// Seats an engine in a room, or lets it seek opponents. The engine comes as a new guest, not as the
/// person who started it.
pub(super) async fn run(args: &SeatArgs) -> anyhow::Result<ExitCode> {
    let options = options_of(args)?;
    let visit_args =
        VisitArgs { server: args.server.clone(), name: args.name.clone(), guest: true };
    let link = args.room.as_ref().and_then(|room| room.server.as_ref());
    let visit = Visit::open(&visit_args, link).await?;
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
    let Visit { mut connection, mut welcome } = visit;
    let mut view = Plain::new(output::stdout(), output::stderr());
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

/// Starts the engine for these rules, and asks for its name.
pub(super) async fn started(
    options: &SeatOptions,
    rules: Rules,
    opening: OpeningKind,
) -> anyhow::Result<(ReadyEngine, String)> {
    let engine_options = options.clone();
    let started = task::spawn_blocking(move || {
        let mut ready = engine_player::engine_for(&engine_options, rules, opening)?;
        let name = ready.engine.name()?;
        Ok::<_, Fault>((ready, name))
    });
    let words = &options.engine.words;
    let (ready, name) =
        started.await?.with_context(|| format!("{} cannot play {rules} here", words[0]))?;
    Ok((ready, name.unwrap_or_else(|| file_name(words).to_owned())))
}

/// Takes the engine's own name, unless an option has set another.
pub(super) async fn introduce(
    args: &SeatArgs,
    connection: &mut Connection,
    welcome: &mut Welcome,
    name: &str,
) -> anyhow::Result<()> {
    if let (None, Ok(name)) = (&args.name, shortened(name)) {
        match connection.ask(LobbyRequest::SetName { name: name.clone() }).await {
            Ok(_) => welcome.name = name,
            // The server refuses names that look like its own bots'.
            Err(ConnectionError::Refused(refusal)) => {
                writeln!(output::stderr(), "{name}: {}", refusal.text)?;
            }
            Err(error) => return Err(error.into()),
        }
    }
    Ok(())
}

/// Warns if the system cannot keep the engine from this person's files.
pub(super) fn warn_if_open(args: &SeatArgs, ready: &ReadyEngine) -> anyhow::Result<()> {
    if !ready.engine.is_confined() && !args.trust {
        writeln!(output::stderr(), "{OPEN}")?;
    }
    Ok(())
}

fn options_of(args: &SeatArgs) -> anyhow::Result<SeatOptions> {
    let words = shlex::split(&args.engine).filter(|words| !words.is_empty());
    let words = words.ok_or_else(|| Usage("--engine: a path and its arguments".into()))?;
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

/// A name cut to the length that a room accepts.
fn shortened(name: &str) -> Result<Name, fivefold_shared::protocol::NameError> {
    let start: String = name.chars().take(fivefold_shared::protocol::NAME_MAX).collect();
    Name::new(&start)
}
