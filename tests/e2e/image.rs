//! The server as the image of `server/deploy/Containerfile` runs it: its variables, a user without
//! rights, and nothing to write to but an empty volume. Bubblewrap stands for the container engine.

use std::{
    fs,
    io::{BufRead, BufReader},
    net::{Ipv4Addr, SocketAddr},
    process::{Command, Stdio},
};

use fivefold_tests::{http_get, program};

const CONTAINERFILE: &str = include_str!("../../server/deploy/Containerfile");

/// What follows a word at the beginning of a line; empty where none begins with it.
fn after(word: &str) -> &'static str {
    let mut lines = CONTAINERFILE.lines();
    lines.find_map(|line| line.strip_prefix(word)).unwrap_or_default().trim()
}

/// Bubblewrap with everything to read, an empty folder for the volume, and a user of its own.
fn container(volume: &str, user: &str, folder: &str) -> Command {
    let mut bwrap = Command::new("bwrap");
    let (user, group) = user.split_once(':').expect("a user and a group");
    bwrap.args(["--unshare-all", "--share-net", "--die-with-parent"]);
    // The machine's root has no folder for the volume, so one is made for it in the memory.
    bwrap.args(["--tmpfs", "/", "--dev", "/dev", "--proc", "/proc"]);
    for entry in fs::read_dir("/").expect("the root") {
        let path = entry.expect("an entry").path();
        let path = path.to_str().expect("plain");
        if !["/dev", "/proc", volume].contains(&path) {
            bwrap.args(["--ro-bind", path, path]);
        }
    }
    bwrap.args(["--bind", folder, volume]);
    bwrap.args(["--uid", user, "--gid", group, "--clearenv", "--setenv", "HOME", "/nonexistent"]);
    bwrap
}

#[tokio::test]
async fn the_image_serves_on_all_addresses_and_keeps_its_data_in_its_volume() {
    let (volume, user) = (after("VOLUME "), after("USER "));
    assert!(CONTAINERFILE.contains(&format!("\nCOPY --chown={user} data/ {volume}/\n")), "{user}");
    assert_eq!(after("FROM "), "scratch");
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().to_str().unwrap();
    let works = container(volume, user, path).args(["--", "true"]).output();
    if !works.is_ok_and(|output| output.status.success()) {
        println!("SKIPPED: bubblewrap is not installed here, or may make no namespaces");
        return;
    }
    let mut server = container(volume, user, path);
    for setting in after("ENV ").split_whitespace() {
        let (name, value) = setting.split_once('=').unwrap();
        // The port may be taken on this machine, and in a container it is not.
        server.args(["--setenv", name, &value.replace(":8080", ":0")]);
    }
    let mut server = server
        .arg("--")
        .arg(program("fivefold-server"))
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let mut greeting = String::new();
    BufReader::new(server.stdout.take().unwrap()).read_line(&mut greeting).unwrap();
    let port =
        greeting.trim_end_matches("/\n").rsplit(':').next().and_then(|port| port.parse().ok());
    let port = port.unwrap_or_else(|| panic!("no port in {greeting:?}"));
    // A server that listens on 127.0.0.1 only, as by default, does not answer there.
    let address = SocketAddr::from((Ipv4Addr::new(127, 0, 0, 2), port));
    let answer = http_get(address, "/readyz").await.unwrap();
    assert!(answer.starts_with("HTTP/1.1 200"), "{answer}");
    assert!(folder.path().join("fivefold-server/fivefold.sqlite3").is_file());
    server.kill().unwrap();
    server.wait().unwrap();
}
