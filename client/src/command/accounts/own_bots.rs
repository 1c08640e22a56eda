//! The bots of the account that is signed in, as the server lists them with their tokens.

use anyhow::Context;
use fivefold_shared::protocol::Name;
use hyper::Method;
use serde::Deserialize;

use super::account_session::AccountSession;

/// A bot of the account.
#[derive(Deserialize)]
pub(super) struct Bot {
    pub(super) id: String,
    pub(super) name: Name,
    pub(super) tokens: Vec<Listed>,
}

/// All bots of the account.
#[derive(Deserialize)]
pub(super) struct Bots {
    pub(super) bots: Vec<Bot>,
    pub(super) most: usize,
}

/// A token in a list.
#[derive(Deserialize)]
pub(super) struct Listed {
    pub(super) id: String,
    pub(super) label: String,
    pub(super) scopes: Vec<String>,
    /// When it was made, in milliseconds since the Unix epoch.
    pub(super) made_at: u64,
    /// When it ends.
    pub(super) expires_at: u64,
}

/// The bot of this name, or one that looks the same.
pub(super) async fn find(at: &AccountSession<'_>, name: &str) -> anyhow::Result<Bot> {
    let wanted = Name::new(name).map(|name| name.likeness());
    let mut bots = read(at).await?.bots.into_iter();
    let found = bots.find(|bot| Ok(bot.name.likeness()) == wanted);
    found.with_context(|| format!("you have no bot {name}. `fivefold bot list` lists them"))
}

/// Asks for all of them.
pub(super) async fn read(at: &AccountSession<'_>) -> anyhow::Result<Bots> {
    at.send(Method::GET, "/api/account/bots", None).await?.json()
}
