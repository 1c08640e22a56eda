//! Tests of daily games, in which absence is normal. The table's time begins at 1,000,000.

use super::harness::{BOT, BOTS, OPEN, Table, check, member, show_all};
use crate::{
    clock::{DAY_MS, TimeOff, millis},
    room::{
        Input,
        limits::{DAILY_FIRST_ACT_MAX_MS, RESUME_RETRY_MS, RoomLimits},
    },
};

/// A minute longer than a day without anybody.
const LONG: u64 = DAY_MS + 60_000;

/// Ann and Bob in a new game with this time, before the first move.
pub(super) fn met(time: &str) -> Table {
    let until = 1_000_000 + millis(RoomLimits::DEFAULT.first_act.of(time.parse().unwrap(), 1));
    check(
        &format!("{OPEN} in {time}"),
        &format!(
            "2 enter Bob > 2 joined 2; +2
             2 sit > sat second Bob; started 1 first; 2 done 4; first_act_due first {until}"
        ),
    )
}

/// The same after the first move of both.
pub(super) fn begun(time: &str) -> Table {
    let mut table = met(time);
    let until = table.now + millis(RoomLimits::DEFAULT.first_act.of(time.parse().unwrap(), 1));
    table.run(&format!("1 play 0 0,0 > played 0 0,0; 1 done 6; first_act_due second {until}"));
    let shown = table.run_for("2 play 1 1,0", 0);
    assert!(shown.starts_with("played 1 1,0"), "{shown}");
    table
}

#[test]
fn only_the_clock_ends_it() {
    let mut table = begun("3d");
    table.run("1 gone > -1");
    table.run(&format!(
        "+{LONG} >\n 2 claim_win > 2 refused no_claim\n 2 claim_draw > 2 refused no_claim"
    ));
    table.run("2 nudge > 2 refused no_nudge\n 2 gone > -2");
    table.run(&format!("+{} >\n +1 > ended time second", 2 * DAY_MS - 60_000 - 1));
    // Who comes within a day finds the room.
    let mut closed = table.clone();
    table.run(&format!("+{} >\n 3 enter Ann > 3 joined 9; +3", DAY_MS - 1));
    table.run("3 rematch > rematch_asked first; 3 done 10\n 3 gone > -3");
    table.run(&format!("+{} >\n +1 > close", DAY_MS - 1));
    closed.run(&format!("+{} >\n +1 > close", DAY_MS - 1));
}

#[test]
fn a_player_who_is_away_is_listed_and_nothing_can_be_claimed() {
    let mut table = begun("1d");
    table.run("+1000 >\n +1000 >\n 1 gone > -1; away first 1002000");
    assert_eq!(table.room.absent().first.and_then(|away| away.claim_at), None);
}

#[test]
fn a_bank_takes_the_increment_up_to_four_times_the_main_time() {
    let mut table = met("1d+24h");
    table.run("1 gone > -1");
    let until = table.now + DAY_MS;
    table.run(&format!(
        "1 enter Ann 5 > 1 joined []; +1
         1 play 0 0,0 > played 0 0,0; 1 done 6; first_act_due second {until}
         +3600000 >
         2 play 1 1,0 > played 1 1,0 {}ms; 2 done 8",
        2 * DAY_MS - 3_600_000
    ));
    table.run(&format!("1 play 2 0,1 > played 2 0,1 {}ms; 1 done 9", 2 * DAY_MS));
    table.run(&format!("2 play 3 1,1 > played 3 1,1 {}ms; 2 done 10", 3 * DAY_MS - 3_600_000));
    table.run(&format!("1 play 4 0,2 > played 4 0,2 {}ms; 1 done 11", 3 * DAY_MS));
    table.run(&format!("2 play 5 1,2 > played 5 1,2 {}ms; 2 done 12", 4 * DAY_MS - 3_600_000));
    table.run(&format!("1 play 6 0,3 > played 6 0,3 {}ms; 1 done 13", 4 * DAY_MS));
    table.run(&format!("2 play 7 1,3 > played 7 1,3 {}ms; 2 done 14", 4 * DAY_MS));
    table.run(&format!("+{} >\n +1 > ended time second", 4 * DAY_MS - 1));
}

#[test]
fn each_first_move_has_a_limit_and_a_game_without_it_is_aborted() {
    for (time, limit) in [("1d", DAY_MS), ("7d", DAILY_FIRST_ACT_MAX_MS), ("2d+1h", 2 * DAY_MS)] {
        let mut table = met(time);
        table.run("1 gone > -1\n 2 gone > -2");
        let mut late = table.clone();
        late.run(&format!("+{} >\n +1 > ended aborted first", limit - 1));
        table.now += limit - 1;
        let (last, until) = (table.log.len() + 1, table.now + limit);
        table.run(&format!(
            "1 enter Ann 5 > 1 joined []; +1
             1 play 0 0,0 > played 0 0,0; 1 done {last}; first_act_due second {until}
             1 gone > -1"
        ));
        table.run(&format!("+{} >\n +1 > ended aborted second", limit - 1));
        assert!(table.finished.is_empty(), "{time}: an aborted game is not recorded");
    }
}

#[test]
fn either_player_may_abort_until_both_have_acted() {
    let mut table = met("2d");
    table.clone().run("2 abort > ended aborted second; 2 done 6");
    let until = table.now + 2 * DAY_MS;
    table.run(&format!("1 play 0 0,0 > played 0 0,0; 1 done 6; first_act_due second {until}"));
    table.clone().run("1 abort > ended aborted first; 1 done 8");
    table.run(&format!("2 play 1 1,0 > played 1 1,0 {}ms; 2 done 8", 2 * DAY_MS));
    table.run("1 abort > 1 refused not_abortable\n 1 resign > ended resignation second; 1 done 9");
    // In each game of the room.
    let until = table.now + 2 * DAY_MS;
    table.run(&format!(
        "1 rematch > rematch_asked first; 1 done 10
         2 rematch > started 2 second; 2 done 11; first_act_due second {until}
         1 abort > ended aborted first; 1 done 13"
    ));
}

#[test]
fn a_game_in_a_room_that_an_operator_closes_is_aborted_by_nobody() {
    let mut table = begun("3d");
    table.run(
        "1 gone > -1
         2 gone > -2
         9 close_by_operator Insults > ended aborted; closed Insults; close",
    );
    assert!(table.finished.is_empty(), "an aborted game is not recorded");
}

#[test]
fn the_seat_of_a_player_who_is_away_is_kept() {
    let mut table = met("1d");
    table.run(
        "2 gone > -2
         +60000 >
         3 enter Eve > 3 joined 5; +3
         3 sit > 3 refused no_open_seat",
    );
    // Where they would play in one sitting, the seat is free again.
    let mut short = check(
        &format!("{OPEN} in 10m"),
        "2 enter Bob > 2 joined 2; +2
         2 sit > sat second Bob; started 1 first; 2 done 4
         2 gone > -2
         +60000 >
         3 enter Eve > 3 joined 4; +3",
    );
    let shown = short.run_for("3 sit", 0);
    assert!(shown.contains("sat second Eve"), "{shown}");
}

#[test]
fn an_invitation_waits_for_a_day() {
    let mut table = check(&format!("{OPEN} in 3d"), "1 gone > -1");
    table.run(&format!("+{} >\n +1 > close", DAY_MS - 1));
    let mut short = check(&format!("{OPEN} in 10m"), "1 gone > -1");
    short.run("+899999 >\n +1 > close");
}

#[test]
fn time_runs_on_while_the_server_is_down() {
    let mut table = begun("1d");
    let last = table.log.len();
    table.now += DAY_MS - 1;
    assert_eq!(show_all(&table.restart(), true), "");
    let mut in_time = table.clone();
    let done = last + 1;
    in_time.run(&format!(
        "3 enter Ann {last} > 3 joined []; +3
         3 play 2 0,1 > played 2 0,1 {DAY_MS}ms; 3 done {done}"
    ));
    table.run("+1 > ended time second");
    // The first act, too, has no more time than before.
    let mut table = met("1d");
    table.now += DAY_MS - 1;
    assert_eq!(show_all(&table.restart(), true), "");
    table.run("+1 > ended aborted first");
}

#[test]
fn while_nothing_can_be_stored_no_flag_falls() {
    let mut table = begun("1d");
    let last = table.log.len();
    table.now += DAY_MS - 1;
    table.run(&format!("rebuild > +1; +2; snapshot {last}"));
    let mut moved = table.clone();
    table.run(&format!("+{} >\n +1 > ended time second", RESUME_RETRY_MS - 1));
    // A move that comes until then is in time.
    let done = last + 1;
    moved.run(&format!("+500 >\n 1 play 2 0,1 > played 2 0,1 {DAY_MS}ms; 1 done {done}"));
}

#[test]
fn a_silent_node_stops_no_clock_of_days() {
    let mut table = begun("1d");
    table.run("cut 30000 1 > -1");
    assert_eq!(table.room.flag_at(), Some(1_000_000 + DAY_MS));
}

#[test]
fn a_bot_goes_on_thinking_when_its_player_has_left() {
    let until = 1_000_000 + 3 * DAY_MS;
    let (mut table, made) = Table::create(&format!("{BOT} in 3d")).unwrap();
    assert!(made.contains(&format!("first_act_due first {until}")), "{made}");
    table.run(
        "1 play 0 7,7 > played 0 7,7; 1 done 6; turn 1 attack 1
         1 gone > -1
         +1000 >",
    );
    table.run(&format!("job 1 8,8 > played 1 8,8 {}ms", 3 * DAY_MS));
    // Nobody else makes place for it.
    assert_eq!(table.room.standing().spare(), None);
    // The player has moved and has three days again.
    table.run(&format!("+{} >\n +1 > ended time second", 3 * DAY_MS - 1));
}

#[test]
fn a_restart_costs_a_bot_no_time_and_the_game_goes_on_alone() {
    let mut table =
        check(&format!("{BOT} in 1d"), "1 play 0 7,7 > played 0 7,7; 1 done 6; turn 1 attack 1");
    table.now += 2 * DAY_MS;
    let now = table.now;
    assert_eq!(show_all(&table.restart(), true), format!("resumed {now}; turn 1 attack 1"));
    table.run(&format!("+1000 >\n job 1 8,8 > played 1 8,8 {DAY_MS}ms"));
    // Nobody comes, and only the clock ends it.
    table.run(&format!("+{} >\n +1 > ended time second", DAY_MS - 1));
}

#[test]
fn a_bot_answers_a_planned_reply_of_somebody_who_has_left() {
    let mut table =
        check(&format!("{BOT} in 1d"), "1 play 0 7,7 > played 0 7,7; 1 done 6; turn 1 attack 1");
    table.run("1 plans Ann 8,8-9,9 >\n 1 gone > -1\n +1000 >");
    let shown = table.run_for("job 1 8,8", 0);
    let expected = format!("played 1 8,8 {DAY_MS}ms; played 2 9,9 {DAY_MS}ms; turn 2 attack 3");
    assert_eq!(shown, expected);
}

#[test]
fn two_bots_play_days_only_while_somebody_watches() {
    let mut table = check(&format!("{BOTS} in 1d"), "1 gone > -1; cancel 1");
    table.run("+9999 >\n +1 > close");
}

#[test]
fn paired_players_may_play_others_beside_a_daily_game() {
    let players = |time: &str| {
        let table = check(&format!("paired freestyle 15x15 open open black in {time}"), "");
        table.room.state().paired_players().map(|players| [players.first, players.second])
    };
    assert_eq!(players("10m"), Some([member("Ann").id, member("Bob").id]));
    assert_eq!(players("1d"), None);
}

/// With a deleted or closed account goes the game: as if the player had resigned.
#[test]
fn an_account_that_is_gone_resigns_its_game_or_leaves_its_seat() {
    let mut table = begun("1d");
    table.run("9 account_gone Eve >");
    table.run("1 gone > -1");
    table.run("9 account_gone Ann > ended resignation second");
    // The game is over, and the room goes on for the other one.
    table.run("9 account_gone Ann >\n 9 account_gone Bob >");
    table.run("2 rematch > rematch_asked second; 2 done 10");

    let mut table = check(&format!("{OPEN} in 3d"), "9 account_gone Eve >");
    let shown = table.run_for("9 account_gone Ann", 0);
    assert!(shown.starts_with("stood first") && shown.contains("closed"), "{shown}");
}

#[test]
fn time_off_puts_off_the_flag_of_its_player() {
    let mut table = begun("3d");
    // The time of Ann, who is on turn, runs since the table's time began.
    let at = |days: u64| 1_000_000 + days * DAY_MS;
    table.run(&format!("1 off Bob {0} {1} > time_off second {0} {1}", at(1), at(9)));
    assert_eq!(table.room.flag_at(), Some(at(3)));
    table.run(&format!("1 off Ann {0} {1} > time_off first {0} {1}", at(2), at(5)));
    table.run(&format!("1 off Ann {} {} >\n 1 off Eve {0} {1} >", at(2), at(5)));
    assert_eq!(table.room.flag_at(), Some(at(6)));
    assert_eq!(table.room.summary().due, Some(at(6)));
    // It ends a day early.
    table.run(&format!(
        "+{} >\n 1 off Ann {1} {2} > time_off first {1} {2}",
        4 * DAY_MS,
        at(2),
        at(4)
    ));
    assert_eq!(table.room.deadline(), Some(at(5)));
    let mut moved = table.clone();
    // Bob's time stands until his time off is over.
    let (done, now) = (table.log.len() + 1, at(4));
    assert_eq!(table.now, now);
    moved.run(&format!("1 play 2 0,1 > played 2 0,1 {}ms; 1 done {done}", 3 * DAY_MS));
    assert_eq!(moved.room.flag_at(), Some(at(12)));
    // Restarts keep it.
    assert_eq!(show_all(&table.restart(), true), "");
    table.run(&format!("+{} >\n +1 > ended time second", DAY_MS - 1));
}

#[test]
fn time_off_puts_off_a_first_move() {
    let mut table = met("1d");
    let until = 1_000_000 + DAY_MS;
    let (from, to) = (1_000_000 + DAY_MS / 2, until + DAY_MS);
    table.run(&format!("1 off Bob {from} {to} > time_off second {from} {to}"));
    let due = until + to - from;
    table.run(&format!(
        "1 off Ann {from} {to} > time_off first {from} {to}; first_act_due first {due}"
    ));
    // Shorter again, and longer.
    let less = from + DAY_MS;
    table.run(&format!(
        "1 off Ann {from} {less} > time_off first {from} {less}; first_act_due first {}
         1 off Ann {from} {to} > time_off first {from} {to}; first_act_due first {due}",
        until + DAY_MS
    ));
    // The room learns of it when the time is over already.
    let mut late = table.clone();
    late.now = due + 5;
    let (begun, over) = (due - 1, due + DAY_MS);
    late.run(&format!(
        "1 off Ann {begun} {over} > time_off first {begun} {over}; first_act_due first {}",
        over + 1
    ));
    table.now = from + 1;
    let done = table.log.len() + 1;
    // That of the other one has begun.
    table.run(&format!(
        "1 play 0 0,0 > played 0 0,0; 1 done {done}; first_act_due second {}",
        to + DAY_MS
    ));
    table.now = to + DAY_MS - 1;
    table.run("+1 > ended aborted second");
}

#[test]
fn a_game_that_begins_in_time_off_gives_the_whole_time_for_a_first_move_after_it() {
    let mut table = met("1d");
    let (from, to) = (1_000_000 - 600_000, 1_000_000 + 5 * DAY_MS);
    table.run(&format!(
        "1 off Ann {from} {to} > time_off first {from} {to}; first_act_due first {}",
        to + DAY_MS
    ));
    // One that was over before gives nothing.
    let mut table = met("1d");
    let (from, to) = (1_000_000 - 600_000, 1_000_000 - 1);
    table.run(&format!(
        "1 off Ann {from} {to} > time_off first {from} {to}; first_act_due first {}",
        1_000_000 + DAY_MS
    ));
}

/// A planned period was taken back, the next one planned, and the room learns only of the next one.
#[test]
fn a_period_that_was_never_used_gives_no_time() {
    let mut table = met("1d");
    let at = |half_days: u64| 1_000_000 + half_days * DAY_MS / 2;
    let off = |from, until| format!("1 off Ann {from} {until} > time_off first {from} {until}");
    table.run(&format!("{}; first_act_due first {}", off(at(1), at(21)), at(22)));
    table.run(&format!("{}; first_act_due first {}", off(at(20), at(80)), at(2)));
}

#[test]
fn no_flag_falls_before_the_room_knows_of_both_players() {
    let mut table = begun("1d");
    let [from, until] = [1_000_000 + DAY_MS / 2, 1_000_000 + 3 * DAY_MS];
    table.now = 1_000_000 + 2 * DAY_MS;
    let off = TimeOff { from, until };
    let learned = table.take(Input::TimeOff { member: member("Bob").id, off });
    assert_eq!(show_all(&learned, false), format!("time_off second {from} {until}"));
    table.run(&format!("1 off Ann {from} {until} > time_off first {from} {until}"));
    assert_eq!(table.room.flag_at(), Some(until + DAY_MS / 2));
}

#[test]
fn a_room_that_learns_late_of_time_off_lets_no_flag_fall() {
    let mut table = begun("1d");
    let (from, until) = (1_000_000 + DAY_MS - 1, 1_000_000 + 3 * DAY_MS);
    table.now = 1_000_000 + 2 * DAY_MS;
    table.run(&format!("1 off Ann {from} {until} > time_off first {from} {until}"));
    assert_eq!(table.room.flag_at(), Some(until + 1));
}

#[test]
fn time_off_is_for_games_over_days() {
    let mut table = super::harness::begun("10m");
    table.run("1 off Bob 0 2000000 >\n +600000 > ended time first");
}
