//! Tracks who is in a room and which sessions listen, and sends to them.
//!
//! A room decides who enters and leaves before those events are stored; sessions start and stop
//! listening afterwards. One entry here keeps both facts of a session. What all sessions of another
//! node receive goes there once.

use std::{
    collections::{BTreeMap, BTreeSet, btree_map::Entry},
    mem,
    sync::Arc,
};

use fivefold_shared::{
    protocol::{MemberId, Message},
    room::SessionId,
};
use fivefold_storage::NodeId;
use tokio_tungstenite::tungstenite::Utf8Bytes;

use super::route::{RelayLink, Route};
use crate::{
    cluster::frame::{Mark, ToRelay},
    online::{
        heard_lines::speaker,
        outbox::{Encoder, Posted, encode},
    },
};

/// The sessions in a room, and those that listen.
#[derive(Default)]
pub(super) struct FanOut {
    /// The sessions on this node.
    sessions: Recipients,
    /// The other nodes with sessions in the room. Empty on a node that is alone.
    peers: BTreeMap<NodeId, Peer>,
    /// Sessions whose sockets ended without leaving.
    gone: Vec<SessionId>,
    encoder: Encoder,
    /// The number of the last event that was broadcast.
    seq: u64,
}

type Recipients = BTreeMap<SessionId, Recipient>;

struct Recipient {
    route: Route,
    /// Whether the session is in the room.
    is_inside: bool,
    /// Whether the session gets events and broadcasts.
    listens: bool,
}

/// The sessions of another node.
struct Peer {
    link: Arc<RelayLink>,
    sessions: Recipients,
    /// How many of them listen.
    listening: usize,
    /// Sessions from before the attempt, which have not resumed in it so far.
    stale: BTreeSet<SessionId>,
}

impl FanOut {
    /// For a room whose log ends at this number.
    pub(super) fn new(seq: u64) -> Self {
        Self { seq, ..Self::default() }
    }

    /// Whether nobody is here.
    pub(super) fn is_empty(&self) -> bool {
        self.sessions.is_empty()
            && self.peers.values().all(|peer| peer.sessions.is_empty() && peer.stale.is_empty())
    }

    /// Adds a session to the room.
    pub(super) fn enter(&mut self, session: SessionId, route: Route) {
        let sessions = match &route {
            Route::Local(_) => &mut self.sessions,
            Route::Remote(_) => match self.peer_of(session) {
                Some(peer) => {
                    peer.stale.remove(&session);
                    &mut peer.sessions
                }
                None => return,
            },
        };
        match sessions.entry(session) {
            Entry::Vacant(entry) => {
                entry.insert(Recipient { route, is_inside: true, listens: false });
            }
            Entry::Occupied(mut entry) => {
                let recipient = entry.get_mut();
                (recipient.route, recipient.is_inside) = (route, true);
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
        let reset = |_: &SessionId, recipient: &mut Recipient| {
            recipient.listens = false;
            recipient.is_inside
        };
        self.sessions.retain(reset);
        for peer in self.peers.values_mut() {
            peer.sessions.retain(reset);
            peer.listening = 0;
        }
    }

    /// The number of the last event that was broadcast, and so is stored.
    pub(super) const fn seq(&self) -> u64 {
        self.seq
    }

    /// Goes on from a log that ends at this number.
    pub(super) const fn set_seq(&mut self, seq: u64) {
        self.seq = seq;
    }

    fn change(&mut self, session: SessionId, change: impl FnOnce(&mut Recipient)) {
        if let Entry::Occupied(mut entry) = self.sessions.entry(session) {
            change(entry.get_mut());
            if !entry.get().is_inside && !entry.get().listens {
                entry.remove();
            }
        } else if !self.peers.is_empty()
            && let Some(peer) = self.peer_of(session)
            && let Entry::Occupied(mut entry) = peer.sessions.entry(session)
        {
            let listened = entry.get().listens;
            change(entry.get_mut());
            let Recipient { is_inside, listens, .. } = *entry.get();
            peer.listening = peer.listening + usize::from(listens) - usize::from(listened);
            if !is_inside && !listens {
                entry.remove();
            }
        }
    }

    /// The way to a session that is in the room.
    pub(super) fn route(&self, session: SessionId) -> Option<&Route> {
        let remote = || self.peers.get(&NodeId::of_session(session)?)?.sessions.get(&session);
        let recipient = self.sessions.get(&session).or_else(remote);
        recipient.filter(|one| one.is_inside).map(|one| &one.route)
    }

    /// All sessions in the room.
    pub(super) fn inside(&self) -> impl Iterator<Item = SessionId> {
        let remote = self.peers.values().flat_map(|peer| &peer.sessions);
        let inside = self.sessions.iter().chain(remote).filter(|(_, one)| one.is_inside);
        inside.map(|(session, _)| *session)
    }

    /// The ways to all sessions in the room.
    pub(super) fn routes(&self) -> impl Iterator<Item = &Route> {
        let remote = self.peers.values().flat_map(|peer| peer.sessions.values());
        let inside = self.sessions.values().chain(remote).filter(|one| one.is_inside);
        inside.map(|one| &one.route)
    }

    /// Sends a message to one session.
    pub(super) fn send(&mut self, route: &Route, message: Message) {
        route.send(message, self.seq, &mut self.encoder);
    }

    /// Sends a message to some sessions. To others it goes once a node.
    pub(super) fn send_many(&mut self, sessions: &[SessionId], message: &Message) {
        let text = encode(message);
        for recipient in sessions.iter().filter_map(|session| self.sessions.get(session)) {
            recipient.route.post(&text);
        }
        for peer in self.peers.values() {
            let is_there = |session: &&SessionId| peer.sessions.contains_key(session);
            let there: Vec<_> = sessions.iter().filter(is_there).copied().collect();
            let mark = mark(message);
            if there.is_empty() {
                continue;
            }
            if mark == Mark::None {
                peer.link.tell(there, &text);
            } else {
                // The relay knows which of its sessions need it.
                let (except, text) = (Vec::new(), text.as_str().to_owned());
                peer.link.send(ToRelay::Broadcast { mark, except, text });
            }
        }
    }

    /// Sends a stored event to all sessions that listen.
    pub(super) fn broadcast_event(&mut self, seq: u64, text: &Utf8Bytes) {
        self.seq = seq;
        self.deliver(text, &[], Mark::Event(seq), None);
    }

    /// Sends a message to all sessions that listen, except for these.
    pub(super) fn broadcast(&mut self, message: &Message, except: &[SessionId]) {
        self.deliver(&encode(message), except, mark(message), speaker(message));
    }

    /// Sends a text to all who listen, and hear the one who says it. The relays at other nodes know who of
    /// their sessions does.
    fn deliver(
        &mut self,
        text: &Utf8Bytes,
        except: &[SessionId],
        mark: Mark,
        speaker: Option<&MemberId>,
    ) {
        for (session, recipient) in &self.sessions {
            let blocks = recipient.route.blocks();
            let hears = speaker.is_none_or(|speaker| blocks.is_none_or(|own| own.hears(speaker)));
            if !recipient.listens || except.contains(session) || !hears {
                continue;
            }
            match recipient.route.post(text) {
                // A session whose outbox is full ends itself, and then leaves.
                Posted::Queued | Posted::Full => {}
                Posted::Gone => self.gone.push(*session),
            }
        }
        for peer in self.peers.values().filter(|peer| peer.listening > 0) {
            let there = except.iter().filter(|session| peer.sessions.contains_key(session));
            let except = there.map(|session| session.0).collect();
            peer.link.send(ToRelay::Broadcast { mark, except, text: text.as_str().to_owned() });
        }
    }

    /// Takes one session whose socket has ended.
    pub(super) fn pop_gone(&mut self) -> Option<SessionId> {
        self.gone.pop()
    }

    /// Begins an attempt of another node. Its sessions so far do not listen until they resume.
    pub(super) fn begin(&mut self, link: RelayLink) -> Arc<RelayLink> {
        let (node, link) = (link.node, Arc::new(link));
        let before = self.peers.remove(&node);
        let stale = before.into_iter().flat_map(|peer| peer.sessions.into_keys()).collect();
        let sessions = Recipients::new();
        self.peers.insert(node, Peer { link: Arc::clone(&link), sessions, listening: 0, stale });
        link
    }

    /// The way to another node, if it has begun this attempt.
    pub(super) fn link(&self, node: NodeId, attempt: u64) -> Option<Arc<RelayLink>> {
        let link = &self.peers.get(&node)?.link;
        (link.attempt == attempt).then(|| Arc::clone(link))
    }

    /// The sessions of a node that did not resume in its attempt.
    pub(super) fn take_stale(&mut self, node: NodeId) -> Vec<SessionId> {
        let stale = self.peers.get_mut(&node).map(|peer| mem::take(&mut peer.stale));
        stale.into_iter().flatten().collect()
    }

    /// Forgets a node, and returns its sessions.
    pub(super) fn remove(&mut self, node: NodeId) -> Option<(Arc<RelayLink>, Vec<SessionId>)> {
        let Peer { link, sessions, stale, .. } = self.peers.remove(&node)?;
        Some((link, sessions.into_keys().chain(stale).collect()))
    }

    /// The ways to all other nodes with sessions here.
    pub(super) fn links(&self) -> impl Iterator<Item = &Arc<RelayLink>> {
        self.peers.values().map(|peer| &peer.link)
    }

    fn peer_of(&mut self, session: SessionId) -> Option<&mut Peer> {
        self.peers.get_mut(&NodeId::of_session(session)?)
    }
}

/// What a message means for the last event that a relay has passed on.
fn mark(message: &Message) -> Mark {
    if let Message::Event { event, .. } = message {
        Mark::Event(event.seq)
    } else if let Message::Snapshot { snapshot, .. } = message {
        Mark::Snapshot(snapshot.seq)
    } else {
        Mark::None
    }
}
