//! `fivefold notes`

use std::{
    io::{Read, Write, stdin},
    process::ExitCode,
};

use fivefold_shared::{
    note::{Note, NoteList, NoteText},
    protocol::RoomCode,
};
use hyper::Method;
use serde_json::json;

use super::account_session::{AccountSession, with_session};
use crate::{cli::NotesArgs, lines::json_output::Json, terminal::output};

const PATH: &str = "/api/notes";

/// Shows, writes or deletes the player's notes about games.
pub(crate) async fn run(args: &NotesArgs) -> anyhow::Result<ExitCode> {
    let server = args.server.or_of(args.room.as_ref());
    let room = args.room.as_ref().map(|room| &room.code);
    with_session(&server, async |at| match (room, &args.text) {
        (Some(room), Some(text)) if text == "-" => {
            let mut read = String::new();
            stdin().read_to_string(&mut read)?;
            write(at, room, &read).await
        }
        (Some(room), Some(text)) => write(at, room, text).await,
        (Some(room), None) if args.delete => write(at, room, "").await,
        (Some(room), None) if !args.json => show(at, room).await,
        (room, _) => list(at, room, args.json).await,
    })
    .await
}

async fn write(at: &AccountSession<'_>, room: &RoomCode, text: &str) -> anyhow::Result<()> {
    let body = Some(json!(NoteText { text: text.to_owned() }));
    at.send(Method::PUT, &format!("{PATH}/{room}"), body).await?;
    let done =
        if text.trim().is_empty() { "The note is deleted." } else { "Noted. Only you see it." };
    writeln!(output::stderr(), "{done}")?;
    Ok(())
}

async fn show(at: &AccountSession<'_>, room: &RoomCode) -> anyhow::Result<()> {
    let answer = at.send(Method::GET, &format!("{PATH}/{room}"), None).await?;
    let NoteText { text } = answer.json()?;
    if text.is_empty() {
        writeln!(output::stderr(), "You have no note about this room.")?;
    }
    for line in text.lines() {
        writeln!(output::stdout(), "{line}")?;
    }
    Ok(())
}

/// Lists the notes, or only that about a room.
async fn list(
    at: &AccountSession<'_>,
    room: Option<&RoomCode>,
    as_json: bool,
) -> anyhow::Result<()> {
    let NoteList { mut notes } = at.send(Method::GET, PATH, None).await?.json()?;
    notes.retain(|note| room.is_none_or(|room| note.room == *room));
    if as_json {
        let mut json = Json::new(output::stdout());
        for note in &notes {
            json.note(at.server.at(0), note)?;
        }
        return Ok(());
    }
    for Note { room, text, .. } in &notes {
        let first = text.lines().next().unwrap_or_default();
        let more = if text.lines().nth(1).is_some() { " ..." } else { "" };
        writeln!(output::stdout(), "{room}  {first}{more}")?;
    }
    match notes.first() {
        Some(Note { room, .. }) => {
            writeln!(output::stderr(), "`fivefold notes {room}` shows a whole note.")?;
        }
        None => writeln!(
            output::stderr(),
            "You have no notes at {}. `fivefold notes CODE TEXT` writes one.",
            at.server
        )?,
    }
    Ok(())
}
