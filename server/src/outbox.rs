//! What waits to be sent to one session.
//!
//! A bounded queue of encoded messages, which members of a room share. Whoever fills it never
//! waits: when it is full, the session is ended and comes back when it can read.

use fivefold_shared::protocol::Message;
use tokio::sync::mpsc::{self, error::TrySendError};
use tokio_tungstenite::tungstenite::Utf8Bytes;
use tokio_util::sync::CancellationToken;

use crate::{limits::OUTBOX_MESSAGES_MAX, thinking::Owner};

/// The end into which rooms put messages; cheap to clone.
#[derive(Clone, Debug)]
pub(crate) struct Outbox {
    queue: mpsc::Sender<Utf8Bytes>,
    overflow: CancellationToken,
    /// Who the session's work is counted for.
    owner: Owner,
}

/// What became of a message.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Posted {
    /// It waits to be sent.
    Queued,
    /// The session has too many messages waiting, and is ended.
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
    ) -> (Self, mpsc::Receiver<Utf8Bytes>, CancellationToken) {
        let (queue, messages) = mpsc::channel(OUTBOX_MESSAGES_MAX);
        let overflow = stop.child_token();
        (Self { queue, overflow: overflow.clone(), owner }, messages, overflow)
    }

    /// Who the session's work is counted for.
    pub(crate) const fn owner(&self) -> Owner {
        self.owner
    }

    /// Puts in a message that is already encoded.
    pub(crate) fn post(&self, text: Utf8Bytes) -> Posted {
        match self.queue.try_send(text) {
            Ok(()) => Posted::Queued,
            Err(TrySendError::Full(_)) => {
                self.overflow.cancel();
                Posted::Full
            }
            Err(TrySendError::Closed(_)) => Posted::Gone,
        }
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
    fn what_waits_for_a_session_is_limited() {
        let (outbox, mut messages, overflow) =
            Outbox::new(&CancellationToken::new(), Owner::UNKNOWN);
        let post = || outbox.post(Utf8Bytes::from_static("news"));
        for _ in 0..OUTBOX_MESSAGES_MAX {
            assert_eq!(post(), Posted::Queued);
        }
        assert!(!overflow.is_cancelled());
        assert_eq!(post(), Posted::Full);
        assert!(overflow.is_cancelled());
        messages.close();
        assert_eq!(post(), Posted::Gone);
    }
}
