//! `fivefold completions SHELL`

use std::{io::Write, process::ExitCode};

use clap::CommandFactory;
use fivefold_command_line::{Shell, completions};

use crate::{cli::Cli, terminal::output};

/// Prints the completions.
pub(super) fn run(shell: Shell) -> anyhow::Result<ExitCode> {
    output::stdout().write_all(&completions(shell, Cli::command()))?;
    Ok(ExitCode::SUCCESS)
}
