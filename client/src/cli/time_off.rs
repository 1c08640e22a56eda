//! The arguments of the command about time off.

use clap::Args;
use fivefold_shared::clock::{DAYS_A_YEAR, day_begins};

use super::ServerArgs;

/// `fivefold time-off`
#[derive(Args, Debug)]
pub struct TimeOffArgs {
    /// Days to take off; without DAYS, your time off is shown.
    #[arg(value_name = "DAYS", value_parser = clap::value_parser!(u64).range(1..=2 * DAYS_A_YEAR))]
    pub days: Option<u64>,
    /// The day on which it begins (UTC), such as 2026-12-24; otherwise it begins at once.
    #[arg(long, value_name = "DATE", requires = "days", value_parser = date)]
    pub from: Option<u64>,
    /// End it now (after its first day at the earliest), or take it back before it begins.
    #[arg(long, conflicts_with = "days")]
    pub end: bool,
    /// One JSON object.
    #[arg(long)]
    pub json: bool,
    /// The server.
    #[command(flatten)]
    pub server: ServerArgs,
}

fn date(text: &str) -> Result<u64, &'static str> {
    day_begins(text).ok_or("a date is written like 2026-12-24")
}
