//! `fivefold login`, `fivefold logout` and `fivefold whoami`

use std::{
    io::{self, IsTerminal, Write},
    process::ExitCode,
};

use anyhow::Context;
use fivefold_shared::protocol::{Name, Reason};
use hyper::Method;
use serde::Deserialize;
use serde_json::{Value, json};

use super::usage::Usage;
use crate::{
    cli::{LoginArgs, LogoutArgs, ServerArgs},
    http_request::{HttpAnswer, HttpRefused, HttpRequest, Key},
    output, password_prompt,
    server_list::ServerList,
    session_cookie::SessionCookie,
    settings::Settings,
    tls_roots,
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

/// Asks for a name and a password, and keeps the session.
pub(super) async fn login(args: &LoginArgs) -> anyhow::Result<ExitCode> {
    let folder = Settings::folder()?;
    let mut settings = Settings::load(&folder)?;
    let server = server(&args.server, &settings)?;
    let name = match &args.name {
        Some(name) => name.clone(),
        None => password_prompt::line("Name: ")?,
    };
    let password = match io::stdin().is_terminal() {
        true => password_prompt::secret("Password: ")?,
        false => password_prompt::line("")?,
    };
    let request = HttpRequest {
        method: Method::POST,
        path: "/api/session",
        key: Key::None,
        body: Some(json!({"name": name, "password": password})),
    };
    let answer = send(&server, &args.server, request).await?;
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

/// Ends the session, at the server and here.
pub(super) async fn logout(args: &LogoutArgs) -> anyhow::Result<ExitCode> {
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
pub(super) async fn whoami(args: &LogoutArgs) -> anyhow::Result<ExitCode> {
    let settings = Settings::load(&Settings::folder()?)?;
    let server = server(&args.server, &settings)?;
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

/// The request that ends a session.
const fn ending(session: &SessionCookie) -> HttpRequest<'_> {
    let key = Key::Account(session);
    HttpRequest { method: Method::DELETE, path: "/api/session", key, body: None }
}

fn signed_out(server: &ServerList) -> anyhow::Result<ExitCode> {
    writeln!(output::stderr(), "You are not signed in at {server}. `fivefold login` signs in.")?;
    Ok(ExitCode::FAILURE)
}

fn is_signed_out(error: &anyhow::Error) -> bool {
    let refused = error.downcast_ref::<HttpRefused>();
    refused.is_some_and(|HttpRefused(refusal)| refusal.reason == Reason::SignedOut)
}

/// The server from the options, or else the last one.
pub(super) fn server(args: &ServerArgs, settings: &Settings) -> anyhow::Result<ServerList> {
    let given = ServerList::new(&args.addresses).map_err(|error| Usage(error.to_string()))?;
    Ok(given.or_else(|| settings.server.clone()).unwrap_or_default())
}

/// Sends a request to the first address of a server that answers.
pub(super) async fn send(
    server: &ServerList,
    args: &ServerArgs,
    request: HttpRequest<'_>,
) -> anyhow::Result<HttpAnswer> {
    let connector = match server.is_encrypted() {
        true => Some(tls_roots::connector(args.ca.as_deref())?),
        false => None,
    };
    let mut index = 0;
    loop {
        match request.clone().send(server.at(index), connector.clone()).await {
            Err(error) if !error.is::<HttpRefused>() && index + 1 < server.len() => index += 1,
            Err(error) if error.is::<io::Error>() => {
                return Err(error.context(format!("cannot reach {server}")));
            }
            answer => return answer,
        }
    }
}
