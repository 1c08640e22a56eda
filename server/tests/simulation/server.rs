//! The simulated servers: one that is alone, or the nodes of a cluster. Each is started again when
//! it ends, as a supervisor does.

use std::{
    io,
    net::{Ipv4Addr, SocketAddr},
    sync::{Arc, Mutex},
    time::Duration,
};

use fivefold_server::{
    Listen, Listeners, Membership, RunError,
    config::Config,
    limits::Limits,
    process::clock::Clock,
    run, run_in_cluster,
    transport::bus::{BusConfig, local::LocalNetwork},
};
use fivefold_storage::{
    Blocking, JoinError, NodeId, NodeReport, Pulse, Registry, SharedRooms, StorageError,
};
use rand::{RngExt, rngs::StdRng};
use tokio::time::sleep;
use tokio_util::sync::CancellationToken;
use turmoil::net::{TcpListener, TcpStream};

use crate::disk::Disk;

pub(crate) const PORT: u16 = 80;

/// The longest that a commit takes.
const COMMIT_MAX_MS: u64 = 20;
/// How long it takes to start a server again.
const RESTART: Duration = Duration::from_millis(200);
/// By how much the clock of a node may be wrong.
const SKEW_MAX_MS: u64 = 5_000;

/// How a server is known.
pub(crate) fn server_name(server: usize) -> String {
    format!("server-{server}")
}

/// What the world knows of a server's process, and can do to it. A clone is of the same server.
#[derive(Clone, Debug, Default)]
pub(crate) struct Life(Arc<Inner>);

#[derive(Debug, Default)]
struct Inner {
    /// In simulated time.
    frozen_until: Mutex<Duration>,
    shutdown: Mutex<CancellationToken>,
    nodes: Mutex<Vec<NodeId>>,
}

impl Life {
    /// Until then, nothing that it asks of the disk is done.
    pub(crate) fn freeze(&self, until: Duration) {
        *self.0.frozen_until.lock().unwrap() = until;
    }

    /// Stops it in order.
    pub(crate) fn stop(&self) {
        self.0.shutdown.lock().unwrap().cancel();
    }

    /// The numbers under which it has been a node so far.
    pub(crate) fn nodes(&self) -> Vec<NodeId> {
        self.0.nodes.lock().unwrap().clone()
    }

    fn is_frozen_for(&self) -> Duration {
        let now = turmoil::sim_elapsed().expect("a simulation");
        self.0.frozen_until.lock().unwrap().saturating_sub(now)
    }
}

/// A port of the simulated network.
struct Port(TcpListener);

impl Listen for Port {
    type Stream = TcpStream;

    async fn accept(&self) -> io::Result<(TcpStream, SocketAddr)> {
        self.0.accept().await
    }
}

/// The registry, which also notes a node's number for the world.
#[derive(Debug)]
struct Counted {
    disk: Disk,
    life: Life,
}

impl Registry for Counted {
    fn join(&mut self) -> Result<NodeId, JoinError> {
        let node = self.disk.join()?;
        self.life.0.nodes.lock().unwrap().push(node);
        Ok(node)
    }

    fn heartbeat(&mut self, node: NodeId, report: NodeReport) -> Result<Pulse, StorageError> {
        self.disk.heartbeat(node, report)
    }

    fn declare_dead(&mut self, node: NodeId, seen: u64) -> Result<bool, StorageError> {
        self.disk.declare_dead(node, seen)
    }

    fn retire(&mut self, node: NodeId) -> Result<(), StorageError> {
        self.disk.retire(node)
    }
}

/// A server: its place in the world.
#[derive(Clone)]
pub(crate) struct Host {
    pub(crate) server: usize,
    pub(crate) disk: Disk,
    /// Absent for a server that is alone.
    pub(crate) bus: Option<LocalNetwork>,
    pub(crate) life: Life,
    pub(crate) chances: Arc<Mutex<StdRng>>,
}

impl Host {
    /// The life of a process, or several in a cluster.
    pub(crate) async fn serve(self) -> turmoil::Result {
        loop {
            let ended = self.live().await;
            match (&self.bus, ended) {
                (Some(_), Ok(()) | Err(RunError::Retired | RunError::Storage(_))) => {
                    sleep(RESTART).await;
                }
                (_, ended) => return Ok(ended?),
            }
        }
    }

    async fn live(&self) -> Result<(), RunError> {
        let listener = TcpListener::bind((Ipv4Addr::UNSPECIFIED, PORT)).await.unwrap();
        let listeners = Listeners { public: Port(listener), metrics: None };
        let disk = self.disk.reopen(self.server);
        let shutdown = CancellationToken::new();
        *self.life.0.shutdown.lock().unwrap() = shutdown.clone();
        let config = self.config();
        match self.bus.clone() {
            None => run(listeners, Box::new(disk.storage()), config, shutdown).await,
            Some(bus) => {
                let storage = disk.storage();
                let rooms = vec![Box::new(storage.clone()) as Box<dyn SharedRooms>];
                let registry = Box::new(Counted { disk, life: self.life.clone() });
                let membership = Membership { registry, rooms, bus: BusConfig::Local(bus) };
                run_in_cluster(listeners, Box::new(storage), membership, config, shutdown).await
            }
        }
    }

    fn config(&self) -> Config {
        let now = turmoil::since_epoch().expect("a simulation").as_millis();
        let skew = match self.bus {
            Some(_) => self.chances.lock().unwrap().random_range(0..=SKEW_MAX_MS),
            None => 0,
        };
        let (chances, life) = (Arc::clone(&self.chances), self.life.clone());
        let delay = move || {
            life.is_frozen_for()
                + Duration::from_millis(chances.lock().unwrap().random_range(0..=COMMIT_MAX_MS))
        };
        Config {
            limits: Limits {
                commands_per_second: 1_000,
                commands_burst: 1_000,
                hello_timeout: Duration::from_secs(2),
                ping_interval: Duration::from_secs(1),
                idle_timeout: Duration::from_secs(3),
                room_sleeps_after: Duration::from_secs(1),
                write_timeout: Duration::from_secs(2),
                ..Limits::DEFAULT
            },
            clock: Clock::starting_at(u64::try_from(now).unwrap() + skew),
            blocking: Blocking::Simulated(Arc::new(delay)),
            bot_threads: 1.try_into().unwrap(),
            ..Config::default()
        }
    }
}
