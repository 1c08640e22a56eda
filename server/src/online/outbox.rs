//! The outbox: the messages waiting to be sent to one session.
//!
//! A queue of encoded messages, bounded in number and in bytes. No sender waits for space: when the
//! queue is full, the session ends, and the client reconnects when it can read again. Text for many
//! sessions (events, and a room's snapshot) is encoded once and shared.

use std::{
    collections::VecDeque,
    future::poll_fn,
    mem,
    sync::{
        Arc, Mutex, MutexGuard, OnceLock, PoisonError, Weak,
        atomic::{AtomicBool, Ordering},
    },
    task::{Context, Poll, Waker},
};

use fivefold_shared::protocol::{
    CatchUp, CommandId, MemberId, Message, NumberedEvent, Reason, Refusal, RoomCode, Snapshot,
};
use fivefold_storage::IdentityHash;
use tokio_tungstenite::tungstenite::Utf8Bytes;
use tokio_util::sync::CancellationToken;

use crate::{
    limits::{OUTBOX_BYTES_MAX, OUTBOX_MESSAGES_KEPT, OUTBOX_MESSAGES_MAX},
    online::{own_blocks::OwnBlocks, own_ids::OwnIds},
    thinking::Owner,
};

/// The end into which rooms put messages; cheap to clone.
#[derive(Clone, Debug)]
pub(crate) struct Outbox {
    shared: Arc<Shared>,
    /// Whether the session is in a room as a guest that belongs to its account.
    is_of_guest: bool,
}

/// The end from which a session takes messages.
#[derive(Debug)]
pub(crate) struct OutboxReceiver(Arc<Shared>);

#[derive(Debug)]
struct Shared {
    /// Locked only to push and pop. A tokio channel keeps memory for 32 messages, even in an idle
    /// session.
    queue: Mutex<Queue>,
    overflow: CancellationToken,
    /// Whether the session is to end because a room cannot answer it.
    restarts: AtomicBool,
    /// Owner of the session's jobs in the bots' queue.
    owner: Owner,
    /// Who the session's member has blocked, and who has blocked them; from `hello` on.
    blocks: OnceLock<Arc<OwnBlocks>>,
    /// The ids of the session's person, if they have several; from `hello` on.
    own_ids: OnceLock<Box<OwnIds>>,
}

#[derive(Debug, Default)]
struct Queue {
    messages: VecDeque<Outgoing>,
    /// The bytes of `messages`, with shared texts counted in full.
    bytes: usize,
    /// Whether the session has ended.
    is_closed: bool,
    /// Wakes the session if it waits for messages.
    waker: Option<Waker>,
    /// The identity behind the session, after `hello`.
    identity: Option<IdentityHash>,
    /// A digest of the browser or program.
    agent: u64,
}

/// An encoded message.
#[derive(Clone, Debug)]
pub(crate) enum Outgoing {
    /// The whole text.
    Text(Utf8Bytes),
    /// A `joined` up to its snapshot, and the snapshot, which several sessions may share. They are
    /// joined only when they are written.
    Joined(Box<(String, Arc<str>)>),
}

/// The result of posting a message.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Posted {
    /// It waits to be sent.
    Queued,
    /// The outbox was full, and the session is being ended.
    Full,
    /// The session has ended.
    Gone,
}

impl Outbox {
    /// Creates an outbox, its receiver, and a token that is cancelled when the outbox is full or
    /// the server stops.
    pub(crate) fn new(
        stop: &CancellationToken,
        owner: Owner,
    ) -> (Self, OutboxReceiver, CancellationToken) {
        let overflow = stop.child_token();
        let shared = Arc::new(Shared {
            queue: Mutex::default(),
            overflow: overflow.clone(),
            restarts: AtomicBool::new(false),
            owner,
            blocks: OnceLock::new(),
            own_ids: OnceLock::new(),
        });
        let outbox = Self { shared: Arc::clone(&shared), is_of_guest: false };
        (outbox, OutboxReceiver(shared), overflow)
    }

    /// Owner of the session's jobs in the bots' queue.
    pub(crate) fn owner(&self) -> Owner {
        self.shared.owner
    }

    /// Sets the digest of the browser or program behind the session.
    pub(crate) fn set_agent(&self, agent: u64) {
        self.shared.lock().agent = agent;
    }

    /// A digest of the browser or program behind the session; 0 if it does not say what it is.
    pub(crate) fn agent(&self) -> u64 {
        self.shared.lock().agent
    }

    /// Sets the identity behind the session.
    pub(crate) fn identify(&self, identity: IdentityHash) {
        self.shared.lock().identity = Some(identity);
    }

    /// The hash of the identity behind the session, after `hello`; nothing in a room where the session is
    /// a guest of its account, because that guest's identity has ended.
    pub(crate) fn identity(&self) -> Option<IdentityHash> {
        if self.is_of_guest { None } else { self.shared.lock().identity }
    }

    /// The same outbox for a room in which the session is a guest that belongs to its account.
    pub(crate) fn of_guest(&self) -> Self {
        Self { shared: Arc::clone(&self.shared), is_of_guest: true }
    }

    /// Sets the ids of the session's person, once.
    pub(crate) fn set_own_ids(&self, own: OwnIds) {
        // A session has one member.
        self.shared.own_ids.set(Box::new(own)).ok();
    }

    /// The ids of the session's person; absent for those with one.
    pub(crate) fn own_ids(&self) -> Option<&OwnIds> {
        self.shared.own_ids.get().map(Box::as_ref)
    }

    /// Encodes a message as the session receives it.
    pub(crate) fn encode(&self, mut message: Message) -> Utf8Bytes {
        if let Some(own) = self.own_ids() {
            own.translate(&mut message);
        }
        encode(&message)
    }

    /// Sets the lists of people around the session's member, once.
    pub(crate) fn set_blocks(&self, blocks: Arc<OwnBlocks>) {
        // A session has one member.
        self.shared.blocks.set(blocks).ok();
    }

    /// The lists of people around the session's member; absent before `hello`.
    pub(crate) fn blocks(&self) -> Option<&OwnBlocks> {
        self.shared.blocks.get().map(Arc::as_ref)
    }

    /// Whether the session's member sees chat of another one.
    pub(crate) fn hears(&self, other: &MemberId) -> bool {
        self.blocks().is_none_or(|own| own.hears(other))
    }

    /// Whether neither the session's member nor another one has blocked the other.
    pub(crate) fn meets(&self, other: &MemberId) -> bool {
        self.blocks().is_none_or(|own| own.meets(other))
    }

    /// Ends the session: a room cannot answer a command of it. The client comes back, and sends the
    /// command again with the same id.
    pub(crate) fn restart(&self) {
        self.shared.restarts.store(true, Ordering::Relaxed);
        self.shared.overflow.cancel();
    }

    /// Whether the session ends because of [`restart`](Self::restart).
    pub(crate) fn is_restarted(&self) -> bool {
        self.shared.restarts.load(Ordering::Relaxed)
    }

    /// Whether the session has ended.
    pub(crate) fn is_closed(&self) -> bool {
        self.shared.lock().is_closed
    }

    /// Queues a message.
    pub(crate) fn post(&self, message: impl Into<Outgoing>) -> Posted {
        let message = message.into();
        let length = message.len();
        let mut queue = self.shared.lock();
        if queue.is_closed {
            return Posted::Gone;
        }
        if queue.messages.len() >= OUTBOX_MESSAGES_MAX || queue.bytes + length > OUTBOX_BYTES_MAX {
            drop(queue);
            self.shared.overflow.cancel();
            return Posted::Full;
        }
        queue.bytes += length;
        queue.messages.push_back(message);
        let waker = queue.waker.take();
        drop(queue);
        if let Some(waker) = waker {
            waker.wake();
        }
        Posted::Queued
    }
}

impl OutboxReceiver {
    /// Waits for the next message. Cancel safe.
    pub(crate) async fn recv(&mut self) -> Utf8Bytes {
        poll_fn(|cx| self.poll_recv(cx)).await
    }

    fn poll_recv(&mut self, cx: &mut Context<'_>) -> Poll<Utf8Bytes> {
        let mut queue = self.0.lock();
        if let Some(message) = queue.pop() {
            drop(queue);
            return Poll::Ready(self.0.translate(message.into_text()));
        }
        if !queue.waker.as_ref().is_some_and(|waker| waker.will_wake(cx.waker())) {
            queue.waker = Some(cx.waker().clone());
        }
        Poll::Pending
    }

    /// The next message, if one waits.
    pub(crate) fn try_recv(&mut self) -> Option<Utf8Bytes> {
        let message = self.0.lock().pop()?;
        Some(self.0.translate(message.into_text()))
    }

    /// How many messages wait.
    pub(crate) fn len(&self) -> usize {
        self.0.lock().messages.len()
    }
}

impl Drop for OutboxReceiver {
    fn drop(&mut self) {
        let mut queue = self.0.lock();
        queue.is_closed = true;
        (queue.messages, queue.bytes, queue.waker) = (VecDeque::new(), 0, None);
    }
}

impl Shared {
    fn translate(&self, text: Utf8Bytes) -> Utf8Bytes {
        match self.own_ids.get() {
            Some(own) => own.translate_text(text),
            None => text,
        }
    }

    fn lock(&self) -> MutexGuard<'_, Queue> {
        // Nothing panics between two changes that belong together.
        self.queue.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Queue {
    fn pop(&mut self) -> Option<Outgoing> {
        let message = self.messages.pop_front()?;
        self.bytes -= message.len();
        if self.messages.is_empty() {
            self.messages.shrink_to(OUTBOX_MESSAGES_KEPT);
        }
        Some(message)
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

/// Encodes what one room sends to single sessions. Members who join at the same event share one
/// snapshot.
#[derive(Debug, Default)]
pub(crate) struct Encoder {
    /// The event number of the last snapshot, and its text for as long as it waits in an outbox.
    last: Option<(u64, Weak<str>)>,
}

/// The end of a `joined` without events, and what takes its place.
const NO_EVENTS: &str = r#""events":[]}"#;
const SNAPSHOT: &str = r#""snapshot":"#;

/// Most events are shorter than this.
const EVENT_BYTES: usize = 160;

impl Encoder {
    pub(crate) fn encode(&mut self, mut message: Message) -> Outgoing {
        let Some(snapshot) = take_snapshot(&mut message) else {
            return Outgoing::Text(encode(&message));
        };
        let mut head = message.to_json();
        let length = head.strip_suffix(NO_EVENTS).expect("`catch_up` comes last").len();
        head.truncate(length);
        head.push_str(SNAPSHOT);
        Outgoing::Joined(Box::new((head, self.share(&snapshot))))
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

/// Takes the snapshot out of a `joined`; an empty list of events stands in its place.
fn take_snapshot(message: &mut Message) -> Option<Box<Snapshot>> {
    let Message::Joined { catch_up, .. } = message else { return None };
    match mem::replace(catch_up, CatchUp::Events(Vec::new())) {
        CatchUp::Snapshot(snapshot) => Some(snapshot),
        events @ CatchUp::Events(_) => {
            *catch_up = events;
            None
        }
    }
}

impl From<String> for Outgoing {
    fn from(text: String) -> Self {
        Self::Text(text.into())
    }
}

impl From<Utf8Bytes> for Outgoing {
    fn from(text: Utf8Bytes) -> Self {
        Self::Text(text)
    }
}

/// Encodes [`Message::Event`], without a copy of the event.
pub(crate) fn encode_event(room: &RoomCode, event: &NumberedEvent) -> Utf8Bytes {
    let mut text = Vec::with_capacity(EVENT_BYTES);
    text.extend_from_slice(br#"{"type":"event","room":"#);
    serde_json::to_writer(&mut text, room).expect("a code is a string");
    let object = text.len();
    serde_json::to_writer(&mut text, event).expect("an event is plain data");
    // The event's fields follow the message's in one object.
    text[object] = b',';
    Utf8Bytes::try_from(text).expect("JSON is UTF-8")
}

/// Refuses a command. A session that cannot take this has ended or is about to.
pub(crate) fn refuse(outbox: &Outbox, id: Option<&CommandId>, reason: Reason) {
    if let Some(id) = id {
        let refusal = Refusal::new(reason);
        outbox.post(encode(&Message::Refused { id: Some(id.clone()), refusal }));
    }
}

/// Encodes a message.
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
        assert!(receiver.try_recv().is_some());
        drop(receiver);
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
        // A taken message no longer counts.
        assert!(receiver.try_recv().is_some());
        assert_eq!(outbox.post(half()), Posted::Queued);
        assert!(!overflow.is_cancelled());
        assert_eq!(outbox.post(byte()), Posted::Full);
        assert!(overflow.is_cancelled());
    }

    #[test]
    fn an_event_is_encoded_as_its_message() {
        let text = r#"{"type":"event","room":"k7m2qpxw9abc","seq":3,"at":7,
            "event":{"type":"played","ply":0,"point":[7,7]}}"#;
        let message = Message::from_json(text).unwrap();
        let Message::Event { room, event } = &message else { panic!("{message:?}") };
        assert_eq!(encode_event(room, event), encode(&message));
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
        // No outbox holds it any more, so its memory is free.
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
