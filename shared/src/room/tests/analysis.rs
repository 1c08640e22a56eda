//! Tests of analyses: who may start one, when, and how they end.

use super::harness::{BOT, HELPED, OPEN, Table, check};
use crate::room::limits::ASSIST_JOBS_MAX;

/// Ann and Bob play, Cid watches.
const PLAYED: &str = "2 enter Bob > 2 joined 2; +2
    2 sit second > sat second Bob; started 1 first; 2 done 4
    3 enter Cid > 3 joined 4; +3\n";

#[test]
fn while_people_play_the_engine_helps_where_help_is_allowed() {
    let alone = PLAYED.to_owned()
        + "1 analyse > 1 refused no_assistance
           3 analyse > 3 refused players_only
           2 resign > ended resignation first; 2 done 5
           3 #a analyse 0 > analyse 1 0 x3; 3 done
           found 1 depth 4 > 3 analysis a 0 4
           found 1 finished > 3 over a finished
           found 1 depth 5 > ";
    check(OPEN, &alone);
    let helped = PLAYED.to_owned()
        + "1 #a analyse > analyse 1 0 x3; 1 done
           1 #a analyse > 1 done
           3 analyse > 3 refused players_only
           found 1 busy > 1 over a busy
           1 #b analyse > analyse 2 0 x3; 1 done
           found 2 too_many > 1 over b too_many";
    check(HELPED, &helped);
    check(
        "mnk:7 15x15 me open black assistance",
        "2 enter Bob > 2 joined 2; +2
         2 sit second > sat second Bob; started 1 first; 2 done 4
         1 analyse > 1 refused bot_not_offered",
    );
}

#[test]
fn any_ply_can_be_looked_at_where_a_move_was_to_be_made() {
    check(
        OPEN,
        "2 enter Bob > 2 joined 2; +2
         1 analyse > 1 refused no_game
         2 sit second > sat second Bob; started 1 first; 2 done 4
         moves 0,0 0,9 1,0 1,9 2,0 2,9 3,0 3,9 4,0 >
         1 #a analyse 9 > 1 refused no_such_ply
         1 #b analyse 8 > analyse 1 8 x3; 1 done
         1 #c analyse > cancel 1; 1 over b stopped; analyse 2 8 x3; 1 done
         2 weights attack 3 > weigh 3 attack 3
         2 weights attack 9 > 2 refused no_such_ply",
    );
}

#[test]
fn an_analysis_ends_with_its_session_or_its_position() {
    check(
        BOT,
        "1 #a analyse > analyse 1 0 x3; 1 done
         1 stop_analysis > cancel 1; 1 over a stopped; 1 done
         1 stop_analysis > 1 done
         1 play 0 7,7 > played 0 7,7; 1 done 5; turn 2 attack 1
         1 #b analyse 0 > analyse 3 0 x3; 1 done
         1 #c analyse 1 > cancel 3; 1 over b stopped; analyse 4 1 x3; 1 done
         1 ask_takeback > takeback_asked first; taken_back 0; 1 done 7; cancel 4; 1 over c moot; cancel 2
         1 #d analyse > analyse 5 0 x3; 1 done
         1 gone > cancel 5; -1
         found 5 depth 9 > ",
    );
    let again = PLAYED.to_owned()
        + "2 resign > ended resignation first; 2 done 5
           3 #a analyse > analyse 1 0 x3; 3 done
           1 rematch > rematch_asked first; 1 done 6
           2 rematch > started 2 second; 2 done 7; cancel 1; 3 over a moot";
    check(OPEN, &again);
}

#[test]
fn each_session_has_one_and_a_room_has_so_many() {
    let mut table: Table =
        check(OPEN, &(PLAYED.to_owned() + "2 resign > ended resignation first; 2 done 5"));
    for n in 1..=ASSIST_JOBS_MAX {
        let session = 100 + n;
        table.run(&format!(
            "{session} enter v{n} > {session} joined 5; +{session}
             {session} analyse > analyse {n} 0 x3; {session} done"
        ));
    }
    table.run("3 analyse > 3 refused busy\n 101 #x analyse > cancel 1; 101 over 6 stopped; analyse 65 0 x3; 101 done");
}
