//! Starts an engine and ends all processes that it leaves behind.

use std::{
    ffi::OsStr,
    fs,
    io::{self, BufRead, BufReader, Read, Write},
    net::Shutdown,
    os::{
        fd::{AsFd, OwnedFd},
        unix::{net::UnixStream, process::CommandExt},
    },
    path::Path,
    process::{Child, ChildStdin, ChildStdout, Command, ExitCode, Stdio},
    sync::atomic::{AtomicBool, Ordering},
    thread,
    time::Duration,
};

use rustix::{
    io::Errno,
    process::{
        Pid, PidfdFlags, Signal, WaitOptions, kill_process, pidfd_open, pidfd_send_signal,
        set_child_subreaper, set_parent_process_death_signal, wait,
    },
};

use super::{
    args::RunEngineArgs,
    confine, namespaces,
    spawn::{FILE_BYTES, PROCESSES, PROCESSOR_SECONDS, SandboxLimits, command, find},
    start_report::StartReport,
};
use crate::settings::Settings;

/// This program, even after its file was replaced.
const OURSELVES: &str = "/proc/self/exe";
/// The longest time for an engine to start.
const START: Duration = Duration::from_secs(10);
/// The longest time to end all processes of an engine.
const END: Duration = Duration::from_secs(5);

/// A running engine.
#[derive(Debug)]
pub(crate) struct RunningEngine {
    child: Child,
    /// The connection to the supervisor, which ends the engine when this closes; it also closes
    /// when this process ends.
    control: UnixStream,
    is_confined: bool,
}

/// Starts an engine.
///
/// # Errors
/// The system's error when the engine cannot start.
pub(crate) fn start(
    words: &[String],
    limits: &SandboxLimits,
) -> io::Result<(RunningEngine, ChildStdin, ChildStdout)> {
    /// Whether namespaces have not failed before.
    static SEPARABLE: AtomicBool = AtomicBool::new(true);
    // What a trusted engine needs, such as other users' processes, may not be in the namespaces.
    if !limits.is_trusted && SEPARABLE.load(Ordering::Relaxed) {
        if let Some(started) = try_start(words, limits, true)? {
            return Ok(started);
        }
        SEPARABLE.store(false, Ordering::Relaxed);
    }
    let started = try_start(words, limits, false)?;
    started.ok_or_else(|| io::Error::other("it asks for namespaces that nobody wants"))
}

/// Starts an engine, in namespaces of its own or not; `None` where the system allows none.
fn try_start(
    words: &[String],
    limits: &SandboxLimits,
    apart: bool,
) -> io::Result<Option<(RunningEngine, ChildStdin, ChildStdout)>> {
    let (mut control, theirs) = UnixStream::pair()?;
    let mut spawn = command(OsStr::new(OURSELVES), limits.is_trusted);
    spawn.arg0("fivefold").arg("run-engine");
    if let Some(memory) = limits.memory {
        spawn.arg("--memory").arg(memory.to_string());
    }
    spawn.arg("--processor-seconds").arg(PROCESSOR_SECONDS.to_string());
    spawn.arg("--file-bytes").arg(FILE_BYTES.to_string());
    spawn.arg("--processes").arg(PROCESSES.to_string());
    if limits.is_trusted {
        spawn.arg("--trust");
    }
    if apart {
        spawn.arg("--apart");
    }
    if let Ok(folder) = Settings::folder() {
        spawn.arg("--hide").arg(folder);
    }
    // Own group, to keep our Ctrl-C from it.
    spawn.arg("--").args(words).process_group(0);
    spawn.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::from(OwnedFd::from(theirs)));
    let mut child = spawn.spawn()?;
    // `spawn` holds a copy of the supervisor's end.
    drop(spawn);
    let pipes = child.stdin.take().zip(child.stdout.take());
    let (input, output) = pipes.expect("both are piped");
    let mut running = RunningEngine { child, control: control.try_clone()?, is_confined: false };
    control.set_read_timeout(Some(START))?;
    let mut said = String::new();
    // Byte by byte, so as not to read ahead; it is one short line.
    BufReader::with_capacity(1, &mut control).read_line(&mut said)?;
    match StartReport::read(said.trim_end()) {
        StartReport::Started { is_confined } => running.is_confined = is_confined,
        StartReport::Inseparable => return Ok(None),
        StartReport::Failed(why) => return Err(io::Error::other(why)),
    }
    Ok(Some((running, input, output)))
}

impl RunningEngine {
    /// Whether the system denies it access to our files.
    pub(crate) const fn is_confined(&self) -> bool {
        self.is_confined
    }
}

impl Drop for RunningEngine {
    /// Ends the engine and all processes that it started.
    fn drop(&mut self) {
        let asked = self.control.shutdown(Shutdown::Write);
        let waiting = asked.and_then(|()| self.control.set_read_timeout(Some(END)));
        // The supervisor's end closes when it exits. Its output until then does not matter.
        if waiting.and_then(|()| io::copy(&mut self.control, &mut io::sink())).is_err() {
            drop(self.child.kill());
        }
        // The process has exited, so this returns at once; its status does not matter.
        drop(self.child.wait());
    }
}

/// `fivefold run-engine`: standard error is the control socket, which reports the start and signals
/// the end.
///
/// # Errors
/// When the engine cannot be started.
pub fn run(args: &RunEngineArgs) -> io::Result<ExitCode> {
    #[expect(clippy::disallowed_methods, reason = "what it is here, no terminal hears")]
    let control = io::stderr().as_fd().try_clone_to_owned()?;
    if args.confine {
        return Ok(confine::run(args, control));
    }
    let mut control = UnixStream::from(control);
    if args.apart {
        return wait_apart(args, control);
    }
    if let (Some(_), Some(scratch)) = (args.inside, &args.scratch) {
        // The system ends all processes here with this one, which is the first.
        set_parent_process_death_signal(Some(Signal::KILL))?;
        match namespaces::hide_processes() {
            Ok(()) => supervise(args, scratch, control)?,
            // If nobody reads the report, nothing remains to be done.
            Err(_) => drop(control.write_all(StartReport::Inseparable.line().as_bytes())),
        }
        return Ok(ExitCode::SUCCESS);
    }
    set_child_subreaper(Some(rustix::process::getpid()))?;
    let scratch = tempfile::Builder::new().prefix("fivefold-engine-").tempdir()?;
    supervise(args, scratch.path(), control)?;
    end_all()?;
    // Do this before closing standard error, which signals that nothing is left.
    scratch.close()?;
    Ok(ExitCode::SUCCESS)
}

/// Runs this program again in new namespaces, where it starts the engine, and waits for its end.
fn wait_apart(args: &RunEngineArgs, mut control: UnixStream) -> io::Result<ExitCode> {
    let scratch = tempfile::Builder::new().prefix("fivefold-engine-").tempdir()?;
    let first = namespaces::separate().and_then(|owner| {
        let mut spawn = ourselves(args, scratch.path());
        spawn.arg("--inside").arg(owner.to_string()).arg("--").args(&args.words).spawn()
    });
    match first {
        // How it ends does not matter: the rest has ended with it.
        Ok(mut first) => drop(first.wait()?),
        // If nobody reads the report, nothing remains to be done.
        Err(_) => drop(control.write_all(StartReport::Inseparable.line().as_bytes())),
    }
    // Do this before closing standard error, which signals that nothing is left.
    scratch.close()?;
    Ok(ExitCode::SUCCESS)
}

/// Starts the engine, reports how that went, and returns when it has ended or is to end.
fn supervise(args: &RunEngineArgs, scratch: &Path, mut control: UnixStream) -> io::Result<()> {
    let (mut engine, report) = match spawn(args, scratch) {
        Ok((engine, said)) => {
            // The last line counts: the start failed after the process had limited itself.
            let report = StartReport::read(said.lines().last().unwrap_or_default());
            (Some(engine), report)
        }
        Err(error) => (None, StartReport::Failed(error.to_string())),
    };
    // If nobody reads the report, nothing remains to be done.
    let told = control.write_all(report.line().as_bytes());
    if let (Some(engine), StartReport::Started { .. }, Ok(())) = (&mut engine, &report, told) {
        watch(engine, control)?;
    }
    Ok(())
}

/// Starts the engine, and returns its report once it has become the engine.
fn spawn(args: &RunEngineArgs, scratch: &Path) -> io::Result<(Child, String)> {
    let (program, arguments) = args.words.split_first().expect("at least one word is required");
    let found = find(program)?;
    let mut spawn = ourselves(args, scratch);
    spawn.arg("--confine");
    if let Some(owner) = args.inside {
        spawn.arg("--inside").arg(owner.to_string());
    }
    if !args.trust {
        spawn.env("HOME", scratch).env("TMPDIR", scratch);
    }
    spawn.arg("--").arg(found.path).args(arguments).current_dir(found.folder);
    // Own group: signals to the engine's group must not reach us.
    spawn.process_group(0).stderr(Stdio::piped());
    let mut engine = spawn.spawn()?;
    let mut said = String::new();
    if let Some(mut talk) = engine.stderr.take() {
        // The engine itself gets another standard error, so this ends when it starts.
        talk.read_to_string(&mut said)?;
    }
    Ok((engine, said))
}

/// This program with the engine's limits and its folder.
fn ourselves(args: &RunEngineArgs, scratch: &Path) -> Command {
    let mut spawn = command(OsStr::new(OURSELVES), args.trust);
    spawn.arg0("fivefold").arg("run-engine").arg("--scratch").arg(scratch);
    for (name, number) in [
        ("--memory", args.memory),
        ("--processor-seconds", args.processor_seconds),
        ("--file-bytes", args.file_bytes),
        ("--processes", args.processes),
    ] {
        if let Some(number) = number {
            spawn.arg(name).arg(number.to_string());
        }
    }
    if let Some(folder) = &args.hide {
        spawn.arg("--hide").arg(folder);
    }
    if args.trust {
        spawn.arg("--trust");
    }
    spawn
}

/// Returns when the engine has exited or the control socket is closed.
fn watch(engine: &Child, mut control: UnixStream) -> io::Result<()> {
    let id = pid(engine.id()).ok_or_else(|| io::Error::other("a process has a number"))?;
    let handle = pidfd_open(id, PidfdFlags::empty())?;
    // The thread ends with this process.
    thread::spawn(move || {
        // Waits until the socket closes or fails.
        drop(io::copy(&mut control, &mut io::sink()));
        // The engine may have exited already.
        let _sent = pidfd_send_signal(handle, Signal::KILL);
    });
    loop {
        match wait(WaitOptions::empty()) {
            Ok(Some((ended, _))) if ended == id => return Ok(()),
            Ok(_) | Err(Errno::INTR) => {}
            Err(Errno::CHILD) => return Ok(()),
            Err(error) => return Err(error.into()),
        }
    }
}

/// Kills every descendant until none is left. Orphaned ones become our children.
fn end_all() -> io::Result<()> {
    loop {
        for process in descendants()? {
            // The process may have exited by itself.
            let _sent = kill_process(process, Signal::KILL);
        }
        match wait(WaitOptions::empty()) {
            Ok(_) | Err(Errno::INTR) => {}
            Err(Errno::CHILD) => return Ok(()),
            Err(error) => return Err(error.into()),
        }
        // Most of them have ended by now, and looking for the others takes long.
        while let Ok(Some(_)) = wait(WaitOptions::NOHANG) {}
    }
}

/// All descendants of this process.
fn descendants() -> io::Result<Vec<Pid>> {
    let processes: Vec<(u32, u32)> = fs::read_dir("/proc")?
        .filter_map(|entry| {
            let id: u32 = entry.ok()?.file_name().to_str()?.parse().ok()?;
            Some((id, parent(&fs::read_to_string(format!("/proc/{id}/stat")).ok()?)?))
        })
        .collect();
    let mut found = vec![std::process::id()];
    let mut next = 0;
    while let Some(&above) = found.get(next) {
        found.extend(processes.iter().filter(|(_, parent)| *parent == above).map(|(id, _)| *id));
        next += 1;
    }
    Ok(found.into_iter().skip(1).filter_map(pid).collect())
}

/// The parent in a line of `/proc/ID/stat`: `ID (NAME) STATE PARENT ...`. The name may contain any
/// characters.
fn parent(stat: &str) -> Option<u32> {
    let (_, rest) = stat.rsplit_once(')')?;
    rest.split_whitespace().nth(1)?.parse().ok()
}

fn pid(id: u32) -> Option<Pid> {
    i32::try_from(id).ok().and_then(Pid::from_raw)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_process_cannot_hide_its_parent_behind_its_name() {
        assert_eq!(parent("12 (sleep) S 7 12 12 0"), Some(7));
        assert_eq!(parent("12 (a) S 1 (b) R 7 12 12 0"), Some(7));
        assert_eq!(parent("12 (sleep"), None);
    }
}
