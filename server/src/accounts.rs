//! Accounts: signing up and in, recovering an account, and changing or ending what opens it.
//!
//! It does not know HTTP or sockets. Names of accounts and secrets come in as people typed them, and a
//! wrong one is refused in the same words and the same time, whether the name is known or not.

use std::{error::Error, net::IpAddr, sync::Arc};

use fivefold_shared::{
    clock::millis,
    protocol::{
        AccountName, AccountNameError, Identity, MemberId, Name, Reason, Refusal, RefusalValues,
    },
};
use tokio::time::Instant;

use crate::{
    account_tries::AccountTries,
    clock::Clock,
    cluster::{Cluster, frame::News},
    http::jobs::NoResult,
    identities::{Identified, identify},
    ids,
    limits::accounts::{
        DELETED_ACCOUNT_KEPT, RECOVERY_CODES, RENAMED_AGAIN_AFTER, SESSION_AGE_MAX, SESSION_KEPT,
        SESSION_SEEN_AGAIN_AFTER,
    },
    logins::{Ended, Logins},
    moderation::Moderation,
    passwords::{Password, Passwords, Verified},
    storage::{
        Account, AccountChange, AccountChanged, AccountKeys, AccountSession, AccountStep, Blocking,
        IdentityHash, KeyHash, KnownMember, LogWriter, NewAccount, PasswordHash, ReadPool,
        Sessions, StorageError, StorageReader,
    },
};

/// All accounts.
#[derive(Debug)]
pub(crate) struct Accounts {
    read_pool: Arc<ReadPool>,
    log_writer: LogWriter,
    passwords: Passwords,
    tries: AccountTries,
    clock: Clock,
    logins: Arc<Logins>,
    moderation: Arc<Moderation>,
    cluster: Option<Arc<Cluster>>,
}

/// A name and a password, as somebody typed them.
#[derive(Clone, Debug)]
pub(crate) struct Credentials {
    pub(crate) name: String,
    pub(crate) password: Password,
}

/// Where a request comes from.
#[derive(Clone, Debug)]
pub(crate) struct Device {
    pub(crate) address: IpAddr,
    /// What it calls itself.
    pub(crate) label: String,
}

/// A new session. Its secret is nowhere else. It has no `Debug`.
pub(crate) struct Opened {
    pub(crate) account: Account,
    pub(crate) secret: String,
}

/// A member who is signed in.
#[derive(Clone, Debug)]
pub(crate) struct SignedIn {
    pub(crate) account: Account,
    pub(crate) session: AccountSession,
}

/// New recovery codes, which are shown once. They have no `Debug`.
pub(crate) struct RecoveryCodes(pub(crate) Vec<String>);

impl RecoveryCodes {
    fn new() -> Self {
        Self((0..RECOVERY_CODES).map(|_| ids::recovery_code()).collect())
    }

    fn hashes(&self) -> Vec<KeyHash> {
        self.0.iter().map(|code| ids::recovery_hash(code)).collect()
    }
}

impl Accounts {
    pub(crate) fn new(
        (read_pool, log_writer): (Arc<ReadPool>, LogWriter),
        blocking: Blocking,
        clock: Clock,
        (logins, moderation): (Arc<Logins>, Arc<Moderation>),
        cluster: Option<Arc<Cluster>>,
    ) -> Self {
        let (passwords, tries) = (Passwords::new(blocking), AccountTries::new());
        Self { read_pool, log_writer, passwords, tries, clock, logins, moderation, cluster }
    }

    /// Makes an account: of a guest, who keeps everything, or of somebody new.
    ///
    /// # Errors
    /// If the name or the password is not accepted or the name is taken, the guest's identity was
    /// replaced, there were too many tries, or the storage fails.
    pub(crate) async fn sign_up(
        &self,
        Credentials { name, password }: Credentials,
        guest: Option<Identity>,
        device: &Device,
    ) -> Result<(Opened, RecoveryCodes), Refusal> {
        let name = account_name(&name)?;
        password.check(name.name())?;
        // Nobody waits for the hash of a name that is taken.
        let (likeness, wanted) = (stored_likeness(&name), stored_likeness(&name));
        let found = self
            .read(move |reader| {
                let taken = reader.account_named(&wanted)?.is_some();
                Ok((taken, guest.map(|guest| known_guest(reader, &guest)).transpose()?))
            })
            .await?;
        if found.0 {
            return Err(Refusal::new(Reason::NameTaken));
        }
        let (member, hash) = match found.1 {
            Some(Some((member, hash))) => (member, Some(hash)),
            Some(None) => return Err(Refusal::new(Reason::IdentityReplaced)),
            None => (ids::new_member_id(), None),
        };
        self.tries.sign_up(device.address, Instant::now())?;
        let password = self.passwords.hash(password).await.map_err(no_hash)?;
        let (codes, at) = (RecoveryCodes::new(), self.clock.now());
        let (secret, session) = new_session(&device.label, at);
        let new = NewAccount {
            guest: hash,
            locked: ids::locked_hash(),
            name: name.name().clone(),
            likeness,
            password,
            codes: codes.hashes(),
            session,
        };
        let account = Account {
            member: member.clone(),
            hash: new.locked,
            name: new.name.clone(),
            made_at: at,
            renamed_at: None,
            deleted_at: None,
        };
        let step = AccountStep::Make(Box::new(new));
        self.change(&member, step, Reason::IdentityReplaced).await?;
        self.end_sockets(&member, Ended::Guest);
        self.note_use(device, &account);
        Ok((Opened { account, secret }, codes))
    }

    /// The member whose account has this name and password. Begins no session.
    ///
    /// # Errors
    /// As [`sign_in`](Self::sign_in), except if the account is closed.
    pub(crate) async fn prove(
        &self,
        Credentials { name, password }: Credentials,
        device: &Device,
    ) -> Result<Account, Refusal> {
        let likeness = typed_likeness(&name);
        self.tries.sign_in(device.address, &likeness, Instant::now())?;
        let (account, stored) = self.find(likeness).await?;
        let verified = self.passwords.verify(password, stored).await.map_err(no_hash)?;
        match (account, verified) {
            (Some(account), Verified::Right { .. }) => Ok(account),
            (Some(_) | None, _) => Err(Refusal::new(Reason::WrongPassword)),
        }
    }

    /// Begins a session by a password.
    ///
    /// # Errors
    /// If the name or the password is wrong, there were too many tries, or the storage fails.
    pub(crate) async fn sign_in(
        &self,
        Credentials { name, password }: Credentials,
        device: &Device,
    ) -> Result<Opened, Refusal> {
        let likeness = typed_likeness(&name);
        self.tries.sign_in(device.address, &likeness, Instant::now())?;
        let (account, stored) = self.find(likeness).await?;
        let verified = self.passwords.verify(password, stored).await.map_err(no_hash)?;
        let (Some(account), Verified::Right { rehashed }) = (account, verified) else {
            return Err(Refusal::new(Reason::WrongPassword));
        };
        self.moderation.may_sign_in(&account.member)?;
        let (secret, session) = new_session(&device.label, self.clock.now());
        let step = AccountStep::SignIn { session, rehashed };
        self.change(&account.member, step, Reason::WrongPassword).await?;
        self.note_use(device, &account);
        Ok(Opened { account: Account { deleted_at: None, ..account }, secret })
    }

    /// Begins a session by a recovery code, with a new password. Ends all others. Returns how many
    /// codes are left.
    ///
    /// # Errors
    /// If the name or the code is wrong, the password is not accepted, there were too many tries, or
    /// the storage fails.
    pub(crate) async fn recover(
        &self,
        Credentials { name, password }: Credentials,
        code: &str,
        device: &Device,
    ) -> Result<(Opened, usize), Refusal> {
        // A password is refused before the code is used up.
        let typed = Name::new(&name).map_err(|_| Refusal::new(Reason::WrongCode))?;
        password.check(&typed)?;
        self.tries.recover(device.address, Instant::now())?;
        let (account, _) = self.find(typed_likeness(&name)).await?;
        let password = self.passwords.hash(password).await.map_err(no_hash)?;
        // Without an account, the code of nobody is tried.
        let member = account.as_ref().map_or_else(ids::new_member_id, |found| found.member.clone());
        let (secret, session) = new_session(&device.label, self.clock.now());
        let step = AccountStep::Recover { code: ids::recovery_hash(code), password, session };
        self.change(&member, step, Reason::WrongCode).await?;
        let account = account.ok_or_else(|| Refusal::new(Reason::WrongCode))?;
        self.moderation.may_sign_in(&member)?;
        self.end_sockets(&member, Ended::Sessions(Sessions::All));
        self.note_use(device, &account);
        let codes_left = self.keys(&account).await?.codes_left;
        Ok((Opened { account: Account { deleted_at: None, ..account }, secret }, codes_left))
    }

    /// The member whose session this is, if it has not ended. Notes that it is used.
    ///
    /// # Errors
    /// If the storage cannot be read.
    pub(crate) async fn of_session(
        &self,
        hash: KeyHash,
        address: IpAddr,
    ) -> Result<Option<SignedIn>, Refusal> {
        let now = self.clock.now();
        // Many may come at once after a restart. Each socket waits for one read.
        let found = self.read_pool.read(move |reader| reader.account_of_session(hash)).await;
        let found = found.map_err(|error| unreadable(&error))?;
        let Some((account, mut session)) = found else { return Ok(None) };
        let is_over = session.expires_at <= now || account.deleted_at.is_some();
        // Whatever key has opened it.
        if is_over || self.moderation.may_sign_in(&account.member).is_err() {
            return Ok(None);
        }
        self.tries.note_use(address, account.name.likeness().as_str());
        if now.saturating_sub(session.seen_at) >= millis(SESSION_SEEN_AGAIN_AFTER) {
            session.expires_at = expires_at(session.made_at, now);
            let step = AccountStep::Seen { session: hash, expires_at: session.expires_at };
            match self.change(&account.member, step, Reason::SignedOut).await {
                Ok(()) => session.seen_at = now,
                Err(refusal) if refusal.reason == Reason::SignedOut => return Ok(None),
                // It is noted the next time.
                Err(_) => {}
            }
        }
        Ok(Some(SignedIn { account, session }))
    }

    /// What opens an account.
    ///
    /// # Errors
    /// If the storage cannot be read.
    pub(crate) async fn keys(&self, account: &Account) -> Result<AccountKeys, Refusal> {
        let member = account.member.clone();
        self.read(move |reader| reader.account_keys(&member)).await
    }

    /// Ends sessions, and their sockets on all nodes.
    ///
    /// # Errors
    /// If the storage fails.
    pub(crate) async fn end(&self, account: &Account, sessions: Sessions) -> Result<(), Refusal> {
        let step = AccountStep::End(sessions);
        self.change(&account.member, step, Reason::SignedOut).await?;
        self.end_sockets(&account.member, Ended::Sessions(sessions));
        Ok(())
    }

    /// Sets another password, and ends all other sessions.
    ///
    /// # Errors
    /// If the current password is wrong, the new one is not accepted, there were too many tries, or
    /// the storage fails.
    pub(crate) async fn set_password(
        &self,
        SignedIn { account, session }: &SignedIn,
        current: Password,
        new: Password,
        device: &Device,
    ) -> Result<(), Refusal> {
        new.check(&account.name)?;
        self.confirm(account, current, device).await?;
        let password = self.passwords.hash(new).await.map_err(no_hash)?;
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
        account: &Account,
        password: Password,
        device: &Device,
    ) -> Result<RecoveryCodes, Refusal> {
        self.confirm(account, password, device).await?;
        let codes = RecoveryCodes::new();
        let step = AccountStep::SetCodes(codes.hashes());
        self.change(&account.member, step, Reason::SignedOut).await?;
        Ok(codes)
    }

    /// Changes the name. The sockets of the account come again with it.
    ///
    /// # Errors
    /// If the password is wrong, the name is not accepted or taken, or was changed lately, there were
    /// too many tries, or the storage fails.
    pub(crate) async fn rename(
        &self,
        account: &Account,
        Credentials { name, password }: Credentials,
        device: &Device,
    ) -> Result<Account, Refusal> {
        let name = account_name(&name)?;
        let now = self.clock.now();
        let may_at = account.renamed_at.map_or(0, |at| at + millis(RENAMED_AGAIN_AFTER));
        if now < may_at {
            let values = RefusalValues { wait_ms: Some(may_at - now), ..RefusalValues::default() };
            return Err(Refusal::with(Reason::NameChangedLately, values));
        }
        self.confirm(account, password, device).await?;
        let (likeness, name) = (stored_likeness(&name), name.name().clone());
        let step = AccountStep::Rename { name: name.clone(), likeness };
        self.change(&account.member, step, Reason::SignedOut).await?;
        self.end_sockets(&account.member, Ended::Renamed);
        let renamed = Account { name, renamed_at: Some(now), ..account.clone() };
        self.note_use(device, &renamed);
        Ok(renamed)
    }

    /// Ends all sessions, and deletes the account after a while, unless its member signs in.
    ///
    /// # Errors
    /// If the password is wrong, there were too many tries, or the storage fails.
    pub(crate) async fn delete(
        &self,
        account: &Account,
        password: Password,
        device: &Device,
    ) -> Result<(), Refusal> {
        self.confirm(account, password, device).await?;
        self.change(&account.member, AccountStep::Delete, Reason::SignedOut).await?;
        self.end_sockets(&account.member, Ended::Sessions(Sessions::All));
        Ok(())
    }

    /// Checks the password of a member who is signed in.
    async fn confirm(
        &self,
        account: &Account,
        password: Password,
        device: &Device,
    ) -> Result<(), Refusal> {
        let likeness = account.name.likeness();
        self.tries.sign_in(device.address, likeness.as_str(), Instant::now())?;
        let stored = self.keys(account).await?.password;
        match self.passwords.verify(password, stored).await.map_err(no_hash)? {
            Verified::Right { .. } => Ok(()),
            Verified::Wrong => Err(Refusal::new(Reason::WrongPassword)),
        }
    }

    /// The account by a name of this likeness, and the hash of its password. Reads as much where there
    /// is none.
    async fn find(
        &self,
        likeness: String,
    ) -> Result<(Option<Account>, Option<PasswordHash>), Refusal> {
        let (now, nobody) = (self.clock.now(), ids::new_member_id());
        let read = move |reader: &mut dyn StorageReader| {
            let account = reader.account_named(&likeness)?.filter(|account| {
                account.deleted_at.is_none_or(|at| now < at + millis(DELETED_ACCOUNT_KEPT))
            });
            let member = account.as_ref().map_or(&nobody, |account| &account.member);
            let password = reader.account_keys(member)?.password;
            Ok((account, password))
        };
        self.read(read).await
    }

    async fn read<T: Send + 'static>(
        &self,
        read: impl FnOnce(&mut dyn StorageReader) -> Result<T, StorageError> + Send + 'static,
    ) -> Result<T, Refusal> {
        self.read_pool.try_read(read).await.map_err(|error| unreadable(&error))
    }

    /// Changes an account. `gone` is the refusal if there is none.
    async fn change(
        &self,
        member: &MemberId,
        step: AccountStep,
        gone: Reason,
    ) -> Result<(), Refusal> {
        let change = AccountChange { member: member.clone(), at: self.clock.now(), step };
        let changed = self.log_writer.settle(|permit| permit.change_account(change.clone()));
        match changed.await {
            Ok(AccountChanged::Done) => Ok(()),
            Ok(AccountChanged::NameTaken) => Err(Refusal::new(Reason::NameTaken)),
            Ok(AccountChanged::Gone) => Err(Refusal::new(gone)),
            Err(error) => {
                tracing::warn!(%error, "an account is not changed");
                Err(Refusal::new(Reason::Unavailable))
            }
        }
    }

    fn end_sockets(&self, member: &MemberId, ended: Ended) {
        self.logins.end(member, ended);
        if let Some(cluster) = &self.cluster {
            cluster.broadcast(&News::Ended { member: member.clone(), ended });
        }
    }

    fn note_use(&self, device: &Device, account: &Account) {
        self.tries.note_use(device.address, account.name.likeness().as_str());
    }
}

/// The member with this identity, and its hash; nothing if it was replaced.
fn known_guest(
    reader: &mut dyn StorageReader,
    guest: &Identity,
) -> Result<Option<(MemberId, IdentityHash)>, StorageError> {
    let hash = ids::identity_hash(guest);
    Ok(match identify(reader, guest)? {
        Identified::Known(KnownMember { id, .. }) | Identified::New(id) => Some((id, hash)),
        Identified::Replaced => None,
    })
}

fn unreadable(error: &dyn Error) -> Refusal {
    tracing::warn!(%error, "cannot read an account");
    Refusal::new(Reason::Unavailable)
}

fn account_name(text: &str) -> Result<AccountName, Refusal> {
    AccountName::new(text).map_err(|error| {
        Refusal::new(match error {
            AccountNameError::Characters => Reason::AccountName,
            AccountNameError::Reserved => Reason::NameReserved,
            AccountNameError::Bot => Reason::NameLooksLikeBot,
        })
    })
}

fn stored_likeness(name: &AccountName) -> String {
    name.likeness().as_str().to_owned()
}

/// The likeness of a name as somebody typed it; empty, as no account's is, if it is no name.
pub(crate) fn typed_likeness(name: &str) -> String {
    Name::new(name).map_or_else(|_| String::new(), |name| name.likeness().as_str().to_owned())
}

fn new_session(label: &str, now: u64) -> (String, AccountSession) {
    let secret = ids::session_secret();
    let session = AccountSession {
        hash: ids::session_hash(&secret),
        label: label.to_owned(),
        made_at: now,
        seen_at: now,
        expires_at: expires_at(now, now),
    };
    (secret, session)
}

/// When a session ends that was made and seen at these times.
fn expires_at(made_at: u64, seen_at: u64) -> u64 {
    (seen_at + millis(SESSION_KEPT)).min(made_at + millis(SESSION_AGE_MAX))
}

fn no_hash(why: NoResult) -> Refusal {
    Refusal::new(match why {
        NoResult::Busy => Reason::Busy,
        NoResult::Broke => {
            tracing::error!("hashing a password panicked");
            Reason::Broken
        }
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_session_ends_when_it_is_not_used_or_too_old() {
        let day = 24 * 60 * 60 * 1_000;
        let made = 1_000 * day;
        assert_eq!(expires_at(made, made), made + 90 * day);
        assert_eq!(expires_at(made, made + 275 * day), made + 365 * day);
        assert_eq!(expires_at(made, made + 300 * day), made + 365 * day);
    }
}
