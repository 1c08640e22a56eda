//! A Gomocup engine as a child process: sends commands, receives replies, and ends it reliably.
//! Handles lines only and knows no games.

use std::{
    io::{self, BufRead, BufReader, Write},
    process::ChildStdin,
    sync::mpsc::{self, Receiver, RecvTimeoutError},
    thread,
    time::{Duration, Instant},
};

use fivefold_shared::notation::gomocup::{Command, LINE_BYTES_MAX, Reply};

use crate::engines::engine_sandbox::{self, RunningEngine, SandboxLimits};

/// Lines that may wait in the queue; an engine that writes more blocks.
const QUEUE: usize = 256;
/// How long an engine may take to exit after `END`, before it is killed.
const FAREWELL: Duration = Duration::from_millis(300);

/// A running engine. Dropping this sends `END`, then kills the engine and all its descendants if it
/// does not exit.
#[derive(Debug)]
pub struct EngineProcess {
    running: RunningEngine,
    input: ChildStdin,
    lines: Receiver<(Instant, Reply)>,
}

/// Why there is no reply from an engine.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum NoReply {
    /// No reply by the deadline.
    Late,
    /// The engine has exited, or closed its input.
    Ended,
}

impl EngineProcess {
    /// Starts a program from its path and arguments. The sandbox decides how to run and limit it.
    ///
    /// # Errors
    /// When `words` is empty, or the system cannot start or limit the program.
    pub fn start(words: &[String], limits: &SandboxLimits) -> io::Result<Self> {
        if words.is_empty() {
            return Err(io::Error::other("no program is named"));
        }
        let (running, input, output) = engine_sandbox::start(words, limits)?;
        let (give, lines) = mpsc::sync_channel(QUEUE);
        // The thread ends with the program's output, or when the receiver is dropped.
        thread::spawn(move || {
            let mut output = BufReader::new(output);
            while let Ok(Some(line)) = read_line(&mut output) {
                let said = (Instant::now(), Reply::read(&line));
                if give.send(said).is_err() {
                    return;
                }
            }
        });
        Ok(Self { running, input, lines })
    }

    /// Whether the system denies it access to our files.
    pub const fn is_confined(&self) -> bool {
        self.running.is_confined()
    }

    /// Sends a command, and returns when it was sent.
    ///
    /// # Errors
    /// [`NoReply::Ended`] when the program no longer reads.
    pub fn send(&mut self, command: &Command) -> Result<Instant, NoReply> {
        let mut text = command.to_string().replace('\n', "\r\n");
        text.push_str("\r\n");
        let said = self.input.write_all(text.as_bytes()).and_then(|()| self.input.flush());
        said.map(|()| Instant::now()).map_err(|_| NoReply::Ended)
    }

    /// The next line, and its arrival time.
    ///
    /// # Errors
    /// When no line arrives before the deadline, or the output has ended.
    pub fn receive(&self, deadline: Instant) -> Result<(Instant, Reply), NoReply> {
        let patience = deadline.saturating_duration_since(Instant::now());
        self.lines.recv_timeout(patience).map_err(|error| match error {
            RecvTimeoutError::Timeout => NoReply::Late,
            RecvTimeoutError::Disconnected => NoReply::Ended,
        })
    }

    /// Waits until the program exits by itself.
    fn farewell(&mut self) {
        if self.send(&Command::End).is_err() {
            return;
        }
        let deadline = Instant::now() + FAREWELL;
        while self.receive(deadline).is_ok() {}
    }
}

impl Drop for EngineProcess {
    fn drop(&mut self) {
        self.farewell();
    }
}

/// The next line, which may end with CR, LF or both; an overlong one is truncated. `None` at the
/// end of the input.
///
/// # Errors
/// When the input cannot be read.
pub fn read_line(input: &mut impl BufRead) -> io::Result<Option<Vec<u8>>> {
    let mut line = Vec::new();
    loop {
        let found = input.fill_buf()?;
        if found.is_empty() {
            return Ok((!line.is_empty()).then_some(line));
        }
        let end = found.iter().position(|byte| matches!(byte, b'\n' | b'\r'));
        let part = &found[..end.unwrap_or(found.len())];
        let room = LINE_BYTES_MAX.saturating_sub(line.len());
        line.extend_from_slice(&part[..part.len().min(room)]);
        let used = part.len() + usize::from(end.is_some());
        input.consume(used);
        if end.is_some() {
            return Ok(Some(line));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_end_in_every_way() {
        let read = |text: &str| {
            let mut input = BufReader::with_capacity(3, text.as_bytes());
            let mut lines = Vec::new();
            while let Some(line) = read_line(&mut input).unwrap() {
                lines.push(String::from_utf8(line).unwrap());
            }
            lines
        };
        assert_eq!(read("one\ntwo\r\nthree\rfour"), ["one", "two", "", "three", "four"]);
        let long = read(&format!("{}\nEND", "x".repeat(100_000)));
        assert_eq!((long[0].len(), long[1].as_str()), (LINE_BYTES_MAX, "END"));
    }
}
