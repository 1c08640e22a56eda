//! A bus in memory for tests and the simulation, with faults: it loses, doubles and delays messages,
//! cuts nodes off from each other in one direction, and goes down.
//!
//! Chance is a seed and time is tokio's, so that a run can be repeated. Every node may have a runtime
//! and a clock of its own: only durations pass between nodes.

#[cfg(test)]
mod tests;

use std::{
    collections::{BTreeMap, BTreeSet},
    ops::RangeInclusive,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    time::Duration,
};

use bytes::Bytes;
use fivefold_storage::NodeId;
use rand::{RngExt, SeedableRng, rngs::StdRng};
use tokio::{
    sync::{mpsc, watch},
    time::{Instant, sleep_until},
};
use tokio_util::task::TaskTracker;

use super::{Bus, FromBus, changes};
use crate::limits::BUS_INBOX_MAX;

/// How the network treats each message. The parts are from 0.0 to 1.0.
#[derive(Clone, PartialEq, Debug)]
pub struct Faults {
    /// How long a message takes. Messages from one node to another stay in order.
    pub delay: RangeInclusive<Duration>,
    /// The part of the messages that are lost.
    pub lost: f64,
    /// The part that arrive twice.
    pub doubled: f64,
    /// The part that leave the order: each takes up to ten times as long, and others overtake it.
    pub strayed: f64,
    /// The part that the bus refuses, as with a full queue.
    pub refused: f64,
}

/// The network between the nodes of a cluster in memory. A clone is another handle of the same one.
#[derive(Clone, Debug)]
pub struct LocalNetwork(Arc<Mutex<Network>>);

/// Locked for one message or one change.
#[derive(Debug)]
struct Network {
    random: StdRng,
    faults: Faults,
    nodes: BTreeMap<NodeId, Socket>,
    /// From where to where nothing passes.
    cuts: BTreeSet<(NodeId, NodeId)>,
}

/// The network's end of a node's connection.
#[derive(Debug)]
struct Socket {
    inbox: mpsc::Sender<Parcel>,
    is_up: watch::Sender<bool>,
}

/// A message under way. Its receiver's clock decides when it arrives.
#[derive(Clone, Debug)]
struct Parcel {
    from: NodeId,
    delay: Duration,
    strays: bool,
    message: FromBus,
}

/// A node's end of its connection to the network.
#[derive(Debug)]
pub(crate) struct LocalBus {
    me: NodeId,
    network: LocalNetwork,
}

impl Faults {
    /// Everything arrives once and in order, after a millisecond.
    pub const NONE: Self = Self {
        delay: Duration::from_millis(1)..=Duration::from_millis(1),
        lost: 0.0,
        doubled: 0.0,
        strayed: 0.0,
        refused: 0.0,
    };
}

impl LocalNetwork {
    /// A network without faults.
    pub fn new(seed: u64) -> Self {
        Self(Arc::new(Mutex::new(Network {
            random: StdRng::seed_from_u64(seed),
            faults: Faults::NONE,
            nodes: BTreeMap::new(),
            cuts: BTreeSet::new(),
        })))
    }

    /// Connects a node. Its messages arrive on the current runtime, until the receiver is dropped.
    pub(crate) fn join(
        &self,
        me: NodeId,
        tasks: &TaskTracker,
    ) -> (Arc<LocalBus>, mpsc::Receiver<FromBus>) {
        let (inbox, parcels) = mpsc::channel(BUS_INBOX_MAX);
        let (arrived, received) = mpsc::channel(BUS_INBOX_MAX);
        let (is_up, connection) = watch::channel(true);
        tasks.spawn(deliver(parcels, connection, arrived));
        self.lock().nodes.insert(me, Socket { inbox, is_up });
        (Arc::new(LocalBus { me, network: self.clone() }), received)
    }

    /// Changes what happens to the messages that are sent from now on.
    pub fn set_faults(&self, faults: Faults) {
        self.lock().faults = faults;
    }

    /// Lets nothing pass from one node to another. A node that is cut off from itself misses its
    /// own broadcasts.
    pub fn cut(&self, from: NodeId, to: NodeId) {
        self.lock().cuts.insert((from, to));
    }

    /// Takes back a cut.
    pub fn heal(&self, from: NodeId, to: NodeId) {
        self.lock().cuts.remove(&(from, to));
    }

    /// Connects or disconnects a node. Messages that are under way to it are lost.
    pub fn set_up(&self, node: NodeId, is_up: bool) {
        if let Some(socket) = self.lock().nodes.get(&node) {
            socket.is_up.send_if_modified(|was_up| std::mem::replace(was_up, is_up) != is_up);
        }
    }

    /// Connects or disconnects all nodes.
    pub fn set_all_up(&self, is_up: bool) {
        for socket in self.lock().nodes.values() {
            socket.is_up.send_if_modified(|was_up| std::mem::replace(was_up, is_up) != is_up);
        }
    }

    fn lock(&self) -> MutexGuard<'_, Network> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Network {
    fn is_up(&self, node: NodeId) -> bool {
        self.nodes.get(&node).is_some_and(|socket| *socket.is_up.borrow())
    }

    /// Whether the sender's bus takes a message at the moment.
    fn takes(&mut self, from: NodeId) -> bool {
        self.is_up(from) && !self.random.random_bool(self.faults.refused)
    }

    /// Decides about one message to one node.
    fn carry(&mut self, from: NodeId, to: NodeId, message: &FromBus) {
        if self.cuts.contains(&(from, to)) || !self.is_up(to) {
            return;
        }
        let copies = if self.random.random_bool(self.faults.lost) {
            0
        } else if self.random.random_bool(self.faults.doubled) {
            2
        } else {
            1
        };
        for _ in 0..copies {
            let strays = self.random.random_bool(self.faults.strayed);
            let mut delay = self.random.random_range(self.faults.delay.clone());
            if strays {
                delay = delay.mul_f64(self.random.random_range(1.0..10.0));
            }
            let parcel = Parcel { from, delay, strays, message: message.clone() };
            // A full inbox loses messages, as a slow consumer of a real bus does.
            drop(self.nodes[&to].inbox.try_send(parcel));
        }
    }
}

impl Bus for LocalBus {
    fn send(&self, to: NodeId, bytes: Bytes) -> bool {
        let mut network = self.network.lock();
        let takes = network.takes(self.me);
        if takes {
            network.carry(self.me, to, &FromBus::Sent(bytes));
        }
        takes
    }

    fn broadcast(&self, bytes: Bytes) -> bool {
        let mut network = self.network.lock();
        let takes = network.takes(self.me);
        if takes {
            let nodes: Vec<_> = network.nodes.keys().copied().collect();
            for to in nodes {
                network.carry(self.me, to, &FromBus::Broadcast(bytes.clone()));
            }
        }
        takes
    }

    fn is_up(&self) -> bool {
        self.network.lock().is_up(self.me)
    }
}

/// Hands a node its messages when they are due, and the changes of its connection.
async fn deliver(
    mut parcels: mpsc::Receiver<Parcel>,
    mut connection: watch::Receiver<bool>,
    arrived: mpsc::Sender<FromBus>,
) {
    let mut was_up = false;
    connection.mark_changed();
    // By the time they are due, and in the order in which they were sent.
    let mut under_way: BTreeMap<(Instant, u64), FromBus> = BTreeMap::new();
    let mut last_due: BTreeMap<NodeId, Instant> = BTreeMap::new();
    let mut count = 0;
    loop {
        let next = under_way.first_key_value().map(|((due, _), _)| *due);
        let due = async {
            match next {
                Some(due) => sleep_until(due).await,
                None => std::future::pending().await,
            }
        };
        tokio::select! {
            biased;
            () = arrived.closed() => return,
            changed = connection.changed() => {
                let Ok(()) = changed else { return };
                under_way.clear();
                let is_up = *connection.borrow_and_update();
                for change in changes(was_up, is_up) {
                    let Ok(()) = arrived.send(change).await else { return };
                }
                was_up = is_up;
            }
            () = due => {
                let message = under_way.pop_first().map(|(_, message)| message);
                if let Some(message) = message {
                    drop(arrived.try_send(message));
                }
            }
            parcel = parcels.recv() => {
                let Some(Parcel { from, delay, strays, message }) = parcel else { return };
                let mut due = Instant::now() + delay;
                if !strays {
                    let last = last_due.entry(from).or_insert(due);
                    due = due.max(*last);
                    *last = due;
                }
                count += 1;
                under_way.insert((due, count), message);
            }
        }
    }
}
