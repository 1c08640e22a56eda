//! A server that has a PostgreSQL database for itself: it joins as the only node, and keeps others
//! away for as long as it lives.

use std::{
    sync::mpsc::{self, RecvTimeoutError},
    thread::{self, JoinHandle},
};

use tokio_util::sync::CancellationToken;

use super::{DatabaseUrl, OpenError, registry::PostgresRegistry};
use crate::{
    StorageError,
    limits::SOLE_NODE_HEARTBEAT,
    node_id::NodeId,
    registry::{JoinError, NodeReport, Pulse, Registry},
};

/// The only node of a database. When it is dropped, the next server can start at once.
#[derive(Debug)]
pub struct SoleNode {
    id: NodeId,
    lost: CancellationToken,
    /// Dropped to stop the thread.
    stop: Option<mpsc::Sender<()>>,
    thread: Option<JoinHandle<()>>,
}

impl SoleNode {
    /// Joins. A server that was killed before leaves a node that seems to live; that takes two
    /// seconds to find out.
    ///
    /// Blocks; call it outside of a runtime.
    ///
    /// # Errors
    /// If another server uses the database, or it does not answer.
    pub fn join(url: &DatabaseUrl) -> Result<Self, OpenError> {
        let mut registry = PostgresRegistry::open(url)?;
        let path = registry.name().to_owned();
        let failed = |error| OpenError::Storage { path: path.clone(), error };
        let id = registry.join_alone().map_err(|error| match error {
            JoinError::InUse | JoinError::OtherVersion { .. } => {
                OpenError::DatabaseInUse { database: path.clone() }
            }
            JoinError::Storage(error) => failed(error),
        })?;
        let (stop, stopped) = mpsc::channel();
        let lost = CancellationToken::new();
        let told = lost.clone();
        let keep = move || keep_alive(registry, id, &stopped, &told);
        let thread = thread::Builder::new().name("heartbeat".to_owned()).spawn(keep);
        let thread = thread.map_err(|error| failed(StorageError::Failed(error.to_string())))?;
        Ok(Self { id, lost, stop: Some(stop), thread: Some(thread) })
    }

    /// Its number.
    pub const fn id(&self) -> NodeId {
        self.id
    }

    /// Waits until another server has declared this one dead, because it did not run for seconds.
    /// Cancel safe.
    pub async fn lost(&self) {
        self.lost.cancelled().await;
    }
}

impl Drop for SoleNode {
    fn drop(&mut self) {
        self.stop = None;
        if let Some(thread) = self.thread.take() {
            // It has panicked only after it reported the loss.
            drop(thread.join());
        }
    }
}

fn keep_alive(
    mut registry: PostgresRegistry,
    id: NodeId,
    stopped: &mpsc::Receiver<()>,
    lost: &CancellationToken,
) {
    loop {
        match stopped.recv_timeout(SOLE_NODE_HEARTBEAT) {
            Err(RecvTimeoutError::Timeout) => {}
            Ok(()) | Err(RecvTimeoutError::Disconnected) => {
                if let Err(error) = registry.retire(id) {
                    tracing::warn!(%error, "the next server must wait a moment");
                }
                return;
            }
        }
        match registry.heartbeat(id, NodeReport::default()) {
            Ok(Pulse::Alive { .. }) => {}
            Ok(Pulse::Dead) => {
                tracing::error!("another server has declared this one dead");
                lost.cancel();
                return;
            }
            // Nobody else's heartbeats are answered either.
            Err(error) => tracing::debug!(%error, "a heartbeat is not answered"),
        }
    }
}
