//! Tests of what people and bots do in a room, case by case.

use crate::{protocol::Player, seat::Seat};

use super::harness::{BOT, BOT_FIRST, BOTS, HELPED, OPEN, TINY, Table, check};

#[test]
fn rooms_are_made_as_asked() {
    let made = |text| match Table::create(text) {
        Ok((_, shown)) => shown,
        Err(refusal) => format!("{:?}: {refusal}", refusal.reason),
    };
    let cases = [
        (OPEN, "created freestyle 15x15; sat first Ann; 1 joined 2; +1"),
        (
            "mnk:3 3x3 me open white",
            "created tic-tac-toe black second; sat first Ann; 1 joined 2; +1",
        ),
        ("mnk:3 3x3 open me random", "created tic-tac-toe; sat second Ann; 1 joined 2; +1"),
        (
            BOT,
            "created freestyle 15x15; sat first Ann; sat second bot attack; \
             started 1 first; 1 joined 4; +1",
        ),
        (
            BOT_FIRST,
            "created freestyle 15x15 black second; sat first Ann; sat second bot attack; \
             started 1 second; 1 joined 4; +1; turn 1 attack 0",
        ),
        (
            BOTS,
            "created freestyle 15x15; sat first bot attack; sat second bot pattern; \
             started 1 first; 1 joined 4; +1; botsturn 1 attack 0",
        ),
        ("freestyle 15x15 open open black", "created freestyle 15x15; 1 joined 1; +1"),
        ("freestyle 15x15 me me black", "AlreadySeated: You have a seat already."),
        (
            "mnk:4 15x15 me pattern black",
            "BotNotOffered: pattern plays only where five in a row win",
        ),
        (
            "freestyle 15x15 me attack:2 black",
            "BotNotOffered: attack has no levels; ask for it without a level",
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
         2 sit > sat second Bob; started 1 first; 2 done 4
         1 play 0 0,0 > played 0 0,0; 1 done 5
         2 play 1 1,0 > played 1 1,0; 2 done 6
         moves 1,1 0,1 >
         1 play 4 2,2 > played 4 2,2; ended five first; 1 done 10
         1 rematch > rematch_asked first; 1 done 11
         2 rematch > started 2 second; 2 done 12
         2 play 0 1,1 > played 0 1,1; 2 done 13
         2 resign > ended resignation first; 2 done 14",
    );
}

#[test]
fn a_seat_is_given_up_between_games_only() {
    check(
        OPEN,
        "1 stand > stood first; 1 done 3
         1 sit second > sat second Ann; 1 done 4
         1 leave > stood second; 1 done 5; -1
         1 enter Ann > 1 joined 5; +1
         1 sit first > sat first Ann; 1 done 6
         3 enter Ann > 3 joined 6; +3
         3 leave > 3 done; -3
         2 enter Bob > 2 joined 6; +2
         2 sit second > sat second Bob; started 1 first; 2 done 8
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
         2 sit > sat second Bob; started 1 first; 2 done 4
         1 resign > ended resignation second; 1 done 5
         3 enter Cid > 3 joined 5; +3";
    let cases = [
        // The player who stays agrees afterwards.
        "2 stand > stood second; 2 done 6
         3 sit > sat second Cid; rematch_asked second; 3 done 8
         1 rematch > started 2 second; 1 done 9",
        // The player who stays has asked before.
        "2 stand > stood second; 2 done 6
         1 rematch > rematch_asked first; 1 done 7
         3 sit > sat second Cid; started 2 second; 3 done 9",
        // The job of the player who left is not that of the player who stays.
        "2 rematch > rematch_asked second; 2 done 6
         2 leave > stood second; 2 done 7; -2
         3 sit > sat second Cid; rematch_asked second; 3 done 9
         1 rematch > started 2 second; 1 done 10",
        // Both seats change hands.
        "1 stand > stood first; 1 done 6
         2 stand > stood second; 2 done 7
         3 sit second > sat second Cid; rematch_asked second; 3 done 9
         2 sit > sat first Bob; started 2 second; 2 done 11",
        // A bot always wants to.
        "2 stand > stood second; 2 done 6
         1 seat_bot second attack > sat second bot attack; rematch_asked second; 1 done 8
         1 rematch > started 2 second; 1 done 9; turn 1 attack 0",
        "1 rematch > rematch_asked first; 1 done 6
         2 stand > stood second; 2 done 7
         1 seat_bot second attack > sat second bot attack; started 2 second; 1 done 9; \
             turn 1 attack 0",
    ];
    for case in cases {
        check(OPEN, &format!("{ended}\n{case}"));
    }
}

#[test]
fn offers_are_answered_by_the_one_asked() {
    let game = "2 enter Bob > 2 joined 2; +2
         2 sit > sat second Bob; started 1 first; 2 done 4";
    let cases = [
        "1 offer_draw > draw_offered first; 1 done 5
         1 offer_draw > 1 refused already_asked
         1 accept_draw > 1 refused no_offer
         2 decline_draw > draw_declined second; 2 done 6
         1 offer_draw > draw_offered first; 1 done 7
         2 accept_draw > ended agreement; 2 done 8",
        // A request for a rematch ends when the other declines it, or the asker withdraws it.
        "1 resign > ended resignation second; 1 done 5
         1 decline_rematch > 1 refused no_offer
         1 rematch > rematch_asked first; 1 done 6
         2 decline_rematch > rematch_declined second; 2 done 7
         1 rematch > 1 refused already_asked
         2 rematch > rematch_asked second; 2 done 8
         2 decline_rematch > rematch_declined second; 2 done 9
         2 rematch > 2 refused already_asked
         1 decline_rematch > 1 refused no_offer
         1 rematch > rematch_asked first; 1 done 10
         2 rematch > started 2 second; 2 done 11",
        // Both want it; and an offer survives the player's own move, not the opponent's.
        "1 offer_draw > draw_offered first; 1 done 5
         2 offer_draw > ended agreement; 2 done 6",
        "1 offer_draw > draw_offered first; 1 done 5
         1 play 0 7,7 > played 0 7,7; 1 done 6
         2 play 1 8,8 > played 1 8,8; 2 done 7
         2 accept_draw > 2 refused no_offer",
        "1 ask_takeback > 1 refused nothing_to_take_back
         moves 7,7 >
         2 ask_takeback > 2 refused nothing_to_take_back
         1 ask_takeback > takeback_asked first; 1 done 6
         1 ask_takeback > 1 refused already_asked
         2 ask_takeback > 2 refused answer_first
         1 grant_takeback > 1 refused no_offer
         2 refuse_takeback > takeback_refused second; 2 done 7
         1 ask_takeback > takeback_asked first; 1 done 8
         2 grant_takeback > taken_back 0; 2 done 9",
        // With the opponent's answer, and lapsed by a move.
        "moves 7,7 8,8 >
         1 ask_takeback > takeback_asked first; 1 done 7
         1 play 2 9,9 > played 2 9,9; 1 done 8
         2 grant_takeback > 2 refused no_offer
         2 ask_takeback > takeback_asked second; 2 done 9
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
         1 offer_draw > draw_offered first; draw_declined second; 1 done 8
         1 ask_takeback > takeback_asked first; taken_back 0; 1 done 10
         1 play 0 7,7 > played 0 7,7; 1 done 11; turn 2 attack 1
         1 ask_takeback > takeback_asked first; taken_back 0; 1 done 13; cancel 2
         job 2 8,8 >
         1 play 0 6,6 > played 0 6,6; 1 done 14; turn 3 attack 1
         job 3 7,7 >
         1 resign > ended resignation second; 1 done 15
         +1000 >
         1 rematch > started 2 second; 1 done 16; turn 4 attack 0
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
         +1 > played 0 0,0; botsturn 2 minimax 1
         +500 >
         job 2 1,0 > played 1 1,0; botsturn 3 minimax 2
         +500 >
         job 3 1,1 > played 2 1,1; botsturn 4 minimax 3
         +500 >
         job 4 0,1 > played 3 0,1; botsturn 5 minimax 4
         +500 >
         job 5 2,2 > played 4 2,2; ended five first
         1 rematch > 1 refused not_seated
         1 remove_bot second > stood second; 1 done 11
         1 seat_bot second attack > sat second bot attack; started 2 second; \
1 done 13; botsturn 6 attack 0",
    );
}

#[test]
fn bots_play_only_while_somebody_is_there() {
    check(
        BOTS,
        "+500 >
         2 enter Eve > 2 joined 4; +2
         1 gone > -1
         job 1 7,7 > played 0 7,7; botsturn 2 pattern 1
         2 gone > -2; cancel 2
         job 2 8,8 >
         +9999 >
         3 enter Eve > 3 joined 5; +3; botsturn 3 pattern 1
         job 3 8,8 >
         3 leave > 3 done; -3
         +500 >
         1 enter Ann > 1 joined 5; +1; botsturn 4 pattern 1
         job 4 8,8 >
         +500 > played 1 8,8; botsturn 5 attack 2",
    );
    // A leaving member gets no reply from the bot. A repeated command gets one.
    check(
        BOT,
        "1 #w weights > weigh 1 attack 0
         1 #m bot_move 0 > 1 refused busy
         1 gone > cancel 1; -1
         2 enter Ann > 2 joined 4; +2
         2 #w weights > weigh 2 attack 0
         3 enter Eve > 3 joined 4; +3
         2 leave > 2 done; -2
         3 leave > cancel 2; 3 done; -3
         2 enter Ann > 2 joined 4; +2
         2 #x bot_move 0 > move 3 attack 0
         2 leave > cancel 3; 2 refused not_a_member; 2 done; -2
         2 enter Ann > 2 joined 4; +2
         2 #x bot_move 0 > 2 refused not_a_member",
    );
}

#[test]
fn a_bot_without_a_good_answer_does_not_stop_the_game() {
    let cases = [
        (BOT_FIRST, "+200 >\n job 1 none > failed; played 0 0,0"),
        (BOT_FIRST, "+200 >\n job 1 15,0 > failed 15,0; played 0 0,0"),
        (BOT_FIRST, "+200 >\n job 1 weights > failed; played 0 0,0"),
        (BOT_FIRST, "+59999 >\n +1 > failed late; played 0 0,0; cancel 1"),
        (
            "freestyle unbounded me attack black",
            "1 play 0 -7,9 > played 0 -7,9; 1 done 5; turn 1 attack 1
             +200 >
             job 1 -7,9 > failed -7,9; played 1 -8,8",
        ),
    ];
    for (create, script) in cases {
        check(create, script);
    }
}

#[test]
fn help_is_for_those_who_may_have_it() {
    let people = "2 enter Bob > 2 joined 2; +2
         2 sit > sat second Bob; started 1 first; 2 done 4
         3 enter Eve > 3 joined 4; +3";
    let ended = "1 play 0 7,7 > played 0 7,7; 1 done 5
         1 resign > ended resignation second; 1 done 6";
    let cases = [
        (OPEN, people, "1 weights > 1 refused no_assistance"),
        (OPEN, people, "1 bot_move 0 > 1 refused no_assistance"),
        (HELPED, people, "3 weights > 3 refused players_only"),
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
             job 3 7,7 > failed 7,7; 1 refused busy
             1 bot_move 2 > move 4 attack 2
             +59999 >
             +1 > cancel 4; 1 refused busy",
        ),
        // Against a bot; by default the opponent helps.
        (
            "freestyle 15x15 me pattern black",
            "2 enter Eve > 2 joined 4; +2",
            "2 weights > 2 refused players_only
             1 weights > weigh 1 pattern 0
             1 weights minimax > 1 refused bot_not_offered
             job 1 weights > 1 weights pattern 0 x400",
        ),
        // After the game, for everybody, on the last position in which there was a choice.
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
             2 sit > sat second Bob; started 1 first; 2 done 4
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
fn colours_swap_between_games_and_people_keep_their_seats() {
    for (create, begins) in [(OPEN, Seat::First), ("freestyle 15x15 me open white", Seat::Second)] {
        let (mut table, _) = Table::create(create).unwrap();
        table.run(&format!(
            "2 enter Bob > 2 joined 2; +2
             2 sit > sat second Bob; started 1 {begins}; 2 done 4"
        ));
        let seats = table.room.state.seats.clone();
        let mut black = begins;
        for game in 1..5 {
            let state = &table.room.state;
            assert_eq!((state.black(), state.to_act()), (black, Some(black)));
            assert_eq!(Seat::BOTH.map(|seat| state.seat_of(state.stone_of(seat))), Seat::BOTH);
            let seq = state.seq;
            black = black.other();
            table.run(&format!(
                "1 resign > ended resignation second; 1 done {}
                 1 rematch > rematch_asked first; 1 done {}
                 2 rematch > started {} {black}; 2 done {}",
                seq + 1,
                seq + 2,
                game + 1,
                seq + 3
            ));
            assert_eq!(table.room.state.seats, seats);
        }
    }
}

#[test]
fn names_in_seats_follow_their_members() {
    check(
        OPEN,
        "1 name Anna > renamed first Anna
         1 name Anna >
         2 enter Bob > 2 joined 3; +2
         2 name Rob >
         2 sit > sat second Rob; started 1 first; 2 done 5
         2 gone > -2
         2 enter Bob > renamed second Bob; 2 joined 6; +2",
    );
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
    assert_eq!(summary["seats"]["second"]["bot"]["kind"], "attack");
    assert_eq!((&summary["black"], &summary["to_act"]), (&"first".into(), &"second".into()));
}

#[test]
fn a_finished_room_is_listed_with_those_who_played() {
    let begun = "2 enter Bob > 2 joined 2; +2
         2 sit > sat second Bob; started 1 first; 2 done 4
         1 play 0 7,7 > played 0 7,7; 1 done 5
         2 resign > ended resignation first; 2 done 6";
    let left = "2 leave > stood second; 2 done 7; -2";
    let taken = "3 enter Cid > 3 joined 7; +3
         3 sit > sat second Cid; rematch_asked second; 3 done 9";
    for (script, players) in [
        (begun.to_owned(), None),
        (format!("{begun}\n{left}"), Some(["Ann", "Bob"])),
        (format!("{begun}\n{left}\n1 leave > stood first; 1 done 8; -1"), Some(["Ann", "Bob"])),
        (format!("{begun}\n{left}\n{taken}"), Some(["Ann", "Bob"])),
    ] {
        let summary = check(OPEN, &script).room.summary();
        let names = summary.players.map(|players| {
            Seat::BOTH.map(|seat| match &players[seat] {
                Player::Member { name, .. } => name.to_string(),
                Player::Bot { .. } => panic!("no bot plays"),
            })
        });
        assert_eq!(names, players.map(|names| names.map(str::to_owned)), "{script}");
    }
}

#[test]
fn who_is_gone_before_their_first_act_gives_the_seat_to_the_next_who_sits_down() {
    let scanned = "2 enter Bob > 2 joined 2; +2
         2 sit > sat second Bob; started 1 first; 2 done 4
         3 enter Cid > 3 joined 4; +3";
    let cases = [
        // Nobody takes the seat of a guest who is here.
        "3 sit > 3 refused no_open_seat
         3 sit second > 3 refused seat_taken",
        "2 gone > -2
         3 sit > ended aborted second; stood second; sat second Cid; started 2 first; 3 done 8
         1 play 0 7,7 > played 0 7,7; 1 done 9
         3 play 1 8,8 > played 1 8,8; 3 done 10
         1 resign > ended resignation second; 1 done 11
         1 rematch > rematch_asked first; 1 done 12
         3 rematch > started 3 second; 3 done 13",
        // The host may have begun.
        "1 play 0 7,7 > played 0 7,7; 1 done 5
         2 gone > -2
         3 sit second > ended aborted second; stood second; sat second Cid; started 2 first; 3 done 9",
        // One move is enough to keep the seat, and the host keeps theirs.
        "1 play 0 7,7 > played 0 7,7; 1 done 5
         2 play 1 8,8 > played 1 8,8; 2 done 6
         2 gone > -2
         3 sit > 3 refused no_open_seat",
        "1 gone > -1
         3 sit > 3 refused no_open_seat
         3 sit first > 3 refused seat_taken",
    ];
    for case in cases {
        check(OPEN, &format!("{scanned}\n{case}"));
    }
}
