//! What waits to be sent to one session.
//!
//! A queue of encoded messages, bounded in number and in bytes. Nobody waits for a place in it:
//! when it is full, the session is ended and comes back when it can read. Text that goes to many
//! sessions is encoded once and shared: events, and the snapshot of a room.

use std::sync::{
    Arc, Weak,
    atomic::{AtomicUsize, Ordering},
};

use fivefold_shared::protocol::{CatchUp, Message, Snapshot};
use tokio::sync::mpsc::{self, error::TrySendError};
use tokio_tungstenite::tungstenite::Utf8Bytes;
use tokio_util::sync::CancellationToken;

use crate::{
    limits::{OUTBOX_BYTES_MAX, OUTBOX_MESSAGES_MAX},
    storage::IdentityHash,
    thinking::Owner,
};

/// The end into which rooms put messages; cheap to clone.
#[derive(Clone, Debug)]
pub(crate) struct Outbox {
    queue: mpsc::Sender<Outgoing>,
    /// Waiting in the queue, with what is shared counted in full.
    bytes: Arc<AtomicUsize>,
    overflow: CancellationToken,
    /// Who the session's work is counted for.
    owner: Owner,
    /// Whose session it is, after `hello`.
    identity: Option<IdentityHash>,
}

/// The end from which a session takes messages.
#[derive(Debug)]
pub(crate) struct OutboxReceiver {
    queue: mpsc::Receiver<Outgoing>,
    bytes: Arc<AtomicUsize>,
}

/// An encoded message.
#[derive(Clone, Debug)]
pub(crate) enum Outgoing {
    /// The whole text.
    Text(Utf8Bytes),
    /// A `joined` up to its snapshot, and the snapshot, which others may share. They are put
    /// together only when they are written.
    Joined(Box<(String, Arc<str>)>),
}

/// What became of a message.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Posted {
    /// It waits to be sent.
    Queued,
    /// Too much is waiting for the session, and it is ended.
    Full,
    /// The session has ended.
    Gone,
}

impl Outbox {
    /// An outbox, the end from which messages are taken, and the sign that it was full. That is
    /// also given when the server stops: it has one thing to listen for.
    pub(crate) fn new(
        stop: &CancellationToken,
        owner: Owner,
    ) -> (Self, OutboxReceiver, CancellationToken) {
        let (sender, receiver) = mpsc::channel(OUTBOX_MESSAGES_MAX);
        let overflow = stop.child_token();
        let bytes = Arc::<AtomicUsize>::default();
        let receiver = OutboxReceiver { queue: receiver, bytes: Arc::clone(&bytes) };
        (
            Self { queue: sender, bytes, overflow: overflow.clone(), owner, identity: None },
            receiver,
            overflow,
        )
    }

    /// Who the session's work is counted for.
    pub(crate) const fn owner(&self) -> Owner {
        self.owner
    }

    /// Notes whose session it is; clones made from here on know it.
    pub(crate) const fn identify(&mut self, identity: IdentityHash) {
        self.identity = Some(identity);
    }

    /// The hash of the identity behind the session, after `hello`.
    pub(crate) const fn identity(&self) -> Option<IdentityHash> {
        self.identity
    }

    /// Puts in a message.
    pub(crate) fn post(&self, message: impl Into<Outgoing>) -> Posted {
        let message = message.into();
        let length = message.len();
        // The sum is a limit and orders nothing.
        let waiting = self.bytes.fetch_add(length, Ordering::Relaxed) + length;
        let sent = if waiting > OUTBOX_BYTES_MAX && !self.queue.is_closed() {
            Err(TrySendError::Full(message))
        } else {
            self.queue.try_send(message)
        };
        match sent {
            Ok(()) => return Posted::Queued,
            Err(TrySendError::Full(_)) => {}
            Err(TrySendError::Closed(_)) => return Posted::Gone,
        }
        self.bytes.fetch_sub(length, Ordering::Relaxed);
        self.overflow.cancel();
        Posted::Full
    }
}

impl OutboxReceiver {
    /// The next message, when there is one; nothing when all outboxes are gone.
    pub(crate) async fn recv(&mut self) -> Option<Utf8Bytes> {
        let message = self.queue.recv().await?;
        Some(self.take(message))
    }

    /// The next message, if one waits.
    pub(crate) fn try_recv(&mut self) -> Option<Utf8Bytes> {
        let message = self.queue.try_recv().ok()?;
        Some(self.take(message))
    }

    /// How many messages wait.
    pub(crate) fn len(&self) -> usize {
        self.queue.len()
    }

    fn take(&self, message: Outgoing) -> Utf8Bytes {
        self.bytes.fetch_sub(message.len(), Ordering::Relaxed);
        message.into_text()
    }
}

impl Outgoing {
    fn len(&self) -> usize {
        match self {
            Self::Text(text) => text.len(),
            Self::Joined(parts) => parts.0.len() + parts.1.len() + 1,
        }
    }

    fn into_text(self) -> Utf8Bytes {
        match self {
            Self::Text(text) => text,
            Self::Joined(parts) => {
                let (mut text, snapshot) = *parts;
                text.reserve_exact(snapshot.len() + 1);
                text.push_str(&snapshot);
                text.push('}');
                text.into()
            }
        }
    }
}

/// Encodes what one room sends to single sessions. Those who join at the same event share one
/// snapshot.
#[derive(Debug, Default)]
pub(crate) struct Encoder {
    /// The event number of the last snapshot, and its text for as long as it waits in an outbox.
    last: Option<(u64, Weak<str>)>,
}

/// The end of a `joined` without events, and what takes its place.
const NO_EVENTS: &str = r#""events":[]}"#;
const SNAPSHOT: &str = r#""snapshot":"#;

impl Encoder {
    pub(crate) fn encode(&mut self, message: Message) -> Outgoing {
        match message {
            Message::Joined {
                id,
                room,
                now,
                spectators,
                away,
                catch_up: CatchUp::Snapshot(snapshot),
            } => {
                let catch_up = CatchUp::Events(Vec::new());
                let joined = Message::Joined { id, room, now, spectators, away, catch_up };
                let mut head = joined.to_json();
                let length = head.strip_suffix(NO_EVENTS).expect("`catch_up` comes last").len();
                head.truncate(length);
                head.push_str(SNAPSHOT);
                Outgoing::Joined(Box::new((head, self.share(&snapshot))))
            }
            message => Outgoing::Text(encode(&message)),
        }
    }

    fn share(&mut self, snapshot: &Snapshot) -> Arc<str> {
        if let Some((seq, text)) = &self.last
            && *seq == snapshot.seq
            && let Some(text) = text.upgrade()
        {
            return text;
        }
        let text = serde_json::to_string(snapshot).expect("a snapshot is plain data");
        let text = Arc::from(text);
        self.last = Some((snapshot.seq, Arc::downgrade(&text)));
        text
    }
}

impl From<Utf8Bytes> for Outgoing {
    fn from(text: Utf8Bytes) -> Self {
        Self::Text(text)
    }
}

/// Writes a message as it is sent.
pub(crate) fn encode(message: &Message) -> Utf8Bytes {
    message.to_json().into()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_waits_for_a_session_is_limited_in_number() {
        let (outbox, mut receiver, overflow) =
            Outbox::new(&CancellationToken::new(), Owner::UNKNOWN);
        let post = || outbox.post(Utf8Bytes::from_static("news"));
        for _ in 0..OUTBOX_MESSAGES_MAX {
            assert_eq!(post(), Posted::Queued);
        }
        assert!(!overflow.is_cancelled());
        assert_eq!(post(), Posted::Full);
        assert!(overflow.is_cancelled());
        receiver.queue.close();
        assert_eq!(post(), Posted::Gone);
    }

    #[test]
    fn what_waits_for_a_session_is_limited_in_bytes() {
        let (outbox, mut receiver, overflow) =
            Outbox::new(&CancellationToken::new(), Owner::UNKNOWN);
        let half = || Utf8Bytes::from("x".repeat(OUTBOX_BYTES_MAX / 2));
        let byte = || Utf8Bytes::from_static("x");
        assert_eq!(outbox.post(half()), Posted::Queued);
        assert_eq!(outbox.post(half()), Posted::Queued);
        // What was taken waits no longer.
        assert!(receiver.try_recv().is_some());
        assert_eq!(outbox.post(half()), Posted::Queued);
        assert!(!overflow.is_cancelled());
        assert_eq!(outbox.post(byte()), Posted::Full);
        assert!(overflow.is_cancelled());
    }

    fn joined_at(seq: u64) -> Message {
        let text = r#"{"type":"joined","id":"a","room":"k7m2qpxw9abc","now":7,
            "spectators":{"count":1,"names":["Eve"]},"snapshot":{"seq":SEQ,
            "rules":{"variant":"freestyle","size":[15,15]},"visibility":"private",
            "assistance":false,"host":"5d41402abc4b2a76","black":"first",
            "seats":{"first":null,"second":null}}}"#;
        Message::from_json(&text.replace("SEQ", &seq.to_string())).unwrap()
    }

    #[test]
    fn those_who_join_at_the_same_event_share_its_snapshot() {
        let mut encoder = Encoder::default();
        let mut encode = |seq| match encoder.encode(joined_at(seq)) {
            Outgoing::Joined(parts) => parts.1,
            Outgoing::Text(text) => panic!("not shared: {text}"),
        };
        let first = encode(2);
        assert!(Arc::ptr_eq(&first, &encode(2)));
        let second = encode(3);
        assert!(!Arc::ptr_eq(&first, &second));
        assert!(second.contains(r#""seq":3"#));
        // Nobody waits for it any more: it takes no memory.
        let text = Arc::downgrade(&second);
        drop(second);
        assert!(text.upgrade().is_none());
        assert!(encode(3).contains(r#""seq":3"#));
    }

    #[test]
    fn a_shared_snapshot_arrives_whole() {
        let outgoing = Encoder::default().encode(joined_at(2));
        let length = outgoing.len();
        let text = outgoing.into_text();
        assert_eq!(text.len(), length);
        assert_eq!(Message::from_json(&text).unwrap(), joined_at(2));
    }
}
