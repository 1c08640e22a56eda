//! `fivefold login`, `fivefold logout` and `fivefold whoami`

use std::{io::Write, process::ExitCode};

use anyhow::Context;
use fivefold_shared::protocol::Name;
use hyper::Method;
use serde::Deserialize;
use serde_json::{Value, json};

use super::{
    account_request::{is_signed_out, send, server, signed_out},
    device_login,
};
use crate::{
    cli::{LoginArgs, LogoutArgs, VisitArgs},
    command::{
        usage::Usage,
        visit::{Visit, token_of_program},
    },
    server::{
        http_request::{HttpAnswer, HttpRequest, Key},
        server_list::ServerList,
        session_cookie::SessionCookie,
    },
    settings::Settings,
    terminal::{output, password_prompt},
};

/// An account, as the server shows it to its owner.
#[derive(Deserialize)]
struct Account {
    name: Name,
}

#[derive(Deserialize)]
struct SignedIn {
    account: Account,
}

#[derive(Deserialize)]
struct Overview {
    account: Account,
    sessions: Vec<Value>,
    recovery_codes_left: usize,
}

/// Signs in by a password, or by a code that a signed-in page allows, and keeps the session.
pub(crate) async fn login(args: &LoginArgs) -> anyhow::Result<ExitCode> {
    let folder = Settings::folder()?;
    let mut settings = Settings::load(&folder)?;
    let server = server(&args.server, &settings)?;
    let answer = match &args.name {
        Some(name) => by_password(&server, args, name).await?,
        None => device_login::sign_in(&server, &args.server).await?,
    };
    let session = answer.session.clone().context("the server gives no session")?;
    let SignedIn { account } = answer.json()?;
    // One session is enough: the one before ends, if there is one.
    let before = settings.sign_in(&server, &session);
    settings.server = Some(server.clone());
    settings.save(&folder)?;
    if let Some(before) = before {
        // It may have ended already.
        drop(send(&server, &args.server, ending(&before)).await);
    }
    writeln!(output::stderr(), "You are signed in as {} at {server}.", account.name)?;
    Ok(ExitCode::SUCCESS)
}

async fn by_password(
    server: &ServerList,
    args: &LoginArgs,
    name: &str,
) -> anyhow::Result<HttpAnswer> {
    let password = password_prompt::password().await?;
    let request = HttpRequest {
        method: Method::POST,
        path: "/api/session",
        key: Key::None,
        body: Some(json!({"name": name, "password": password})),
    };
    send(server, &args.server, request).await
}

/// Ends the session, at the server and here.
pub(crate) async fn logout(args: &LogoutArgs) -> anyhow::Result<ExitCode> {
    if token_of_program()?.is_some() {
        let text = "FIVEFOLD_TOKEN speaks for an account, and a token has no session to end. \
                    `fivefold token end ID` ends a token";
        return Err(Usage(text.to_owned()).into());
    }
    let folder = Settings::folder()?;
    let mut settings = Settings::load(&folder)?;
    let server = server(&args.server, &settings)?;
    let Some(session) = settings.session(&server).cloned() else { return signed_out(&server) };
    match send(&server, &args.server, ending(&session)).await {
        Ok(_) => {}
        Err(error) if is_signed_out(&error) => {}
        Err(error) => return Err(error.context("the session goes on")),
    }
    settings.sign_out(&session);
    settings.save(&folder)?;
    writeln!(output::stderr(), "You are signed out at {server}. Here you go on as a guest.")?;
    Ok(ExitCode::SUCCESS)
}

/// Prints the account's name.
pub(crate) async fn whoami(args: &LogoutArgs) -> anyhow::Result<ExitCode> {
    let settings = Settings::load(&Settings::folder()?)?;
    let server = server(&args.server, &settings)?;
    if token_of_program()?.is_some() {
        return whose_token(args).await;
    }
    let Some(session) = settings.session(&server) else { return signed_out(&server) };
    let request = HttpRequest::get("/api/account", Key::Account(session));
    let answer = match send(&server, &args.server, request).await {
        Ok(answer) => answer,
        Err(error) if is_signed_out(&error) => return signed_out(&server),
        Err(error) => return Err(error),
    };
    let Overview { account, sessions, recovery_codes_left } = answer.json()?;
    writeln!(output::stdout(), "{}", account.name)?;
    let devices = sessions.len();
    writeln!(
        output::stderr(),
        "At {server}; signed in on {devices} devices, {recovery_codes_left} recovery codes left."
    )?;
    Ok(ExitCode::SUCCESS)
}

/// Prints the name of the account for which the token in `FIVEFOLD_TOKEN` speaks. A token without the scope
/// for reading the account tells it, too.
async fn whose_token(args: &LogoutArgs) -> anyhow::Result<ExitCode> {
    let visit = VisitArgs { server: args.server.clone(), name: None, guest: false };
    let Visit { connection, welcome, .. } = Visit::open(&visit, None).await?;
    writeln!(output::stdout(), "{}", welcome.name)?;
    let kind = if welcome.bot { "a bot" } else { "an account" };
    writeln!(output::stderr(), "At {}; {kind}, by FIVEFOLD_TOKEN.", connection.servers())?;
    connection.close().await;
    Ok(ExitCode::SUCCESS)
}

/// The request that ends a session.
const fn ending(session: &SessionCookie) -> HttpRequest<'_> {
    let key = Key::Account(session);
    HttpRequest { method: Method::DELETE, path: "/api/session", key, body: None }
}
