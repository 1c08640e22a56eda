//! `fivefold plan`

use std::{io::Write, process::ExitCode};

use anyhow::Context;
use fivefold_shared::{
    conditional_moves::{ConditionalMoves, ConditionalMovesStatus},
    notation::coordinates,
    rules::{Point, Size},
};
use hyper::Method;
use serde_json::json;

use super::account_session::{AccountSession, with_session};
use crate::{cli::PlanArgs, lines::json_output::Json, terminal::output};

/// Shows or replaces the player's conditional moves in a daily game.
pub(crate) async fn run(args: &PlanArgs) -> anyhow::Result<ExitCode> {
    let server = args.server.or_of(Some(&args.room));
    let path = format!("/api/conditional-moves/{}", args.room.code);
    with_session(&server, async |at| {
        let mut status: ConditionalMovesStatus = at.send(Method::GET, &path, None).await?.json()?;
        if args.delete || !args.lines.is_empty() {
            let size = status.rules.size();
            let lines = args.lines.iter().map(|line| read_line(line, size));
            let lines = lines.collect::<anyhow::Result<_>>()?;
            let body = Some(json!(ConditionalMoves { ply: status.moves.ply, lines }));
            status = at.send(Method::PUT, &path, body).await?.json()?;
        }
        show(at, &status, args.json)
    })
    .await
}

fn read_line(line: &str, size: Size) -> anyhow::Result<Vec<Point>> {
    let point = |text: &str| {
        coordinates::parse(text, size).with_context(|| format!("cannot read {text:?} in {line:?}"))
    };
    line.split_whitespace().map(point).collect()
}

fn show(
    at: &AccountSession<'_>,
    status: &ConditionalMovesStatus,
    as_json: bool,
) -> anyhow::Result<()> {
    if as_json {
        Json::new(output::stdout()).conditional_moves(status)?;
        return Ok(());
    }
    let ConditionalMovesStatus { rules, moves } = status;
    for line in &moves.lines {
        let points = line.iter().map(|point| coordinates::format(*point, rules.size()));
        writeln!(output::stdout(), "{}", points.collect::<Vec<_>>().join(" "))?;
    }
    if moves.lines.is_empty() {
        let how = "`fivefold plan CODE \"h9 i9\"` plays i9 as soon as your opponent plays h9.";
        writeln!(
            output::stderr(),
            "You have planned nothing in this game at {}. {how}",
            at.server
        )?;
    }
    Ok(())
}
