//! `fivefold block`, `fivefold unblock` and `fivefold blocks`

use std::{io::Write, process::ExitCode};

use anyhow::Context;
use fivefold_shared::protocol::{MemberId, Name};
use hyper::Method;
use serde::Deserialize;
use serde_json::json;

use super::account_request::{send, server};
use crate::{
    cli::{BlockArgs, LogoutArgs, UnblockArgs},
    command::usage::Usage,
    server::{
        http_request::{HttpRequest, Key},
        server_list::ServerList,
    },
    settings::Settings,
    terminal::output,
};

/// A player's list, as the server shows it to them.
#[derive(Deserialize)]
struct Blocks {
    blocks: Vec<Block>,
}

#[derive(Deserialize)]
struct Block {
    member: MemberId,
    name: Name,
    kind: String,
}

/// Blocks or mutes somebody.
pub(crate) async fn block(args: &BlockArgs) -> anyhow::Result<ExitCode> {
    let settings = Settings::load(&Settings::folder()?)?;
    let server = server(&args.server, &settings)?;
    let kind = if args.mute { "mute" } else { "block" };
    let request = HttpRequest {
        method: Method::POST,
        path: "/api/blocks",
        key: key(&settings, &server)?,
        body: Some(json!({"name": args.name, "kind": kind})),
    };
    send(&server, &args.server, request).await?;
    let text = if args.mute { "You hear no chat of theirs." } else { "You do not meet any more." };
    writeln!(output::stderr(), "{text} `fivefold unblock` takes it back.")?;
    Ok(ExitCode::SUCCESS)
}

/// Takes somebody from the list.
pub(crate) async fn unblock(args: &UnblockArgs) -> anyhow::Result<ExitCode> {
    let settings = Settings::load(&Settings::folder()?)?;
    let server = server(&args.server, &settings)?;
    let key = key(&settings, &server)?;
    let request = HttpRequest::get("/api/blocks", key);
    let Blocks { blocks } = send(&server, &args.server, request).await?.json()?;
    let is_meant = |block: &&Block| {
        block.member.as_str() == args.name || block.name.as_str().eq_ignore_ascii_case(&args.name)
    };
    let mut meant = blocks.iter().filter(is_meant);
    let (Some(block), None) = (meant.next(), meant.next()) else {
        let text = "Say who: `fivefold blocks` lists names and ids.".to_owned();
        return Err(Usage(text).into());
    };
    let path = format!("/api/blocks/{}", block.member);
    let request = HttpRequest { method: Method::DELETE, path: &path, key, body: None };
    send(&server, &args.server, request).await?;
    writeln!(output::stderr(), "{} is off your list.", block.name)?;
    Ok(ExitCode::SUCCESS)
}

/// Prints the list.
pub(crate) async fn list(args: &LogoutArgs) -> anyhow::Result<ExitCode> {
    let settings = Settings::load(&Settings::folder()?)?;
    let server = server(&args.server, &settings)?;
    let request = HttpRequest::get("/api/blocks", key(&settings, &server)?);
    let Blocks { blocks } = send(&server, &args.server, request).await?.json()?;
    if blocks.is_empty() {
        writeln!(output::stderr(), "You have blocked nobody at {server}.")?;
    }
    for Block { member, name, kind } in blocks {
        writeln!(output::stdout(), "{member}  {kind}  {name}")?;
    }
    Ok(ExitCode::SUCCESS)
}

/// Who asks: the account that is signed in, or the guest that played there.
pub(super) fn key<'s>(settings: &'s Settings, server: &ServerList) -> anyhow::Result<Key<'s>> {
    if let Some(session) = settings.session(server) {
        return Ok(Key::Account(session));
    }
    let identity = settings.identity(server);
    identity.map(Key::Guest).with_context(|| format!("nobody has played at {server} from here"))
}
