//! A PostgreSQL server of a test's own, with its tables and rows. Tests are skipped where PostgreSQL
//! is not installed.

use std::path::PathBuf;

use fivefold_storage::{BUS_VERSION, DatabaseUrl, NodeId, Postgres, PostgresRooms};
pub(crate) use fivefold_test_services::Durability;
use fivefold_test_services::PostgresServer;
use tokio::runtime::{Builder, Runtime};
use tokio_postgres::{Client, Config, NoTls, SimpleQueryMessage};

/// A running server, and a runtime for questions to it.
pub(crate) struct Server {
    process: PostgresServer,
    runtime: Runtime,
}

impl Server {
    /// Starts a server; `None`, with a printed sentence, where the programs are missing.
    pub(crate) fn start(durability: Durability) -> Option<Self> {
        let process = PostgresServer::start(durability)?;
        let runtime = Builder::new_current_thread().enable_all().build().unwrap();
        Some(Self { process, runtime })
    }

    /// Kills all of the server's processes, as a crash would, and starts it again.
    pub(crate) fn crash(&mut self) {
        self.process.restart();
    }

    /// The file of its socket.
    pub(crate) fn socket(&self) -> PathBuf {
        self.process.socket()
    }

    /// The URL of the database.
    pub(crate) fn url(&self) -> DatabaseUrl {
        DatabaseUrl::from(self.process.url())
    }

    /// The process.
    pub(crate) const fn process(&self) -> &PostgresServer {
        &self.process
    }

    /// Runs one statement as the superuser.
    pub(crate) fn administer(&self, statement: &str) {
        self.process.ask(statement);
    }

    /// Runs statements beside the storage.
    pub(crate) fn execute(&self, statements: &str) {
        let client = self.client(&self.config());
        // One by one, as some cannot run in a transaction.
        for statement in statements.split(';').filter(|statement| !statement.trim().is_empty()) {
            self.runtime.block_on(client.batch_execute(statement)).unwrap();
        }
    }

    /// Runs one statement that contains semicolons.
    pub(crate) fn execute_whole(&self, statement: &str) {
        let client = self.client(&self.config());
        self.runtime.block_on(client.batch_execute(statement)).unwrap();
    }

    /// The first value of the first row, as text.
    pub(crate) fn value(&self, query: &str) -> String {
        self.value_by(&self.config(), query)
    }

    /// The same by another way to the server.
    pub(crate) fn value_by(&self, config: &Config, query: &str) -> String {
        let client = self.client(config);
        let answer = self.runtime.block_on(client.simple_query(query)).unwrap();
        let value = answer.iter().find_map(|message| match message {
            SimpleQueryMessage::Row(row) => row.get(0).map(str::to_owned),
            _ => None,
        });
        match value.as_deref() {
            Some("t") => "true".to_owned(),
            Some("f") => "false".to_owned(),
            Some(value) => value.to_owned(),
            None => String::new(),
        }
    }

    /// As the role that owns the database.
    fn config(&self) -> Config {
        self.process.url().parse().unwrap()
    }

    fn client(&self, config: &Config) -> Client {
        self.runtime.block_on(async {
            let (client, connection) = config.connect(NoTls).await.unwrap();
            tokio::spawn(connection);
            client
        })
    }

    /// The storage, in a database that has no rooms.
    pub(crate) fn empty(&self) -> Postgres {
        let storage = self.open();
        let tables = self.value(
            "SELECT string_agg('fivefold.' || tablename, ', ') FROM pg_tables
             WHERE schemaname = 'fivefold' AND tablename <> 'format'",
        );
        self.execute(&format!("TRUNCATE {tables} RESTART IDENTITY"));
        storage
    }

    /// The rooms of all nodes.
    pub(crate) fn rooms(&self) -> PostgresRooms {
        PostgresRooms::open(&self.url()).unwrap()
    }

    /// The storage.
    pub(crate) fn open(&self) -> Postgres {
        Postgres::open(&self.url(), None).unwrap()
    }

    /// A new node; all others are dead from now on unless they are to stay.
    pub(crate) fn join(&self, others_stay: bool) -> NodeId {
        if !others_stay {
            self.execute("UPDATE fivefold.node SET dead = true");
        }
        self.execute(&format!(
            "INSERT INTO fivefold.node (name, format, bus_min, bus_max)
             VALUES ('test', 1, {BUS_VERSION}, {BUS_VERSION})"
        ));
        let id = self.value("SELECT max(id) FROM fivefold.node").parse().unwrap();
        NodeId::new(id).unwrap()
    }
}
