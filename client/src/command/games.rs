//! `fivefold games`

use std::{io::Write, process::ExitCode};

use fivefold_shared::record::GameList;

use super::{rooms::own_rooms, visit::Visit};
use crate::{
    cli::GamesArgs,
    lines::{
        game_list::{self, ListView},
        json_output::Json,
    },
    server::{http_request::HttpRequest, tls_roots},
    terminal::output,
};

/// Lists the person's open games, those where it is their turn first, and their last finished ones.
pub(super) async fn run(args: &GamesArgs) -> anyhow::Result<ExitCode> {
    let Visit { mut connection, welcome, .. } = Visit::open(&args.visit, None).await?;
    let open = own_rooms(&mut connection).await?;
    let now = connection.now();
    let server = connection.server().clone();
    let connector = match server.is_encrypted() {
        true => Some(tls_roots::connector(args.visit.server.ca.as_deref())?),
        false => None,
    };
    let path = match connection.session() {
        Some(_) => "/api/games?own=true",
        None => "/api/games",
    };
    let request = HttpRequest::get(path, connection.key());
    let finished: GameList = request.send(&server, connector).await?.json()?;
    connection.close().await;
    let mut talk = output::stderr();
    if args.json {
        let mut json = Json::new(output::stdout());
        open.iter().try_for_each(|room| json.listed_own(&server, room))?;
        finished.games.iter().try_for_each(|game| json.listed_game(&server, game))?;
    } else {
        let mut out = output::stdout();
        let view = ListView { you: &welcome.you, columns: output::columns(), now };
        game_list::write_rooms(&mut out, &mut talk, view, &open)?;
        game_list::write_finished(&mut out, &mut talk, view, &finished.games)?;
    }
    if open.is_empty() && finished.games.is_empty() {
        writeln!(talk, "You have no games at {server}. `fivefold seek` finds somebody to play.")?;
    } else if finished.next.is_some() {
        writeln!(talk, "Older games: {server}/games")?;
    }
    Ok(ExitCode::SUCCESS)
}
