//! Tests whole sessions at a table in this process, as a person or a script sees them.

use std::future::pending;

use fivefold::{
    exit_reason::ExitReason,
    json_output::Json,
    line_interface::{self, View},
    local_game::LocalGame,
    plain_output::Plain,
    table::Table,
};
use fivefold_shared::{
    opening::OpeningKind,
    rules::{Rules, Size, Stone, Variant},
};
use tokio::sync::mpsc;

/// Two people at one keyboard type these lines, separated by spaces (`_` stands for a space).
async fn play(rules: Rules, typed: &str, view: &mut dyn View) -> ExitReason {
    let table = Table::local(
        LocalGame::new(rules, OpeningKind::Free, None, Stone::Black, 1).expect("no bot plays"),
    );
    let words: Vec<&str> = typed.split(' ').collect();
    let (give, input) = mpsc::channel(words.len());
    for word in words {
        give.send(word.replace('_', " ")).await.expect("there is room for all");
    }
    drop(give);
    line_interface::run(table, view, input, pending()).await.expect("the output is memory")
}

async fn json(rules: Rules, typed: &str) -> String {
    let mut out = Vec::new();
    assert_eq!(play(rules, typed, &mut Json::new(&mut out)).await, ExitReason::Left);
    String::from_utf8(out).expect("JSON is UTF-8")
}

async fn plain(rules: Rules, typed: &str) -> String {
    let mut out = Vec::new();
    let mut talk = Vec::new();
    let finish = play(rules, typed, &mut Plain::new(&mut out, &mut talk)).await;
    assert_eq!(finish, ExitReason::Left);
    let text = |bytes| String::from_utf8(bytes).expect("it is UTF-8");
    format!("{}\n--- standard error ---\n{}", text(out), text(talk))
}

#[tokio::test]
async fn a_game_by_json_lines() {
    let typed = "b2 c3 c3 foo draw decline a3 takeback a1 board a3 b3 c2 b1 b1 rematch b2";
    insta::assert_snapshot!("json_game", json(Rules::TIC_TAC_TOE, typed).await);
}

#[tokio::test]
async fn forbidden_points_by_json_lines() {
    let rules = Rules::new(Variant::Renju, Size::square(15)).unwrap();
    let typed = "d14 o15 d13 o13 b12 o11 c12 o9 d12 resign";
    let text = json(rules, typed).await;
    let last: Vec<&str> = text.lines().rev().take(4).collect();
    insta::assert_snapshot!("json_forbidden", last.join("\n"));
}

#[tokio::test]
async fn a_game_by_plain_lines() {
    let typed = "b2 help b2 weights_pattern c3 draw accept";
    insta::assert_snapshot!("plain_game", plain(Rules::TIC_TAC_TOE, typed).await);
}

#[tokio::test]
async fn whoever_leaves_leaves_at_once() {
    let text = json(Rules::TIC_TAC_TOE, "leave b2").await;
    let events: Vec<&str> = text.lines().map(|line| &line[..15]).collect();
    assert_eq!(events, [r#"{"type":"joined"#, r#"{"type":"left"}"#]);
}

#[tokio::test]
async fn an_interrupt_ends_the_session() {
    let table = Table::local(
        LocalGame::new(Rules::TIC_TAC_TOE, OpeningKind::Free, None, Stone::Black, 1).unwrap(),
    );
    let (_give, input) = mpsc::channel(1);
    let mut out = Vec::new();
    let finish = line_interface::run(table, &mut Json::new(&mut out), input, async {}).await;
    assert_eq!(finish.unwrap(), ExitReason::Interrupted);
}
