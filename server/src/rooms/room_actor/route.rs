//! Where the messages for a session go: into its outbox here, or to the node where it is.

use std::sync::Arc;

use fivefold_shared::{
    protocol::{CommandId, Message, Reason, Refusal, RoomCode},
    room::SessionId,
};
use fivefold_storage::{IdentityHash, NodeId};
use tokio_tungstenite::tungstenite::Utf8Bytes;

use crate::{
    cluster::{
        Cluster,
        frame::{Credentials, Outcome, ToRelay},
    },
    online::{
        outbox::{Encoder, Outbox, Posted, encode},
        own_blocks::OwnBlocks,
    },
    thinking::Owner,
};

/// The way to one session; cheap to clone.
#[derive(Clone, Debug)]
pub(crate) enum Route {
    /// The session is on this node.
    Local(Arc<Outbox>),
    /// It is on another one.
    Remote(Arc<RemoteSession>),
}

/// A session on another node.
#[derive(Debug)]
pub(crate) struct RemoteSession {
    pub(super) session: SessionId,
    credentials: Option<Credentials>,
    link: Arc<RelayLink>,
}

/// The way from a room here to its relay on another node, for one attempt of the relay.
#[derive(Debug)]
pub(crate) struct RelayLink {
    cluster: Arc<Cluster>,
    pub(super) node: NodeId,
    room: RoomCode,
    pub(super) attempt: u64,
}

impl Route {
    pub(super) fn remote(
        session: SessionId,
        credentials: Option<Credentials>,
        link: &Arc<RelayLink>,
    ) -> Self {
        let link = Arc::clone(link);
        Self::Remote(Arc::new(RemoteSession { session, credentials, link }))
    }

    /// The hash of the identity behind the session, after `hello`.
    pub(super) fn identity(&self) -> Option<IdentityHash> {
        match self {
            Self::Local(outbox) => outbox.identity(),
            Self::Remote(remote) => remote.credentials.and_then(|known| known.identity),
        }
    }

    /// The lists of people around the session's member. A session at another node has them there.
    pub(super) fn blocks(&self) -> Option<&OwnBlocks> {
        match self {
            Self::Local(outbox) => outbox.blocks(),
            Self::Remote(_) => None,
        }
    }

    /// Owner of the session's jobs in the bots' queue.
    pub(super) fn owner(&self) -> Owner {
        match self {
            Self::Local(outbox) => outbox.owner(),
            Self::Remote(remote) => remote.credentials.map_or(Owner::UNKNOWN, |known| known.owner),
        }
    }

    /// A digest of the browser or program behind the session.
    pub(super) fn agent(&self) -> u64 {
        match self {
            Self::Local(outbox) => outbox.agent(),
            Self::Remote(remote) => remote.credentials.map_or(0, |known| known.agent),
        }
    }

    /// Sends a message of a room whose last event with the members has the number `seq`.
    pub(super) fn send(&self, message: Message, seq: u64, encoder: &mut Encoder) {
        match self {
            // A session that has ended is noticed at the next broadcast, or leaves.
            Self::Local(outbox) => {
                outbox.post(encoder.encode(message));
            }
            Self::Remote(remote) => remote.send(&message, seq),
        }
    }

    /// Sends a text; for sessions here.
    pub(super) fn post(&self, text: &Utf8Bytes) -> Posted {
        match self {
            Self::Local(outbox) => outbox.post(text.clone()),
            Self::Remote(remote) => {
                remote.link.tell(vec![remote.session], text);
                Posted::Queued
            }
        }
    }

    /// Refuses a command.
    pub(super) fn refuse(&self, id: &CommandId, reason: Reason) {
        let refusal = Refusal::new(reason);
        let message = Message::Refused { id: Some(id.clone()), refusal };
        match self {
            // A session that cannot take this has ended or is about to.
            Self::Local(outbox) => {
                outbox.post(encode(&message));
            }
            Self::Remote(remote) => remote.send(&message, 0),
        }
    }

    /// Closes the socket, so that the client sends its unanswered commands again. A relay does that
    /// by itself.
    pub(super) fn restart(&self) {
        match self {
            Self::Local(outbox) => outbox.restart(),
            Self::Remote(_) => {}
        }
    }
}

impl RemoteSession {
    /// The room takes nothing more here. The relay sends everything to the next owner.
    pub(super) fn reject(&self) {
        self.link.send(ToRelay::Rejected);
    }

    fn send(&self, message: &Message, seq: u64) {
        let Some(command) = message.answers() else {
            let mut ends = None;
            if let Message::AnalysisOver { of, .. } = message {
                ends = Some(of.clone());
            }
            let (sessions, text) = (vec![self.session.0], message.to_json());
            return self.link.send(ToRelay::Tell { sessions, ends, text });
        };
        let outcome = if let Message::Joined { .. } = message {
            Outcome::Joined(seq)
        } else if let Message::Refused { .. } = message {
            Outcome::Refused
        } else {
            Outcome::Done
        };
        self.link.send(ToRelay::Answer {
            session: self.session.0,
            command: command.clone(),
            outcome,
            text: message.to_json(),
        });
    }
}

impl RelayLink {
    pub(super) const fn new(
        cluster: Arc<Cluster>,
        node: NodeId,
        room: RoomCode,
        attempt: u64,
    ) -> Self {
        Self { cluster, node, room, attempt }
    }

    pub(super) fn send(&self, message: ToRelay) {
        self.cluster.to_relay(self.node, &self.room, self.attempt, message);
    }

    /// Sends a text to some sessions of the node.
    pub(super) fn tell(&self, sessions: Vec<SessionId>, text: &Utf8Bytes) {
        let sessions = sessions.into_iter().map(|session| session.0).collect();
        self.send(ToRelay::Tell { sessions, ends: None, text: text.as_str().to_owned() });
    }
}
