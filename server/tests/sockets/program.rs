//! The real program on a free port, with its log in a file.

use std::{
    fs::{self, File},
    io::{BufRead, BufReader, Read},
    path::PathBuf,
    process::{Child, ChildStdout, Command, ExitStatus, Stdio},
};

use rustix::process::{Pid, Signal, kill_process};
use serde_json::Value;
use tempfile::TempDir;
use tokio::{
    io::{AsyncReadExt, AsyncWriteExt},
    net::TcpStream,
    task::spawn_blocking,
};

use crate::harness::within;

/// The key of a setting, and its value.
pub(crate) type Setting<'a> = (&'a str, &'a str);

/// Passes settings to the program: each has a variable.
pub(crate) fn set<'a>(program: &'a mut Command, settings: &[Setting<'_>]) -> &'a mut Command {
    program.envs(
        settings.iter().map(|(key, value)| {
            (format!("FIVEFOLD_{}", key.to_uppercase().replace('-', "_")), value)
        }),
    )
}

/// A command with this program, without variables of the one who runs the tests.
pub(crate) fn command() -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_fivefold-server"));
    let settings = std::env::vars_os().map(|(name, _)| name);
    for name in settings.filter(|name| name.to_string_lossy().starts_with("FIVEFOLD_")) {
        command.env_remove(name);
    }
    command
}

/// A running server; killed when this is dropped.
pub(crate) struct Program {
    child: Child,
    /// Kept open, so that the server can go on writing.
    stdout: BufReader<ChildStdout>,
    /// What it has printed first.
    pub(crate) greeting: String,
    /// Where it keeps its data, and its log.
    pub(crate) folder: TempDir,
}

impl Program {
    pub(crate) fn start(settings: &[Setting<'_>]) -> Self {
        Self::start_in(tempfile::tempdir().unwrap(), settings)
    }

    /// Starts it with the data in this folder.
    pub(crate) fn start_in(folder: TempDir, settings: &[Setting<'_>]) -> Self {
        let log = File::create(folder.path().join("log")).unwrap();
        let mut server = command();
        set(&mut server, settings).args(["--listen", "127.0.0.1:0", "--no-demo"]);
        let data = folder.path().join("data");
        let mut child =
            server.arg("--data").arg(data).stdout(Stdio::piped()).stderr(log).spawn().unwrap();
        let mut stdout = BufReader::new(child.stdout.take().unwrap());
        let mut greeting = String::new();
        stdout.read_line(&mut greeting).unwrap();
        Self { child, stdout, greeting: greeting.trim().to_owned(), folder }
    }

    pub(crate) fn data(&self) -> PathBuf {
        self.folder.path().join("data")
    }

    /// Host and port.
    pub(crate) fn address(&self) -> String {
        let from =
            self.greeting.split_once("http://").unwrap_or_else(|| panic!("{}", self.greeting));
        from.1.split('/').next().unwrap().replace("localhost", "127.0.0.1")
    }

    /// Asks over HTTP: the status, the head and the body.
    pub(crate) async fn ask(&self, what: &str, head: &str, body: &Value) -> (u16, String, Value) {
        let mut stream = TcpStream::connect(self.address()).await.unwrap();
        let body = body.to_string();
        let request = format!(
            "{what} HTTP/1.1\r\nHost: test\r\nConnection: close\r\n\
             Content-Type: application/json\r\nContent-Length: {}\r\n{head}\r\n{body}",
            body.len()
        );
        stream.write_all(request.as_bytes()).await.unwrap();
        let mut answer = String::new();
        within(stream.read_to_string(&mut answer)).await.unwrap();
        let (head, body) = answer.split_once("\r\n\r\n").unwrap();
        let status = head.split(' ').nth(1).unwrap().parse().unwrap();
        (status, head.to_owned(), serde_json::from_str(body).unwrap_or_default())
    }

    /// The next line that it prints.
    pub(crate) fn line(&mut self) -> String {
        let mut line = String::new();
        self.stdout.read_line(&mut line).unwrap();
        line.trim().to_owned()
    }

    /// Stops the server: what else it has printed, and its folder.
    pub(crate) async fn printed(mut self) -> (String, TempDir) {
        kill_process(Pid::from_child(&self.child), Signal::TERM).unwrap();
        let waiting = spawn_blocking(move || {
            let mut rest = String::new();
            self.stdout.read_to_string(&mut rest).unwrap();
            self.child.wait().unwrap();
            (rest, std::mem::replace(&mut self.folder, tempfile::tempdir().unwrap()))
        });
        within(waiting).await.unwrap()
    }

    /// Asks the server to stop: how it ends, and its log.
    pub(crate) async fn stop(mut self) -> (ExitStatus, String) {
        kill_process(Pid::from_child(&self.child), Signal::TERM).unwrap();
        let waiting = spawn_blocking(move || {
            let status = self.child.wait().unwrap();
            (status, fs::read_to_string(self.folder.path().join("log")).unwrap())
        });
        within(waiting).await.unwrap()
    }
}

impl Drop for Program {
    fn drop(&mut self) {
        // It may have ended.
        drop(self.child.kill());
        drop(self.child.wait());
    }
}
