//! A PostgreSQL server of a test's own, with its tables and rows. Tests are skipped where PostgreSQL
//! is not installed.

use std::{fs, path::PathBuf};

use fivefold_server::{
    NodeId,
    storage::{DatabaseUrl, Postgres},
};
pub(crate) use fivefold_test_services::Durability;
use fivefold_test_services::PostgresServer;
use tokio::runtime::{Builder, Runtime};
use tokio_postgres::{Client, NoTls, SimpleQueryMessage};

/// Name of the superuser and of the database.
const NAME: &str = "fivefold";

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
        self.url_of(NAME)
    }

    /// The URL of another database on the server.
    pub(crate) fn url_of(&self, database: &str) -> DatabaseUrl {
        let folder = self.process.folder().display().to_string().replace('/', "%2F");
        DatabaseUrl::from(format!("postgres://{NAME}@{folder}/{database}"))
    }

    /// From now on, users other than the superuser need their password.
    pub(crate) fn demand_passwords(&self) {
        let rules = format!("local all {NAME} trust\nlocal all all scram-sha-256\n");
        fs::write(self.process.folder().join("data/pg_hba.conf"), rules).unwrap();
        self.execute("SELECT pg_reload_conf()");
        // New connections see it after the server has.
        let loaded = "SELECT count(*) FROM pg_hba_file_rules WHERE auth_method LIKE 'scram%'";
        assert_eq!(self.value(loaded), "1");
    }

    /// Runs statements beside the storage.
    pub(crate) fn execute(&self, statements: &str) {
        self.execute_in(NAME, statements);
    }

    pub(crate) fn execute_in(&self, database: &str, statements: &str) {
        let client = self.try_client(database).unwrap();
        // One by one, as some cannot run in a transaction.
        for statement in statements.split(';').filter(|statement| !statement.trim().is_empty()) {
            self.runtime.block_on(client.batch_execute(statement)).unwrap();
        }
    }

    /// Runs one statement that contains semicolons.
    pub(crate) fn execute_whole(&self, statement: &str) {
        let client = self.try_client(NAME).unwrap();
        self.runtime.block_on(client.batch_execute(statement)).unwrap();
    }

    /// The first value of the first row, as text.
    pub(crate) fn value(&self, query: &str) -> String {
        let client = self.try_client(NAME).unwrap();
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

    fn try_client(&self, database: &str) -> Result<Client, tokio_postgres::Error> {
        let mut config = tokio_postgres::Config::new();
        config.host_path(self.process.folder()).user(NAME).dbname(database);
        self.runtime.block_on(async {
            let (client, connection) = config.connect(NoTls).await?;
            tokio::spawn(connection);
            Ok(client)
        })
    }

    /// The storage, in a database that has no rooms.
    pub(crate) fn empty(&self) -> Postgres {
        let storage = self.open();
        self.execute(
            "TRUNCATE fivefold.room, fivefold.event, fivefold.game, fivefold.player,
                fivefold.member, fivefold.node, fivefold.playing, fivefold.account,
                fivefold.key, fivefold.session, fivefold.passkey, fivefold.token, fivefold.alias,
                fivefold.old_name, fivefold.rating, fivefold.rating_change,
                fivefold.puzzle_rating, fivefold.puzzle_try, fivefold.block, fivefold.report,
                fivefold.sanction, fivefold.game_mark, fivefold.examined_game
             RESTART IDENTITY",
        );
        storage
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
        self.execute(
            "INSERT INTO fivefold.node (name, format, bus_min, bus_max) VALUES ('test', 1, 1, 1)",
        );
        let id = self.value("SELECT max(id) FROM fivefold.node").parse().unwrap();
        NodeId::new(id).unwrap()
    }
}
