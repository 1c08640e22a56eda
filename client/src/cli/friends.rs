//! The arguments of the commands about friends.

use clap::{Args, ValueEnum};
use fivefold_shared::friends::OnlineTo;

use super::ServerArgs;

/// `fivefold friends`
#[derive(Args, Debug)]
pub struct FriendsArgs {
    /// Set who may see that you are online, instead of listing.
    #[arg(long, value_name = "WHO")]
    pub online_to: Option<OnlineToChoice>,
    /// One JSON object a line.
    #[arg(long)]
    pub json: bool,
    /// The server.
    #[command(flatten)]
    pub server: ServerArgs,
}

/// `fivefold friend` and `fivefold unfriend`
#[derive(Args, Debug)]
pub struct FriendArgs {
    /// The name of their account.
    #[arg(value_name = "NAME")]
    pub name: String,
    /// Print what was done as a JSON object.
    #[arg(long)]
    pub json: bool,
    /// The server.
    #[command(flatten)]
    pub server: ServerArgs,
}

/// `fivefold answer`
#[derive(Args, Debug)]
pub struct AnswerArgs {
    /// The friend's name.
    #[arg(value_name = "NAME")]
    pub name: String,
    /// Decline their challenge, or take yours back.
    #[arg(long)]
    pub decline: bool,
    /// Print what was done as a JSON object.
    #[arg(long)]
    pub json: bool,
    /// The server.
    #[command(flatten)]
    pub server: ServerArgs,
}

/// Who can see whether you are online.
#[derive(ValueEnum, Clone, Copy, PartialEq, Eq, Debug)]
pub enum OnlineToChoice {
    /// Friends.
    Friends,
    /// Nobody.
    Nobody,
}

impl From<OnlineToChoice> for OnlineTo {
    fn from(choice: OnlineToChoice) -> Self {
        match choice {
            OnlineToChoice::Friends => Self::Friends,
            OnlineToChoice::Nobody => Self::Nobody,
        }
    }
}
