//! Links: ordered frames between this node and each of its peers, over a bus that loses messages.
//!
//! Frames are bytes without a meaning here. Between two resets of a link the receiver gets the
//! frames in the order in which they were sent, without gaps or doubles. The users of a link repair
//! what a reset has lost.

mod frame;
mod peer;
mod queues;
mod sight;
mod task;
#[cfg(test)]
pub(crate) mod testing;
#[cfg(test)]
mod tests;

use std::sync::{Arc, atomic::Ordering};

use bytes::Bytes;
use fivefold_storage::NodeId;
use tokio::sync::mpsc;
use tokio_util::task::TaskTracker;

pub(crate) use self::task::FromPeer;
use self::{
    frame::Message,
    queues::{Pushed, Queues},
    sight::Sight,
    task::LinkTask,
};
use crate::{
    limits::LINK_FRAME_MAX,
    metrics::{LinkDrop, Metrics},
    transport::bus::{Bus, FromBus},
};

/// The sending ends of all links of a node. A clone is another handle of the same ones.
#[derive(Clone, Debug)]
pub(crate) struct Links {
    me: NodeId,
    bus: Arc<dyn Bus>,
    queues: Arc<Queues>,
    sight: Arc<Sight>,
    metrics: Arc<Metrics>,
}

impl Links {
    /// Starts the task that keeps the links of this node. It ends when the receiver is dropped.
    pub(crate) fn start(
        me: NodeId,
        bus: Arc<dyn Bus>,
        from_bus: mpsc::Receiver<FromBus>,
        metrics: Arc<Metrics>,
        tasks: &TaskTracker,
    ) -> (Self, mpsc::Receiver<FromPeer>) {
        let (queues, sight) = (Arc::<Queues>::default(), Arc::<Sight>::default());
        let links = Self { me, bus, queues, sight, metrics };
        let Self { me, bus, queues, sight, metrics } = links.clone();
        let (task, from_peers) = LinkTask::new(me, bus, queues, sight, metrics);
        tasks.spawn(task.run(from_bus));
        (links, from_peers)
    }

    /// Queues a frame of at most [`LINK_FRAME_MAX`] bytes. Never waits. When the queue is full or
    /// the frame is too long, the link is reset.
    pub(crate) fn send(&self, to: NodeId, frame: Bytes) {
        debug_assert_ne!(to, self.me, "a node has no link to itself");
        match self.queues.push(to, frame) {
            Pushed::Queued => {}
            Pushed::Broken => self.metrics.links.dropped(LinkDrop::Broken),
            Pushed::TooManyPeers => self.metrics.links.dropped(LinkDrop::TooManyPeers),
        }
    }

    /// Sends a message of at most [`LINK_FRAME_MAX`] bytes to all other nodes. It may be lost, and
    /// has no order with frames. Never waits.
    pub(crate) fn broadcast(&self, message: Bytes) {
        let fits = message.len() <= LINK_FRAME_MAX;
        let from = self.me;
        if !fits || !self.bus.broadcast(Message::Broadcast { from, message }.encode()) {
            self.metrics.links.dropped(LinkDrop::Broadcast);
        }
    }

    /// Whether this node receives its own broadcasts: one of the last second came back.
    pub(crate) fn sees_bus(&self) -> bool {
        self.sight.is_clear.load(Ordering::Relaxed)
    }

    /// Whether this node has ever received its own broadcasts.
    pub(crate) fn has_seen_bus(&self) -> bool {
        self.sight.has_been.load(Ordering::Relaxed)
    }
}
