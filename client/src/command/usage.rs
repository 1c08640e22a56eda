//! Exit codes, the error for wrong usage, and the rules that the options name.

use std::process::ExitCode;

use fivefold_shared::{bot_spec::BotSpec, rules::Rules};

use crate::{cli::GameArgs, exit_reason::ExitReason};

/// Interrupted by Ctrl-C: 128 and the number of the signal.
pub(super) const INTERRUPTED: u8 = 130;
/// Wrong usage; clap's own code as well.
pub(super) const USAGE: u8 = 2;

/// A combination of options that cannot be: exit code 2.
#[derive(Debug, thiserror::Error)]
#[error("{0}")]
pub(super) struct Usage(pub(super) String);

/// The rules that were asked for, which the bots must know how to play.
pub(super) fn rules(game: &GameArgs, bots: &[BotSpec]) -> anyhow::Result<Rules> {
    let rules = game.rules().map_err(|error| Usage(error.to_string()))?;
    for bot in bots {
        bot.offered(rules).map_err(|error| Usage(error.to_string()))?;
    }
    Ok(rules)
}

/// The exit code after a room.
pub(super) fn exit_code(reason: &ExitReason) -> ExitCode {
    match reason {
        ExitReason::Left => ExitCode::SUCCESS,
        ExitReason::Interrupted => ExitCode::from(INTERRUPTED),
        ExitReason::Ended(_) => ExitCode::FAILURE,
    }
}
