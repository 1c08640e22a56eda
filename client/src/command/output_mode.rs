//! Chooses how to show a room: on the terminal screen, in plain lines or as JSON.

use std::{
    env,
    io::{self, IsTerminal, Stderr, Stdout},
    process::ExitCode,
};

use super::usage::exit_code;
use crate::{
    cli::{ColorChoice, ViewArgs},
    connection::Welcome,
    exit_reason::ExitReason,
    json_output::Json,
    line_interface::{self, View},
    output::{self, Output},
    plain_output::Plain,
    room_link::ServerAddress,
    table::Table,
    tui,
};

/// How a room is shown.
pub(super) enum OutputMode {
    Screen(tui::Options),
    Plain(Plain<Output<Stdout>, Output<Stderr>>),
    Json(Json<Output<Stdout>>),
}

impl OutputMode {
    /// The requested mode; the screen only where a terminal can show it.
    pub(super) fn new(args: &ViewArgs) -> Self {
        let terminal = io::stdin().is_terminal() && output::is_terminal();
        if args.json {
            Self::Json(Json::new(output::stdout()))
        } else if args.plain || !terminal || is_set("TERM", |term| term == "dumb") {
            Self::Plain(Plain::new(output::stdout(), output::stderr()))
        } else {
            let colour = match args.color {
                ColorChoice::Always => true,
                ColorChoice::Never => false,
                ColorChoice::Auto => !is_set("NO_COLOR", |value| !value.is_empty()),
            };
            Self::Screen(tui::Options { colour, glyphs: args.glyphs.into(), mouse: !args.no_mouse })
        }
    }

    /// Reports that the server accepted our hello.
    pub(super) fn connected(
        &mut self,
        server: &ServerAddress,
        welcome: &Welcome,
    ) -> io::Result<()> {
        match self {
            Self::Screen(_) => Ok(()),
            Self::Plain(plain) => plain.connected(server, welcome),
            Self::Json(json) => json.connected(server, welcome),
        }
    }

    /// Shows the table until the person leaves.
    pub(super) async fn stay(self, table: Table) -> anyhow::Result<ExitCode> {
        let exit_reason = match self {
            Self::Screen(options) => return Box::pin(stay_at_screen(table, options)).await,
            Self::Plain(mut plain) => Box::pin(stay_with_lines(table, &mut plain)).await?,
            Self::Json(mut json) => Box::pin(stay_with_lines(table, &mut json)).await?,
        };
        Ok(exit_code(&exit_reason))
    }
}

async fn stay_at_screen(mut table: Table, options: tui::Options) -> anyhow::Result<ExitCode> {
    let exit_reason = tui::run(&mut table, options).await?;
    Plain::new(output::stdout(), output::stderr()).leaving(&table)?;
    table.leave().await;
    Ok(exit_code(&exit_reason))
}

async fn stay_with_lines(table: Table, view: &mut dyn View) -> io::Result<ExitReason> {
    line_interface::run(table, view, line_interface::standard_input(), interrupted()).await
}

/// Waits for Ctrl-C.
pub(super) async fn interrupted() {
    // If no handler can be set, the signal ends the process by itself.
    if tokio::signal::ctrl_c().await.is_err() {
        std::future::pending::<()>().await;
    }
}

/// Whether an environment variable has a fitting value.
fn is_set(variable: &str, fits: impl FnOnce(&str) -> bool) -> bool {
    env::var(variable).is_ok_and(|value| fits(&value))
}
