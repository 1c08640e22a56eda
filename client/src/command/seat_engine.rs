//! Gets an engine ready to play for `fivefold seat`.

use std::io::Write;

use anyhow::Context;
use fivefold_shared::{
    opening::OpeningKind,
    protocol::{LobbyRequest, Name},
    rules::Rules,
};
use tokio::task;

use crate::{
    cli::SeatArgs,
    engines::{
        engine_player::{self, ReadyEngine, SeatOptions},
        gomocup_engine::{Fault, OPEN, file_name},
    },
    server::connection::{Connection, ConnectionError, Welcome},
    terminal::output,
};

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
    // A bot has the name of its account.
    if welcome.account {
        return Ok(());
    }
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

/// A name cut to the length that a room accepts.
fn shortened(name: &str) -> Result<Name, fivefold_shared::protocol::NameError> {
    let start: String = name.chars().take(fivefold_shared::protocol::NAME_MAX).collect();
    Name::new(&start)
}
