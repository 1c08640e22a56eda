//! Exit codes, the usage error, and the rules chosen by the options.

use std::process::ExitCode;

use fivefold_shared::{bot_spec::BotSpec, opening::OpeningKind, rules::Rules};

use crate::{
    cli::{GameArgs, OpeningArgs},
    play::exit_reason::ExitReason,
};

/// Interrupted by Ctrl-C: 128 and the number of the signal.
pub(super) const INTERRUPTED: u8 = 130;
/// Wrong usage; clap uses the same code.
pub(super) const USAGE: u8 = 2;

/// An impossible combination of options: exit code 2.
#[derive(Debug, thiserror::Error)]
#[error("{0}")]
pub(super) struct Usage(pub(super) String);

/// Refuses to run somebody's program as root unless that is allowed.
pub(super) fn refuse_root(is_allowed: bool) -> Result<(), Usage> {
    #[cfg(unix)]
    if !is_allowed && rustix::process::geteuid().is_root() {
        return Err(Usage(
            "the program would run as root, and the system would not bound its processes. Start \
             fivefold as another user, or add --allow-root"
                .into(),
        ));
    }
    #[cfg(not(unix))]
    let _ = is_allowed;
    Ok(())
}

/// The chosen rules; an error if one of the bots does not play them.
pub(super) fn rules(game: &GameArgs, bots: &[BotSpec]) -> anyhow::Result<Rules> {
    let rules = game.rules().map_err(|error| Usage(error.to_string()))?;
    for bot in bots {
        bot.offered(rules).map_err(|error| Usage(error.to_string()))?;
    }
    Ok(rules)
}

/// The chosen opening; an error if it is not played by these rules.
pub(super) fn opening(args: &OpeningArgs, rules: Rules) -> anyhow::Result<OpeningKind> {
    args.opening.offered(rules).map_err(|error| Usage(error.to_string()))?;
    Ok(args.opening)
}

/// The exit code after leaving a room.
pub(super) fn exit_code(reason: &ExitReason) -> ExitCode {
    match reason {
        ExitReason::Left | ExitReason::Paired(_) | ExitReason::Aborted => ExitCode::SUCCESS,
        ExitReason::Interrupted => ExitCode::from(INTERRUPTED),
        ExitReason::Ended(_) | ExitReason::Busy(_) => ExitCode::FAILURE,
    }
}
