//! Tests how people and programs find each other with the real client and the real server.

use std::time::{Duration, Instant};

use clap::CommandFactory;
use fivefold::cli::Cli;
use fivefold_shared::{
    protocol::{LobbyRequest, Message, Player, Request},
    seat::Seat,
};
use fivefold_tests::{Client, Guest, Server, program};
use serde_json::{Value, json};

use crate::{FIVE, proxy::Proxy};

/// Starts `fivefold WORDS... --server URL`.
fn start(url: &str, words: &[&str]) -> Client {
    Client::start(words.iter().chain(&["--server", url]))
}

/// Ends the client with `leave`, and returns what it printed on standard error.
fn leave(mut client: Client) -> String {
    client.say("leave");
    let (status, _, stderr) = client.finish();
    assert!(status.success(), "{status}: {stderr}");
    stderr
}

/// Plays a game of two clients in a free opening: First wins.
fn play(players: [&mut Client; 2]) -> [Value; 2] {
    let [first, second] = players;
    for (ply, (x, y)) in FIVE.into_iter().enumerate() {
        let mover = if ply % 2 == 0 { &mut *first } else { &mut *second };
        // Already before the first move, it was First's turn.
        while ply > 0 && mover.json()["your_turn"] != true {}
        mover.say(&format!("{x},{y}"));
    }
    [first.event("ended"), second.event("ended")]
}

/// Both clients in the order of their seats, from their `joined` lines.
fn by_seat(mut players: [Client; 2]) -> [Client; 2] {
    let seats = players.each_mut().map(|client| client.event("joined")["plays"].clone());
    assert_ne!(seats[0], seats[1]);
    if seats[0] == json!(["second"]) {
        players.reverse();
    }
    players
}

#[test]
fn two_strangers_in_a_pool_play_a_game() {
    let server = Server::start();
    let url = server.url();
    let mut ann = start(&url, &["seek", "free", "--name", "Ann", "--json"]);
    let pool = ann.event("pool");
    assert!(pool["waiting"] == 0 && pool["wait_ms"].is_null(), "true figures: {pool}");
    ann.event("seeking");
    let pool = ann.event("pool");
    assert_eq!((&pool["name"], &pool["waiting"]), (&json!("free"), &json!(1)));
    let list = start(&url, &["seek", "--list"]);
    let (status, lines, _) = list.finish();
    assert!(status.success(), "{lines:?}");
    let free = lines.iter().find(|line| line.contains(" free ")).expect("the pool");
    assert!(free.contains("freestyle 15x15, no clock") && free.contains(" 1 "), "{free}");

    let bob = start(&url, &["seek", "free", "--name", "Bob", "--json"]);
    let [mut first, mut second] = by_seat([ann, bob]);
    let [won, lost] = play([&mut first, &mut second]);
    assert_eq!((&won["result"], &lost["result"]), (&json!("won"), &json!("lost")));
    leave(first);
    leave(second);
}

#[test]
fn a_pool_is_chosen_from_the_list_and_the_seek_cancelled() {
    let server = Server::start();
    let mut ann = start(&server.url(), &["seek", "--json"]);
    let first = ann.event("pool")["name"].clone();
    ann.say("1");
    let seek = ann.event("seeking")["seek"].clone();
    loop {
        let pool = ann.event("pool");
        if pool["waiting"] == 1 {
            assert_eq!(pool["name"], first);
            break;
        }
    }
    ann.say("cancel");
    let over = ann.event("seek_over");
    assert_eq!((&over["seek"], &over["why"]), (&seek, &json!("cancelled")));
    leave(ann);

    let (status, lines, stderr) = start(&server.url(), &["seek", "--plain"]).finish();
    assert!(status.success() && stderr.contains("Which pool?"), "{stderr}");
    let line = lines.iter().find(|line| line.contains("gomoku-5-3")).expect("a pool");
    assert!(line.contains("standard 15x15, 5+3, swap2"), "{line}");

    let unknown = start(&server.url(), &["seek", "chess-5-3"]).finish();
    assert_eq!(unknown.0.code(), Some(2), "{unknown:?}");
    assert!(unknown.2.contains("gomoku-5-3"), "{unknown:?}");
}

#[test]
fn an_offer_of_ones_own_is_listed_and_accepted() {
    let server = Server::start();
    let url = server.url();
    let offer = ["seek", "--size", "19", "--time", "10+5", "--name", "Ann", "--json"];
    let mut ann = start(&url, &offer);
    let seek = ann.event("seeking")["seek"].as_str().expect("an id").to_owned();
    let mut list = start(&url, &["seek", "--json"]);
    let listed = list.event("open_seek");
    assert_eq!((&listed["seek"], &listed["name"]), (&json!(seek), &json!("Ann")), "{listed}");
    assert_eq!(listed["rules"]["size"], json!([19, 19]));

    let bob = start(&url, &["seek", "--accept", &seek, "--json"]);
    let [first, second] = by_seat([ann, bob]);
    drop((first, second));
    let late = start(&url, &["seek", "--accept", &seek, "--json"]).finish();
    assert_eq!(late.0.code(), Some(1), "{late:?}");
}

#[test]
fn a_person_is_challenged_and_accepts_or_declines() {
    let server = Server::start();
    let url = server.url();
    let mut bob = start(&url, &["seek", "gomoku-10-5", "--name", "Bob", "--json"]);
    bob.event("seeking");
    let challenge = ["challenge", "bob", "--time", "3+2", "--opening", "free", "--name", "Ann"];
    let ann = start(&url, &challenge);
    let challenged = bob.event("challenged");
    assert_eq!((&challenged["name"], &challenged["for_ms"]), (&json!("Ann"), &json!(60_000)));
    bob.say("/decline Ann");
    let (status, _, stderr) = ann.finish();
    assert!(status.code() == Some(1) && stderr.contains("bob declines."), "{stderr}");

    let ann = start(&url, &[&challenge[..], &["--json"]].concat());
    bob.event("challenged");
    bob.say("/accept");
    let [mut first, mut second] = by_seat([ann, bob]);
    let [won, _] = play([&mut first, &mut second]);
    assert_eq!(won["result"], "won");
    leave(first);
    leave(second);

    let (status, _, stderr) = start(&url, &["challenge", "Nobody"]).finish();
    assert!(status.code() == Some(1) && stderr.contains("Nobody of this name"), "{stderr}");
}

#[test]
fn a_challenge_reaches_somebody_in_a_room() {
    let server = Server::start();
    let url = server.url();
    let mut bob =
        start(&url, &["play", "--bot", "attack", "--as", "black", "--name", "Bob", "--json"]);
    let room = bob.event("joined")["room"].clone();
    let ann = start(&url, &["challenge", "Bob", "--opening", "free", "--json"]);
    bob.event("challenged");
    bob.say("/accept");
    let paired = bob.event("paired");
    assert_ne!(paired["room"], room);
    assert_eq!(paired["rated"], false);
    let [mut first, mut second] = by_seat([ann, bob]);
    play([&mut first, &mut second]);
    leave(first);
    leave(second);
}

#[test]
fn completions_suggest_the_pools_of_a_server() {
    let server = Server::start();
    let (status, lines, _) = start(&server.url(), &["seek", "--list", "--json"]).finish();
    assert!(status.success(), "{lines:?}");
    let lines: Vec<Value> =
        lines.iter().map(|line| serde_json::from_str(line).expect("JSON")).collect();
    let pools: Vec<_> = lines.iter().filter(|line| line["type"] == "pool").collect();
    let pools: Vec<&str> = pools.iter().filter_map(|pool| pool["name"].as_str()).collect();
    assert!(!pools.is_empty(), "{lines:?}");
    for (command, argument) in [("seek", "pool"), ("seat", "seek")] {
        let command = Cli::command().find_subcommand(command).expect("a command").clone();
        let argument = command.get_arguments().find(|each| each.get_id() == argument);
        let values = argument.expect("an argument").get_possible_values();
        let suggested: Vec<&str> = values.iter().map(|value| value.get_name()).collect();
        assert_eq!(suggested, pools, "{}", command.get_name());
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn after_a_cut_connection_the_seek_keeps_its_place() {
    let server = Server::start();
    let proxy = Proxy::to(&server).await;
    let mut ann = start(&proxy.url(), &["seek", "free", "--json"]);
    let before = ann.event("seeking");
    proxy.cut();
    ann.event("lost");
    ann.event("back");
    let after = ann.event("seeking");
    assert_eq!(after["seek"], before["seek"], "the same seek");
    let bob = start(&server.url(), &["seek", "free", "--json"]);
    let [mut first, mut second] = by_seat([ann, bob]);
    play([&mut first, &mut second]);
}

#[test]
fn own_games_are_listed_open_and_finished() {
    let server = Server::start();
    let (url, settings) = (server.url(), tempfile::tempdir().expect("a folder"));
    let start_in =
        |words: &[&str]| Client::start_in(settings.path(), words.iter().chain(&["--server", &url]));
    let (status, lines, stderr) = start_in(&["games"]).finish();
    assert!(status.success() && lines.is_empty() && stderr.contains("no games"), "{stderr}");

    let tic_tac_toe = ["play", "--bot", "minimax", "--variant", "tic-tac-toe", "--as", "black"];
    let mut play = start_in(&[&tic_tac_toe[..], &["--json"]].concat());
    play.event("joined");
    play.say("resign");
    play.event("ended");
    leave(play);
    let mut play = start_in(&[&tic_tac_toe[..], &["--json"]].concat());
    let code = play.event("joined")["room"].as_str().expect("a code").to_owned();
    drop(play);

    let (status, lines, stderr) = start_in(&["games"]).finish();
    assert!(status.success(), "{stderr}");
    let open = format!("{code}  your turn  against Bot \"Perfect\": tic-tac-toe, no clock, move 1");
    assert_eq!(lines[0], open);
    let last = lines.last().expect("a finished game");
    assert!(last.contains("  lost   against Bot \"Perfect\": 0 moves, tic-tac-toe"), "{lines:?}");
    assert!(!last.contains("http"), "{lines:?}");
    let mut json = start_in(&["games", "--json"]);
    assert_eq!(json.event("own_room")["your_turn"], true);
    assert_eq!(json.event("game")["outcome"]["reason"], "resignation");
}

#[test]
fn after_a_link_the_next_commands_ask_its_server() {
    let [server, other] = [Server::start(), Server::start()];
    let settings = tempfile::tempdir().expect("a folder");
    let start_in = |words: &[&str]| Client::start_in(settings.path(), words);
    let (status, ..) = start_in(&["games", "--server", &server.url()]).finish();
    assert!(status.success());
    let mut host = start(&other.url(), &["play", "--json"]);
    let link = host.event("joined")["link"].as_str().expect("a link").to_owned();
    let mut guest = start_in(&["join", &link, "--json"]);
    guest.event("joined");
    let mut games = start_in(&["games", "--json"]);
    assert_eq!(games.event("own_room")["link"], link);
    // An option wins, and is kept in the same way.
    let (_, _, stderr) = start_in(&["games", "--server", &server.url()]).finish();
    assert!(stderr.contains("no games"), "{stderr}");
    let (_, _, stderr) = start_in(&["games"]).finish();
    assert!(stderr.contains(&server.url()), "{stderr}");
}

/// `fivefold seat` on its own, with our own bots as the engine.
fn engine(url: &str, how: &[&str]) -> Client {
    let brain = format!("'{}' brain --bot attack", program("fivefold").display());
    let words = ["seat", "--engine", &brain, "--time", "200", "--pause", "1", "--allow-root"];
    start(url, &[&words[..], how].concat())
}

#[test]
fn two_engines_seek_and_play_until_they_have_enough() {
    let server = Server::start();
    let url = server.url();
    let how = ["--seek", "free", "--games", "2"];
    let [one, other] =
        ["One", "Other"].map(|name| engine(&url, &[&how[..], &["--name", name]].concat()));
    for client in [one, other] {
        let (status, lines, stderr) = client.finish();
        assert!(status.success(), "{status}: {stderr}");
        let is_end = |line: &&String| line.contains(" wins by ") || line.starts_with("A draw");
        let wins = lines.iter().filter(is_end).count();
        assert_eq!(wins, 2, "{lines:?}");
        assert!(stderr.contains("You seek in free"), "{stderr}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn an_engine_accepts_challenges_and_is_marked() {
    let server = Server::start();
    let engine = engine(&server.url(), &["--accept-challenges", "--games", "1", "--name", "Deep"]);
    let mut ann = Guest::hello(&server, "Ann").await;
    let challenge = |variant: &str| -> LobbyRequest {
        serde_json::from_value(json!({
            "type": "challenge", "name": "Deep",
            "settings": {"rules": {"variant": variant, "size": [15, 15]}},
        }))
        .expect("a challenge")
    };
    // Until the engine is online.
    let deadline = Instant::now() + Duration::from_secs(30);
    let seek = loop {
        match ann.ask(Request::Lobby(challenge("renju"))).await {
            Message::Seeking { seek, .. } => break seek,
            refused => assert!(Instant::now() < deadline, "{refused:?}"),
        }
        tokio::time::sleep(Duration::from_millis(100)).await;
    };
    let room = loop {
        match ann.next().await {
            Message::Paired { room, seek: Some(paired), .. } if paired == seek => break room,
            Message::SeekOver { why, .. } => panic!("{why:?}"),
            _ => {}
        }
    };
    ann.join(&room).await;
    let seats = &ann.seen(&room).room.seats;
    let is_engine =
        |seat: &Seat| matches!(seats.get(*seat), Some(Player::Member { engine: true, .. }));
    assert_eq!(Seat::BOTH.iter().filter(|seat| is_engine(seat)).count(), 1);
    drop(engine);
}
