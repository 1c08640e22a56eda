//! The sessions here that watch the lobby. All of them see the same lobby, and the same changes of it.

use std::collections::BTreeMap;

use fivefold_shared::{
    protocol::{Message, OpenSeek, Pool},
    room::SessionId,
};

use super::messages::LobbyView;
use crate::outbox::{Outbox, Posted, encode};

/// The sessions that watch, and the lobby that was sent last.
#[derive(Debug, Default)]
pub(super) struct Watchers {
    sessions: BTreeMap<SessionId, Outbox>,
    view: LobbyView,
}

impl Watchers {
    /// Whether nobody watches.
    pub(super) fn are_none(&self) -> bool {
        self.sessions.is_empty()
    }

    /// The lobby that the next change will follow, while somebody watches.
    pub(super) fn view(&self) -> Option<LobbyView> {
        (!self.are_none()).then(|| self.view.clone())
    }

    /// Adds a session, which has the lobby of now.
    pub(super) fn add(&mut self, session: SessionId, outbox: Outbox) {
        self.sessions.insert(session, outbox);
    }

    /// Removes a session that watches no more.
    pub(super) fn remove(&mut self, session: SessionId) {
        self.sessions.remove(&session);
    }

    /// Forgets sessions that have ended.
    pub(super) fn forget_closed(&mut self) {
        self.sessions.retain(|_, outbox| !outbox.is_closed());
    }

    /// Takes in the lobby of now, and sends what has changed.
    pub(super) fn update(&mut self, view: LobbyView) {
        if let Some(change) = change(&self.view, &view) {
            let text = encode(&change);
            self.sessions.retain(|_, outbox| outbox.post(text.clone()) == Posted::Queued);
        }
        self.view = view;
    }
}

/// The difference between two lobbies, if there is one. All nodes should have the same pools.
fn change(before: &LobbyView, now: &LobbyView) -> Option<Message> {
    let changed = now.pools.iter().filter(|pool| !before.pools.contains(pool));
    let pools: Vec<Pool> = changed.cloned().collect();
    let has =
        |seeks: &[OpenSeek], seek: &OpenSeek| seeks.iter().any(|other| other.seek == seek.seek);
    let added = now.seeks.iter().filter(|seek| !has(&before.seeks, seek));
    let added: Vec<_> = added.cloned().collect();
    let removed = before.seeks.iter().filter(|seek| !has(&now.seeks, seek));
    let removed: Vec<_> = removed.map(|seek| seek.seek.clone()).collect();
    let is_same = pools.is_empty() && added.is_empty() && removed.is_empty();
    (!is_same).then_some(Message::LobbyChanged { pools, added, removed })
}
