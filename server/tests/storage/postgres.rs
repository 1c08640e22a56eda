//! A PostgreSQL server of a test's own, in a temporary folder: its socket is there, too, so no port
//! is taken. Tests are skipped where PostgreSQL is not installed.

use std::{
    env, fs,
    io::{Read, Write},
    os::unix::{
        fs::{PermissionsExt, chown},
        process::CommandExt,
    },
    path::{Path, PathBuf},
    process::{Child, Command, Stdio},
    thread,
    time::{Duration, Instant},
};

use fivefold_server::{
    NodeId,
    storage::{DatabaseUrl, Postgres},
};
use rustix::process::{Pid, Signal, kill_process};
use tempfile::TempDir;
use tokio::runtime::{Builder, Runtime};
use tokio_postgres::{Client, NoTls, SimpleQueryMessage};

/// Name of the superuser and of the database.
const NAME: &str = "fivefold";

/// Runs the server until a line or the end of its input, which comes with the end of the test.
const GUARD: &str = r#""$@" </dev/null & read -r word; kill -QUIT $!; wait
    [ "$word" = keep ] || rm -rf "$0""#;

/// Whether a crash may lose what is committed. Losing nothing takes longer.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Durability {
    None,
    Full,
}

/// A running server. It ends with this value, or with the test's process.
pub(crate) struct Server {
    programs: PathBuf,
    folder: TempDir,
    durability: Durability,
    /// A shell that stops the server when its standard input is closed, and then deletes the folder
    /// unless it was asked to keep it.
    guard: Option<Child>,
    runtime: Runtime,
}

impl Server {
    /// Starts a server; `None`, with a printed sentence, where the programs are missing.
    pub(crate) fn start(durability: Durability) -> Option<Self> {
        let Some(programs) = programs() else {
            println!("SKIPPED: PostgreSQL 15 or newer is not installed here");
            return None;
        };
        let folder = TempDir::with_prefix_in("fivefold-pg-", "/tmp").unwrap();
        if let Some((user, group)) = unprivileged() {
            chown(folder.path(), Some(user), Some(group)).unwrap();
        }
        fs::set_permissions(folder.path(), fs::Permissions::from_mode(0o755)).unwrap();
        let runtime = Builder::new_current_thread().enable_all().build().unwrap();
        let mut server = Self { programs, folder, durability, guard: None, runtime };
        let made = server
            .command("initdb")
            .args(["--auth-local=trust", "--auth-host=scram-sha-256", "--no-sync", "--locale=C"])
            .args(["--encoding=UTF8", "--username", NAME, "--pgdata"])
            .arg(server.data())
            .output()
            .unwrap();
        assert!(made.status.success(), "{made:?}");
        server.run();
        server.execute_in("postgres", &format!("CREATE DATABASE {NAME}"));
        Some(server)
    }

    /// Starts the server's processes, after [`Self::kill`] also.
    pub(crate) fn run(&mut self) {
        let fsync = match self.durability {
            Durability::None => "off",
            Durability::Full => "on",
        };
        let socket = self.folder.path().display();
        let settings = [
            "listen_addresses=".to_owned(),
            format!("unix_socket_directories={socket}"),
            format!("fsync={fsync}"),
            format!("full_page_writes={fsync}"),
            "shared_buffers=16MB".to_owned(),
            "max_connections=40".to_owned(),
            "log_min_messages=fatal".to_owned(),
        ];
        let log = fs::File::create(self.folder.path().join("log")).unwrap();
        let mut shell = Command::new("sh");
        shell
            .args(["-c", GUARD])
            .arg(self.folder.path())
            .arg(self.programs.join("postgres"))
            .arg("-D")
            .arg(self.data());
        for setting in &settings {
            shell.args(["-c", setting]);
        }
        shell.stdin(Stdio::piped()).stdout(Stdio::null()).stderr(log);
        as_unprivileged(&mut shell);
        self.guard = Some(shell.spawn().unwrap());
        let deadline = Instant::now() + Duration::from_secs(60);
        while self.try_client("postgres").is_err() {
            assert!(Instant::now() < deadline, "{}", self.log());
            thread::sleep(Duration::from_millis(20));
        }
    }

    /// Kills all of the server's processes at once, as a crash would.
    pub(crate) fn kill(&mut self) {
        let pid = fs::read_to_string(self.data().join("postmaster.pid")).unwrap();
        let pid = pid.lines().next().unwrap().parse().unwrap();
        kill_process(Pid::from_raw(pid).unwrap(), Signal::KILL).unwrap();
        // Its children end when they notice. A new server waits for that, as it needs their memory.
        self.stop_guard(true);
        let deadline = Instant::now() + Duration::from_secs(60);
        while self.try_client("postgres").is_ok() {
            assert!(Instant::now() < deadline);
        }
        fs::remove_file(self.data().join("postmaster.pid")).unwrap();
    }

    fn stop_guard(&mut self, keeps_folder: bool) {
        if let Some(mut guard) = self.guard.take() {
            let mut stdin = guard.stdin.take().unwrap();
            if keeps_folder {
                stdin.write_all(b"keep\n").unwrap();
            }
            drop(stdin);
            guard.wait().unwrap();
        }
    }

    fn command(&self, program: &str) -> Command {
        let mut command = Command::new(self.programs.join(program));
        as_unprivileged(&mut command);
        command
    }

    fn data(&self) -> PathBuf {
        self.folder.path().join("data")
    }

    fn log(&self) -> String {
        let mut log = String::new();
        fs::File::open(self.folder.path().join("log")).unwrap().read_to_string(&mut log).unwrap();
        log
    }

    /// The file of its socket.
    pub(crate) fn socket(&self) -> PathBuf {
        self.folder.path().join(".s.PGSQL.5432")
    }

    /// The URL of the database.
    pub(crate) fn url(&self) -> DatabaseUrl {
        self.url_of(NAME)
    }

    /// The URL of another database on the server.
    pub(crate) fn url_of(&self, database: &str) -> DatabaseUrl {
        let folder = self.folder.path().display().to_string().replace('/', "%2F");
        DatabaseUrl::from(format!("postgres://{NAME}@{folder}/{database}"))
    }

    /// From now on, users other than the superuser need their password.
    pub(crate) fn demand_passwords(&self) {
        let rules = format!("local all {NAME} trust\nlocal all all scram-sha-256\n");
        fs::write(self.data().join("pg_hba.conf"), rules).unwrap();
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
        config.host_path(self.folder.path()).user(NAME).dbname(database);
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
                fivefold.member, fivefold.node RESTART IDENTITY",
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

impl Drop for Server {
    fn drop(&mut self) {
        self.stop_guard(false);
    }
}

/// The folder of PostgreSQL's programs: Debian keeps them out of the path.
fn programs() -> Option<PathBuf> {
    let mut folders: Vec<PathBuf> = fs::read_dir("/usr/lib/postgresql")
        .map(|versions| versions.flatten().map(|version| version.path().join("bin")).collect())
        .unwrap_or_default();
    folders.sort();
    let in_path = env::var_os("PATH").unwrap_or_default();
    folders.extend(env::split_paths(&in_path));
    folders.into_iter().rev().find(|folder| {
        folder.join("initdb").is_file() && folder.join("postgres").is_file() && is_new(folder)
    })
}

fn is_new(folder: &Path) -> bool {
    let version = Command::new(folder.join("postgres")).arg("--version").output();
    let text = version.map(|version| String::from_utf8_lossy(&version.stdout).into_owned());
    let number = text.unwrap_or_default();
    let mut numbers = number.split(|letter: char| !letter.is_ascii_digit());
    numbers.find_map(|number| number.parse::<u32>().ok()).is_some_and(|major| major >= 15)
}

/// PostgreSQL refuses to run as root: the user and group to run it as instead.
fn unprivileged() -> Option<(u32, u32)> {
    if !rustix::process::geteuid().is_root() {
        return None;
    }
    let users = fs::read_to_string("/etc/passwd").unwrap_or_default();
    let ids = |name: &str| {
        let line = users.lines().find(|line| line.split(':').next() == Some(name))?;
        let mut fields = line.split(':').skip(2);
        Some((fields.next()?.parse().ok()?, fields.next()?.parse().ok()?))
    };
    Some(ids("postgres").or_else(|| ids("nobody")).unwrap_or((65534, 65534)))
}

fn as_unprivileged(command: &mut Command) {
    if let Some((user, group)) = unprivileged() {
        command.uid(user).gid(group);
    }
    command.current_dir("/");
}
