//! The log of the real program at its most detailed level: its lines, and the secrets that it never
//! contains.

use std::{
    fs::{self, File},
    io::{BufRead, BufReader},
    process::{Command, Stdio},
};

use fivefold_shared::protocol::Message;
use rustix::process::{Pid, Signal, kill_process};
use serde_json::{Value, json};
use tokio::net::TcpStream;
use tokio_tungstenite::client_async;

use crate::harness::{Client, within};

#[tokio::test]
async fn secrets_are_never_logged() {
    let folder = tempfile::tempdir().unwrap();
    let log = folder.path().join("log");
    let mut program = Command::new(env!("CARGO_BIN_EXE_fivefold-server"))
        .args(["--listen", "127.0.0.1:0", "--in-memory", "--log", "trace", "--log-format", "json"])
        .env_remove("FIVEFOLD_DATA")
        .stdout(Stdio::piped())
        .stderr(File::create(&log).unwrap())
        .spawn()
        .unwrap();
    let mut line = String::new();
    BufReader::new(program.stdout.take().unwrap()).read_line(&mut line).unwrap();
    let address = line.trim().trim_start_matches("Fivefold is at http://").trim_end_matches('/');

    let connect = || async {
        let stream = TcpStream::connect(address).await.unwrap();
        Client::new(client_async(format!("ws://{address}/ws"), stream).await.unwrap().0)
    };
    let mut ann = connect().await;
    let welcome = ann.ask(json!({"type": "hello", "protocol": 1, "name": "Ann"})).await;
    let Message::Welcome { identity: Some(identity), .. } = welcome else { panic!("no identity") };
    let mut again = connect().await;
    again.ask(json!({"type": "hello", "protocol": 1, "identity": identity})).await;
    let mut bob = connect().await;
    bob.hello("Bob").await;
    let room = ann.create(json!(["me", "open"])).await;
    bob.join(&room).await;
    bob.ask(json!({"type": "sit", "room": room})).await;
    for ply in 0..9 {
        let mover = if ply % 2 == 0 { &mut ann } else { &mut bob };
        let point = json!([ply / 2, ply % 2]);
        let play = json!({"type": "play", "room": room, "ply": ply, "point": point});
        assert!(matches!(mover.ask(play).await, Message::Done { .. }));
    }
    let pid = Pid::from_child(&program);
    kill_process(pid, Signal::TERM).unwrap();
    let ended = tokio::task::spawn_blocking(move || program.wait());
    assert!(within(ended).await.unwrap().unwrap().success());

    let log = fs::read_to_string(log).unwrap();
    let lines: Vec<Value> = log.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let ended = lines.iter().find(|line| line["fields"]["message"] == "a game ends").unwrap();
    assert_eq!(ended["fields"]["room.id"], room.as_str());
    let identity = serde_json::to_value(&identity).unwrap();
    assert!(!log.contains(identity.as_str().unwrap()));
}
