//! Finished games of a server, read where files of games are read.

use std::path::Path;

use anyhow::bail;
use fivefold_shared::{
    notation::{file::GameFile, tree::GameTree},
    record::{FinishedGame, Record},
};

use super::accounts::account_request::{send, server};
use crate::{
    cli::ServerArgs,
    game_files::{Reading, Source},
    server::{
        http_request::{HttpRequest, Key},
        room_link::{GameLink, Link},
    },
    settings::Settings,
};

/// Fetches a game from the server of its link, or else from the one of the options or the settings; with
/// its address there.
pub(super) async fn fetch(link: &GameLink, args: &ServerArgs) -> anyhow::Result<(Record, String)> {
    let server = match &link.server {
        Some(address) => address.clone().into(),
        None => server(args, &Settings::load(&Settings::folder()?)?)?,
    };
    let path = format!("/api/games/{}", link.id);
    let answer = send(&server, args, HttpRequest::get(&path, Key::None)).await?;
    Ok((answer.json::<FinishedGame>()?.record, server.at(0).game_link(&link.id)))
}

/// Reads a file, or the finished game that a link or an id leads to.
pub(super) async fn read(
    reading: Reading,
    path: &Path,
    args: &ServerArgs,
) -> anyhow::Result<GameTree> {
    match link(path) {
        Some(Link::Game(link)) => Ok(GameFile::from(&fetch(&link, args).await?.0).into()),
        Some(Link::Room(_)) => bail!(
            "this is a room, and not a finished game. `fivefold games` lists your finished games"
        ),
        None => reading.read(Source::of(path)),
    }
}

/// The room or the finished game that the text names, unless it is the path of a file.
pub(super) fn link(path: &Path) -> Option<Link> {
    path.to_str().filter(|_| !path.exists())?.parse().ok()
}
