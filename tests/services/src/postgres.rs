//! Starts the real PostgreSQL from a temporary folder. It listens on a socket in that folder, and takes
//! a port only for encrypted connections.
//!
//! Its database belongs to a role without special rights and with a password, as `docs/operating` asks
//! for. Only what an administrator does is done as the superuser.

use std::{
    env, fs,
    hash::{DefaultHasher, Hash, Hasher},
    io::Write,
    os::unix::{
        fs::{PermissionsExt, chown},
        process::CommandExt,
    },
    path::{Path, PathBuf},
    process::{self, Child, Command, Stdio},
    thread,
    time::{Duration, Instant},
};

use rustix::{
    io::Errno,
    process::{Pid, Signal, kill_process},
};
use tempfile::TempDir;

use crate::{Certificate, free_port};

/// The superuser, who needs no password.
const SUPERUSER: &str = "postgres";

/// Name of the role without special rights, and of the database that it owns.
const NAME: &str = "fivefold";

/// Its password.
const PASSWORD: &str = "fivefold-secret";

/// Who may connect: the superuser and standbys by the socket, all others by a password.
const RULES: &str = "
local all postgres trust
local replication postgres trust
local all all scram-sha-256
hostssl all all 127.0.0.1/32 scram-sha-256
";

/// How its data are made. Segments of 1 MB instead of 16 are copied sooner.
const INITDB: [&str; 6] = [
    "--auth-local=trust",
    "--auth-host=reject",
    "--no-sync",
    "--locale=C",
    "--encoding=UTF8",
    "--wal-segsize=1",
];

/// The number in the name of its socket.
const USUAL_PORT: u16 = 5432;

/// Runs the server until a line or the end of its input, which comes with the end of the test. It may
/// be frozen then.
const GUARD: &str = r#""$@" </dev/null & read -r word; kill -QUIT $!; kill -CONT $!; wait
    [ "$word" = keep ] || rm -rf "$0""#;

/// How long starting and stopping may take on a busy machine.
const PATIENCE: Duration = Duration::from_secs(60);

/// Whether a crash of the machine may lose what is committed. Losing nothing takes longer. A crash
/// of the server loses nothing in either case.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Durability {
    /// It may.
    None,
    /// It may not.
    Full,
}

/// A PostgreSQL server of version 15 or newer, with an empty database. It ends with this value, or
/// with the test's process.
#[derive(Debug)]
pub struct PostgresServer {
    programs: PathBuf,
    folder: TempDir,
    durability: Durability,
    /// The port for encrypted connections.
    port: Option<u16>,
    /// A shell that stops the server when its standard input is closed, and then deletes the folder
    /// unless it was asked to keep it.
    guard: Option<Child>,
}

impl PostgresServer {
    /// Starts a server. `None`, with a printed sentence, where PostgreSQL is not installed.
    ///
    /// # Panics
    /// When it is there and does not start.
    pub fn start(durability: Durability) -> Option<Self> {
        Self::start_with(durability, None)
    }

    /// As [`start`](Self::start), with encrypted connections by this certificate at a port of this
    /// machine. A crash of the machine may lose what is committed.
    ///
    /// # Panics
    /// When it is there and does not start.
    pub fn start_encrypted(certificate: &Certificate) -> Option<Self> {
        Self::start_with(Durability::None, Some(certificate))
    }

    #[expect(clippy::print_stdout, reason = "a skipped test says so")]
    fn start_with(durability: Durability, certificate: Option<&Certificate>) -> Option<Self> {
        let Some(programs) = programs() else {
            println!("SKIPPED: PostgreSQL 15 or newer is not installed here");
            return None;
        };
        let mut server = Self::in_new_folder(programs, durability);
        server.copy_first_data();
        if let Some(certificate) = certificate {
            server.encrypt(certificate);
        }
        server.restart();
        Some(server)
    }

    /// Copies the data of the first server that was made. To make them takes two seconds of the processor,
    /// and a run of the tests starts hundreds of servers.
    fn copy_first_data(&self) {
        let first_data = first_data(&self.programs);
        if !first_data.exists() {
            let mut first = Self::in_new_folder(self.programs.clone(), Durability::None);
            first.make_data();
            let ours = format!("{}.{}", first_data.display(), process::id());
            copy_folder(&first.data(), Path::new(&ours));
            // Another test may have been faster.
            if fs::rename(&ours, &first_data).is_err() {
                fs::remove_dir_all(&ours).expect("it is our folder");
            }
        }
        copy_folder(&first_data, &self.data());
    }

    /// Makes data with the role and its database, and leaves them as a stopped server does.
    fn make_data(&mut self) {
        let mut initdb = self.command("initdb");
        initdb.args(INITDB).args(["--username", SUPERUSER, "--pgdata"]).arg(self.data());
        let made = initdb.output().expect("initdb starts");
        assert!(made.status.success(), "{made:?}");
        fs::write(self.data().join("pg_hba.conf"), RULES).expect("a file in our folder");
        self.restart();
        self.ask_in("postgres", &format!("CREATE ROLE {NAME} LOGIN PASSWORD '{PASSWORD}'"));
        self.ask_in("postgres", &format!("CREATE DATABASE {NAME} OWNER {NAME}"));
        let mut stop = self.command("pg_ctl");
        stop.args(["stop", "--silent", "--wait", "--mode=fast", "--pgdata"]).arg(self.data());
        assert!(stop.status().expect("pg_ctl starts").success());
        self.stop_guard(true);
    }

    /// Starts a standby of this server, which follows it without delay.
    ///
    /// # Panics
    /// When it does not start.
    pub fn start_standby(&self) -> Self {
        let mut standby = Self::in_new_folder(self.programs.clone(), self.durability);
        let mut copy = self.command("pg_basebackup");
        copy.args(["--no-sync", "--checkpoint=fast", "--write-recovery-conf", "--username"]);
        copy.args([SUPERUSER, "--host"]).arg(self.folder()).arg("--pgdata").arg(standby.data());
        let made = copy.output().expect("pg_basebackup starts");
        assert!(made.status.success(), "{made:?}");
        standby.restart();
        standby
    }

    fn in_new_folder(programs: PathBuf, durability: Durability) -> Self {
        // A short path: a socket's has at most 107 bytes.
        let folder = TempDir::with_prefix_in("fivefold-pg-", "/tmp").expect("a temporary folder");
        if let Some((user, group)) = unprivileged() {
            chown(folder.path(), Some(user), Some(group)).expect("it is our folder");
        }
        let anybody = fs::Permissions::from_mode(0o755);
        fs::set_permissions(folder.path(), anybody).expect("it is our folder");
        Self { programs, folder, durability, port: None, guard: None }
    }

    /// The folder of its socket: the host in a client's settings.
    pub fn folder(&self) -> &Path {
        self.folder.path()
    }

    /// Its address for the server's `--database`.
    pub fn url(&self) -> String {
        Self::url_at(&self.folder().display().to_string().replace('/', "%2F"))
    }

    /// Its address for encrypted connections, without the settings of TLS.
    ///
    /// # Panics
    /// When it has none.
    pub fn encrypted_url(&self) -> String {
        let port = self.port.expect("it was started with a certificate");
        Self::url_at(&format!("localhost:{port}"))
    }

    /// The address of its database through something else that listens there, such as a relay.
    pub fn url_at(host: &str) -> String {
        format!("postgres://{NAME}:{PASSWORD}@{host}/{NAME}")
    }

    /// The role and its password, as a pooler reads them.
    pub(crate) fn users() -> String {
        format!("\"{NAME}\" \"{PASSWORD}\"\n")
    }

    /// Its socket, for a relay.
    pub fn socket(&self) -> PathBuf {
        self.folder.path().join(format!(".s.PGSQL.{}", self.port.unwrap_or(USUAL_PORT)))
    }

    /// The process id of the server, whose children do its work.
    ///
    /// # Panics
    /// When it does not run.
    pub fn pid(&self) -> u32 {
        let file = fs::read_to_string(self.data().join("postmaster.pid")).expect("it runs");
        file.lines().next().and_then(|id| id.parse().ok()).expect("a process id")
    }

    /// Kills it if it runs, and starts it with what it has stored.
    ///
    /// # Panics
    /// When it does not start.
    pub fn restart(&mut self) {
        self.kill();
        let durable = match self.durability {
            Durability::None => "off",
            Durability::Full => "on",
        };
        let log = fs::File::create(self.log()).expect("a file in our folder");
        let mut shell = Command::new("sh");
        shell.args(["-c", GUARD]).arg(self.folder.path()).arg(self.programs.join("postgres"));
        shell.arg("-D").arg(self.data());
        let (addresses, encryption) = match self.port {
            Some(_) => ("127.0.0.1", "on"),
            None => ("", "off"),
        };
        for setting in [
            &format!("listen_addresses={addresses}"),
            &format!("port={}", self.port.unwrap_or(USUAL_PORT)),
            &format!("ssl={encryption}"),
            &format!("unix_socket_directories={}", self.folder.path().display()),
            &format!("fsync={durable}"),
            &format!("full_page_writes={durable}"),
            "shared_buffers=16MB",
            "log_min_messages=fatal",
        ] {
            shell.args(["-c", setting]);
        }
        shell.stdin(Stdio::piped()).stdout(Stdio::null()).stderr(log);
        as_unprivileged(&mut shell);
        self.guard = Some(shell.spawn().expect("a shell starts"));
        self.wait_until("it takes connections", Self::is_ready);
    }

    /// Kills all of its processes, as a crash does.
    ///
    /// # Panics
    /// When it does not end.
    pub fn kill(&mut self) {
        if self.guard.is_none() {
            return;
        }
        // Its children end without it, but not at once, and a new server needs their memory.
        self.signal_all(Signal::KILL);
        self.stop_guard(true);
        self.wait_until("it has ended", |server| !server.is_ready());
        fs::remove_file(self.data().join("postmaster.pid")).expect("a dead server leaves it");
    }

    /// Stops it where it is, with all of its processes: connections stay open, and nothing moves.
    ///
    /// # Panics
    /// When it does not run.
    pub fn freeze(&self) {
        self.signal_all(Signal::STOP);
    }

    /// Lets it go on.
    ///
    /// # Panics
    /// When it does not run.
    pub fn thaw(&self) {
        self.signal_all(Signal::CONT);
    }

    fn signal_all(&self, signal: Signal) {
        let id = self.pid().to_string();
        let children = fs::read_to_string(format!("/proc/{id}/task/{id}/children"));
        for id in [&*id].into_iter().chain(children.unwrap_or_default().split_whitespace()) {
            let process = id.parse().ok().and_then(Pid::from_raw).expect("a process id");
            if let Err(error) = kill_process(process, signal) {
                assert_eq!(error, Errno::SRCH, "a child may have ended by itself");
            }
        }
    }

    /// Runs a query with psql as the superuser, and returns its rows as lines.
    ///
    /// # Panics
    /// When it fails.
    pub fn ask(&self, query: &str) -> String {
        self.ask_in(NAME, query)
    }

    /// The same in another database.
    ///
    /// # Panics
    /// When it fails.
    pub fn ask_in(&self, database: &str, query: &str) -> String {
        let mut psql = self.command("psql");
        psql.args(["--no-psqlrc", "--tuples-only", "--no-align", "--dbname", database]);
        psql.args(["--username", SUPERUSER, "--host"]);
        let output = psql.arg(self.folder()).args(["--command", query]).output();
        let output = output.expect("psql starts");
        assert!(output.status.success(), "{output:?}");
        String::from_utf8(output.stdout).expect("psql prints text").trim().to_owned()
    }

    /// Takes the certificate, and a port for those who come by TLS. PostgreSQL wants a key that is its own.
    fn encrypt(&mut self, certificate: &Certificate) {
        let data = self.data();
        for (from, name) in [(certificate.file(), "server.crt"), (certificate.key(), "server.key")]
        {
            let file = data.join(name);
            fs::copy(from, &file).expect("a file in our folder");
            fs::set_permissions(&file, fs::Permissions::from_mode(0o600)).expect("it is our file");
            if let Some((user, group)) = unprivileged() {
                chown(&file, Some(user), Some(group)).expect("it is our file");
            }
        }
        self.port = Some(free_port());
    }

    fn is_ready(&self) -> bool {
        let mut ready = self.command("pg_isready");
        ready.args(["--quiet", "--host"]).arg(self.folder.path());
        ready.status().expect("pg_isready starts").success()
    }

    fn wait_until(&self, event: &str, has_happened: impl Fn(&Self) -> bool) {
        let deadline = Instant::now() + PATIENCE;
        while !has_happened(self) {
            let log = || fs::read_to_string(self.log()).unwrap_or_default();
            assert!(Instant::now() < deadline, "not yet: {event}: {}", log());
            thread::sleep(Duration::from_millis(20));
        }
    }

    fn stop_guard(&mut self, keeps_folder: bool) {
        if let Some(mut guard) = self.guard.take() {
            let mut stdin = guard.stdin.take().expect("it is piped");
            if keeps_folder {
                stdin.write_all(b"keep\n").expect("the shell reads");
            }
            drop(stdin);
            guard.wait().expect("the shell can be waited for");
        }
    }

    fn command(&self, program: &str) -> Command {
        let mut command = Command::new(self.programs.join(program));
        as_unprivileged(&mut command);
        command.env("PGPORT", self.port.unwrap_or(USUAL_PORT).to_string());
        command
    }

    fn data(&self) -> PathBuf {
        self.folder.path().join("data")
    }

    fn log(&self) -> PathBuf {
        self.folder.path().join("log")
    }
}

impl Drop for PostgresServer {
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
    folders.extend(env::split_paths(&env::var_os("PATH").unwrap_or_default()));
    folders.into_iter().rev().find(|folder| {
        let has = |program| folder.join(program).is_file();
        has("initdb") && has("postgres") && has("pg_isready") && is_new(folder)
    })
}

/// Where the data of the first server of this version are kept: beside what is built.
fn first_data(programs: &Path) -> PathBuf {
    let mut kind = DefaultHasher::new();
    (version(programs), INITDB, RULES, NAME, PASSWORD).hash(&mut kind);
    let test = env::current_exe().expect("this program has a path");
    let built = test.ancestors().find(|folder| folder.join("CACHEDIR.TAG").is_file());
    let folder = built.expect("Cargo marks its folder").join("tmp");
    fs::create_dir_all(&folder).expect("what is built is ours");
    folder.join(format!("postgres-{:016x}", kind.finish()))
}

/// Copies a folder with the owners and rights of its files.
fn copy_folder(from: &Path, to: &Path) {
    let copied = Command::new("cp").arg("-a").args([from, to]).output().expect("cp starts");
    assert!(copied.status.success(), "{copied:?}");
}

/// What the programs in this folder say of their version. Empty if they do not run.
fn version(folder: &Path) -> String {
    let version = Command::new(folder.join("postgres")).arg("--version").output();
    version.map(|version| String::from_utf8_lossy(&version.stdout).into_owned()).unwrap_or_default()
}

fn is_new(folder: &Path) -> bool {
    let text = version(folder);
    let mut numbers = text.split(|letter: char| !letter.is_ascii_digit());
    numbers.find_map(|number| number.parse::<u32>().ok()).is_some_and(|major| major >= 15)
}

/// PostgreSQL refuses to run as root: the user and group to run it as instead.
pub(crate) fn unprivileged() -> Option<(u32, u32)> {
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

/// Runs a program that refuses to run as root as PostgreSQL's user.
pub(crate) fn as_unprivileged(command: &mut Command) {
    if let Some((user, group)) = unprivileged() {
        command.uid(user).gid(group);
    }
    command.current_dir("/");
}

#[test]
fn a_restarted_server_has_what_was_stored() {
    let Some(mut server) = PostgresServer::start(Durability::None) else { return };
    server.ask("CREATE TABLE move (ply int)");
    server.ask("INSERT INTO move VALUES (7)");
    server.restart();
    assert_eq!(server.ask("SELECT ply FROM move"), "7");
    let special =
        "SELECT rolsuper OR rolcreatedb OR rolcreaterole OR rolreplication OR rolbypassrls
        FROM pg_roles WHERE rolname = 'fivefold'";
    assert_eq!(server.ask(special), "f");
    let folder = server.folder().to_owned();
    assert!(server.socket().exists());
    drop(server);
    assert!(!folder.exists());
}
