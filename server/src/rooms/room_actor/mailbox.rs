//! A room's mailbox: everything that comes to its task from outside.

use std::sync::Arc;

use fivefold_shared::room::Input;
use fivefold_storage::NodeId;
use tokio::sync::mpsc;

use crate::{cluster::frame::ToOwner, online::outbox::Outbox};

/// What comes into a room's mailbox.
#[derive(Debug)]
pub(crate) enum Envelope {
    /// An input of a session on this node.
    Session {
        input: Input,
        /// For the answer. The room keeps it while the session is there.
        outbox: Arc<Outbox>,
    },
    /// A message from the room's relay on another node.
    Relay { node: NodeId, attempt: u64, message: ToOwner },
    /// A node that may have sessions in the room is silent.
    Silent(NodeId),
}

/// The inputs of a room. Boxed, because a channel allocates memory for 32 of them.
pub(crate) type Mailbox = mpsc::Receiver<Box<Envelope>>;
