//! `fivefold close`

use std::{io::Write, process::ExitCode};

use fivefold_shared::protocol::{LobbyRequest, Message};

use super::visit::Visit;
use crate::{cli::CloseArgs, server::connection::unexpected, terminal::output};

/// Closes a room that the same identity created.
pub(super) async fn run(args: &CloseArgs) -> anyhow::Result<ExitCode> {
    let Visit { mut connection, .. } = Visit::open(&args.visit, args.room.server.as_ref()).await?;
    let room = args.room.code.clone();
    let answer = connection.ask(LobbyRequest::Close { room }).await?;
    let Message::Done { .. } = answer else {
        return Err(unexpected(&answer).into());
    };
    connection.close().await;
    writeln!(output::stderr(), "The room {} is closed.", args.room.code)?;
    Ok(ExitCode::SUCCESS)
}
