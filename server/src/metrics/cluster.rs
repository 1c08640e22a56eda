//! Metrics of rooms on several nodes.

use std::{
    sync::atomic::{AtomicBool, AtomicU64, Ordering},
    time::Duration,
};

use prometheus_client::{
    metrics::{counter::Counter, gauge::Gauge},
    registry::{Registry, Unit},
};

use crate::limits::CLOCK_DRIFT_WARNED;

/// What becomes of rooms when nodes fail.
#[derive(Debug, Default)]
pub(crate) struct ClusterMetrics {
    /// Rooms claimed from nodes that are dead.
    pub(crate) rooms_taken_over: Counter,
    /// How often a relay has begun an attempt with the owner of its room.
    pub(crate) relay_attempts: Counter,
    /// Sockets closed so that their members come back and ask again.
    pub(crate) sockets_restarted: Counter,
    /// Frames and broadcasts of other nodes that could not be decoded.
    pub(crate) undecodable: Counter,
    /// Times that messages of other nodes for the pairing were lost, because too many waited.
    pub(crate) pairing_overruns: Counter,
    clock_drift: Gauge<f64, AtomicU64>,
    /// Whether the log says that the clock is wrong.
    is_warned: AtomicBool,
}

impl ClusterMetrics {
    pub(super) fn register(&self, registry: &mut Registry) {
        let help = "Rooms claimed from nodes that are dead";
        registry.register("rooms_taken_over", help, self.rooms_taken_over.clone());
        let help = "Times that a relay began to send to the owner of its room";
        registry.register("relay_attempts", help, self.relay_attempts.clone());
        let help =
            "Sockets closed because a command could not be answered in time, or a seek may be lost";
        registry.register("sockets_restarted", help, self.sockets_restarted.clone());
        let help = "Frames of other nodes that could not be decoded";
        registry.register("frames_undecodable", help, self.undecodable.clone());
        let help =
            "Times that too many messages of other nodes waited for the pairing, and were lost";
        registry.register("pairing_overruns", help, self.pairing_overruns.clone());
        let help = "Difference between the clocks of this server and of the database, or of its system if it is alone";
        registry.register_with_unit("clock_drift", help, Unit::Seconds, self.clock_drift.clone());
    }

    /// Records by how much the clock of a server without other nodes was wrong.
    pub(crate) fn note_system_drift(&self, drift: Duration) {
        self.clock_drift.set(drift.as_secs_f64());
    }

    /// Records by how much the clock is wrong.
    pub(crate) fn note_drift(&self, drift: Duration) {
        self.clock_drift.set(drift.as_secs_f64());
        let is_wrong = drift > CLOCK_DRIFT_WARNED;
        if is_wrong && !self.is_warned.swap(is_wrong, Ordering::Relaxed) {
            tracing::warn!(?drift, "the clocks of this node and of the database differ");
        } else if !is_wrong {
            self.is_warned.store(false, Ordering::Relaxed);
        }
    }
}
