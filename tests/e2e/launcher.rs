//! Tests how engines run on Linux: what they see, what they may use, and what they leave behind.
//! Runs them as `fivefold seat` and `fivefold arena` do, by `fivefold run-engine`.

use std::{
    fs::{self, Permissions},
    io::{BufRead, BufReader, ErrorKind, Read, Write},
    net::{TcpListener, UdpSocket},
    os::{
        fd::OwnedFd,
        linux::net::SocketAddrExt,
        unix::{
            fs::PermissionsExt,
            net::{SocketAddr, UnixListener, UnixStream},
            process::{CommandExt, ExitStatusExt},
        },
    },
    process::{Child, Command, ExitStatus, Stdio},
};

use fivefold_tests::program;

/// An ordinary user of every system.
const NOBODY: u32 = 65_534;

/// A running engine, with the report of its start.
struct Run {
    child: Child,
    control: BufReader<UnixStream>,
}

impl Run {
    /// Starts the strange engine with these options of `run-engine`.
    fn start(options: &[&str], probe: &[&str]) -> Self {
        let (control, theirs) = UnixStream::pair().expect("a pair of sockets");
        let mut command = Command::new(program("fivefold"));
        command.arg("run-engine").args(options).arg("--").arg(program("strange_engine"));
        command.args(probe).env("SECRET", "of ours").process_group(0);
        command.stdin(Stdio::null()).stdout(Stdio::piped());
        let child = command.stderr(OwnedFd::from(theirs)).spawn().expect("it starts");
        Self { child, control: BufReader::new(control) }
    }

    /// The report of its start.
    fn report(&mut self) -> String {
        let mut line = String::new();
        self.control.read_line(&mut line).expect("a report");
        line.trim_end().to_owned()
    }

    /// The engine's whole output, until it and all its descendants have ended.
    fn finish(mut self) -> (ExitStatus, String) {
        let mut text = String::new();
        let mut output = self.child.stdout.take().expect("it is piped");
        output.read_to_string(&mut text).expect("text");
        (self.child.wait().expect("it ends"), text.trim_end().to_owned())
    }
}

/// The probe's output, from an engine that runs with these options.
fn probe(options: &[&str], words: &[&str]) -> String {
    let mut run = Run::start(options, &[&["probe"], words].concat());
    let report = run.report();
    assert!(["confined", "open"].contains(&report.as_str()), "{report}");
    run.finish().1
}

/// The options for each way to run an engine that this system allows.
fn ways() -> Vec<&'static [&'static str]> {
    let apart: &[&str] = &["--apart"];
    match Run::start(apart, &["probe", "env"]).report().as_str() {
        "inseparable" => vec![&[]],
        _ => vec![&[], apart],
    }
}

/// Whether this system can deny an engine access to files.
fn can_confine() -> bool {
    Run::start(&[], &["probe", "env"]).report() == "confined"
}

/// Whether a process with this word in its command is running.
fn is_running(word: &str) -> bool {
    let processes = fs::read_dir("/proc").expect("processes").filter_map(Result::ok);
    processes
        .filter_map(|process| fs::read(process.path().join("cmdline")).ok())
        .any(|words| words.split(|byte| *byte == 0).any(|found| found == word.as_bytes()))
}

#[test]
fn an_engine_gets_little_of_our_environment_and_runs_in_its_own_folder() {
    let report = probe(&[], &["env"]);
    let (folder, variables) = report.split_once(' ').expect("a folder");
    assert_eq!(Some(folder.as_ref()), program("strange_engine").parent());
    let value = |name: &str| {
        let mut all = variables.split(' ').filter_map(|variable| variable.split_once('='));
        all.find(|(found, _)| *found == name).map(|(_, value)| value.to_owned())
    };
    assert_eq!(value("SECRET"), None);
    let home = value("HOME").expect("a home");
    assert!(value("PATH").is_some() && value("TMPDIR").as_ref() == Some(&home), "{variables}");
    assert!(!fs::exists(&home).expect("it can be seen"), "{home} is removed with the engine");
    let known = ["PATH", "LANG", "LC_ALL", "LC_CTYPE", "TZ", "HOME", "TMPDIR"];
    for variable in variables.split(' ').filter_map(|variable| variable.split_once('=')) {
        assert!(known.contains(&variable.0), "{variable:?}");
    }
    assert!(probe(&["--trust"], &["env"]).contains("SECRET=of ours"));
}

#[test]
fn an_engine_cannot_read_the_identities_nor_reach_the_network_nor_stop_others() {
    if !can_confine() {
        return;
    }
    let folder = tempfile::tempdir().expect("a folder");
    let settings = folder.path().join("settings.json");
    fs::write(&settings, "secret").expect("a file");
    let settings = settings.to_str().expect("a path");
    let beside = program("strange_engine").with_file_name("fivefold");
    let beside = beside.to_str().expect("a path");
    let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
    let address = listener.local_addr().expect("an address").to_string();
    let denied = "Permission denied (os error 13)";
    let mut sleeper = Command::new("sleep").arg("600").spawn().expect("it sleeps");
    let other = sleeper.id().to_string();
    let cases: [(&[&str], &str); 5] = [
        (&["read", settings], denied),
        (&["read", beside], "done"),
        (&["read", "/etc/passwd"], denied),
        (&["read", "/etc/ld.so.cache"], "done"),
        (&["connect", &address], denied),
    ];
    for way in ways() {
        for (words, expected) in cases {
            assert_eq!(probe(way, words), expected, "{way:?} {words:?}");
        }
        assert_ne!(probe(way, &["kill", &other]), "true", "{way:?}");
    }
    assert!(sleeper.try_wait().expect("it is our process").is_none());
    // Even in a folder that the engine may read.
    let mut next_to_engine = program("strange_engine");
    next_to_engine.set_file_name(format!("identities.{}", std::process::id()));
    fs::create_dir(&next_to_engine).expect("a folder");
    let file = next_to_engine.join("settings.json");
    fs::write(&file, "secret").expect("a file");
    let words = ["read", file.to_str().expect("a path")];
    assert_eq!(probe(&[], &words), "done");
    let hide = ["--hide", next_to_engine.to_str().expect("a path")];
    assert_eq!(probe(&hide, &words), denied);
    assert_eq!(probe(&hide, &["read", beside]), "done");
    fs::remove_dir_all(&next_to_engine).expect("it is removed");
    assert_eq!(probe(&["--trust"], &["read", settings]), "done");
    assert_eq!(probe(&["--trust"], &["kill", &other]), "true");
    drop(sleeper.kill());
    sleeper.wait().expect("it has ended");
}

#[test]
fn an_engine_gets_no_socket_that_leads_out_of_it() {
    if !can_confine() {
        return;
    }
    let denied = "Permission denied (os error 13)";
    let udp = UdpSocket::bind("127.0.0.1:0").expect("a port");
    udp.set_nonblocking(true).expect("it is ours");
    let port = udp.local_addr().expect("an address").to_string();
    let folder = tempfile::tempdir().expect("a folder");
    let elsewhere = folder.path().join("socket");
    // Also where the engine may read: beside its program.
    let name = format!("socket.{}", std::process::id());
    let beside = program("strange_engine").with_file_name(&name);
    let listeners = [&elsewhere, &beside].map(|path| UnixListener::bind(path).expect("a path"));
    let hidden = SocketAddr::from_abstract_name(&name).expect("a name");
    let hidden = UnixListener::bind_addr(&hidden).expect("it is free");
    for way in ways() {
        for words in [
            &["send", &port][..],
            &["unix", elsewhere.to_str().expect("a path")],
            &["unix", beside.to_str().expect("a path")],
            &["abstract", &name],
        ] {
            assert_eq!(probe(way, words), denied, "{way:?} {words:?}");
        }
        // Its own processes may talk to each other.
        assert_eq!(probe(way, &["pair"]), "done", "{way:?}");
    }
    let nothing = udp.recv(&mut [0; 9]).expect_err("no datagram");
    assert_eq!(nothing.kind(), ErrorKind::WouldBlock);
    for listener in listeners.iter().chain([&hidden]) {
        listener.set_nonblocking(true).expect("it is ours");
        assert!(listener.accept().is_err());
    }
    fs::remove_file(&beside).expect("it is ours");
    assert_eq!(probe(&["--trust"], &["send", &port]), "done");
}

#[test]
fn an_engine_learns_nothing_of_other_processes() {
    if !can_confine() {
        return;
    }
    let token = format!("604.{}", std::process::id());
    let mut sleeper = Command::new("sleep").arg(&token).spawn().expect("it sleeps");
    for way in ways() {
        let commands = probe(way, &["commands"]);
        // In namespaces of its own it sees itself; elsewhere it cannot list processes.
        assert_eq!(commands.contains("strange_engine"), !way.is_empty(), "{way:?}: {commands}");
        assert!(!commands.contains(&token), "{way:?}: {commands}");
    }
    assert!(probe(&["--trust"], &["commands"]).contains(&token));
    drop(sleeper.kill());
    sleeper.wait().expect("it has ended");
}

#[test]
fn an_engine_of_an_ordinary_user_is_held_to_its_processes() {
    // Programs that an ordinary user may read, too.
    let folder = tempfile::tempdir().expect("a folder");
    fs::set_permissions(folder.path(), Permissions::from_mode(0o755)).expect("it is ours");
    let [fivefold, engine] = ["fivefold", "strange_engine"].map(|name| {
        let copy = folder.path().join(name);
        fs::copy(program(name), &copy).expect("a copy");
        copy
    });
    for way in ways() {
        let (control, theirs) = UnixStream::pair().expect("a pair of sockets");
        let mut command = Command::new(&fivefold);
        command.arg("run-engine").args(way).args(["--processes", "20", "--"]).arg(&engine);
        command.args(["probe", "crowd", "60"]).stderr(OwnedFd::from(theirs));
        if rustix::process::geteuid().is_root() {
            command.uid(NOBODY).gid(NOBODY);
        }
        let output = command.output().expect("it ends");
        drop((command, control));
        let children = String::from_utf8_lossy(&output.stdout).trim().parse::<u64>();
        let children = children.unwrap_or_else(|error| panic!("{way:?}: {error} {output:?}"));
        // Without namespaces the system counts all processes of the user.
        let expected = if way.is_empty() { 1..=20 } else { 20..=20 };
        assert!(expected.contains(&children), "{way:?}: {children}");
    }
}

#[test]
fn a_program_for_32_bits_is_refused() {
    let folder = tempfile::tempdir().expect("a folder");
    let engine = folder.path().join("engine");
    fs::write(&engine, b"\x7fELF\x01\x01\x01").expect("a file");
    fs::set_permissions(&engine, Permissions::from_mode(0o755)).expect("it is ours");
    let (control, theirs) = UnixStream::pair().expect("a pair of sockets");
    let mut command = Command::new(program("fivefold"));
    command.args(["run-engine", "--"]).arg(&engine).stderr(OwnedFd::from(theirs));
    command.status().expect("it ends");
    drop(command);
    let mut report = String::new();
    (&control).read_to_string(&mut report).expect("a report");
    assert!(report.contains("for 32 bits") && report.contains("--trust"), "{report}");
}

#[test]
fn an_engine_is_held_to_its_limits() {
    const MIB: usize = 1 << 20;
    let limits = ["--file-bytes", "1000", "--memory", "268435456"];
    let bytes = |bytes: usize| bytes.to_string();
    // At the limit, and one byte past it.
    assert_eq!(probe(&limits, &["write", "x", "1000"]), "done");
    assert_eq!(probe(&limits, &["write", "x", "1001"]), "", "it is ended by the system");
    assert_eq!(probe(&limits, &["memory", &bytes(100 * MIB)]), "done");
    assert!(probe(&limits, &["memory", &bytes(256 * MIB)]).contains("memory"));
    let report = probe(
        &[&limits[..], &["--processor-seconds", "7", "--processes", "20"]].concat(),
        &["limits"],
    );
    let limit = |name: &str| {
        let line = report.lines().find(|line| line.starts_with(name)).expect("a limit");
        line[name.len()..].split_whitespace().next().expect("a number").parse::<u64>().ok()
    };
    assert_eq!(limit("Max core file size"), Some(0));
    assert_eq!(limit("Max cpu time"), Some(7));
    assert_eq!(limit("Max file size"), Some(1000));
    assert_eq!(limit("Max address space"), Some(268_435_456));
    // Processes that already run do not count.
    assert!(limit("Max processes").is_some_and(|most| (21..100_000).contains(&most)), "{report}");
    // After one second of processor time the system kills it.
    assert_eq!(probe(&["--processor-seconds", "1"], &["spin"]), "");
}

#[test]
fn a_child_in_a_session_of_its_own_ends_with_its_engine() {
    for (number, way) in (601..).zip(ways()) {
        // The engine exits by itself.
        let token = format!("{number}.1.{}", std::process::id());
        assert_eq!(probe(way, &["sleep", &token]), "done", "{way:?}");
        assert!(!is_running(&token), "{way:?}");
        // This side ends suddenly.
        let token = format!("{number}.2.{}", std::process::id());
        let mut run = Run::start(way, &["clingy", &token]);
        run.report();
        while !is_running(&token) {
            std::thread::yield_now();
        }
        run.control.get_ref().shutdown(std::net::Shutdown::Write).expect("it is open");
        let (status, _) = run.finish();
        assert!(status.success() && status.signal().is_none(), "{way:?}: {status}");
        assert!(!is_running(&token), "{way:?}");
    }
}

#[test]
fn a_program_that_cannot_be_started_is_reported() {
    let (control, theirs) = UnixStream::pair().expect("a pair of sockets");
    let mut command = Command::new(program("fivefold"));
    command.args(["run-engine", "--", "/nowhere/engine"]).stderr(OwnedFd::from(theirs));
    let status = command.status().expect("it ends");
    drop(command);
    let mut report = String::new();
    (&control).read_to_string(&mut report).expect("a report");
    assert!(report.contains("No such file"), "{status} {report}");
    drop((&control).flush());
}
