//! Accounts: signing up and in, recovering an account, and ending sessions.
//!
//! It does not know HTTP or sockets. Names of accounts and secrets come in as people typed them, and a
//! wrong one is refused in the same words and the same time, whether the name is known or not.

pub(crate) mod account_tries;
mod aliases;
pub(crate) mod bots;
mod collected_batches;
mod collections;
mod conditional_moves;
pub(crate) mod device_key;
pub(crate) mod devices;
mod email;
mod every_node;
pub mod first_operator;
mod friends;
pub(crate) mod guest_names;
pub(crate) mod identities;
mod notes;
pub mod oidc;
pub(crate) mod passkeys;
pub(crate) mod passwords;
mod pushes;
pub(crate) mod scopes;
mod settings;
mod time_off;
pub(crate) mod tokens;

use std::{net::IpAddr, sync::Arc};

use fivefold_shared::{
    clock::millis,
    protocol::{
        AccountName, AccountNameError, AccountNews, Identity, MemberId, Message, Name, Reason,
        Refusal,
    },
};
use fivefold_storage::{
    Account, AccountChange, AccountChanged, AccountKeys, AccountSession, AccountStep, Blocking,
    IdentityHash, KeyHash, KnownMember, LogWriter, NewAccount, PasswordHash, Reader, Sessions,
    StorageError, limits::DELETED_ACCOUNT_KEPT, name_key,
};
use tokio::time::Instant;

use self::{collected_batches::Batches, every_node::EveryNodes};
use crate::{
    accounts::{
        account_tries::AccountTries,
        device_key::DeviceKey,
        identities::{Identified, identify},
        oidc::client::{OidcSettings, Provider},
        passkeys::webauthn::{PasskeyAnswer, RelyingParty},
        passwords::{Password, Passwords, Verified, Whose},
    },
    cluster::{Cluster, frame::News},
    limits::{
        accounts::{
            PASSKEY_CHECK_QUEUE_MAX, PASSKEY_CHECKS_MAX, PASSKEY_CHECKS_PER_ADDRESS_MAX,
            RECOVERY_CODES, SESSION_AGE_MAX, SESSION_KEPT, SESSION_SEEN_AGAIN_AFTER,
        },
        ratings::TRACED_AGAIN_AFTER,
    },
    moderation::{Moderation, blocks::Blocks, dealings::Place},
    net::public_url::PublicUrl,
    online::{
        logins::{Ended, Logins},
        pushes::Pushes,
    },
    process::{
        clock::Clock,
        fair_queue::Shares,
        ids,
        jobs::{Jobs, NoResult},
        priority,
        read_pool::ReadPool,
    },
};

/// How addresses share the checks of passkeys.
pub(crate) const PASSKEY_CHECKS: Shares = Shares {
    running_max: PASSKEY_CHECKS_MAX,
    places_max: PASSKEY_CHECK_QUEUE_MAX,
    reserved: 0,
    per_address_max: PASSKEY_CHECKS_PER_ADDRESS_MAX,
    pace: None,
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
    blocks: Arc<Blocks>,
    cluster: Option<Arc<Cluster>>,
    pushes: Pushes,
    /// Absent where passkeys do not work.
    relying_party: Option<Arc<RelyingParty>>,
    /// The other site that opens accounts, if the operator has named one.
    oidc: Option<Provider>,
    /// Checks of passkeys, which take milliseconds of a processor.
    passkey_checks: Jobs,
    /// The batches of games for collections.
    batches: Batches,
}

/// A name and a password, as somebody typed them.
#[derive(Clone, Debug)]
pub(crate) struct Credentials {
    pub(crate) name: String,
    pub(crate) password: Password,
}

/// The first key of a new account.
pub(crate) enum NewKey {
    Password(Password),
    Passkey(PasskeyAnswer),
    /// An account at another site: the ticket, and the secret in the browser's cookie.
    Oidc(String, Option<String>),
}

/// Where a request comes from.
#[derive(Clone)]
pub(crate) struct Device {
    pub(crate) address: IpAddr,
    /// What it calls itself.
    pub(crate) label: String,
    /// The key of the browser, if somebody has signed in there before.
    pub(crate) key: Option<DeviceKey>,
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

/// What accounts need of the rest of the server.
pub(crate) struct AccountsContext {
    pub(crate) read_pool: Arc<ReadPool>,
    pub(crate) log_writer: LogWriter,
    pub(crate) blocking: Blocking,
    pub(crate) clock: Clock,
    pub(crate) logins: Arc<Logins>,
    pub(crate) moderation: Arc<Moderation>,
    pub(crate) blocks: Arc<Blocks>,
    pub(crate) cluster: Option<Arc<Cluster>>,
    pub(crate) pushes: Pushes,
    pub(crate) collected_games_max: u64,
}

impl Accounts {
    pub(crate) fn new(
        context: AccountsContext,
        public_url: Option<&PublicUrl>,
        oidc: Option<&OidcSettings>,
    ) -> Self {
        let AccountsContext {
            read_pool,
            log_writer,
            blocking,
            clock,
            logins,
            moderation,
            blocks,
            cluster,
            pushes,
            collected_games_max,
        } = context;
        Self {
            read_pool,
            log_writer,
            passwords: Passwords::new(&blocking),
            batches: Batches::new(blocking.clone(), collected_games_max),
            passkey_checks: Jobs::new(blocking, PASSKEY_CHECKS, priority::give_way),
            tries: AccountTries::new(),
            clock,
            logins,
            moderation,
            blocks,
            cluster,
            pushes,
            relying_party: RelyingParty::new(public_url).map(Arc::new),
            oidc: oidc.and_then(Provider::new),
        }
    }

    /// Makes an account: of a guest, who keeps everything, or of somebody new.
    ///
    /// # Errors
    /// If the name or the password is not accepted or the name is taken, the guest's identity was
    /// replaced, there were too many tries, or the storage fails.
    pub(crate) async fn sign_up(
        &self,
        name: &str,
        key: NewKey,
        guest: Option<Identity>,
        device: &Device,
    ) -> Result<(Opened, RecoveryCodes), Refusal> {
        let name = account_name(name)?;
        if let NewKey::Password(password) = &key {
            password.check(name.name())?;
        }
        // Nobody waits for the hash of a name that is taken.
        let likeness = stored_likeness(&name);
        let (mut member, hash, whose) = self.applicant(&name, guest).await?;
        let (mut password, mut passkey) = (None, None);
        match key {
            NewKey::Password(typed) => {
                self.tries.sign_up(device.address, Instant::now())?;
                let place = self.passwords.place(whose, device.address).map_err(no_hash)?;
                password = Some(place.hash(typed).await.map_err(no_hash)?);
            }
            NewKey::Passkey(answer) => {
                let first = self.first_passkey(answer, device).await?;
                if hash.is_some() && first.0 != member {
                    return Err(Refusal::new(Reason::WrongPasskey));
                }
                self.tries.sign_up(device.address, Instant::now())?;
                (member, passkey) = (first.0, Some(first.1));
            }
            NewKey::Oidc(ticket, browser) => {
                let first = self.first_oidc(&ticket, browser.as_deref()).await?;
                self.tries.vouched_sign_up(device.address, Instant::now())?;
                passkey = Some(first);
            }
        }
        let (codes, at) = (RecoveryCodes::new(), self.clock.now());
        let (secret, session) = new_session(&device.label, at, at);
        let new = NewAccount {
            guest: hash,
            locked: ids::locked_hash(),
            name: name.name().clone(),
            likeness,
            password,
            passkey,
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
            owner: None,
        };
        let step = AccountStep::Make(Box::new(new));
        self.change(&member, step, Reason::IdentityReplaced).await?;
        self.end_sockets(&member, Ended::Guest);
        self.note_use(device, &account);
        Ok((Opened { account, secret }, codes))
    }

    /// The member who signs up by this name, the hash of the guest's identity, and whether the server knows it.
    async fn applicant(
        &self,
        name: &AccountName,
        guest: Option<Identity>,
    ) -> Result<(MemberId, Option<IdentityHash>, Whose), Refusal> {
        let name = name.clone();
        let read = move |reader: &mut Reader| {
            let taken = reader.account_named(name.likeness().as_str())?.is_some()
                || looks_like_another(reader, &name, None)?;
            Ok((taken, guest.map(|guest| known_guest(reader, &guest)).transpose()?))
        };
        match self.read(read).await? {
            (true, _) => Err(Refusal::new(Reason::NameTaken)),
            (false, Some(Some((member, hash, whose)))) => Ok((member, Some(hash), whose)),
            (false, Some(None)) => Err(Refusal::new(Reason::IdentityReplaced)),
            (false, None) => Ok((ids::new_member_id(), None, Whose::Stranger)),
        }
    }

    /// Begins a session by a password.
    ///
    /// # Errors
    /// If the name or the password is wrong, there were too many tries, or the storage fails.
    pub(crate) async fn sign_in(
        &self,
        credentials: Credentials,
        device: &Device,
    ) -> Result<Opened, Refusal> {
        let (account, rehashed) = self.with_password(credentials, device).await?;
        self.moderation.may_sign_in(&account.member)?;
        let now = self.clock.now();
        let (secret, session) = new_session(&device.label, now, now);
        let step = AccountStep::SignIn { session, rehashed };
        self.change(&account.member, step, Reason::WrongPassword).await?;
        self.note_use(device, &account);
        Ok(Opened { account: Account { deleted_at: None, ..account }, secret })
    }

    /// The member whose account has this name and password. Begins no session, and does not ask
    /// whether the account is closed.
    ///
    /// # Errors
    /// As [`sign_in`](Self::sign_in).
    pub(crate) async fn named(
        &self,
        credentials: Credentials,
        device: &Device,
    ) -> Result<Account, Refusal> {
        Ok(self.with_password(credentials, device).await?.0)
    }

    /// The account with this name and password, and the hash of the password if it is to be replaced.
    async fn with_password(
        &self,
        Credentials { name, password }: Credentials,
        device: &Device,
    ) -> Result<(Account, Option<PasswordHash>), Refusal> {
        let likeness = typed_likeness(&name);
        let is_earlier = self.is_earlier_device(&name, device).await?;
        let whose = self.tries.sign_in(device.address, &likeness, is_earlier, Instant::now())?;
        let place = self.passwords.place(whose, device.address).map_err(no_hash)?;
        let (account, stored) = self.find(&name).await?;
        if account.is_some() {
            self.tries.note_account(device.address, &likeness);
        }
        let verified = place.verify(password, stored).await.map_err(no_hash)?;
        match (account, verified) {
            (Some(account), Verified::Right { rehashed }) => Ok((account, rehashed)),
            (Some(_) | None, _) => Err(Refusal::new(Reason::WrongPassword)),
        }
    }

    /// Whether the account by this name was opened on this device before. Nothing is read for a device that does
    /// not say so.
    async fn is_earlier_device(&self, name: &str, device: &Device) -> Result<bool, Refusal> {
        let Some(key) = &device.key else { return Ok(false) };
        let (account, _) = self.find(name).await?;
        Ok(account.is_some_and(|account| key.proves(&account)))
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
        let likeness = typed_likeness(&name);
        let whose = self.tries.recover(device.address, &likeness, Instant::now())?;
        let place = self.passwords.place(whose, device.address).map_err(no_hash)?;
        let (account, _) = self.find(&name).await?;
        let password = place.hash(password).await.map_err(no_hash)?;
        // Without an account, the code of nobody is tried.
        let member = account.as_ref().map_or_else(ids::new_member_id, |found| found.member.clone());
        let now = self.clock.now();
        let (secret, session) = new_session(&device.label, now, now);
        let step = AccountStep::Recover { code: ids::recovery_hash(code), password, session };
        self.change(&member, step, Reason::WrongCode).await?;
        let account = account.ok_or_else(|| Refusal::new(Reason::WrongCode))?;
        self.moderation.may_sign_in(&member)?;
        self.end_sockets(&member, Ended::Sessions(Sessions::All));
        self.end_bots(&self.bots(&account).await?);
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
        let found =
            self.read_pool.read_patiently(move |reader| reader.account_of_session(hash)).await?;
        let Some((account, mut session)) = found else { return Ok(None) };
        let is_over = session.expires_at <= now || account.deleted_at.is_some();
        // Nothing begins a session for a bot.
        let is_bot = account.owner.is_some();
        // A closed account has none either, whatever key has opened it.
        let is_closed = self.moderation.may_sign_in(&account.member).is_err();
        if is_over || is_bot || is_closed {
            return Ok(None);
        }
        self.tries.note_use(address, account.name.likeness().as_str());
        if now.saturating_sub(session.seen_at) >= millis(SESSION_SEEN_AGAIN_AFTER) {
            session.expires_at = expires_at(session.made_at, now);
            let step = AccountStep::Seen { session: hash, expires_at: session.expires_at };
            match self.try_change(&account.member, step).await {
                Ok(AccountChanged::Done) => session.seen_at = now,
                Ok(AccountChanged::Gone) => return Ok(None),
                // It is noted the next time.
                Ok(
                    AccountChanged::NameTaken
                    | AccountChanged::Full
                    | AccountChanged::NoFriend(_)
                    | AccountChanged::NoTimeOff(_),
                )
                | Err(_) => {}
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

    /// The name of the account that somebody means by this one, if there is one.
    pub(crate) async fn name_like(&self, typed: &str) -> Option<Name> {
        Some(self.find(typed).await.ok()?.0?.name)
    }

    /// The account by this name, and the hash of its password. Reads as much where there is none.
    async fn find(&self, name: &str) -> Result<(Option<Account>, Option<PasswordHash>), Refusal> {
        let (key, now, nobody) = (typed_key(name), self.clock.now(), ids::new_member_id());
        let read = move |reader: &mut Reader| {
            let account = reader.account_named(&key)?;
            let account = account.filter(|account| can_be_opened(account, now));
            let member = account.as_ref().map_or(&nobody, |account| &account.member);
            let password = reader.account_keys(member)?.password;
            Ok((account, password))
        };
        self.read(read).await
    }

    async fn read<T: Send + 'static>(
        &self,
        read: impl FnOnce(&mut Reader) -> Result<T, StorageError> + Send + 'static,
    ) -> Result<T, Refusal> {
        Ok(self.read_pool.try_read(read).await?)
    }

    /// Changes an account, or refuses if the storage fails.
    async fn try_change(
        &self,
        member: &MemberId,
        step: AccountStep,
    ) -> Result<AccountChanged, Refusal> {
        let change = AccountChange { member: member.clone(), at: self.clock.now(), step };
        let changed = self.log_writer.settle(|permit| permit.change_account(change.clone()));
        changed.await.map_err(|error| {
            tracing::warn!(%error, "an account is not changed");
            Refusal::new(Reason::Unavailable)
        })
    }

    /// Changes an account, or refuses if it is not changed. `gone` is the reason if there is none.
    async fn change(
        &self,
        member: &MemberId,
        step: AccountStep,
        gone: Reason,
    ) -> Result<(), Refusal> {
        let reason = match self.try_change(member, step).await? {
            AccountChanged::Done => return Ok(()),
            AccountChanged::NameTaken => Reason::NameTaken,
            AccountChanged::Gone | AccountChanged::NoFriend(_) | AccountChanged::NoTimeOff(_) => {
                gone
            }
            AccountChanged::Full => Reason::TooManyKeys,
        };
        Err(Refusal::new(reason))
    }

    fn end_sockets(&self, member: &MemberId, ended: Ended) {
        self.logins.end(member, ended);
        if let Some(cluster) = &self.cluster {
            cluster.broadcast(&News::Ended { member: member.clone(), ended });
        }
    }

    /// Tells all sessions of an account what has changed in it.
    fn tell(&self, member: &MemberId, change: AccountNews, label: &str) {
        self.send_all(
            member,
            &Message::AccountChanged { change, label: label.to_owned(), at: None },
        );
    }

    /// Sends a message to all sessions of an account.
    fn send_all(&self, member: &MemberId, message: &Message) {
        let text = message.to_json();
        if let Some(cluster) = &self.cluster {
            cluster.broadcast(&News::ForAccount { member: member.clone(), text: text.clone() });
        }
        self.logins.tell(member, text);
    }

    /// The challenges, codes and links of all nodes.
    fn short_lived(&self) -> EveryNodes<'_> {
        let now = self.clock.now();
        EveryNodes { here: self.logins.short_lived(), cluster: self.cluster.as_deref(), now }
    }

    /// Notes that an account is used at a place, unless that was noted a short while ago.
    pub(crate) async fn note_place(&self, member: &MemberId, place: Place) {
        let (wanted, now) = (member.clone(), self.clock.now());
        let read = self.read_pool.read(move |reader| reader.traces(&wanted)).await;
        let since = now.saturating_sub(millis(TRACED_AGAIN_AFTER));
        match read {
            Ok(known) if place.is_noted(&known, since) => {}
            Ok(_) => {
                let step = AccountStep::Trace(place.traces(now));
                // The account may be gone, and a failure is logged.
                self.change(member, step, Reason::SignedOut).await.ok();
            }
            Err(error) => tracing::warn!(%error, "cannot read where an account was used"),
        }
    }

    fn note_use(&self, device: &Device, account: &Account) {
        self.tries.note_use(device.address, account.name.likeness().as_str());
    }
}

/// Whether an account that may be deleted can still be opened.
fn can_be_opened(account: &Account, now: u64) -> bool {
    account.deleted_at.is_none_or(|at| now < at + millis(DELETED_ACCOUNT_KEPT))
}

/// The member with this identity, its hash, and whether the server knows it; nothing if it was replaced.
fn known_guest(
    reader: &mut Reader,
    guest: &Identity,
) -> Result<Option<(MemberId, IdentityHash, Whose)>, StorageError> {
    let hash = ids::identity_hash(guest);
    Ok(match identify(reader, guest)? {
        Identified::Known(KnownMember { id, .. }) => Some((id, hash, Whose::Guest)),
        Identified::New(id) => Some((id, hash, Whose::Stranger)),
        Identified::Replaced => None,
    })
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

/// Whether a name looks like that of another account than this member's if capitals are compared as they are
/// written.
fn looks_like_another(
    reader: &mut Reader,
    name: &AccountName,
    own: Option<&MemberId>,
) -> Result<bool, StorageError> {
    if name.as_written() == name.likeness() {
        return Ok(false);
    }
    let found = reader.account_called(name.as_written().as_str())?;
    Ok(found.is_some_and(|other| Some(&other.member) != own))
}

/// What to look for an account with, by its name as somebody typed it; finds none if it is no name.
pub(crate) fn typed_key(name: &str) -> String {
    Name::new(name).map_or_else(|_| String::new(), |name| name_key(&name))
}

/// The likeness of a name as somebody typed it; empty, as no account's is, if it is no name.
fn typed_likeness(name: &str) -> String {
    Name::new(name).map_or_else(|_| String::new(), |name| name.likeness().as_str().to_owned())
}

/// A new session, in which a key was used at `proved_at`.
fn new_session(label: &str, now: u64, proved_at: u64) -> (String, AccountSession) {
    let secret = ids::session_secret();
    let session = AccountSession {
        hash: ids::session_hash(&secret),
        label: label.to_owned(),
        made_at: now,
        seen_at: now,
        expires_at: expires_at(now, now),
        proved_at,
    };
    (secret, session)
}

/// When a session ends that was made and seen at these times.
fn expires_at(made_at: u64, seen_at: u64) -> u64 {
    (seen_at + millis(SESSION_KEPT)).min(made_at + millis(SESSION_AGE_MAX))
}

fn no_hash(why: NoResult) -> Refusal {
    no_result(why, "hashing a password panicked")
}

/// `broke` is the line of the log if the work panicked.
fn no_result(why: NoResult, broke: &str) -> Refusal {
    if matches!(why, NoResult::Broke) {
        tracing::error!("{broke}");
    }
    Refusal::new(why.reason())
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
