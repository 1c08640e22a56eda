//! `fivefold identity`

use std::{io::Write, process::ExitCode};

use anyhow::Context;
use fivefold_shared::protocol::{Identity, LobbyRequest, Message, Reason};

use super::{usage::Usage, visit::Visit};
use crate::{
    cli::IdentityArgs,
    connection::{ConnectionError, unexpected},
    output,
    settings::Settings,
};

/// Prints the identity, and replaces it on request.
pub(super) async fn run(args: &IdentityArgs) -> anyhow::Result<ExitCode> {
    if args.visit.guest {
        let text = "A guest's identity is not kept. Leave out --guest.".to_owned();
        return Err(Usage(text).into());
    }
    let Visit { mut connection, welcome } = Visit::open(&args.visit, None).await?;
    let mut talk = output::stderr();
    writeln!(talk, "You are {} ({}) at {}.", welcome.name, welcome.you, connection.servers())?;
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

fn random() -> Identity {
    let bytes: [u8; 32] = rand::random();
    let digits: String = bytes.iter().map(|byte| format!("{byte:02x}")).collect();
    Identity::try_from(digits).expect("64 hexadecimal digits")
}
