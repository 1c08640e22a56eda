//! Members: what they are called, and that each is who they were.
//!
//! A public id is a short hash of a member's first identity. A longer hash of the current one is
//! stored, and members are found by it: an identity can be replaced while the public id stays.

use std::{sync::Arc, time::Duration};

use fivefold_shared::protocol::{Identity, MemberId, Name, Reason, Refusal};

use crate::{
    chance,
    limits::SEEN_AGAIN_AFTER,
    room::{Member, NOT_STORED},
    store::{Archive, IdentityHash, KnownMember, Library, Replacement, StorageError, Store},
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

/// Who has an identity.
#[derive(Clone, Debug)]
pub(crate) enum Recognized {
    /// A member who is stored.
    Known(KnownMember),
    /// Somebody who never took a seat: this would be their public id.
    New(MemberId),
    /// Nobody any more: the member has another identity.
    Replaced,
}

/// Finds out who has an identity.
///
/// # Errors
/// When the storage cannot be read.
pub(crate) fn recognize(
    archive: &mut dyn Archive,
    identity: &Identity,
) -> Result<Recognized, StorageError> {
    let (id, hash) = (chance::member_id(identity), chance::identity_hash(identity));
    Ok(match archive.member(&id, hash)? {
        Some(known) if known.hash == hash => Recognized::Known(known),
        Some(_) => Recognized::Replaced,
        None => Recognized::New(id),
    })
}

/// The answer to an identity that was replaced.
pub(crate) fn replaced() -> Refusal {
    let text = "This identity was replaced by another one. Use that one.";
    Refusal::new(Reason::IdentityReplaced, text)
}

impl Members {
    pub(crate) fn new(library: Arc<Library>, store: Store) -> Self {
        Self { library, store }
    }

    /// Who this is at the time `now`: called as he says, or as he said before, or a guest.
    ///
    /// Where the disk cannot be written, the name is not stored, and is said again the next time.
    ///
    /// # Errors
    /// When the identity was replaced, or nobody can tell as the storage cannot be read.
    pub(crate) async fn greet(
        &self,
        identity: &Identity,
        name: Option<Name>,
        now: u64,
    ) -> Result<Greeted, Refusal> {
        let (secret, hash) = (identity.clone(), chance::identity_hash(identity));
        let found = self.library.read(move |archive| recognize(archive, &secret)).await;
        let (id, known) = match found {
            Ok(Recognized::Known(known)) => (known.id.clone(), Some(known)),
            Ok(Recognized::New(id)) => (id, None),
            Ok(Recognized::Replaced) => return Err(replaced()),
            Err(error) => {
                tracing::warn!(%error, "cannot look up a member");
                let text = "The server cannot look up who you are. Try again in a moment.";
                return Err(Refusal::new(Reason::Unavailable, text));
            }
        };
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

    /// Has another identity be the key to a member's seats and games.
    ///
    /// # Errors
    /// When nothing is stored of the member, or that cannot be stored.
    pub(crate) async fn replace(&self, who: &Greeted, new: IdentityHash) -> Result<(), Refusal> {
        let replacement = Replacement { member: who.member.id.clone(), old: who.hash, new };
        let replaced =
            async { self.store.turn().await?.replace_identity(replacement).wait().await };
        match replaced.await {
            Ok(true) => Ok(()),
            Ok(false) => {
                let text = "You never took a seat, so there is nothing to keep. Say hello without \
                            an identity for a new one.";
                Err(Refusal::new(Reason::NotAllowed, text))
            }
            Err(error) => {
                tracing::warn!(%error, "the new identity of a member is not stored");
                Err(Refusal::new(Reason::Unavailable, NOT_STORED))
            }
        }
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
