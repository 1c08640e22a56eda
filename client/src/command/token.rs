//! `fivefold token`

use std::{
    io::{self, IsTerminal, Write},
    process::ExitCode,
};

use fivefold_shared::protocol::{ApiToken, Reason, Scope};
use hyper::Method;
use serde::Deserialize;
use serde_json::{Value, json};

use super::account_request::{is_signed_out, send, server, signed_out};
use crate::{
    cli::{ServerArgs, TokenCommand},
    http_request::{HttpAnswer, HttpRefused, HttpRequest, Key},
    output, password_prompt,
    sanitize::sanitize,
    server_list::ServerList,
    session_cookie::SessionCookie,
    settings::Settings,
};

const DAY_MS: u64 = 24 * 60 * 60 * 1_000;

#[derive(Deserialize)]
struct NewToken {
    token: ApiToken,
}

#[derive(Deserialize)]
struct Tokens {
    tokens: Vec<Listed>,
}

#[derive(Deserialize)]
struct Listed {
    id: String,
    label: String,
    scopes: Vec<String>,
}

/// Makes, lists or ends tokens of the account that is signed in.
pub(super) async fn run(command: &TokenCommand) -> anyhow::Result<ExitCode> {
    let (TokenCommand::New { server: args, .. }
    | TokenCommand::List { server: args }
    | TokenCommand::End { server: args, .. }) = command;
    let settings = Settings::load(&Settings::folder()?)?;
    let server = server(args, &settings)?;
    let Some(session) = settings.session(&server) else { return signed_out(&server) };
    let at = Place { server: &server, args, session };
    let done = match command {
        TokenCommand::New { scopes, label, days, .. } => {
            at.make(scopes, label.as_deref(), *days).await
        }
        TokenCommand::List { .. } => at.list().await,
        TokenCommand::End { id, .. } => at.end(id).await,
    };
    match done {
        Ok(()) => Ok(ExitCode::SUCCESS),
        Err(error) if is_signed_out(&error) => signed_out(&server),
        Err(error) => Err(error),
    }
}

/// Where the account is.
struct Place<'a> {
    server: &'a ServerList,
    args: &'a ServerArgs,
    session: &'a SessionCookie,
}

impl Place<'_> {
    async fn make(&self, scopes: &[Scope], label: Option<&str>, days: u32) -> anyhow::Result<()> {
        let body = json!({"label": label, "scopes": scopes, "for_ms": u64::from(days) * DAY_MS});
        let ask = || self.send(Method::POST, "/api/account/tokens", Some(body.clone()));
        let answer = match ask().await {
            Err(error) if asks_for_key(&error) => {
                self.confirm().await?;
                ask().await?
            }
            answer => answer?,
        };
        let NewToken { token } = answer.json()?;
        writeln!(output::stdout(), "{}", token.as_str())?;
        writeln!(output::stderr(), "Keep it. Nobody can show it to you again.")?;
        Ok(())
    }

    async fn list(&self) -> anyhow::Result<()> {
        let Tokens { tokens } = self.send(Method::GET, "/api/account", None).await?.json()?;
        let mut out = output::stdout();
        for Listed { id, label, scopes } in tokens {
            let line = format!("{id}  {label}  {}", scopes.join(" "));
            writeln!(out, "{}", sanitize(&line))?;
        }
        Ok(())
    }

    async fn end(&self, id: &str) -> anyhow::Result<()> {
        // Ids are letters and digits; anything else would be another path.
        let id: String = id.chars().filter(char::is_ascii_alphanumeric).collect();
        self.send(Method::DELETE, &format!("/api/account/tokens/{id}"), None).await?;
        writeln!(output::stderr(), "The token has ended.")?;
        Ok(())
    }

    /// Shows the password again.
    async fn confirm(&self) -> anyhow::Result<()> {
        writeln!(output::stderr(), "The server asks for a key to your account again.")?;
        let password = match io::stdin().is_terminal() {
            true => password_prompt::secret("Password: ")?,
            false => password_prompt::line("")?,
        };
        let body = json!({"password": password});
        self.send(Method::POST, "/api/account/confirm", Some(body)).await.map(drop)
    }

    async fn send(
        &self,
        method: Method,
        path: &str,
        body: Option<Value>,
    ) -> anyhow::Result<HttpAnswer> {
        let request = HttpRequest { method, path, key: Key::Account(self.session), body };
        send(self.server, self.args, request).await
    }
}

fn asks_for_key(error: &anyhow::Error) -> bool {
    let refused = error.downcast_ref::<HttpRefused>();
    refused.is_some_and(|HttpRefused(refusal)| refusal.reason == Reason::ConfirmFirst)
}
