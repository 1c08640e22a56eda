//! `fivefold time-off`

use std::{io::Write, process::ExitCode};

use fivefold_shared::{
    clock::TimeOff,
    time_off_status::{TimeOffStatus, TimeOffWish},
};
use hyper::Method;
use serde_json::json;

use super::account_session::{AccountSession, with_session};
use crate::{
    cli::TimeOffArgs, lines::json_output::Json, terminal::output, words::room_sentences::moment,
};

const PATH: &str = "/api/time-off";

/// Shows, begins or ends the player's time off from daily games.
pub(crate) async fn run(args: &TimeOffArgs) -> anyhow::Result<ExitCode> {
    with_session(&args.server, async |at| match args.days {
        Some(days) => {
            let wish = TimeOffWish { days, from: args.from };
            show(at, args.json, Method::POST, Some(json!(wish))).await
        }
        None if args.end => show(at, args.json, Method::DELETE, None).await,
        None => show(at, args.json, Method::GET, None).await,
    })
    .await
}

/// Asks the server, and shows the time off that it answers.
async fn show(
    at: &AccountSession<'_>,
    as_json: bool,
    method: Method,
    body: Option<serde_json::Value>,
) -> anyhow::Result<()> {
    let status: TimeOffStatus = at.send(method, PATH, body).await?.json()?;
    if as_json {
        Json::new(output::stdout()).time_off(&status)?;
        return Ok(());
    }
    let mut out = output::stdout();
    match status.period {
        Some(TimeOff { from, until }) => {
            writeln!(out, "Time off from {} to {}.", moment(from), moment(until))?;
        }
        None => writeln!(out, "No time off.")?,
    }
    let TimeOffStatus { days_left, days_left_next_year, .. } = status;
    writeln!(out, "Days left: {days_left} this year, {days_left_next_year} next year.")?;
    if status.period.is_none() {
        writeln!(
            output::stderr(),
            "`fivefold time-off 7` stops your clocks in all daily games for 7 days."
        )?;
    }
    Ok(())
}
