//! Metrics of the links to other nodes. A server without a bus has none.

use std::{sync::atomic::AtomicU64, time::Duration};

use fivefold_storage::NodeId;
use prometheus_client::{
    encoding::EncodeLabelSet,
    metrics::{counter::Counter, family::Family, gauge::Gauge},
    registry::{Registry, Unit},
};

/// Metrics of the links, by node.
#[derive(Debug, Default)]
pub(crate) struct LinkMetrics {
    frames_sent: Family<NodeLabels, Counter>,
    bytes_sent: Family<NodeLabels, Counter>,
    frames_received: Family<NodeLabels, Counter>,
    bytes_received: Family<NodeLabels, Counter>,
    resets: Family<ResetLabels, Counter>,
    queue: Family<NodeLabels, Gauge>,
    drops: Family<DropLabels, Counter>,
    echo_age: Gauge<f64, AtomicU64>,
}

/// Why a message between nodes was dropped.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum LinkDrop {
    /// A frame that waits for its link to be reset, or is too long.
    Broken,
    /// A broadcast that is too long, or that the bus did not take.
    Broadcast,
    /// A batch of an older generation, or after a gap.
    Stale,
    /// A message that cannot be decoded or is for another node.
    Undecodable,
    /// A message from or to one node too many.
    TooManyPeers,
    /// A message that was queued when the bus was disconnected.
    BusDown,
    /// A message that the bus refused, for instance as too long.
    Refused,
    /// A message from the bus that came faster than the links read.
    InboxFull,
}

impl LinkDrop {
    const ALL: [Self; 8] = [
        Self::Broken,
        Self::Broadcast,
        Self::Stale,
        Self::Undecodable,
        Self::TooManyPeers,
        Self::BusDown,
        Self::Refused,
        Self::InboxFull,
    ];

    const fn label(self) -> &'static str {
        match self {
            Self::Broken => "broken",
            Self::Broadcast => "broadcast",
            Self::Stale => "stale",
            Self::Undecodable => "undecodable",
            Self::TooManyPeers => "too_many_peers",
            Self::BusDown => "bus_down",
            Self::Refused => "refused",
            Self::InboxFull => "inbox_full",
        }
    }
}

#[derive(Clone, PartialEq, Eq, Hash, Debug, EncodeLabelSet)]
struct NodeLabels {
    node: u32,
}

#[derive(Clone, PartialEq, Eq, Hash, Debug, EncodeLabelSet)]
struct ResetLabels {
    node: u32,
    cause: &'static str,
}

#[derive(Clone, PartialEq, Eq, Hash, Debug, EncodeLabelSet)]
struct DropLabels {
    why: &'static str,
}

impl LinkMetrics {
    /// Shows the counters of a node before anything is counted.
    pub(crate) fn show(&self, node: NodeId) {
        let labels = NodeLabels { node: node.get() };
        for counter in
            [&self.frames_sent, &self.bytes_sent, &self.frames_received, &self.bytes_received]
        {
            drop(counter.get_or_create(&labels));
        }
        for cause in ResetCause::ALL {
            drop(self.resets.get_or_create(&ResetLabels::new(node, cause)));
        }
    }

    pub(super) fn register(&self, registry: &mut Registry) {
        let help = "Frames sent to another node";
        registry.register("link_frames_sent", help, self.frames_sent.clone());
        let help = "Bytes sent to another node, with headers";
        registry.register("link_sent", help, self.bytes_sent.clone());
        let help = "Frames received from another node";
        registry.register("link_frames_received", help, self.frames_received.clone());
        let help = "Bytes received from another node, with headers";
        registry.register("link_received", help, self.bytes_received.clone());
        let help = "Resets of the link to another node, by cause";
        registry.register("link_resets", help, self.resets.clone());
        let help = "Frames that wait for another node";
        registry.register("link_queue", help, self.queue.clone());
        let help = "Messages between nodes that were dropped, by why";
        for why in LinkDrop::ALL {
            drop(self.drops.get_or_create(&DropLabels { why: why.label() }));
        }
        registry.register("link_drops", help, self.drops.clone());
        let help = "Time since this node last received a broadcast of its own";
        registry.register_with_unit("bus_echo_age", help, Unit::Seconds, self.echo_age.clone());
    }

    /// Counts a message to a node.
    pub(crate) fn sent(&self, to: NodeId, frames: usize, bytes: usize) {
        let labels = NodeLabels { node: to.get() };
        self.frames_sent.get_or_create(&labels).inc_by(frames as u64);
        self.bytes_sent.get_or_create(&labels).inc_by(bytes as u64);
    }

    /// Counts a message from a node.
    pub(crate) fn received(&self, from: NodeId, frames: usize, bytes: usize) {
        let labels = NodeLabels { node: from.get() };
        self.frames_received.get_or_create(&labels).inc_by(frames as u64);
        self.bytes_received.get_or_create(&labels).inc_by(bytes as u64);
    }

    /// Counts a reset of a node's link.
    pub(crate) fn reset(&self, node: NodeId, cause: ResetCause) {
        self.resets.get_or_create(&ResetLabels::new(node, cause)).inc();
    }

    /// Records how many frames wait for a node.
    pub(crate) fn note_queue(&self, node: NodeId, frames: usize) {
        let labels = NodeLabels { node: node.get() };
        self.queue.get_or_create(&labels).set(i64::try_from(frames).unwrap_or(i64::MAX));
    }

    /// Counts a message that was dropped.
    pub(crate) fn dropped(&self, why: LinkDrop) {
        self.drops.get_or_create(&DropLabels { why: why.label() }).inc();
    }

    /// Records the time since the last echo.
    pub(crate) fn note_echo_age(&self, age: Duration) {
        self.echo_age.set(age.as_secs_f64());
    }

    /// Forgets a node that has been silent for long.
    pub(crate) fn forget(&self, node: NodeId) {
        let labels = NodeLabels { node: node.get() };
        for counter in
            [&self.frames_sent, &self.bytes_sent, &self.frames_received, &self.bytes_received]
        {
            counter.remove(&labels);
        }
        self.queue.remove(&labels);
        for cause in ResetCause::ALL {
            self.resets.remove(&ResetLabels::new(node, cause));
        }
    }
}

/// Why a link is reset.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(crate) enum ResetCause {
    /// A frame came before one that was sent earlier.
    Gap,
    /// The last frames did not come.
    Tail,
    /// Too many frames waited.
    Overfull,
    /// The bus was disconnected.
    Reconnected,
    /// The peer has reset the link.
    Peer,
}

impl ResetCause {
    /// All causes.
    pub(crate) const ALL: [Self; 5] =
        [Self::Gap, Self::Tail, Self::Overfull, Self::Reconnected, Self::Peer];
}

impl ResetLabels {
    fn new(node: NodeId, cause: ResetCause) -> Self {
        let cause = match cause {
            ResetCause::Gap => "gap",
            ResetCause::Tail => "tail",
            ResetCause::Overfull => "overfull",
            ResetCause::Reconnected => "reconnected",
            ResetCause::Peer => "peer",
        };
        Self { node: node.get(), cause }
    }
}
