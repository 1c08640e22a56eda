//! What a server says about itself: to `fivefold-server health`, and to the service manager that has started it.

use std::{
    fs,
    io::{Read, Write},
    net::TcpListener,
    os::unix::net::UnixDatagram,
    process::{Command, Stdio},
    thread,
    time::Duration,
};

use fivefold_test_services::Certificate;
use fivefold_tests::{PATIENCE, Server, program};
use tempfile::TempDir;
use tokio::time::{sleep, timeout};

/// Runs the command: its exit code, and the line that it prints.
pub(super) fn health(arguments: &[&str], variables: &[(&str, &str)]) -> (Option<i32>, String) {
    let mut command = Command::new(program("fivefold-server"));
    command.arg("health").args(arguments).envs(variables.iter().copied());
    let answer = command.output().expect("the command runs");
    let text = String::from_utf8([answer.stdout, answer.stderr].concat()).expect("text");
    (answer.status.code(), text.trim_end().to_owned())
}

/// The exit code for the server at this address.
pub(super) fn health_of(server: &Server) -> Option<i32> {
    health(&["--url", &server.url()], &[]).0
}

/// Waits until a server answers with this status.
pub(super) async fn until_ready(server: &Server, status: &str) {
    let expected = format!("HTTP/1.1 {status}");
    let is_so = async || server.get("/readyz").await.is_ok_and(|text| text.starts_with(&expected));
    let waiting = async {
        while !is_so().await {
            sleep(Duration::from_millis(20)).await;
        }
    };
    timeout(Duration::from_secs(30), waiting).await.expect(status);
}

#[test]
fn a_server_is_found_by_its_settings() {
    let server = Server::start_with(&[]);
    let address = server.address().to_string();
    let any = format!("0.0.0.0:{}", server.address().port());
    let ready = (Some(0), "ready".to_owned());
    assert_eq!(health(&["--url", &server.url()], &[]), ready);
    assert_eq!(health(&[], &[("FIVEFOLD_LISTEN", &address)]), ready);
    assert_eq!(health(&[], &[("FIVEFOLD_LISTEN", &any)]), ready);
    // The port for metrics comes first, as it is never encrypted.
    let both = [("FIVEFOLD_LISTEN", "127.0.0.1:1"), ("FIVEFOLD_METRICS_LISTEN", address.as_str())];
    assert_eq!(health(&[], &both), ready);
    // One with port 0 cannot be found.
    let (code, line) = health(&[], &[("FIVEFOLD_LISTEN", "0")]);
    assert!(code == Some(1) && line.contains("--url"), "{line}");
    assert_eq!(health(&["--url", "play.example"], &[]).0, Some(2), "no address");
}

#[test]
fn an_encrypted_server_is_asked_by_its_settings_and_by_its_name() {
    let certificate = Certificate::make();
    let files = [certificate.file(), certificate.key()];
    let [cert_file, key_file] = [0, 1].map(|file| files[file].to_str().expect("plain"));
    let server = Server::start_with(&[("tls-cert", cert_file), ("tls-key", key_file)]);
    let address = server.address().to_string();
    let settings = [
        ("FIVEFOLD_LISTEN", address.as_str()),
        ("FIVEFOLD_TLS_CERT", cert_file),
        ("FIVEFOLD_TLS_KEY", key_file),
    ];
    assert_eq!(health(&[], &settings).0, Some(0), "its certificate is for localhost");
    let url = format!("https://localhost:{}", server.address().port());
    let (code, line) = health(&["--url", &url], &[]);
    assert!(code == Some(3) && line.contains("certificate"), "nobody has signed it: {line}");
    assert_eq!(health(&["--url", &url], &[("SSL_CERT_FILE", cert_file)]).0, Some(0));
    // A server that encrypts says nothing without encryption.
    assert_eq!(health_of(&server), Some(3));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn each_state_of_a_server_has_its_exit_code() {
    let server = Server::start_with(&[("disk-reserve", "4294967295")]);
    let url = server.url();
    until_ready(&server, "200").await;
    let (code, line) = health(&["--url", &url], &[]);
    assert!(code == Some(10) && line.contains("(low_disk)"), "{line}");
    assert_eq!(health(&["--url", &url, "--ignore-warnings"], &[]), (Some(0), line));
    let both = health(&["--url", &url, "--ignore-warnings", "--alive"], &[]);
    assert_eq!(both.0, Some(2), "they mean different things: {}", both.1);
    let answer = server.get("/readyz").await.expect("an answer");
    assert!(
        answer.contains(r#""status":"ready","state":"ready","warnings":["low_disk"]"#),
        "{answer}"
    );

    let folder = tempfile::tempdir().expect("a folder for the data");
    let server = Server::start_in_with_limits(folder.path(), Stdio::inherit(), &[], &[]);
    until_ready(&server, "200").await;
    server.limit_files(Some(0));
    until_ready(&server, "503").await;
    assert_eq!(health_of(&server), Some(5), "the disk cannot be written");
    server.limit_files(None);
    until_ready(&server, "200").await;
    assert_eq!(health_of(&server), Some(0));

    let server = Server::start_with(&[("drain", "3600")]);
    server.terminate();
    until_ready(&server, "503").await;
    assert_eq!(health_of(&server), Some(4), "it drains");
    let (code, line) = health(&["--url", &server.url(), "--alive"], &[]);
    assert!(code == Some(0) && line.contains("(draining)"), "{line}");
}

#[test]
fn nobody_and_others_are_no_answer() {
    let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
    let url = format!("http://{}", listener.local_addr().expect("an address"));
    let (code, line) = health(&["--url", &url], &[]);
    assert!(code == Some(3) && line.contains("did not answer"), "the port is open: {line}");
    let answers = thread::spawn(move || {
        // The one that has gone.
        drop(listener.accept().expect("a client"));
        let ready = r#"{"status": "ready", "version": "1"}"#;
        for body in ["hello", ready, &format!("{ready:16384}"), &format!("{ready:16385}")] {
            let (mut client, _) = listener.accept().expect("a client");
            assert!(client.read(&mut [0; 1_024]).expect("a request") > 0);
            let length = body.len();
            let head = format!("HTTP/1.1 200 OK\r\nContent-Length: {length}\r\n\r\n");
            // The client may have read enough.
            drop(client.write_all((head + body).as_bytes()));
        }
    });
    let codes = [(); 4].map(|()| health(&["--url", &url], &[]).0);
    assert_eq!(codes, [Some(3), Some(0), Some(0), Some(3)]);
    answers.join().expect("all are answered");
    for arguments in [&["--url", &url][..], &["--url", &url, "--alive"]] {
        let (code, line) = health(arguments, &[]);
        assert!(code == Some(3) && line.starts_with("no answer from 127.0.0.1:"), "{line}");
    }
}

/// A service manager that listens.
struct ServiceManager {
    socket: UnixDatagram,
    folder: TempDir,
}

impl ServiceManager {
    fn new() -> Self {
        let folder = tempfile::tempdir().expect("a folder");
        let socket = UnixDatagram::bind(folder.path().join("notify")).expect("a socket");
        socket.set_read_timeout(Some(PATIENCE)).expect("it takes a timeout");
        Self { socket, folder }
    }

    /// Starts a server that is to be pinged twice a second.
    fn start(&self) -> Server {
        let data = self.folder.path().join("data");
        fs::create_dir(&data).expect("a folder");
        let variables = [
            ("NOTIFY_SOCKET", self.folder.path().join("notify").into()),
            ("WATCHDOG_USEC", "1000000".into()),
        ];
        let settings = [("drain", "1")];
        Server::start_in_with_limits(&data, Stdio::inherit(), &variables, &settings)
    }

    /// Reads up to the next message that begins so.
    fn until(&self, start: &str) -> String {
        let mut buffer = [0; 512];
        loop {
            let length = self.socket.recv(&mut buffer).expect(start);
            let message = String::from_utf8_lossy(&buffer[..length]);
            if message.starts_with(start) {
                return message.into_owned();
            }
        }
    }
}

#[test]
fn a_service_manager_learns_when_a_server_is_ready_reloads_fails_and_stops() {
    let manager = ServiceManager::new();
    let server = manager.start();
    manager.until("READY=1");
    manager.until("STATUS=ready");
    for _ in 0..3 {
        manager.until("WATCHDOG=1");
    }
    server.hang_up();
    let reloading = manager.until("RELOADING=1");
    assert!(reloading.contains("\nMONOTONIC_USEC="), "{reloading}");
    manager.until("READY=1");
    // A restart would not make the disk writable.
    server.limit_files(Some(0));
    manager.until("STATUS=the disk cannot be written");
    for _ in 0..3 {
        manager.until("WATCHDOG=1");
    }
    server.limit_files(None);
    manager.until("STATUS=ready");
    server.terminate();
    let stopping = manager.until("STOPPING=1");
    assert!(stopping.contains("\nEXTEND_TIMEOUT_USEC=11000000\n"), "1 s to drain: {stopping}");
    manager.until("WATCHDOG=1");
    let (status, _) = server.wait();
    assert!(status.success(), "{status}");
}
