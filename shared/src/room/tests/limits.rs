//! Tests of a room at its limits and one past them, and when it closes.

use std::fmt::Write as _;

use crate::protocol::{Message, SPECTATOR_NAMES_MAX};

use super::harness::{
    BOT, BOT_FIRST, BOTS, LUCK, OPEN, Table, check, command_id, member, show_all,
};
use crate::{
    room::limits::{
        ANSWERED_MEMBERS_MAX, ANSWERS_MAX, ASSIST_JOBS_MAX, HISTORY_EVENTS_MAX,
        MEMBER_SESSIONS_MAX, ROOM_EVENTS_MAX, RoomLimits,
    },
    room::{Effect, Effects, Input, Room, SessionId},
};

#[test]
fn missing_events_are_told_up_to_the_limit() {
    let mut table = check(OPEN, "2 enter Bob > 2 joined 2; +2");
    let last = HISTORY_EVENTS_MAX as u64 + 10;
    for seq in 3..=last {
        let (request, event) =
            if seq % 2 == 1 { ("stand", "stood first") } else { ("sit first", "sat first Ann") };
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
    let mut script = "1 #first stand > stood first; 1 done 3\n".to_owned();
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
    // Ann, the host, and both players have an answer each, and then as many others as there may be.
    let mut table = check(
        OPEN,
        "1 #a stand > stood first; 1 done 3
         2 enter Bob > 2 joined 3; +2
         2 #a sit > sat first Bob; 2 done 4
         3 enter Cid > 3 joined 4; +3
         3 #a sit > sat second Cid; started 1 first; 3 done 6",
    );
    let seen = |table: &Table, name: &str| {
        let cause = crate::room::Cause { member: member(name).id, command: command_id("a") };
        table.room.answered.get(&cause).is_some()
    };
    let watch = |table: &mut Table, session: usize, name: &str| {
        table.run(&format!(
            "{session} enter {name} > {session} joined 6; +{session}
             {session} #a stand > {session} refused not_seated"
        ));
    };
    for n in 0..ANSWERED_MEMBERS_MAX {
        watch(&mut table, 10 + n, &format!("w{n}"));
    }
    for name in ["Ann", "Bob", "Cid", "w0", "w1"] {
        assert!(seen(&table, name), "{name}");
    }
    watch(&mut table, 9, "last");
    assert!(!seen(&table, "w0"), "the one who was quiet the longest is forgotten");
    for name in ["Ann", "Bob", "Cid", "w1", "last"] {
        assert!(seen(&table, name), "{name}");
    }
}

#[test]
fn spectators_are_limited_and_players_are_not() {
    let limits = RoomLimits { spectators_max: 2, ..RoomLimits::DEFAULT };
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
fn other_sites_take_no_place_and_no_name_from_people() {
    let limits = RoomLimits { spectators_max: 6, ..RoomLimits::DEFAULT };
    assert_eq!(limits.watchers_max(), 2);
    assert_eq!(RoomLimits { spectators_max: 0, ..limits }.watchers_max(), 0);
    let (mut table, _) = Table::create_with(OPEN, limits).unwrap();
    // Those who watch may be called as somebody else: nobody sees it.
    table.run(
        "2 watch Eve > 2 joined 2; +2; spectators 1
         3 watch Fay > 3 joined 2; +3
         4 watch Gus > 4 refused room_full; -4
         3 watch Fay > 3 joined 2; +3
         4 enter Hal > 4 joined 2; +4",
    );
    for (session, name) in (5..).zip(["Ida", "Jon", "Kit", "Lea", "Max"]) {
        table.run(&format!("{session} enter {name} > {session} joined 2; +{session}"));
    }
    table.run(
        "10 enter Ned > 10 refused room_full; -10
         2 gone > -2
         10 enter Ned > 10 refused room_full; -10
         10 watch Ned > 10 joined 2; +10
         11 watch Oda > 11 refused room_full; -11",
    );
}

#[test]
fn a_member_has_a_limited_number_of_sessions() {
    let mut table = check(OPEN, "");
    for session in 2..=MEMBER_SESSIONS_MAX {
        table.run(&format!("{session} enter Ann > {session} joined 2; +{session}"));
    }
    table.run(
        "99 enter Ann > 99 refused too_many_sessions; -99
         1 enter Ann > 1 joined 2; +1
         1 gone > -1
         99 enter Ann > 99 joined 2; +99",
    );
}

#[test]
fn the_help_under_way_in_a_room_is_limited() {
    let mut table = check(BOT, "1 resign > ended resignation second; 1 done 5");
    for n in 1..=ASSIST_JOBS_MAX {
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
         2 sit > sat second Bob; started 1 first; 2 done 4",
    );
    // The log of such a room is too long for a test; its number alone matters here.
    table.room.state.seq = ROOM_EVENTS_MAX - 1;
    let last = ROOM_EVENTS_MAX;
    let mut effects = Effects::new();
    for (id, input, expected) in [
        ("a", "play", format!("played 0 7,7; 1 done {last}")),
        ("b", "play", "1 refused room_worn_out".to_owned()),
        ("c", "resign", format!("ended resignation second; 1 done {}", last + 1)),
        ("d", "rematch", "1 refused room_worn_out".to_owned()),
    ] {
        let text = match input {
            "play" => r#"{"type": "play", "ply": 0, "point": [7, 7]}"#.to_owned(),
            other => format!(r#"{{"type": "{other}"}}"#),
        };
        let request = serde_json::from_str(&text).unwrap();
        effects.clear();
        let input =
            Input::Command { session: SessionId(1), id: command_id(id), request, lag_ms: 0 };
        table.room.apply(table.now, input, &mut effects);
        assert_eq!(show_all(&effects, true), expected);
    }
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
         2 sit > sat second Eve; started 1 first; 2 done 4; spectators 0",
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
fn the_host_closes_a_room_unless_somebody_else_plays_there() {
    let seated = "2 enter Bob > 2 joined 2; +2\n 2 sit > sat second Bob; started 1 first; 2 done 4";
    let cases = [
        // From inside and from outside, before a game and in a game against a bot.
        (OPEN, "2 enter Eve > 2 joined 2; +2\n 1 close Ann > 1 done; closed; close".to_owned()),
        (OPEN, "1 gone > -1\n 5 close Ann > 5 done; closed; close".to_owned()),
        (BOT, "1 close Ann > 1 done; closed; close".to_owned()),
        (BOT_FIRST, "1 close Ann > 1 done; closed; cancel 1; close".to_owned()),
        // Only the host may, and not during somebody else's game.
        (OPEN, "2 enter Eve > 2 joined 2; +2\n 2 close Eve > 2 refused host_only".to_owned()),
        (OPEN, format!("{seated}\n 1 close Ann > 1 refused game_running")),
        (OPEN, format!("{seated}\n 2 gone > -2\n 1 close Ann > 1 refused game_running")),
        (
            OPEN,
            format!(
                "{seated}\n 1 resign > ended resignation second; 1 done 5
                 1 close Ann > 1 done; closed; close"
            ),
        ),
        // Somebody plays a bot in the host's room, and then leaves.
        (
            "freestyle 15x15 attack open white",
            "2 enter Bob > 2 joined 2; +2
             2 sit > sat second Bob; started 1 second; 2 done 4
             1 close Ann > 1 refused game_running
             2 gone > -2
             1 close Ann > 1 done; closed; close"
                .to_owned(),
        ),
    ];
    for (create, script) in cases {
        let table = check(create, &script);
        assert_eq!(table.room.is_closed(), script.contains("; close"), "{script}");
    }
}

#[test]
fn an_operator_closes_a_room_whoever_plays_there() {
    let seated = "2 enter Bob > 2 joined 2; +2\n 2 sit > sat second Bob; started 1 first; 2 done 4";
    let cases = [
        (OPEN, "", ""),
        (OPEN, seated, "ended aborted; "),
        (BOT, "1 gone > -1", "ended aborted; "),
    ];
    for (create, before, ended) in cases {
        let script =
            format!("{before}\n 9 close_by_operator Insults > {ended}closed Insults; close");
        let mut table = check(create, &script);
        assert!(table.room.is_closed(), "{script}");
        assert!(table.finished.is_empty(), "{script}: no record is kept");
        table.run("9 close_by_operator Insults > 9 refused no_such_room");
    }
}

#[test]
fn a_closed_room_knows_no_command_and_says_so_again_after_a_failed_commit() {
    check(
        OPEN,
        "1 close Ann > 1 done; closed; close
         1 close Ann > 1 refused no_such_room
         1 stand > 1 refused no_such_room
         2 enter Bob > 2 refused no_such_room; -2
         rebuild > +1; snapshot 2; closed",
    );
}

#[test]
fn an_empty_room_is_kept_the_longer_the_more_is_lost_with_it() {
    let cases = [
        // Nothing was played: somebody may still follow the link.
        (OPEN, "1 gone > -1\n +899999 >\n +1 > close\n +1 >"),
        (OPEN, "1 gone > -1\n +899999 >\n 1 enter Ann > 1 joined 2; +1\n +9999999 >"),
        (BOT, "1 gone > -1\n +899999 >\n +1 > close"),
        // The game is over, no matter who has kept a seat.
        (
            BOT,
            "1 play 0 7,7 > played 0 7,7; 1 done 5; turn 1 attack 1
             1 resign > ended resignation second; 1 done 6; cancel 1
             1 gone > -1
             +299999 >
             +1 > close",
        ),
        (
            BOT,
            "1 play 0 7,7 > played 0 7,7; 1 done 5; turn 1 attack 1
             1 resign > ended resignation second; 1 done 6; cancel 1
             1 leave > stood first; 1 done 7; -1
             +299999 >
             +1 > close",
        ),
        // A game against a bot, and one between people, also before the first move.
        (
            BOT,
            "1 play 0 7,7 > played 0 7,7; 1 done 5; turn 1 attack 1
             job 1 7,8 >
             +150 > played 1 7,8
             1 gone > -1
             +3599999 >
             +1 > close",
        ),
        (
            OPEN,
            "2 enter Bob > 2 joined 2; +2
             2 sit > sat second Bob; started 1 first; 2 done 4
             1 gone > -1
             2 gone > -2
             +86399999 >
             +1 > ended abandonment; close",
        ),
        (BOTS, "1 gone > -1; cancel 1\n +9999 >\n +1 > close"),
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
fn a_room_of_two_bots_that_nobody_enters_is_closed_and_the_demo_waits() {
    let made = |demo| Table::found("mnk:3 3x3 minimax attack black", RoomLimits::DEFAULT, demo);
    let (mut alone, shown) = made(false).unwrap();
    assert!(!shown.contains("turn"), "{shown}");
    alone.run("+9999 >\n +1 > close");

    let (mut demo, _) = made(true).unwrap();
    assert_eq!(demo.room.deadline(), None);
    // After a restart it is a room like any other.
    let (code, limits, mut effects) = (demo.room.code().clone(), demo.limits, Effects::new());
    let again = Room::from_log(demo.now, code, LUCK, &demo.log, limits, &mut effects).unwrap();
    demo.clone().with_room(again).run("+9999 >\n +1 > close");
    demo.run(
        "+99999999 >
         2 enter Eve > 2 joined 4; +2; botsturn 1 minimax 0
         job 1 0,0 >
         +500 > played 0 0,0; botsturn 2 attack 1
         2 gone > -2; cancel 2
         +99999999 >
         2 enter Eve > 2 joined 5; +2; botsturn 3 attack 1
         job 3 1,0 >
         +500 > played 1 1,0; botsturn 4 minimax 2
         job 4 1,1 >
         +500 > played 2 1,1; botsturn 5 attack 3
         job 5 0,1 >
         +500 > played 3 0,1; botsturn 6 minimax 4
         job 6 2,2 >
         +500 > played 4 2,2; ended five first
         2 gone > -2
         +9999 >
         +1 > close",
    );
}
