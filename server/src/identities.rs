//! Identities: what they are called, and that each is who they were.
//!
//! A public id is a short hash of a member's first identity. A longer hash of the current one is
//! stored, and members are found by it: an identity can be replaced while the public id stays.

use std::{sync::Arc, time::Duration};

use fivefold_shared::protocol::{Identity, MemberId, Name, Reason, Refusal};
use fivefold_shared::room::Member;

use crate::{
    ids,
    limits::SEEN_AGAIN_AFTER,
    storage::{
        IdentityHash, KnownMember, LogWriter, ReadPool, Replacement, StorageError, StorageReader,
    },
};

/// The way to what is stored of members.
#[derive(Clone, Debug)]
pub(crate) struct Identities {
    read_pool: Arc<ReadPool>,
    log_writer: LogWriter,
}

/// Somebody with an identity.
#[derive(Clone, Debug)]
pub(crate) struct Authenticated {
    pub(crate) member: Member,
    pub(crate) hash: IdentityHash,
}

/// Who has an identity.
#[derive(Clone, Debug)]
pub(crate) enum Identified {
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
pub(crate) fn identify(
    reader: &mut dyn StorageReader,
    identity: &Identity,
) -> Result<Identified, StorageError> {
    let (id, hash) = (ids::member_id(identity), ids::identity_hash(identity));
    Ok(match reader.member(&id, hash)? {
        Some(known) if known.hash == hash => Identified::Known(known),
        Some(_) => Identified::Replaced,
        None => Identified::New(id),
    })
}

/// The answer to an identity that was replaced.
pub(crate) fn replaced() -> Refusal {
    Refusal::new(Reason::IdentityReplaced)
}

impl Identities {
    pub(crate) fn new(read_pool: Arc<ReadPool>, log_writer: LogWriter) -> Self {
        Self { read_pool, log_writer }
    }

    /// Who this is at the time `now`: called as he says, or as he said before, or a guest.
    ///
    /// Where the disk cannot be written, the name is not stored, and is said again the next time.
    ///
    /// # Errors
    /// When the identity was replaced, or nobody can tell as the storage cannot be read.
    pub(crate) async fn authenticate(
        &self,
        identity: &Identity,
        name: Option<Name>,
        now: u64,
    ) -> Result<Authenticated, Refusal> {
        let (secret, hash) = (identity.clone(), ids::identity_hash(identity));
        let found = self.read_pool.read(move |reader| identify(reader, &secret)).await;
        let (id, known) = match found {
            Ok(Identified::Known(known)) => (known.id.clone(), Some(known)),
            Ok(Identified::New(id)) => (id, None),
            Ok(Identified::Replaced) => return Err(replaced()),
            Err(error) => {
                tracing::warn!(%error, "cannot look up a member");
                return Err(Refusal::new(Reason::Unavailable));
            }
        };
        let is_stale = known.as_ref().is_some_and(|known| {
            let since = Duration::from_millis(now.saturating_sub(known.seen_at));
            name.as_ref().is_some_and(|name| known.name != *name) || since >= SEEN_AGAIN_AFTER
        });
        let name = name.or(known.map(|known| known.name)).unwrap_or_else(|| ids::guest_name(&id));
        let authenticated = Authenticated { member: Member { id, name }, hash };
        if is_stale && let Err(error) = self.update(&authenticated, now).await {
            tracing::warn!(%error, "the name of a member is not stored");
        }
        Ok(authenticated)
    }

    /// Has another identity be the key to a member's seats and games.
    ///
    /// # Errors
    /// When nothing is stored of the member, or that cannot be stored.
    pub(crate) async fn replace(
        &self,
        identity: &Authenticated,
        new: IdentityHash,
    ) -> Result<(), Refusal> {
        let replacement =
            Replacement { member: identity.member.id.clone(), old: identity.hash, new };
        let replace = || async {
            self.log_writer.reserve().await?.replace_identity(replacement.clone()).wait().await
        };
        let mut replaced = replace().await;
        if let Err(StorageError::InDoubt(_)) = replaced {
            replaced = replace().await;
        }
        match replaced {
            Ok(true) => Ok(()),
            Ok(false) => Err(Refusal::new(Reason::NothingToKeep)),
            Err(error) => {
                tracing::warn!(%error, "the new identity of a member is not stored");
                Err(Refusal::new(Reason::Unavailable))
            }
        }
    }

    /// Updates the name of a member, and when they were last seen. Nothing is stored of those who
    /// never took a seat: anybody can make identities without end.
    ///
    /// # Errors
    /// When that could not be stored.
    pub(crate) async fn update(
        &self,
        identity: &Authenticated,
        now: u64,
    ) -> Result<(), StorageError> {
        let Authenticated { member: Member { id, name }, hash } = identity.clone();
        let member = KnownMember { id, hash, name, seen_at: now };
        self.log_writer.reserve().await?.update_member(member).wait().await
    }
}
