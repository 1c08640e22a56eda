//! E-mail addresses in memory.

use crate::{AccountChanged, Email, EmailStep, KeyHash, accounts::email::unconfirmed_before};

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

/// Forgets an address that nobody has confirmed in time.
pub(super) fn prune(own: &mut Option<StoredEmail>, now: u64) {
    let Some(stored) = own.as_mut().filter(|own| own.email.waiting(now).is_none()) else { return };
    match stored.email.confirmed.clone() {
        Some(confirmed) => stored.email.named = confirmed,
        None => *own = None,
    }
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
            let before = own.take();
            let code = before.as_ref().and_then(|before| before.code);
            let confirmed = before.and_then(|before| before.email.confirmed);
            let (named, language) = (address.clone(), language.clone());
            let email = Email { confirmed, named, named_at: at, language };
            *own = Some(StoredEmail { email, token: *token, code });
            true
        }
        EmailStep::Confirm(token) => {
            let since = unconfirmed_before(at);
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
