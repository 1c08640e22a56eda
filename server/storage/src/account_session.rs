//! Sessions of accounts as they are stored. Nothing here knows how their secrets are made.

use serde::{Deserialize, Serialize};

use super::hashes::KeyHash;

/// A device that is signed in to an account. Times are in milliseconds since the Unix epoch.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct AccountSession {
    /// The hash of its secret.
    pub hash: KeyHash,
    /// What the device calls itself.
    pub label: String,
    /// When it signed in.
    pub made_at: u64,
    /// When it was last used; accurate to about a day.
    pub seen_at: u64,
    /// When it ends, if it is not used before.
    pub expires_at: u64,
    /// When a key to the account was last used in it; 0 if none was.
    pub proved_at: u64,
}

/// Some sessions of an account.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub enum Sessions {
    /// All of them.
    All,
    /// One.
    One(KeyHash),
    /// All but one.
    AllBut(KeyHash),
}

impl Sessions {
    /// Whether this session is one of them.
    pub fn contain(&self, session: KeyHash) -> bool {
        match self {
            Self::All => true,
            Self::One(one) => *one == session,
            Self::AllBut(kept) => *kept != session,
        }
    }
}
