//! Tests the real client program, driven by scripts through `--json` as in `docs/clients/json.md`.

use fivefold_shared::clock::DAY_MS;
use fivefold_tests::{Client, Guest, Server};
use serde_json::{Value, json};

use crate::{FIVE, proxy::Proxy};

/// Starts `fivefold COMMAND... --server URL --json`.
fn json_client(url: &str, command: &[&str]) -> Client {
    Client::start(command.iter().chain(&["--server", url, "--json"]))
}

/// Ends the client with `leave`, and checks its exit.
fn leave(mut client: Client) {
    client.say("leave");
    let (status, rest, stderr) = client.finish();
    assert!(status.success(), "{status}: {stderr}");
    assert_eq!(rest.last().map(String::as_str), Some(r#"{"type":"left"}"#), "{rest:?}");
}

/// Plays the first free candidate whenever it is our turn, and returns the line that ends the
/// game.
fn play_out(client: &mut Client, candidates: &[(i32, i32)]) -> Value {
    let mut taken = Vec::new();
    loop {
        let line = client.json();
        match line["type"].as_str() {
            Some("ended") => return line,
            Some("played") => taken.push(line["point"].clone()),
            Some("refused" | "unreadable" | "closed" | "lost") => panic!("{line}"),
            _ => {}
        }
        if line["your_turn"] == true {
            let free = candidates.iter().find(|(x, y)| !taken.contains(&json!([x, y])));
            let (x, y) = free.expect("candidates enough");
            client.say(&format!("{x},{y}"));
        }
    }
}

#[test]
fn whole_games_against_each_bot_by_script() {
    let server = Server::start();
    // Far apart, so that any opponent that can win beats the script.
    let apart: Vec<_> = (0..100).map(|i| (i % 5 * 3, i / 5 * 2 + i % 2)).collect();
    let rows: Vec<_> = (0..9).map(|i| (i % 3, i / 3)).collect();
    let cases = [
        ("attack", &["--size", "unbounded", "--as", "white"][..], &apart, "lost"),
        ("pattern", &["--as", "black"], &apart, "lost"),
        ("minimax", &["--variant", "tic-tac-toe", "--as", "white"], &rows, "lost"),
    ];
    for (bot, how, candidates, result) in cases {
        let mut client = json_client(&server.url(), &[&["play", "--bot", bot], how].concat());
        let end = play_out(&mut client, candidates);
        assert_eq!(end["result"], result, "{bot}: {end}");
        assert_eq!(end["outcome"]["reason"], "five", "{bot}: {end}");
        leave(client);
    }
}

#[test]
fn two_people_by_link_to_a_five_and_a_third_watching() {
    let server = Server::start();
    let play = ["play", "--as", "black", "--name", "Ann"];
    let mut ann = json_client(&server.url(), &play);
    let joined = ann.event("joined");
    let link = joined["link"].as_str().expect("a link").to_owned();
    assert!(link.starts_with(&format!("{}/r/", server.url())), "{link}");
    // A link includes the server, so `--server` is not needed.
    let mut bob = Client::start(["join", &link, "--name", "Bob", "--json"]);
    let mut eve = Client::start(["watch", &link, "--name", "Eve", "--json"]);
    assert_eq!(eve.event("joined")["plays"], json!([]));

    for (ply, (x, y)) in FIVE.into_iter().enumerate() {
        let mover = if ply % 2 == 0 { &mut ann } else { &mut bob };
        while mover.json()["your_turn"] != true {}
        mover.say(&format!("{x},{y}"));
    }
    let mut finals = Vec::new();
    for (client, result) in
        [(&mut ann, json!("won")), (&mut bob, json!("lost")), (&mut eve, Value::Null)]
    {
        let end = client.event("ended");
        assert_eq!(end["result"], result, "{end}");
        client.say("board");
        let state = client.event("state");
        finals.push((state["game"]["moves"].clone(), state["game"]["outcome"].clone()));
    }
    assert_eq!(finals[0], finals[1]);
    assert_eq!(finals[0], finals[2]);
    assert_eq!(finals[0].0.as_array().map(Vec::len), Some(FIVE.len()));
    for client in [ann, bob, eve] {
        leave(client);
    }
    // Nobody sits down by looking at a finished game: that would ask for another one.
    let mut cid = Client::start(["join", &link, "--name", "Cid", "--json"]);
    cid.event("joined");
    cid.say("say a fine game");
    loop {
        let line = cid.json();
        assert_ne!(line["type"], "sat", "{line}");
        if line.to_string().contains("a fine game") {
            break;
        }
    }
    cid.say("sit");
    cid.event("sat");
    leave(cid);
}

#[test]
fn a_player_mutes_reports_and_blocks_the_opponent_from_the_room() {
    let server = Server::start();
    let mut ann = json_client(&server.url(), &["play", "--as", "black", "--name", "Ann"]);
    let link = ann.event("joined")["link"].as_str().expect("a link").to_owned();
    let mut bob = Client::start(["join", &link, "--name", "Bob", "--json"]);
    bob.event("joined");
    ann.event("sat");
    let cases = [
        ("/mute bob", true, "You hear no chat of theirs."),
        ("/report Bob chat Insults me", true, "Bob is reported."),
        ("/block Nobody here", false, "online"),
        ("/block Bob", true, "You do not meet any more."),
    ];
    for (line, done, text) in cases {
        ann.say(line);
        let answer = ann.event("about_person");
        assert_eq!(answer["done"], done, "{line}: {answer}");
        assert!(answer["text"].as_str().expect("a text").contains(text), "{line}: {answer}");
    }
    for line in ["/report Bob", "/report Eve chat", "/block"] {
        ann.say(line);
        ann.event("unreadable");
    }
    for client in [ann, bob] {
        leave(client);
    }
}

#[test]
fn a_player_says_who_may_challenge_them() {
    let server = Server::start();
    let (url, settings) = (server.url(), tempfile::tempdir().expect("a folder"));
    let start =
        |words: &[&str]| Client::start_in(settings.path(), words.iter().chain(&["--server", &url]));
    let mut bob = start(&["play", "--as", "black", "--name", "Bob", "--json"]);
    bob.event("joined");
    let (status, lines, stderr) = start(&["challenges"]).finish();
    assert!(status.success() && lines == ["everybody"], "{lines:?} {stderr}");
    for (from, says, refusal) in [
        ("accounts", "Only people with an account may challenge you.", "only from people"),
        ("nobody", "Nobody may challenge you.", "takes no challenges"),
    ] {
        let (status, lines, stderr) = start(&["challenges", from]).finish();
        assert!(status.success() && lines.is_empty() && stderr.contains(says), "{stderr}");
        let (_, lines, _) = start(&["challenges"]).finish();
        assert_eq!(lines, [from]);
        let eve = Client::start(["challenge", "Bob", "--plain", "--server", &url]);
        let (status, lines, stderr) = eve.finish();
        assert!(!status.success() && stderr.contains(refusal), "{lines:?} {stderr}");
    }
    let (status, _, stderr) = start(&["challenges", "friends"]).finish();
    assert!(status.code() == Some(2) && stderr.contains("possible values"), "{stderr}");
    leave(bob);
}

#[test]
fn two_bots_are_watched() {
    let server = Server::start();
    let watch = ["watch", "--bots", "minimax,minimax", "--variant", "tic-tac-toe"];
    let mut client = json_client(&server.url(), &watch);
    let end = client.event("ended");
    assert_eq!((&end["outcome"]["reason"], &end["result"]), (&json!("full_board"), &Value::Null));
    let mut lister = json_client(&server.url(), &["rooms"]);
    assert_eq!(lister.event("room")["phase"], "finished");
    leave(client);
}

#[test]
fn own_rooms_are_found_again_and_closed() {
    let server = Server::start();
    let (url, settings) = (server.url(), tempfile::tempdir().expect("a folder"));
    let start =
        |words: &[&str]| Client::start_in(settings.path(), words.iter().chain(&["--server", &url]));
    let mut play = start(&["play", "--bot", "attack", "--as", "black", "--json"]);
    let link = play.event("joined")["link"].as_str().expect("a link").to_owned();
    drop(play);

    let room = start(&["rooms", "--json"]).event("own_room");
    assert_eq!(
        (&room["link"], &room["your_turn"], &room["host"]),
        (&json!(link), &json!(true), &json!(true))
    );
    let (status, lines, stderr) = start(&["rooms", "--mine"]).finish();
    assert!(
        status.success() && lines.len() == 1 && lines[0].ends_with("(your turn)"),
        "{lines:?} {stderr}"
    );
    // Another person has no room here, and may not close this one.
    let (status, lines, stderr) = Client::start(["rooms", "--mine", "--server", &url]).finish();
    assert!(status.success() && lines.is_empty() && stderr.contains("no open rooms"), "{stderr}");
    let (status, _, stderr) = Client::start(["close", &link]).finish();
    assert!(!status.success() && stderr.contains("Only the host"), "{stderr}");

    let (status, _, stderr) = start(&["close", &link]).finish();
    assert!(status.success() && stderr.contains("is closed"), "{stderr}");
    let (status, lines, _) = start(&["rooms", "--mine"]).finish();
    assert!(status.success() && lines.is_empty(), "{lines:?}");
    let (status, _, stderr) = start(&["close", &link]).finish();
    assert!(!status.success() && stderr.contains("no room with this code"), "{stderr}");
}

#[test]
fn who_watches_without_input_is_told_the_end() {
    let server = Server::start();
    let url = server.url();
    let watch =
        ["watch", "--bots", "minimax,minimax", "--variant", "tic-tac-toe", "--server", &url];
    for (view, end) in [("--json", r#"{"type":"ended","#), ("--plain", "draw")] {
        let (status, lines, stderr) = Client::start(watch.iter().chain(&[view])).finish();
        assert!(status.success(), "{status}: {stderr}");
        assert!(lines.iter().any(|line| line.contains(end)), "{view}: {lines:?}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_client_comes_back_by_itself_after_its_connection_is_cut() {
    let server = Server::start();
    let proxy = Proxy::to(&server).await;
    let mut ann = json_client(&proxy.url(), &["play", "--as", "black", "--name", "Ann"]);
    let code = ann.event("joined")["room"].as_str().expect("a room").to_owned();
    let room = code.try_into().expect("a code");
    let mut bob = Guest::hello(&server, "Bob").await;
    bob.join(&room).await;
    bob.done(&room, fivefold_shared::protocol::RoomRequest::Sit { seat: None }).await;

    for moves in FIVE.chunks(2) {
        while ann.json()["your_turn"] != true {}
        ann.say(&format!("{},{}", moves[0].0, moves[0].1));
        bob.until(&room, |seen| seen.position().last_move() == Some(moves[0].into())).await;
        let Some(&answer) = moves.get(1) else { break };
        // Cut the connection before one of Bob's moves, so that Ann receives it late.
        if answer == FIVE[3] {
            proxy.cut();
            bob.play(&room, answer).await;
            ann.event("lost");
        } else {
            bob.play(&room, answer).await;
        }
    }
    bob.until(&room, |seen| seen.position().outcome().is_some()).await;
    assert_eq!(ann.event("ended")["result"], "won");
    leave(ann);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_refusal_of_the_connection_is_shown() {
    let server = Server::start_with(&[("sessions-per-address", "1")]);
    let _guest = Guest::hello(&server, "Ann").await;
    let (status, rest, said) = Client::start(["rooms", "--server", &server.url()]).finish();
    assert_eq!(status.code(), Some(1), "{said}");
    assert!(said.contains("refuses: Too many connections are open"), "{said}");
    assert_eq!(rest, Vec::<String>::new(), "nothing on standard output");
}

#[test]
fn mistakes_are_told_and_end_with_their_exit_codes() {
    let nowhere = ["rooms", "--server", "http://127.0.0.1:9"];
    let cases: [(&[&str], i32, &str); 4] = [
        (&nowhere, 1, "127.0.0.1:9"),
        (&["play", "--variant", "go"], 2, "--variant"),
        (&["join", "somewhere"], 2, "12 characters"),
        (&["play", "--variant", "renju", "--size", "19"], 2, "15x15"),
    ];
    for (arguments, code, words) in cases {
        let (status, rest, stderr) = Client::start(arguments).finish();
        assert_eq!(status.code(), Some(code), "{arguments:?}: {stderr}");
        assert!(stderr.contains(words), "{arguments:?}: {stderr}");
        assert_eq!(rest, Vec::<String>::new(), "nothing on standard output");
    }
}

#[test]
fn a_game_of_days_is_created_by_link_and_its_clock_is_in_days() {
    let server = Server::start();
    let play = ["play", "--as", "black", "--time", "3d", "--name", "Ann"];
    let mut ann = json_client(&server.url(), &play);
    let joined = ann.event("joined");
    let days = json!({"type": "daily", "move_ms": 3 * DAY_MS});
    assert_eq!(joined["time"], days, "{joined}");
    let link = joined["link"].as_str().expect("a link").to_owned();
    let mut bob = Client::start(["join", &link, "--name", "Bob", "--plain"]);
    bob.line_with("3 days for each move");
    assert_eq!(ann.event("first_act_due")["seat"], "first");
    ann.say("h8");
    let left_ms = |played: Value| played["clock"]["second"]["left_ms"].as_u64().expect("a clock");
    let left = left_ms(ann.event("played"));
    assert!((2 * DAY_MS..=3 * DAY_MS).contains(&left), "{left}");
    bob.line_with("you) must begin within 3 d 0 h");
    bob.say("i9");
    assert_eq!(left_ms(ann.event("played")), 3 * DAY_MS, "the time for a move is whole again");

    ann.say("claim");
    assert_eq!(ann.event("refused")["reason"], "no_claim");
    leave(ann);
}
