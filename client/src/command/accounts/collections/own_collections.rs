//! Finds a collection, and reads its games page by page.

use anyhow::bail;
use fivefold_shared::{
    collection::{Collection, CollectionList, CollectionPage},
    protocol::{CollectionId, CollectionName},
};
use hyper::Method;
use url::form_urlencoded;

use super::AccountSession;

/// The path of the account's collections; those of one collection are below it.
pub(super) const PATH: &str = "/api/collections";

/// The collections of the account that is signed in.
pub(super) async fn own(at: &AccountSession<'_>) -> anyhow::Result<Vec<Collection>> {
    let CollectionList { collections } = at.send(Method::GET, PATH, None).await?.json()?;
    Ok(collections)
}

/// The own collection of this id or name, if there is one.
pub(super) async fn own_by_name(
    at: &AccountSession<'_>,
    text: &str,
) -> anyhow::Result<Option<Collection>> {
    let mut collections = own(at).await?;
    if let Some(place) = collections.iter().position(|own| own.id.as_str() == text) {
        return Ok(Some(collections.swap_remove(place)));
    }
    let name = CollectionName::new(text).ok();
    collections.retain(|own| Some(&own.name) == name.as_ref());
    match collections.len() {
        0 | 1 => Ok(collections.pop()),
        count => bail!(
            "{count} of your collections have this name. Use the id: `fivefold collections` lists ids"
        ),
    }
}

/// The own collection of this id or name.
pub(super) async fn find_own(at: &AccountSession<'_>, text: &str) -> anyhow::Result<Collection> {
    match own_by_name(at, text).await? {
        Some(found) => Ok(found),
        None => bail!("you have no such collection. `fivefold collections` lists yours"),
    }
}

/// The pages of a collection.
pub(super) struct Pages {
    id: CollectionId,
    /// Only games in which a player's name contains this text.
    player: Option<String>,
    /// The number after which the next page begins; absent after the last page.
    after: Option<u64>,
}

impl Pages {
    /// The pages of an own collection by name or id, or of a shared one by id or link.
    pub(super) async fn of(
        at: &AccountSession<'_>,
        text: &str,
        player: Option<&str>,
    ) -> anyhow::Result<Self> {
        // A link ends with the id.
        let last = text.trim_end_matches('/').rsplit('/').next().unwrap_or(text);
        let id = match own_by_name(at, text).await? {
            Some(own) => own.id,
            None => match CollectionId::try_from(last.to_owned()) {
                Ok(id) => id,
                Err(_) => find_own(at, text).await?.id,
            },
        };
        Ok(Self { id, player: player.map(ToOwned::to_owned), after: Some(0) })
    }

    /// The next page. In a search, a page may be empty although more follow.
    pub(super) async fn next(
        &mut self,
        at: &AccountSession<'_>,
    ) -> anyhow::Result<Option<CollectionPage>> {
        let Some(after) = self.after else { return Ok(None) };
        let mut query = form_urlencoded::Serializer::new(String::new());
        query.append_pair("after", &after.to_string());
        query.extend_pairs(self.player.iter().map(|player| ("player", player)));
        let path = format!("{PATH}/{}?{}", self.id, query.finish());
        let page: CollectionPage = at.send_patiently(Method::GET, &path, None).await?.json()?;
        // Otherwise a server that repeats a page would keep this running forever.
        self.after = page.next.filter(|&next| next > after);
        Ok(Some(page))
    }
}
