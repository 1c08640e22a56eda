//! E-mail addresses of accounts: naming, confirming and forgetting one. News of daily games goes there, and codes that
//! recover the account.

use fivefold_mail::is_address;
use fivefold_shared::protocol::{Name, Reason, Refusal};
use fivefold_storage::{Account, AccountStep, Email, EmailStep};
use tokio::time::Instant;

use super::{Accounts, Device, SignedIn, passwords::Password, typed_likeness};
use crate::{
    online::{
        language::Language,
        pushes::{Letter, PushNews},
    },
    process::ids,
};

impl Accounts {
    /// Whether this server sends e-mail.
    pub(crate) fn sends_mail(&self) -> bool {
        self.pushes.sends_mail()
    }

    /// The address of an account.
    ///
    /// # Errors
    /// If it cannot be read.
    pub(crate) async fn email(&self, own: &Account) -> Result<Option<Email>, Refusal> {
        let member = own.member.clone();
        self.read(move |reader| reader.email(&member)).await
    }

    /// Names an address, and sends a link there that confirms it, unless it is confirmed already.
    ///
    /// # Errors
    /// If this server sends no e-mail, it is no address, the password is wrong or missing, too many messages were asked
    /// for, or the storage fails.
    pub(crate) async fn name_email(
        &self,
        own: &SignedIn,
        (address, language): (String, Language),
        password: Option<Password>,
        device: &Device,
    ) -> Result<(), Refusal> {
        if !self.sends_mail() {
            return Err(Refusal::new(Reason::Unavailable));
        }
        if !is_address(&address) {
            return Err(Refusal::malformed("this is not an e-mail address"));
        }
        self.confirm(own, password, device).await?;
        let before = self.email(&own.account).await?;
        if before.as_ref().is_some_and(|email| email.confirmed.as_ref() == Some(&address)) {
            return Ok(());
        }
        let member = &own.account.member;
        self.tries.name_email(device.address, member, &address, Instant::now())?;
        let secret = ids::email_secret();
        let step = EmailStep::Name {
            address: address.clone(),
            token: ids::email_hash(&secret),
            language: language.code().to_owned(),
        };
        self.change(member, AccountStep::Email(step), Reason::SignedOut).await?;
        self.tell_address(own, before);
        self.send(own, Letter::Confirm { address, secret });
        Ok(())
    }

    /// Tells the confirmed address that it is replaced or deleted.
    fn tell_address(&self, own: &SignedIn, before: Option<Email>) {
        if let Some(Email { confirmed: Some(address), language, .. }) = before {
            self.send(own, Letter::Replaced { address, language: Language::of(&language) });
        }
    }

    fn send(&self, own: &SignedIn, letter: Letter) {
        let Account { member, name, .. } = own.account.clone();
        self.pushes.note(PushNews::Letter { member, name, letter });
    }

    /// Confirms the address to which this secret was sent. Returns whose it is.
    ///
    /// # Errors
    /// If there is none, the link is too old, or the storage fails.
    pub(crate) async fn confirm_email(&self, secret: &str) -> Result<Option<Name>, Refusal> {
        let token = ids::email_hash(secret);
        let member = self.read(move |reader| reader.email_named_with(&token)).await?;
        let member = member.ok_or_else(|| Refusal::new(Reason::WrongCode))?;
        let step = AccountStep::Email(EmailStep::Confirm(token));
        self.change(&member, step, Reason::WrongCode).await?;
        self.pushes.note(PushNews::Times { member: member.clone() });
        let names = self.read(move |reader| reader.current_names(&[member])).await?;
        Ok(names.into_iter().next().map(|(_, name)| name))
    }

    /// Forgets the address of an account.
    ///
    /// # Errors
    /// If the password is wrong or missing, there were too many tries, or the storage fails.
    pub(crate) async fn forget_email(
        &self,
        own: &SignedIn,
        password: Option<Password>,
        device: &Device,
    ) -> Result<(), Refusal> {
        self.confirm(own, password, device).await?;
        let before = self.email(&own.account).await?;
        let step = AccountStep::Email(EmailStep::Forget);
        self.change(&own.account.member, step, Reason::SignedOut).await?;
        self.tell_address(own, before);
        Ok(())
    }

    /// Sends a code that recovers the account by this name to its address, if there are both. The answer does not tell:
    /// the address is only looked up afterwards.
    ///
    /// # Errors
    /// If this server sends no e-mail, too many messages were asked for, or the storage fails.
    pub(crate) async fn mail_code(&self, name: &str, device: &Device) -> Result<(), Refusal> {
        if !self.sends_mail() {
            return Err(Refusal::new(Reason::Unavailable));
        }
        self.tries.mail_code(device.address, &typed_likeness(name), Instant::now())?;
        if let (Some(Account { member, name, .. }), _) = self.find(name).await? {
            self.pushes.note(PushNews::RecoveryCode { member, name });
        }
        Ok(())
    }
}
