//! `fivefold brain`

use std::{io, process::ExitCode};

use crate::{
    cli::BrainArgs,
    engines::gomocup_brain::{self, BrainOptions},
    terminal::output,
};

/// Plays for a manager of Gomocup's protocol.
pub(super) fn run(args: &BrainArgs) -> anyhow::Result<ExitCode> {
    let options = BrainOptions {
        bot: args.bot,
        hash_bytes: usize::from(args.hash) << 20,
        seed: args.seed.unwrap_or_else(rand::random),
        ponder: args.ponder,
    };
    gomocup_brain::run(options, io::stdin(), output::stdout())?;
    Ok(ExitCode::SUCCESS)
}
