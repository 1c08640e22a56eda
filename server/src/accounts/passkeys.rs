//! Passkeys of accounts: signing up and in by one, and adding, using and removing them.
//!
//! A challenge is kept for a few minutes and answered once. It says what it is for, and which session has
//! asked, so that nobody uses it for something else.

pub(crate) mod webauthn;

use std::{net::IpAddr, sync::Arc};

use fivefold_shared::{
    clock::millis,
    protocol::{AccountNews, Identity, MemberId, Reason, Refusal},
};
use fivefold_storage::{
    Account, AccountStep, KeyHash, KeyStep, OIDC_KEY_PREFIX, Passkey, UsedPasskey,
};
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::{
    Accounts, Device, Opened, SignedIn, account_name, can_be_opened, new_session, no_result,
};
use crate::{
    accounts::passkeys::webauthn::{Ceremony, Holder, PasskeyAnswer, RelyingParty, WrongAnswer},
    limits::accounts::{CHALLENGE_KEPT, SESSION_LABEL_MAX},
    process::ids,
};

/// What a challenge is for.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
enum Purpose {
    /// A new account of this member.
    SignUp(MemberId),
    /// Beginning a session.
    SignIn,
    /// One more passkey, asked for in this session.
    Add(KeyHash),
    /// Showing a key in this session.
    Confirm(KeyHash),
}

/// A challenge that waits for its answer.
#[derive(Serialize, Deserialize)]
struct Challenge {
    purpose: Purpose,
    state: String,
}

/// For what somebody wants to use a passkey.
pub(crate) enum PasskeyUse {
    /// To sign up by this name.
    SignUp {
        name: String,
        guest: Option<Identity>,
    },
    SignIn,
    Add(SignedIn),
    Confirm(SignedIn),
}

/// A challenge for a device.
#[derive(Debug, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub(crate) struct StartedPasskey {
    /// Comes back with the answer.
    pub(crate) challenge: String,
    /// For `navigator.credentials`.
    pub(crate) options: Value,
}

impl Accounts {
    /// The domain of passkeys, if they work here.
    pub(crate) fn passkey_domain(&self) -> Option<&str> {
        self.relying_party.as_deref().map(RelyingParty::domain)
    }

    /// Asks a device for a passkey.
    ///
    /// # Errors
    /// If passkeys do not work here, the name of a new account is not accepted or taken, a key must be
    /// shown first, or the storage cannot be read.
    pub(crate) async fn start_passkey(
        &self,
        how: PasskeyUse,
        device: &Device,
    ) -> Result<StartedPasskey, Refusal> {
        let party = self.party()?;
        let (purpose, ceremony) = match how {
            PasskeyUse::SignUp { name, guest } => {
                let name = account_name(&name)?;
                let (member, ..) = self.applicant(&name, guest).await?;
                let name = name.name().as_str();
                let holder = Holder { user: ids::passkey_user(&member), name, held: &[] };
                (Purpose::SignUp(member), party.register(&holder))
            }
            PasskeyUse::SignIn => (Purpose::SignIn, party.authenticate()),
            PasskeyUse::Add(own) => {
                self.is_proved(&own)?;
                let mut held = self.keys(&own.account).await?.passkeys;
                held.retain(|passkey| !passkey.is_oidc());
                let Account { member, name, .. } = &own.account;
                let user = ids::passkey_user(member);
                let holder = Holder { user, name: name.as_str(), held: &held };
                (Purpose::Add(own.session.hash), party.register(&holder))
            }
            PasskeyUse::Confirm(own) => (Purpose::Confirm(own.session.hash), party.authenticate()),
        };
        let Ceremony { options, state } = ceremony.map_err(wrong)?;
        let challenge = ids::challenge_id();
        let expires_at = self.clock.now() + millis(CHALLENGE_KEPT);
        let kept = Challenge { purpose, state };
        self.logins.short_lived().put(
            ids::challenge_hash(&challenge),
            &kept,
            expires_at,
            Some(device.address),
        );
        Ok(StartedPasskey { challenge, options })
    }

    /// The member who signs up by a passkey, and the passkey.
    pub(super) async fn first_passkey(
        &self,
        answer: PasskeyAnswer,
        device: &Device,
    ) -> Result<(MemberId, Passkey), Refusal> {
        let challenge = self.challenge(&answer.challenge).await?;
        let Purpose::SignUp(member) = challenge.purpose else { return Err(wrong(WrongAnswer)) };
        let passkey = self.new_passkey(challenge.state, answer, device).await?;
        Ok((member, passkey))
    }

    /// Begins a session by a passkey.
    ///
    /// # Errors
    /// If the answer is wrong, no account has the passkey, or the storage fails.
    pub(crate) async fn sign_in_by_passkey(
        &self,
        answer: PasskeyAnswer,
        device: &Device,
    ) -> Result<Opened, Refusal> {
        let challenge = self.challenge(&answer.challenge).await?;
        if challenge.purpose != Purpose::SignIn {
            return Err(wrong(WrongAnswer));
        }
        let (account, passkey) = self.use_passkey(challenge.state, answer, device.address).await?;
        self.moderation.may_sign_in(&account.member)?;
        // Also after many tries by a password, which do not concern the owner's key.
        let now = self.clock.now();
        let (secret, session) = new_session(&device.label, now, now);
        let step = AccountStep::Key(KeyStep::SignIn { passkey, session });
        self.change(&account.member, step, Reason::WrongPasskey).await?;
        self.note_use(device, &account);
        Ok(Opened { account: Account { deleted_at: None, ..account }, secret })
    }

    /// Notes that the member who is signed in has shown a passkey.
    ///
    /// # Errors
    /// If the answer is wrong, the passkey is somebody else's, or the storage fails.
    pub(crate) async fn prove_by_passkey(
        &self,
        own: &SignedIn,
        answer: PasskeyAnswer,
        address: IpAddr,
    ) -> Result<(), Refusal> {
        let challenge = self.challenge(&answer.challenge).await?;
        let session = own.session.hash;
        let (account, passkey) = self.use_passkey(challenge.state, answer, address).await?;
        if challenge.purpose != Purpose::Confirm(session) || account.member != own.account.member {
            return Err(wrong(WrongAnswer));
        }
        let step = KeyStep::Prove { session, passkey: Some(passkey) };
        self.change(&account.member, AccountStep::Key(step), Reason::SignedOut).await
    }

    /// Adds a passkey, and tells all sessions of the account.
    ///
    /// # Errors
    /// If the answer is wrong, a key must be shown first, there are too many, or the storage fails.
    pub(crate) async fn add_passkey(
        &self,
        own: &SignedIn,
        answer: PasskeyAnswer,
        device: &Device,
    ) -> Result<(), Refusal> {
        self.is_proved(own)?;
        let challenge = self.challenge(&answer.challenge).await?;
        if challenge.purpose != Purpose::Add(own.session.hash) {
            return Err(wrong(WrongAnswer));
        }
        let passkey = self.new_passkey(challenge.state, answer, device).await?;
        let label = passkey.label.clone();
        let step = AccountStep::Key(KeyStep::AddPasskey(passkey));
        self.change(&own.account.member, step, Reason::WrongPasskey).await?;
        self.tell(&own.account.member, AccountNews::PasskeyAdded, &label);
        Ok(())
    }

    /// Removes a passkey, or another site that opens the account, and tells all sessions of the account. One
    /// that is gone is no error.
    ///
    /// # Errors
    /// If a key must be shown first, it is the last key, or the storage fails.
    pub(crate) async fn end_passkey(&self, own: &SignedIn, id: &str) -> Result<(), Refusal> {
        self.is_proved(own)?;
        let keys = self.keys(&own.account).await?;
        let found = keys.passkeys.iter().find(|passkey| ids::passkey_id(&passkey.id) == id);
        let Some(passkey) = found else { return Ok(()) };
        if keys.password.is_none() && keys.passkeys.len() == 1 {
            return Err(Refusal::new(Reason::LastKey));
        }
        let step = AccountStep::Key(KeyStep::EndPasskey(passkey.id.clone()));
        self.change(&own.account.member, step, Reason::SignedOut).await?;
        let news = match passkey.is_oidc() {
            true => AccountNews::OidcRemoved,
            false => AccountNews::PasskeyRemoved,
        };
        self.tell(&own.account.member, news, &passkey.label);
        Ok(())
    }

    fn party(&self) -> Result<&Arc<RelyingParty>, Refusal> {
        self.relying_party.as_ref().ok_or_else(|| Refusal::new(Reason::NoPasskeys))
    }

    /// A challenge, which is answered once.
    async fn challenge(&self, id: &str) -> Result<Challenge, Refusal> {
        let found = self.short_lived().take(ids::challenge_hash(id)).await;
        found.ok_or_else(|| wrong(WrongAnswer))
    }

    /// Checks the answer of a device, off the runtime's threads: it verifies a signature.
    async fn check<T: Send + 'static>(
        &self,
        address: IpAddr,
        check: impl FnOnce(&RelyingParty) -> Result<T, WrongAnswer> + Send + 'static,
    ) -> Result<T, Refusal> {
        let party = Arc::clone(self.party()?);
        let checked = self.passkey_checks.run(address, move || check(&party)).await;
        checked.map_err(|why| no_result(why, "checking a passkey panicked"))?.map_err(wrong)
    }

    async fn new_passkey(
        &self,
        state: String,
        PasskeyAnswer { credential, label, .. }: PasskeyAnswer,
        device: &Device,
    ) -> Result<Passkey, Refusal> {
        let (id, credential) =
            self.check(device.address, move |party| party.registered(&state, credential)).await?;
        if id.starts_with(OIDC_KEY_PREFIX) {
            return Err(wrong(WrongAnswer));
        }
        let wanted = id.clone();
        if self.read(move |reader| reader.account_of_passkey(&wanted)).await?.is_some() {
            return Err(wrong(WrongAnswer));
        }
        let label = label_of(label, &device.label);
        Ok(Passkey { id, label, credential, made_at: self.clock.now(), used_at: None })
    }

    /// The account of the passkey that answers, and the passkey afterwards.
    async fn use_passkey(
        &self,
        state: String,
        PasskeyAnswer { credential: answer, .. }: PasskeyAnswer,
        address: IpAddr,
    ) -> Result<(Account, UsedPasskey), Refusal> {
        let id = RelyingParty::id_in(&answer).map_err(wrong)?;
        let wanted = id.clone();
        let found = self.read(move |reader| reader.account_of_passkey(&wanted)).await?;
        let now = self.clock.now();
        let found =
            found.filter(|(account, passkey)| can_be_opened(account, now) && !passkey.is_oidc());
        let (account, passkey) = found.ok_or_else(|| wrong(WrongAnswer))?;
        let stored = passkey.credential;
        let credential =
            self.check(address, move |party| party.authenticated(&state, answer, &stored)).await?;
        Ok((account, UsedPasskey { id, credential }))
    }
}

/// The name of a key: as the member says, or else that of the device.
pub(super) fn label_of(typed: Option<String>, device: &str) -> String {
    let typed = typed.unwrap_or_default();
    let plain: String = typed.chars().filter(|c| !c.is_control()).take(SESSION_LABEL_MAX).collect();
    let plain = plain.trim();
    if plain.is_empty() { device.to_owned() } else { plain.to_owned() }
}

fn wrong(_: WrongAnswer) -> Refusal {
    Refusal::new(Reason::WrongPasskey)
}
