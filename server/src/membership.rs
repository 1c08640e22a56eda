//! Joins the cluster, and runs what a node of it needs besides rooms and sessions: its heartbeats,
//! its links, the search for rooms of dead nodes, and what it reports to the others.

pub(crate) mod shared_limits;

use std::{convert::Infallible, sync::Arc, time::Duration};

use fivefold_storage::{Blocking, JoinError, NodeId, Registry, SharedRooms};
use tokio::{
    sync::mpsc,
    time::{Instant, sleep, timeout},
};
use tokio_util::{sync::CancellationToken, task::TaskTracker};

use crate::{
    cluster::{
        Cluster,
        frame::News,
        node::{Beat, Node},
    },
    limits::moderation::{RATED_REPEAT_INTERVAL, RATED_REPORT_INTERVAL},
    membership::shared_limits::SharedLimits,
    metrics::Metrics,
    process::{clock::Clock, operation::Operation, read_pool::ReadPool},
    rooms::lobby::People,
    transport::{
        bus::BusConfig,
        link::{FromPeer, Links},
    },
};

/// The longest that a node waits for its retirement to be stored.
const RETIRE_WITHIN: Duration = Duration::from_millis(500);

/// What makes a server a node of a cluster. All its nodes share the storage and the registry.
#[derive(Debug)]
pub struct Membership {
    /// The nodes of the cluster.
    pub registry: Box<dyn Registry>,
    /// Readers of the open rooms of all nodes.
    pub rooms: Vec<Box<dyn SharedRooms>>,
    /// What carries messages between them.
    pub bus: BusConfig,
}

/// A node that has joined.
#[derive(Debug)]
pub(crate) struct Peers {
    cluster: Arc<Cluster>,
    from_peers: mpsc::Receiver<FromPeer>,
    tasks: TaskTracker,
    metrics: Arc<Metrics>,
}

/// The same, serving.
#[derive(Debug)]
pub(crate) struct Serving {
    cluster: Arc<Cluster>,
    tasks: TaskTracker,
    stop: CancellationToken,
}

impl Peers {
    /// Joins the cluster, if there is one. `draining` is cancelled before the node stops.
    ///
    /// # Errors
    /// As [`Node::join`].
    pub(crate) async fn join(
        membership: Option<Membership>,
        blocking: &Blocking,
        metrics: &Arc<Metrics>,
        draining: &CancellationToken,
        clock: Clock,
        operation: &Arc<Operation>,
    ) -> Result<Option<Self>, JoinError> {
        let Some(Membership { registry, rooms, bus }) = membership else { return Ok(None) };
        let node = Node::join(registry, blocking.clone(), clock).await?;
        let tasks = TaskTracker::new();
        let (bus, from_bus) = bus.join(node.id(), metrics, &tasks);
        let (links, from_peers) =
            Links::start(node.id(), bus, from_bus, Arc::clone(metrics), &tasks);
        let rooms = ReadPool::new(rooms, blocking.clone());
        let (draining, operation) = (draining.clone(), Arc::clone(operation));
        let cluster = Arc::new(Cluster::new(node, rooms, links, draining, operation));
        Ok(Some(Self { cluster, from_peers, tasks, metrics: Arc::clone(metrics) }))
    }

    pub(crate) fn id(&self) -> NodeId {
        self.cluster.node.id()
    }

    /// The clock of the cluster.
    pub(crate) fn clock(&self) -> Clock {
        self.cluster.node.clock()
    }

    pub(crate) fn cluster(&self) -> Arc<Cluster> {
        Arc::clone(&self.cluster)
    }

    /// Begins to serve: sends heartbeats, hands out what comes from other nodes, and claims rooms.
    pub(crate) fn serve(self, limits: SharedLimits, people: People) -> Serving {
        let Self { cluster, from_peers, tasks, metrics } = self;
        let limits = Arc::new(limits);
        let lobby = limits.lobby();
        let stop = CancellationToken::new();
        let beats = {
            let (cluster, lobby) = (Arc::clone(&cluster), Arc::clone(lobby));
            async move {
                let report = || cluster.report(lobby.count());
                let note = |beat: Beat| {
                    cluster.note_beat(&beat);
                    if let Some(drift) = beat.drift {
                        metrics.cluster.note_drift(drift);
                    }
                };
                cluster.node.keep_alive(report, note).await;
            }
        };
        let serving = {
            let (cluster, tasks, limits) =
                (Arc::clone(&cluster), tasks.clone(), Arc::clone(&limits));
            let note_use = move |node, usage| limits.note(node, usage);
            let people = people.clone();
            Arc::clone(lobby).serve_peers(cluster, from_peers, tasks, people, note_use)
        };
        let sweeping = {
            let lobby = Arc::clone(lobby);
            async move { lobby.sweep().await }
        };
        let listing = {
            let (cluster, lobby) = (Arc::clone(&cluster), Arc::clone(lobby));
            async move { lobby.report_rooms(&cluster).await }
        };
        let sharing = {
            let (cluster, limits) = (Arc::clone(&cluster), Arc::clone(&limits));
            async move { limits.report(&cluster).await }
        };
        let fairness = {
            let cluster = Arc::clone(&cluster);
            async move { report_rated(&cluster, &people).await }
        };
        // A node whose rooms have ended must not seem to live.
        tasks.spawn(stop.clone().run_until_cancelled_owned(beats));
        tasks.spawn(stop.clone().run_until_cancelled_owned(serving));
        tasks.spawn(stop.clone().run_until_cancelled_owned(sweeping));
        tasks.spawn(stop.clone().run_until_cancelled_owned(listing));
        tasks.spawn(stop.clone().run_until_cancelled_owned(sharing));
        tasks.spawn(stop.clone().run_until_cancelled_owned(fairness));
        Serving { cluster, tasks, stop }
    }
}

impl Serving {
    /// Waits until this node is dead to the others.
    pub(crate) async fn retired(&self) {
        self.cluster.node.retired().cancelled().await;
    }

    /// Retires, and ends everything. The rooms here must have ended.
    pub(crate) async fn end(self) {
        if timeout(RETIRE_WITHIN, self.cluster.retire()).await.is_err() {
            tracing::warn!("cannot retire in time; the other nodes will notice");
        }
        self.stop.cancel();
        self.tasks.close();
        self.tasks.wait().await;
    }
}

/// Tells the other nodes the positions of the rated games here, each time that they have changed, and now
/// and then in case that this was lost.
async fn report_rated(cluster: &Cluster, people: &People) -> Infallible {
    let (mut told, mut told_at) = (Vec::new(), Instant::now());
    loop {
        sleep(RATED_REPORT_INTERVAL).await;
        let positions = people.rated.here();
        let is_due = !positions.is_empty() && told_at.elapsed() >= RATED_REPEAT_INTERVAL;
        if positions != told || is_due {
            cluster.broadcast(&News::RatedPositions { positions: positions.clone() });
            (told, told_at) = (positions, Instant::now());
        }
        people.rated.forget_others(&cluster.node.others());
    }
}
