//! The settings of an account: its password, recovery codes and name, and its deletion.
//!
//! Each of them asks for the password, or for a key that was used in the session a short time ago.

use fivefold_shared::{
    clock::millis,
    protocol::{AccountName, ChallengesFrom, Identity, MemberId, Reason, Refusal, RefusalValues},
};
use fivefold_storage::{Account, AccountStep, KeyStep, Reader, Sessions};
use tokio::time::Instant;

use super::{
    Accounts, Device, RecoveryCodes, SignedIn, account_name, known_guest, looks_like_another,
    no_hash, stored_likeness,
};
use crate::{
    accounts::passwords::{Password, Verified, Whose},
    limits::accounts::{PROVED_WITHIN, RENAMED_AGAIN_AFTER},
    online::logins::Ended,
    process::ids,
};

impl Accounts {
    /// Sets another password, and ends all other sessions.
    ///
    /// # Errors
    /// If the current password is wrong or missing, the new one is not accepted, there were too many tries, or
    /// the storage fails.
    pub(crate) async fn set_password(
        &self,
        own: &SignedIn,
        current: Option<Password>,
        new: Password,
        device: &Device,
    ) -> Result<(), Refusal> {
        let SignedIn { account, session } = own;
        new.check(&account.name)?;
        self.confirm(own, current, device).await?;
        let place = self.passwords.place(Whose::Known, device.address).map_err(no_hash)?;
        let password = place.hash(new).await.map_err(no_hash)?;
        let step = AccountStep::SetPassword { password, keep: session.hash };
        self.change(&account.member, step, Reason::SignedOut).await?;
        let others = Sessions::AllBut(session.hash);
        self.end_sockets(&account.member, Ended::Sessions(others));
        Ok(())
    }

    /// Makes new recovery codes. The old ones end.
    ///
    /// # Errors
    /// If the password is wrong, there were too many tries, or the storage fails.
    pub(crate) async fn set_codes(
        &self,
        own: &SignedIn,
        password: Option<Password>,
        device: &Device,
    ) -> Result<RecoveryCodes, Refusal> {
        self.confirm(own, password, device).await?;
        let codes = RecoveryCodes::new();
        let step = AccountStep::SetCodes(codes.hashes());
        self.change(&own.account.member, step, Reason::SignedOut).await?;
        Ok(codes)
    }

    /// Changes the name. The sockets of the account come again with it.
    ///
    /// # Errors
    /// If the password is wrong, the name is not accepted or taken, or was changed lately, there were
    /// too many tries, or the storage fails.
    pub(crate) async fn rename(
        &self,
        own: &SignedIn,
        name: &str,
        password: Option<Password>,
        device: &Device,
    ) -> Result<Account, Refusal> {
        let name = account_name(name)?;
        self.may_be_renamed(&own.account)?;
        self.confirm(own, password, device).await?;
        let renamed = self.set_name(&own.account, &name).await?;
        self.note_use(device, &renamed);
        Ok(renamed)
    }

    /// Whether the name was not changed lately.
    pub(super) fn may_be_renamed(&self, account: &Account) -> Result<(), Refusal> {
        let now = self.clock.now();
        let may_at = account.renamed_at.map_or(0, |at| at + millis(RENAMED_AGAIN_AFTER));
        if now >= may_at {
            return Ok(());
        }
        let values = RefusalValues { wait_ms: Some(may_at - now), ..RefusalValues::default() };
        Err(Refusal::with(Reason::NameChangedLately, values))
    }

    /// Gives an account this name. Its sockets come again with it.
    pub(super) async fn set_name(
        &self,
        account: &Account,
        name: &AccountName,
    ) -> Result<Account, Refusal> {
        let (wanted, own) = (name.clone(), account.member.clone());
        let read = move |reader: &mut Reader| looks_like_another(reader, &wanted, Some(&own));
        if self.read(read).await? {
            return Err(Refusal::new(Reason::NameTaken));
        }
        let (likeness, name) = (stored_likeness(name), name.name().clone());
        let step = AccountStep::Rename { name: name.clone(), likeness };
        self.change(&account.member, step, Reason::SignedOut).await?;
        self.end_sockets(&account.member, Ended::Changed);
        Ok(Account { name, renamed_at: Some(self.clock.now()), ..account.clone() })
    }

    /// Ends all sessions, and deletes the account and its bots after a while, unless its member signs in.
    ///
    /// # Errors
    /// If the password is wrong, there were too many tries, or the storage fails.
    pub(crate) async fn delete(
        &self,
        own: &SignedIn,
        password: Option<Password>,
        device: &Device,
    ) -> Result<(), Refusal> {
        self.confirm(own, password, device).await?;
        let bots = self.bots(&own.account).await?;
        self.change(&own.account.member, AccountStep::Delete, Reason::SignedOut).await?;
        self.end_sockets(&own.account.member, Ended::Sessions(Sessions::All));
        self.end_bots(&bots);
        Ok(())
    }

    /// Deletes a guest for good: name, lists, and what is stored about them. The identity is nobody's then.
    ///
    /// # Errors
    /// If the identity was replaced, or the storage fails.
    pub(crate) async fn delete_guest(&self, guest: Identity) -> Result<(), Refusal> {
        let hash = ids::identity_hash(&guest);
        let read = move |reader: &mut Reader| known_guest(reader, &guest);
        let (member, ..) =
            self.read(read).await?.ok_or_else(|| Refusal::new(Reason::IdentityReplaced))?;
        let step = AccountStep::DeleteGuest { hash, locked: ids::locked_hash() };
        self.change(&member, step, Reason::IdentityReplaced).await?;
        self.end_sockets(&member, Ended::Guest);
        Ok(())
    }

    /// Sets from whom a member takes challenges.
    ///
    /// # Errors
    /// If it is a guest who never took a seat, or the storage fails.
    pub(crate) async fn set_challenges(
        &self,
        member: &MemberId,
        from: ChallengesFrom,
    ) -> Result<(), Refusal> {
        self.change(member, AccountStep::SetChallenges(from), Reason::SeatFirst).await
    }

    /// Notes that the member who is signed in has shown their password.
    ///
    /// # Errors
    /// If the password is wrong, there were too many tries, or the storage fails.
    pub(crate) async fn prove(
        &self,
        own: &SignedIn,
        password: Password,
        device: &Device,
    ) -> Result<(), Refusal> {
        self.confirm(own, Some(password), device).await?;
        let step = KeyStep::Prove { session: own.session.hash, passkey: None };
        self.change(&own.account.member, AccountStep::Key(step), Reason::SignedOut).await
    }

    /// Checks the password of a member who is signed in, or whether they have used a key in this session a
    /// short time ago.
    pub(super) async fn confirm(
        &self,
        own: &SignedIn,
        password: Option<Password>,
        device: &Device,
    ) -> Result<(), Refusal> {
        let Some(password) = password else { return self.is_proved(own) };
        let likeness = own.account.name.likeness();
        self.tries.sign_in(device.address, likeness.as_str(), false, Instant::now())?;
        let place = self.passwords.place(Whose::Known, device.address).map_err(no_hash)?;
        let stored = self.keys(&own.account).await?.password;
        match place.verify(password, stored).await.map_err(no_hash)? {
            Verified::Right { .. } => Ok(()),
            Verified::Wrong => Err(Refusal::new(Reason::WrongPassword)),
        }
    }

    /// Whether a key was used in this session a short time ago.
    pub(super) fn is_proved(&self, own: &SignedIn) -> Result<(), Refusal> {
        let since = self.clock.now().saturating_sub(own.session.proved_at);
        if since <= millis(PROVED_WITHIN) {
            Ok(())
        } else {
            Err(Refusal::new(Reason::ConfirmFirst))
        }
    }
}
