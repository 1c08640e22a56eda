//! The task of a node's links: it reads the bus, numbers what is sent, and keeps the heartbeats.

use std::{
    collections::{BTreeMap, VecDeque},
    sync::{Arc, atomic::Ordering},
};

use bytes::Bytes;
use fivefold_storage::NodeId;
use tokio::{
    sync::mpsc,
    time::{Instant, MissedTickBehavior, interval, sleep},
};

use super::{
    frame::{Batch, Generation, Heartbeat, LinkState, Message},
    peer::{Elapsed, Peer},
    queues::{Queues, Work},
    sight::Sight,
};
use crate::{
    limits::{BUS_RETRY, FROM_PEERS_MAX, LINK_ECHOES_MISSED_MAX, LINK_HEARTBEAT_TICKS, LINK_TICK},
    metrics::{LinkDrop, Metrics, ResetCause},
    transport::bus::{Bus, FromBus},
};

/// What arrives over the links.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) enum FromPeer {
    /// The next frame from a peer.
    Frame {
        /// The peer.
        from: NodeId,
        /// The frame, as it was sent.
        frame: Bytes,
    },
    /// Frames to or from this peer were lost. Further frames are of a new generation; the peer sees
    /// a reset before them, too.
    ///
    /// The peer may have sent the first of them before it saw its own reset. So a receiver should
    /// ignore frames until the peer resumes.
    Reset(NodeId),
    /// Nothing has come from this peer for two seconds.
    Silent(NodeId),
    /// Messages come from this peer, for the first time or again.
    Present(NodeId),
    /// A message to all nodes, in no order with frames.
    Broadcast {
        /// The sender, never this node.
        from: NodeId,
        /// The message, as it was sent.
        message: Bytes,
    },
}

/// All that the task knows.
#[derive(Debug)]
pub(super) struct LinkTask {
    me: NodeId,
    bus: Arc<dyn Bus>,
    queues: Arc<Queues>,
    sight: Arc<Sight>,
    metrics: Arc<Metrics>,
    arrived: mpsc::Sender<FromPeer>,
    /// What did not fit into the channel. While there is any, the bus is not read.
    waiting: VecDeque<FromPeer>,
    /// Each has a queue.
    peers: BTreeMap<NodeId, Peer>,
    /// The generation of a link to an unknown peer: higher than those of all forgotten ones, so that
    /// none is used twice for the same pair.
    first_generation: Generation,
    ticks: u32,
    /// The number of the last heartbeat.
    beat: u64,
    /// The number of the last one that came back.
    echo: u64,
    echoed_at: Instant,
    /// The last heartbeat that says nothing against the connection.
    excused: u64,
}

impl LinkTask {
    /// A task without peers, and what it reports.
    pub(super) fn new(
        me: NodeId,
        bus: Arc<dyn Bus>,
        queues: Arc<Queues>,
        sight: Arc<Sight>,
        metrics: Arc<Metrics>,
    ) -> (Self, mpsc::Receiver<FromPeer>) {
        let (arrived, from_peers) = mpsc::channel(FROM_PEERS_MAX);
        let task = Self {
            me,
            bus,
            queues,
            sight,
            metrics,
            arrived,
            waiting: VecDeque::new(),
            peers: BTreeMap::new(),
            first_generation: Generation::FIRST,
            ticks: 0,
            beat: 0,
            echo: 0,
            echoed_at: Instant::now(),
            excused: 0,
        };
        (task, from_peers)
    }

    /// Runs until nobody listens, or the bus is gone.
    pub(super) async fn run(mut self, mut from_bus: mpsc::Receiver<FromBus>) {
        let arrived = self.arrived.clone();
        let queues = Arc::clone(&self.queues);
        let mut ticks = interval(LINK_TICK);
        // The time in which a frozen process did not run says nothing about its peers.
        ticks.set_missed_tick_behavior(MissedTickBehavior::Delay);
        let mut is_full = false;
        loop {
            tokio::select! {
                biased;
                () = arrived.closed() => return,
                _ = ticks.tick() => self.tick(),
                permit = arrived.reserve(), if !self.waiting.is_empty() => {
                    let Ok(permit) = permit else { return };
                    if let Some(waiting) = self.waiting.pop_front() {
                        permit.send(waiting);
                    }
                }
                message = from_bus.recv(), if self.waiting.is_empty() => {
                    let Some(message) = message else { return };
                    self.take(message);
                }
                () = queues.work(), if !is_full => {}
                () = sleep(BUS_RETRY), if is_full => {}
            }
            is_full = self.send_queued();
        }
    }

    /// Sends what waits. Returns whether the bus took less, though it is up.
    fn send_queued(&mut self) -> bool {
        while let Some((to, work)) = self.queues.take() {
            let peer = self.peers.entry(to).or_insert_with(|| {
                self.metrics.links.show(to);
                Peer::new(self.first_generation)
            });
            let frames = match work {
                Work::Send(frames) => frames,
                Work::Reset if self.bus.is_up() => {
                    peer.reset();
                    self.note_reset(to, ResetCause::Overfull);
                    continue;
                }
                // All links are reset when the bus is connected again.
                Work::Reset => continue,
            };
            let (from, generation, first) = (self.me, peer.generation(), peer.sent());
            let batch = Batch { from, to, generation, first, frames };
            let message = Message::Batch(batch);
            let bytes = message.encode();
            let Message::Batch(Batch { frames, .. }) = message else { continue };
            if !self.bus.send(to, bytes.clone()) {
                self.queues.put_back(to, frames);
                return self.bus.is_up();
            }
            peer.note_sent(frames.len());
            self.metrics.links.sent(to, frames.len(), bytes.len());
        }
        false
    }

    fn take(&mut self, message: FromBus) {
        let bytes = match message {
            FromBus::Sent(bytes) | FromBus::Broadcast(bytes) => bytes,
            FromBus::Disconnected => return self.queues.break_all(),
            FromBus::Connected => return self.reset_all(),
        };
        let Ok(message) = Message::decode(&bytes) else {
            return self.metrics.links.dropped(LinkDrop::Undecodable);
        };
        match message {
            Message::Batch(batch) => self.take_batch(batch, bytes.len()),
            Message::Heartbeat(heartbeat) => self.take_heartbeat(heartbeat),
            Message::Broadcast { from, message } => {
                if from != self.me && self.note_message(from).is_some() {
                    self.report(FromPeer::Broadcast { from, message });
                }
            }
        }
    }

    fn take_batch(&mut self, batch: Batch, bytes: usize) {
        let Batch { from, to, generation, first, frames } = batch;
        if to != self.me || from == self.me {
            return self.metrics.links.dropped(LinkDrop::Undecodable);
        }
        let Some(peer) = self.note_message(from) else { return };
        let receipt = peer.receive(generation, first, frames.len());
        if let Some(cause) = receipt.reset {
            self.note_reset(from, cause);
        }
        let Some(skip) = receipt.skip else {
            return self.metrics.links.dropped(LinkDrop::Stale);
        };
        self.metrics.links.received(from, frames.len() - skip, bytes);
        for frame in frames.into_iter().skip(skip) {
            self.report(FromPeer::Frame { from, frame });
        }
    }

    fn take_heartbeat(&mut self, heartbeat: Heartbeat) {
        let Heartbeat { from, beat, links } = heartbeat;
        if from == self.me {
            return self.note_echo(beat);
        }
        let me = self.me;
        let Some(peer) = self.note_message(from) else { return };
        let Some(state) = links.iter().find(|link| link.to == me) else { return };
        if peer.compare(state.generation, state.sent) {
            self.note_reset(from, ResetCause::Peer);
        }
    }

    fn note_echo(&mut self, beat: u64) {
        if beat > self.echo {
            self.echo = beat;
            self.excused = self.excused.max(beat);
            self.echoed_at = Instant::now();
            self.judge_bus();
        }
    }

    fn judge_bus(&self) {
        let sees_bus = self.echo > 0 && self.beat - self.echo < LINK_ECHOES_MISSED_MAX;
        self.sight.is_clear.store(sees_bus, Ordering::Relaxed);
        if sees_bus {
            self.sight.has_been.store(true, Ordering::Relaxed);
        }
    }

    /// Notes that a peer is there. `None` when there are too many.
    fn note_message(&mut self, from: NodeId) -> Option<&mut Peer> {
        if !self.queues.admit(from) {
            self.metrics.links.dropped(LinkDrop::TooManyPeers);
            return None;
        }
        let peer = self.peers.entry(from).or_insert_with(|| {
            self.metrics.links.show(from);
            Peer::new(self.first_generation)
        });
        if peer.note_message() {
            self.report(FromPeer::Present(from));
        }
        self.peers.get_mut(&from)
    }

    fn tick(&mut self) {
        if self.ticks.is_multiple_of(LINK_HEARTBEAT_TICKS) {
            self.send_heartbeat();
        }
        self.ticks = self.ticks.wrapping_add(1);
        if !self.waiting.is_empty() {
            // The missing messages may be among those that are not read.
            return;
        }
        let peers: Vec<_> = self.peers.iter_mut().map(|(&id, peer)| (id, peer.tick())).collect();
        for (id, elapsed) in peers {
            match elapsed {
                Elapsed::Nothing => {}
                Elapsed::Lost => self.note_reset(id, ResetCause::Tail),
                Elapsed::Silent => self.report(FromPeer::Silent(id)),
                Elapsed::Forgotten => self.forget(id),
            }
        }
    }

    fn send_heartbeat(&mut self) {
        self.beat += 1;
        let links = self.peers.iter().map(|(&to, peer)| LinkState {
            to,
            generation: peer.generation(),
            sent: peer.sent(),
        });
        let links = links.collect();
        let heartbeat = Heartbeat { from: self.me, beat: self.beat, links };
        if !self.bus.broadcast(Message::Heartbeat(heartbeat).encode()) {
            self.metrics.links.dropped(LinkDrop::Broadcast);
        }
        self.judge_bus();
        let is_up = self.bus.is_up();
        if !is_up || self.beat - self.excused >= LINK_ECHOES_MISSED_MAX {
            self.excused = self.beat;
            if is_up {
                self.bus.reconnect();
            }
        }
        self.metrics.links.note_echo_age(self.echoed_at.elapsed());
        for (peer, length) in self.queues.lengths() {
            self.metrics.links.note_queue(peer, length);
        }
    }

    /// Starts new generations of all links: the bus has lost messages.
    fn reset_all(&mut self) {
        self.excused = self.beat;
        let peers: Vec<_> = self.peers.keys().copied().collect();
        for id in peers {
            if let Some(peer) = self.peers.get_mut(&id) {
                peer.reset();
            }
            self.note_reset(id, ResetCause::Reconnected);
        }
    }

    /// Follows up a reset of a peer's link.
    fn note_reset(&mut self, id: NodeId, cause: ResetCause) {
        self.queues.clear(id);
        self.metrics.links.reset(id, cause);
        tracing::debug!(node = %id, ?cause, "link reset");
        self.report(FromPeer::Reset(id));
        if cause != ResetCause::Peer
            && let Some(peer) = self.peers.get(&id)
        {
            // If this is lost, the next heartbeat says the same.
            let (from, generation) = (self.me, peer.generation());
            let batch = Batch { from, to: id, generation, first: 0, frames: Vec::new() };
            self.bus.send(id, Message::Batch(batch).encode());
        }
    }

    fn forget(&mut self, id: NodeId) {
        if let Some(peer) = self.peers.remove(&id) {
            self.first_generation = self.first_generation.max(peer.generation().next());
        }
        self.queues.forget(id);
        self.metrics.links.forget(id);
    }

    fn report(&mut self, event: FromPeer) {
        if !self.waiting.is_empty() {
            return self.waiting.push_back(event);
        }
        match self.arrived.try_send(event) {
            Ok(()) => {}
            Err(mpsc::error::TrySendError::Full(event)) => self.waiting.push_back(event),
            // The task is about to end.
            Err(mpsc::error::TrySendError::Closed(_)) => {}
        }
    }
}
