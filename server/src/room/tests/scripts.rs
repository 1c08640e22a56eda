//! What a room does, case by case.

use std::fmt::Write as _;

use fivefold_shared::protocol::{Message, SPECTATOR_NAMES_MAX};

use super::harness::{Table, check, command_id, member, show_all};
use crate::{
    limits::{
        ANSWERED_MEMBERS_MAX, ANSWERS_MAX, HELP_JOBS_MAX, HISTORY_EVENTS_MAX, Limits,
        MEMBER_SESSIONS_MAX, ROOM_EVENTS_MAX,
    },
    room::{Effect, Effects, Input, Room, SessionId},
};

const OPEN: &str = "freestyle 15x15 me open black";
const HELPED: &str = "freestyle 15x15 me open black assistance";
const BOT: &str = "freestyle 15x15 me attack black";
const BOT_FIRST: &str = "freestyle 15x15 me attack white";
const BOTS: &str = "freestyle 15x15 attack pattern black";
const TINY: &str = "mnk:3 3x3 me open black";
const RENJU: &str = "renju 15x15 me open black";
const ENDLESS: &str = "freestyle unbounded me open black";

#[test]
fn rooms_are_made_as_asked() {
    let made = |text| match Table::create(text) {
        Ok((_, shown)) => shown,
        Err(refusal) => format!("{:?}: {refusal}", refusal.reason),
    };
    let cases = [
        (OPEN, "created freestyle 15x15; sat black Ann; 1 joined 2; +1"),
        ("mnk:3 3x3 me open white", "created tic-tac-toe; sat white Ann; 1 joined 2; +1"),
        ("mnk:3 3x3 open me random", "created tic-tac-toe; sat white Ann; 1 joined 2; +1"),
        (
            BOT,
            "created freestyle 15x15; sat black Ann; sat white bot attack; \
             started 1 Ann bot attack; 1 joined 4; +1",
        ),
        (
            BOT_FIRST,
            "created freestyle 15x15; sat white Ann; sat black bot attack; \
             started 1 bot attack Ann; turn 1 attack 0; 1 joined 4; +1",
        ),
        (
            BOTS,
            "created freestyle 15x15; sat black bot attack; sat white bot pattern; \
             started 1 bot attack bot pattern; turn 1 attack 0; 1 joined 4; +1",
        ),
        ("freestyle 15x15 open open black", "created freestyle 15x15; 1 joined 1; +1"),
        ("freestyle 15x15 me me black", "AlreadySeated: You can take only one of the seats."),
        (
            "mnk:4 15x15 me pattern black",
            "BotNotOffered: pattern plays only where five in a row win",
        ),
        (
            "freestyle 15x15 me attack:2 black",
            "BotNotOffered: attack has no levels; ask for it without a strength",
        ),
    ];
    for (text, expected) in cases {
        assert_eq!(made(text), expected, "{text}");
    }
}

#[test]
fn people_meet_play_and_play_again() {
    check(
        TINY,
        "2 enter Bob > 2 joined 2; +2
         2 sit > sat white Bob; started 1 Ann Bob; 2 done 4
         1 play 0 0,0 > played 0 0,0; 1 done 5
         2 play 1 1,0 > played 1 1,0; 2 done 6
         moves 1,1 0,1 >
         1 play 4 2,2 > played 4 2,2; ended five black; 1 done 10
         1 rematch > rematch_asked black; 1 done 11
         2 rematch > started 2 Bob Ann; 2 done 12
         2 play 0 1,1 > played 0 1,1; 2 done 13
         2 resign > ended resignation white; 2 done 14",
    );
}

#[test]
fn a_seat_is_given_up_between_games_only() {
    check(
        OPEN,
        "1 stand > stood black; 1 done 3
         1 sit white > sat white Ann; 1 done 4
         1 leave > stood white; 1 done 5; -1
         1 enter Ann > 1 joined 5; +1
         1 sit black > sat black Ann; 1 done 6
         3 enter Ann > 3 joined 6; +3
         3 leave > 3 done; -3
         2 enter Bob > 2 joined 6; +2
         2 sit white > sat white Bob; started 1 Ann Bob; 2 done 8
         2 leave > 2 done; -2
         2 enter Bob > 2 joined 8; +2
         2 play 0 1,1 > 2 refused not_your_turn
         2 gone > -2
         4 enter Bob 6 > 4 joined [7 8]; +4",
    );
}

#[test]
fn who_sits_down_after_a_game_wants_another_one() {
    let ended = "2 enter Bob > 2 joined 2; +2
         2 sit > sat white Bob; started 1 Ann Bob; 2 done 4
         1 resign > ended resignation white; 1 done 5
         3 enter Cid > 3 joined 5; +3";
    let cases = [
        // The one who stays agrees afterwards.
        "2 stand > stood white; 2 done 6
         3 sit > sat white Cid; rematch_asked white; 3 done 8
         1 rematch > started 2 Cid Ann; 1 done 9",
        // The one who stays has asked before.
        "2 stand > stood white; 2 done 6
         1 rematch > rematch_asked black; 1 done 7
         3 sit > sat white Cid; started 2 Cid Ann; 3 done 9",
        // The wish of the one who has gone is not that of the one who stays.
        "2 rematch > rematch_asked white; 2 done 6
         2 leave > stood white; 2 done 7; -2
         3 sit > sat white Cid; 3 done 8
         1 rematch > started 2 Cid Ann; 1 done 9",
        // Both seats change hands.
        "1 stand > stood black; 1 done 6
         2 stand > stood white; 2 done 7
         3 sit white > sat white Cid; rematch_asked white; 3 done 9
         2 sit > sat black Bob; started 2 Cid Bob; 2 done 11",
        // A bot always wants to.
        "2 stand > stood white; 2 done 6
         1 seat_bot white attack > sat white bot attack; rematch_asked white; 1 done 8
         1 rematch > started 2 bot attack Ann; 1 done 9; turn 1 attack 0",
        "1 rematch > rematch_asked black; 1 done 6
         2 stand > stood white; 2 done 7
         1 seat_bot white attack > sat white bot attack; started 2 bot attack Ann; 1 done 9; \
             turn 1 attack 0",
    ];
    for case in cases {
        check(OPEN, &format!("{ended}\n{case}"));
    }
}

#[test]
fn offers_are_answered_by_the_one_asked() {
    let game = "2 enter Bob > 2 joined 2; +2
         2 sit > sat white Bob; started 1 Ann Bob; 2 done 4";
    let cases = [
        "1 offer_draw > draw_offered black; 1 done 5
         1 offer_draw > 1 refused already_asked
         1 accept_draw > 1 refused no_offer
         2 decline_draw > draw_declined white; 2 done 6
         1 offer_draw > draw_offered black; 1 done 7
         2 accept_draw > ended agreement; 2 done 8",
        // Both want it; and an offer survives one's own move, not the opponent's.
        "1 offer_draw > draw_offered black; 1 done 5
         2 offer_draw > ended agreement; 2 done 6",
        "1 offer_draw > draw_offered black; 1 done 5
         1 play 0 7,7 > played 0 7,7; 1 done 6
         2 play 1 8,8 > played 1 8,8; 2 done 7
         2 accept_draw > 2 refused no_offer",
        "1 ask_takeback > 1 refused nothing_to_take_back
         moves 7,7 >
         2 ask_takeback > 2 refused nothing_to_take_back
         1 ask_takeback > takeback_asked black; 1 done 6
         1 ask_takeback > 1 refused already_asked
         2 ask_takeback > 2 refused already_asked
         1 grant_takeback > 1 refused no_offer
         2 refuse_takeback > takeback_refused white; 2 done 7
         1 ask_takeback > takeback_asked black; 1 done 8
         2 grant_takeback > taken_back 0; 2 done 9",
        // With the opponent's answer, and lapsed by a move.
        "moves 7,7 8,8 >
         1 ask_takeback > takeback_asked black; 1 done 7
         1 play 2 9,9 > played 2 9,9; 1 done 8
         2 grant_takeback > 2 refused no_offer
         2 ask_takeback > takeback_asked white; 2 done 9
         1 grant_takeback > taken_back 1; 1 done 10
         2 play 1 6,6 > played 1 6,6; 2 done 11",
    ];
    for case in cases {
        check(OPEN, &format!("{game}\n{case}"));
    }
}

#[test]
fn bots_answer_at_once_but_move_in_their_time() {
    check(
        BOT,
        "1 play 0 7,7 > played 0 7,7; 1 done 5; turn 1 attack 1
         +100 >
         job 1 8,8 >
         +49 >
         +1 > played 1 8,8
         1 offer_draw > draw_offered black; draw_declined white; 1 done 8
         1 ask_takeback > takeback_asked black; taken_back 0; 1 done 10
         1 play 0 7,7 > played 0 7,7; 1 done 11; turn 2 attack 1
         1 ask_takeback > takeback_asked black; taken_back 0; 1 done 13; cancel 2
         job 2 8,8 >
         1 play 0 6,6 > played 0 6,6; 1 done 14; turn 3 attack 1
         job 3 7,7 >
         1 resign > ended resignation white; 1 done 15
         +1000 >
         1 rematch > started 2 bot attack Ann; 1 done 16; turn 4 attack 0
         +1000 >
         job 4 7,7 > played 0 7,7",
    );
}

#[test]
fn two_bots_play_at_a_pace_and_stop_after_their_game() {
    check(
        "mnk:3 3x3 minimax minimax black",
        "job 1 0,0 >
         +499 >
         +1 > played 0 0,0; turn 2 minimax 1
         1 gone > -1
         +500 >
         job 2 1,0 > played 1 1,0; turn 3 minimax 2
         +500 >
         job 3 1,1 > played 2 1,1; turn 4 minimax 3
         +500 >
         job 4 0,1 > played 3 0,1; turn 5 minimax 4
         +500 >
         job 5 2,2 > played 4 2,2; ended five black
         1 enter Ann > 1 joined 10; +1
         1 rematch > 1 refused not_seated
         1 remove_bot white > stood white; 1 done 11
         1 seat_bot white attack > sat white bot attack; started 2 bot attack bot minimax; \
1 done 13; turn 6 attack 0",
    );
}

#[test]
fn a_bot_without_a_good_answer_does_not_stop_the_game() {
    let cases = [
        (BOT_FIRST, "+200 >\n job 1 none > played 0 0,0"),
        (BOT_FIRST, "+200 >\n job 1 15,0 > played 0 0,0"),
        (BOT_FIRST, "+200 >\n job 1 weights > played 0 0,0"),
        (BOT_FIRST, "+59999 >\n +1 > played 0 0,0; cancel 1"),
        (
            "freestyle unbounded me attack black",
            "1 play 0 -7,9 > played 0 -7,9; 1 done 5; turn 1 attack 1
             +200 >
             job 1 -7,9 > played 1 -8,8",
        ),
    ];
    for (create, script) in cases {
        check(create, script);
    }
}

#[test]
fn help_is_for_those_who_may_have_it() {
    let people = "2 enter Bob > 2 joined 2; +2
         2 sit > sat white Bob; started 1 Ann Bob; 2 done 4
         3 enter Eve > 3 joined 4; +3";
    let ended = "1 play 0 7,7 > played 0 7,7; 1 done 5
         1 resign > ended resignation white; 1 done 6";
    let cases = [
        (OPEN, people, "1 weights > 1 refused no_assistance"),
        (OPEN, people, "1 bot_move 0 > 1 refused no_assistance"),
        (HELPED, people, "3 weights > 3 refused no_assistance"),
        (HELPED, people, "3 bot_move 0 > 3 refused not_seated"),
        (
            HELPED,
            people,
            "1 weights pattern > weigh 1 pattern 0
             1 weights > 1 refused busy
             2 weights > weigh 2 attack 0
             job 1 weights > 1 weights pattern 0 x400
             job 2 none > 2 refused busy",
        ),
        (
            HELPED,
            people,
            "2 bot_move 0 > 2 refused not_your_turn
             1 bot_move 1 > 1 refused stale_ply
             1 bot_move 0 > move 1 attack 0
             job 1 7,7 > played 0 7,7 assisted; 1 done 5
             2 bot_move 1 pattern > move 2 pattern 1
             2 play 1 8,8 > played 1 8,8; 2 done 6; cancel 2; 2 refused stale_ply
             job 2 9,9 >
             1 bot_move 2 > move 3 attack 2
             job 3 7,7 > 1 refused busy
             1 bot_move 2 > move 4 attack 2
             +59999 >
             +1 > cancel 4; 1 refused busy",
        ),
        // Against a bot; by default it is the opponent who helps.
        (
            "freestyle 15x15 me pattern black",
            "2 enter Eve > 2 joined 4; +2",
            "2 weights > 2 refused no_assistance
             1 weights > weigh 1 pattern 0
             1 weights minimax > 1 refused bot_not_offered
             job 1 weights > 1 weights pattern 0 x400",
        ),
        // After the game, for all, on the last position in which there was a choice.
        (
            OPEN,
            people,
            &format!(
                "{ended}
                 3 weights > weigh 1 attack 1
                 1 weights > weigh 2 attack 1
                 1 bot_move 1 > 1 refused no_game"
            ),
        ),
        (
            TINY,
            "2 enter Bob > 2 joined 2; +2
             1 weights > 1 refused no_game
             2 sit > sat white Bob; started 1 Ann Bob; 2 done 4
             moves 0,0 1,0 1,1 0,1 2,2 >",
            "2 weights > weigh 1 attack 4
             2 gone > -2
             job 1 weights > 2 weights attack 4 x400",
        ),
    ];
    for (create, before, script) in cases {
        check(create, &format!("{before}\n{script}"));
    }
}

#[test]
fn every_refusal_has_its_reason() {
    let game = "2 enter Bob > 2 joined 2; +2
         2 sit > sat white Bob; started 1 Ann Bob; 2 done 4
         3 enter Eve > 3 joined 4; +3";
    let cases = [
        (OPEN, "3 sit > 3 refused not_a_member"),
        (OPEN, "3 leave > 3 refused not_a_member; -3"),
        (OPEN, "1 gone > -1\n +3600000 > close\n 1 enter Ann > 1 refused no_such_room; -1"),
        (OPEN, "1 gone > -1\n +3600000 > close\n 1 sit > 1 refused no_such_room"),
        (OPEN, "1 sit > 1 refused already_seated"),
        (OPEN, "1 resign > 1 refused no_game"),
        (OPEN, "1 rematch > 1 refused no_game"),
        (OPEN, "1 remove_bot white > 1 refused no_bot"),
        (OPEN, "1 seat_bot black attack > 1 refused seat_taken"),
        (OPEN, "1 seat_bot white minimax > 1 refused bot_not_offered"),
        (OPEN, "2 enter Bob > 2 joined 2; +2\n 2 sit black > 2 refused seat_taken"),
        (OPEN, "2 enter Bob > 2 joined 2; +2\n 2 seat_bot white attack > 2 refused not_allowed"),
        (OPEN, "2 enter Bob > 2 joined 2; +2\n 2 remove_bot white > 2 refused not_allowed"),
        (OPEN, "2 enter Bob > 2 joined 2; +2\n 2 stand > 2 refused not_seated"),
        (OPEN, &format!("{game}\n 3 sit > 3 refused no_open_seat")),
        (OPEN, &format!("{game}\n 3 play 0 7,7 > 3 refused not_seated")),
        (OPEN, &format!("{game}\n 3 resign > 3 refused not_seated")),
        (OPEN, &format!("{game}\n 1 stand > 1 refused game_running")),
        (OPEN, &format!("{game}\n 1 rematch > 1 refused game_running")),
        (BOT, "1 remove_bot white > 1 refused game_running"),
        (OPEN, &format!("{game}\n 2 play 0 7,7 > 2 refused not_your_turn")),
        (OPEN, &format!("{game}\n 1 play 1 7,7 > 1 refused stale_ply")),
        (OPEN, &format!("{game}\n 1 play 0 15,0 > 1 refused outside")),
        (OPEN, &format!("{game}\n moves 7,7 >\n 2 play 1 7,7 > 2 refused occupied")),
        (ENDLESS, &format!("{game}\n moves 0,0 >\n 2 play 1 1000001,0 > 2 refused too_far")),
        (OPEN, &format!("{game}\n 1 decline_draw > 1 refused no_offer")),
        (OPEN, &format!("{game}\n 1 refuse_takeback > 1 refused no_offer")),
        (
            OPEN,
            &format!(
                "{game}\n 1 resign > ended resignation white; 1 done 5
                 1 rematch > rematch_asked black; 1 done 6\n 1 rematch > 1 refused already_asked"
            ),
        ),
        (
            RENJU,
            &format!(
                "{game}\n moves 7,7 0,0 8,7 0,2 9,6 0,4 9,5 0,6 >
                 1 play 8 9,7 > 1 refused double_three"
            ),
        ),
        (
            RENJU,
            &format!(
                "{game}\n moves 4,7 0,0 5,7 0,2 6,7 0,4 7,4 0,6 7,5 0,8 7,6 0,10 >
                 1 play 12 7,7 > 1 refused double_four"
            ),
        ),
        (
            RENJU,
            &format!(
                "{game}\n moves 4,7 0,0 5,7 0,2 6,7 0,4 8,7 0,6 9,7 0,8 >
                 1 play 10 7,7 > 1 refused overline"
            ),
        ),
    ];
    for (create, script) in cases {
        check(create, script);
    }
}

#[test]
fn a_command_is_done_once_and_answered_the_same() {
    check(
        OPEN,
        "1 #a stand > stood black; 1 done 3
         1 #a stand > 1 done 3
         1 #b stand > 1 refused not_seated
         1 #c sit > sat black Ann; 1 done 4
         1 #b stand > 1 refused not_seated
         2 enter Bob > 2 joined 4; +2
         2 #c sit > sat white Bob; started 1 Ann Bob; 2 done 6
         1 #d play 0 7,7 > played 0 7,7; 1 done 7
         1 gone > -1
         4 enter Ann 6 > 4 joined [7]; +4
         4 #d play 0 7,7 > 4 done 7
         4 resign > ended resignation white; 4 done 8
         4 #e leave > stood black; 4 done 9; -4
         4 enter Ann > 4 joined 9; +4
         4 sit > sat black Ann; rematch_asked black; 4 done 11
         4 #e leave > 4 done 9; -4",
    );
    // Held by a bot, answered where it was asked last, and by then not asked again.
    check(
        HELPED,
        "2 enter Bob > 2 joined 2; +2
         2 sit > sat white Bob; started 1 Ann Bob; 2 done 4
         1 #m bot_move 0 > move 1 attack 0
         1 gone > -1
         5 enter Ann > 5 joined 4; +5
         5 #m bot_move 0 >
         job 1 7,7 > played 0 7,7 assisted; 5 done 5
         5 #m bot_move 0 > 5 done 5",
    );
}

#[test]
fn a_room_that_is_read_back_remembers_what_it_has_done() {
    let table = check(
        BOT,
        "1 #a play 0 7,7 > played 0 7,7; 1 done 5; turn 1 attack 1
         1 #b offer_draw > draw_offered black; draw_declined white; 1 done 7",
    );
    let mut effects = Effects::new();
    let code = table.room.code().clone();
    let (now, limits) = (table.now, table.limits);
    let room = Room::from_log(now, code, 8, &table.log, limits, &mut effects).unwrap();
    assert_eq!(show_all(&effects, true), "turn 1 attack 1");
    let mut table = table.with_room(room);
    table.run(
        "9 enter Ann 5 > 9 joined [6 7]; +9
         9 #a play 0 7,7 > 9 done 5
         9 #b offer_draw > 9 done 7
         9 #create stand > 9 done 4",
    );
}

#[test]
fn after_a_failed_commit_the_room_is_what_the_log_says() {
    let mut table = check(
        HELPED,
        "2 enter Bob > 2 joined 2; +2
         2 sit > sat white Bob; started 1 Ann Bob; 2 done 4
         1 #w weights > weigh 1 attack 0",
    );
    table.run("1 #p play 0 7,7 > played 0 7,7; 1 done 5");
    table.log.truncate(4);
    table.run(
        "rebuild > +1; +2; snapshot 4; cancel 1; 1 refused unavailable
         1 #p play 0 7,7 > played 0 7,7; 1 done 5",
    );
}

#[test]
fn missing_events_are_told_up_to_the_limit() {
    let mut table = check(OPEN, "2 enter Bob > 2 joined 2; +2");
    let last = HISTORY_EVENTS_MAX as u64 + 10;
    for seq in 3..=last {
        let (request, event) =
            if seq % 2 == 1 { ("stand", "stood black") } else { ("sit black", "sat black Ann") };
        table.run(&format!("1 {request} > {event}; 1 done {seq}"));
    }
    let all: Vec<_> = (11..=last).map(|seq| seq.to_string()).collect();
    table.run(&format!(
        "2 enter Bob 10 > 2 joined [{}]; +2
         2 enter Bob 9 > 2 joined {last}; +2
         2 enter Bob {last} > 2 joined []; +2
         2 enter Bob {} > 2 joined {last}; +2",
        all.join(" "),
        last + 1
    ));
}

#[test]
fn as_many_answers_are_remembered_as_the_limit_says() {
    let mut script = "1 #first stand > stood black; 1 done 3\n".to_owned();
    for n in 1..ANSWERS_MAX {
        writeln!(script, "1 #n{n} stand > 1 refused not_seated").unwrap();
    }
    script += "1 #first stand > 1 done 3
               1 #one_more stand > 1 refused not_seated
               1 #first stand > 1 refused not_seated";
    check(OPEN, &script);
}

#[test]
fn nobody_can_push_out_the_answers_of_players() {
    // Ann, the host and a player, and the first of many spectators, each with one answer.
    let mut table =
        check(OPEN, "1 #a stand > stood black; 1 done 3\n 1 sit > sat black Ann; 1 done 4");
    let seen = |table: &Table, name: &str, id: &str| {
        let cause = crate::room::Cause { member: member(name).id, command: command_id(id) };
        table.room.answered.get(&cause).is_some()
    };
    let many = ANSWERED_MEMBERS_MAX + 2;
    for n in 0..many {
        table.run(&format!(
            "{s} enter w{n} > {s} joined 4; +{s}
             {s} #w stand > {s} refused not_seated",
            s = 10 + n
        ));
    }
    assert!(seen(&table, "w0", "w") && seen(&table, "Ann", "a"));
    table.run("9 enter last > 9 joined 4; +9\n 9 #w stand > 9 refused not_seated");
    assert!(!seen(&table, "w0", "w"), "the one who was quiet the longest is forgotten");
    assert!(seen(&table, "w1", "w") && seen(&table, "last", "w") && seen(&table, "Ann", "a"));
}

#[test]
fn spectators_are_limited_and_players_are_not() {
    let limits = Limits { spectators_max: 2, ..Limits::DEFAULT };
    let (mut table, _) = Table::create_with(OPEN, limits).unwrap();
    table.run(
        "2 enter Eve > 2 joined 2; +2
         3 enter Fay > 3 joined 2; +3
         4 enter Gus > 4 refused room_full; -4
         4 enter Fay > 4 joined 2; +4
         1 gone > -1
         1 enter Ann > 1 joined 2; +1
         3 gone > -3
         3 enter Gus > 3 refused room_full; -3
         4 gone > -4
         3 enter Gus > 3 joined 2; +3",
    );
}

#[test]
fn a_member_has_a_limited_number_of_sessions() {
    let mut table = check(OPEN, "");
    for session in 2..=MEMBER_SESSIONS_MAX {
        table.run(&format!("{session} enter Ann > {session} joined 2; +{session}"));
    }
    table.run(
        "99 enter Ann > 99 refused room_full; -99
         1 enter Ann > 1 joined 2; +1
         1 gone > -1
         99 enter Ann > 99 joined 2; +99",
    );
}

#[test]
fn the_help_under_way_in_a_room_is_limited() {
    let mut table = check(BOT, "1 resign > ended resignation white; 1 done 5");
    for n in 1..=HELP_JOBS_MAX {
        let session = n + 1;
        table.run(&format!(
            "{session} enter w{n} > {session} joined 5; +{session}
             {session} weights > weigh {n} attack 0"
        ));
    }
    table.run(
        "1 weights > 1 refused busy\n job 1 none > 2 refused busy\n 1 weights > weigh 65 attack 0",
    );
}

#[test]
fn a_log_that_is_full_takes_no_more_than_the_end_of_a_game() {
    let mut table = check(
        OPEN,
        "2 enter Bob > 2 joined 2; +2
         2 sit > sat white Bob; started 1 Ann Bob; 2 done 4",
    );
    // The log of such a room is too long for a test; its number alone matters here.
    table.room.state.seq = ROOM_EVENTS_MAX - 1;
    let last = ROOM_EVENTS_MAX;
    let mut effects = Effects::new();
    for (id, input, expected) in [
        ("a", "play", format!("played 0 7,7; 1 done {last}")),
        ("b", "play", "1 refused room_full".to_owned()),
        ("c", "resign", format!("ended resignation white; 1 done {}", last + 1)),
        ("d", "rematch", "1 refused room_full".to_owned()),
    ] {
        let text = match input {
            "play" => r#"{"type": "play", "ply": 0, "point": [7, 7]}"#.to_owned(),
            other => format!(r#"{{"type": "{other}"}}"#),
        };
        let request = serde_json::from_str(&text).unwrap();
        effects.clear();
        let input = Input::Command { session: SessionId(1), id: command_id(id), request };
        table.room.apply(table.now, input, &mut effects);
        assert_eq!(show_all(&effects, true), expected);
    }
}

#[test]
fn names_in_seats_follow_their_members() {
    check(
        OPEN,
        "1 name Anna > renamed black Anna
         1 name Anna >
         2 enter Bob > 2 joined 3; +2
         2 name Rob >
         2 sit > sat white Rob; started 1 Anna Rob; 2 done 5
         2 gone > -2
         2 enter Bob > renamed white Bob; 2 joined 6; +2",
    );
}

#[test]
fn spectators_are_told_at_most_once_a_second() {
    let mut table = check(
        OPEN,
        "2 enter Eve > 2 joined 2; +2; spectators 1 Eve
         3 enter Fay > 3 joined 2; +3
         4 enter Fay > 4 joined 2; +4
         +999 >
         3 gone > -3
         +1 > spectators 2 Eve Fay
         4 gone > -4
         +999 >
         +1 > spectators 1 Eve
         +5000 >
         2 sit > sat white Eve; started 1 Ann Eve; 2 done 4; spectators 0",
    );
    for n in 0..=SPECTATOR_NAMES_MAX {
        table.run(&format!("{s} enter w{n:02} > {s} joined 4; +{s}", s = 100 + n));
    }
    table.now += 1_000;
    let effects = table.apply(Input::Wake);
    let [Effect::Broadcast(Message::Spectators { spectators, .. })] = effects.as_slice() else {
        panic!("{effects:?}");
    };
    assert_eq!(spectators.count, SPECTATOR_NAMES_MAX + 1);
    assert_eq!(spectators.names.len(), SPECTATOR_NAMES_MAX);
}

#[test]
fn an_empty_room_is_closed_later_if_people_have_a_game_there() {
    let cases = [
        (OPEN, "1 gone > -1\n +3599999 >\n +1 > close\n +1 >"),
        (OPEN, "1 gone > -1\n +3599999 >\n 1 enter Ann > 1 joined 2; +1\n +9999999 >"),
        (
            OPEN,
            "2 enter Bob > 2 joined 2; +2
             2 sit > sat white Bob; started 1 Ann Bob; 2 done 4
             1 gone > -1
             2 gone > -2
             +86399999 >
             +1 > close",
        ),
        (BOT, "1 gone > -1\n +3599999 >\n +1 > close"),
    ];
    for (create, script) in cases {
        let table = check(create, script);
        assert_eq!(table.room.is_closed(), script.contains("close"));
        if table.room.is_closed() {
            assert_eq!(table.room.deadline(), None);
        }
    }
}

#[test]
fn a_room_is_listed_as_it_is() {
    let table = check(
        BOT,
        "2 enter Eve > 2 joined 4; +2\n 1 play 0 7,7 > played 0 7,7; 1 done 5; turn 1 attack 1",
    );
    let summary = serde_json::to_value(table.room.summary()).unwrap();
    assert_eq!(summary["phase"], "running");
    assert_eq!((&summary["ply"], &summary["spectators"]), (&1.into(), &1.into()));
    assert_eq!(summary["seats"]["white"]["bot"]["kind"], "attack");
}
