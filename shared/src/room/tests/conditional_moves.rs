//! Tests of conditional moves. In [`begun`], Ann is on turn after one move of each side.

use super::{
    daily::{begun, met},
    harness::{Table, member, show_all},
};
use crate::{
    clock::DAY_MS,
    room::{Input, limits::RESUME_RETRY_MS},
};

/// Does this, and returns the stones that are put.
fn stones(table: &mut Table, line: &str) -> Vec<String> {
    let shown = table.run_for(line, 0);
    assert!(!shown.contains("refused"), "{line}: {shown}");
    let put = shown.split("; ").filter_map(|effect| effect.strip_prefix("played "));
    put.map(|stone| stone.split(' ').nth(1).unwrap().to_owned()).collect()
}

#[test]
fn a_planned_reply_follows_the_move_that_it_answers() {
    let mut table = begun("3d");
    table.run("2 plans Bob 2,2-3,3-4,4-5,5 2,4-3,3 >");
    table.now += 1_000;
    let mut other = table.clone();
    // In the same batch, and it takes no time.
    let done = table.log.len() + 1;
    let full = 3 * DAY_MS;
    table.run(&format!(
        "1 play 2 2,2 > played 2 2,2 {full}ms; 1 done {done}; played 3 3,3 {full}ms"
    ));
    assert_eq!(table.room.flag_at(), Some(table.now + 3 * DAY_MS));
    let mut deviates = table.clone();
    assert_eq!(stones(&mut table, "1 play 4 4,4"), ["4,4", "5,5"]);
    assert_eq!(stones(&mut table, "1 play 6 6,6"), ["6,6"]);
    // It ends where the opponent deviates, also if they play an expected move later.
    assert_eq!(stones(&mut deviates, "1 play 4 9,9"), ["9,9"]);
    assert_eq!(stones(&mut deviates, "2 play 5 9,8"), ["9,8"]);
    assert_eq!(stones(&mut deviates, "1 play 6 4,4"), ["4,4"]);
    assert_eq!(stones(&mut other, "1 play 2 2,4"), ["2,4", "3,3"]);
}

/// Both players have planned when one of them answers a question, which kept the first reply back.
#[test]
fn plans_answer_each_other() {
    let mut table = begun("3d");
    table.run("2 plans Bob 2,2-3,3-4,4-5,5 >");
    stones(&mut table, "1 offer_draw");
    assert_eq!(stones(&mut table, "1 play 2 2,2"), ["2,2"]);
    table.run("1 plans Ann 3,3-4,4-5,5-6,6 >");
    assert_eq!(stones(&mut table, "2 decline_draw"), ["3,3", "4,4", "5,5", "6,6"]);
}

#[test]
fn a_takeback_and_another_game_end_them() {
    let mut table = begun("3d");
    table.run("2 plans Bob 2,2-3,3 >");
    let mut resigned = table.clone();
    assert_eq!(stones(&mut table, "1 play 2 2,2"), ["2,2", "3,3"]);
    stones(&mut table, "1 ask_takeback");
    stones(&mut table, "2 grant_takeback");
    assert_eq!(stones(&mut table, "1 play 2 2,2"), ["2,2"]);

    for line in ["1 resign", "1 rematch", "2 rematch", "2 play 0 0,0", "1 play 1 1,0"] {
        stones(&mut resigned, line);
    }
    // Bob has the other colour now.
    assert_eq!(stones(&mut resigned, "2 play 2 2,2"), ["2,2"]);
    assert_eq!(stones(&mut resigned, "1 play 3 2,4"), ["2,4"]);
}

#[test]
fn a_question_of_the_opponent_is_answered_first() {
    let mut table = begun("3d");
    table.run("2 plans Bob 2,2-3,3 >");
    stones(&mut table, "1 offer_draw");
    assert_eq!(stones(&mut table, "1 play 2 2,2"), ["2,2"]);
    assert_eq!(stones(&mut table, "2 decline_draw"), ["3,3"]);
}

#[test]
fn a_room_may_learn_them_late() {
    let mut table = begun("3d");
    let plans = table.planned(&["2,2-3,3"]);
    stones(&mut table, "1 play 2 2,2");
    table.now += 4 * DAY_MS;
    let learned = Input::ConditionalMoves { member: member("Bob").id, number: 1, moves: plans };
    // It costs no time, though the clock has run: a failed commit, or another node, has kept the plan back.
    let played = show_all(&table.apply(learned), false);
    assert_eq!(played, format!("played 3 3,3 {}ms", 3 * DAY_MS));
    assert_eq!(table.room.flag_at(), Some(table.now + 3 * DAY_MS));
}

#[test]
fn a_reply_waits_after_a_failed_commit() {
    let mut table = begun("3d");
    let plans = table.planned(&["2,2-3,3"]);
    stones(&mut table, "1 play 2 2,2");
    let learned = Input::ConditionalMoves { member: member("Bob").id, number: 1, moves: plans };
    table.apply(learned);
    table.log.pop();
    let rebuilt = show_all(&table.rebuild(), false);
    assert!(!rebuilt.contains("played"), "{rebuilt}");
    // Also if the time is up by then.
    table.now += RESUME_RETRY_MS + 9 * DAY_MS;
    assert!(show_all(&table.apply(Input::Wake), false).contains("played 3 3,3"));
}

#[test]
fn a_first_move_may_be_planned() {
    let mut table = met("1d");
    table.run("2 plans Bob 0,0-1,0 >");
    assert_eq!(stones(&mut table, "1 play 0 0,0"), ["0,0", "1,0"]);
}

#[test]
fn only_players_plan_and_may_stop() {
    let mut table = begun("3d");
    table.run("2 plans Bob 2,2-3,3 >\n 2 plans Eve 2,2-5,5 >");
    let mut stops = table.clone();
    assert_eq!(stones(&mut table, "1 play 2 2,2"), ["2,2", "3,3"]);
    stops.run("2 plans Bob >");
    // What was planned before comes late.
    let late = stops.planned(&["2,2-5,5"]);
    stops.apply(Input::ConditionalMoves { member: member("Bob").id, number: 1, moves: late });
    assert_eq!(stones(&mut stops, "1 play 2 2,2"), ["2,2"]);
}
