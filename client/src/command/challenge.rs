//! `fivefold challenge`

use std::process::ExitCode;

use super::{
    accounts::friends,
    finding::{self, Beginning},
    output_mode::OutputMode,
    usage::Usage,
    visit::Visit,
};
use crate::{cli::ChallengeArgs, play::lobby::Search};

/// Challenges somebody, waits for their answer, and plays.
pub(super) async fn run(args: &ChallengeArgs) -> anyhow::Result<ExitCode> {
    let settings = args.offer.settings().map_err(|error| Usage(error.to_string()))?;
    if settings.time.is_daily() && friends::challenge(args, &settings).await? {
        return Ok(ExitCode::SUCCESS);
    }
    let visit = Visit::to_play(&args.visit, None).await?;
    let beginning = Beginning::Search(Search::Challenge(args.to.clone(), settings));
    finding::run(visit, OutputMode::new(&args.view), beginning).await
}
