//! A program that plays, as a child process: lines in, lines out, and a certain end.
//!
//! It knows what a line is, and nothing of games.

use std::{
    io::{self, BufRead, BufReader, Write},
    process::{Child, ChildStdin, Command as Spawn, Stdio},
    sync::mpsc::{self, Receiver, RecvTimeoutError},
    thread,
    time::{Duration, Instant},
};

use fivefold_shared::notation::gomocup::{Command, LINE_BYTES_MAX, Reply};

/// Lines that may wait to be heard; a program that says more has to wait.
const QUEUE: usize = 256;
/// How long a program may take to end when it is told to, before it is killed.
const FAREWELL: Duration = Duration::from_millis(300);

/// A running program. It is told to end when this is dropped, and killed with whatever it started
/// if it does not.
#[derive(Debug)]
pub struct Program {
    child: Child,
    input: ChildStdin,
    lines: Receiver<(Instant, Reply)>,
}

/// Why nothing more is heard of a program.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Silence {
    /// It says nothing in time.
    Late,
    /// It has ended, or listens no more.
    Ended,
}

impl Program {
    /// Starts a program: its path and its arguments. It may use so much memory, in bytes; the
    /// limit is kept by the system, where that can do so for another process (Linux).
    ///
    /// # Errors
    /// When there are no words, or the system cannot start the program or limit it.
    pub fn start(words: &[String], memory_max: Option<u64>) -> io::Result<Self> {
        let (path, arguments) =
            words.split_first().ok_or_else(|| io::Error::other("no program is named"))?;
        let mut spawn = Spawn::new(path);
        spawn.args(arguments).stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null());
        // A group of its own, so that it is killed with all that it starts, and does not hear the
        // Ctrl-C that is meant for us.
        #[cfg(unix)]
        std::os::unix::process::CommandExt::process_group(&mut spawn, 0);
        let mut child = spawn.spawn()?;
        let limited = memory_max.map_or(Ok(()), |bytes| limit_memory(&child, bytes));
        let pipes = child.stdin.take().zip(child.stdout.take());
        let (input, output) = pipes.expect("both are piped");
        let (give, lines) = mpsc::sync_channel(QUEUE);
        // Ends with the program's output, or when nobody hears it any more.
        thread::spawn(move || {
            let mut output = BufReader::new(output);
            while let Ok(Some(line)) = read_line(&mut output) {
                let said = (Instant::now(), Reply::read(&line));
                if give.send(said).is_err() {
                    return;
                }
            }
        });
        let program = Self { child, input, lines };
        limited.map(|()| program)
    }

    /// Says a command, and tells when it was said.
    ///
    /// # Errors
    /// [`Silence::Ended`] when the program does not listen any more.
    pub fn say(&mut self, command: &Command) -> Result<Instant, Silence> {
        let mut text = command.to_string().replace('\n', "\r\n");
        text.push_str("\r\n");
        let said = self.input.write_all(text.as_bytes()).and_then(|()| self.input.flush());
        said.map(|()| Instant::now()).map_err(|_| Silence::Ended)
    }

    /// The next line, and when it came.
    ///
    /// # Errors
    /// When there is none until the deadline, or none will come.
    pub fn hear(&self, deadline: Instant) -> Result<(Instant, Reply), Silence> {
        let patience = deadline.saturating_duration_since(Instant::now());
        self.lines.recv_timeout(patience).map_err(|error| match error {
            RecvTimeoutError::Timeout => Silence::Late,
            RecvTimeoutError::Disconnected => Silence::Ended,
        })
    }

    /// Waits until the program has ended by itself.
    fn farewell(&mut self) {
        if self.say(&Command::End).is_err() {
            return;
        }
        let deadline = Instant::now() + FAREWELL;
        while self.hear(deadline).is_ok() {}
    }
}

impl Drop for Program {
    fn drop(&mut self) {
        self.farewell();
        kill(&mut self.child);
        // It was killed, so this takes no time; what it returned is of no interest.
        drop(self.child.wait());
    }
}

/// Kills a program and all processes of its group. What has ended already needs no killing.
fn kill(child: &mut Child) {
    #[cfg(unix)]
    if let Some(group) = process(child)
        && rustix::process::kill_process_group(group, rustix::process::Signal::KILL).is_ok()
    {
        return;
    }
    drop(child.kill());
}

#[cfg(unix)]
fn process(child: &Child) -> Option<rustix::process::Pid> {
    i32::try_from(child.id()).ok().and_then(rustix::process::Pid::from_raw)
}

#[cfg(target_os = "linux")]
fn limit_memory(child: &Child, bytes: u64) -> io::Result<()> {
    use rustix::process::{Resource, Rlimit, prlimit};

    let limit = Rlimit { current: Some(bytes), maximum: Some(bytes) };
    prlimit(process(child), Resource::As, limit)?;
    Ok(())
}

#[cfg(not(target_os = "linux"))]
fn limit_memory(_: &Child, _: u64) -> io::Result<()> {
    Ok(())
}

/// The next line, which may end with CR, LF or both; of one that is too long, the beginning.
/// `None` at the end of the input.
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
