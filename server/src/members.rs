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
        let is_stale = known.as_ref().is_some_and(|known| {
            let since = Duration::from_millis(now.saturating_sub(known.seen_at));
            name.as_ref().is_some_and(|name| known.name != *name) || since >= SEEN_AGAIN_AFTER
        });
        let name =
            name.or(known.map(|known| known.name)).unwrap_or_else(|| chance::guest_name(&id));
        let greeted = Greeted { member: Member { id, name }, hash };
        if is_stale && let Err(error) = self.update(&greeted, now).await {
            tracing::warn!(%error, "the name of a member is not stored");
        }
        Ok(greeted)
    }

    /// Updates the name of a member, and when they were last seen. Nothing is stored of those who
    /// never took a seat: anybody can make identities without end.
    ///
    /// # Errors
    /// When that could not be stored.
    pub(crate) async fn update(&self, who: &Greeted, now: u64) -> Result<(), StorageError> {
        let Greeted { member: Member { id, name }, hash } = who.clone();
        let member = KnownMember { id, hash, name, seen_at: now };
        self.store.turn().await?.update_member(member).wait().await
    }
}
