//! `fivefold completions SHELL`

use std::{io::Write, process::ExitCode};

use clap::CommandFactory;
use clap_complete::{Shell, generate};

use crate::{cli::Cli, terminal::output};

/// Prints the completions.
pub(super) fn run(shell: Shell) -> anyhow::Result<ExitCode> {
    // Generate first, then write: `generate` would panic on a closed pipe.
    let mut text = Vec::new();
    generate(shell, &mut Cli::command(), "fivefold", &mut text);
    output::stdout().write_all(&text)?;
    Ok(ExitCode::SUCCESS)
}
