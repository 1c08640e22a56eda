//! The link that makes the first operator. The program prints it if it starts without any operator. One person with the
//! link and an account can become the operator.
//!
//! The node that printed the link keeps a hash of its token in memory, and the other nodes ask for it. After a restart
//! the token is not valid any more, and the node makes another one.

use std::{fmt, net::IpAddr};

use fivefold_shared::protocol::{Reason, Refusal};
use fivefold_storage::{Account, ModerationChange};
use tokio::time::Instant;

use super::Accounts;
use crate::process::ids;

/// What is kept under the hash of a token.
const KEPT: &str = "first operator";

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

impl Accounts {
    /// Lets a link with this token make the first operator.
    pub(crate) fn offer_first_operator(&self, token: &OperatorToken) {
        let key = ids::operator_hash(token.as_str());
        // It is valid until it is used.
        self.logins.short_lived().put(key, &KEPT, u64::MAX, None);
    }

    /// Makes a member the first operator, by the token of a link.
    ///
    /// # Errors
    /// If the token is wrong, somebody else is an operator, the address has tried too often, or it cannot be stored.
    pub(crate) async fn become_first_operator(
        &self,
        account: &Account,
        token: &str,
        address: IpAddr,
    ) -> Result<(), Refusal> {
        self.tries.first_operator(address, Instant::now())?;
        let key = ids::operator_hash(token);
        if self.short_lived().read::<String>(key).await.as_deref() != Some(KEPT) {
            return Err(Refusal::new(Reason::WrongOperatorLink));
        }
        let (member, since) = (account.member.clone(), self.clock.now());
        let change = ModerationChange::FirstOperator { member, since };
        let made = self.moderation.change(change, Reason::ServerFull).await;
        match made {
            Err(refusal) if refusal.reason != Reason::NoSuchCase => return Err(refusal),
            Ok(()) | Err(_) => {}
        }
        // It was used, or comes too late.
        self.short_lived().take::<String>(key).await;
        made.map_err(|_| Refusal::new(Reason::WrongOperatorLink))
    }
}
