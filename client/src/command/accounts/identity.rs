//! `fivefold identity`

use std::{io::Write, process::ExitCode};

use anyhow::Context;
use fivefold_shared::protocol::{Identity, LobbyRequest, Message, Reason};
use hyper::Method;

use super::account_request::send;
use crate::{
    cli::IdentityArgs,
    command::{usage::Usage, visit::Visit},
    server::{
        connection::{ConnectionError, unexpected},
        http_request::{HttpRequest, Key},
        server_list::ServerList,
    },
    settings::Settings,
    terminal::{output, password_prompt},
};

/// Prints the identity, and replaces or deletes it on request.
pub(crate) async fn run(args: &IdentityArgs) -> anyhow::Result<ExitCode> {
    if args.visit.guest {
        let text = "A guest's identity is not kept. Leave out --guest.".to_owned();
        return Err(Usage(text).into());
    }
    let Visit { mut connection, welcome, .. } = Visit::open(&args.visit, None).await?;
    let mut talk = output::stderr();
    writeln!(talk, "You are {} ({}) at {}.", welcome.name, welcome.you, connection.servers())?;
    if args.delete {
        let servers = connection.servers().clone();
        connection.close().await;
        return delete(args, &servers, welcome.account).await;
    }
    if !args.replace {
        connection.close().await;
        return Ok(ExitCode::SUCCESS);
    }
    if connection.session().is_some() {
        let text = "An account has no identity to replace. `fivefold logout` ends its session.";
        return Err(Usage(text.to_owned()).into());
    }
    // Save it before sending: if the answer is lost, the next visit finds out which of the two is
    // current.
    let folder = Settings::folder()?;
    let mut settings = Settings::load(&folder)?;
    let old = settings.identity(connection.servers()).context("the identity is not saved")?.clone();
    let fresh = settings.succeed(&old, random);
    settings.save(&folder)?;
    match connection.ask(LobbyRequest::ReplaceIdentity { identity: fresh }).await {
        Ok(Message::Done { .. }) => {
            settings.replace(&old);
            settings.save(&folder)?;
            writeln!(talk, "Replaced. The old identity opens nothing any more.")?;
        }
        Ok(answer) => return Err(unexpected(&answer).into()),
        Err(ConnectionError::Refused(refusal)) if refusal.reason == Reason::NothingToKeep => {
            // The old identity is worthless, so start with a new one.
            settings.forget(&old);
            settings.save(&folder)?;
            writeln!(talk, "You never took a seat there. The next visit makes a new identity.")?;
        }
        Err(error) => {
            writeln!(talk, "The server did not confirm it. Run this command again.")?;
            return Err(error.into());
        }
    }
    connection.close().await;
    Ok(ExitCode::SUCCESS)
}

/// Deletes the guest at a server for good, and forgets the identity.
async fn delete(
    args: &IdentityArgs,
    server: &ServerList,
    is_account: bool,
) -> anyhow::Result<ExitCode> {
    if is_account {
        let text = "This is an account. The page deletes it, in the dialog You.";
        return Err(Usage(text.to_owned()).into());
    }
    if !args.yes {
        let question = "Nobody can bring this guest back. Type delete to go on: ";
        if password_prompt::line(question)?.trim() != "delete" {
            writeln!(output::stderr(), "Nothing is deleted.")?;
            return Ok(ExitCode::FAILURE);
        }
    }
    let folder = Settings::folder()?;
    let mut settings = Settings::load(&folder)?;
    let identity = settings.identity(server).context("the identity is not saved")?.clone();
    let request = HttpRequest {
        method: Method::DELETE,
        path: "/api/guest",
        key: Key::Guest(&identity),
        body: None,
    };
    send(server, &args.visit.server, request).await?;
    settings.forget(&identity);
    settings.save(&folder)?;
    writeln!(output::stderr(), "Deleted. The next visit makes a new guest.")?;
    Ok(ExitCode::SUCCESS)
}

fn random() -> Identity {
    let bytes: [u8; 32] = rand::random();
    let digits: String = bytes.iter().map(|byte| format!("{byte:02x}")).collect();
    Identity::try_from(digits).expect("64 hexadecimal digits")
}
