//! The bus moves bytes between the nodes of a cluster. It may lose, double and delay them; order and
//! completeness are the business of the links above it (`link.rs`).

mod config;
pub mod local;
pub mod nats;

use std::fmt;

use bytes::Bytes;
use fivefold_storage::NodeId;

pub use self::config::BusConfig;

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

/// The changes that a listener has to know about. A connection that was up both times was lost in
/// between.
fn changes(was_up: bool, is_up: bool) -> impl Iterator<Item = FromBus> {
    let lost = was_up.then_some(FromBus::Disconnected);
    lost.into_iter().chain(is_up.then_some(FromBus::Connected))
}
