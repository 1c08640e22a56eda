//! Openings in a room: who must act, whose clock runs, and what belongs to a seat when the seats
//! swap colours.

use super::harness::{Table, check};
use crate::{
    clock::millis,
    opening::{Act, MadeAct, OpeningKind},
    record::RecordedOpening,
    room::limits::{BOT_WAIT_MAX_MS, RoomLimits},
    rules::{Point, Stone},
    seat::Seat,
};

/// Ann (session 1, first) and Bob (session 2) in a game with this opening and time.
fn begun(opening: &str, asked: &str) -> Table {
    check(
        &format!("freestyle 15x15 me open black opening {opening}"),
        &format!(
            "2 enter Bob > 2 joined 2; +2
             2 sit > sat second Bob; started 1 first; asked {asked}; 2 done 5"
        ),
    )
}

#[test]
fn swap2_is_played_to_its_end() {
    let three = "1 choose 0 put 7,7 8,8 9,6 > played 0 7,7; played 1 8,8; played 2 9,6; \
                 asked second take put2; 1 done 9";
    let mut table = begun("swap2", "first put3");
    table.run(&format!(
        "2 choose 0 put 7,7 8,8 9,6 > 2 refused not_your_turn
         1 play 0 7,7 > 1 refused opening_running
         1 choose 1 put 7,7 8,8 9,6 > 1 refused stale_ply
         1 choose 0 put 7,7 8,8 > 1 refused wrong_count
         1 choose 0 put 7,7 7,7 8,8 > 1 refused occupied
         1 choose 0 take black > 1 refused not_now
         {three}"
    ));
    let mut stayed = table.clone();
    stayed.run(
        "2 choose 3 take white > stayed second; opening_over; 2 done 11
         1 play 3 6,6 > 1 refused not_your_turn
         2 choose 3 take black > 2 refused not_now
         2 play 3 6,6 > played 3 6,6; 2 done 12",
    );
    let mut swapped = table.clone();
    swapped.run(
        "2 choose 3 take black > swapped second; opening_over; 2 done 11
         2 play 3 6,6 > 2 refused not_your_turn
         1 play 3 6,6 > played 3 6,6; 1 done 12
         1 resign > ended resignation second; 1 done 13
         1 rematch > rematch_asked first; 1 done 14
         2 rematch > started 2 second; asked second put3; 2 done 16",
    );
    assert_eq!(swapped.finished[0].record.summary.black, Seat::Second);
    table.run(
        "2 choose 3 put 6,6 5,5 > played 3 6,6; played 4 5,5; asked first take; 2 done 12
         1 choose 5 take white > swapped first; opening_over; 1 done 14
         1 play 5 4,4 > played 5 4,4; 1 done 15
         2 resign > ended resignation first; 2 done 16",
    );
    let record = &table.finished[0].record;
    let points = |points: &[(i32, i32)]| points.iter().copied().map(Point::from).collect();
    assert_eq!(
        record.summary.opening,
        Some(RecordedOpening {
            kind: OpeningKind::Swap2,
            first: Seat::First,
            acts: vec![
                MadeAct { by: Seat::First, act: Act::put(points(&[(7, 7), (8, 8), (9, 6)])) },
                MadeAct { by: Seat::Second, act: Act::put(points(&[(6, 6), (5, 5)])) },
                MadeAct { by: Seat::First, act: Act::Take(Stone::White) },
            ],
        })
    );
    assert_eq!((record.moves.len(), record.summary.black), (6, Seat::Second));
}

#[test]
fn an_opening_that_is_not_offered_is_refused() {
    for create in [
        "mnk:3 3x3 me open black opening swap2",
        "freestyle 20x20 me open black opening pro",
        "freestyle 15x15 me open black opening rif",
    ] {
        let refusal = Table::create(create).unwrap_err();
        assert_eq!(serde_json::to_value(refusal.reason).unwrap(), "opening_not_offered");
        assert!(refusal.text.starts_with("This opening is not possible here: "), "{refusal}");
    }
}

#[test]
fn offers_and_takebacks_wait_for_the_end_of_the_opening() {
    let mut table = begun("swap1", "first put1");
    table.run(
        "1 choose 0 put 7,7 > played 0 7,7; asked second take; 1 done 7
         1 ask_takeback > 1 refused opening_running
         2 offer_draw > 2 refused opening_running
         1 bot_move 1 > 1 refused not_your_turn
         2 bot_move 1 > 2 refused opening_running
         2 choose 1 take black > swapped second; opening_over; 2 done 9
         1 ask_takeback > 1 refused nothing_to_take_back
         2 ask_takeback > 2 refused nothing_to_take_back
         2 offer_draw > draw_offered second; 2 done 10
         1 play 1 6,6 > played 1 6,6; 1 done 11
         2 ask_takeback > 2 refused nothing_to_take_back
         1 ask_takeback > takeback_asked first; 1 done 12
         2 grant_takeback > taken_back 1; 2 done 13
         1 play 1 6,5 > played 1 6,5; 1 done 14
         2 play 2 5,5 > played 2 5,5; 2 done 15
         2 ask_takeback > takeback_asked second; 2 done 16
         1 grant_takeback > taken_back 2; 1 done 17",
    );
}

#[test]
fn time_goes_to_the_seat_that_must_act_and_an_increment_to_each_act() {
    let mut table = check(
        "renju 15x15 me open black opening soosyrv8 in 10s+2s",
        "2 enter Bob > 2 joined 2; +2
         2 sit > sat second Bob; started 1 first; asked first put3; 2 done 5
         +5000 >
         1 choose 0 put 7,7 7,6 8,5 > played 0 7,7; played 1 7,6; played 2 8,5; asked second take; 1 done 9
         +1000 >
         2 choose 3 take black > swapped second 11000ms; asked first put1 declare8; 2 done 11
         +3000 >
         1 choose 3 put 0,0 declare 2 > played 3 0,0; declared first 2 9000ms; asked second take; 1 done 14
         +1000 >
         2 choose 4 take black > stayed second 12000ms; asked second offer2; 2 done 16
         +4000 >
         2 choose 4 offer 1,0 2,0 > offered second 2 10000ms; asked first select2; 2 done 18
         +1000 >
         1 choose 4 select 3,0 > 1 refused not_in_zone
         1 choose 4 select 2,0 > played 4 2,0; opening_over; 1 done 20
         +1000 >
         1 play 5 3,0 > played 5 3,0 9000ms; 1 done 21",
    );
    table.run("+9999 >\n +1 > ended time first");
}

#[test]
fn a_selection_is_no_move_for_byo_yomi_either() {
    for (time, left) in [("byo 0+3x10s", "0ms x2"), ("move 20s", "20000ms"), ("20s", "5000ms")] {
        let mut table = check(
            &format!("renju 15x15 me open black opening rif in {time}"),
            "2 enter Bob > 2 joined 2; +2",
        );
        for line in [
            "2 sit",
            "1 choose 0 put 7,7 7,6 8,5",
            "2 choose 3 take white",
            "2 choose 3 put 0,0",
            "1 choose 4 offer 1,0 2,0",
        ] {
            let shown = table.run_for(line, 0);
            assert!(!shown.contains("refused"), "{line}: {shown}");
        }
        // 8 seconds for the selection and 7 for the sixth stone are 15 for one move.
        let selected = table.run_for("+8000", 0) + &table.run_for("2 choose 4 select 1,0", 0);
        assert_eq!(selected, "played 4 1,0; opening_over; 2 done 17");
        let moved = table.run_for("+7000", 0) + &table.run_for("2 play 5 14,14", 0);
        assert_eq!(moved, format!("played 5 14,14 {left}; 2 done 18"));
    }
}

#[test]
fn a_flag_a_resignation_and_a_claim_count_for_the_seat_that_must_act() {
    let claim = millis(RoomLimits::DEFAULT.claim_after);
    let mut table = begun("swap2 in 10s", "first put3");
    table.run(
        "+60000 >
         1 choose 0 put 7,7 8,8 9,6 > played 0 7,7; played 1 8,8; played 2 9,6; asked second take put2; 1 done 9",
    );
    let mut flagged = table.clone();
    flagged.run("+9999 >\n +1 > ended time first");
    let mut resigned = table.clone();
    resigned.run("1 resign > ended resignation second; 1 done 10");
    table.run(
        "2 choose 3 put 6,6 5,5 > played 3 6,6; played 4 5,5 10000ms; asked first take; 2 done 12
         +10000 > ended time second",
    );

    let mut table = begun("swap2", "first put3");
    table.run(&format!(
        "1 gone > -1
         2 claim_win > 2 refused too_early
         +{claim} >
         2 claim_win > ended abandonment second; 2 done 6"
    ));
    let mut table = begun("swap2", "first put3");
    table.run(&format!(
        "1 choose 0 put 7,7 8,8 9,6 > played 0 7,7; played 1 8,8; played 2 9,6; asked second take put2; 1 done 9
         1 gone > -1
         +{claim} >
         2 claim_win > 2 refused your_turn
         2 choose 3 put 6,6 5,5 > played 3 6,6; played 4 5,5; asked first take; 2 done 12
         2 claim_win > 2 refused too_early
         +{claim} >
         2 claim_draw > ended abandonment; 2 done 13"
    ));
}

#[test]
fn clocks_and_absence_keep_to_their_seats_when_colours_swap() {
    let mut table = begun("swap1 in 10s", "first put1");
    table.run(
        "1 choose 0 put 7,7 > played 0 7,7; asked second take; 1 done 7
         +1000 >
         2 choose 1 take black > swapped second 9000ms; opening_over; 2 done 9",
    );
    // First is White now and must act, with all of their time.
    let mut flagged = table.clone();
    flagged.run("+9999 >\n +1 > ended time second");
    table.run(
        "+2000 >
         1 play 1 2,0 > played 1 2,0 8000ms; 1 done 10
         2 gone > -2
         +9000 > ended time first",
    );
}

#[test]
fn bots_act_in_openings_at_their_pace() {
    let mut table = check(
        "freestyle 15x15 me attack black opening swap2",
        "1 choose 0 put 7,7 8,8 9,6 > played 0 7,7; played 1 8,8; played 2 9,6; \
         asked second take put2; 1 done 9; turn 1 attack 3",
    );
    let mut late = table.clone();
    late.run(&format!(
        "+{BOT_WAIT_MAX_MS} > failed late; stayed second; opening_over; cancel 1; turn 2 attack 3"
    ));
    let mut swapped = table.clone();
    swapped.run(
        "job 1 act take black >
         +150 > swapped second; opening_over
         1 play 3 5,5 > played 3 5,5; 1 done 12; turn 2 attack 4",
    );
    for reply in ["6,6", "act put 6,6"] {
        let mut wrong = table.clone();
        wrong.run(&format!(
            "job 1 {reply} > failed act
             +150 > stayed second; opening_over; turn 2 attack 3"
        ));
    }
    table.run(
        "job 1 act put 6,6 5,5 >
         +150 > played 3 6,6; played 4 5,5; asked first take
         1 choose 5 take black > stayed first; opening_over; 1 done 14; turn 2 attack 5
         job 2 4,4 >
         +150 > played 5 4,4",
    );
    // Two acts at the same ply by one bot.
    check(
        "renju 15x15 me engine black opening taraguchi10",
        "1 choose 0 put 7,7 > played 0 7,7; asked second take; 1 done 7; turn 1 engine 1",
    );
}
