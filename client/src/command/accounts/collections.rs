//! `fivefold collections`

mod collection_lines;
mod export;
mod import;
mod own_collections;

use std::{io::Write, process::ExitCode};

use fivefold_shared::{
    clock::day,
    collection::{Collection, CollectionSettings, NumberedGame},
    notation::file::Ending,
    protocol::CollectionName,
    rules::Stone,
};
use hyper::Method;
use serde_json::json;

use self::{
    collection_lines::Line,
    own_collections::{PATH, Pages, find_own, own},
};
use super::account_session::{AccountSession, with_session};
use crate::{
    cli::{ChangeArgs, CollectionsArgs, CollectionsCommand, DeleteArgs, ServerArgs, ShowArgs},
    command::usage::Usage,
    lines::json_output::Json,
    terminal::{output, password_prompt},
};

/// Lists the collections of the account that is signed in, or works on one of them.
pub(crate) async fn run(args: &CollectionsArgs) -> anyhow::Result<ExitCode> {
    match &args.command {
        None => list(&args.server, args.json).await,
        Some(CollectionsCommand::Import(args)) => import::run(args).await,
        Some(CollectionsCommand::Export(args)) => export::run(args).await,
        Some(CollectionsCommand::Show(args)) => {
            with_session(&args.server, async |at| show(at, args).await).await
        }
        Some(CollectionsCommand::Change(args)) => {
            with_session(&args.server, async |at| change(at, args).await).await
        }
        Some(CollectionsCommand::Delete(args)) => delete(args).await,
    }
}

async fn list(server: &ServerArgs, as_json: bool) -> anyhow::Result<ExitCode> {
    with_session(server, async |at| {
        let collections = own(at).await?;
        if as_json {
            let mut json = Json::new(output::stdout());
            let server = at.server.at(0);
            for collection in &collections {
                json.write(&Line::collection(server, collection))?;
            }
            return Ok(());
        }
        for Collection { id, name, shared, games, changed_at, .. } in &collections {
            let s = if *games == 1 { "" } else { "s" };
            let shared = if *shared { "  shared" } else { "" };
            let changed = day(*changed_at);
            writeln!(output::stdout(), "{id}  {changed}  {games} game{s}  {name}{shared}")?;
        }
        match collections.first() {
            Some(Collection { id, .. }) => {
                writeln!(output::stderr(), "`fivefold collections show {id}` lists the games.")?;
            }
            None => writeln!(
                output::stderr(),
                "You have no collections at {}. `fivefold collections import NAME FILE` makes one.",
                at.server
            )?,
        }
        Ok(())
    })
    .await
}

async fn show(at: &AccountSession<'_>, args: &ShowArgs) -> anyhow::Result<()> {
    let mut pages = Pages::of(at, &args.collection, args.player.as_deref()).await?;
    let mut json = Json::new(output::stdout());
    let mut count = 0_u64;
    while let Some(page) = pages.next(at).await? {
        for game in &page.games {
            count += 1;
            if args.json {
                json.write(&Line::CollectedGame(game))?;
            } else {
                writeln!(output::stdout(), "{}", listed(game))?;
            }
        }
    }
    if count == 0 {
        writeln!(output::stderr(), "There are no games.")?;
    }
    Ok(())
}

/// A game on one line.
fn listed(NumberedGame { number, game }: &NumberedGame) -> String {
    let name = |name: &Option<String>| name.clone().unwrap_or_else(|| "?".into());
    let (black, white) = (name(&game.black), name(&game.white));
    let date = game.date.as_deref().unwrap_or("?");
    let result = match game.ending.map(|ending| (ending, ending.winner())) {
        Some((_, Some(Stone::Black))) => "1-0",
        Some((_, Some(Stone::White))) => "0-1",
        Some((Ending::Draw, None)) => "1/2",
        Some((_, None)) | None => "?",
    };
    format!("{number}  {black} - {white}  {date}  {result}  {}: {}", game.rules, game.moves)
}

async fn change(at: &AccountSession<'_>, args: &ChangeArgs) -> anyhow::Result<()> {
    let ChangeArgs { collection, name, shared, private, .. } = args;
    if name.is_none() && !shared && !private {
        let text = "nothing to change: use --name, --shared or --private".to_owned();
        return Err(Usage(text).into());
    }
    let found = find_own(at, collection).await?;
    let name = match name {
        Some(name) => CollectionName::new(name).map_err(|error| Usage(error.to_string()))?,
        None => found.name,
    };
    let shared = *shared || found.shared && !private;
    let body = Some(json!(CollectionSettings { name, shared }));
    at.send(Method::PUT, &format!("{PATH}/{}", found.id), body).await?;
    if shared {
        writeln!(output::stdout(), "{}", at.server.at(0).collection_link(&found.id))?;
    }
    writeln!(output::stderr(), "Changed.")?;
    Ok(())
}

async fn delete(args: &DeleteArgs) -> anyhow::Result<ExitCode> {
    let mut is_done = true;
    let code = with_session(&args.server, async |at| {
        let Collection { id, name, games, .. } = find_own(at, &args.collection).await?;
        for number in &args.games {
            at.send_patiently(Method::DELETE, &format!("{PATH}/{id}/games/{number}"), None).await?;
            writeln!(output::stderr(), "Deleted game {number}.")?;
        }
        if !args.games.is_empty() {
            return Ok(());
        }
        if !args.yes {
            let s = if games == 1 { "" } else { "s" };
            let question = format!(
                "{name} has {games} game{s}. Nobody can bring them back. Type delete to go on: "
            );
            if password_prompt::line(&question)?.trim() != "delete" {
                writeln!(output::stderr(), "Nothing is deleted.")?;
                is_done = false;
                return Ok(());
            }
        }
        at.send(Method::DELETE, &format!("{PATH}/{id}"), None).await?;
        writeln!(output::stderr(), "Deleted {name}.")?;
        Ok(())
    })
    .await?;
    Ok(if is_done { code } else { ExitCode::FAILURE })
}
