//! Tests of sessions on other nodes: they go on after a break, and leave together when their node
//! is silent.

use super::harness::{HELPED, OPEN, begun, check};
use crate::room::limits::{HISTORY_EVENTS_MAX, RESUME_GRACE_MS, RESUME_RETRY_MS};

#[test]
fn sessions_that_resume_receive_what_they_missed() {
    let mut table = begun("none");
    table.run(
        "resume 3 1 Ann 2 Bob > 1&2 event 4; 1&2 event 5; +1; +2
         resume 5 2 Bob > +2
         resume - 2 Bob > 2 snapshot 5; +2
         resume 6 2 Bob > 2 snapshot 5; +2
         2 play 1 1,0 > played 1 1,0; 2 done 6",
    );
    // A session that was unknown here is in, and learns who else is.
    table.run("resume 5 3 Cid > 3 event 6; 3 spectators 1 Cid; 3 away; +3");
    table.run("3 play 2 2,0 > 3 refused not_seated");
}

#[test]
fn too_many_missed_events_become_a_snapshot() {
    let mut table = begun("none");
    for seq in 6..6 + HISTORY_EVENTS_MAX {
        let on = seq % 2 == 1;
        table.run(&format!("1 set_chat {on} > chat_set {on}; 1 done {seq}"));
    }
    let seq = 5 + HISTORY_EVENTS_MAX;
    table.run(&format!("resume 4 2 Bob > 2 snapshot {seq}; +2"));
    let events: Vec<_> = (6..=seq).map(|seq| format!("2 event {seq}; ")).collect();
    table.run(&format!("resume 5 2 Bob > {}+2", events.concat()));
}

#[test]
fn the_clock_of_a_player_on_turn_stops_while_their_node_is_silent() {
    let mut table = begun("10s");
    table.run("+9000 >\n cut 30000 2 > -2");
    // Not even the flag of a long absence falls; the time of the turn comes back afterwards.
    table.run("+29999 >");
    let from = table.now + 1 + RESUME_GRACE_MS;
    table.run(&format!("+1 > resumed {from}"));

    let mut table = begun("10s");
    table.run("+9000 >\n cut 30000 2 > -2\n +5000 >\n resume 5 2 Bob > +2");
    let from = table.now + RESUME_RETRY_MS + RESUME_GRACE_MS;
    table.run(&format!("+{RESUME_RETRY_MS} > resumed {from}"));
    table.run("2 play 1 1,0 > played 1 1,0 10000ms; 2 done 7");
}

#[test]
fn a_silent_node_stops_no_clock_of_those_who_are_here() {
    // Black waits behind the silent node, and White is on turn.
    let mut table = begun("10s");
    table.run("cut 30000 1 > -1\n +9999 >\n +1 > ended time first");
    // White is here by another node, too.
    let mut table = begun("10s");
    table.run("3 enter Bob > 3 joined 5; +3\n cut 30000 2 > -2\n +10000 > ended time first");
}

#[test]
fn an_analysis_ends_where_its_session_resumes() {
    check(
        HELPED,
        "2 enter Bob > 2 joined 2; +2
         2 sit > sat second Bob; started 1 first; 2 done 4
         2 analyse 0 > analyse 1 0 x3; 2 done
         resume 4 1 Ann 2 Bob > cancel 1; +1; +2",
    );
}

#[test]
fn a_closed_room_sends_those_who_resume_away() {
    check(
        OPEN,
        "1 close Ann > 1 done; closed; close
         resume 2 1 Ann > 1 closed; -1
         cut 2000 1 > -1",
    );
}
