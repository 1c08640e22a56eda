//! `fivefold rooms`

use std::{io::Write, process::ExitCode};

use fivefold_shared::protocol::{LobbyRequest, Message};

use super::Visit;
use crate::{cli::RoomsArgs, connection::strange, json::Json, output, plain::Plain};

/// Lists the public rooms.
pub(super) async fn run(args: &RoomsArgs) -> anyhow::Result<ExitCode> {
    let Visit { mut connection, .. } = Visit::open(&args.visit, None).await?;
    let answer = connection.ask(LobbyRequest::Rooms).await?;
    let Message::Rooms { rooms, total, .. } = answer else {
        return Err(strange(&answer).into());
    };
    let server = connection.server().clone();
    connection.close().await;
    let mut talk = output::stderr();
    let mut plain = Plain::new(output::stdout(), output::stderr());
    let mut json = Json::new(output::stdout());
    for room in &rooms {
        if args.json {
            json.listed(&server, room)?;
        } else {
            plain.listed(room)?;
        }
    }
    if total == 0 {
        writeln!(talk, "No public rooms at {server}. `fivefold play --public` makes one.")?;
    } else if rooms.len() < total {
        writeln!(talk, "{} of {total} rooms.", rooms.len())?;
    }
    Ok(ExitCode::SUCCESS)
}
