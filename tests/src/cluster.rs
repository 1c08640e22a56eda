//! Several server nodes on one PostgreSQL and one NATS, all real, for one test. Each node reaches
//! them through relays of its own, so a test can cut one node off.

use std::{
    fs, io,
    net::SocketAddr,
    path::{Path, PathBuf},
    thread,
    time::Duration,
};

use fivefold_shared::protocol::RoomCode;
use fivefold_storage::DatabaseUrl;
use fivefold_test_services::{Durability, NatsServer, PostgresServer, Relay, Service};
use tempfile::TempDir;
use tokio::{
    task::block_in_place,
    time::{sleep, timeout},
};

use crate::{Server, Setting, http, program};

/// A node is ready within this time.
const READY_WITHIN: Duration = Duration::from_secs(30);

/// A cluster. Starting and stopping its parts blocks, so its test needs a runtime of several
/// threads.
#[derive(Debug)]
pub struct Cluster {
    nodes: Vec<Node>,
    settings: Vec<(String, String)>,
    logs: TempDir,
    // The nodes end before what they use.
    nats: NatsServer,
    postgres: PostgresServer,
}

/// A node and its connections.
#[derive(Debug)]
struct Node {
    server: Option<Server>,
    /// How often it was started.
    starts: usize,
    to_database: Relay,
    to_bus: Relay,
}

impl Cluster {
    /// Starts the services and so many nodes with these settings. `None`, with a printed sentence,
    /// where a service is not installed.
    ///
    /// # Panics
    /// When one of them does not start.
    pub async fn start(nodes: usize, settings: &[Setting<'_>]) -> Option<Self> {
        let mut cluster = Self::prepare(nodes, settings).await?;
        for node in 0..nodes {
            cluster.start_node(node);
        }
        for node in 0..nodes {
            cluster.until_ready(node).await;
        }
        Some(cluster)
    }

    /// The same, without starting the nodes.
    ///
    /// # Panics
    /// When a service does not start.
    pub async fn prepare(nodes: usize, settings: &[Setting<'_>]) -> Option<Self> {
        let postgres = block_in_place(|| PostgresServer::start(Durability::None))?;
        let nats = block_in_place(NatsServer::start)?;
        let mut all = Vec::new();
        for _ in 0..nodes {
            all.push(Node {
                server: None,
                starts: 0,
                to_database: Relay::start(Service::Unix(postgres.socket())).await,
                to_bus: Relay::start(Service::Tcp(nats.address())).await,
            });
        }
        let settings = settings.iter().map(|&(key, value)| (key.to_owned(), value.to_owned()));
        let settings = settings.collect();
        let logs = tempfile::tempdir().expect("a folder for the logs");
        Some(Self { nodes: all, settings, logs, nats, postgres })
    }

    /// A running node.
    ///
    /// # Panics
    /// When it does not run.
    pub fn node(&self, node: usize) -> &Server {
        self.nodes[node].server.as_ref().expect("this node runs")
    }

    /// All running nodes.
    pub fn nodes(&self) -> Vec<&Server> {
        self.nodes.iter().filter_map(|node| node.server.as_ref()).collect()
    }

    /// Their addresses.
    pub fn addresses(&self) -> Vec<SocketAddr> {
        self.nodes().into_iter().map(Server::address).collect()
    }

    /// Starts a node that was killed, at another address.
    ///
    /// # Panics
    /// When it does not start.
    pub fn start_node(&mut self, node: usize) {
        self.start_program(node, &program("fivefold-server"));
    }

    /// The same with another build of the server.
    ///
    /// # Panics
    /// When it does not start.
    pub fn start_program(&mut self, node: usize, program: &Path) {
        let database = self.database_of(node);
        let bus = self.bus_of(node);
        let this = &mut self.nodes[node];
        this.starts += 1;
        let log = self.logs.path().join(format!("node-{node}-{}.log", this.starts));
        let log = fs::File::create(log).expect("a file for the log");
        let settings = self.settings.iter().map(|(key, value)| (key.as_str(), value.as_str()));
        let settings: Vec<_> = settings.collect();
        let start = || Server::start_program_as_node(program, &database, &bus, log, &settings);
        let server = block_in_place(start);
        this.server = Some(server);
    }

    /// Waits until a node has the bus, and takes players.
    ///
    /// # Panics
    /// When it does not run, or is not ready in time.
    pub async fn until_ready(&self, node: usize) {
        let server = self.node(node);
        let is_ready = async || {
            server.get("/readyz").await.is_ok_and(|answer| answer.starts_with("HTTP/1.1 200"))
        };
        let ready = async {
            while !is_ready().await {
                sleep(Duration::from_millis(50)).await;
            }
        };
        timeout(READY_WITHIN, ready).await.expect("a node that is ready");
    }

    /// Kills a node, as `kill -9` does.
    pub fn kill_node(&mut self, node: usize) {
        self.nodes[node].server = None;
    }

    /// Asks a node to stop. From here on it counts as gone; wait for its end.
    ///
    /// # Panics
    /// When it does not run.
    pub fn end_node(&mut self, node: usize) -> Server {
        let server = self.nodes[node].server.take().expect("this node runs");
        server.terminate();
        server
    }

    /// Asks a node to stop, and waits until it has ended by itself; returns the time that it took.
    ///
    /// # Panics
    /// When it does not run, or ends with a failure.
    pub fn stop_node(&mut self, node: usize) -> Duration {
        let server = self.end_node(node);
        let (status, took) = block_in_place(|| server.wait());
        assert!(status.success(), "node {node} ended with {status}: {}", self.log(node));
        took
    }

    /// A node's address of the database.
    pub fn database_of(&self, node: usize) -> String {
        PostgresServer::url_at(&self.to_database(node).address().to_string())
    }

    /// A node's connections to the database.
    pub fn to_database(&self, node: usize) -> &Relay {
        &self.nodes[node].to_database
    }

    /// The address by which a node reaches the bus.
    pub fn bus_of(&self, node: usize) -> String {
        self.nats.url_at(self.to_bus(node).address())
    }

    /// A node's connections to the bus.
    pub fn to_bus(&self, node: usize) -> &Relay {
        &self.nodes[node].to_bus
    }

    /// Kills NATS.
    pub fn kill_bus(&mut self) {
        block_in_place(|| self.nats.kill());
    }

    /// Starts NATS again, and kills it before if it runs.
    pub fn restart_bus(&mut self) {
        block_in_place(|| self.nats.restart());
    }

    /// Kills PostgreSQL.
    pub fn kill_database(&mut self) {
        block_in_place(|| self.postgres.kill());
    }

    /// Starts PostgreSQL again, and kills it before if it runs.
    pub fn restart_database(&mut self) {
        block_in_place(|| self.postgres.restart());
    }

    /// The address of the database, past the relays.
    pub fn database(&self) -> DatabaseUrl {
        self.postgres.url().into()
    }

    /// Starts the nodes that were killed, or have ended by themselves; returns how many.
    ///
    /// # Panics
    /// When one of them does not start.
    pub fn start_missing(&mut self) -> usize {
        let mut started = 0;
        for node in 0..self.nodes.len() {
            if self.nodes[node].server.as_mut().is_none_or(Server::has_ended) {
                self.start_node(node);
                started += 1;
            }
        }
        started
    }

    /// The number under which a node has joined last.
    ///
    /// # Panics
    /// When it never joined.
    pub fn number_of(&self, node: usize) -> u32 {
        let log = self.log(node);
        let joined = log.rsplit("joined the cluster node.id=").next();
        let number = joined.and_then(|rest| rest.split_whitespace().next());
        number.and_then(|id| id.parse().ok()).expect("this node has joined")
    }

    /// The open rooms that a node owns, by the database.
    ///
    /// # Panics
    /// When the node never joined, or the database does not answer.
    pub fn rooms_of(&self, node: usize) -> Vec<RoomCode> {
        let owner = self.number_of(node);
        self.rooms_where(&format!("owner = {owner} AND closed_at IS NULL"))
    }

    /// All open rooms, by the database.
    ///
    /// # Panics
    /// When the database does not answer.
    pub fn rooms(&self) -> Vec<RoomCode> {
        self.rooms_where("closed_at IS NULL")
    }

    /// All rooms, also the closed ones, by the database.
    ///
    /// # Panics
    /// When the database does not answer.
    pub fn all_rooms(&self) -> Vec<RoomCode> {
        self.rooms_where("true")
    }

    fn rooms_where(&self, condition: &str) -> Vec<RoomCode> {
        let query = format!("SELECT code FROM fivefold.room WHERE {condition}");
        let codes = self.ask(&query);
        let code = |line: &str| RoomCode::try_from(line.to_owned()).expect("a room's code");
        codes.lines().map(code).collect()
    }

    /// What the database answers, a line for each row.
    ///
    /// # Panics
    /// When it does not answer.
    pub fn ask(&self, query: &str) -> String {
        block_in_place(|| self.postgres.ask(query))
    }

    /// What a node answers on its port for metrics, with the head. It needs `--metrics-listen`.
    ///
    /// # Errors
    /// When it does not answer, or has not printed its port yet.
    pub async fn monitor(&self, node: usize, path: &str) -> io::Result<String> {
        let log = self.log(node);
        let address = log.rsplit_once("metrics are at this address address=");
        let address = address.and_then(|(_, rest)| rest.split_whitespace().next()?.parse().ok());
        http::get(address.ok_or(io::ErrorKind::NotConnected)?, path).await
    }

    /// How many open rooms the node with this number owns, by the database.
    ///
    /// # Panics
    /// When the database does not answer.
    pub fn count_rooms_of(&self, number: u32) -> usize {
        let query = format!(
            "SELECT count(*) FROM fivefold.room WHERE owner = {number} AND closed_at IS NULL"
        );
        self.ask(&query).parse().expect("a number")
    }

    /// What a node has logged since its last start.
    pub fn log(&self, node: usize) -> String {
        fs::read_to_string(self.log_file(node)).unwrap_or_default()
    }

    fn log_file(&self, node: usize) -> PathBuf {
        self.logs.path().join(format!("node-{node}-{}.log", self.nodes[node].starts))
    }
}

impl Drop for Cluster {
    /// Shows the logs of a test that fails.
    #[expect(clippy::print_stdout, reason = "a failed test explains itself")]
    fn drop(&mut self) {
        if thread::panicking() {
            for node in 0..self.nodes.len() {
                println!("node {node}:\n{}", self.log(node));
            }
        }
    }
}
