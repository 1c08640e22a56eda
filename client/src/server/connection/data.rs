//! What goes into a connection and comes out of it: who connects, events, errors, and ids of commands.

use std::{fmt, time::Duration};

use fivefold_shared::protocol::{
    ApiToken, CommandId, Identity, MemberId, Message, Name, Reason, Refusal,
};
use tokio_tungstenite::Connector;

use crate::{server::session_cookie::SessionCookie, terminal::sanitize::sanitize};

/// An event of a table.
#[derive(Clone, PartialEq, Debug)]
pub enum TableEvent {
    /// A message from the server or the local game.
    Message(Box<Message>),
    /// The connection is lost; it is retried automatically.
    Lost {
        /// The reason, for people.
        reason: String,
        /// Until all addresses of the server are tried again.
        retry_in: Duration,
    },
    /// The connection and the room are restored and up to date.
    Back,
    /// The server was restored from a backup, and the room has gone back. It comes before the room's snapshot.
    Restored {
        /// How many of the game's last moves are gone.
        moves: usize,
    },
    /// The bot of a local game gave no usable reply, and the room moves for it.
    BotFailed,
    /// What became of blocking, muting or reporting somebody, as a sentence.
    AboutPerson {
        /// The sentence.
        text: String,
        /// Whether it is done.
        done: bool,
    },
    /// No further events will come.
    Ended {
        /// The reason, for people.
        reason: String,
    },
}

/// The person who connects, before the server has accepted them.
#[derive(Clone, Default)]
pub struct Visitor {
    /// Their identity from an earlier visit.
    pub identity: Option<Identity>,
    /// The session of their account, which speaks instead.
    pub session: Option<SessionCookie>,
    /// A token of their account, which speaks instead of both.
    pub token: Option<ApiToken>,
    /// The name that they request.
    pub name: Option<Name>,
    /// For encrypted connections; `None` allows none.
    pub connector: Option<Connector>,
}

impl fmt::Debug for Visitor {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Visitor").field("name", &self.name).finish_non_exhaustive()
    }
}

/// A server's answer to hello.
#[derive(Clone, Debug)]
pub struct Welcome {
    /// Their public id.
    pub you: MemberId,
    /// Their name.
    pub name: Name,
    /// A new identity for them, to be saved.
    pub identity: Option<Identity>,
    /// Whether they have an account.
    pub account: bool,
    /// Whether that is the account of a bot.
    pub bot: bool,
}

/// Why there is no connection.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum ConnectionError {
    /// The server did not answer.
    #[error("cannot reach {server}: {why}")]
    Unreachable {
        /// The server's address, or all of them.
        server: String,
        /// The system's error.
        why: String,
    },
    /// The server refused.
    #[error("the server refuses: {}", sanitize(.0.text.as_str()))]
    Refused(Refusal),
    /// The server closed the socket and does not want this client back.
    #[error("{0}")]
    Closed(String),
    /// The connection broke.
    #[error("the connection is lost: {0}")]
    Lost(String),
}

impl ConnectionError {
    /// Whether a server is there and cannot read or store right now.
    pub(super) fn is_unavailable(&self) -> bool {
        matches!(self, Self::Refused(refusal) if refusal.reason == Reason::Unavailable)
    }

    /// Whether a later retry may succeed.
    pub(super) fn is_passing(&self) -> bool {
        match self {
            Self::Unreachable { .. } | Self::Lost(_) => true,
            Self::Closed(_) => false,
            Self::Refused(refusal) => refusal.reason.class().is_passing(),
        }
    }
}

/// Makes command ids that no other process with this identity makes.
#[derive(Debug)]
pub struct CommandIds {
    prefix: u64,
    count: u64,
}

impl CommandIds {
    /// Starts with a random prefix.
    #[expect(clippy::new_without_default, reason = "each one is different")]
    pub fn new() -> Self {
        Self { prefix: rand::random(), count: 0 }
    }

    /// A new id.
    pub fn make(&mut self) -> CommandId {
        self.count += 1;
        CommandId::try_from(format!("{:016x}-{:x}", self.prefix, self.count))
            .expect("at most 33 printable characters")
    }
}

/// The error for an answer of the wrong type.
pub fn unexpected(answer: &Message) -> ConnectionError {
    let text = answer.to_json();
    let start: String = text.chars().take(60).collect();
    ConnectionError::Closed(format!("unexpected answer from the server: {}", sanitize(&start)))
}

/// The answer, unless it is a refusal.
pub(super) fn accepted(answer: Message) -> Result<Message, ConnectionError> {
    match answer {
        Message::Refused { refusal, .. } => Err(ConnectionError::Refused(refusal)),
        other => Ok(other),
    }
}
