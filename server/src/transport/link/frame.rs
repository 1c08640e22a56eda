//! What links write on the bus: a header by postcard, then the frames as they are, each after its
//! length.
//!
//! A subject of the bus carries the version of this format (`bus/nats.rs`). Within a version, new
//! kinds of messages are only added at the end of [`Header`].

use bytes::Bytes;
use fivefold_storage::NodeId;
use serde::{Deserialize, Serialize};

use crate::limits::{LINK_FRAME_MAX, LINK_PEERS_MAX};

/// Counts the resets of a link. Both ends agree on the number, or are about to.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug, Serialize, Deserialize)]
pub(super) struct Generation(u64);

impl Generation {
    /// Of a link that has never been reset.
    pub(super) const FIRST: Self = Self(0);

    pub(super) const fn next(self) -> Self {
        Self(self.0 + 1)
    }
}

/// A message between nodes.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) enum Message {
    Batch(Batch),
    Heartbeat(Heartbeat),
    /// For all nodes, in no order.
    Broadcast {
        from: NodeId,
        message: Bytes,
    },
}

/// Frames from one node to another.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Batch {
    pub(super) from: NodeId,
    pub(super) to: NodeId,
    pub(super) generation: Generation,
    /// The number of the first frame: how many were sent before it in this generation.
    pub(super) first: u64,
    pub(super) frames: Vec<Bytes>,
}

/// A node broadcasts this four times a second.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Heartbeat {
    pub(super) from: NodeId,
    /// Counts the node's heartbeats, so that it recognizes its own echo.
    pub(super) beat: u64,
    pub(super) links: Vec<LinkState>,
}

/// The sending end of a link.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct LinkState {
    pub(super) to: NodeId,
    pub(super) generation: Generation,
    /// Frames sent in this generation.
    pub(super) sent: u64,
}

/// A message of another version, or no message at all.
#[derive(Debug, PartialEq, Eq, thiserror::Error)]
#[error("a message from the bus cannot be decoded")]
pub(super) struct Undecodable;

#[derive(Serialize, Deserialize)]
enum Header {
    Batch { from: u32, to: u32, generation: Generation, first: u64, frames: u32 },
    Heartbeat { from: u32, beat: u64, links: Vec<(u32, Generation, u64)> },
    Broadcast { from: u32 },
}

impl Message {
    /// Writes the message.
    pub(super) fn encode(&self) -> Bytes {
        match self {
            Self::Batch(Batch { from, to, generation, first, frames }) => {
                let header = Header::Batch {
                    from: from.get(),
                    to: to.get(),
                    generation: *generation,
                    first: *first,
                    frames: u32::try_from(frames.len()).expect("as many as a queue may have"),
                };
                let size: usize = frames.iter().map(Bytes::len).sum();
                let mut bytes = write(&header, Vec::with_capacity(size + 5 * frames.len() + 64));
                for frame in frames {
                    bytes = write(&frame.len(), bytes);
                    bytes.extend_from_slice(frame);
                }
                bytes.into()
            }
            Self::Heartbeat(Heartbeat { from, beat, links }) => {
                let links = links.iter().map(|link| (link.to.get(), link.generation, link.sent));
                let (from, links) = (from.get(), links.collect());
                write(&Header::Heartbeat { from, beat: *beat, links }, Vec::new()).into()
            }
            Self::Broadcast { from, message } => {
                let bytes = Vec::with_capacity(message.len() + 8);
                let mut bytes = write(&Header::Broadcast { from: from.get() }, bytes);
                bytes.extend_from_slice(message);
                bytes.into()
            }
        }
    }

    /// Reads a message. Frames share its memory.
    pub(super) fn decode(bytes: &Bytes) -> Result<Self, Undecodable> {
        let (header, rest) = postcard::take_from_bytes(bytes).map_err(|_| Undecodable)?;
        match header {
            Header::Batch { from, to, generation, first, frames } => {
                let frames = read_frames(bytes, rest, frames)?;
                let (from, to) = (node(from)?, node(to)?);
                Ok(Self::Batch(Batch { from, to, generation, first, frames }))
            }
            Header::Heartbeat { from, beat, links } => {
                if links.len() > LINK_PEERS_MAX || !rest.is_empty() {
                    return Err(Undecodable);
                }
                let links = links.into_iter().map(|(to, generation, sent)| {
                    Ok(LinkState { to: node(to)?, generation, sent })
                });
                let links = links.collect::<Result<_, _>>()?;
                Ok(Self::Heartbeat(Heartbeat { from: node(from)?, beat, links }))
            }
            Header::Broadcast { from } => {
                Ok(Self::Broadcast { from: node(from)?, message: bytes.slice_ref(rest) })
            }
        }
    }
}

fn write(value: &impl Serialize, bytes: Vec<u8>) -> Vec<u8> {
    postcard::to_extend(value, bytes).expect("a vector takes all that is written")
}

fn read_frames(bytes: &Bytes, mut rest: &[u8], count: u32) -> Result<Vec<Bytes>, Undecodable> {
    let mut frames = Vec::new();
    for _ in 0..count {
        let (length, after) = postcard::take_from_bytes::<usize>(rest).map_err(|_| Undecodable)?;
        if length > LINK_FRAME_MAX || length > after.len() {
            return Err(Undecodable);
        }
        let (frame, after) = after.split_at(length);
        frames.push(bytes.slice_ref(frame));
        rest = after;
    }
    if rest.is_empty() { Ok(frames) } else { Err(Undecodable) }
}

fn node(number: u32) -> Result<NodeId, Undecodable> {
    NodeId::new(number).ok_or(Undecodable)
}
