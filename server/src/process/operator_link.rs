//! The link that makes the first operator: its token, for as long as it is valid.
//!
//! The memory of the node that has printed it keeps a hash of the token, for a day at most. As soon as there is an
//! operator, it is gone for good: the text of the link may be in logs that people read much later.

use std::{
    fmt,
    sync::{Mutex, MutexGuard, PoisonError},
};

use fivefold_storage::KeyHash;
use tokio::time::Instant;

use crate::{limits::operators::OPERATOR_LINK_VALID, process::ids};

/// The secret part of the link.
#[derive(Clone, PartialEq, Eq)]
pub struct OperatorToken(String);

impl OperatorToken {
    /// A new one, which nobody can guess.
    pub fn random() -> Self {
        Self(ids::operator_token())
    }

    /// The token itself.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Debug for OperatorToken {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("OperatorToken")
    }
}

/// A link, or that there is none, or none any more.
#[derive(Debug, Default)]
pub struct OperatorLink(Mutex<Option<Offered>>);

#[derive(Debug)]
struct Offered {
    hash: KeyHash,
    until: Instant,
}

impl OperatorLink {
    /// A link with this token, from now on.
    pub fn new(token: &OperatorToken) -> Self {
        let hash = ids::operator_hash(token.as_str());
        Self(Mutex::new(Some(Offered { hash, until: Instant::now() + OPERATOR_LINK_VALID })))
    }

    /// Whether a token with this hash makes an operator.
    pub(crate) fn opens(&self, hash: KeyHash) -> bool {
        self.lock().as_ref().is_some_and(|offered| offered.hash == hash)
    }

    /// Whether there is a link that is still valid.
    pub(crate) fn is_offered(&self) -> bool {
        self.lock().is_some()
    }

    /// Takes the link back for good: there is an operator.
    pub(crate) fn withdraw(&self) {
        *self.lock() = None;
    }

    /// The link, without one that is too old.
    fn lock(&self) -> MutexGuard<'_, Option<Offered>> {
        // Nothing panics while the lock is held.
        let mut offered = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if offered.as_ref().is_some_and(|offered| offered.until <= Instant::now()) {
            *offered = None;
        }
        offered
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use tokio::time::advance;

    use super::*;

    #[tokio::test(start_paused = true)]
    async fn a_link_is_valid_for_a_day_or_until_there_is_an_operator() {
        let token = OperatorToken::random();
        let (hash, other) = (
            ids::operator_hash(token.as_str()),
            ids::operator_hash(OperatorToken::random().as_str()),
        );
        let link = OperatorLink::new(&token);
        assert!(link.opens(hash) && !link.opens(other));
        advance(OPERATOR_LINK_VALID - Duration::from_millis(1)).await;
        assert!(link.opens(hash) && link.is_offered());
        advance(Duration::from_millis(1)).await;
        assert!(!link.opens(hash) && !link.is_offered());

        let link = OperatorLink::new(&token);
        link.withdraw();
        assert!(!link.opens(hash) && !link.is_offered());
        assert!(!OperatorLink::default().is_offered());
    }
}
