//! Keys to accounts besides passwords, as they are stored: passkeys and tokens, and the guests that belong to
//! an account. Nothing here knows how they are checked.

use fivefold_shared::protocol::{MemberId, Scope};

use super::{
    account_session::AccountSession,
    hashes::{IdentityHash, KeyHash},
};

/// A passkey of an account, or another site that opens it. Times are in milliseconds since the Unix epoch.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Passkey {
    /// What the device that holds it calls it.
    pub id: Vec<u8>,
    /// The member's name for it.
    pub label: String,
    /// The public key and its counter, as JSON.
    pub credential: String,
    /// When it was added.
    pub made_at: u64,
    /// When it was used last.
    pub used_at: Option<u64>,
}

/// The ids of keys that are people at another site begin with this. No device may give a passkey such an id.
pub const OIDC_KEY_PREFIX: &[u8] = b"oidc:";

impl Passkey {
    /// Whether it is not a device's, but an account at another site (OpenID Connect): then `credential`
    /// is the issuer and the subject, and the id their hash.
    pub fn is_oidc(&self) -> bool {
        self.id.starts_with(OIDC_KEY_PREFIX)
    }
}

/// A token, by which programs speak for an account. Times are in milliseconds since the Unix epoch.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ApiToken {
    /// The hash of its secret.
    pub hash: KeyHash,
    /// The member's name for it.
    pub label: String,
    /// What it allows.
    pub scopes: Vec<Scope>,
    /// When it was made.
    pub made_at: u64,
    /// When it was used last; accurate to about a day.
    pub used_at: Option<u64>,
    /// When it ends.
    pub expires_at: u64,
}

/// A passkey after it was used.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct UsedPasskey {
    /// The passkey.
    pub id: Vec<u8>,
    /// The public key with its new counter, as JSON.
    pub credential: String,
}

/// What changes in the keys of an account.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum KeyStep {
    /// Begins a session by a passkey, and takes back a deletion.
    SignIn {
        /// The passkey.
        passkey: UsedPasskey,
        /// The session.
        session: AccountSession,
    },
    /// Begins a session that another session of the account has allowed.
    Begin(AccountSession),
    /// Notes that a key to the account was used in a session.
    Prove {
        /// The session.
        session: KeyHash,
        /// The passkey, if it was one.
        passkey: Option<UsedPasskey>,
    },
    /// Adds a passkey.
    AddPasskey(Passkey),
    /// Removes a passkey.
    EndPasskey(Vec<u8>),
    /// Adds a token.
    AddToken(ApiToken),
    /// Removes a token.
    EndToken(KeyHash),
    /// Notes that a token is used.
    NoteToken(KeyHash),
    /// Gives everything of a guest to the account.
    AddAlias {
        /// The guest.
        guest: MemberId,
        /// The hash of their identity, which ends with this.
        hash: IdentityHash,
        /// Takes its place: random, so that it belongs to no identity.
        locked: IdentityHash,
    },
}
