//! The members who are online and their sessions. Challenges find people here, and sessions end when an
//! identity is replaced or an account is signed out.
//!
//! It does not know what else sessions do.

use std::{
    collections::{HashMap, HashSet},
    sync::{
        Arc, Mutex, MutexGuard, PoisonError,
        atomic::{AtomicBool, Ordering},
    },
};

use fivefold_shared::{
    protocol::{MemberId, Name},
    room::{Member, SessionId},
};
use fivefold_storage::{KeyHash, Sessions};
use serde::{Deserialize, Serialize};
use tokio_tungstenite::tungstenite::Utf8Bytes;
use tokio_util::sync::CancellationToken;

#[cfg(test)]
use crate::http::Named;
use crate::{
    limits::operators::SHOWN_TO_OPERATORS_MAX,
    net::shrink::shrink,
    online::{
        announcements::{Announcement, Announcements},
        outbox::{Outbox, encode},
        short_lived::ShortLived,
    },
};

/// The authenticated sessions of all members.
#[derive(Debug, Default)]
pub(crate) struct Logins {
    /// Locked only to look up or change an entry.
    logins: Mutex<State>,
    /// What people who sign in wait for.
    short_lived: ShortLived,
    /// What everybody is told.
    announcements: Arc<Announcements>,
}

#[derive(Debug, Default)]
struct State {
    members: HashMap<MemberId, Online>,
    /// The members who are online, by their names in lower case.
    names: HashMap<String, HashSet<MemberId>>,
    /// Number of times since the start that an identity was replaced or an account changed.
    replacements: u64,
}

/// A member who is online.
#[derive(Debug)]
struct Online {
    name: Name,
    logins: Vec<Login>,
}

/// One authenticated session.
#[derive(Clone, Debug)]
pub(crate) struct Login {
    pub(crate) session: SessionId,
    /// The account's session or token that it comes by; absent for guests.
    pub(crate) account: Option<KeyHash>,
    /// Whether that is a token.
    pub(crate) is_token: bool,
    pub(crate) ending: Ending,
    pub(crate) outbox: Outbox,
}

/// What ends the sessions of a member.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub(crate) enum Ended {
    /// The identity of the guest is one no more.
    Guest,
    /// These sessions of the account are signed out.
    Sessions(Sessions),
    /// The account has another name or one more guest: its sessions come again with it.
    Changed,
}

/// Somebody who is online, as operators see them.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub(crate) struct OnlineMember {
    #[cfg_attr(test, schemars(with = "Named<MemberId>"))]
    pub(crate) member: MemberId,
    #[cfg_attr(test, schemars(with = "Named<Name>"))]
    pub(crate) name: Name,
    pub(crate) kind: OnlineKind,
    pub(crate) sessions: usize,
}

/// How somebody comes.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub(crate) enum OnlineKind {
    /// Signed in.
    Account,
    /// By a token alone.
    Program,
    Guest,
}

/// How many members are online, and by how many sessions.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
#[serde(default)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub(crate) struct OnlineCounts {
    pub(crate) accounts: usize,
    pub(crate) programs: usize,
    pub(crate) guests: usize,
    pub(crate) sessions: usize,
}

impl OnlineKind {
    fn of(logins: &[Login]) -> Self {
        if logins.iter().any(|login| login.account.is_some() && !login.is_token) {
            Self::Account
        } else if logins.iter().any(|login| login.is_token) {
            Self::Program
        } else {
            Self::Guest
        }
    }
}

impl OnlineCounts {
    fn add(&mut self, kind: OnlineKind, sessions: usize) {
        match kind {
            OnlineKind::Account => self.accounts += 1,
            OnlineKind::Program => self.programs += 1,
            OnlineKind::Guest => self.guests += 1,
        }
        self.sessions += sessions;
    }
}

/// Signals a session to end because its identity was replaced, or it was signed out.
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

    /// Whether the session ends because its identity was replaced, or it was signed out.
    pub(crate) fn is_replaced(&self) -> bool {
        self.is_replaced.load(Ordering::Acquire)
    }

    fn end(&self) {
        self.is_replaced.store(true, Ordering::Release);
        self.token.cancel();
    }
}

impl Logins {
    /// Number of identities replaced and accounts changed so far. Read it before looking up an identity
    /// or an account.
    pub(crate) fn replacements(&self) -> u64 {
        self.lock().replacements
    }

    /// Registers a session, unless [`replacements`](Self::replacements) was read before a change: then
    /// the lookup may be out of date. Returns whether it was registered.
    pub(crate) fn enter(&self, member: &Member, login: Login, replacements: u64) -> bool {
        let mut state = self.lock();
        let is_current = state.replacements == replacements;
        if is_current {
            state.rename(&member.id, &member.name).logins.push(login);
        }
        is_current
    }

    /// A member has another name.
    pub(crate) fn rename(&self, member: &Member) {
        self.lock().rename(&member.id, &member.name);
    }

    /// The members of this name who are online, two at most. Letter case does not matter.
    pub(crate) fn named(&self, name: &Name) -> Vec<MemberId> {
        let state = self.lock();
        let named = state.names.get(&key(name)).into_iter().flatten();
        named.take(2).cloned().collect()
    }

    /// Whether a member is online.
    pub(crate) fn is_online(&self, member: &MemberId) -> bool {
        self.lock().members.contains_key(member)
    }

    /// The sessions of a member.
    pub(crate) fn of(&self, member: &MemberId) -> Vec<Login> {
        self.lock().members.get(member).map(|online| online.logins.clone()).unwrap_or_default()
    }

    /// Ends a member's other sessions after one of them replaced the identity.
    pub(crate) fn end_others(&self, member: &MemberId, session: SessionId) {
        let mut state = self.lock();
        state.replacements += 1;
        for other in state.members.get(member).into_iter().flat_map(|online| &online.logins) {
            if other.session != session {
                other.ending.end();
            }
        }
    }

    /// Ends sessions of a member at this node.
    pub(crate) fn end(&self, member: &MemberId, ended: Ended) {
        let mut state = self.lock();
        state.replacements += 1;
        for login in state.members.get(member).into_iter().flat_map(|online| &online.logins) {
            match (ended, login.account) {
                (Ended::Guest, None) => login.ending.end(),
                // Tokens outlive the other sessions.
                (Ended::Sessions(Sessions::AllBut(_)), Some(_)) if login.is_token => {}
                (Ended::Sessions(sessions), Some(session)) if sessions.contain(session) => {
                    login.ending.end();
                }
                (Ended::Changed, Some(_)) => login.outbox.restart(),
                (Ended::Guest, Some(_)) | (Ended::Sessions(_), _) | (Ended::Changed, None) => {}
            }
        }
    }

    /// Sends a message to all sessions of an account at this node.
    pub(crate) fn tell(&self, member: &MemberId, text: impl Into<Utf8Bytes>) {
        let text: Utf8Bytes = text.into();
        for login in self.of(member).into_iter().filter(|login| login.account.is_some()) {
            login.outbox.post(text.clone());
        }
    }

    /// Sends an announcement to all sessions at this node. Posted to [`announcements`](Self::announcements), so that
    /// all of them get the newest one last.
    pub(crate) fn announce(&self, announcement: &Announcement) {
        let text = encode(&announcement.message());
        let state = self.lock();
        for login in state.members.values().flat_map(|online| &online.logins) {
            login.outbox.post(text.clone());
        }
    }

    /// Nobody is online; these are the announcements.
    pub(crate) fn with(announcements: Arc<Announcements>) -> Self {
        Self { announcements, ..Self::default() }
    }

    /// What everybody is told.
    pub(crate) fn announcements(&self) -> &Announcements {
        &self.announcements
    }

    /// The members who are online, by name; the first [`SHOWN_TO_OPERATORS_MAX`], and how many of each kind there are.
    pub(crate) fn who_is_online(&self) -> (OnlineCounts, Vec<OnlineMember>) {
        let state = self.lock();
        let mut counts = OnlineCounts::default();
        let mut members: Vec<_> = state
            .members
            .iter()
            .map(|(member, online)| {
                let kind = OnlineKind::of(&online.logins);
                counts.add(kind, online.logins.len());
                (key(&online.name), member, kind, online)
            })
            .collect();
        let order = |a: &(String, &MemberId, _, _), b: &(String, &MemberId, _, _)| {
            (&a.0, a.1).cmp(&(&b.0, b.1))
        };
        if members.len() > SHOWN_TO_OPERATORS_MAX {
            members.select_nth_unstable_by(SHOWN_TO_OPERATORS_MAX, order);
            members.truncate(SHOWN_TO_OPERATORS_MAX);
        }
        members.sort_unstable_by(order);
        let shown = |(_, member, kind, online): (_, &MemberId, _, &Online)| OnlineMember {
            member: member.clone(),
            name: online.name.clone(),
            kind,
            sessions: online.logins.len(),
        };
        let members = members.into_iter().map(shown).collect();
        (counts, members)
    }

    /// What people who sign in wait for.
    pub(crate) const fn short_lived(&self) -> &ShortLived {
        &self.short_lived
    }

    /// Removes a session that has ended.
    pub(crate) fn leave(&self, member: &MemberId, session: SessionId) {
        let mut state = self.lock();
        let Some(online) = state.members.get_mut(member) else { return };
        online.logins.retain(|other| other.session != session);
        if online.logins.is_empty()
            && let Some(Online { name, .. }) = state.members.remove(member)
        {
            state.forget_name(member, &name);
            shrink(&mut state.members);
        }
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        // Nothing panics between two changes that belong together.
        self.logins.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl State {
    /// The member, with this name from now on.
    fn rename(&mut self, member: &MemberId, name: &Name) -> &mut Online {
        let before = self.members.get(member).map(|online| online.name.clone());
        if before.as_ref() != Some(name) {
            if let Some(before) = &before {
                self.forget_name(member, before);
            }
            self.names.entry(key(name)).or_default().insert(member.clone());
        }
        let online = self.members.entry(member.clone());
        let online = online.or_insert_with(|| Online { name: name.clone(), logins: Vec::new() });
        online.name = name.clone();
        online
    }

    fn forget_name(&mut self, member: &MemberId, name: &Name) {
        let key = key(name);
        if let Some(named) = self.names.get_mut(&key) {
            named.remove(member);
            if named.is_empty() {
                self.names.remove(&key);
                shrink(&mut self.names);
            }
        }
    }
}

/// By this, names are sorted and found.
pub(crate) fn key(name: &Name) -> String {
    name.as_str().to_lowercase()
}

#[cfg(test)]
mod tests {
    use std::slice;

    use super::*;
    use crate::{process::ids, thinking::Owner};

    fn login(session: u64, ending: Ending) -> Login {
        let (outbox, ..) = Outbox::new(&CancellationToken::new(), Owner::UNKNOWN);
        let session = SessionId(session);
        Login { session, account: None, is_token: false, ending, outbox }
    }

    fn member(name: &str) -> Member {
        Member::person(ids::member_id(&ids::identity()), Name::new(name).unwrap())
    }

    #[test]
    fn members_are_found_by_their_name_while_they_are_online() {
        let logins = Logins::default();
        let enter = |member: &Member, session| {
            let ending = Ending::new(CancellationToken::new());
            assert!(logins.enter(member, login(session, ending), 0));
        };
        let named = |name| logins.named(&Name::new(name).unwrap());
        let (ann, mut other) = (member("Ann"), member("ann"));
        assert_eq!(named("Ann"), []);
        enter(&ann, 1);
        enter(&ann, 2);
        assert_eq!(named("ANN"), slice::from_ref(&ann.id));
        assert_eq!((logins.of(&ann.id).len(), logins.is_online(&ann.id)), (2, true));
        enter(&other, 3);
        assert_eq!(named("Ann").len(), 2);
        other.name = Name::new("Bob").unwrap();
        logins.rename(&other);
        assert_eq!((named("Ann"), named("bob")), (vec![ann.id.clone()], vec![other.id.clone()]));
        logins.leave(&other.id, SessionId(3));
        logins.leave(&ann.id, SessionId(1));
        assert_eq!((named("Ann"), named("bob")), (vec![ann.id.clone()], vec![]));
        logins.leave(&ann.id, SessionId(2));
        assert!(!logins.is_online(&ann.id));
        let state = logins.lock();
        assert!(state.members.is_empty() && state.names.is_empty());
    }

    #[test]
    fn a_login_that_was_looked_up_before_a_replacement_is_not_entered() {
        let logins = Logins::default();
        let ann = member("Ann");
        let ending = || Ending::new(CancellationToken::new());
        let (first, second) = (ending(), ending());
        let before = logins.replacements();
        assert!(logins.enter(&ann, login(1, first.clone()), before));
        assert!(logins.enter(&ann, login(2, second.clone()), before));
        logins.end_others(&ann.id, SessionId(1));
        assert!(!first.is_replaced() && second.is_replaced());
        assert!(!logins.enter(&ann, login(3, ending()), before));
        assert!(logins.enter(&ann, login(3, ending()), logins.replacements()));
        for session in 1..=3 {
            logins.leave(&ann.id, SessionId(session));
        }
        assert!(logins.lock().members.is_empty());
    }

    #[test]
    fn only_the_sessions_that_are_signed_out_end() {
        let [one, other] = [KeyHash([1; 32]), KeyHash([2; 32])];
        // What ends, and which sessions do: a guest's, the first one and the other one.
        let cases = [
            (Ended::Guest, [true, false, false]),
            (Ended::Sessions(Sessions::All), [false, true, true]),
            (Ended::Sessions(Sessions::One(one)), [false, true, false]),
            (Ended::Sessions(Sessions::AllBut(one)), [false, false, true]),
            (Ended::Changed, [false, false, false]),
        ];
        for (ended, expected) in cases {
            let logins = Logins::default();
            let ann = member("Ann");
            let all = [None, Some(one), Some(other)].map(|account| {
                let (session, ending) = (1, Ending::new(CancellationToken::new()));
                let login = Login { account, ..login(session, ending) };
                assert!(logins.enter(&ann, login.clone(), 0));
                login
            });
            logins.end(&member("Bob").id, ended);
            assert!(all.iter().all(|login| !login.ending.is_replaced()), "{ended:?}");
            logins.end(&ann.id, ended);
            assert_eq!(
                all.each_ref().map(|login| login.ending.is_replaced()),
                expected,
                "{ended:?}"
            );
            let is_changed = ended == Ended::Changed;
            let restarted = all.map(|login| login.outbox.is_restarted());
            assert_eq!(restarted, [false, is_changed, is_changed], "{ended:?}");
            // A session that was looked up before is not entered.
            let late = login(9, Ending::new(CancellationToken::new()));
            assert!(!logins.enter(&ann, late, 1));
        }
    }

    #[test]
    fn a_token_outlives_the_other_sessions_and_ends_with_all() {
        let [kept, token] = [KeyHash([1; 32]), KeyHash([2; 32])];
        let cases = [
            (Sessions::AllBut(kept), false),
            (Sessions::One(kept), false),
            (Sessions::One(token), true),
            (Sessions::All, true),
        ];
        for (sessions, expected) in cases {
            let logins = Logins::default();
            let ann = member("Ann");
            let ending = Ending::new(CancellationToken::new());
            let login = Login { account: Some(token), is_token: true, ..login(1, ending.clone()) };
            assert!(logins.enter(&ann, login, 0));
            logins.end(&ann.id, Ended::Sessions(sessions));
            assert_eq!(ending.is_replaced(), expected, "{sessions:?}");
        }
    }
}
