//! Encodes and decodes frames and news. If this node does not know a frame of a newer node, finds out who waits for an
//! answer to it.

use std::collections::BTreeMap;

use bytes::Bytes;
use fivefold_shared::protocol::{CommandId, RoomCode};
use serde::{Deserialize, Serialize, de::DeserializeOwned};

/// Bytes that this version cannot decode.
#[derive(Clone, Copy, PartialEq, Eq, Debug, thiserror::Error)]
#[error("a frame from another node cannot be decoded")]
pub(crate) struct Undecodable;

/// Encodes a frame, or news.
pub(crate) fn encode(value: &impl Serialize) -> Bytes {
    let mut bytes = Vec::new();
    ciborium::into_writer(value, &mut bytes).expect("plain data");
    bytes.into()
}

/// Decodes a frame, or news. Ignores unknown fields.
///
/// # Errors
/// When this version cannot decode the bytes.
pub(crate) fn decode<T: DeserializeOwned>(mut bytes: &[u8]) -> Result<T, Undecodable> {
    let value = ciborium::from_reader(&mut bytes).map_err(|_| Undecodable)?;
    if bytes.is_empty() { Ok(value) } else { Err(Undecodable) }
}

/// A frame that cannot be decoded, but whose sender waits for an answer.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) enum Unknown {
    /// A question.
    Question { number: u64 },
    /// A command of a session, for a room.
    Command { room: RoomCode, attempt: u64, session: u64, command: CommandId },
}

impl Unknown {
    /// Finds out who waits. `None` if nobody does.
    pub(crate) fn of(bytes: &[u8]) -> Option<Self> {
        match decode(bytes).ok()? {
            Head::Ask { number } => Some(Self::Question { number }),
            Head::ToOwner { room, attempt, message: HeadOfMessage::Input(input) } => {
                let HeadOfInput { session, guest, command } = input.into_values().next()?;
                let session = session.or_else(|| Some(guest?.session))?;
                Some(Self::Command { room, attempt, session, command: command? })
            }
        }
    }
}

/// The part of frames with answers that is the same in all versions.
#[derive(Deserialize)]
enum Head {
    Ask { number: u64 },
    ToOwner { room: RoomCode, attempt: u64, message: HeadOfMessage },
}

#[derive(Deserialize)]
enum HeadOfMessage {
    /// The key is the name of its kind.
    Input(BTreeMap<String, HeadOfInput>),
}

#[derive(Deserialize)]
struct HeadOfInput {
    session: Option<u64>,
    /// Present if the session enters.
    guest: Option<HeadOfGuest>,
    command: Option<CommandId>,
}

#[derive(Deserialize)]
struct HeadOfGuest {
    session: u64,
}
