//! Identities: names of members, and checking and replacing identities.
//!
//! A public id is a short hash of a member's first identity. The storage keeps a longer hash of the
//! current identity and finds members by it, so an identity can be replaced while the public id
//! stays.

use std::{iter, sync::Arc, time::Duration};

use fivefold_shared::protocol::{Identity, MemberId, Name, Reason, Refusal};
use fivefold_shared::room::Member;
use fivefold_storage::{
    IdentityHash, KeyHash, KnownMember, LogWriter, Reader, Replacement, StorageError, name_key,
};

use crate::{
    accounts::guest_names::guest_name,
    accounts::scopes::Scopes,
    limits::SEEN_AGAIN_AFTER,
    process::{
        ids,
        read_pool::{ReadError, ReadPool},
    },
};

/// Reads and changes the stored members.
#[derive(Clone, Debug)]
pub(crate) struct Identities {
    read_pool: Arc<ReadPool>,
    log_writer: LogWriter,
}

/// An authenticated member or guest.
#[derive(Clone, Debug)]
pub(crate) struct Authenticated {
    pub(crate) member: Member,
    pub(crate) hash: IdentityHash,
    /// The session or the token that speaks for the account; absent for guests.
    pub(crate) account: Option<KeyHash>,
    /// Whose bot it is; absent for people.
    pub(crate) owner: Option<MemberId>,
    /// What the token allows; absent without one.
    pub(crate) scopes: Option<Scopes>,
    /// The guests that belong to the account.
    pub(crate) guests: Vec<MemberId>,
}

impl Authenticated {
    /// Those whose sanctions hold for the member: they, and the owner of a bot.
    pub(crate) fn answerable(&self) -> impl Iterator<Item = &MemberId> {
        iter::once(&self.member.id).chain(&self.owner)
    }
}

/// Result of looking up an identity.
#[derive(Clone, Debug)]
pub(crate) enum Identified {
    /// A stored member.
    Known(KnownMember),
    /// Not stored, because they never took a seat. This would be their public id.
    New(MemberId),
    /// An identity that was replaced by another.
    Replaced,
}

/// Looks up an identity.
///
/// # Errors
/// If the storage cannot be read.
pub(crate) fn identify(
    reader: &mut Reader,
    identity: &Identity,
) -> Result<Identified, StorageError> {
    let (id, hash) = (ids::member_id(identity), ids::identity_hash(identity));
    Ok(match reader.member(&id, hash)? {
        Some(known) if known.hash == hash => Identified::Known(known),
        Some(_) => Identified::Replaced,
        None => Identified::New(id),
    })
}

/// The name of a guest, with the beginning of their id if it may be taken for an account's.
fn name_of_guest(reader: &mut Reader, id: &MemberId, name: Name) -> Result<Name, StorageError> {
    let is_taken = reader.account_called(&name_key(&name))?.is_some();
    Ok(if is_taken { name.marked(&id.as_str()[..4]).unwrap_or(name) } else { name })
}

/// The refusal of an identity that was replaced.
pub(crate) fn replaced() -> Refusal {
    Refusal::new(Reason::IdentityReplaced)
}

impl Identities {
    pub(crate) fn new(read_pool: Arc<ReadPool>, log_writer: LogWriter) -> Self {
        Self { read_pool, log_writer }
    }

    /// Authenticates an identity at the time `now`. The name is the given one, else the stored one,
    /// else a guest name. One that looks like the name of an account is marked.
    ///
    /// If the disk cannot be written, the name is not stored, and the client sends it again next
    /// time.
    ///
    /// # Errors
    /// If the identity was replaced, or the storage cannot be read.
    pub(crate) async fn authenticate(
        &self,
        identity: &Identity,
        name: Option<Name>,
        now: u64,
    ) -> Result<Authenticated, Refusal> {
        let (secret, hash) = (identity.clone(), ids::identity_hash(identity));
        let read = move |reader: &mut Reader| {
            let (id, known) = match identify(reader, &secret)? {
                Identified::Known(known) => (known.id.clone(), Some(known)),
                Identified::New(id) => (id, None),
                Identified::Replaced => return Ok(None),
            };
            let name = name.or_else(|| known.as_ref().map(|known| known.name.clone()));
            let name = name.map(|name| name_of_guest(reader, &id, name)).transpose()?;
            let name = name.unwrap_or_else(|| guest_name(&id));
            Ok(Some((Member::person(id, name), known)))
        };
        let found = self.read_pool.read_patiently(read).await?;
        let (member, known) = found.ok_or_else(replaced)?;
        let is_stale = known.as_ref().is_some_and(|known| {
            let since = Duration::from_millis(now.saturating_sub(known.seen_at));
            known.name != member.name || since >= SEEN_AGAIN_AFTER
        });
        let authenticated = Authenticated {
            member,
            hash,
            account: None,
            owner: None,
            scopes: None,
            guests: Vec::new(),
        };
        if is_stale && let Err(error) = self.update(&authenticated, now).await {
            tracing::warn!(%error, "the name of a member is not stored");
        }
        Ok(authenticated)
    }

    /// The member with this identity, stored or not.
    ///
    /// # Errors
    /// If the identity was replaced, or the storage cannot be read.
    pub(crate) async fn find(&self, identity: Identity) -> Result<MemberId, Refusal> {
        match self.read_pool.try_read(move |reader| identify(reader, &identity)).await? {
            Identified::Known(known) => Ok(known.id),
            Identified::New(id) => Ok(id),
            Identified::Replaced => Err(replaced()),
        }
    }

    /// The name that a guest may have instead of this one.
    ///
    /// # Errors
    /// If the storage cannot be read.
    pub(crate) async fn name_of_guest(&self, id: &MemberId, name: Name) -> Result<Name, Refusal> {
        let id = id.clone();
        let found = self.read_pool.read(move |reader| name_of_guest(reader, &id, name)).await;
        Ok(found.map_err(ReadError::from)?)
    }

    /// Replaces the identity of a member, who keeps their seats and games.
    ///
    /// # Errors
    /// If the member is not stored, or the change cannot be stored.
    pub(crate) async fn replace(
        &self,
        identity: &Authenticated,
        new: IdentityHash,
    ) -> Result<(), Refusal> {
        let replacement =
            Replacement { member: identity.member.id.clone(), old: identity.hash, new };
        let replaced =
            self.log_writer.settle(|permit| permit.replace_identity(replacement.clone()));
        match replaced.await {
            Ok(true) => Ok(()),
            Ok(false) => Err(Refusal::new(Reason::NothingToKeep)),
            Err(error) => {
                tracing::warn!(%error, "the new identity of a member is not stored");
                Err(Refusal::new(Reason::Unavailable))
            }
        }
    }

    /// Updates a member's name and the time they were last seen. Stores nothing for people who
    /// never took a seat, because anybody can create any number of identities.
    ///
    /// # Errors
    /// If the update could not be stored.
    pub(crate) async fn update(
        &self,
        identity: &Authenticated,
        now: u64,
    ) -> Result<(), StorageError> {
        let Authenticated { member: Member { id, name, .. }, hash, .. } = identity.clone();
        let member = KnownMember { id, hash, name, seen_at: now };
        self.log_writer.reserve().await?.update_member(member).wait().await
    }
}
