//! Tests a low open-file limit: the server takes fewer connections and serves those.

use std::{fs, net::Ipv4Addr, process::Command};

use fivefold_tests::{Guest, Server, private, program};
use tokio::{
    io::AsyncWriteExt,
    net::{TcpSocket, TcpStream},
};

use crate::{FIVE, Pair, freestyle};

/// Sends half a request from another address of this machine.
async fn half_a_question(server: &Server, last: u8) -> TcpStream {
    let socket = TcpSocket::new_v4().expect("a socket");
    socket.bind((Ipv4Addr::new(127, 0, 0, last), 0).into()).expect("an address of this machine");
    let mut stream = socket.connect(server.address()).await.expect("the system takes it");
    let head = "POST /api/position HTTP/1.1\r\nHost: test\r\nContent-Length: 1000\r\n\r\n{";
    // The server may have closed this connection already.
    drop(stream.write_all(head.as_bytes()).await);
    stream
}

// Elsewhere a machine has only one loopback address.
#[cfg(target_os = "linux")]
#[tokio::test]
async fn few_files_are_not_all_for_those_who_take_most() {
    let folder = tempfile::tempdir().expect("a folder");
    let log = folder.path().join("log");
    let server = Server::start_with_files(160, &log);
    let mut pair = Pair::on(server, private(freestyle())).await;
    let mut held = Vec::new();
    for number in 0..180 {
        held.push(half_a_question(&pair.server, 10 + number % 3).await);
    }
    // The game goes on, and the server still serves a new person.
    pair.play(&FIVE[..4]).await;
    let mut eve = Guest::hello(&pair.server, "Eve").await;
    eve.join(&pair.room).await;
    drop(held);
    let log = fs::read_to_string(&log).expect("a log");
    let lines = log.lines().filter(|line| line.contains("too few files")).collect::<Vec<_>>();
    let [line] = lines.as_slice() else { panic!("one line: {log}") };
    for number in ["files=160", "sessions=60", "sessions_per_address=16"] {
        assert!(line.contains(number), "{number}: {line}");
    }
    assert!(!log.contains("cannot accept"), "{log}");
}

#[test]
fn with_hardly_any_files_the_server_says_what_it_needs() {
    let mut shell = Command::new("sh");
    shell.args(["-c", "ulimit -n 79 && exec \"$0\" --in-memory --listen 127.0.0.1:0"]);
    let output = shell.arg(program("fivefold-server")).output().expect("the server runs");
    let stderr = String::from_utf8_lossy(&output.stderr);
    assert!(!output.status.success() && stderr.contains("only 79 files"), "{stderr}");
    assert!(stderr.contains("needs 80"), "{stderr}");
}
