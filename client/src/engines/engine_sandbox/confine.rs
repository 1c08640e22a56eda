//! Limits this process, denies it files and network, and becomes the engine.

use std::{
    env, fs,
    fs::File,
    io::{self, Read, Write},
    os::{fd::OwnedFd, unix::fs::MetadataExt, unix::process::CommandExt},
    path::{Path, PathBuf},
    process::{Command, ExitCode, Stdio},
};

use landlock::{
    ABI, Access, AccessFs, AccessNet, Ruleset, RulesetAttr, RulesetCreatedAttr, RulesetError,
    RulesetStatus, Scope, path_beneath_rules,
};
use rustix::process::{
    Resource, Rlimit, Signal, getrlimit, getuid, set_parent_process_death_signal, setrlimit,
};

use super::{args::RunEngineArgs, namespaces, start_report::StartReport, system_calls};

/// System folders: programs, libraries, and information about the system.
const SYSTEM: &[&str] = &[
    "/bin",
    "/gnu",
    "/lib",
    "/lib32",
    "/lib64",
    "/libx32",
    "/nix",
    "/opt",
    "/run/current-system",
    "/sbin",
    "/snap",
    "/sys",
    "/usr",
];
/// How the names in `/etc` begin of what programs and libraries need. It also has the names of
/// people, computers and networks, which engines do not.
const SETTINGS: &[&str] = &[
    "OpenCL",
    "alternatives",
    "crypto-policies",
    "dotnet",
    "fonts",
    "java",
    "jvm",
    "ld-",
    "ld.so",
    "locale",
    "localtime",
    "lua",
    "mono",
    "openssl",
    "os-release",
    "perl",
    "python",
    "ruby",
    "timezone",
    "vulkan",
];
/// Files that libraries need at their start, in folders that have more.
const SETTINGS_WITHIN: &[&str] = &["/etc/ssl/openssl.cnf", "/etc/pki/tls/openssl.cnf"];
/// The folder of processes where it shows only those of the engine.
const ALL_PROCESSES: &[&str] = &["/proc"];
/// Where it shows all processes: its entries that tell nothing of the others.
const OWN_PROCESS: &[&str] = &[
    "/proc/cpuinfo",
    "/proc/filesystems",
    "/proc/loadavg",
    "/proc/meminfo",
    "/proc/self",
    "/proc/stat",
    "/proc/sys",
    "/proc/uptime",
    "/proc/version",
];
/// Devices without which programs do not run.
const DEVICES: &[&str] = &["/dev/full", "/dev/null", "/dev/random", "/dev/urandom", "/dev/zero"];
/// The requested Landlock version; older systems apply the part that they support.
const KNOWN: ABI = ABI::V9;
/// How a program for 32 bits begins.
const ELF_OF_32_BITS: &[u8] = b"\x7fELF\x01";

/// Becomes the engine; returns only if it cannot.
pub(super) fn run(args: &RunEngineArgs, control: OwnedFd) -> ExitCode {
    let mut control = File::from(control);
    if args.inside.is_some_and(|owner| namespaces::become_owner(owner).is_err()) {
        drop(control.write_all(StartReport::Inseparable.line().as_bytes()));
        return ExitCode::FAILURE;
    }
    let (Ok(error) | Err(error)) = become_engine(args, &mut control);
    // If nobody reads this, the exit code carries the same failure.
    drop(control.write_all(StartReport::Failed(error.to_string()).line().as_bytes()));
    ExitCode::FAILURE
}

/// Returns the error of the final `exec`, or an earlier error.
fn become_engine(args: &RunEngineArgs, control: &mut File) -> io::Result<io::Error> {
    // If the supervisor is killed, kill this process too.
    set_parent_process_death_signal(Some(Signal::KILL))?;
    let (program, arguments) = args.words.split_first().expect("at least one word is required");
    let program = Path::new(program);
    let used = match (args.processes, args.inside) {
        // Inside, the system counts those of the namespace: this one.
        (Some(_), Some(_)) => 1,
        (Some(_), None) => processes_of_user()?,
        (None, _) => 0,
    };
    let is_confined = !args.trust && confine(args, program)?;
    let mut engine = Command::new(program);
    engine.args(arguments).stderr(Stdio::null());
    control.write_all(StartReport::Started { is_confined }.line().as_bytes())?;
    limit(args, used)?;
    Ok(engine.exec())
}

fn limit(args: &RunEngineArgs, used: u64) -> io::Result<()> {
    let limits = [
        (Resource::Core, Some(0)),
        (Resource::Cpu, args.processor_seconds),
        (Resource::Fsize, args.file_bytes),
        // The system counts all of the user's processes, and exempts the superuser.
        (Resource::Nproc, args.processes.map(|more| more.saturating_add(used))),
        // Last, because this process itself may need more.
        (Resource::As, args.memory),
    ];
    for (resource, most) in limits {
        if let Some(most) = most {
            // Existing limits cannot be raised.
            let most = Some(getrlimit(resource).maximum.map_or(most, |before| before.min(most)));
            setrlimit(resource, Rlimit { current: most, maximum: most })?;
        }
    }
    Ok(())
}

/// The number of processes and threads that the user runs.
fn processes_of_user() -> io::Result<u64> {
    let user = getuid().as_raw();
    let is_own = |entry: &fs::DirEntry| entry.metadata().is_ok_and(|about| about.uid() == user);
    let tasks = |entry: fs::DirEntry| fs::read_dir(entry.path().join("task")).map(Iterator::count);
    let processes = fs::read_dir("/proc")?.filter_map(Result::ok).filter(is_own);
    Ok(processes.filter_map(|entry| tasks(entry).ok()).map(|count| count as u64).sum())
}

/// Denies this process the network, other processes, and all files except those of the system,
/// those in its folder, and a writable folder of its own. `false` where the system cannot do this.
fn confine(args: &RunEngineArgs, program: &Path) -> io::Result<bool> {
    if begins_with(program, ELF_OF_32_BITS) {
        let why = "it is a program for 32 bits, which cannot be kept from the network; to run it \
                   all the same, use --trust";
        return Err(io::Error::other(why));
    }
    let are_files_denied = deny_files(args, program).map_err(io::Error::other)?;
    Ok(system_calls::deny().is_ok() && are_files_denied)
}

fn begins_with(program: &Path, start: &[u8]) -> bool {
    let mut found = vec![0; start.len()];
    File::open(program).and_then(|mut file| file.read_exact(&mut found)).is_ok() && found == start
}

fn deny_files(args: &RunEngineArgs, program: &Path) -> Result<bool, RulesetError> {
    let hidden = args.hide.as_deref().map(resolved);
    let own = [program.to_path_buf(), resolved(program)].into_iter().flat_map(|path| parts(&path));
    let here = env::current_dir().ok();
    let processes = if args.inside.is_some() { ALL_PROCESSES } else { OWN_PROCESS };
    let system = [SYSTEM, SETTINGS_WITHIN, processes].concat();
    let folders = system.into_iter().map(PathBuf::from).chain(settings()).chain(own).chain(here);
    let readable: Vec<PathBuf> =
        folders.flat_map(|folder| without(&folder, hidden.as_deref())).collect();
    let ruleset = Ruleset::default()
        .handle_access(AccessFs::from_all(KNOWN))?
        .handle_access(AccessNet::from_all(KNOWN))?
        .scope(Scope::from_all(KNOWN))?
        .create()?
        .add_rules(path_beneath_rules(readable, AccessFs::from_read(KNOWN)))?
        .add_rules(path_beneath_rules(&args.scratch, AccessFs::from_all(KNOWN)))?
        .add_rules(path_beneath_rules(DEVICES, AccessFs::from_all(KNOWN)))?;
    Ok(ruleset.restrict_self()?.ruleset != RulesetStatus::NotEnforced)
}

/// Those in `/etc` that programs need.
fn settings() -> Vec<PathBuf> {
    let Ok(entries) = fs::read_dir("/etc") else { return Vec::new() };
    let is_needed = |entry: &fs::DirEntry| {
        let name = entry.file_name();
        let name = name.to_string_lossy();
        SETTINGS.iter().any(|start| name.starts_with(start))
    };
    entries.filter_map(Result::ok).filter(is_needed).map(|entry| entry.path()).collect()
}

/// The folder of a program. Where that is `bin`, also the folders beside it: an interpreter needs
/// its library.
fn parts(program: &Path) -> Vec<PathBuf> {
    let Some(folder) = program.parent() else { return Vec::new() };
    let mut parts = vec![folder.to_path_buf()];
    if folder.ends_with("bin") {
        let beside = ["lib", "lib64", "libexec", "pyvenv.cfg"];
        parts.extend(beside.iter().map(|name| folder.with_file_name(name)));
    }
    parts
}

/// A folder without the hidden one: the folder itself, or else its entries. Links are left out, as
/// they may lead to the hidden folder.
fn without(folder: &Path, hidden: Option<&Path>) -> Vec<PathBuf> {
    let folder = resolved(folder);
    let Some(hidden) = hidden.filter(|hidden| hidden.starts_with(&folder)) else {
        return vec![folder];
    };
    if hidden == folder {
        return Vec::new();
    }
    let Ok(entries) = fs::read_dir(&folder) else { return Vec::new() };
    entries
        .filter_map(Result::ok)
        .filter(|entry| entry.file_type().is_ok_and(|kind| !kind.is_symlink()))
        .flat_map(|entry| without(&entry.path(), Some(hidden)))
        .collect()
}

/// A path without links, as far as it exists.
fn resolved(path: &Path) -> PathBuf {
    let mut missing = Vec::new();
    for above in path.ancestors() {
        if let Ok(found) = above.canonicalize() {
            return missing.iter().rev().fold(found, |path, name| path.join(name));
        }
        missing.extend(above.file_name());
    }
    path.to_path_buf()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_interpreter_has_its_library() {
        let strings = |program: &str| -> Vec<String> {
            parts(Path::new(program)).iter().map(|part| part.display().to_string()).collect()
        };
        assert_eq!(strings("/home/ann/engine/run"), ["/home/ann/engine"]);
        let beside = ["/p/bin", "/p/lib", "/p/lib64", "/p/libexec", "/p/pyvenv.cfg"];
        assert_eq!(strings("/p/bin/python3"), beside);
    }

    #[test]
    fn what_is_hidden_is_left_out_and_nothing_else() {
        let root = tempfile::tempdir().unwrap();
        let root = root.path().canonicalize().unwrap();
        for folder in ["home/.config/fivefold", "home/.config/other", "home/engines", "opt"] {
            fs::create_dir_all(root.join(folder)).unwrap();
        }
        std::os::unix::fs::symlink(root.join("home"), root.join("home/link")).unwrap();
        fs::write(root.join("home/notes"), "").unwrap();
        let hidden = root.join("home/.config/fivefold");
        let cases: [(&str, &[&str]); 5] = [
            ("opt", &["opt"]),
            ("home/engines", &["home/engines"]),
            ("home", &["home/.config/other", "home/engines", "home/notes"]),
            ("home/.config/fivefold", &[]),
            ("home/link", &["home/.config/other", "home/engines", "home/notes"]),
        ];
        for (folder, expected) in cases {
            let mut found = without(&root.join(folder), Some(&hidden));
            found.sort();
            let expected: Vec<_> = expected.iter().map(|path| root.join(path)).collect();
            assert_eq!(found, expected, "{folder}");
        }
        // The path may be created later.
        let later = resolved(&root.join("home/link/.config/later/x"));
        assert_eq!(later, root.join("home/.config/later/x"));
        let found = without(&root.join("home/.config"), Some(&later));
        assert_eq!(found.len(), 2, "{found:?}");
    }
}
