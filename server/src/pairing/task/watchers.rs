//! The sessions here that watch the lobby. All of them see the same lobby, and the same changes of it,
//! except for the seeks of people that they have blocked, or who have blocked them.

use std::collections::{BTreeMap, BTreeSet};

use fivefold_shared::{
    protocol::{Message, OpenSeek, Pool, SeekId},
    room::SessionId,
};

use super::messages::LobbyView;
use crate::online::outbox::{Outbox, Posted, encode};

/// The sessions that watch, and the lobby that was sent last.
#[derive(Debug, Default)]
pub(super) struct Watchers {
    sessions: BTreeMap<SessionId, Watcher>,
    view: LobbyView,
}

#[derive(Debug)]
struct Watcher {
    outbox: Outbox,
    /// The seeks of the lobby that the session does not see.
    hidden: BTreeSet<SeekId>,
}

impl Watcher {
    fn hides(&self, seek: &OpenSeek) -> bool {
        !self.outbox.meets(&seek.member)
    }
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
        self.sessions.insert(session, Watcher { outbox, hidden: BTreeSet::new() });
    }

    /// What a session sees of the lobby of now.
    pub(super) fn seen_by(&mut self, session: SessionId, mut view: LobbyView) -> LobbyView {
        if let Some(watcher) = self.sessions.get_mut(&session) {
            let (hidden, seen) = view.seeks.into_iter().partition(|seek| watcher.hides(seek));
            view.seeks = seen;
            let hidden: Vec<OpenSeek> = hidden;
            watcher.hidden = hidden.into_iter().map(|seek| seek.seek).collect();
        }
        view
    }

    /// Removes a session that watches no more.
    pub(super) fn remove(&mut self, session: SessionId) {
        self.sessions.remove(&session);
    }

    /// Forgets sessions that have ended.
    pub(super) fn forget_closed(&mut self) {
        self.sessions.retain(|_, watcher| !watcher.outbox.is_closed());
    }

    /// Sends what those see no more, or again, who have changed their lists since.
    pub(super) fn note_blocked(&mut self) {
        let seeks = &self.view.seeks;
        self.sessions.retain(|_, watcher| {
            let (mut added, mut removed) = (Vec::new(), Vec::new());
            for seek in seeks {
                let (hides, hid) = (watcher.hides(seek), watcher.hidden.contains(&seek.seek));
                if hides && !hid {
                    watcher.hidden.insert(seek.seek.clone());
                    removed.push(seek.seek.clone());
                } else if hid && !hides {
                    watcher.hidden.remove(&seek.seek);
                    added.push(seek.clone());
                }
            }
            let is_same = added.is_empty() && removed.is_empty();
            let change = Message::LobbyChanged { pools: Vec::new(), added, removed };
            is_same || watcher.outbox.post(encode(&change)) == Posted::Queued
        });
    }

    /// Takes in the lobby of now, and sends what has changed.
    pub(super) fn update(&mut self, view: LobbyView) {
        if let Some(Change { pools, added, removed }) = change(&self.view, &view) {
            let message = |added: &[OpenSeek], removed: &[SeekId]| {
                let (added, removed) = (added.to_vec(), removed.to_vec());
                Message::LobbyChanged { pools: pools.clone(), added, removed }
            };
            let text = encode(&message(&added, &removed));
            self.sessions.retain(|_, watcher| {
                let hides = added.iter().any(|seek| watcher.hides(seek));
                if !hides && watcher.hidden.is_empty() {
                    return watcher.outbox.post(text.clone()) == Posted::Queued;
                }
                let (hidden, seen): (Vec<_>, Vec<_>) =
                    added.iter().cloned().partition(|seek| watcher.hides(seek));
                let known = removed.iter().filter(|seek| !watcher.hidden.contains(*seek));
                let known: Vec<_> = known.cloned().collect();
                watcher.hidden.retain(|seek| !removed.contains(seek));
                watcher.hidden.extend(hidden.into_iter().map(|seek| seek.seek));
                let is_same = pools.is_empty() && seen.is_empty() && known.is_empty();
                is_same || watcher.outbox.post(encode(&message(&seen, &known))) == Posted::Queued
            });
        }
        self.view = view;
    }
}

struct Change {
    pools: Vec<Pool>,
    added: Vec<OpenSeek>,
    removed: Vec<SeekId>,
}

/// The difference between two lobbies, if there is one. All nodes should have the same pools.
fn change(before: &LobbyView, now: &LobbyView) -> Option<Change> {
    let changed = now.pools.iter().filter(|pool| !before.pools.contains(pool));
    let pools: Vec<Pool> = changed.cloned().collect();
    let has =
        |seeks: &[OpenSeek], seek: &OpenSeek| seeks.iter().any(|other| other.seek == seek.seek);
    let added = now.seeks.iter().filter(|seek| !has(&before.seeks, seek));
    let added: Vec<_> = added.cloned().collect();
    let removed = before.seeks.iter().filter(|seek| !has(&now.seeks, seek));
    let removed: Vec<_> = removed.map(|seek| seek.seek.clone()).collect();
    let is_same = pools.is_empty() && added.is_empty() && removed.is_empty();
    (!is_same).then_some(Change { pools, added, removed })
}
