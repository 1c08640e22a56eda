//! Frames that wait for their turn, one queue for each peer of a link.

use std::{
    collections::{BTreeMap, VecDeque},
    mem,
    sync::{Mutex, MutexGuard, PoisonError},
};

use bytes::Bytes;
use fivefold_storage::NodeId;
use tokio::sync::{Notify, futures::Notified};

use crate::limits::{
    LINK_BATCH_BYTES, LINK_FRAME_MAX, LINK_PEERS_MAX, LINK_QUEUE_BYTES_MAX, LINK_QUEUE_FRAMES_MAX,
};

/// The queues to all peers: many push, and one task takes.
#[derive(Debug, Default)]
pub(super) struct Queues {
    /// Locked to push a frame or to take a batch.
    queues: Mutex<Inner>,
    /// Wakes the task when there is something to take.
    work: Notify,
}

#[derive(Debug, Default)]
struct Inner {
    by_peer: BTreeMap<NodeId, Queue>,
    /// Peers whose queues have something for the task, each once.
    ready: VecDeque<NodeId>,
}

/// Frames that wait for one peer.
#[derive(Debug, Default)]
struct Queue {
    frames: VecDeque<Bytes>,
    bytes: usize,
    is_ready: bool,
    /// A frame was dropped: the link takes none until it is reset.
    is_broken: bool,
}

/// What a push comes to.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Pushed {
    Queued,
    /// It was dropped, and the link will be reset.
    Broken,
    /// It was dropped: there are too many peers.
    TooManyPeers,
}

/// What there is to do for a peer.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) enum Work {
    Send(Vec<Bytes>),
    Reset,
}

impl Queues {
    /// Queues a frame.
    pub(super) fn push(&self, to: NodeId, frame: Bytes) -> Pushed {
        let mut queues = self.lock();
        if !queues.admit(to) {
            return Pushed::TooManyPeers;
        }
        let queue = queues.by_peer.entry(to).or_default();
        if queue.is_broken {
            return Pushed::Broken;
        }
        let fits = frame.len() <= LINK_FRAME_MAX
            && queue.frames.len() < LINK_QUEUE_FRAMES_MAX
            && queue.bytes + frame.len() <= LINK_QUEUE_BYTES_MAX;
        if fits {
            queue.bytes += frame.len();
            queue.frames.push_back(frame);
        } else {
            queue.break_off();
        }
        queues.announce(to);
        drop(queues);
        self.work.notify_one();
        if fits { Pushed::Queued } else { Pushed::Broken }
    }

    /// Waits until there may be something to take.
    pub(super) fn work(&self) -> Notified<'_> {
        self.work.notified()
    }

    /// Takes the next thing to do. Peers take turns.
    pub(super) fn take(&self) -> Option<(NodeId, Work)> {
        let mut queues = self.lock();
        let peer = queues.ready.pop_front()?;
        let queue = queues.by_peer.get_mut(&peer)?;
        queue.is_ready = false;
        if queue.is_broken {
            return Some((peer, Work::Reset));
        }
        let frames = queue.take_batch();
        if !queue.frames.is_empty() {
            queues.announce(peer);
        }
        Some((peer, Work::Send(frames)))
    }

    /// Returns frames that could not be sent.
    pub(super) fn put_back(&self, peer: NodeId, frames: Vec<Bytes>) {
        let mut queues = self.lock();
        let Some(queue) = queues.by_peer.get_mut(&peer) else { return };
        if !queue.is_broken {
            queue.bytes += frames.iter().map(Bytes::len).sum::<usize>();
            for frame in frames.into_iter().rev() {
                queue.frames.push_front(frame);
            }
        }
        queues.announce(peer);
    }

    /// Empties a queue, for a new generation.
    pub(super) fn clear(&self, peer: NodeId) {
        if let Some(queue) = self.lock().by_peer.get_mut(&peer) {
            *queue = Queue { is_ready: queue.is_ready, ..Queue::default() };
        }
    }

    /// Drops all frames: no link takes any until it is reset.
    pub(super) fn break_all(&self) {
        for queue in self.lock().by_peer.values_mut() {
            queue.break_off();
        }
    }

    /// Makes a queue for a peer. `false` when there are too many.
    pub(super) fn admit(&self, peer: NodeId) -> bool {
        self.lock().admit(peer)
    }

    /// Removes a peer and its queue.
    pub(super) fn forget(&self, peer: NodeId) {
        let mut queues = self.lock();
        queues.by_peer.remove(&peer);
        queues.ready.retain(|&ready| ready != peer);
    }

    /// The number of frames that wait for each peer.
    pub(super) fn lengths(&self) -> Vec<(NodeId, usize)> {
        self.lock().by_peer.iter().map(|(&peer, queue)| (peer, queue.frames.len())).collect()
    }

    fn lock(&self) -> MutexGuard<'_, Inner> {
        self.queues.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Inner {
    fn admit(&mut self, peer: NodeId) -> bool {
        let known = self.by_peer.contains_key(&peer);
        if !known && self.by_peer.len() >= LINK_PEERS_MAX {
            return false;
        }
        self.by_peer.entry(peer).or_default();
        true
    }

    fn announce(&mut self, peer: NodeId) {
        let queue = self.by_peer.entry(peer).or_default();
        if !mem::replace(&mut queue.is_ready, true) {
            self.ready.push_back(peer);
        }
    }
}

impl Queue {
    fn break_off(&mut self) {
        *self = Self { is_ready: self.is_ready, is_broken: true, ..Self::default() };
    }

    /// Takes frames for one message.
    fn take_batch(&mut self) -> Vec<Bytes> {
        let mut frames = Vec::new();
        let mut bytes = 0;
        while let Some(frame) = self.frames.front() {
            // With the frame's length, which takes up to four bytes.
            bytes += frame.len() + 4;
            if bytes > LINK_BATCH_BYTES && !frames.is_empty() {
                break;
            }
            self.bytes -= frame.len();
            frames.extend(self.frames.pop_front());
        }
        frames
    }
}
