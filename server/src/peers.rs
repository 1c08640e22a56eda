//! Joins the cluster, and runs what a node of it needs besides rooms and sessions: its heartbeats,
//! its links, and the search for rooms of dead nodes.

use std::{sync::Arc, time::Duration};

use tokio::{sync::mpsc, time::timeout};
use tokio_util::{sync::CancellationToken, task::TaskTracker};

use crate::{
    Membership,
    cluster::Cluster,
    link::{FromPeer, Links},
    lobby::Lobby,
    metrics::Metrics,
    node::Node,
    node_id::NodeId,
    storage::{Blocking, StorageError},
};

/// The longest that a node waits for its retirement to be stored.
const RETIRE_WITHIN: Duration = Duration::from_millis(500);

/// A node that has joined.
#[derive(Debug)]
pub(crate) struct Peers {
    cluster: Arc<Cluster>,
    from_peers: mpsc::Receiver<FromPeer>,
    tasks: TaskTracker,
}

/// The same, serving.
#[derive(Debug)]
pub(crate) struct Serving {
    cluster: Arc<Cluster>,
    tasks: TaskTracker,
    stop: CancellationToken,
}

impl Peers {
    /// Joins the cluster, if there is one.
    ///
    /// # Errors
    /// When the registry does not answer.
    pub(crate) async fn join(
        membership: Option<Membership>,
        blocking: &Blocking,
        metrics: &Arc<Metrics>,
    ) -> Result<Option<Self>, StorageError> {
        let Some(Membership { registry, bus }) = membership else { return Ok(None) };
        let node = Node::join(registry, blocking.clone()).await?;
        let tasks = TaskTracker::new();
        let (bus, from_bus) = bus.join(node.id(), metrics, &tasks);
        let (links, from_peers) =
            Links::start(node.id(), bus, from_bus, Arc::clone(metrics), &tasks);
        Ok(Some(Self { cluster: Arc::new(Cluster::new(node, links)), from_peers, tasks }))
    }

    pub(crate) fn id(&self) -> NodeId {
        self.cluster.node.id()
    }

    pub(crate) fn cluster(&self) -> Arc<Cluster> {
        Arc::clone(&self.cluster)
    }

    /// Begins to serve: sends heartbeats, hands out what comes from other nodes, and claims rooms.
    pub(crate) fn serve(self, lobby: &Arc<Lobby>) -> Serving {
        let Self { cluster, from_peers, tasks } = self;
        let stop = CancellationToken::new();
        let beats = {
            let (cluster, lobby) = (Arc::clone(&cluster), Arc::clone(lobby));
            let stop = stop.clone();
            async move {
                let report = || cluster.report(lobby.count());
                tokio::select! {
                    // A node whose rooms have ended must not seem to live.
                    () = stop.cancelled() => {}
                    () = cluster.node.keep_alive(report, |beat| cluster.note_beat(&beat)) => {}
                }
            }
        };
        tasks.spawn(beats);
        let serving = {
            let (cluster, lobby) = (Arc::clone(&cluster), Arc::clone(lobby));
            let (tasks, stop) = (tasks.clone(), stop.clone());
            async move {
                tokio::select! {
                    () = stop.cancelled() => {}
                    () = lobby.serve_peers(cluster, from_peers, tasks) => {}
                }
            }
        };
        tasks.spawn(serving);
        let sweeping = {
            let (lobby, stop) = (Arc::clone(lobby), stop.clone());
            async move {
                tokio::select! {
                    () = stop.cancelled() => {}
                    never = lobby.sweep() => match never {},
                }
            }
        };
        tasks.spawn(sweeping);
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
