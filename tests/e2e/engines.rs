//! Tests external engines, good ones and misbehaving ones, in rooms and in matches.

use std::path::Path;

use fivefold_shared::{
    opening::{Act, OpeningKind},
    protocol::{Create, Message, Player, RoomCode, RoomRequest},
    rules::{Outcome, Point, Position, Rules, Size, Stone, Variant},
    seat::Seat,
};
use fivefold_tests::{Client, Guest, Server, private, program};
use serde_json::{Value, json};

use crate::freestyle;

/// A command that runs the strange engine with these arguments.
fn strange(how: &str) -> String {
    format!("'{}' {how}", program("strange_engine").display())
}

/// A command that runs our own bots.
fn brain(bot: &str) -> String {
    format!("'{}' brain --bot {bot}", program("fivefold").display())
}

/// `fivefold seat` in a room.
fn seat(server: &Server, room: &RoomCode, engine: &str, how: &[&str]) -> Client {
    let link = format!("{}/r/{room}", server.url());
    let words = ["seat", &link, "--engine", engine, "--time", "300", "--allow-root"];
    Client::start(words.iter().chain(how))
}

/// Ann in a room of hers, with the engine.
struct Table {
    server: Server,
    ann: Guest,
    room: RoomCode,
}

impl Table {
    async fn new(create: Create) -> Self {
        let server = Server::start();
        let mut ann = Guest::hello(&server, "Ann").await;
        let room = ann.create(create).await;
        Self { server, ann, room }
    }

    /// Waits for the first game.
    async fn begun(&mut self) -> Player {
        let seen = self.ann.until(&self.room, |seen| seen.room.running().is_some()).await;
        seen.room.seats.second.clone().expect("somebody sits there")
    }

    fn position(&self) -> &Position {
        self.ann.seen(&self.room).position()
    }

    /// Ann plays and waits for the answer, unless that ends the game. Returns the chat lines until
    /// then.
    async fn play(&mut self, point: impl Into<Point>) -> Vec<String> {
        let before = self.position().ply();
        self.ann.play(&self.room, point).await;
        let mut chat = Vec::new();
        while self.position().ply() < before + 2 && self.position().outcome().is_none() {
            if let Message::PlayerSaid { line, .. } = self.ann.next().await {
                chat.push(line.text.as_str().to_owned());
            }
        }
        chat
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn an_engine_plays_in_a_room_and_is_known_as_one() {
    for how in ["plain", "suggest"] {
        let mut table = Table::new(private(freestyle())).await;
        let engine = seat(&table.server, &table.room, &strange(how), &["--games", "2"]);
        let player = table.begun().await;
        assert!(matches!(player, Player::Member { engine: true, .. }), "{player:?}");
        assert_eq!(player.name(), format!("bot Strange {how}"));
        // The engine grants a takeback, and searches the new position.
        table.play((3, 7)).await;
        table.ann.done(&table.room, RoomRequest::AskTakeback).await;
        table.ann.until(&table.room, |seen| seen.position().ply() == 0).await;
        for x in 3..8 {
            table.play((x, 7)).await;
        }
        let black_wins =
            |outcome: Option<&Outcome>| outcome.and_then(Outcome::winner) == Some(Stone::Black);
        assert!(black_wins(table.position().outcome()), "{}", table.position());
        // It accepts a rematch, and leaves after its second game.
        table.ann.done(&table.room, RoomRequest::Rematch).await;
        table.ann.until(&table.room, |seen| seen.position().ply() == 1).await;
        table.ann.done(&table.room, RoomRequest::Resign).await;
        let (status, _, stderr) = engine.finish();
        assert!(status.success(), "{status}: {stderr}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn an_engine_that_gets_ready_during_its_first_move_is_not_late_in_the_game() {
    let mut table = Table::new(private(freestyle())).await;
    let engine = seat(&table.server, &table.room, &strange("unready"), &["--games", "1"]);
    table.begun().await;
    assert_eq!(table.play((3, 7)).await, Vec::<String>::new());
    assert_eq!((table.position().ply(), table.position().outcome()), (2, None));
    table.ann.done(&table.room, RoomRequest::Resign).await;
    let (status, _, stderr) = engine.finish();
    assert!(status.success(), "{status}: {stderr}");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_strange_engine_gives_up_and_says_why() {
    let cases = [
        ("hang", "does not answer in its time"),
        ("crash", "has ended by itself"),
        ("garbage", "does not answer in its time"),
        ("illegal", "this point has a stone already"),
        ("outside", "this point is not on the board"),
        ("greedy", "has ended by itself"),
    ];
    for (how, why) in cases {
        let mut table = Table::new(private(freestyle())).await;
        let memory = ["--memory", "256"];
        let engine = seat(&table.server, &table.room, &strange(how), &memory);
        table.begun().await;
        assert_eq!(table.play((3, 7)).await, Vec::<String>::new(), "{how}: its first move");
        let chat = table.play((4, 7)).await;
        assert!(chat.iter().any(|line| line.contains(why)), "{how}: {chat:?}");
        let resigned = Outcome::Resignation { winner: Stone::Black };
        assert_eq!(table.position().outcome(), Some(&resigned), "{how}");
        let (status, _, stderr) = engine.finish();
        assert_eq!(status.code(), Some(1), "{how}: {stderr}");
        assert!(stderr.contains(why), "{how}: {stderr}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn an_engine_that_may_be_started_again_goes_on() {
    let mut table = Table::new(private(freestyle())).await;
    let engine = seat(&table.server, &table.room, &strange("crash"), &["--retry", "1"]);
    table.begun().await;
    table.play((3, 7)).await;
    let chat = table.play((4, 7)).await;
    assert!(chat.iter().any(|line| line.contains("started again")), "{chat:?}");
    assert_eq!(table.position().outcome(), None);
    // The restarted process makes two moves again.
    table.play((5, 9)).await;
    let chat = table.play((6, 9)).await;
    assert!(chat.iter().any(|line| line.contains("gives up")), "{chat:?}");
    assert_eq!(engine.finish().0.code(), Some(1));
}

#[tokio::test(flavor = "multi_thread")]
async fn an_engine_that_cannot_play_takes_no_seat() {
    let four = Rules::new(Variant::Mnk { k: 4 }, Size::square(15)).expect("on offer");
    let cases = [
        (freestyle(), strange("refuse"), "no board is good enough"),
        (freestyle(), strange("late-refuse"), "this rule is not for me"),
        (four, strange("plain"), "mnk 4 15x15 has no number in its protocol"),
        (Rules::TIC_TAC_TOE, brain("minimax"), "no number"),
        (freestyle(), brain("minimax"), "at most 20 points"),
        (freestyle(), "/nowhere/engine".to_owned(), "cannot be started"),
    ];
    for (rules, command, why) in cases {
        let table = Table::new(private(rules)).await;
        let engine = seat(&table.server, &table.room, &command, &[]);
        let (status, _, stderr) = engine.finish();
        assert_eq!(status.code(), Some(1), "{command}: {stderr}");
        assert!(stderr.contains(why), "{command}: {stderr}");
        assert!(table.ann.seen(&table.room).room.seats.second.is_none(), "{command}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn an_engine_follows_play_on_the_unbounded_board() {
    let rules = Rules::new(Variant::Freestyle, Size::Unbounded).expect("on offer");
    let mut table = Table::new(private(rules)).await;
    let engine = seat(&table.server, &table.room, &brain("engine:6"), &["--games", "1"]);
    table.begun().await;
    // An open three outside the engine's window, far from the first stone.
    for (x, y) in [(0, 0), (-400, 70)] {
        table.play((x, y)).await;
    }
    // The engine may have taken any of these already.
    let (mut chat, mut end) = (Vec::new(), Point::default());
    for _ in 0..2 {
        let points = [-399, -398, -401].map(|x| Point::new(x, 70));
        let is_free = |point: &Point| table.position().stone_at(*point).is_none();
        end = points.into_iter().find(is_free).expect("it has set two stones since");
        chat = table.play((end.x, end.y)).await;
    }
    assert_eq!(chat, Vec::<String>::new());
    let answer = table.position().last_move().expect("an answer");
    let is_there = |stop: Point| stop.y == 70 && (-402..=-396).contains(&stop.x);
    let stones = table.position().moves().iter().skip(1).step_by(2);
    assert!(stones.copied().any(is_there) || answer.distance(end) < 6, "{answer:?}");
    table.ann.done(&table.room, RoomRequest::Resign).await;
    let (status, _, stderr) = engine.finish();
    assert!(status.success(), "{stderr}");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_program_that_is_no_engine_is_reported_within_three_seconds() {
    let cases = [
        ("cat".to_owned(), "it only echoes its input (START 15)"),
        (strange("silent"), "it does not answer START 15 within 3 s"),
        (strange("exit"), "it exits on START 15"),
        ("true".to_owned(), "it exits on START 15"),
        ("yes".to_owned(), "it does not answer START 15 within 3 s"),
    ];
    let table = Table::new(private(freestyle())).await;
    for (command, why) in cases {
        let begun = std::time::Instant::now();
        let (status, _, stderr) = seat(&table.server, &table.room, &command, &[]).finish();
        assert_eq!(status.code(), Some(1), "{command}: {stderr}");
        assert!(
            stderr.contains("is no Gomocup engine") && stderr.contains(why),
            "{command}: {stderr}"
        );
        // An engine that repeats its input fails at once.
        assert!(command != "cat" || begun.elapsed().as_secs() < 3, "{:?}", begun.elapsed());
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn messages_of_an_engine_stay_out_of_the_room() {
    let mut table = Table::new(private(freestyle())).await;
    let engine = seat(&table.server, &table.room, &strange("rude"), &["--retry", "1"]);
    table.begun().await;
    let mut chat = table.play((3, 7)).await;
    chat.extend(table.play((4, 7)).await);
    if table.position().outcome().is_none() {
        chat.extend(table.play((5, 9)).await);
        chat.extend(table.play((6, 9)).await);
    }
    let (status, _, stderr) = engine.finish();
    assert_eq!(status.code(), Some(1), "{stderr}");
    assert!(stderr.contains("my secret"), "the operator sees the message: {stderr}");
    assert!(chat.iter().any(|line| line.contains("started again: it refuses to play")), "{chat:?}");
    assert!(chat.iter().any(|line| line.contains("gives up: it refuses to play")), "{chat:?}");
    assert!(!chat.iter().any(|line| line.contains("secret")), "{chat:?}");
}

#[cfg(target_os = "linux")]
#[tokio::test(flavor = "multi_thread")]
async fn nothing_of_an_engine_is_left_when_its_seat_is() {
    let token = format!("600.{}", std::process::id());
    let is_running = || {
        let processes = std::fs::read_dir("/proc").expect("processes").filter_map(Result::ok);
        processes
            .filter_map(|process| std::fs::read(process.path().join("cmdline")).ok())
            .any(|words| words.split(|byte| *byte == 0).any(|word| word == token.as_bytes()))
    };
    let mut table = Table::new(private(freestyle())).await;
    let command = strange(&format!("clingy {token}"));
    let engine = seat(&table.server, &table.room, &command, &["--games", "1"]);
    table.begun().await;
    assert!(is_running());
    table.ann.done(&table.room, RoomRequest::Resign).await;
    let (status, _, stderr) = engine.finish();
    assert!(status.success(), "{stderr}");
    assert!(!is_running(), "neither the engine nor its child");
}

#[cfg(target_os = "linux")]
#[tokio::test(flavor = "multi_thread")]
async fn all_processes_of_an_engine_end_before_a_seat_that_is_ended() {
    let token = format!("603.{}", std::process::id());
    let count = || {
        let processes = std::fs::read_dir("/proc").expect("processes").filter_map(Result::ok);
        processes
            .filter_map(|process| std::fs::read(process.path().join("cmdline")).ok())
            .filter(|words| words.split(|byte| *byte == 0).any(|word| word == token.as_bytes()))
            .count()
    };
    let mut table = Table::new(private(freestyle())).await;
    let engine = seat(&table.server, &table.room, &strange(&format!("crowd {token}")), &[]);
    table.begun().await;
    assert!(count() > 150, "{}", count());
    engine.terminate();
    let (status, _, stderr) = engine.finish();
    assert_eq!(count(), 0, "{status}: {stderr}");
    assert_eq!(status.code(), Some(130), "{stderr}");

    // Without a chance to end them.
    let mut table = Table::new(private(freestyle())).await;
    let engine = seat(&table.server, &table.room, &strange(&format!("crowd {token}")), &[]);
    table.begun().await;
    assert!(count() > 150, "{}", count());
    drop(engine);
    let killed = std::time::Instant::now();
    while count() > 0 {
        assert!(killed.elapsed().as_secs() < 5, "{} are left", count());
    }
    println!("the engine's processes ended {:?} after the client was killed", killed.elapsed());
}

#[test]
fn no_program_runs_as_root_unless_that_is_allowed() {
    if !rustix::process::geteuid().is_root() {
        return;
    }
    let seat = ["seat", "k7m2qpxw9abc", "--engine", "cat", "--server", "http://127.0.0.1:9"];
    for words in [&seat[..], &["arena", "cat", "attack"]] {
        let (status, _, stderr) = Client::start(words).finish();
        assert_eq!(status.code(), Some(2), "{words:?}: {stderr}");
        assert!(stderr.contains("as root") && stderr.contains("--allow-root"), "{stderr}");
    }
    // Our own bots are no such program.
    let words = ["arena", "attack", "pattern", "--games", "2", "--plies", "4", "--nodes", "10"];
    let (status, _, stderr) = Client::start(words).finish();
    assert!(status.success(), "{stderr}");
}

/// Runs `fivefold arena` to its end.
fn arena(a: &str, b: &str, how: &[&str]) -> Value {
    let words = ["arena", a, b, "--json", "--grace", "300", "--allow-root"];
    let (status, lines, stderr) = Client::start(words.iter().chain(how)).finish();
    assert!(status.success(), "{status}: {stderr}");
    serde_json::from_str(lines.last().expect("a report")).expect("JSON")
}

#[test]
fn what_engines_do_wrong_in_a_match_is_counted() {
    // An engine that takes memory needs a while to exceed the limit.
    let cases = [
        ("plain", "50", [0, 0, 0]),
        ("terse", "50", [0, 0, 0]),
        ("filling", "50", [0, 0, 0]),
        ("hang", "50", [2, 0, 0]),
        ("garbage", "50", [2, 0, 0]),
        ("illegal", "50", [0, 2, 0]),
        ("outside", "50", [0, 2, 0]),
        ("crash", "50", [0, 0, 2]),
        ("greedy", "10000", [0, 0, 2]),
    ];
    // Too few stones for a win before the strange engine's second move.
    let folder = tempfile::tempdir().expect("a folder");
    let openings = folder.path().join("openings.txt");
    std::fs::write(&openings, "h8i9\n").expect("a file");
    let openings = openings.to_str().expect("a path");
    for (how, time, [late, illegal, failed]) in cases {
        let limits = ["--games", "2", "--time", time, "--memory", "256", "--openings", openings];
        let report = arena(&strange(how), "attack", &limits);
        let conduct = &report["conduct"][0];
        let found = [&conduct["late"], &conduct["illegal"], &conduct["failed"]];
        assert_eq!(found, [&json!(late), &json!(illegal), &json!(failed)], "{how}: {report}");
        assert_eq!((&report["games"], &report["lost"]), (&json!(2), &json!(2)), "{how}: {report}");
    }
}

#[test]
fn our_own_brain_plays_matches_without_a_fault() {
    let folder = tempfile::tempdir().expect("a folder");
    let save = folder.path().join("games.jsonl");
    let cases = [
        ("freestyle", "20"),
        ("standard", "15"),
        ("renju", "15"),
        ("caro", "15"),
        ("caro-overline", "15"),
        ("freestyle", "unbounded"),
    ];
    for (variant, size) in cases {
        let how = ["--variant", variant, "--size", size, "--games", "2", "--nodes", "300"];
        let saved = ["--save", save.to_str().expect("a path"), "--plies", "60"];
        let report = arena(&brain("engine:4"), &brain("engine:3"), &[&how[..], &saved].concat());
        assert_eq!(report["games"], json!(2), "{report}");
        for conduct in report["conduct"].as_array().expect("two players") {
            let faults = [&conduct["late"], &conduct["illegal"], &conduct["failed"]];
            assert_eq!(faults, [&json!(0); 3], "{report}");
        }
    }
    assert_eq!(games(&save).len(), 2 * cases.len());
}

#[test]
fn programs_and_bots_open_by_swap2_in_a_match() {
    let how = ["--opening", "swap2", "--games", "2", "--nodes", "300", "--plies", "30"];
    let report = arena(&brain("engine:1"), "attack", &how);
    assert_eq!(report["games"], json!(2), "{report}");
    for conduct in report["conduct"].as_array().expect("two players") {
        assert!(conduct["moves"].as_u64() > Some(0), "{report}");
        let faults = [&conduct["late"], &conduct["illegal"], &conduct["failed"]];
        assert_eq!(faults, [&json!(0); 3], "{report}");
    }
    for (engine, how, expected) in [
        (strange("plain"), &how[..], "it does not choose by itself in the opening swap2"),
        (
            brain("engine:1"),
            &["--opening", "swap1"],
            "it does not choose by itself in the opening swap1",
        ),
        (brain("engine:1"), &["--opening", "rif"], "rif"),
        (brain("engine:1"), &["--opening", "swap2", "--openings", "none.txt"], "--openings"),
    ] {
        let words = [&["arena", &engine, "attack", "--allow-root"], how].concat();
        let (status, _, stderr) = Client::start(words).finish();
        assert!(!status.success() && stderr.contains(expected), "{how:?}: {stderr}");
    }
}

/// Reads the games in a file, and replays each from its moves.
fn games(file: &Path) -> Vec<Position> {
    let text = std::fs::read_to_string(file).expect("a file");
    let game = |line| {
        let game: Value = serde_json::from_str(line).expect("JSON");
        let rules: Rules = serde_json::from_value(game["rules"].clone()).expect("rules");
        let moves: Vec<Point> = serde_json::from_value(game["moves"].clone()).expect("moves");
        Position::from_moves(rules, &moves).expect("a game by the rules")
    };
    text.lines().map(game).collect()
}

#[tokio::test(flavor = "multi_thread")]
async fn an_engine_chooses_in_an_opening_or_our_bot_does_it_and_says_so() {
    for (engine, how, ours) in [
        (brain("engine:1"), &["--games", "1"][..], false),
        (brain("engine:1"), &["--games", "1", "--openings", "ours"][..], true),
        (strange("plain"), &["--games", "1"][..], true),
    ] {
        let create = Create { opening: OpeningKind::Swap2, ..private(freestyle()) };
        let mut table = Table::new(create).await;
        let seated = seat(&table.server, &table.room, &engine, how);
        table.begun().await;
        let three = [(7, 7), (8, 8), (9, 10)].map(Point::from).to_vec();
        let act = Act::put(three);
        table.ann.done(&table.room, RoomRequest::Choose { ply: 0, act }).await;
        let (mut said, mut acts) = (false, Vec::new());
        while acts.len() < 2 || (ours && !said) {
            let message = table.ann.next().await;
            said |= matches!(&message, Message::PlayerSaid { line, .. }
                if line.text.as_str() == "Fivefold chooses in the opening for this engine.");
            let game = table.ann.seen(&table.room).room.running().expect("a running game");
            acts = game.opening.acts().to_vec();
        }
        assert_eq!(acts[1].by, Seat::Second);
        assert_eq!(said, ours, "{engine} {how:?}");
        table.ann.until(&table.room, |seen| seen.room.to_act() == Some(Seat::First)).await;
        table.ann.done(&table.room, RoomRequest::Resign).await;
        let (status, _, stderr) = seated.finish();
        assert!(status.success(), "{status}: {stderr}");
    }
}
