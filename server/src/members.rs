//! Members: what they are called, and that each is who he was.
//!
//! A public id is a short hash of an identity; a longer one is stored, so that nobody gets in by an
//! identity that happens to have somebody's public id.

use std::{sync::Arc, time::Duration};

use fivefold_shared::protocol::{Identity, Name, Reason, Refusal};

use crate::{
    chance,
    limits::SEEN_AGAIN_AFTER,
    room::Member,
    store::{IdentityHash, KnownMember, Library, StorageError, Store},
};

/// The way to what is stored of members.
#[derive(Clone, Debug)]
pub(crate) struct Members {
    library: Arc<Library>,
    store: Store,
}

/// Somebody with an identity.
#[derive(Clone, Debug)]
pub(crate) struct Greeted {
    pub(crate) member: Member,
    pub(crate) hash: IdentityHash,
}

impl Members {
    pub(crate) fn new(library: Arc<Library>, store: Store) -> Self {
        Self { library, store }
    }

    /// Who this is at the time `now`: called as he says, or as he said before, or a guest.
    ///
    /// That he is greeted does not depend on the disk: where it fails, the name is not stored, and
    /// he says it again the next time.
    ///
    /// # Errors
    /// When the public id of this identity is that of another one.
    pub(crate) async fn greet(
        &self,
        identity: &Identity,
        name: Option<Name>,
        now: u64,
    ) -> Result<Greeted, Refusal> {
        let (id, hash) = (chance::member_id(identity), chance::identity_hash(identity));
        let wanted = id.clone();
        let known = match self.library.read(move |archive| archive.member(&wanted)).await {
            Ok(known) => known,
            Err(error) => {
                tracing::warn!(%error, "cannot look up a member");
                None
            }
        };
        if known.as_ref().is_some_and(|known| known.hash != hash) {
            let text = "Somebody else has the public id of this identity. Make a new one.";
            return Err(Refusal::new(Reason::NotAllowed, text));
        }
        let is_news = match (&known, &name) {
            (Some(known), Some(name)) => {
                let since = Duration::from_millis(now.saturating_sub(known.seen_at));
                known.name != *name || since >= SEEN_AGAIN_AFTER
            }
            (None, Some(_)) => true,
            (_, None) => false,
        };
        let name =
            name.or(known.map(|known| known.name)).unwrap_or_else(|| chance::guest_name(&id));
        let greeted = Greeted { member: Member { id, name }, hash };
        if is_news && let Err(error) = self.remember(&greeted, now).await {
            tracing::warn!(%error, "the name of a member is not stored");
        }
        Ok(greeted)
    }

    /// Keeps what somebody is called.
    ///
    /// # Errors
    /// When that could not be stored.
    pub(crate) async fn remember(&self, who: &Greeted, now: u64) -> Result<(), StorageError> {
        let Greeted { member: Member { id, name }, hash } = who.clone();
        let member = KnownMember { id, hash, name, seen_at: now };
        self.store.turn().await?.remember(member).wait().await
    }
}
