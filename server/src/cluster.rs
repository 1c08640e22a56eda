//! The other nodes of the cluster, as the rooms here need them: frames to owners and relays of
//! rooms, and who is silent or dead.
//!
//! It does not know what a room is. `lobby/other_nodes.rs` hands out what comes from other nodes.

pub(crate) mod frame;
pub mod node;
mod questions;

use std::{
    collections::{BTreeMap, BTreeSet, HashMap},
    sync::{
        Arc, Mutex, MutexGuard, PoisonError,
        atomic::{AtomicU64, AtomicUsize, Ordering},
    },
};

use fivefold_shared::protocol::RoomCode;
use fivefold_storage::{NodeId, NodeReport, SharedRooms};
use futures_util::future::join_all;
use serde::de::DeserializeOwned;
use tokio::sync::mpsc;
use tokio_util::sync::CancellationToken;

use self::{
    frame::{Frame, News, Question, ToOwner, ToRelay, encode},
    questions::Questions,
};
use crate::{
    cluster::node::{Beat, Node},
    limits::{FROM_OWNER_MAX, FROM_PEERS_MAX},
    process::{operation::Operation, read_pool::ReadPool},
    transport::link::Links,
};

/// The other nodes, and this one among them.
#[derive(Debug)]
pub(crate) struct Cluster {
    /// This node.
    pub(crate) node: Node,
    /// The open rooms of all nodes.
    pub(crate) rooms: ReadPool<dyn SharedRooms>,
    links: Links,
    /// Locked to look up or change.
    relays: Mutex<Relays>,
    /// Where the pairing here receives what other nodes send. Locked to send or replace it.
    pairing: Mutex<Option<mpsc::Sender<ForPairing>>>,
    /// Nodes that are silent on the bus. Locked to look up or change.
    silent: Mutex<BTreeSet<NodeId>>,
    /// How many rooms this node had at its last heartbeat.
    room_count: AtomicUsize,
    attempts: AtomicU64,
    questions: Questions,
    /// Cancelled when this node is about to stop.
    draining: CancellationToken,
    operation: Arc<Operation>,
}

/// Where the relays here receive what their rooms' owners send.
#[derive(Debug, Default)]
struct Relays {
    count: u64,
    numbers: HashMap<RoomCode, u64>,
    /// In the order in which they began, so that a simulated day can be repeated.
    senders: BTreeMap<u64, (RoomCode, mpsc::Sender<FromOwner>)>,
}

/// What a relay receives from other nodes.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) enum FromOwner {
    /// A message of an attempt.
    Message { from: NodeId, attempt: u64, message: ToRelay },
    /// Frames to or from this node were lost.
    Lost(NodeId),
    /// This node is silent.
    Silent(NodeId),
    /// Messages come from this node.
    Present(NodeId),
    /// This node is dead.
    Died(NodeId),
}

/// What the pairing receives from other nodes. The texts are its own messages as JSON.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) enum ForPairing {
    /// For the leader of the pairing.
    ToLeader { from: NodeId, text: String },
    /// From a leader of the pairing.
    ToFront { from: NodeId, text: String },
    /// Frames to or from this node were lost.
    Lost(NodeId),
}

impl Cluster {
    pub(crate) fn new(
        node: Node,
        rooms: ReadPool<dyn SharedRooms>,
        links: Links,
        draining: CancellationToken,
        operation: Arc<Operation>,
    ) -> Self {
        Self {
            node,
            rooms,
            links,
            relays: Mutex::default(),
            pairing: Mutex::default(),
            silent: Mutex::default(),
            room_count: AtomicUsize::new(0),
            attempts: AtomicU64::new(0),
            questions: Questions::default(),
            draining,
            operation,
        }
    }

    /// Sends a message to the owner of a room.
    pub(crate) fn to_owner(&self, owner: NodeId, room: &RoomCode, attempt: u64, message: ToOwner) {
        self.send(owner, &Frame::ToOwner { room: room.clone(), attempt, message });
    }

    /// Sends a message to a room's relay on another node.
    pub(crate) fn to_relay(&self, node: NodeId, room: &RoomCode, attempt: u64, message: ToRelay) {
        self.send(node, &Frame::ToRelay { room: room.clone(), attempt, message });
    }

    /// A number for the next attempt of a relay. No two relays of this node have the same.
    pub(crate) fn next_attempt(&self) -> u64 {
        self.attempts.fetch_add(1, Ordering::Relaxed) + 1
    }

    /// Whether this node receives its own broadcasts.
    pub(crate) fn sees_bus(&self) -> bool {
        self.links.sees_bus()
    }

    /// Whether clients are better served by other nodes.
    pub(crate) fn is_cut_off(&self) -> bool {
        self.node.is_cut_off(self.sees_bus())
    }

    /// Whether the bus was connected once.
    pub(crate) fn has_seen_bus(&self) -> bool {
        self.links.has_seen_bus()
    }

    /// Whether this node has not seen the bus yet and another one has: nobody can play here with those
    /// who are there.
    pub(crate) fn waits_for_bus(&self) -> bool {
        !self.has_seen_bus() && self.node.others_see_bus()
    }

    /// Whether this node takes no rooms, because it is about to stop, is paused or waits for the bus, and another
    /// one takes them.
    pub(crate) fn leaves_rooms_to_others(&self) -> bool {
        self.takes_no_rooms() && self.emptier_node().is_some()
    }

    fn takes_no_rooms(&self) -> bool {
        self.is_draining() || self.waits_for_bus()
    }

    /// Whether this node gives up new rooms: it is about to stop, or an operator has paused it.
    fn is_draining(&self) -> bool {
        self.draining.is_cancelled() || self.operation.is_paused()
    }

    fn emptier_node(&self) -> Option<NodeId> {
        let rooms = self.room_count.load(Ordering::Relaxed);
        let emptier = self.node.emptier_node(rooms, self.takes_no_rooms());
        emptier.filter(|node| !self.is_silent(*node))
    }

    /// Offers an orphan to an emptier node. Returns whether there is one.
    pub(crate) fn offer(&self, room: &RoomCode) -> bool {
        let emptier = self.emptier_node();
        if let Some(node) = emptier {
            self.send(node, &Frame::Take { room: room.clone() });
        }
        emptier.is_some()
    }

    /// The other nodes, except for those that are silent.
    pub(crate) fn others(&self) -> Vec<NodeId> {
        let mut others = self.node.others();
        others.retain(|node| !self.is_silent(*node));
        others
    }

    /// The node that does what one node does for all: the one with the lowest number of those that live
    /// and stay.
    pub(crate) fn leader(&self) -> Option<NodeId> {
        self.node.lowest(self.is_draining())
    }

    /// Whether this node is that one.
    pub(crate) fn is_leader(&self) -> bool {
        self.leader() == Some(self.node.id())
    }

    /// Receives what other nodes send to the pairing here. When the receiver ends, messages were lost.
    pub(crate) fn listen_for_pairing(&self) -> mpsc::Receiver<ForPairing> {
        let (sender, receiver) = mpsc::channel(FROM_PEERS_MAX);
        *lock(&self.pairing) = Some(sender);
        receiver
    }

    /// Hands the pairing what came from another node.
    pub(crate) fn pass_on_to_pairing(&self, message: ForPairing) {
        let mut pairing = lock(&self.pairing);
        if pairing.as_ref().is_some_and(|sender| sender.try_send(message).is_err()) {
            *pairing = None;
        }
    }

    /// Sends a message to the leader of the pairing.
    pub(crate) fn to_leader(&self, node: NodeId, text: String) {
        self.send(node, &Frame::ToLeader { text });
    }

    /// Sends a message of the leader of the pairing.
    pub(crate) fn to_front(&self, node: NodeId, text: String) {
        self.send(node, &Frame::ToFront { text });
    }

    /// Asks all other nodes. Those that do not answer soon are left out.
    pub(crate) async fn ask_all<T: DeserializeOwned>(&self, question: &Question) -> Vec<T> {
        let answers = self.others().into_iter().map(|node| self.ask(node, question.clone()));
        join_all(answers).await.into_iter().flatten().collect()
    }

    /// Asks another node; `None` if it does not answer soon.
    pub(crate) async fn ask<T: DeserializeOwned>(
        &self,
        node: NodeId,
        question: Question,
    ) -> Option<T> {
        let waiting = self.questions.begin();
        self.send(node, &Frame::Ask { number: waiting.number, question });
        serde_json::from_str(&waiting.answer().await?).ok()
    }

    /// Answers a question of another node.
    pub(crate) fn reply(&self, node: NodeId, number: u64, text: String) {
        self.send(node, &Frame::Reply { number, text });
    }

    /// Takes in an answer.
    pub(crate) fn note_reply(&self, number: u64, text: String) {
        self.questions.answer(number, text);
    }

    /// Tells all other nodes; it may be lost.
    pub(crate) fn broadcast(&self, news: &News) {
        self.links.broadcast(encode(news));
    }

    fn send(&self, node: NodeId, frame: &Frame) {
        // An owner that was dead may be named by a room's row until the room is claimed.
        if node != self.node.id() {
            self.links.send(node, encode(frame));
        }
    }

    /// Receives what the owner of this room sends. When the receiver ends, messages were lost.
    pub(crate) fn listen(&self, room: &RoomCode) -> mpsc::Receiver<FromOwner> {
        let (sender, receiver) = mpsc::channel(FROM_OWNER_MAX);
        let mut relays = lock(&self.relays);
        relays.remove(room);
        relays.count += 1;
        let number = relays.count;
        relays.numbers.insert(room.clone(), number);
        relays.senders.insert(number, (room.clone(), sender));
        receiver
    }

    /// Ends what [`listen`](Self::listen) began.
    pub(crate) fn forget(&self, room: &RoomCode) {
        lock(&self.relays).remove(room);
    }

    /// Hands a relay a message from its owner.
    pub(crate) fn pass_on(&self, room: &RoomCode, message: FromOwner) {
        let mut relays = lock(&self.relays);
        let relay = relays.numbers.get(room).and_then(|number| relays.senders.get(number));
        if relay.is_some_and(|(_, sender)| sender.try_send(message).is_err()) {
            relays.remove(room);
        }
    }

    /// Hands all relays the same.
    pub(crate) fn pass_on_to_all(&self, message: &FromOwner) {
        let mut relays = lock(&self.relays);
        let is_full = |sender: &mpsc::Sender<_>| sender.try_send(message.clone()).is_err();
        let full = relays.senders.values().filter(|(_, sender)| is_full(sender));
        for room in full.map(|(room, _)| room.clone()).collect::<Vec<_>>() {
            relays.remove(&room);
        }
    }

    /// Notes that a node is silent, or that messages come from it again.
    pub(crate) fn note_silence(&self, node: NodeId, is_silent: bool) {
        let mut silent = lock(&self.silent);
        if is_silent {
            silent.insert(node);
        } else {
            silent.remove(&node);
        }
    }

    /// Whether a node is silent.
    pub(crate) fn is_silent(&self, node: NodeId) -> bool {
        lock(&self.silent).contains(&node)
    }

    /// What the next heartbeat reports.
    pub(crate) fn report(&self, rooms: usize) -> NodeReport {
        self.room_count.store(rooms, Ordering::Relaxed);
        let rooms = u32::try_from(rooms).unwrap_or(u32::MAX);
        NodeReport { sees_bus: self.sees_bus(), rooms, draining: self.is_draining() }
    }

    /// Takes in what a heartbeat has found.
    pub(crate) fn note_beat(&self, beat: &Beat) {
        for &node in &beat.declared {
            self.spread_death(node);
        }
        for &node in &beat.died {
            self.note_death(node);
        }
    }

    /// A node is dead: relays of its rooms claim them.
    pub(crate) fn note_death(&self, node: NodeId) {
        if node == self.node.id() {
            self.node.note_own_death();
        } else {
            self.note_silence(node, false);
            self.pass_on_to_all(&FromOwner::Died(node));
        }
    }

    /// Gives up all rooms here: the other nodes may claim them at once.
    pub(crate) async fn retire(&self) {
        self.node.retire().await;
        self.spread_death(self.node.id());
    }

    fn spread_death(&self, node: NodeId) {
        self.broadcast(&News::Dead { node: node.get() });
    }
}

impl Relays {
    fn remove(&mut self, room: &RoomCode) {
        if let Some(number) = self.numbers.remove(room) {
            self.senders.remove(&number);
        }
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    // Nothing panics between two changes that belong together.
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
