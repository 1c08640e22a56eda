//! Common steps before an engine starts: limits, environment, and finding the file.

use std::{
    env,
    ffi::OsStr,
    path::{Path, PathBuf},
    process::Command,
};

/// Environment variables that an engine inherits; `HOME` and `TMPDIR` are its own folder.
const KEPT: &[&str] = &["PATH", "LANG", "LC_ALL", "LC_CTYPE", "TZ", "SYSTEMROOT", "PATHEXT"];

/// The most processor time of an engine's process, in seconds: more than an evening's games.
#[cfg(target_os = "linux")]
pub(super) const PROCESSOR_SECONDS: u64 = 12 * 60 * 60;
/// The largest file that an engine may write, in bytes.
#[cfg(target_os = "linux")]
pub(super) const FILE_BYTES: u64 = 64 << 20;
/// How many processes and threads may run in addition to those of its user.
#[cfg(target_os = "linux")]
pub(super) const PROCESSES: u64 = 256;

/// Limits of an engine.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct SandboxLimits {
    /// The most memory of each of its processes, in bytes.
    pub memory: Option<u64>,
    /// Whether it gets our whole environment, our files and the network.
    pub is_trusted: bool,
}

/// A command that starts without our environment.
pub(super) fn command(program: &OsStr, is_trusted: bool) -> Command {
    let mut command = Command::new(program);
    if !is_trusted {
        command.env_clear();
        command.envs(KEPT.iter().filter_map(|name| Some((name, env::var_os(name)?))));
    }
    command
}

/// A program to run.
#[derive(Debug)]
pub(super) struct ResolvedProgram {
    /// Its file.
    pub(super) path: PathBuf,
    /// The working folder: that of the file, as engines read files beside it. A program in a `bin`
    /// folder, such as an interpreter, runs in the current folder.
    pub(super) folder: PathBuf,
}

/// The file of a program, found as a shell would.
pub(super) fn find(word: &OsStr) -> std::io::Result<ResolvedProgram> {
    let here = env::current_dir()?;
    let named = Path::new(word);
    if named.components().count() > 1 {
        let path = here.join(named);
        let own = path.parent().filter(|folder| !folder.ends_with("bin"));
        let folder = own.unwrap_or(&here).to_path_buf();
        return Ok(ResolvedProgram { path, folder });
    }
    let folders = env::var_os("PATH").unwrap_or_default();
    let path = env::split_paths(&folders).map(|folder| here.join(folder).join(named));
    let path = path.into_iter().find(|path| path.is_file());
    // If the file is not found, starting it reports the error.
    Ok(ResolvedProgram { path: path.unwrap_or_else(|| named.to_path_buf()), folder: here })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_engine_runs_in_its_folder_and_an_interpreter_where_we_are() {
        let here = env::current_dir().unwrap();
        let cases = [
            ("./engine", here.join("./engine"), here.join(".")),
            ("games/engine", here.join("games/engine"), here.join("games")),
            ("/opt/x/engine", "/opt/x/engine".into(), "/opt/x".into()),
            ("/opt/bin/python3", "/opt/bin/python3".into(), here.clone()),
            ("nowhere-to-be-found", "nowhere-to-be-found".into(), here.clone()),
        ];
        for (word, path, folder) in cases {
            let found = find(OsStr::new(word)).unwrap();
            assert_eq!((found.path, found.folder), (path, folder), "{word}");
        }
    }
}
