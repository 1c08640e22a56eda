//! The bus moves bytes between the nodes of a cluster. It may lose, double and delay them; order and
//! completeness are the business of the links above it (`link.rs`).

pub mod local;

use std::{fmt, sync::Arc};

use bytes::Bytes;
use tokio::sync::mpsc;
use tokio_util::task::TaskTracker;

use self::local::LocalNetwork;
use crate::node_id::NodeId;

/// Which bus a node uses.
#[derive(Clone, Debug)]
pub enum BusConfig {
    /// A network in memory, for tests.
    Local(LocalNetwork),
}

impl BusConfig {
    /// Connects a node.
    pub(crate) fn join(
        self,
        me: NodeId,
        tasks: &TaskTracker,
    ) -> (Arc<dyn Bus>, mpsc::Receiver<FromBus>) {
        match self {
            Self::Local(network) => {
                let (bus, from_bus) = network.join(me, tasks);
                (bus, from_bus)
            }
        }
    }
}

/// One node's access to the bus. Messages arrive through the channel that comes with it.
pub(crate) trait Bus: Send + Sync + fmt::Debug + 'static {
    /// Sends to one node. Never waits. `false` when the bus is down or its queue is full.
    fn send(&self, to: NodeId, bytes: Bytes) -> bool;

    /// Sends to all nodes, and to this one: a node that misses its own broadcasts is cut off. Never
    /// waits. `false` when the bus is down or its queue is full.
    fn broadcast(&self, bytes: Bytes) -> bool;

    /// Whether the bus is connected, as far as it knows.
    fn is_up(&self) -> bool;

    /// Replaces a connection that seems to be dead.
    fn reconnect(&self) {}
}

/// A message or a change of the connection.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) enum FromBus {
    /// A message to this node.
    Sent(Bytes),
    /// A message to all nodes.
    Broadcast(Bytes),
    /// The bus is connected, for the first time or again. Messages were lost in between.
    Connected,
    /// The connection is lost.
    Disconnected,
}
