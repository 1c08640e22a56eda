//! `fivefold token`

use std::{io::Write, process::ExitCode};

use fivefold_shared::{
    clock::{DAY_MS, day},
    protocol::{ApiToken, Scope},
};
use hyper::Method;
use serde::Deserialize;
use serde_json::json;
use unicode_width::UnicodeWidthStr;

use super::{
    account_session::{AccountSession, with_session},
    own_bots::{self, Listed},
};
use crate::{
    cli::TokenCommand,
    terminal::{output, sanitize::sanitize},
};

#[derive(Deserialize)]
struct NewToken {
    token: ApiToken,
}

#[derive(Deserialize)]
struct Tokens {
    tokens: Vec<Listed>,
}

/// Makes, lists or ends tokens of the account that is signed in, or of one of its bots.
pub(crate) async fn run(command: &TokenCommand) -> anyhow::Result<ExitCode> {
    let (TokenCommand::New { server, bot, .. }
    | TokenCommand::List { server, bot }
    | TokenCommand::End { server, bot, .. }) = command;
    with_session(server, async |at| {
        let bot = match bot {
            Some(name) => Some(own_bots::find(at, name).await?),
            None => None,
        };
        let path = bot.as_ref().map_or_else(
            || "/api/account/tokens".to_owned(),
            |bot| format!("/api/account/bots/{}/tokens", bot.id),
        );
        match command {
            TokenCommand::New { scopes, label, days, .. } => {
                make(at, &path, label.as_deref(), scopes, *days).await
            }
            TokenCommand::List { .. } => {
                let tokens = match bot {
                    Some(bot) => bot.tokens,
                    None => {
                        at.send(Method::GET, "/api/account", None).await?.json::<Tokens>()?.tokens
                    }
                };
                list(&tokens)
            }
            TokenCommand::End { id, .. } => end(at, &path, id).await,
        }
    })
    .await
}

async fn make(
    at: &AccountSession<'_>,
    path: &str,
    label: Option<&str>,
    scopes: &[Scope],
    days: u32,
) -> anyhow::Result<()> {
    let body = json!({"label": label, "scopes": scopes, "for_ms": u64::from(days) * DAY_MS});
    let NewToken { token } = at.send_with_key(Method::POST, path, Some(body)).await?.json()?;
    writeln!(output::stdout(), "{}", token.as_str())?;
    writeln!(output::stderr(), "Keep it. Nobody can show it to you again.")?;
    Ok(())
}

fn list(tokens: &[Listed]) -> anyhow::Result<()> {
    let mut out = output::stdout();
    if tokens.is_empty() {
        writeln!(output::stderr(), "There are no tokens. `fivefold token new` makes one.")?;
        return Ok(());
    }
    let label_width = tokens.iter().map(|token| token.label.width()).max().unwrap_or(0).max(5);
    let id_width = tokens.iter().map(|token| token.id.len()).max().unwrap_or(0);
    // The headings are for people: a program reads the lines.
    writeln!(
        output::stderr(),
        "{:id_width$}  {:label_width$}  {:10}  {:10}  scopes",
        "id",
        "label",
        "made",
        "ends"
    )?;
    for Listed { id, label, scopes, made_at, expires_at } in tokens {
        let pad = " ".repeat(label_width.saturating_sub(label.width()));
        let (made, ends, scopes) = (day(*made_at), day(*expires_at), scopes.join(" "));
        let line = format!("{id:id_width$}  {label}{pad}  {made}  {ends}  {scopes}");
        writeln!(out, "{}", sanitize(&line))?;
    }
    Ok(())
}

async fn end(at: &AccountSession<'_>, path: &str, id: &str) -> anyhow::Result<()> {
    // Ids are letters and digits; anything else would be another path.
    let id: String = id.chars().filter(char::is_ascii_alphanumeric).collect();
    at.send(Method::DELETE, &format!("{path}/{id}"), None).await?;
    writeln!(output::stderr(), "The token has ended.")?;
    Ok(())
}
