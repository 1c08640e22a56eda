//! The arguments of commands that read what everybody may see of players.

use clap::Args;
use fivefold_shared::rating_pool::RatingPool;

use super::ServerArgs;

/// `fivefold player`
#[derive(Args, Debug)]
pub struct PlayerArgs {
    /// The account's name.
    pub name: String,
    /// One JSON object.
    #[arg(long)]
    pub json: bool,
    /// The server.
    #[command(flatten)]
    pub server: ServerArgs,
}

/// `fivefold leaderboard`
#[derive(Args, Debug)]
pub struct LeaderboardArgs {
    /// The pool: VARIANT/SIZE/SPEED, such as standard/15/normal or renju/15/fast.
    pub pool: RatingPool,
    /// One JSON object.
    #[arg(long)]
    pub json: bool,
    /// The server.
    #[command(flatten)]
    pub server: ServerArgs,
}
