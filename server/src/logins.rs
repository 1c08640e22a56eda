//! The sessions of each member, so that the server can end them when an identity is replaced.
//!
//! It does not know what else sessions do.

use std::{
    collections::HashMap,
    sync::{
        Arc, Mutex, MutexGuard, PoisonError,
        atomic::{AtomicBool, Ordering},
    },
};

use fivefold_shared::protocol::MemberId;
use fivefold_shared::room::SessionId;
use tokio_util::sync::CancellationToken;

/// The authenticated sessions of all members.
#[derive(Debug, Default)]
pub(crate) struct Logins {
    /// Locked only to look up or change an entry.
    logins: Mutex<State>,
}

#[derive(Debug, Default)]
struct State {
    sessions: HashMap<MemberId, Vec<(SessionId, Ending)>>,
    /// Number of identities replaced since the start.
    replacements: u64,
}

/// Signals a session to end because its identity was replaced.
#[derive(Clone, Debug)]
pub(crate) struct Ending {
    token: CancellationToken,
    is_replaced: Arc<AtomicBool>,
}

impl Ending {
    /// Cancels the session's own token, and records the reason.
    pub(crate) fn new(token: CancellationToken) -> Self {
        Self { token, is_replaced: Arc::default() }
    }

    /// Whether the session ends because its identity was replaced.
    pub(crate) fn is_replaced(&self) -> bool {
        self.is_replaced.load(Ordering::Acquire)
    }

    fn end(&self) {
        self.is_replaced.store(true, Ordering::Release);
        self.token.cancel();
    }
}

impl Logins {
    /// Number of identities replaced so far. Read it before looking up an identity.
    pub(crate) fn replacements(&self) -> u64 {
        self.lock().replacements
    }

    /// Registers a session, unless an identity was replaced since `replacements` was read: then the
    /// lookup may be out of date. Returns whether it was registered.
    pub(crate) fn enter(
        &self,
        member: &MemberId,
        session: SessionId,
        ending: &Ending,
        replacements: u64,
    ) -> bool {
        let mut state = self.lock();
        let is_current = state.replacements == replacements;
        if is_current {
            state.sessions.entry(member.clone()).or_default().push((session, ending.clone()));
        }
        is_current
    }

    /// Ends a member's other sessions after one of them replaced the identity.
    pub(crate) fn end_others(&self, member: &MemberId, session: SessionId) {
        let mut state = self.lock();
        state.replacements += 1;
        for (other, ending) in state.sessions.get(member).into_iter().flatten() {
            if *other != session {
                ending.end();
            }
        }
    }

    /// Removes a session that has ended.
    pub(crate) fn leave(&self, member: &MemberId, session: SessionId) {
        let mut state = self.lock();
        if let Some(sessions) = state.sessions.get_mut(member) {
            sessions.retain(|(other, _)| *other != session);
            if sessions.is_empty() {
                state.sessions.remove(member);
            }
        }
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        // Nothing panics between two changes that belong together.
        self.logins.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_login_that_was_looked_up_before_a_replacement_is_not_entered() {
        let logins = Logins::default();
        let ann = MemberId::try_from("5d41402abc4b2a76").unwrap();
        let ending = || Ending::new(CancellationToken::new());
        let (first, second) = (ending(), ending());
        let before = logins.replacements();
        assert!(logins.enter(&ann, SessionId(1), &first, before));
        assert!(logins.enter(&ann, SessionId(2), &second, before));
        logins.end_others(&ann, SessionId(1));
        assert!(!first.is_replaced() && second.is_replaced());
        assert!(!logins.enter(&ann, SessionId(3), &ending(), before));
        assert!(logins.enter(&ann, SessionId(3), &ending(), logins.replacements()));
        for session in 1..=3 {
            logins.leave(&ann, SessionId(session));
        }
        assert!(logins.lock().sessions.is_empty());
    }
}
