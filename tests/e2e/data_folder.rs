//! Tests data folders: with an unusable one the server does not start, and prints what to do. A temporary one does not
//! outlive the server.

use std::{
    fs::{self, Permissions},
    io::{BufRead, BufReader},
    os::unix::{
        fs::{MetadataExt, PermissionsExt},
        process::CommandExt,
    },
    path::Path,
    process::{Command, Output, Stdio},
};

use fivefold_tests::program;
use rustix::process::{Pid, Signal, geteuid, kill_process};

/// A user who is bound by permissions, unlike the superuser.
const NOBODY: u32 = 65_534;

fn allow(path: &Path, mode: u32) {
    fs::set_permissions(path, Permissions::from_mode(mode)).expect("it is ours");
}

/// The server with this data folder.
fn server(program: &Path, data: &Path) -> Command {
    let mut server = Command::new(program);
    server.args(["--listen", "127.0.0.1:0", "--data"]).arg(data).env_remove("FIVEFOLD_DATA");
    server
}

/// Checks that it failed with one line that names the problem and the solution.
fn check(output: &Output, path: &Path) {
    let stderr = String::from_utf8_lossy(&output.stderr);
    assert!(!output.status.success(), "{stderr}");
    assert!(output.stdout.is_empty(), "it must not say that it listens");
    let expected = format!("fivefold-server: cannot use {}: ", path.display());
    let line = stderr.lines().find(|line| line.starts_with(&expected));
    let line = line.unwrap_or_else(|| panic!("no {expected:?} in {stderr:?}"));
    assert!(line.ends_with("Make it writable, or choose another folder with --data"), "{line}");
}

#[test]
fn what_is_no_folder_is_not_used() {
    let outer = tempfile::tempdir().expect("a folder");
    let file = outer.path().join("file");
    fs::write(&file, "").expect("the file can be written");
    let within = file.join("data");
    let taken = outer.path().join("taken");
    let database = taken.join("fivefold.sqlite3");
    fs::create_dir_all(&database).expect("a folder where the database should be");
    for (data, wrong) in [(&file, &file), (&within, &within), (&taken, &database)] {
        check(&server(&program("fivefold-server"), data).output().expect("the server runs"), wrong);
    }
}

#[test]
fn what_may_not_be_written_is_not_used() {
    let outer = tempfile::tempdir().expect("a folder");
    allow(outer.path(), 0o755);
    let read_only = outer.path().join("read-only");
    let missing = read_only.join("missing");
    let frozen = outer.path().join("frozen");
    let database = frozen.join("fivefold.sqlite3");
    fs::create_dir(&read_only).expect("a folder");
    fs::create_dir(&frozen).expect("a folder");
    fs::write(&database, "").expect("the file can be written");
    allow(&read_only, 0o555);
    allow(&frozen, 0o777);
    allow(&database, 0o444);
    // Other users may lack access to the build folder.
    let copy = outer.path().join("fivefold-server");
    fs::copy(program("fivefold-server"), &copy).expect("there is room");
    for (data, wrong) in [(&read_only, &read_only), (&missing, &missing), (&frozen, &database)] {
        let mut server = server(&copy, data);
        if geteuid().is_root() {
            server.uid(NOBODY);
        }
        check(&server.output().expect("the server runs"), wrong);
    }
}

#[test]
fn a_server_in_memory_removes_its_private_folder() {
    let outer = tempfile::tempdir().expect("a folder");
    let mut server = Command::new(program("fivefold-server"))
        .args(["--in-memory", "--listen", "127.0.0.1:0"])
        .env("TMPDIR", outer.path())
        .stdout(Stdio::piped())
        .spawn()
        .expect("the server starts");
    let mut stdout = BufReader::new(server.stdout.take().expect("stdout is piped"));
    stdout.read_line(&mut String::new()).expect("the server says where it listens");
    let modes = || -> Vec<u32> {
        let folders = fs::read_dir(outer.path()).expect("it can be read");
        let mode = |folder: fs::DirEntry| folder.metadata().expect("it is there").mode() & 0o777;
        folders.map(|folder| mode(folder.expect("it can be read"))).collect()
    };
    assert_eq!(modes(), [0o700]);
    let pid = Pid::from_child(&server);
    kill_process(pid, Signal::TERM).expect("it runs");
    assert!(server.wait().expect("it stops").success());
    assert!(modes().is_empty());
}
