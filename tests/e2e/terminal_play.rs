//! Tests whole stretches of play on the real screen in a pseudo-terminal, and programs beside each other
//! on one machine.

use fivefold_tests::{Client, Server};
use serde_json::{Value, json};

use crate::{FIVE, proxy::Proxy, terminal::Terminal};

/// Starts `fivefold WORDS... --server URL --json`.
fn json_client(url: &str, words: &[&str]) -> Client {
    Client::start(words.iter().chain(&["--server", url, "--json"]))
}

/// Bob, who has made a room and plays White, and Ann's screen in it, where it is her turn.
fn against_bob(url: &str, how: &[&str]) -> (Client, Terminal) {
    let mut bob = json_client(url, &[&["play", "--as", "white", "--name", "Bob"], how].concat());
    let link = bob.event("joined")["link"].as_str().expect("a link").to_owned();
    let mut ann = Terminal::start(&["join", &link, "--name", "Ann"]);
    ann.sees(&["Your turn: move 1"]);
    (bob, ann)
}

/// Waits for the move with this name; nobody asks for a takeback before.
fn until_played(client: &mut Client, name: &str) {
    loop {
        let line = client.json();
        assert_ne!(line["type"], "takeback_asked", "{line}");
        if line["type"] == "played" && line["name"] == name {
            return;
        }
    }
}

#[test]
fn points_are_typed_whatever_command_their_letter_is() {
    let server = Server::start();
    let (mut bob, mut ann) = against_bob(&server.url(), &["--size", "26"]);
    // u asks for a takeback, m for a rematch, n declines, y accepts, T asks a bot.
    for (ply, (name, answer)) in
        (0_u32..).zip([("u7", "a1"), ("n5", "a3"), ("m5", "a5"), ("T5", "a7"), ("y20", "a9")])
    {
        ann.type_keys(&format!("{name}\r"));
        until_played(&mut bob, &name.to_ascii_lowercase());
        // An offer of Bob's does not change what n and y begin.
        bob.say("draw");
        ann.sees(&["A draw is offered"]);
        bob.say(answer);
        ann.sees(&[&format!("Your turn: move {}", 2 * ply + 3)]);
    }
}

#[test]
fn a_takeback_is_asked_for_after_a_yes() {
    let server = Server::start();
    let (mut bob, mut ann) = against_bob(&server.url(), &[]);
    ann.type_keys("h8\r");
    bob.event("played");
    ann.type_keys("u");
    ann.sees(&["take your last move back?"]);
    ann.type_keys("y");
    bob.event("takeback_asked");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_move_to_a_frozen_server_is_on_its_way_and_what_is_typed_without_it_is_sent_later() {
    let server = Server::start();
    let proxy = Proxy::to(&server).await;
    let (mut bob, mut ann) = {
        let url = server.url();
        let bob = ["play", "--as", "white", "--name", "Bob"];
        let mut bob = json_client(&url, &bob);
        let code = bob.event("joined")["room"].as_str().expect("a code").to_owned();
        let mut ann = Terminal::start(&["join", &code, "--name", "Ann", "--server", &proxy.url()]);
        ann.sees(&["Your turn: move 1"]);
        (bob, ann)
    };
    server.freeze();
    ann.type_keys("h8\r");
    ann.sees(&["h8 is on its way", "No answer from the server"]);
    server.thaw();
    assert_eq!(bob.event("played")["name"], "h8");
    bob.say("h9");
    ann.sees(&["Your turn: move 3"]);
    proxy.close();
    proxy.cut();
    ann.sees(&["Connection lost"]);
    ann.type_keys("i9\r");
    ann.sees(&["This is sent when"]);
    proxy.open();
    until_played(&mut bob, "i9");
}

#[test]
fn two_programs_on_one_machine_are_two_guests() {
    let server = Server::start();
    let (url, settings) = (server.url(), tempfile::tempdir().expect("a folder"));
    let start = |words: &[&str]| {
        Client::start_in(settings.path(), words.iter().chain(&["--server", &url, "--json"]))
    };
    let mut ann = start(&["play", "--name", "Ann", "--as", "black"]);
    let id = ann.event("connected")["you"].clone();
    let link = ann.event("joined")["link"].as_str().expect("a link").to_owned();
    let mut bob = start(&["join", &link, "--name", "Bob"]);
    let other = bob.event("connected");
    assert!(other["you"] != id && other["name"] == "Bob", "{other}");
    ann.event("started");
    ann.say("h8");
    assert_eq!(bob.event("played")["name"], "h8");
    bob.say("leave");
    let (_, _, stderr) = bob.finish();
    assert!(stderr.contains("Another fivefold plays here already"), "{stderr}");
    // It is the same other guest the next time, with its seat.
    let mut bob = start(&["join", &link]);
    assert_eq!(bob.event("connected")["you"], other["you"]);
    assert_eq!(bob.event("joined")["plays"], json!(["second"]));
    ann.say("leave");
    let (_, _, stderr) = ann.finish();
    assert!(!stderr.contains("Another fivefold"), "{stderr}");
    // Nobody plays as Ann now.
    let mut ann = start(&["join", &link]);
    assert_eq!(ann.event("connected")["you"], id);
}

#[test]
fn a_seek_beside_a_paired_game_says_so() {
    let server = Server::start();
    let (url, settings) = (server.url(), tempfile::tempdir().expect("a folder"));
    let start =
        |words: &[&str]| Client::start_in(settings.path(), words.iter().chain(&["--server", &url]));
    let mut ann = start(&["seek", "free", "--json"]);
    ann.event("seeking");
    let mut bob = json_client(&url, &["seek", "free", "--name", "Bob"]);
    let link = ann.event("paired")["link"].as_str().expect("a link").to_owned();
    bob.event("paired");
    drop(ann);
    for words in [&["seek", "free"][..], &["challenge", "Bob"]] {
        let (status, lines, stderr) = start(&[words, &["--plain"]].concat()).finish();
        assert_eq!(status.code(), Some(1), "{words:?}: {lines:?} {stderr}");
        assert!(stderr.contains(&format!("your game goes on. fivefold join {link}")), "{stderr}");
        assert!(!stderr.contains("Your game begins"), "{stderr}");
    }
    let (status, lines, _) = start(&["seek", "free", "--json"]).finish();
    assert!(
        status.code() == Some(1) && lines.iter().any(|line| line.contains(r#""earlier":true"#))
    );
}

#[test]
fn links_of_finished_games_are_watched_analysed_and_converted() {
    let server = Server::start();
    let (url, settings) = (server.url(), tempfile::tempdir().expect("a folder"));
    let start =
        |words: &[&str]| Client::start_in(settings.path(), words.iter().chain(&["--server", &url]));
    let mut ann = start(&["play", "--as", "black", "--name", "Ann", "--json"]);
    let link = ann.event("joined")["link"].as_str().expect("a link").to_owned();
    let mut bob = Client::start(["join", &link, "--name", "Bob", "--json"]);
    for (ply, (x, y)) in FIVE.into_iter().enumerate() {
        let mover = if ply % 2 == 0 { &mut ann } else { &mut bob };
        while mover.json()["your_turn"] != true {}
        mover.say(&format!("{x},{y}"));
    }
    ann.event("ended");
    let list = start(&["games", "--json"]);
    let (_, lines, stderr) = list.finish();
    let games = lines.iter().filter_map(|line| serde_json::from_str::<Value>(line).ok());
    let game = games.into_iter().find(|line| line["type"] == "game");
    let game = game.unwrap_or_else(|| panic!("{lines:?} {stderr}"));
    let link = game["link"].as_str().expect("a link");
    let moves = ["d8", "d7", "e8", "e7", "f8", "f7", "g8", "g7", "h8"].join(" ");
    let (status, lines, stderr) = Client::start(["convert", link, "-", "--to", "moves"]).finish();
    assert!(status.success() && lines.join(" ").contains(&moves), "{lines:?} {stderr}");
    let (status, lines, stderr) = Client::start(["watch", link, "--plain"]).finish();
    let end = lines.iter().any(|line| line.contains("Ann (Black) wins by d8 e8 f8 g8 h8"));
    assert!(status.success() && end, "{lines:?} {stderr}");
    let (status, lines, stderr) = Client::start(["analyse", link]).finish();
    assert!(
        status.success() && lines.iter().any(|line| line.contains("lost")),
        "{lines:?} {stderr}"
    );
    let mut screen = Terminal::start(&["watch", link]);
    screen.sees(&["wins by", "Move 9 of 9"]);
    for (key, label) in [
        ("\x1b[D", "Move 8 of 9"),
        ("\x1b[H", "Move 0 of 9"),
        ("\x1b[C", "Move 1 of 9"),
        ("\x1b[F", "Move 9 of 9"),
    ] {
        screen.type_keys(key);
        screen.sees(&[label]);
    }
    screen.forget();
    screen.type_keys("q");
    screen.until(&[
        "wins by",
        &format!("fivefold watch {link}"),
        &format!("fivefold analyse {link}"),
    ]);
    let mistaken = Client::start(["join", link]);
    let (status, _, stderr) = mistaken.finish();
    assert!(status.code() == Some(2) && stderr.contains("fivefold watch"), "{stderr}");
}

#[test]
fn a_screen_that_is_left_says_how_the_game_stands_and_how_to_come_back() {
    let server = Server::start();
    let (mut bob, mut ann) = against_bob(&server.url(), &["--variant", "tic-tac-toe"]);
    ann.type_keys("b2\r");
    bob.event("played");
    ann.sees(&["White to move: move 2"]);
    ann.forget();
    ann.type_keys("qy");
    ann.until(&[
        "Move 2: Bob (White) to move.",
        "If you are away for 60 s on your turn, Bob may claim the win.",
        "To come back: fivefold join http",
    ]);

    let (mut bob, mut ann) = against_bob(&server.url(), &["--variant", "tic-tac-toe"]);
    ann.type_keys("b2\r");
    bob.event("played");
    bob.say("resign");
    ann.sees(&["Ann (Black, you) wins"]);
    ann.forget();
    ann.type_keys("q");
    ann.until(&["Ann (Black, you) wins", "fivefold analyse http", "fivefold join http"]);
    let shown = ann.shown().to_owned();
    let (_, rest) = shown.split_once("fivefold watch ").expect("a command");
    let link = rest.split_whitespace().next().expect("a link");
    assert!(link.starts_with(&format!("{}/game/", server.url())), "{link}");
    let (status, lines, stderr) = Client::start(["watch", link, "--plain"]).finish();
    assert!(status.success(), "{lines:?} {stderr}");

    // A game in this process leaves its moves.
    let mut local = Terminal::start(&["local", "--variant", "tic-tac-toe"]);
    local.sees(&["Black to move: move 1"]);
    local.type_keys("b2\r");
    local.sees(&["White to move: move 2"]);
    local.type_keys("c3\r");
    local.sees(&["Black to move: move 3"]);
    local.forget();
    local.type_keys("qy");
    local.until(&["Moves: b2 c3"]);

    // A room that is closed leads nowhere.
    let folder = tempfile::tempdir().expect("a folder");
    let start = |words: &[&str]| {
        Client::start_in(folder.path(), words.iter().chain(&["--server", &server.url()]))
    };
    let link = start(&["play", "--json"]).event("joined")["link"].as_str().expect("it").to_owned();
    let mut eve = Terminal::start(&["watch", &link]);
    eve.sees(&["A seat is open"]);
    let (status, _, stderr) = start(&["close", &link]).finish();
    assert!(status.success(), "{stderr}");
    eve.sees(&["This room is over"]);
    eve.forget();
    eve.type_keys("q");
    eve.until(&["The room is closed."]);
    for words in [["watch", &link], ["join", &link]] {
        let (status, _, stderr) = Client::start(words).finish();
        let is_told = stderr.contains("has closed") && stderr.contains("fivefold games");
        assert!(status.code() == Some(1) && is_told, "{words:?}: {stderr}");
    }
    for words in [&["analyse", &link][..], &["convert", &link, "-", "--to", "moves"]] {
        let (status, _, stderr) = Client::start(words).finish();
        assert!(!status.success() && stderr.contains("fivefold games"), "{words:?}: {stderr}");
    }
}

#[test]
fn own_games_are_listed_with_the_commands_that_open_them() {
    let server = Server::start();
    let (url, settings) = (server.url(), tempfile::tempdir().expect("a folder"));
    let start =
        |words: &[&str]| Client::start_in(settings.path(), words.iter().chain(&["--server", &url]));
    let room = |words: &[&str]| {
        let mut ann = start(&[&["play", "--name", "Ann", "--json"], words].concat());
        let link = ann.event("joined")["link"].as_str().expect("a link").to_owned();
        (ann, link)
    };
    let join = |link: &str| Client::start(["join", link, "--name", "Bob", "--json"]);
    let (mut ann, link) = room(&["--as", "black"]);
    let mut bob = join(&link);
    ann.event("started");
    ann.say("h8");
    bob.event("played");
    bob.say("resign");
    ann.event("ended");
    drop((ann, bob));
    let (ann, _) = room(&[]);
    drop(ann);
    let (ann, _) = room(&["--bot", "attack", "--as", "black"]);
    drop(ann);
    let (mut ann, link) = room(&["--as", "white"]);
    let _bob = join(&link);
    ann.event("started");
    drop(ann);

    let (status, lines, stderr) = start(&["games"]).finish();
    assert!(status.success(), "{stderr}");
    let states = lines.iter().map(|line| line.split("  ").nth(1).unwrap_or_default());
    let states: Vec<&str> = states.collect();
    let kinds = ["your turn", "running", "open seat", "finished"];
    assert_eq!((&states[..4], states.len()), (&kinds[..], 5), "{lines:?}");
    assert!(lines[4].contains("won") && !lines[4].contains("http"), "{lines:?}");
    let hints = stderr.lines().filter_map(|line| line.split_once("fivefold "));
    let hints: Vec<Vec<&str>> = hints.map(|(_, words)| words.split(' ').collect()).collect();
    let names: Vec<&str> = hints.iter().map(|words| words[0]).collect();
    assert_eq!(names, ["join", "join", "join", "join", "watch", "analyse"], "{stderr}");
    for (words, line) in hints.iter().zip([0, 1, 2, 3, 4, 4]) {
        assert!(lines[line].starts_with(words[1]), "{words:?}: {lines:?}");
        if words[0] == "analyse" {
            let (status, lines, stderr) = start(words).finish();
            assert!(status.success(), "{lines:?} {stderr}");
        } else {
            start(&[words, &["--json"][..]].concat()).event("joined");
        }
    }
    // A list for programs is as the server sends it, and without hints.
    let (_, lines, stderr) = start(&["games", "--json"]).finish();
    assert!(lines.len() == 5 && stderr.is_empty(), "{lines:?} {stderr}");
    let (_, lines, stderr) = start(&["rooms", "--mine"]).finish();
    let code = lines[0].split(' ').next().expect("a code");
    assert!(stderr.contains("fivefold join ") && stderr.contains(code), "{lines:?} {stderr}");
}

#[test]
fn the_running_game_is_saved_from_the_screen() {
    let server = Server::start();
    let (mut bob, mut ann) = against_bob(&server.url(), &[]);
    ann.type_keys("h8\r");
    bob.event("played");
    bob.say("i9");
    ann.sees(&["Your turn: move 3"]);
    ann.type_keys("\x13\x13");
    ann.sees(&["fivefold.sgf.", "fivefold-2.sgf."]);
    let text = ann.saved("fivefold.sgf");
    for part in ["PB[Ann]", "PW[Bob]", ";B[hh]", ";W[ig]"] {
        assert!(text.contains(part), "{text}");
    }
}
