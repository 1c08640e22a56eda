//! Tests whole sessions at a table in this process, as a person or a script sees them.

use std::future::pending;

use fivefold::{
    lines::{
        json_output::Json,
        line_interface::{self, View},
        plain_output::Plain,
    },
    play::{exit_reason::ExitReason, local_game::LocalGame, table::Table},
};
use fivefold_shared::{
    opening::OpeningKind,
    rules::{Rules, Size, Stone, Variant},
};
use tokio::sync::mpsc;

/// Two people at one keyboard type these lines, separated by spaces (`_` stands for a space).
async fn play(rules: Rules, opening: OpeningKind, typed: &str, view: &mut dyn View) -> ExitReason {
    let mut table =
        Table::local(LocalGame::new(rules, opening, None, Stone::Black, 1).expect("no bot plays"));
    let words: Vec<&str> = typed.split(' ').collect();
    let (give, mut input) = mpsc::channel(words.len());
    for word in words {
        give.send(word.replace('_', " ")).await.expect("there is room for all");
    }
    drop(give);
    line_interface::run(&mut table, view, &mut input, pending())
        .await
        .expect("the output is memory")
}

async fn json(rules: Rules, typed: &str) -> String {
    json_opening(rules, OpeningKind::Free, typed).await
}

async fn json_opening(rules: Rules, opening: OpeningKind, typed: &str) -> String {
    let mut out = Vec::new();
    assert_eq!(play(rules, opening, typed, &mut Json::new(&mut out)).await, ExitReason::Left);
    String::from_utf8(out).expect("JSON is UTF-8")
}

async fn plain(rules: Rules, typed: &str) -> String {
    plain_opening(rules, OpeningKind::Free, typed).await
}

async fn plain_opening(rules: Rules, opening: OpeningKind, typed: &str) -> String {
    let mut out = Vec::new();
    let mut talk = Vec::new();
    let finish = play(rules, opening, typed, &mut Plain::new(&mut out, &mut talk)).await;
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
    let mut table = Table::local(
        LocalGame::new(Rules::TIC_TAC_TOE, OpeningKind::Free, None, Stone::Black, 1).unwrap(),
    );
    let (_give, mut input) = mpsc::channel(1);
    let mut out = Vec::new();
    let finish =
        line_interface::run(&mut table, &mut Json::new(&mut out), &mut input, async {}).await;
    assert_eq!(finish.unwrap(), ExitReason::Interrupted);
}

fn renju() -> Rules {
    Rules::new(Variant::Renju, Size::square(15)).expect("renju's board")
}

fn freestyle() -> Rules {
    Rules::new(Variant::Freestyle, Size::square(15)).expect("a usual board")
}

#[tokio::test]
async fn swap2_by_json_lines() {
    // Too few stones, then three; the second player takes Black, so the first one puts White's.
    let typed = "h8_h9 h8_h9_j10 draw black i9 leave";
    let text = json_opening(freestyle(), OpeningKind::Swap2, typed).await;
    insta::assert_snapshot!("json_swap2", text);
}

#[tokio::test]
async fn offered_stones_by_json_lines() {
    let typed = "h8_h9_h7 white h6 offer_g8_i7 offer_g8_g9 a1 g9 leave";
    let text = json_opening(renju(), OpeningKind::Rif, typed).await;
    let later: Vec<&str> = text.lines().skip(1).collect();
    insta::assert_snapshot!("json_rif", later.join("\n"));
}

#[tokio::test]
async fn swap2_by_plain_lines() {
    let typed = "h8_h9_j10 i9_g7 white i6 resign";
    insta::assert_snapshot!(
        "plain_swap2",
        plain_opening(freestyle(), OpeningKind::Swap2, typed).await
    );
}

#[tokio::test]
async fn a_declared_number_by_plain_lines() {
    let typed = "h8_h9_h7 black h6_declare_9 h6_declare_2 white g8_g9 g9 resign";
    insta::assert_snapshot!(
        "plain_soosyrv",
        plain_opening(renju(), OpeningKind::Soosyrv8, typed).await
    );
}
