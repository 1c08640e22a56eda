//! `fivefold rooms`

use std::{io::Write, process::ExitCode};

use fivefold_shared::protocol::{LobbyRequest, Message, OwnRoom, RoomSummary};

use super::visit::Visit;
use crate::{
    cli::RoomsArgs,
    lines::{json_output::Json, plain_output::Plain},
    server::connection::{Connection, ConnectionError, unexpected},
    terminal::output,
};

/// Lists the visitor's own rooms, then the other public ones.
pub(super) async fn run(args: &RoomsArgs) -> anyhow::Result<ExitCode> {
    let Visit { mut connection, .. } = Visit::open(&args.visit, None).await?;
    let own = own_rooms(&mut connection).await?;
    let (public, total) = match args.mine {
        true => (Vec::new(), 0),
        false => public_rooms(&mut connection).await?,
    };
    let (server, now) = (connection.server().clone(), connection.now());
    connection.close().await;
    let mut talk = output::stderr();
    let mut plain = Plain::new(output::stdout(), output::stderr());
    let mut json = Json::new(output::stdout());
    for room in &own {
        if args.json {
            json.listed_own(&server, room)?;
        } else {
            plain.listed_own(room, now)?;
        }
    }
    let is_own = |room: &RoomSummary| own.iter().any(|own| own.summary.room == room.room);
    for room in public.iter().filter(|room| !is_own(room)) {
        if args.json {
            json.listed(&server, room)?;
        } else {
            plain.listed(room)?;
        }
    }
    let first = own.iter().map(|room| &room.summary).chain(&public).next();
    if let Some(room) = first.filter(|_| !args.json) {
        let link = server.room_link(&room.room);
        writeln!(talk, "To enter a room: fivefold join {link}")?;
    }
    if own.is_empty() && args.mine {
        writeln!(talk, "You have no open rooms at {server}. `fivefold play` makes one.")?;
    } else if own.is_empty() && total == 0 {
        writeln!(talk, "No public rooms at {server}. `fivefold play --public` makes one.")?;
    } else if public.len() < total {
        writeln!(talk, "{} of {total} public rooms.", public.len())?;
    }
    Ok(ExitCode::SUCCESS)
}

/// The open rooms of the visitor.
pub(super) async fn own_rooms(
    connection: &mut Connection,
) -> Result<Vec<OwnRoom>, ConnectionError> {
    match connection.ask(LobbyRequest::OwnRooms).await? {
        Message::OwnRooms { rooms, .. } => Ok(rooms),
        answer => Err(unexpected(&answer)),
    }
}

async fn public_rooms(
    connection: &mut Connection,
) -> Result<(Vec<RoomSummary>, usize), ConnectionError> {
    match connection.ask(LobbyRequest::Rooms).await? {
        Message::Rooms { rooms, total, .. } => Ok((rooms, total)),
        answer => Err(unexpected(&answer)),
    }
}
