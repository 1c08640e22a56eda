//! The bots of the account that is signed in, as the server lists them with their tokens.

use anyhow::Context;
use fivefold_shared::protocol::Name;
use hyper::Method;
use serde::Deserialize;

use super::account_session::AccountSession;

/// A bot of the account.
#[derive(Deserialize)]
pub(crate) struct Bot {
    pub(crate) id: String,
    pub(crate) name: Name,
    pub(crate) tokens: Vec<Listed>,
}

/// All bots of the account.
#[derive(Deserialize)]
pub(crate) struct Bots {
    pub(crate) bots: Vec<Bot>,
    pub(crate) most: usize,
}

/// A token in a list.
#[derive(Deserialize)]
pub(crate) struct Listed {
    pub(crate) id: String,
    pub(crate) label: String,
    pub(crate) scopes: Vec<String>,
    /// When it was made, in milliseconds since the Unix epoch.
    pub(crate) made_at: u64,
    /// When it ends.
    pub(crate) expires_at: u64,
}

/// The bot of this name, or one that looks the same.
pub(crate) async fn find(at: &AccountSession<'_>, name: &str) -> anyhow::Result<Bot> {
    let wanted = Name::new(name).map(|name| name.likeness());
    let mut bots = read(at).await?.bots.into_iter();
    let found = bots.find(|bot| Ok(bot.name.likeness()) == wanted);
    found.with_context(|| format!("you have no bot {name}. `fivefold bot list` lists them"))
}

/// Asks for all of them.
pub(crate) async fn read(at: &AccountSession<'_>) -> anyhow::Result<Bots> {
    at.send(Method::GET, "/api/account/bots", None).await?.json()
}
