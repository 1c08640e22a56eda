//! `fivefold bot`

use std::{io::Write, process::ExitCode};

use hyper::Method;
use serde_json::json;

use super::{
    account_session::{AccountSession, with_session},
    own_bots::{Bot, Bots, find, read},
};
use crate::{cli::BotCommand, terminal::output};

/// Makes, lists, renames or deletes bots of the account that is signed in.
pub(crate) async fn run(command: &BotCommand) -> anyhow::Result<ExitCode> {
    let (BotCommand::New { server, .. }
    | BotCommand::List { server }
    | BotCommand::Rename { server, .. }
    | BotCommand::Delete { server, .. }) = command;
    with_session(server, async |at| match command {
        BotCommand::New { name, .. } => make(at, name).await,
        BotCommand::List { .. } => list(at).await,
        BotCommand::Rename { name, new, .. } => rename(at, name, new).await,
        BotCommand::Delete { name, .. } => delete(at, name).await,
    })
    .await
}

async fn make(at: &AccountSession<'_>, name: &str) -> anyhow::Result<()> {
    let body = Some(json!({"name": name}));
    let Bot { name, .. } = at.send(Method::POST, "/api/account/bots", body).await?.json()?;
    writeln!(output::stdout(), "{name}")?;
    writeln!(
        output::stderr(),
        "It is your bot. `fivefold token new --bot {name} --scope play` makes a token for its program."
    )?;
    Ok(())
}

async fn list(at: &AccountSession<'_>) -> anyhow::Result<()> {
    let Bots { bots, most } = read(at).await?;
    let mut out = output::stdout();
    for Bot { name, tokens, .. } in &bots {
        writeln!(out, "{name}  {} tokens", tokens.len())?;
    }
    writeln!(output::stderr(), "{} of at most {most} bots.", bots.len())?;
    Ok(())
}

async fn rename(at: &AccountSession<'_>, name: &str, new: &str) -> anyhow::Result<()> {
    let Bot { id, name: old, .. } = find(at, name).await?;
    let (path, body) = (format!("/api/account/bots/{id}/name"), json!({"name": new}));
    let Bot { name, .. } = at.send_with_key(Method::POST, &path, Some(body)).await?.json()?;
    writeln!(output::stdout(), "{name}")?;
    writeln!(output::stderr(), "{old} is {name} now. Its tokens stay as they are.")?;
    Ok(())
}

async fn delete(at: &AccountSession<'_>, name: &str) -> anyhow::Result<()> {
    let Bot { id, name, .. } = find(at, name).await?;
    at.send_with_key(Method::DELETE, &format!("/api/account/bots/{id}"), None).await?;
    writeln!(output::stderr(), "{name} is deleted, and its tokens have ended.")?;
    Ok(())
}
