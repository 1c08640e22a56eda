//! Tests of replies to commands: refused with a reason, and the same when a command is repeated.

use crate::protocol::{CommandId, Reason, Refusal};

use super::harness::{BOT, ENDLESS, HELPED, OPEN, RENJU, check, show_all};
use crate::room::{Cause, SessionId};

#[test]
fn every_refusal_has_its_reason() {
    let game = "2 enter Bob > 2 joined 2; +2
         2 sit > sat second Bob; started 1 first; 2 done 4
         3 enter Eve > 3 joined 4; +3";
    let cases = [
        (OPEN, "3 sit > 3 refused not_a_member"),
        (OPEN, "3 leave > 3 refused not_a_member; -3"),
        (OPEN, "1 gone > -1\n +3600000 > close\n 1 enter Ann > 1 refused no_such_room; -1"),
        (OPEN, "1 gone > -1\n +3600000 > close\n 1 sit > 1 refused no_such_room"),
        (OPEN, "1 sit > 1 refused already_seated"),
        (OPEN, "1 resign > 1 refused no_game"),
        (OPEN, "1 rematch > 1 refused no_game"),
        (OPEN, "1 remove_bot second > 1 refused no_bot"),
        (OPEN, "1 seat_bot first attack > 1 refused seat_taken"),
        (OPEN, "1 seat_bot second minimax > 1 refused bot_not_offered"),
        (OPEN, "2 enter Bob > 2 joined 2; +2\n 2 sit first > 2 refused seat_taken"),
        (OPEN, "2 enter Bob > 2 joined 2; +2\n 2 seat_bot second attack > 2 refused not_allowed"),
        (OPEN, "2 enter Bob > 2 joined 2; +2\n 2 remove_bot second > 2 refused not_allowed"),
        (OPEN, "2 enter Bob > 2 joined 2; +2\n 2 stand > 2 refused not_seated"),
        (OPEN, &format!("{game}\n 3 sit > 3 refused no_open_seat")),
        (OPEN, &format!("{game}\n 3 play 0 7,7 > 3 refused not_seated")),
        (OPEN, &format!("{game}\n 3 resign > 3 refused not_seated")),
        (OPEN, &format!("{game}\n 1 stand > 1 refused game_running")),
        (OPEN, &format!("{game}\n 1 rematch > 1 refused game_running")),
        (BOT, "1 remove_bot second > 1 refused game_running"),
        (OPEN, &format!("{game}\n 2 play 0 7,7 > 2 refused not_your_turn")),
        (OPEN, &format!("{game}\n 1 play 1 7,7 > 1 refused stale_ply")),
        (OPEN, &format!("{game}\n 1 play 0 15,0 > 1 refused outside")),
        (OPEN, &format!("{game}\n moves 7,7 >\n 2 play 1 7,7 > 2 refused occupied")),
        (ENDLESS, &format!("{game}\n moves 0,0 >\n 2 play 1 1000001,0 > 2 refused too_far")),
        (OPEN, &format!("{game}\n 1 decline_draw > 1 refused no_offer")),
        (OPEN, &format!("{game}\n 1 refuse_takeback > 1 refused no_offer")),
        (OPEN, &format!("{game}\n 1 decline_rematch > 1 refused game_running")),
        (
            OPEN,
            &format!(
                "{game}\n 1 resign > ended resignation second; 1 done 5
                 1 rematch > rematch_asked first; 1 done 6\n 1 rematch > 1 refused already_asked"
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
        "1 #a stand > stood first; 1 done 3
         1 #a stand > 1 done 3
         1 #b stand > 1 refused not_seated
         1 #c sit > sat first Ann; 1 done 4
         1 #b stand > 1 refused not_seated
         2 enter Bob > 2 joined 4; +2
         2 #c sit > sat second Bob; started 1 first; 2 done 6
         1 #d play 0 7,7 > played 0 7,7; 1 done 7
         1 gone > -1
         4 enter Ann 6 > 4 joined [7]; +4
         4 #d play 0 7,7 > 4 done 7
         4 resign > ended resignation second; 4 done 8
         4 #e leave > stood first; 4 done 9; -4
         4 enter Ann > 4 joined 9; +4
         4 sit > sat first Ann; rematch_asked first; 4 done 11
         4 #e leave > 4 done 9; -4",
    );
    // A bot works on it; the reply goes to the last session that asked, and then it is not
    // repeated.
    check(
        HELPED,
        "2 enter Bob > 2 joined 2; +2
         2 sit > sat second Bob; started 1 first; 2 done 4
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
    let mut table = check(
        BOT,
        "1 #a play 0 7,7 > played 0 7,7; 1 done 5; turn 1 attack 1
         1 #b offer_draw > draw_offered first; draw_declined second; 1 done 7",
    );
    assert_eq!(show_all(&table.restart(), true), "");
    table.run(
        "9 enter Ann 5 > 9 joined [6 7]; +9; turn 1 attack 1
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
         2 sit > sat second Bob; started 1 first; 2 done 4
         1 #w weights > weigh 1 attack 0",
    );
    table.run("1 #p play 0 7,7 > played 0 7,7; 1 done 5");
    table.log.truncate(4);
    table.run(
        "rebuild > +1; +2; snapshot 4; cancel 1; 1 refused unavailable
         1 #p play 0 7,7 > 1 refused unavailable
         1 #q play 0 7,7 > played 0 7,7; 1 done 5",
    );
}

#[test]
fn a_command_at_which_the_room_failed_is_refused_from_then_on() {
    let mut table = check(OPEN, "1 #done stand > stood first; 1 done 3");
    table.rebuild();
    let failed = Refusal::new(Reason::Unavailable);
    for id in ["failed", "done"] {
        let id = CommandId::try_from(id.to_owned()).unwrap();
        let member = table.room.member(SessionId(1)).unwrap().clone();
        let cause = Cause { member, command: id };
        table.room.refuse_for_good(&cause, failed.clone());
    }
    table.run(
        "1 #failed sit > 1 refused unavailable
         1 #done stand > 1 done 3
         1 #new sit > sat first Ann; 1 done 4",
    );
}
