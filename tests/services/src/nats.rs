//! Starts the real `nats-server` on a free port.

use std::{
    io::{BufRead, BufReader, Read, Write},
    net::{Ipv4Addr, SocketAddr, TcpStream},
    process::{Child, ChildStderr, Command, Stdio},
    thread,
};

use rustix::process::{Pid, Signal, kill_process};

use crate::Certificate;

/// Runs the server until its standard input ends, which comes with the end of the test. Debian keeps
/// the program in a folder that only root has in the path.
const GUARD: &str = r#"PATH=$PATH:/usr/sbin; command -v nats-server >/dev/null || exit 127
    nats-server "$@" </dev/null & exec 2>/dev/null; read -r word; kill -KILL $!; wait"#;

/// The user whom servers know that are started without other flags, and the password: with characters
/// that mean something in a URL.
const USER: [&str; 4] = ["--user", "fivefold", "--pass", "p@ss/w:rd%"];

/// The same in a URL.
const USER_IN_URL: &str = "fivefold:p%40ss%2Fw%3Ard%25";

/// A NATS server, killed when this is dropped or the test's process ends. It keeps its port when it
/// is started again.
#[derive(Debug)]
pub struct NatsServer {
    /// A shell that kills the server when its standard input is closed.
    guard: Option<Child>,
    address: SocketAddr,
    /// Where it reports what passes, over HTTP.
    monitor: SocketAddr,
    process: Option<Pid>,
    /// The flags that say who may connect, and how.
    flags: Vec<String>,
}

impl NatsServer {
    /// Starts a server that wants a user and a password. `None`, with a printed sentence, where
    /// `nats-server` is not installed.
    ///
    /// # Panics
    /// When the server is there and does not start.
    pub fn start() -> Option<Self> {
        Self::start_with(&USER)
    }

    /// As [`start`](Self::start), for encrypted connections only, by this certificate.
    ///
    /// # Panics
    /// When the server is there and does not start.
    pub fn start_encrypted(certificate: &Certificate) -> Option<Self> {
        let flags = certificate.flags();
        let flags: Vec<&str> = flags.iter().map(String::as_str).collect();
        Self::start_with(&[&USER[..], &flags].concat())
    }

    /// As [`start`](Self::start), with other flags instead of the user's.
    ///
    /// # Panics
    /// When the server is there and does not start.
    #[expect(clippy::print_stdout, reason = "a skipped test says so")]
    pub fn start_with(flags: &[&str]) -> Option<Self> {
        let version = guard(&["--version"])
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .status()
            .expect("a shell starts");
        if version.code() == Some(127) {
            println!("SKIPPED: nats-server is not installed here");
            return None;
        }
        let address = (Ipv4Addr::LOCALHOST, 0).into();
        let flags = flags.iter().map(|&flag| flag.to_owned()).collect();
        let mut server = Self { guard: None, address, monitor: address, process: None, flags };
        server.restart();
        Some(server)
    }

    /// Its address.
    pub const fn address(&self) -> SocketAddr {
        self.address
    }

    /// Its address for the server's `--bus`, with the user of [`start`](Self::start).
    pub fn url(&self) -> String {
        self.url_at(self.address)
    }

    /// The same behind a relay.
    pub fn url_at(&self, relay: SocketAddr) -> String {
        format!("nats://{USER_IN_URL}@{relay}")
    }

    /// As [`url`](Self::url), for encrypted connections to `localhost`.
    pub fn encrypted_url(&self) -> String {
        format!("tls://{USER_IN_URL}@localhost:{}", self.address.port())
    }

    /// Its process id.
    ///
    /// # Panics
    /// When it does not run.
    pub fn pid(&self) -> u32 {
        let process = self.process.expect("it runs");
        process.as_raw_nonzero().get().unsigned_abs()
    }

    /// The bytes that it has received from all clients since its start, without NATS's own protocol.
    ///
    /// # Panics
    /// When it does not answer.
    pub fn bytes_received(&self) -> u64 {
        let mut connection = TcpStream::connect(self.monitor).expect("the monitor listens");
        connection.write_all(b"GET /varz HTTP/1.0\r\n\r\n").expect("the monitor reads");
        let mut text = String::new();
        connection.read_to_string(&mut text).expect("the monitor answers with text");
        let count =
            text.split_once("\"in_bytes\": ").map(|(_, rest)| rest.split([',', '\n']).next());
        let count = count.flatten().and_then(|count| count.trim().parse().ok());
        count.unwrap_or_else(|| panic!("no count in {text}"))
    }

    /// Starts it, with nothing of what it knew. The first time on a free port, then on the same.
    ///
    /// # Panics
    /// When it does not start.
    pub fn restart(&mut self) {
        self.kill();
        // -1 is a free port.
        let port = Some(self.address.port()).filter(|&port| port > 0);
        let port = port.map_or_else(|| "-1".to_owned(), |port| port.to_string());
        let mut guard = guard(&["--addr", "127.0.0.1", "--port", &port, "--http_port", "-1"])
            .args(&self.flags)
            .stdin(Stdio::piped())
            .stdout(Stdio::null())
            .stderr(Stdio::piped())
            .spawn()
            .expect("a shell starts");
        let log = BufReader::new(guard.stderr.take().expect("the log is piped"));
        self.guard = Some(guard);
        let started = wait_until_ready(log);
        self.process = Pid::from_raw(started.process);
        self.address.set_port(started.port);
        self.monitor.set_port(started.monitor_port);
    }

    /// The same, with other flags.
    ///
    /// # Panics
    /// When it does not start.
    pub fn restart_with(&mut self, flags: &[&str]) {
        self.flags = flags.iter().map(|&flag| flag.to_owned()).collect();
        self.restart();
    }

    /// The same, with the user of [`start`](Self::start).
    ///
    /// # Panics
    /// When it does not start.
    pub fn restart_with_user(&mut self) {
        self.restart_with(&USER);
    }

    /// Kills it, if it runs.
    ///
    /// # Panics
    /// When waiting for its end fails.
    pub fn kill(&mut self) {
        if let Some(mut guard) = self.guard.take() {
            drop(guard.stdin.take());
            guard.wait().expect("the shell can be waited for");
        }
        self.process = None;
    }

    /// Stops it where it is: its connections stay open, and nothing moves.
    ///
    /// # Panics
    /// When it does not run.
    pub fn freeze(&self) {
        self.signal(Signal::STOP);
    }

    /// Lets it go on.
    ///
    /// # Panics
    /// When it does not run.
    pub fn thaw(&self) {
        self.signal(Signal::CONT);
    }

    fn signal(&self, signal: Signal) {
        kill_process(self.process.expect("it runs"), signal).expect("it is our process");
    }
}

impl Drop for NatsServer {
    fn drop(&mut self) {
        self.kill();
    }
}

/// The shell that runs the server.
fn guard(arguments: &[&str]) -> Command {
    let mut shell = Command::new("sh");
    shell.args(["-c", GUARD, "sh"]).args(arguments);
    shell
}

/// What the log says at the start.
#[derive(Default)]
struct Started {
    process: i32,
    port: u16,
    monitor_port: u16,
}

/// Reads the log until the server is ready.
fn wait_until_ready(mut log: BufReader<ChildStderr>) -> Started {
    let (mut started, mut text) = (Started::default(), String::new());
    loop {
        let mut line = String::new();
        let count = log.read_line(&mut line).expect("a log is text");
        assert!(count > 0, "nats-server ended: {text}");
        if let Some((process, port)) = process_and_port(&line, "Listening for client connections") {
            (started.process, started.port) = (process, port);
        }
        if let Some((_, port)) = process_and_port(&line, "Starting http monitor") {
            started.monitor_port = port;
        }
        text.push_str(&line);
        if line.contains("Server is ready") {
            break;
        }
    }
    assert!(started.port > 0 && started.monitor_port > 0, "no ports in: {text}");
    // A full pipe would stop it.
    thread::spawn(move || drop(log.read_to_end(&mut Vec::new())));
    started
}

/// The numbers in `[2520] 2026/11/22 09:24:10.184934 [INF] Listening for client connections on
/// 127.0.0.1:39237`.
fn process_and_port(line: &str, what: &str) -> Option<(i32, u16)> {
    let (begin, address) = line.split_once(what)?;
    let process = begin.split(['[', ']']).nth(1)?.parse().ok()?;
    let port = address.trim().rsplit(':').next()?.parse().ok()?;
    Some((process, port))
}
