//! Tests of chat: who sees whose lines, who may chat at all, and how much.

use crate::protocol::CHAT_LINES_MAX;

use super::harness::{BOT, OPEN, Table, check};
use crate::room::limits::{RoomLimits, SPECTATOR_LINES_MAX, SPECTATOR_LINES_WITHIN_MS};

/// Ann and Bob play, Bob in two sessions; Cid and Dan watch.
const PLAYED: &str = "2 enter Bob > 2 joined 2; +2
    2 sit second > sat second Bob; started 1 first; 2 done 4
    3 enter Bob > 3 joined 4; +3
    4 enter Cid > 4 joined 4; +4
    5 enter Dan > 5 joined 4; +5\n";

#[test]
fn players_do_not_hear_spectators_while_they_play() {
    let script = PLAYED.to_owned()
        + "1 say hello > player Ann: hello; 1 done
           4 say h8! > spectator Cid: h8! -1 -2 -3; 4 done
           1 chat > 1 chat [hello] [-]
           3 chat > 3 chat [hello] [-]
           5 chat > 5 chat [hello] [h8!]
           6 enter Bob > 6 joined 4; +6
           5 say no > spectator Dan: no -1 -2 -3 -6; 5 done
           2 resign > ended resignation first; 2 done 5
           1 chat > 1 chat [hello] [h8!,no]
           4 say pity > spectator Cid: pity; 4 done
           1 rematch > rematch_asked first; 1 done 6
           2 rematch > started 2 second; 2 done 7
           1 chat > 1 chat [hello] [-]
           4 say again > spectator Cid: again -1 -2 -3 -6; 4 done";
    check(OPEN, &script);
}

#[test]
fn who_has_no_seat_is_a_spectator_and_who_leaves_is_nobody() {
    check(
        OPEN,
        "2 enter Bob > 2 joined 2; +2
         2 say hi > spectator Bob: hi; 2 done
         1 chat > 1 chat [] [hi]
         2 sit > sat second Bob; started 1 first; 2 done 4
         2 say hi > player Bob: hi; 2 done
         1 chat > 1 chat [hi] [-]
         2 gone > -2
         2 say ho > 2 refused not_a_member
         2 chat > 2 refused not_a_member",
    );
}

#[test]
fn a_line_is_said_once_and_forgotten_by_no_rebuilding() {
    let script = PLAYED.to_owned()
        + "4 #x say hm > spectator Cid: hm -1 -2 -3; 4 done
           4 #x say hm > 4 done
           rebuild > +1; +2; +3; +4; +5; snapshot 4
           4 chat > 4 chat [] [hm]";
    check(OPEN, &script);
}

#[test]
fn the_host_switches_chat_off_and_on() {
    check(
        BOT,
        "2 enter Bob > 2 joined 4; +2
         2 set_chat false > 2 refused host_only
         1 set_chat false > chat_set false; 1 done 5
         1 set_chat false > 1 done
         1 say hi > 1 refused chat_off
         2 say hi > 2 refused chat_off
         1 set_chat true > chat_set true; 1 done 6
         2 say hi > spectator Bob: hi -1; 2 done",
    );
}

#[test]
fn an_operator_switches_chat_off_for_all() {
    let limits = RoomLimits { chat: false, ..RoomLimits::DEFAULT };
    let (mut table, _) = Table::create_with(OPEN, limits).unwrap();
    table.run("1 say hi > 1 refused chat_off\n 1 chat > 1 chat [] []");
}

#[test]
fn spectators_together_say_no_more_than_can_be_followed() {
    let mut table = check(OPEN, PLAYED);
    for n in 0..SPECTATOR_LINES_MAX {
        let session = 4 + n % 2;
        let name = ["Cid", "Dan"][n % 2];
        table.run(&format!("{session} say {n} > spectator {name}: {n} -1 -2 -3; {session} done"));
    }
    table.run("5 say more > 5 refused too_many_talking\n 1 say me > player Ann: me; 1 done");
    table.now += SPECTATOR_LINES_WITHIN_MS;
    table.run("5 say more > spectator Dan: more -1 -2 -3; 5 done");
}

#[test]
fn the_last_lines_are_kept() {
    let mut table = check(OPEN, "");
    for n in 0..=CHAT_LINES_MAX {
        table.run(&format!("1 say {n} > player Ann: {n}; 1 done"));
    }
    let kept: Vec<_> = (1..=CHAT_LINES_MAX).map(|n| n.to_string()).collect();
    table.run(&format!("1 chat > 1 chat [{}] []", kept.join(",")));
}
