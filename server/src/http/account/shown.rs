//! An account, its sessions and its keys, as their member sees them: no secrets.

use fivefold_shared::{
    clock::millis,
    protocol::{MemberId, Name, Scope},
};
use fivefold_storage::{Account, AccountKeys, AccountSession, ApiToken, KeyHash, Passkey};
use serde::Serialize;

use super::asked::{AccountRefusal, Asked};
#[cfg(test)]
use crate::http::api_document::Named;
use crate::{accounts::SignedIn, limits::accounts::PROVED_WITHIN, process::ids};

/// An account as its member sees it.
#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub(super) struct ShownAccount {
    #[cfg_attr(test, schemars(with = "Named<MemberId>"))]
    id: MemberId,
    #[cfg_attr(test, schemars(with = "Named<Name>"))]
    name: Name,
    made_at: u64,
    /// Whether it is a bot.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    bot: bool,
}

impl From<Account> for ShownAccount {
    fn from(Account { member, name, made_at, owner, .. }: Account) -> Self {
        Self { id: member, name, made_at, bot: owner.is_some() }
    }
}

/// A session as its member sees it.
#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub(super) struct ShownSession {
    id: String,
    label: String,
    made_at: u64,
    seen_at: u64,
    /// Whether it is the one that asks.
    current: bool,
}

impl ShownSession {
    pub(super) fn new(session: AccountSession, current: Option<KeyHash>) -> Self {
        let AccountSession { hash, label, made_at, seen_at, .. } = session;
        Self { id: ids::session_id(hash), label, made_at, seen_at, current: Some(hash) == current }
    }
}

#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub(super) struct ShownAccounts {
    pub(super) account: ShownAccount,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) recovery_codes: Option<Vec<String>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) recovery_codes_left: Option<usize>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) sessions: Option<Vec<ShownSession>>,
    #[serde(flatten)]
    pub(super) keys: Option<ShownKeys>,
    /// Whether the member is an operator.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub(super) operator: bool,
}

impl ShownAccounts {
    pub(super) fn of(account: Account) -> Self {
        let account = account.into();
        Self {
            account,
            recovery_codes: None,
            recovery_codes_left: None,
            sessions: None,
            keys: None,
            operator: false,
        }
    }
}

/// The keys of an account, as its member sees them.
#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub(super) struct ShownKeys {
    has_password: bool,
    passkeys: Vec<ShownPasskey>,
    /// The other sites that open the account.
    oidc: Vec<ShownPasskey>,
    tokens: Vec<ShownToken>,
    /// Number of guests that belong to the account.
    guests: usize,
    /// The domain of passkeys; absent where they do not work.
    passkey_domain: Option<String>,
    /// How long a key that was used in this session still counts, in milliseconds.
    proved_ms: u64,
}

#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
struct ShownPasskey {
    id: String,
    label: String,
    made_at: u64,
    used_at: Option<u64>,
}

/// A token, without its secret.
#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub(super) struct ShownToken {
    id: String,
    label: String,
    #[cfg_attr(test, schemars(with = "Vec<Named<Scope>>"))]
    scopes: Vec<Scope>,
    made_at: u64,
    used_at: Option<u64>,
    expires_at: u64,
}

impl ShownKeys {
    /// The keys, with the domain of passkeys, and how long a key still counts.
    pub(super) fn new(keys: &AccountKeys, passkey_domain: Option<&str>, proved_ms: u64) -> Self {
        let shown = |is_oidc| {
            let keys = keys.passkeys.iter().filter(|key| key.is_oidc() == is_oidc);
            keys.map(ShownPasskey::from).collect()
        };
        Self {
            has_password: keys.password.is_some(),
            passkeys: shown(false),
            oidc: shown(true),
            tokens: keys.tokens.iter().map(ShownToken::from).collect(),
            guests: keys.aliases.len(),
            passkey_domain: passkey_domain.map(str::to_owned),
            proved_ms,
        }
    }
}

impl From<&Passkey> for ShownPasskey {
    fn from(Passkey { id, label, made_at, used_at, .. }: &Passkey) -> Self {
        let (id, label) = (ids::passkey_id(id), label.clone());
        Self { id, label, made_at: *made_at, used_at: *used_at }
    }
}

impl From<&ApiToken> for ShownToken {
    fn from(ApiToken { hash, label, scopes, made_at, used_at, expires_at }: &ApiToken) -> Self {
        Self {
            id: ids::session_id(*hash),
            label: label.clone(),
            scopes: scopes.clone(),
            made_at: *made_at,
            used_at: *used_at,
            expires_at: *expires_at,
        }
    }
}

/// All that a member sees of their account.
pub(super) async fn shown(asked: &Asked, own: SignedIn) -> Result<ShownAccounts, AccountRefusal> {
    let keys = asked.accounts().keys(&own.account).await?;
    let SignedIn { account, session } = own;
    let proved_until = session.proved_at + millis(PROVED_WITHIN);
    let proved_ms = proved_until.saturating_sub(asked.server.clock.now());
    let shown_keys = ShownKeys::new(&keys, asked.accounts().passkey_domain(), proved_ms);
    let sessions = keys.sessions.into_iter().map(|own| ShownSession::new(own, Some(session.hash)));
    let member = account.member.clone();
    let operator = asked.server.moderation.read(move |reader| reader.is_operator(&member)).await?;
    Ok(ShownAccounts {
        operator,
        sessions: Some(sessions.collect()),
        recovery_codes_left: Some(keys.codes_left),
        keys: Some(shown_keys),
        ..ShownAccounts::of(account)
    })
}
