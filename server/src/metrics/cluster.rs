//! Metrics of rooms on several nodes.

use prometheus_client::{metrics::counter::Counter, registry::Registry};

/// What becomes of rooms when nodes fail.
#[derive(Debug, Default)]
pub(crate) struct ClusterMetrics {
    /// Rooms claimed from nodes that are dead.
    pub(crate) rooms_taken_over: Counter,
    /// How often a relay has begun an attempt with the owner of its room.
    pub(crate) relay_attempts: Counter,
    /// Sockets closed because a room could not answer in time.
    pub(crate) sockets_restarted: Counter,
    /// Frames and broadcasts of other nodes that could not be decoded.
    pub(crate) undecodable: Counter,
}

impl ClusterMetrics {
    pub(super) fn register(&self, registry: &mut Registry) {
        let help = "Rooms claimed from nodes that are dead";
        registry.register("rooms_taken_over", help, self.rooms_taken_over.clone());
        let help = "Times that a relay began to send to the owner of its room";
        registry.register("relay_attempts", help, self.relay_attempts.clone());
        let help = "Sockets closed because a room could not answer a command in time";
        registry.register("sockets_restarted", help, self.sockets_restarted.clone());
        let help = "Frames of other nodes that could not be decoded";
        registry.register("frames_undecodable", help, self.undecodable.clone());
    }
}
