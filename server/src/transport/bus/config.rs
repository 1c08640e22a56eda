//! Which bus a node uses, and how it connects.

use std::sync::Arc;

use fivefold_storage::NodeId;
use tokio::sync::mpsc;
use tokio_util::task::TaskTracker;

use super::{
    Bus, FromBus,
    local::LocalNetwork,
    nats::{ClusterName, NatsAccess, NatsBus},
};
use crate::metrics::Metrics;

/// Which bus a node uses.
#[derive(Clone, Debug)]
pub enum BusConfig {
    /// A network in memory, for tests.
    Local(LocalNetwork),
    /// NATS.
    Nats {
        /// Where it is, and how a node gets in.
        access: NatsAccess,
        /// The name that the nodes of this cluster share.
        cluster: ClusterName,
    },
}

impl BusConfig {
    /// Connects a node.
    pub(crate) fn join(
        self,
        me: NodeId,
        metrics: &Arc<Metrics>,
        tasks: &TaskTracker,
    ) -> (Arc<dyn Bus>, mpsc::Receiver<FromBus>) {
        match self {
            Self::Local(network) => {
                let (bus, from_bus) = network.join(me, tasks);
                (bus, from_bus)
            }
            Self::Nats { access, cluster } => {
                let metrics = Arc::clone(metrics);
                let (bus, from_bus) = NatsBus::start(access, &cluster, me, metrics, tasks);
                (bus, from_bus)
            }
        }
    }
}
