//! E-mail addresses in memory.

use fivefold_shared::clock::millis;

use crate::{AccountChanged, Email, EmailStep, KeyHash, limits::EMAIL_NAMED_KEPT};

/// The address of one account.
#[derive(Debug)]
pub(super) struct StoredEmail {
    pub(super) email: Email,
    pub(super) token: KeyHash,
    /// Recovers the account until this time.
    code: Option<(KeyHash, u64)>,
}

impl StoredEmail {
    /// Uses up the code that was sent, if it is this one.
    pub(super) fn use_code(&mut self, code: &KeyHash, at: u64) -> bool {
        self.code.take_if(|(own, until)| own == code && *until > at).is_some()
    }
}

/// Ends what was sent to a member: the link to an address that is not confirmed, and a code. `unused` is the hash of
/// another secret.
pub(super) fn end_sent(own: &mut Option<StoredEmail>, unused: KeyHash) {
    *own = own.take().and_then(|own| {
        let named = own.email.confirmed.clone()?;
        Some(StoredEmail { email: Email { named, ..own.email }, token: unused, code: None })
    });
}

/// Changes the address of an account. Only people, and not those whose account is deleted, name one.
pub(super) fn change(
    own: &mut Option<StoredEmail>,
    (at, is_person): (u64, bool),
    step: &EmailStep,
) -> AccountChanged {
    let is_done = match step {
        EmailStep::Name { .. } if !is_person => false,
        EmailStep::Name { address, token, language } => {
            let (named, language) = (address.clone(), language.clone());
            let email = Email { confirmed: None, named, named_at: at, language };
            let new = StoredEmail { email, token: *token, code: None };
            *own = Some(match own.take() {
                Some(StoredEmail { email: Email { confirmed, .. }, code, .. }) => {
                    StoredEmail { email: Email { confirmed, ..new.email }, code, ..new }
                }
                None => new,
            });
            true
        }
        EmailStep::Confirm(token) => {
            let since = at.saturating_sub(millis(EMAIL_NAMED_KEPT));
            let own = own.as_mut().filter(|own| own.token == *token && own.email.named_at > since);
            own.map(|own| {
                let before = own.email.confirmed.replace(own.email.named.clone());
                own.code = own.code.filter(|_| before.as_ref() == Some(&own.email.named));
            })
            .is_some()
        }
        EmailStep::Forget => {
            *own = None;
            true
        }
        EmailStep::AddCode(code, until) => {
            let own = own.as_mut().filter(|own| own.email.confirmed.is_some());
            own.map(|own| own.code = Some((*code, *until))).is_some()
        }
    };
    if is_done { AccountChanged::Done } else { AccountChanged::Gone }
}
