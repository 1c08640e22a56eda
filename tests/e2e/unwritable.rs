//! Tests an unwritable log: on a full disk, in a closed pipe, in a pipe that nobody reads. The
//! games go on.

use std::{
    fs::File,
    io::{BufRead, BufReader, pipe},
    process::{Command, Stdio},
};

use fivefold_tests::{Server, Setting, private, program};

use crate::{FIVE, Pair, freestyle};

/// Log everything.
const TALKATIVE: [Setting<'_>; 1] = [("log", "trace")];

async fn plays_to_the_end(server: Server) {
    let mut pair = Pair::on(server, private(freestyle())).await;
    pair.play(&FIVE).await;
    pair.server.terminate();
    let (status, _) = pair.server.wait();
    assert!(status.success(), "{status}");
}

#[tokio::test]
async fn a_full_disk_under_the_log_stops_no_game() {
    let full = File::options().write(true).open("/dev/full").expect("this is a Unix");
    plays_to_the_end(Server::start_with_stderr(full, &TALKATIVE)).await;
}

#[tokio::test]
async fn a_closed_pipe_under_the_log_stops_no_game() {
    let (reader, writer) = pipe().expect("a pipe");
    let server = Server::start_with_stderr(writer, &TALKATIVE);
    drop(reader);
    plays_to_the_end(server).await;
}

#[tokio::test]
async fn a_pipe_that_nobody_reads_stops_no_game() {
    let (reader, writer) = pipe().expect("a pipe");
    let server = Server::start_with_stderr(writer, &TALKATIVE);
    plays_to_the_end(server).await;
    drop(reader);
}

#[test]
fn a_server_that_cannot_say_where_it_is_logs_it() {
    let full = File::options().write(true).open("/dev/full").expect("this is a Unix");
    let mut server = Command::new(program("fivefold-server"))
        .args(["--in-memory", "--listen", "127.0.0.1:0"])
        .stdout(full)
        .stderr(Stdio::piped())
        .spawn()
        .expect("the server starts");
    let log = BufReader::new(server.stderr.take().expect("stderr is piped"));
    let told = log.lines().map_while(Result::ok).find(|line| line.contains("Fivefold is at http"));
    server.kill().expect("it still runs");
    server.wait().expect("it was killed");
    assert!(told.is_some());
}
