//! Starts the real PgBouncer in front of a PostgreSQL server, on a free port.

use std::{
    env, fs,
    net::{Ipv4Addr, SocketAddr, TcpStream},
    os::unix::fs::chown,
    path::{Path, PathBuf},
    process::{Child, Command, Stdio},
    thread,
    time::{Duration, Instant},
};

use tempfile::TempDir;

use crate::{
    PostgresServer, free_port,
    postgres::{as_unprivileged, unprivileged},
};

/// Runs the program until the end of its input, which comes with the end of the test.
const GUARD: &str = r#""$@" </dev/null & read -r word; kill -KILL $!; wait"#;

/// How long starting may take on a busy machine.
const PATIENCE: Duration = Duration::from_secs(60);

/// A pooler. It ends with this value, or with the test's process.
#[derive(Debug)]
pub struct PgBouncer {
    /// A shell that kills it when its standard input is closed.
    guard: Child,
    address: SocketAddr,
    _folder: TempDir,
}

impl PgBouncer {
    /// Starts one with these lines in its settings, such as `pool_mode = transaction`. `None`, with a
    /// printed sentence, where PgBouncer is not installed.
    ///
    /// # Panics
    /// When it is there and does not start.
    #[expect(clippy::print_stdout, reason = "a skipped test says so")]
    pub fn start(server: &PostgresServer, settings: &[&str]) -> Option<Self> {
        let Some(program) = program() else {
            println!("SKIPPED: PgBouncer is not installed here");
            return None;
        };
        let folder = tempfile::tempdir().expect("a temporary folder");
        let address = SocketAddr::from((Ipv4Addr::LOCALHOST, free_port()));
        let file = |name: &str| folder.path().join(name);
        let socket = server.folder().display();
        let text = format!(
            "[databases]\n* = host={socket}\n[pgbouncer]\nlisten_addr = 127.0.0.1\n\
             listen_port = {}\nunix_socket_dir =\nauth_type = plain\nauth_file = {}\n{}\n",
            address.port(),
            file("users").display(),
            settings.join("\n"),
        );
        fs::write(file("settings"), text).expect("a file in our folder");
        fs::write(file("users"), PostgresServer::users()).expect("a file in our folder");
        let log = fs::File::create(file("log")).expect("a file in our folder");
        if let Some((user, group)) = unprivileged() {
            for path in [folder.path(), &file("settings"), &file("users")] {
                chown(path, Some(user), Some(group)).expect("it is ours");
            }
        }
        let mut shell = Command::new("sh");
        shell.args(["-c", GUARD, "sh"]).arg(program).arg(file("settings"));
        shell.stdin(Stdio::piped()).stdout(Stdio::null()).stderr(log);
        as_unprivileged(&mut shell);
        let guard = shell.spawn().expect("a shell starts");
        let deadline = Instant::now() + PATIENCE;
        while TcpStream::connect(address).is_err() {
            let log = || fs::read_to_string(file("log")).unwrap_or_default();
            assert!(Instant::now() < deadline, "PgBouncer does not start: {}", log());
            thread::sleep(Duration::from_millis(20));
        }
        Some(Self { guard, address, _folder: folder })
    }

    /// Where it listens.
    pub const fn address(&self) -> SocketAddr {
        self.address
    }

    /// The address of the server's database through it.
    pub fn url(&self) -> String {
        PostgresServer::url_at(&self.address.to_string())
    }
}

impl Drop for PgBouncer {
    fn drop(&mut self) {
        drop(self.guard.stdin.take());
        self.guard.wait().expect("the shell can be waited for");
    }
}

/// The program: Debian keeps it in a folder that only root has in the path.
fn program() -> Option<PathBuf> {
    let path = env::var_os("PATH").unwrap_or_default();
    let folders = env::split_paths(&path).chain([Path::new("/usr/sbin").to_owned()]);
    folders.map(|folder| folder.join("pgbouncer")).find(|program| program.is_file())
}
