//! Starts an engine on systems with weaker limits: in its own process group, without our
//! environment.

use std::{
    ffi::OsStr,
    io,
    process::{Child, ChildStdin, ChildStdout, Stdio},
};

use super::spawn::{SandboxLimits, command, find};

/// A running engine.
#[derive(Debug)]
pub(crate) struct RunningEngine {
    child: Child,
    /// Removed when this is dropped.
    _scratch: tempfile::TempDir,
}

/// Starts an engine.
///
/// # Errors
/// The system's error when the engine cannot start.
pub(crate) fn start(
    words: &[String],
    limits: &SandboxLimits,
) -> io::Result<(RunningEngine, ChildStdin, ChildStdout)> {
    let (program, arguments) =
        words.split_first().ok_or_else(|| io::Error::other("no program is named"))?;
    let found = find(OsStr::new(program))?;
    let scratch = tempfile::Builder::new().prefix("fivefold-engine-").tempdir()?;
    let mut spawn = command(found.path.as_os_str(), limits.is_trusted);
    if !limits.is_trusted {
        let folder = scratch.path();
        spawn.env("HOME", folder).env("TMPDIR", folder).env("TEMP", folder).env("TMP", folder);
    }
    spawn.args(arguments).current_dir(found.folder);
    spawn.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null());
    // Own group, to kill all its processes together and to keep our Ctrl-C from it.
    #[cfg(unix)]
    std::os::unix::process::CommandExt::process_group(&mut spawn, 0);
    let mut child = spawn.spawn()?;
    let pipes = child.stdin.take().zip(child.stdout.take());
    let (input, output) = pipes.expect("both are piped");
    Ok((RunningEngine { child, _scratch: scratch }, input, output))
}

impl RunningEngine {
    /// Whether the system denies it access to our files.
    pub(crate) const fn is_confined(&self) -> bool {
        false
    }
}

impl Drop for RunningEngine {
    /// Kills the engine and all processes of its group. Processes that have exited need no killing.
    fn drop(&mut self) {
        #[cfg(unix)]
        if let Some(group) =
            i32::try_from(self.child.id()).ok().and_then(rustix::process::Pid::from_raw)
        {
            drop(rustix::process::kill_process_group(group, rustix::process::Signal::KILL));
        }
        drop(self.child.kill());
        // The process was killed, so this returns at once; its status does not matter.
        drop(self.child.wait());
    }
}
