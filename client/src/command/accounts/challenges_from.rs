//! `fivefold challenges`: who may challenge the player.

use std::{io::Write, process::ExitCode};

use fivefold_shared::protocol::ChallengesFrom;
use hyper::Method;
use serde::Deserialize;
use serde_json::json;

use super::{
    account_request::{send, server},
    blocks::key,
};
use crate::{
    cli::ChallengesArgs, server::http_request::HttpRequest, settings::Settings, terminal::output,
};

const PATH: &str = "/api/challenges";

/// The server's answer.
#[derive(Deserialize)]
struct Challenges {
    from: ChallengesFrom,
}

/// Shows or sets who may challenge the player.
pub(crate) async fn run(args: &ChallengesArgs) -> anyhow::Result<ExitCode> {
    let settings = Settings::load(&Settings::folder()?)?;
    let server = server(&args.server, &settings)?;
    let key = key(&settings, &server)?;
    let from = match args.from {
        Some(choice) => {
            let from = ChallengesFrom::from(choice);
            let body = Some(json!({"from": from}));
            let request = HttpRequest { method: Method::POST, path: PATH, key, body };
            send(&server, &args.server, request).await?;
            from
        }
        None => {
            let answer = send(&server, &args.server, HttpRequest::get(PATH, key)).await?;
            let Challenges { from } = answer.json()?;
            writeln!(output::stdout(), "{}", from.as_str())?;
            from
        }
    };
    let text = match from {
        ChallengesFrom::Everybody => "Everybody may challenge you.",
        ChallengesFrom::Accounts => "Only people with an account may challenge you.",
        ChallengesFrom::Nobody => "Nobody may challenge you.",
    };
    writeln!(output::stderr(), "{text}")?;
    Ok(ExitCode::SUCCESS)
}
