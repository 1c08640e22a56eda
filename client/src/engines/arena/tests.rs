//! Tests matches between bots in this process.

use std::{num::NonZero, time::Duration};

use fivefold_shared::{
    opening::OpeningKind,
    rules::{Rules, Size, Variant},
};
use serde_json::{Value, json};

use super::*;
use crate::engines::gomocup_engine::Limits;

fn match_of(players: [&str; 2], rules: Rules, games: usize, threads: usize) -> Match {
    Match {
        players: players.map(|player| player.parse().unwrap()),
        rules,
        games,
        limits: Limits {
            turn: None,
            game: None,
            grace: Duration::ZERO,
            nodes: Some(200),
            memory: None,
            start: Duration::ZERO,
            is_trusted: false,
        },
        openings: Vec::new(),
        opening: OpeningKind::Free,
        seed: 5,
        plies_max: 60,
        threads: NonZero::new(threads).unwrap(),
        sprt: None,
    }
}

/// The report, and each game in the order of their numbers.
fn play(match_: &Match) -> (Report, Vec<Value>) {
    let (mut talk, mut games) = (Vec::new(), Vec::new());
    let stop = AtomicBool::new(false);
    let mut sink = Sink { talk: &mut talk, games: Some(&mut games) };
    let report = match_.play(&stop, &mut sink).unwrap();
    let lines = String::from_utf8(games).unwrap();
    let mut games: Vec<Value> =
        lines.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    assert_eq!(String::from_utf8(talk).unwrap().lines().count(), games.len());
    games.sort_by_key(|game| game["game"].as_u64());
    (report, games)
}

fn square(side: u8) -> Rules {
    Rules::new(Variant::Freestyle, Size::square(side)).unwrap()
}

#[test]
fn each_opening_is_played_with_both_colours() {
    let (report, games) = play(&match_of(["engine:3", "attack"], square(15), 6, 1));
    assert_eq!(games.len(), 6);
    for pair in games.chunks(2) {
        let opening = |game: &Value| {
            let stones = usize::try_from(game["opening"].as_u64().unwrap()).unwrap();
            game["moves"].as_array().unwrap()[..stones].to_vec()
        };
        assert_eq!(opening(&pair[0]), opening(&pair[1]));
        assert_eq!((&pair[0]["black"], &pair[0]["white"]), (&pair[1]["white"], &pair[1]["black"]));
    }
    let told: Value = serde_json::from_str(&report.to_json().unwrap()).unwrap();
    let won = |name: &str| {
        let wins = |game: &&Value| game[game["result"].as_str().unwrap()] == name;
        games.iter().filter(wins).count()
    };
    assert_eq!(told["won"], json!(won("engine:3")));
    assert_eq!(told["lost"], json!(won("attack")));
    assert_eq!(told["players"], json!(["engine:3", "attack"]));
}

#[test]
fn a_match_by_nodes_is_the_same_with_any_number_of_threads() {
    let games = |threads| {
        let (_, mut games) = play(&match_of(["engine:6", "engine:5"], square(10), 6, threads));
        for game in &mut games {
            game["ms"].take();
        }
        games
    };
    assert_eq!(games(1), games(3));
}

#[test]
fn the_better_bot_is_found_and_the_test_ends_the_match() {
    let rules = Rules::TIC_TAC_TOE;
    let mut match_ = match_of(["minimax", "attack"], rules, 2_000, 2);
    match_.limits.nodes = None;
    match_.sprt = Some(Sprt { elo0: 0.0, elo1: 200.0 });
    let (report, games) = play(&match_);
    assert_ne!(report.verdict(), Some(Verdict::Open), "{report}");
    assert!(games.len() < 2_000, "{report}");
}

#[test]
fn a_contestant_that_cannot_play_is_refused_before_the_match() {
    let cases = [
        (["minimax", "attack"], "minimax plays only"),
        (["attack", "/nowhere/pbrain-none"], "pbrain-none: it cannot be started"),
    ];
    for (players, expected) in cases {
        let match_ = match_of(players, square(15), 2, 1);
        let mut sink = Sink { talk: &mut Vec::new(), games: None };
        let error = match_.play(&AtomicBool::new(false), &mut sink).unwrap_err();
        let error = format!("{error:#}");
        assert!(error.contains(expected), "{error}");
    }
}

#[test]
fn contestants_are_read() {
    let cases = [
        ("engine:5", Ok(("engine:5", true))),
        ("attack", Ok(("attack", true))),
        ("./pbrain-x --level 3", Ok(("pbrain-x", false))),
        ("'/a folder/brain'", Ok(("brain", false))),
        ("engine:x", Ok(("engine:x", false))),
        ("", Err("a bot, or a command")),
        ("'half", Err("a quotation mark is missing")),
    ];
    for (text, expected) in cases {
        let read = text.parse::<Contestant>();
        let read = read.map(|player| (player.name(), matches!(player, Contestant::Bot(_))));
        let read = read.map_err(|error| error.to_string());
        let expected = expected.map(|(name, bot)| (name.to_owned(), bot)).map_err(str::to_owned);
        assert_eq!(read, expected, "{text:?}");
    }
}

#[test]
fn players_open_by_swap2_in_turn_and_play_the_colours_that_they_took() {
    let mut match_ = match_of(["engine:6", "engine:1"], square(15), 12, 2);
    match_.opening = OpeningKind::Swap2;
    let (report, games) = play(&match_);
    let count =
        |matches: &dyn Fn(&Value) -> bool| games.iter().filter(|game| matches(game)).count();
    let winner = |game: &Value| game[game["result"].as_str().unwrap()].clone();
    let told: Value = serde_json::from_str(&report.to_json().unwrap()).unwrap();
    assert_eq!(told["won"], json!(count(&|game| winner(game) == "engine:6")), "{report}");
    assert!(
        told["won"].as_u64().unwrap() >= 9,
        "the stronger one wins with both colours: {report}"
    );
    for colour in ["black", "white"] {
        assert!(
            count(&|game| winner(game) == "engine:6" && game["result"] == colour) > 0,
            "{report}"
        );
    }
    assert_eq!(count(&|game| matches!(game["opening"].as_u64(), Some(3..=5))), games.len());
    let stones = |stones: u64| count(&|game| game["opening"] == stones);
    assert!(stones(3) > 0 && stones(3) < games.len(), "both take Black at once, and not always");
}
