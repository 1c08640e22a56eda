//! `fivefold seat`

use std::{io::Write, process::ExitCode, time::Duration};

use anyhow::Context;
use fivefold_shared::protocol::{CatchUp, LobbyRequest, Message, Name};
use tokio::task;

use super::{
    output_mode::interrupted,
    usage::{Usage, exit_code},
    visit::Visit,
};
use crate::{
    cli::{SeatArgs, VisitArgs},
    connection::{ConnectionError, unexpected},
    engine_player::{self, SeatOptions},
    gomocup_engine::{EngineCommand, Fault, Limits, OPEN, file_name},
    line_interface::View,
    output,
    plain_output::Plain,
    table::Table,
};

/// Extra time for network delay.
const GRACE: Duration = Duration::from_millis(1_000);

/// Seats an engine in a room. The engine joins as a new guest, not as the person who started it.
pub(super) async fn run(args: &SeatArgs) -> anyhow::Result<ExitCode> {
    let options = options_of(args)?;
    let visit_args =
        VisitArgs { server: args.server.clone(), name: args.name.clone(), guest: true };
    let mut view = Plain::new(output::stdout(), output::stderr());
    let Visit { mut connection, mut welcome } =
        Visit::open(&visit_args, args.room.server.as_ref()).await?;
    let join = || LobbyRequest::Join { room: args.room.code.clone(), after: None };
    let joined = connection.ask(join()).await?;
    let Message::Joined { catch_up: CatchUp::Snapshot(snapshot), .. } = joined else {
        return Err(unexpected(&joined).into());
    };
    let (rules, opening) = (snapshot.rules, snapshot.opening);
    let engine_options = options.clone();
    let started = task::spawn_blocking(move || {
        let mut ready = engine_player::engine_for(&engine_options, rules, opening)?;
        let name = ready.engine.name()?;
        Ok::<_, Fault>((ready, name))
    });
    let (ready, name) = started
        .await?
        .with_context(|| format!("{} cannot play {} here", options.engine.words[0], rules))?;
    let name = name.unwrap_or_else(|| file_name(&options.engine.words).to_owned());
    if let (None, Ok(name)) = (&args.name, shortened(&name)) {
        match connection.ask(LobbyRequest::SetName { name: name.clone() }).await {
            Ok(_) => welcome.name = name,
            // The server refuses names that look like its own bots'.
            Err(ConnectionError::Refused(refusal)) => {
                writeln!(output::stderr(), "{name}: {}", refusal.text)?;
            }
            Err(error) => return Err(error.into()),
        }
    }
    view.connected(connection.server(), &welcome)?;
    if !ready.engine.is_confined() && !args.trust {
        writeln!(output::stderr(), "{OPEN}")?;
    }
    // This answer includes everything that has happened since.
    let joined = connection.ask(join()).await?;
    let table = Table::remote(connection, welcome.you, joined)?;
    let exit_reason = engine_player::stay(table, ready, &options, &mut view, interrupted()).await?;
    Ok(exit_code(&exit_reason))
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
    let (games, openings) = (args.games, args.openings);
    Ok(SeatOptions { engine, turn, retries: args.retry, games, openings })
}

/// A name cut to the length that a room accepts.
fn shortened(name: &str) -> Result<Name, fivefold_shared::protocol::NameError> {
    let start: String = name.chars().take(fivefold_shared::protocol::NAME_MAX).collect();
    Name::new(&start)
}
