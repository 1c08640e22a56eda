//! Guests of other devices that belong to an account: everything that they played is the account's.

use fivefold_shared::protocol::{AccountNews, Identity, MemberId, Reason, Refusal};

use super::{Accounts, SignedIn, known_guest};
use crate::{
    ids,
    logins::Ended,
    storage::{AccountStep, KeyStep},
};

impl Accounts {
    /// The guest with this identity.
    ///
    /// # Errors
    /// If the identity was replaced, or the storage cannot be read.
    pub(crate) async fn guest(&self, identity: Identity) -> Result<MemberId, Refusal> {
        let found = self.read(move |reader| known_guest(reader, &identity)).await?;
        let (guest, _) = found.ok_or_else(|| Refusal::new(Reason::IdentityReplaced))?;
        Ok(guest)
    }

    /// Gives everything of a guest to the account. The guest's identity ends, and its sockets.
    ///
    /// # Errors
    /// If the identity was replaced or never had a seat, the account has too many guests, or the storage
    /// fails.
    pub(crate) async fn take_guest(&self, own: &SignedIn, guest: Identity) -> Result<(), Refusal> {
        let found = self.read(move |reader| known_guest(reader, &guest)).await?;
        let (guest, hash) = found.ok_or_else(|| Refusal::new(Reason::IdentityReplaced))?;
        let locked = ids::locked_hash();
        let step = KeyStep::AddAlias { guest: guest.clone(), hash, locked };
        let member = &own.account.member;
        self.change(member, AccountStep::Key(step), Reason::NothingToKeep).await?;
        self.end_sockets(&guest, Ended::Guest);
        self.tell(member, AccountNews::GuestAdded, "");
        Ok(())
    }
}
