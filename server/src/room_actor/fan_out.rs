//! Tracks who is in a room and which sessions listen, and sends to them.
//!
//! A room decides who enters and leaves before those events are stored; sessions start and stop
//! listening afterwards. One entry here keeps both facts of a session.

use std::{
    collections::{BTreeMap, btree_map::Entry},
    sync::Arc,
};

use fivefold_shared::{protocol::Message, room::SessionId};
use tokio_tungstenite::tungstenite::Utf8Bytes;

use crate::outbox::{Encoder, Outbox, Outgoing, Posted};

/// The sessions in a room, and those that listen.
#[derive(Default)]
pub(super) struct FanOut {
    sessions: BTreeMap<SessionId, Recipient>,
    /// Sessions whose sockets ended without leaving.
    gone: Vec<SessionId>,
    encoder: Encoder,
}

struct Recipient {
    outbox: Arc<Outbox>,
    /// Whether the session is in the room.
    is_inside: bool,
    /// Whether the session gets events and broadcasts.
    listens: bool,
}

impl FanOut {
    /// Adds a session to the room.
    pub(super) fn enter(&mut self, session: SessionId, outbox: &Arc<Outbox>) {
        let outbox = Arc::clone(outbox);
        match self.sessions.entry(session) {
            Entry::Vacant(entry) => {
                entry.insert(Recipient { outbox, is_inside: true, listens: false });
            }
            Entry::Occupied(mut entry) => {
                let recipient = entry.get_mut();
                (recipient.outbox, recipient.is_inside) = (outbox, true);
            }
        }
    }

    /// Removes a session from the room. It listens until [`dismiss`](Self::dismiss).
    pub(super) fn leave(&mut self, session: SessionId) {
        self.change(session, |recipient| recipient.is_inside = false);
    }

    /// Makes a session listen, if it is known.
    pub(super) fn listen(&mut self, session: SessionId) {
        self.change(session, |recipient| recipient.listens = true);
    }

    /// Stops a session from listening.
    pub(super) fn dismiss(&mut self, session: SessionId) {
        self.change(session, |recipient| recipient.listens = false);
    }

    /// Stops all sessions from listening, and drops shared texts: after a rollback the same event
    /// number may mean another event.
    pub(super) fn reset(&mut self) {
        self.encoder = Encoder::default();
        self.sessions.retain(|_, recipient| {
            recipient.listens = false;
            recipient.is_inside
        });
    }

    fn change(&mut self, session: SessionId, change: impl FnOnce(&mut Recipient)) {
        if let Entry::Occupied(mut entry) = self.sessions.entry(session) {
            change(entry.get_mut());
            if !entry.get().is_inside && !entry.get().listens {
                entry.remove();
            }
        }
    }

    /// The outbox of a session that is in the room.
    pub(super) fn outbox(&self, session: SessionId) -> Option<&Arc<Outbox>> {
        self.sessions.get(&session).filter(|one| one.is_inside).map(|one| &one.outbox)
    }

    /// The outboxes of all sessions in the room.
    pub(super) fn outboxes(&self) -> impl Iterator<Item = &Arc<Outbox>> {
        self.sessions.values().filter(|one| one.is_inside).map(|one| &one.outbox)
    }

    /// Encodes a message for one session.
    pub(super) fn encode(&mut self, message: Message) -> Outgoing {
        self.encoder.encode(message)
    }

    /// Sends a text to every session that listens, except these.
    pub(super) fn broadcast(&mut self, text: &Utf8Bytes, except: &[SessionId]) {
        for (session, recipient) in &self.sessions {
            if !recipient.listens || except.contains(session) {
                continue;
            }
            match recipient.outbox.post(text.clone()) {
                // A session whose outbox is full ends itself, and then leaves.
                Posted::Queued | Posted::Full => {}
                Posted::Gone => self.gone.push(*session),
            }
        }
    }

    /// Takes one session whose socket has ended.
    pub(super) fn pop_gone(&mut self) -> Option<SessionId> {
        self.gone.pop()
    }
}
