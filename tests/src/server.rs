//! Runs the real server program on a free port, for one test.

use std::{
    ffi::OsString,
    fs::File,
    io::{self, BufRead, BufReader, Write},
    net::SocketAddr,
    path::Path,
    process::{Child, ChildStdout, Command, ExitStatus, Stdio},
    time::{Duration, Instant},
};

use rustix::process::{Pid, Resource, Rlimit, prlimit};
use tempfile::TempDir;

use crate::{http, programs::program, socket::connect_from};

/// The key of one of the server's settings, and its value.
pub type Setting<'a> = (&'a str, &'a str);

/// Settings for many guests who are faster than people.
const FAST: [Setting<'_>; 5] = [
    ("command-rate", "1000000"),
    ("rooms-per-address", "1000000"),
    ("room-rate", "1000000"),
    ("bot-rooms", "1000000"),
    ("bot-rooms-per-address", "1000000"),
];

/// A running server, killed when this is dropped.
#[derive(Debug)]
pub struct Server {
    child: Child,
    address: SocketAddr,
    greeting: String,
    /// Removed with what a killed server leaves in it.
    _temporary: TempDir,
    /// Kept open, so that the server can continue to write.
    stdout: BufReader<ChildStdout>,
}

impl Server {
    /// Starts a server on a free port, for guests who are faster than people.
    ///
    /// # Panics
    /// When it does not start.
    pub fn start() -> Self {
        Self::start_with(&FAST)
    }

    /// Starts a server on a free port and in memory, with these settings and the defaults otherwise.
    ///
    /// # Panics
    /// When it does not start.
    pub fn start_with(settings: &[Setting<'_>]) -> Self {
        Self::run(Command::new(program("fivefold-server")).arg("--in-memory"), settings)
    }

    /// Starts a server on a free port that stores everything in this folder.
    ///
    /// # Panics
    /// When it does not start.
    pub fn start_in(folder: &Path) -> Self {
        Self::start_in_with(folder, &FAST)
    }

    /// As [`start_in`](Self::start_in), with these settings and the defaults otherwise.
    ///
    /// # Panics
    /// When it does not start.
    pub fn start_in_with(folder: &Path, settings: &[Setting<'_>]) -> Self {
        let mut server = Command::new(program("fivefold-server"));
        Self::run(server.arg("--data").arg(folder), settings)
    }

    /// Starts a node of a cluster with these settings and the defaults otherwise. `log` receives its
    /// log.
    ///
    /// # Panics
    /// When it does not start.
    pub fn start_as_node(
        database: &str,
        bus: &str,
        log: impl Into<Stdio>,
        settings: &[Setting<'_>],
    ) -> Self {
        Self::start_program_as_node(&program("fivefold-server"), database, bus, log, settings)
    }

    /// The same with another build of the server.
    ///
    /// # Panics
    /// When it does not start.
    pub fn start_program_as_node(
        program: &Path,
        database: &str,
        bus: &str,
        log: impl Into<Stdio>,
        settings: &[Setting<'_>],
    ) -> Self {
        let mut server = Command::new(program);
        server.args(["--database", database, "--bus", bus]).stderr(log);
        Self::run(&mut server, settings)
    }

    /// As [`start_as_node`](Self::start_as_node) with its own log, for a node that trusts the
    /// certificates in this file instead of the system's.
    ///
    /// # Panics
    /// When it does not start.
    pub fn start_as_trusting_node(database: &str, bus: &str, trusted: &Path) -> Self {
        let mut server = Command::new(program("fivefold-server"));
        server.args(["--database", database, "--bus", bus]).env("SSL_CERT_FILE", trusted);
        Self::run(&mut server, &[])
    }

    /// As [`start_with`](Self::start_with), for a server that trusts the certificates in this file instead of the
    /// system's.
    ///
    /// # Panics
    /// When it does not start.
    pub fn start_trusting(trusted: &Path, settings: &[Setting<'_>]) -> Self {
        let mut server = Command::new(program("fivefold-server"));
        Self::run(server.arg("--in-memory").env("SSL_CERT_FILE", trusted), settings)
    }

    /// Starts a server that is alone on a PostgreSQL database, with these settings and the defaults
    /// otherwise.
    ///
    /// # Panics
    /// When it does not start.
    pub fn start_on(database: &str, settings: &[Setting<'_>]) -> Self {
        let mut server = Command::new(program("fivefold-server"));
        Self::run(server.args(["--database", database]), settings)
    }

    /// As [`start_on`](Self::start_on). `log` receives its log.
    ///
    /// # Panics
    /// When it does not start.
    pub fn start_on_with_log(
        database: &str,
        log: impl Into<Stdio>,
        settings: &[Setting<'_>],
    ) -> Self {
        let mut server = Command::new(program("fivefold-server"));
        Self::run(server.args(["--database", database]).stderr(log), settings)
    }

    /// As [`start_in_with`](Self::start_in_with), with another build of the server.
    ///
    /// # Panics
    /// When it does not start.
    pub fn start_program_in(program: &Path, folder: &Path, settings: &[Setting<'_>]) -> Self {
        Self::spawn(Command::new(program).arg("--data").arg(folder), settings)
    }

    /// As [`start_in_with`](Self::start_in_with), for a server whose clock [`pass`](Self::pass) can move forward.
    ///
    /// # Panics
    /// When it does not start.
    pub fn start_at_set_time(folder: &Path, settings: &[Setting<'_>]) -> Self {
        let mut server = Command::new(program("server_at_set_time"));
        Self::run(server.arg("--data").arg(folder), settings)
    }

    /// Moves the clock of a server [at a set time](Self::start_at_set_time) forward. Rooms that are awake do not
    /// notice.
    ///
    /// # Panics
    /// When the server does not answer.
    pub fn pass(&mut self, time: Duration) {
        let stdin = self.child.stdin.as_mut().expect("stdin is piped");
        writeln!(stdin, "{}", time.as_millis()).expect("the server listens");
        let mut now = String::new();
        self.stdout.read_line(&mut now).expect("the server says what time it is");
        assert!(!now.is_empty(), "the server has ended");
    }

    /// As [`start_in_with`](Self::start_in_with), for a server with a file size limit: a write
    /// beyond it fails instead of killing the server. `log` receives its log, and `variables` are those of
    /// its environment.
    ///
    /// # Panics
    /// When it does not start.
    pub fn start_in_with_limits(
        folder: &Path,
        log: impl Into<Stdio>,
        variables: &[(&str, OsString)],
        settings: &[Setting<'_>],
    ) -> Self {
        let mut shell = Command::new("sh");
        shell.args(["-c", "trap '' XFSZ; exec \"$0\" \"$@\""]);
        shell.arg(program("fivefold-server")).arg("--data").arg(folder);
        Self::run(shell.envs(variables.iter().cloned()).stderr(log), settings)
    }

    /// Limits the size of the server's files; `None` removes the limit.
    ///
    /// # Panics
    /// When the system does not allow it.
    pub fn limit_files(&self, bytes: Option<u64>) {
        let pid = i32::try_from(self.pid()).ok().and_then(Pid::from_raw);
        let limit = Rlimit { current: bytes, maximum: None };
        prlimit(pid, Resource::Fsize, limit).expect("it is our process");
    }

    /// As [`start_with`](Self::start_with), with the server's log in this file.
    ///
    /// # Panics
    /// When it does not start.
    pub fn start_with_log(log: &Path, settings: &[Setting<'_>]) -> Self {
        Self::start_with_stderr(File::create(log).expect("a file for the log"), settings)
    }

    /// The same, with any target for the log.
    ///
    /// # Panics
    /// When it does not start.
    pub fn start_with_stderr(log: impl Into<Stdio>, settings: &[Setting<'_>]) -> Self {
        let mut server = Command::new(program("fivefold-server"));
        Self::run(server.arg("--in-memory").stderr(log), settings)
    }

    /// As [`start_with_log`](Self::start_with_log), for a server with this open-file limit.
    ///
    /// # Panics
    /// When it does not start.
    pub fn start_with_files(files: u32, log: &Path) -> Self {
        let log = File::create(log).expect("a file for the log");
        let mut shell = Command::new("sh");
        shell.args(["-c", &format!("ulimit -n {files} && exec \"$0\" \"$@\"")]);
        Self::run(shell.arg(program("fivefold-server")).arg("--in-memory").stderr(log), &[])
    }

    /// The last line that a server writes when it does not start with these settings.
    ///
    /// # Panics
    /// When it ends as after another kind of error.
    pub fn refusal(settings: &[Setting<'_>]) -> String {
        let mut server = Command::new(program("fivefold-server"));
        let refused = set(&mut server, settings).args(["--listen", "127.0.0.1:0"]).output();
        let refused = refused.expect("the server starts");
        let text = String::from_utf8_lossy(&refused.stderr);
        assert_eq!(refused.status.code(), Some(1), "{text}");
        text.lines().next_back().unwrap_or_default().to_owned()
    }

    /// Starts this build. All players share this machine.
    fn run(server: &mut Command, settings: &[Setting<'_>]) -> Self {
        Self::spawn(set(server, &[("shared-address", "127.0.0.0/8")]), settings)
    }

    fn spawn(server: &mut Command, settings: &[Setting<'_>]) -> Self {
        let temporary = tempfile::tempdir().expect("a folder");
        let listen = settings.iter().find(|(key, _)| *key == "listen");
        let listen = listen.map_or("127.0.0.1:0", |(_, address)| address);
        let mut child = set(server, settings)
            .args(["--listen", listen, "--no-demo"])
            .env_remove("FIVEFOLD_DATA")
            .env("TMPDIR", temporary.path())
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .expect("the server starts");
        let mut stdout = BufReader::new(child.stdout.take().expect("stdout is piped"));
        let mut line = String::new();
        stdout.read_line(&mut line).expect("the server says where it listens");
        let address = address_in(&line).unwrap_or_else(|| {
            panic!("no address in {line:?}; {:?}", child.try_wait());
        });
        let greeting = line.trim_end().to_owned();
        Self { child, address, greeting, _temporary: temporary, stdout }
    }

    /// The line that the server prints when it is ready.
    pub fn greeting(&self) -> &str {
        &self.greeting
    }

    /// Its process id.
    pub fn pid(&self) -> u32 {
        self.child.id()
    }

    /// The address on which it listens.
    pub const fn address(&self) -> SocketAddr {
        self.address
    }

    /// The whole response to a GET, with the head.
    ///
    /// # Errors
    /// When it does not answer.
    pub async fn get(&self, path: &str) -> io::Result<String> {
        http::get(self.address, path).await
    }

    /// Whether it takes a WebSocket now.
    pub async fn takes_sockets(&self) -> bool {
        connect_from(None, self.address).await.is_ok()
    }

    /// The address for clients, such as `http://127.0.0.1:8080`.
    pub fn url(&self) -> String {
        format!("http://{}", self.address)
    }

    /// Asks the server to stop, as a service manager does.
    ///
    /// # Panics
    /// When the signal cannot be sent.
    pub fn terminate(&self) {
        self.signal("-TERM");
    }

    /// Asks the server to read its settings and its certificate again.
    ///
    /// # Panics
    /// When the signal cannot be sent.
    pub fn hang_up(&self) {
        self.signal("-HUP");
    }

    /// Stops the process where it is, as a machine that pauses does.
    ///
    /// # Panics
    /// When the signal cannot be sent.
    pub fn freeze(&self) {
        self.signal("-STOP");
    }

    /// Lets a frozen process go on.
    ///
    /// # Panics
    /// When the signal cannot be sent.
    pub fn thaw(&self) {
        self.signal("-CONT");
    }

    fn signal(&self, signal: &str) {
        let sent = Command::new("kill").args([signal, &self.child.id().to_string()]).status();
        assert!(sent.expect("kill runs").success());
    }

    /// Whether the server has exited by itself.
    ///
    /// # Panics
    /// When that cannot be found out.
    pub fn has_ended(&mut self) -> bool {
        self.child.try_wait().expect("it is our process").is_some()
    }

    /// Waits until the server has exited by itself; returns its status and the time it took.
    ///
    /// # Panics
    /// When waiting fails.
    pub fn wait(mut self) -> (ExitStatus, Duration) {
        let begin = Instant::now();
        let status = self.child.wait().expect("the server can be waited for");
        (status, begin.elapsed())
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        // The process may have exited already.
        drop(self.child.kill());
        drop(self.child.wait());
    }
}

/// Passes settings to a server: each has a variable.
fn set<'a>(server: &'a mut Command, settings: &[Setting<'_>]) -> &'a mut Command {
    server.envs(
        settings.iter().map(|(key, value)| {
            (format!("FIVEFOLD_{}", key.to_uppercase().replace('-', "_")), value)
        }),
    )
}

/// The address in a line such as `Fivefold is at http://localhost:8080/`.
fn address_in(line: &str) -> Option<SocketAddr> {
    let rest = line.split_once("://")?.1;
    let host = rest.split(|c: char| c.is_whitespace() || c == '/').next()?;
    host.replace("localhost", "127.0.0.1").parse().ok()
}
