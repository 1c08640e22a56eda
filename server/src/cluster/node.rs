//! This node in its cluster: its number, its heartbeats, who else lives, and whether it was
//! declared dead itself.
//!
//! A node that is dead owns nothing any more and never comes back: its server ends, and may join
//! again under a new number. All of this only decides how fast things go on: the rooms'
//! epochs alone guard the logs.

mod observer;
#[cfg(test)]
mod tests;

use std::{
    collections::BTreeMap,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    time::Duration,
};

use fivefold_storage::{
    Blocking, JoinError, LivingNode, NodeId, NodeReport, Pulse, Registry, StorageError,
};
use tokio::time::{Instant, sleep_until};
use tokio_util::sync::CancellationToken;

use self::observer::Observer;
use crate::{
    limits::{
        CUT_OFF_AFTER, HEARTBEAT_ANSWERED_WITHIN, HEARTBEAT_INTERVAL, ROOMS_OVER_MEAN_PERCENT,
        STALE_AFTER, operators::NODE_NAMES_MAX,
    },
    process::clock::Clock,
};

/// This node.
#[derive(Debug)]
pub(crate) struct Node {
    id: NodeId,
    clock: Clock,
    registry: SharedRegistry,
    /// Locked to read or replace.
    view: Mutex<View>,
    /// The names of the nodes, for the log; of those that are gone, too. Locked to read or replace.
    names: Mutex<BTreeMap<NodeId, String>>,
    retired: CancellationToken,
}

/// The registry, with a thread for each of its calls.
#[derive(Clone, Debug)]
struct SharedRegistry {
    /// Locked for one call, on a thread that may block.
    registry: Arc<Mutex<Box<dyn Registry>>>,
    blocking: Blocking,
}

/// The cluster, as the last answered heartbeat showed it.
#[derive(Debug)]
struct View {
    living: Vec<LivingNode>,
    answered_at: Instant,
}

/// What a heartbeat has found out.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub(crate) struct Beat {
    /// Nodes that died since the last one.
    pub(crate) died: Vec<NodeId>,
    /// Those of them that this node has declared dead.
    pub(crate) declared: Vec<NodeId>,
    /// By how much the clock here is wrong, if that was measured well.
    pub(crate) drift: Option<Duration>,
}

impl Node {
    /// Joins the cluster under a new number, and sets the clock by the registry's.
    ///
    /// # Errors
    /// When the registry does not answer, or the storage is in use by a server without a cluster.
    pub(crate) async fn join(
        registry: Box<dyn Registry>,
        blocking: Blocking,
        clock: Clock,
    ) -> Result<Self, JoinError> {
        let registry = SharedRegistry { registry: Arc::new(Mutex::new(registry)), blocking };
        let id = registry.call(|registry| registry.join()).await?;
        let now = registry.call(|registry| registry.now()).await?;
        let clock = now.map_or(clock, Clock::starting_at);
        let names = registry.call(|registry| registry.names()).await?;
        let view = View { living: Vec::new(), answered_at: Instant::now() };
        let (view, names, retired) =
            (Mutex::new(view), Mutex::new(names), CancellationToken::new());
        let node = Self { id, clock, registry, view, names, retired };
        tracing::info!(node.id = %id, node.name = node.name_of(id), "joined the cluster");
        Ok(node)
    }

    /// What the operator calls a node.
    pub(crate) fn name_of(&self, node: NodeId) -> String {
        self.names().get(&node).cloned().unwrap_or_else(|| "unknown".to_owned())
    }

    /// Whether another node lives, by the last answered heartbeat.
    pub(crate) fn is_living(&self, node: NodeId) -> bool {
        self.view().living.iter().any(|other| other.id == node)
    }

    /// Asks for the names of nodes that have joined since.
    async fn learn_names(&self, living: &[LivingNode]) {
        let is_known = |node: &LivingNode| self.names().contains_key(&node.id);
        if living.iter().all(is_known) {
            return;
        }
        // Without an answer the next heartbeat asks again.
        let Ok(mut known) = self.registry.call(|registry| registry.names()).await else { return };
        let mut names = self.names();
        for node in living {
            let name = known.remove(&node.id).unwrap_or_else(|| "unknown".to_owned());
            names.entry(node.id).or_insert(name);
        }
        while names.len() > NODE_NAMES_MAX.max(living.len()) {
            names.pop_first();
        }
    }

    /// Its number.
    pub(crate) const fn id(&self) -> NodeId {
        self.id
    }

    /// The clock for all that this node does.
    pub(crate) const fn clock(&self) -> Clock {
        self.clock
    }

    /// Cancelled when the node is dead.
    pub(crate) const fn retired(&self) -> &CancellationToken {
        &self.retired
    }

    /// Whether a heartbeat was answered lately. If not, the node may have been declared dead, and
    /// its rooms may be out of date.
    pub(crate) fn is_current(&self) -> bool {
        self.view().answered_at.elapsed() < STALE_AFTER && !self.is_retired()
    }

    /// Whether this node's life is over: other nodes may own its rooms.
    pub(crate) fn is_retired(&self) -> bool {
        self.retired.is_cancelled()
    }

    /// Whether clients are better served by other nodes: this one has no news of the cluster, or it
    /// alone misses the bus.
    pub(crate) fn is_cut_off(&self, sees_bus: bool) -> bool {
        let misses_bus = !sees_bus && self.others_see_bus();
        let view = self.view();
        view.living.is_empty()
            || view.answered_at.elapsed() >= CUT_OFF_AFTER
            || misses_bus
            || self.retired.is_cancelled()
    }

    /// Whether another node receives its own broadcasts.
    pub(crate) fn others_see_bus(&self) -> bool {
        let view = self.view();
        view.living.iter().any(|node| node.id != self.id && node.report.sees_bus)
    }

    /// The other living nodes.
    pub(crate) fn others(&self) -> Vec<NodeId> {
        let view = self.view();
        view.living.iter().map(|node| node.id).filter(|node| *node != self.id).collect()
    }

    /// The node with the lowest number of those that live and do not drain. This one may know before
    /// its heartbeats that it drains.
    pub(crate) fn lowest(&self, is_draining: bool) -> Option<NodeId> {
        let view = self.view();
        let stays =
            |node: &&LivingNode| !node.report.draining && (!is_draining || node.id != self.id);
        view.living.iter().find(stays).map(|node| node.id)
    }

    /// The node that should claim a room rather than this one, which owns so many: the emptiest one,
    /// if this one has far more than the mean, or takes none. Nodes that drain or miss the bus claim
    /// nothing for others.
    pub(crate) fn emptier_node(&self, rooms: usize, takes_none: bool) -> Option<NodeId> {
        let view = self.view();
        let others = view
            .living
            .iter()
            .filter(|node| node.id != self.id && node.report.sees_bus && !node.report.draining);
        let total = others.clone().map(|node| node.report.rooms as usize).sum::<usize>() + rooms;
        let most = total * ROOMS_OVER_MEAN_PERCENT / 100 / (others.clone().count() + 1);
        let emptiest = others.min_by_key(|node| node.report.rooms)?;
        (takes_none || rooms > most.max(1)).then_some(emptiest.id)
    }

    /// Sends one heartbeat every [`HEARTBEAT_INTERVAL`], and passes on what it finds; ends when this
    /// node is dead.
    pub(crate) async fn keep_alive(
        &self,
        report: impl Fn() -> NodeReport,
        mut note: impl FnMut(Beat),
    ) {
        let mut observer = Observer::default();
        while !self.retired.is_cancelled() {
            let begun = Instant::now();
            note(self.beat(&mut observer, report()).await);
            sleep_until(begun + HEARTBEAT_INTERVAL).await;
        }
    }

    async fn beat(&self, observer: &mut Observer, report: NodeReport) -> Beat {
        let (id, begun) = (self.id, Instant::now());
        let pulse = self.registry.call(move |registry| registry.heartbeat(id, report)).await;
        let (living, now) = match pulse {
            Ok(Pulse::Alive { living, now }) => (living, now),
            Ok(Pulse::Dead) => {
                self.note_own_death();
                return Beat::default();
            }
            Err(error) => {
                tracing::warn!(%error, "a heartbeat is not answered");
                observer.note_silence();
                let unanswered = self.view().answered_at.elapsed();
                if !report.sees_bus && unanswered >= CUT_OFF_AFTER {
                    tracing::error!("this node is cut off from the registry and from the bus");
                    self.note_own_death();
                }
                return Beat::default();
            }
        };
        if observer.is_cut_off(id, report, &living) {
            tracing::error!("this node is cut off from the bus, and others are not");
            self.retire().await;
            return Beat::default();
        }
        let took = begun.elapsed();
        self.learn_names(&living).await;
        let drift = now.filter(|_| took <= HEARTBEAT_ANSWERED_WITHIN);
        let drift = drift.map(|now| Duration::from_millis(self.clock.now().abs_diff(now)));
        if drift.is_some_and(|drift| observer.is_clock_wrong(drift)) {
            tracing::error!(?drift, "the clock of this node is wrong");
            self.retire().await;
            return Beat::default();
        }
        let (before, since) = {
            let mut view = self.view();
            let since = view.answered_at.elapsed();
            view.answered_at = Instant::now();
            (std::mem::replace(&mut view.living, living.clone()), since)
        };
        let mut beat = Beat { drift, ..Beat::default() };
        for suspect in observer.note_answer(id, took, since, &living) {
            let declare = move |registry: &mut dyn Registry| {
                registry.declare_dead(suspect.node, suspect.seen)
            };
            if let Ok(true) = self.registry.call(declare).await {
                let name = self.name_of(suspect.node);
                tracing::warn!(node.id = %suspect.node, node.name = name, "a node is declared dead");
                beat.declared.push(suspect.node);
            }
        }
        let is_gone = |node: &&LivingNode| !living.iter().any(|other| other.id == node.id);
        beat.died = before.iter().filter(is_gone).map(|node| node.id).collect();
        for &node in &beat.died {
            tracing::info!(node.id = %node, node.name = self.name_of(node), "a node has left");
        }
        beat.died.extend(&beat.declared);
        beat
    }

    /// Another node says that this one is dead, or a room of it has another owner.
    pub(crate) fn note_own_death(&self) {
        if !self.is_retired() {
            let name = self.name_of(self.id);
            tracing::error!(node.id = %self.id, node.name = name, "this node is dead to the others, and ends");
            self.retired.cancel();
        }
    }

    /// Gives up all rooms: the others may claim them at once. If that cannot be stored, they declare
    /// this node dead by its silence.
    pub(crate) async fn retire(&self) {
        let id = self.id;
        if let Err(error) = self.registry.call(move |registry| registry.retire(id)).await {
            tracing::warn!(%error, "cannot retire; the other nodes will notice");
        }
        self.retired.cancel();
    }

    fn names(&self) -> MutexGuard<'_, BTreeMap<NodeId, String>> {
        // Nothing panics between two changes that belong together.
        self.names.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn view(&self) -> MutexGuard<'_, View> {
        // Nothing panics between two changes that belong together.
        self.view.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl SharedRegistry {
    async fn call<T: Send + 'static, E: From<StorageError> + Send + 'static>(
        &self,
        call: impl FnOnce(&mut dyn Registry) -> Result<T, E> + Send + 'static,
    ) -> Result<T, E> {
        let registry = Arc::clone(&self.registry);
        let called = self
            .blocking
            .call(move || call(registry.lock().unwrap_or_else(PoisonError::into_inner).as_mut()));
        called
            .await
            .unwrap_or_else(|| Err(StorageError::InDoubt("the registry broke".to_owned()).into()))
    }
}
