//! Guests of other devices that belong to an account: everything that they played is the account's.

use fivefold_shared::protocol::{AccountNews, Identity, MemberId, Reason, Refusal};
use fivefold_storage::{AccountStep, KeyStep};

use super::{Accounts, SignedIn, known_guest};
use crate::{
    online::{logins::Ended, pushes::PushNews},
    process::{ids, read_pool::ReadError},
};

impl Accounts {
    /// The guest with this identity.
    ///
    /// # Errors
    /// If the identity was replaced, or the storage cannot be read.
    pub(crate) async fn guest(&self, identity: Identity) -> Result<MemberId, Refusal> {
        let found = self.read(move |reader| known_guest(reader, &identity)).await?;
        let (guest, ..) = found.ok_or_else(|| Refusal::new(Reason::IdentityReplaced))?;
        Ok(guest)
    }

    /// Gives everything of a guest to the account, running games included. The guest's identity ends, and
    /// its sockets; those of the account come again, and have the guest's seats.
    ///
    /// # Errors
    /// If the identity was replaced or never had a seat, the account has too many guests, or the storage
    /// fails.
    pub(crate) async fn take_guest(&self, own: &SignedIn, guest: Identity) -> Result<(), Refusal> {
        let found = self.read(move |reader| known_guest(reader, &guest)).await?;
        let (guest, hash, _) = found.ok_or_else(|| Refusal::new(Reason::IdentityReplaced))?;
        let locked = ids::locked_hash();
        let step = KeyStep::AddAlias { guest: guest.clone(), hash, locked };
        let member = &own.account.member;
        self.change(member, AccountStep::Key(step), Reason::NothingToKeep).await?;
        self.blocks.take_guest(&guest, member);
        self.pushes.note(PushNews::Times { member: member.clone() });
        self.end_sockets(&guest, Ended::Guest);
        self.tell(member, AccountNews::GuestAdded, "");
        self.end_sockets(member, Ended::Changed);
        Ok(())
    }

    /// The guests that belong to an account.
    ///
    /// # Errors
    /// If the storage cannot be read.
    pub(crate) async fn guests_of(&self, member: &MemberId) -> Result<Vec<MemberId>, Refusal> {
        let member = member.clone();
        // As for the session itself, each socket waits for one read.
        let found = self.read_pool.read(move |reader| reader.aliases(&member)).await;
        Ok(found.map_err(ReadError::from)?)
    }
}
