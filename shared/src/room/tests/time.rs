//! Tests of game clocks and absent players. The table's time begins at 1,000,000.

use crate::seat::Seat;

use super::harness::{LUCK, OPEN, Table, begun, check, show_all};
use crate::clock::millis;
use crate::{
    room::limits::{BOT_SPARE_MS, RESUME_GRACE_MS, RESUME_RETRY_MS, RoomLimits},
    room::{Effects, Room},
};

#[test]
fn a_move_in_the_last_millisecond_is_in_time_and_the_next_is_not() {
    // White's move so many milliseconds after Black's, and White's remaining time.
    let cases = [
        ("10s", 9_999, " 1ms"),
        ("10s", 10_000, ""),
        ("10s+2s", 0, " 12000ms"),
        ("10s+2s", 9_999, " 2001ms"),
        ("10s+2s", 10_000, ""),
        ("byo 10s+2x5s", 9_999, " 1ms x2"),
        ("byo 10s+2x5s", 14_999, " 0ms x2"),
        ("byo 10s+2x5s", 15_000, " 0ms x1"),
        ("byo 10s+2x5s", 19_999, " 0ms x1"),
        ("byo 10s+2x5s", 20_000, ""),
        ("move 10s", 9_999, " 10000ms"),
        ("move 10s", 10_000, ""),
    ];
    for (time, spent, left) in cases {
        let mut table = begun(time);
        table.now += spent;
        table.run(
            match left {
                "" => "2 play 1 1,0 > ended time first; 2 refused no_game".to_owned(),
                left => format!("2 play 1 1,0 > played 1 1,0{left}; 2 done 6"),
            }
            .as_str(),
        );
    }
}

#[test]
fn a_flag_falls_by_itself() {
    let mut table = begun("10s");
    table.run("+1000 >\n +1000 >");
    assert_eq!(table.room.deadline(), Some(1_010_000));
    table.run("+7999 >\n +1 > ended time first\n 1 rematch > rematch_asked first; 1 done 7");
    // Nobody needs to be present for it.
    let mut table = begun("10s");
    table.run("1 gone > -1\n 2 gone > -2\n +10000 > ended time first");
}

#[test]
fn time_runs_for_the_one_on_turn_from_the_first_move_on() {
    let mut table = check(
        &format!("{OPEN} in 10s"),
        "2 enter Bob > 2 joined 2; +2
         2 sit > sat second Bob; started 1 first; 2 done 4
         +20000 >
         1 play 0 0,0 > played 0 0,0; 1 done 5
         +1000 >
         2 play 1 1,0 > played 1 1,0 9000ms; 2 done 6
         +2000 >
         1 play 2 0,1 > played 2 0,1 8000ms; 1 done 7
         +3000 >
         2 play 3 1,1 > played 3 1,1 6000ms; 2 done 8
         2 ask_takeback > takeback_asked second; 2 done 9
         +1000 >
         1 grant_takeback > taken_back 3; 1 done 10
         +500 >
         2 play 3 1,1 > played 3 1,1 5500ms; 2 done 11
         1 resign > ended resignation second; 1 done 12",
    );
    let clock = table.room.state.game.as_ref().and_then(|game| game.clock).unwrap();
    assert_eq!((clock.side(Seat::First).left_ms, clock.running()), (8_000, None));
    table.run(
        "+60000 >
         1 rematch > rematch_asked first; 1 done 13
         2 rematch > started 2 second; 2 done 14
         2 play 0 0,0 > played 0 0,0; 2 done 15
         +1 >
         1 play 1 1,0 > played 1 1,0 9999ms; 1 done 16",
    );
}

#[test]
fn lag_is_given_back_to_moves_that_come_in_time() {
    let mut table = begun("10s");
    table.run(
        "+1000 >
         2 play 1 1,0 ~50 > played 1 1,0 9050ms ~50; 2 done 6
         1 play 2 0,1 ~50 > played 2 0,1 10000ms; 1 done 7
         +1000 >
         2 play 3 1,1 ~900 > played 3 1,1 8250ms ~250; 2 done 8
         1 play 4 0,2 > played 4 0,2 10000ms; 1 done 9
         +8250 > ended time first",
    );
}

#[test]
fn bots_move_in_time() {
    let game = |time: &str| format!("freestyle 15x15 me attack black in {time}");
    let mut table = check(
        &game("10s"),
        "1 play 0 7,7 > played 0 7,7; 1 done 5; turn 1 attack 1
         +40 >
         job 1 8,8 >
         +110 > played 1 8,8 9850ms",
    );
    let think = |table: &Table| table.jobs.values().next().and_then(|job| job.time_max);
    table.run("1 play 2 6,6 > played 2 6,6 10000ms; 1 done 7; turn 2 attack 3");
    assert_eq!(think(&table).map(|time| time.as_millis()), Some(9_850 / 30));
    // The bot does not reply at all: it moves anywhere, shortly before its flag falls.
    let late = 9_850 - BOT_SPARE_MS;
    table.run(&format!(
        "+{} >\n +1 > failed late; played 3 5,5 {BOT_SPARE_MS}ms; cancel 2",
        late - 1
    ));
    // The remaining time is less than the minimum wait, so the bot loses on time.
    table.run(&format!(
        "1 play 4 0,0 > played 4 0,0 10000ms; 1 done 9; turn 3 attack 5
         job 3 1,1 >
         +{} >
         +1 > ended time first",
        BOT_SPARE_MS - 1
    ));
    // Without a clock the bot has no time limit.
    let table = check(&game("none"), "1 play 0 7,7 > played 0 7,7; 1 done 5; turn 1 attack 1");
    assert_eq!(think(&table), None);
}

#[test]
fn a_bot_waits_as_long_as_ever_when_its_time_runs_out() {
    // Two bots with a second each: at their pace each has two moves in it.
    let game = |time: &str| format!("freestyle 15x15 attack pattern black in {time}");
    check(
        &game("1s"),
        "job 1 7,7 >
         +500 > played 0 7,7; botsturn 2 pattern 1
         job 2 8,8 >
         +499 >
         +1 > played 1 8,8 500ms; botsturn 3 attack 2
         job 3 7,8 >
         +500 > played 2 7,8 500ms; botsturn 4 pattern 3
         job 4 7,9 >
         +499 >
         +1 > ended time first",
    );
    // Where there is enough for each move they never lose by it.
    let mut table =
        check(&game("move 1s"), "job 1 0,0 >\n +500 > played 0 0,0; botsturn 2 pattern 1");
    for ply in 1..100 {
        let (point, bot) =
            (format!("{},{}", ply % 15, ply / 15), ["attack", "pattern"][(ply + 1) % 2]);
        let shown = format!("played {ply} {point} 1000ms; botsturn {} {bot} {}", ply + 2, ply + 1);
        let effects = table.run_for(&format!("job {} {point}", ply + 1), 500);
        if effects.contains("ended five") {
            break;
        }
        assert_eq!(effects, shown);
    }
}

#[test]
fn time_in_which_a_bot_has_nobody_to_play_for_is_nobodys() {
    let mut table = check(
        "freestyle 15x15 me attack black in 10s",
        "1 play 0 7,7 > played 0 7,7; 1 done 5; turn 1 attack 1
         +100 >
         1 gone > -1; cancel 1
         +60000 >",
    );
    let back = table.now;
    table.run(&format!(
        "2 enter Ann 5 > resumed {back}; 2 joined [6]; +2; turn 2 attack 1
         +150 >
         job 2 8,8 > played 1 8,8 9850ms
         2 gone > -2"
    ));
    // That of a person runs, whether that person is there or not.
    table.run("+9999 >\n +1 > ended time second");

    // A restart makes no difference: the bot waits, and no event is logged for it.
    let mut table = check(
        "freestyle 15x15 me attack black in 10s",
        "1 play 0 7,7 > played 0 7,7; 1 done 5; turn 1 attack 1",
    );
    table.now += 1_000_000;
    assert_eq!(show_all(&table.restart(), true), "");
    let back = table.now + 5_000;
    table.run(&format!(
        "+5000 >
         2 enter Ann 5 > resumed {back}; 2 joined [6]; +2; turn 1 attack 1
         +9999 > failed late; played 1 6,6 1ms; cancel 1"
    ));
}

#[test]
fn time_in_which_the_server_is_down_is_nobodys() {
    let mut table = begun("10s");
    table.run("+9000 >");
    table.now += 1_000_000;
    let from = table.now + RESUME_GRACE_MS;
    assert_eq!(show_all(&table.restart(), true), format!("resumed {from}"));
    table.run("3 enter Bob > 3 joined 6; +3");
    let mut moved = table.clone();
    moved.run("3 play 1 1,0 > played 1 1,0 10000ms; 3 done 7");
    table.run(&format!("+{} >\n +1 > ended time first", RESUME_GRACE_MS + 9_999));
}

#[test]
fn a_clock_that_does_not_run_need_not_be_resumed() {
    for (time, script) in [("none", ""), ("10s", "1 resign > ended resignation second; 1 done 6")] {
        let mut table = begun(time);
        table.run(script);
        let (code, limits) = (table.room.code().clone(), table.limits);
        let mut effects = Effects::new();
        Room::from_log(table.now, code, LUCK, &table.log, limits, &mut effects).unwrap();
        assert_eq!(show_all(&effects, true), "", "{time}");
    }
}

#[test]
fn while_nothing_can_be_stored_no_flag_falls() {
    let mut table = begun("10s");
    table.now += 9_999;
    table.run("rebuild > +1; +2; snapshot 5");
    table.now += RESUME_RETRY_MS - 1;
    let mut moved = table.clone();
    table.run(&format!("+1 > resumed {}", 1_009_999 + RESUME_RETRY_MS + RESUME_GRACE_MS));
    let from = moved.now + RESUME_GRACE_MS;
    moved.run(&format!("2 play 1 1,0 > resumed {from}; played 1 1,0 10000ms; 2 done 7"));
}

#[test]
fn players_are_told_who_is_away() {
    let mut table = begun("none");
    table.run(
        "+1000 >
         +1000 >
         3 enter Bob > 3 joined 5; +3
         2 gone > -2
         3 gone > -3; away second 1002000 claim 1062000
         +5000 >
         4 enter Eve > 4 joined 5; +4; spectators 1 Eve
         +1000 >
         5 enter Bob > 5 joined 5; +5; away
         +1000 >
         5 play 1 1,0 > played 1 1,0; 5 done 6
         5 leave > 5 done; -5; away second 1009000
         +2000 >
         1 play 2 2,2 > played 2 2,2; 1 done 7; away second 1009000 claim 1071000
         1 resign > ended resignation second; 1 done 8
         +1000 > away second 1009000",
    );
}

#[test]
fn only_who_waits_long_enough_for_the_absent_one_may_claim() {
    let claim = millis(RoomLimits::DEFAULT.claim_after);
    let mut table = begun("none");
    table.run(
        "1 claim_win > 1 refused opponent_here
         2 claim_win > 2 refused opponent_here
         3 enter Eve > 3 joined 5; +3
         3 claim_draw > 3 refused not_seated
         2 gone > -2",
    );
    table.run(&format!("1 claim_win > 1 refused too_early\n +{} >", claim - 1));
    table.run("1 claim_win > 1 refused too_early\n 1 claim_draw > 1 refused too_early\n +1 >");
    let mut draw = table.clone();
    draw.run("1 claim_draw > ended abandonment; 1 done 6\n 1 claim_draw > 1 refused no_game");
    let mut back = table.clone();
    back.run("4 enter Bob > 4 joined 5; +4\n 1 claim_win > 1 refused opponent_here");
    table.run("1 claim_win > ended abandonment first; 1 done 6");

    // The opponent's absence on one's own turn gives no right to anything.
    let mut table = begun("none");
    table.run(
        "2 play 1 1,0 > played 1 1,0; 2 done 6
         2 gone > -2
         +600000 >
         1 claim_win > 1 refused your_turn
         1 play 2 2,0 > played 2 2,0; 1 done 7
         1 claim_win > 1 refused too_early",
    );
    table.run(&format!("+{claim} >\n 1 claim_win > ended abandonment first; 1 done 8"));
}

#[test]
fn a_game_that_nobody_goes_on_with_ends() {
    let day = millis(RoomLimits::DEFAULT.abandoned_game);
    let mut table = begun("none");
    table.run(&format!("2 gone > -2\n +{} >\n +1 > ended abandonment first", day - 1));
    // Both are gone, and Eve watches.
    let mut table = begun("none");
    table.run("3 enter Eve > 3 joined 5; +3\n 2 gone > -2\n 1 gone > -1");
    table.run(&format!("+{day} > ended abandonment"));
    // Nobody is there at all: the room closes, too.
    let mut table = begun("none");
    table.run("1 gone > -1\n 2 gone > -2");
    table.run(&format!("+{day} > ended abandonment; close"));
    // It is not the absent player's turn.
    let mut table = begun("none");
    table.run("1 gone > -1");
    table.run(&format!("+{day} >\n 2 play 1 1,0 > played 1 1,0; 2 done 6\n +{} >", day - 1));
    table.run("+1 > ended abandonment second");
}
