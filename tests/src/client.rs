//! Runs the real client program as a script does: lines in, lines out.

use std::{
    ffi::OsStr,
    io::{BufRead, BufReader, Read, Write},
    path::Path,
    process::{Child, ChildStdin, Command, ExitStatus, Stdio},
    sync::mpsc::{self, Receiver},
    thread,
};

use rustix::process::{Pid, Signal, kill_process};
use serde_json::Value;
use tempfile::TempDir;

use crate::{PATIENCE, programs::program};

/// A running client with its own settings, killed when this is dropped.
#[derive(Debug)]
pub struct Client {
    child: Child,
    stdin: Option<ChildStdin>,
    stdout: Receiver<String>,
    /// The settings' folder, if it is removed with the client.
    _settings: Option<TempDir>,
}

impl Client {
    /// Starts `fivefold` with these arguments.
    ///
    /// # Panics
    /// When it does not start.
    pub fn start(arguments: impl IntoIterator<Item = impl AsRef<OsStr>>) -> Self {
        let settings = tempfile::tempdir().expect("a folder for the settings");
        let mut command = command(settings.path());
        Self::run(command.args(arguments), Some(settings))
    }

    /// The same with the settings in this folder, which clients can share one after another.
    ///
    /// # Panics
    /// When it does not start.
    pub fn start_in(
        settings: &Path,
        arguments: impl IntoIterator<Item = impl AsRef<OsStr>>,
    ) -> Self {
        Self::run(command(settings).args(arguments), None)
    }

    fn run(command: &mut Command, settings: Option<TempDir>) -> Self {
        let mut child = command
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .expect("the client starts");
        let stdin = child.stdin.take();
        let lines = BufReader::new(child.stdout.take().expect("stdout is piped")).lines();
        let (sender, stdout) = mpsc::channel();
        // The thread ends with the program's output, or when the receiver is dropped.
        thread::spawn(move || lines.map_while(Result::ok).try_for_each(|line| sender.send(line)));
        Self { child, stdin, stdout, _settings: settings }
    }

    /// The next line of output.
    ///
    /// # Panics
    /// When none comes; the message includes the client's stderr.
    pub fn line(&mut self) -> String {
        match self.stdout.recv_timeout(PATIENCE) {
            Ok(line) => line,
            Err(end) => {
                let (status, _, stderr) = self.end();
                panic!("no more output ({end}); {status}; stderr: {stderr}");
            }
        }
    }

    /// Skips to a line that contains `part`.
    ///
    /// # Panics
    /// When none comes.
    pub fn line_with(&mut self, part: &str) -> String {
        loop {
            let line = self.line();
            if line.contains(part) {
                return line;
            }
        }
    }

    /// The next line of output, which is a JSON object.
    ///
    /// # Panics
    /// When the line is no JSON object, or none comes.
    pub fn json(&mut self) -> Value {
        let line = self.line();
        serde_json::from_str(&line).unwrap_or_else(|error| panic!("{error}: {line}"))
    }

    /// Skips to the line of this event.
    ///
    /// # Panics
    /// When none comes.
    pub fn event(&mut self, event: &str) -> Value {
        loop {
            let line = self.json();
            if line["type"] == event {
                return line;
            }
        }
    }

    /// Writes a line to the client.
    ///
    /// # Panics
    /// When the client no longer reads.
    pub fn say(&mut self, line: &str) {
        let stdin = self.stdin.as_mut().expect("stdin is open until the end");
        writeln!(stdin, "{line}").expect("the client listens");
    }

    /// Asks the client to end, as a service manager does.
    ///
    /// # Panics
    /// When the signal cannot be sent.
    pub fn terminate(&self) {
        let id = i32::try_from(self.child.id()).ok().and_then(Pid::from_raw);
        kill_process(id.expect("a process has a number"), Signal::TERM).expect("it runs");
    }

    /// Closes the client's input, waits for its end and returns its status, the rest of its output
    /// and its stderr.
    ///
    /// # Panics
    /// When waiting fails.
    pub fn finish(mut self) -> (ExitStatus, Vec<String>, String) {
        drop(self.stdin.take());
        let status = self.child.wait().expect("the client can be waited for");
        let rest = self.stdout.iter().collect();
        (status, rest, self.stderr())
    }

    fn end(&mut self) -> (ExitStatus, Vec<String>, String) {
        drop(self.child.kill());
        let status = self.child.wait().expect("the client can be waited for");
        (status, Vec::new(), self.stderr())
    }

    fn stderr(&mut self) -> String {
        let mut text = String::new();
        if let Some(mut stderr) = self.child.stderr.take() {
            stderr.read_to_string(&mut text).expect("the client writes text");
        }
        text
    }
}

impl Drop for Client {
    fn drop(&mut self) {
        // The process may have exited already.
        drop(self.child.kill());
        drop(self.child.wait());
    }
}

fn command(settings: &Path) -> Command {
    let mut command = Command::new(program("fivefold"));
    command.env("FIVEFOLD_CONFIG_DIR", settings);
    command
}
