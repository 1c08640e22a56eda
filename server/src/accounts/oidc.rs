//! Accounts by another site (OpenID Connect): signing up and in, and adding that site as a key.
//!
//! The key is stored beside the passkeys: its id is made of the issuer and the subject, and no device has
//! such an id. What begins in one browser ends only there, because the browser has a secret in a cookie.

pub mod client;

use fivefold_shared::{
    clock::millis,
    protocol::{AccountNews, Reason, Refusal},
};
use fivefold_storage::{Account, AccountStep, KeyHash, KeyStep, Passkey, UsedPasskey};
use serde::{Deserialize, Serialize};
use tokio::time::Instant;

use super::{Accounts, Device, Opened, SignedIn, can_be_opened, new_session};
use crate::{
    accounts::oidc::client::{Begun, Checks, OidcError, Provider, Subject},
    limits::accounts::CHALLENGE_KEPT,
    process::ids,
};

/// What a browser was sent to the provider for.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
enum Purpose {
    /// Beginning a session, or making an account.
    SignIn,
    /// One more key, asked for in this session.
    Add(KeyHash),
    /// Showing a key in this session.
    Confirm(KeyHash),
}

/// A browser that is at the provider. It holds secrets, so it has no `Debug`.
#[derive(Serialize, Deserialize)]
struct Departed {
    purpose: Purpose,
    checks: Checks,
    browser: KeyHash,
}

/// Somebody who has an account at the provider and none here: they choose a name now.
#[derive(Serialize, Deserialize)]
struct Stranger {
    person: Subject,
    browser: KeyHash,
}

/// Why somebody goes to the provider.
pub(crate) enum OidcUse {
    SignIn,
    Add(SignedIn),
    Confirm(SignedIn),
}

/// Where the browser goes, and the secret by which it is known again. It has no `Debug`.
pub(crate) struct StartedOidc {
    pub(crate) url: String,
    pub(crate) browser: String,
}

/// What the browser has brought back from the provider.
#[derive(Clone, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub(crate) struct OidcAnswer {
    #[serde(flatten)]
    pub(crate) outcome: OidcOutcome,
    pub(crate) state: String,
}

/// How it went there.
#[derive(Clone, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub(crate) enum OidcOutcome {
    /// Somebody has signed in. The provider gives its statement for this.
    Code(String),
    /// Nobody has, for a reason of RFC 6749, section 4.1.2.1.
    Error(String),
}

/// What has become of it.
pub(crate) enum FinishedOidc {
    SignedIn(Opened),
    /// There is no account. This goes with the name of a new one.
    Unknown {
        ticket: String,
    },
    Added,
    Confirmed,
}

impl Accounts {
    /// What people call the provider, if there is one.
    pub(crate) fn oidc_label(&self) -> Option<&str> {
        self.oidc.as_ref().map(Provider::label)
    }

    /// Asks the provider about itself, and logs why nobody could sign in by it.
    pub(crate) async fn check_oidc(&self) {
        if let Some(provider) = &self.oidc {
            provider.check().await;
        }
    }

    /// Sends a browser to the provider.
    ///
    /// # Errors
    /// If there is no provider, it does not answer, a key must be shown first, or there were too many tries.
    pub(crate) async fn start_oidc(
        &self,
        how: OidcUse,
        device: &Device,
    ) -> Result<StartedOidc, Refusal> {
        let provider = self.provider()?;
        let purpose = match how {
            OidcUse::SignIn => Purpose::SignIn,
            OidcUse::Add(own) => {
                self.is_proved(&own)?;
                Purpose::Add(own.session.hash)
            }
            OidcUse::Confirm(own) => Purpose::Confirm(own.session.hash),
        };
        self.tries.oidc(device.address, Instant::now())?;
        let Begun { url, state, checks } = provider.begin(device.address).await.map_err(refusal)?;
        let browser = ids::session_secret();
        let departed = Departed { purpose, checks, browser: ids::oidc_hash(&browser) };
        self.keep_for_a_while(&state, &departed);
        Ok(StartedOidc { url, browser })
    }

    /// Takes a browser back from the provider. `browser` is the secret in its cookie, and `own` who is
    /// signed in there.
    ///
    /// # Errors
    /// If it did not leave from here, or was back already, what it brings is not valid, a key must be shown
    /// first, or the provider or the storage fails.
    pub(crate) async fn finish_oidc(
        &self,
        OidcAnswer { outcome, state }: OidcAnswer,
        browser: Option<&str>,
        own: Option<SignedIn>,
        device: &Device,
    ) -> Result<FinishedOidc, Refusal> {
        let provider = self.provider()?;
        let departed: Option<Departed> = self.short_lived().take(ids::oidc_hash(&state)).await;
        let Departed { purpose, checks, browser: left } = departed.ok_or_else(wrong)?;
        if browser.map(ids::oidc_hash) != Some(left) {
            return Err(wrong());
        }
        let person = match outcome {
            OidcOutcome::Code(code) => {
                provider.finish(code, checks, device.address).await.map_err(refusal)?
            }
            OidcOutcome::Error(error) => return Err(refusal(provider.refused(&error))),
        };
        match (purpose, own) {
            (Purpose::SignIn, _) => self.sign_in_by_oidc(person, left, device).await,
            (Purpose::Add(session), Some(own)) if own.session.hash == session => {
                self.add_oidc(&own, &person).await
            }
            (Purpose::Confirm(session), Some(own)) if own.session.hash == session => {
                self.prove_by_oidc(&own, &person).await
            }
            (Purpose::Add(_) | Purpose::Confirm(_), _) => Err(Reason::SignedOut.into()),
        }
    }

    /// The first key of a new account: the person's account at the provider.
    pub(super) async fn first_oidc(
        &self,
        ticket: &str,
        browser: Option<&str>,
    ) -> Result<Passkey, Refusal> {
        let stranger: Option<Stranger> = self.short_lived().read(ids::oidc_hash(ticket)).await;
        let Stranger { person, browser: left } = stranger.ok_or_else(wrong)?;
        if browser.map(ids::oidc_hash) != Some(left) {
            return Err(wrong());
        }
        self.new_oidc_key(&person).await
    }

    async fn sign_in_by_oidc(
        &self,
        person: Subject,
        browser: KeyHash,
        device: &Device,
    ) -> Result<FinishedOidc, Refusal> {
        let Some(account) = self.account_of(&person).await? else {
            let ticket = ids::session_secret();
            self.keep_for_a_while(&ticket, &Stranger { person, browser });
            return Ok(FinishedOidc::Unknown { ticket });
        };
        self.moderation.may_sign_in(&account.member)?;
        let now = self.clock.now();
        let (secret, session) = new_session(&device.label, now, now);
        let step = AccountStep::Key(KeyStep::SignIn { passkey: used(&person), session });
        self.change(&account.member, step, Reason::WrongOidc).await?;
        self.note_use(device, &account);
        let account = Account { deleted_at: None, ..account };
        Ok(FinishedOidc::SignedIn(Opened { account, secret }))
    }

    async fn add_oidc(&self, own: &SignedIn, person: &Subject) -> Result<FinishedOidc, Refusal> {
        self.is_proved(own)?;
        let key = self.new_oidc_key(person).await?;
        let (member, label) = (&own.account.member, key.label.clone());
        let step = AccountStep::Key(KeyStep::AddPasskey(key));
        self.change(member, step, Reason::WrongOidc).await?;
        self.tell(member, AccountNews::OidcAdded, &label);
        Ok(FinishedOidc::Added)
    }

    async fn prove_by_oidc(
        &self,
        own: &SignedIn,
        person: &Subject,
    ) -> Result<FinishedOidc, Refusal> {
        let session = own.session.hash;
        let step = KeyStep::Prove { session, passkey: Some(used(person)) };
        // Nothing is changed if the key is somebody else's.
        self.change(&own.account.member, AccountStep::Key(step), Reason::WrongOidc).await?;
        Ok(FinishedOidc::Confirmed)
    }

    /// The account that this person at the provider opens.
    async fn account_of(&self, person: &Subject) -> Result<Option<Account>, Refusal> {
        let (id, now) = (key_id(person), self.clock.now());
        let found = self.read(move |reader| reader.account_of_passkey(&id)).await?;
        Ok(found.map(|(account, _)| account).filter(|account| can_be_opened(account, now)))
    }

    async fn new_oidc_key(&self, person: &Subject) -> Result<Passkey, Refusal> {
        let id = key_id(person);
        let wanted = id.clone();
        if self.read(move |reader| reader.account_of_passkey(&wanted)).await?.is_some() {
            return Err(wrong());
        }
        let label = self.provider()?.label().to_owned();
        let made_at = self.clock.now();
        Ok(Passkey { id, label, credential: used(person).credential, made_at, used_at: None })
    }

    fn provider(&self) -> Result<&Provider, Refusal> {
        self.oidc.as_ref().ok_or_else(|| Refusal::new(Reason::NoOidc))
    }

    fn keep_for_a_while(&self, name: &str, value: &impl Serialize) {
        let expires_at = self.clock.now() + millis(CHALLENGE_KEPT);
        self.logins.short_lived().put(ids::oidc_hash(name), value, expires_at, None);
    }
}

fn key_id(person: &Subject) -> Vec<u8> {
    ids::oidc_key(&person.issuer, &person.subject)
}

/// The person as the storage keeps them.
fn used(person: &Subject) -> UsedPasskey {
    let credential = serde_json::to_string(person).expect("plain data");
    UsedPasskey { id: key_id(person), credential }
}

fn wrong() -> Refusal {
    Refusal::new(Reason::WrongOidc)
}

fn refusal(error: OidcError) -> Refusal {
    Refusal::new(match error {
        OidcError::Unreachable => Reason::OidcUnavailable,
        OidcError::Wrong => Reason::WrongOidc,
        OidcError::Misconfigured => Reason::OidcMisconfigured,
        OidcError::Busy => Reason::Busy,
    })
}
