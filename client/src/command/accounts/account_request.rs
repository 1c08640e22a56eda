//! What the commands about accounts have in common: which server, and how to ask it.

use std::{
    io::{self, Write},
    process::ExitCode,
};

use fivefold_shared::protocol::Reason;

use crate::{
    cli::ServerArgs,
    command::usage::Usage,
    server::{
        connection::ConnectionError,
        http_request::{HttpAnswer, HttpRefused, HttpRequest},
        server_list::ServerList,
        tls_roots,
    },
    settings::Settings,
    terminal::output,
};

/// Says that nobody is signed in.
pub(super) fn signed_out(server: &ServerList) -> anyhow::Result<ExitCode> {
    writeln!(output::stderr(), "You are not signed in at {server}. `fivefold login` signs in.")?;
    Ok(ExitCode::FAILURE)
}

/// Whether the server refuses because nobody is signed in.
pub(super) fn is_signed_out(error: &anyhow::Error) -> bool {
    let refused = error.downcast_ref::<HttpRefused>();
    refused.is_some_and(|HttpRefused(refusal)| refusal.reason == Reason::SignedOut)
}

/// The server from the options, or else the last one.
pub(in crate::command) fn server(
    args: &ServerArgs,
    settings: &Settings,
) -> anyhow::Result<ServerList> {
    let given = ServerList::new(&args.addresses).map_err(|error| Usage(error.to_string()))?;
    Ok(given.or_else(|| settings.server.clone()).unwrap_or_default())
}

/// Sends a request to the first address of a server that answers.
pub(in crate::command) async fn send(
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
                let why = format!("{error:#}");
                return Err(ConnectionError::Unreachable { server: server.to_string(), why }.into());
            }
            answer => return answer,
        }
    }
}
