//! Tests that clients say so when the server comes back with an older backup.

use std::{fs, path::Path};

use fivefold_shared::protocol::RoomCode;
use fivefold_tests::{Client, Guest, Server};
use serde_json::json;

use crate::{FIVE, proxy::Proxy, several_addresses::opponent, terminal::Terminal};

/// Stops a server as a service manager does.
fn stop(server: Server) {
    server.terminate();
    let (status, _) = server.wait();
    assert!(status.success());
}

/// Puts a copy of a stopped server's folder in place of another.
fn copy(from: &Path, to: &Path) {
    fs::remove_dir_all(to).ok();
    fs::create_dir_all(to).expect("a folder");
    for file in fs::read_dir(from).expect("a folder") {
        let file = file.expect("a file");
        fs::copy(file.path(), to.join(file.file_name())).expect("a copy");
    }
}

/// Ann's move, by the next point of `FIVE`.
async fn ann_plays(ann: &mut Client, bob: &mut Guest, room: &RoomCode, ply: usize) {
    let point = FIVE[ply];
    while ann.json()["your_turn"] != true {}
    ann.say(&format!("{},{}", point.0, point.1));
    bob.until(room, |seen| seen.position().last_move() == Some(point.into())).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn after_an_older_backup_clients_say_how_many_moves_are_gone() {
    let (data, empty, backup) = (
        tempfile::tempdir().expect("a folder"),
        tempfile::tempdir().expect("a folder"),
        tempfile::tempdir().expect("a folder"),
    );
    let folder = data.path();
    let first = Server::start_in(folder);
    assert!(first.takes_sockets().await);
    stop(first);
    copy(folder, empty.path());
    let mut server = Server::start_in(folder);
    let proxy = Proxy::to(&server).await;
    let url = proxy.url();
    let play = ["play", "--as", "black", "--name", "Ann", "--json", "--server", &url];
    let mut ann = Client::start(play);
    let link = ann.event("joined")["link"].as_str().expect("a link").to_owned();
    let (mut bob, room) = opponent(&server, &link).await;
    let mut plain = Client::start(["watch", &link, "--plain"]);
    let mut terminal = Terminal::start(&["watch", &link]);
    terminal.until(&["Ann", "Bob"]);
    ann_plays(&mut ann, &mut bob, &room, 0).await;
    bob.play(&room, FIVE[1]).await;
    ann_plays(&mut ann, &mut bob, &room, 2).await;

    stop(server);
    copy(folder, backup.path());
    server = Server::start_in(folder);
    proxy.lead_to(&server);
    bob = bob.lost().moved_to(&server).back().await;
    bob.join(&room).await;
    ann.event("back");
    bob.play(&room, FIVE[3]).await;
    ann_plays(&mut ann, &mut bob, &room, 4).await;
    bob.play(&room, FIVE[5]).await;
    ann_plays(&mut ann, &mut bob, &room, 6).await;
    while ann.event("played")["ply"] != 6 {}
    plain.line_with("7. Black");
    // A watcher that comes back only after the restore has lost nothing.
    terminal.sees(&["White to move: move 8"]);

    stop(server);
    copy(backup.path(), folder);
    server = Server::start_in(folder);
    proxy.lead_to(&server);
    assert_eq!(ann.event("restored"), json!({"type": "restored", "moves": 4}));
    let state = ann.event("state");
    assert_eq!(state["game"]["moves"].as_array().map(Vec::len), Some(3), "{state}");
    ann.event("back");
    terminal.until(&["restored;", "gone."]);
    plain.line_with("Black: Ann");
    // The game goes on from there.
    bob = bob.lost().moved_to(&server).back().await;
    bob.join(&room).await;
    bob.play(&room, FIVE[3]).await;
    ann_plays(&mut ann, &mut bob, &room, 4).await;

    // A backup from before the room was made.
    stop(server);
    copy(empty.path(), folder);
    server = Server::start_in(folder);
    proxy.lead_to(&server);
    let closed = ann.event("closed")["text"].as_str().expect("a text").to_owned();
    assert!(closed.contains("restored from a backup without it"), "{closed}");
    let (_, _, told) = plain.finish();
    let is_counted = told.contains("The server was restored; the last 4 moves are gone.");
    assert!(is_counted && told.matches("The connection is back.").count() == 1, "{told}");
    stop(server);
}
