//! Tests of the first acts in paired rooms, and of nudges. The table's time begins at 1,000,000.

use std::{cell::Cell, time::Duration};

use proptest::{prelude::*, test_runner::TestRunner};

use super::{
    harness::{BOT, OPEN, PAIRED, Table, begun, check, command_id, member, show_all},
    property::{Act, NUDGE_AFTER, Watched, check_log, ends_nudge},
};
use crate::{
    clock::millis,
    protocol::{Event, NumberedEvent, RoomRequest},
    room::limits::{RESUME_GRACE_MS, RESUME_RETRY_MS, ROOM_EVENTS_MAX, RoomLimits},
    room::{Game, Input, SessionId},
    rules::{Outcome, Point},
};

/// The limit of a first act without a clock.
const LIMIT: u64 = 35_000;

/// Ann and Bob in a new paired room; `more` follows the rules and the seats.
fn met(more: &str) -> Table {
    let mut table = check(&format!("{PAIRED}{more}"), "");
    let last = table.log.len();
    table.run(&format!("2 enter Bob > 2 joined {last}; +2"));
    table
}

/// The same after the first move.
fn half_begun(more: &str) -> Table {
    let mut table = met(more);
    let (done, until) = (table.log.len() + 1, table.now + limit_of(more));
    table.run(&format!("1 play 0 7,7 > played 0 7,7; 1 done {done}; first_act_due second {until}"));
    table
}

fn limit_of(more: &str) -> u64 {
    let time = more.trim().strip_prefix("in ").unwrap_or("none").parse().unwrap();
    millis(RoomLimits::DEFAULT.first_act.of(time, 1))
}

/// The same after the first moves of both.
fn begun_by_both() -> Table {
    let mut table = half_begun("");
    table.run("2 play 1 8,8 > played 1 8,8; 2 done 8");
    table
}

#[test]
fn players_count_as_paired_while_a_game_of_people_runs_in_a_paired_room() {
    let players = |table: &Table| {
        let players = table.room.state().paired_players();
        players.map(|players| [players.first, players.second])
    };
    let ann_and_bob = Some([member("Ann").id, member("Bob").id]);
    let mut table = begun_by_both();
    assert_eq!(players(&table), ann_and_bob);
    table.run("1 resign > ended resignation second; 1 done 9");
    assert_eq!(players(&table), None);
    table.run(
        "1 rematch > rematch_asked first; 1 done 10
         2 rematch > started 2 second; 2 done 11",
    );
    assert_eq!(players(&table), ann_and_bob);
    // The server has paired nobody here.
    assert_eq!(players(&begun("none")), None);
}

#[test]
fn each_player_has_a_limit_for_the_first_act() {
    let (_, made) = Table::create(PAIRED).unwrap();
    assert_eq!(
        made,
        "created freestyle 15x15; sat first Ann; sat second Bob; started 1 first; \
         first_act_due first 1035000; 1 joined 5; +1"
    );
    for (mut table, point, ended) in [
        (met(""), "0 7,7", "ended aborted first"),
        (half_begun(""), "1 8,8", "ended aborted second"),
    ] {
        let session = if point.starts_with('0') { 1 } else { 2 };
        table.run(&format!("+{} >", LIMIT - 1));
        let mut in_time = table.clone();
        let shown = in_time.run_for(&format!("{session} play {point}"), 0);
        assert!(shown.starts_with(&format!("played {point}; {session} done")), "{shown}");
        // By itself, and before a move that comes at the limit.
        let mut late = table.clone();
        table.run(&format!("+1 > {ended}"));
        late.now += 1;
        late.run(&format!("{session} play {point} > {ended}; {session} refused no_game"));
    }
    let mut table = begun_by_both();
    table.run(&format!("+{LIMIT} >\n +3600000 >"));
}

#[test]
fn nobody_needs_to_be_there_to_be_too_late() {
    let mut table = check(PAIRED, "1 gone > -1");
    table.run(&format!("+{} >\n +1 > ended aborted first", LIMIT - 1));
    // The room closes as one whose game is over.
    table.run("+264999 >\n +1 > close");
}

#[test]
fn an_act_of_three_stones_has_more_time() {
    let (mut table, made) =
        Table::create("paired standard 15x15 open open black opening swap2 in 3m+2s").unwrap();
    assert!(made.contains("asked first put3; first_act_due first 1050000"), "{made}");
    table.run(
        "2 enter Bob > 2 joined 6; +2
         +49999 >
         1 choose 0 put 7,7 8,8 9,6 > played 0 7,7; played 1 8,8; played 2 9,6; \
         asked second take put2; 1 done 10; first_act_due second 1079999",
    );
    let mut late = table.clone();
    late.run("+29999 >\n +1 > ended aborted second");
    table.run(
        "+1000 >
         2 choose 3 take black > swapped second 181000ms; opening_over; 2 done 13
         1 abort > 1 refused not_abortable",
    );
}

#[test]
fn in_every_opening_the_second_seat_acts_after_the_first_act() {
    let openings = [
        ("standard 15x15", ["swap1", "swap", "swap2", "pro", "long_pro"].as_slice()),
        ("renju 15x15", &["rif", "yamaguchi", "soosyrv8", "taraguchi10"]),
    ];
    for (rules, kinds) in openings {
        for kind in kinds {
            let create = format!("paired {rules} open open black opening {kind}");
            let mut table = check(&create, "");
            let ask = table.room.state.running().and_then(Game::ask).unwrap();
            let stones = ["7,7", "7,8", "8,9"][..ask.put.len()].join(" ");
            let declare = if ask.declare.is_some() { " declare 2" } else { "" };
            let shown = table.run_for(&format!("1 choose 0 put {stones}{declare}"), 0);
            assert!(shown.contains("first_act_due second"), "{kind}: {shown}");
        }
    }
}

#[test]
fn either_player_aborts_until_both_have_acted() {
    for begin in [met as fn(&str) -> Table, half_begun] {
        for (session, by) in [(1, "first"), (2, "second")] {
            let mut table = begin("");
            let seq = table.log.len();
            table.run(&format!(
                "3 enter Eve > 3 joined {seq}; +3
                 3 abort > 3 refused not_seated
                 {session} #a abort > ended aborted {by}; {session} done {}
                 {session} #a abort > {session} done {}
                 {session} abort > {session} refused no_game",
                seq + 1,
                seq + 1
            ));
            assert_eq!(table.finished, [], "it is no finished game");
        }
    }
    let mut table = begun_by_both();
    table.run("1 abort > 1 refused not_abortable\n 2 abort > 2 refused not_abortable");
    table.run("2 resign > ended resignation first; 2 done 9");
    assert_eq!(table.finished.len(), 1);
    // The server has paired nobody here.
    begun("none").run("1 abort > 1 refused not_abortable\n 2 abort > 2 refused not_abortable");
    check(OPEN, "1 abort > 1 refused no_game");
}

#[test]
fn a_rematch_is_a_game_like_any_other() {
    let mut table = met("");
    table.run(
        "2 abort > ended aborted second; 2 done 6
         1 rematch > rematch_asked first; 1 done 7
         2 rematch > started 2 first; 2 done 8
         2 abort > 2 refused not_abortable
         +3600000 >
         1 play 0 7,7 > played 0 7,7; 1 done 9
         1 resign > ended resignation second; 1 done 10",
    );
    assert_eq!(table.finished.len(), 1);
}

#[test]
fn a_first_move_that_is_taken_back_is_due_again() {
    let mut table = half_begun("");
    table.run("+1000 >\n 1 ask_takeback > takeback_asked first; 1 done 8");
    let until = table.now + LIMIT;
    table.run(&format!(
        "2 grant_takeback > taken_back 0; 2 done 9; first_act_due first {until}
         2 abort > ended aborted second; 2 done 11"
    ));
}

#[test]
fn after_an_outage_the_time_of_the_first_act_comes_again() {
    let mut table = met("");
    table.now += LIMIT - 1;
    let until = table.now + RESUME_GRACE_MS + LIMIT;
    assert_eq!(show_all(&table.restart(), true), format!("first_act_due first {until}"));
    table.run(&format!("+{} >\n +1 > ended aborted first", RESUME_GRACE_MS + LIMIT - 1));

    let mut table = half_begun(" in 3m+2s");
    table.now += 29_999;
    let from = table.now + RESUME_GRACE_MS;
    let shown = format!("resumed {from}; first_act_due second {}", from + 30_000);
    assert_eq!(show_all(&table.restart(), true), shown);

    let mut table = begun_by_both();
    table.now += 3_600_000;
    assert_eq!(show_all(&table.restart(), true), "");
}

#[test]
fn while_nothing_can_be_stored_no_game_is_aborted() {
    let mut table = met("");
    table.now += LIMIT - 1;
    // Also where the limit itself was lost.
    let mut lost = table.clone();
    lost.log.pop();
    let until = table.now + RESUME_RETRY_MS + RESUME_GRACE_MS + LIMIT;
    for (mut table, seq) in [(table, 5), (lost, 4)] {
        table.run(&format!("rebuild > +1; +2; snapshot {seq}"));
        let mut moved = table.clone();
        table.run(&format!("+{} >\n +1 > first_act_due first {until}", RESUME_RETRY_MS - 1));
        moved.run(&format!(
            "1 play 0 7,7 > played 0 7,7; 1 done {}; first_act_due second {}",
            seq + 1,
            moved.now + LIMIT
        ));
    }
}

#[test]
fn a_silent_node_costs_nobody_their_first_act() {
    let mut table = met("");
    table.run("cut 60000 1 > -1\n +59999 >");
    let until = table.now + 1 + RESUME_GRACE_MS + LIMIT;
    table.run(&format!("+1 > first_act_due first {until}"));
    // The node of the player who waits makes no difference.
    let mut table = met("");
    table.run(&format!("cut 60000 2 > -2\n +{} >\n +1 > ended aborted first", LIMIT - 1));
}

#[test]
fn the_earlier_of_flag_and_limit_ends_the_game() {
    for (time, spent, ended) in [
        ("10s", 10_000, "ended time first"),
        ("19999ms", 19_999, "ended time first"),
        ("20s", 20_000, "ended aborted second"),
        ("21s", 20_000, "ended aborted second"),
    ] {
        let mut table = half_begun(&format!(" in {time}"));
        let mut slow = table.clone();
        table.run(&format!("+{} >\n +1 > {ended}", spent - 1));
        // It is the same when the server wakes up late.
        slow.run(&format!("+60000 > {ended}"));
    }
}

#[test]
fn a_full_log_takes_an_abort() {
    let mut table = met("");
    table.room.state.seq = ROOM_EVENTS_MAX;
    let mut effects = Vec::new();
    let (session, id, request) = (SessionId(1), command_id("a"), RoomRequest::Abort);
    let input = Input::Command { session, id, request, lag_ms: 0 };
    table.room.apply(table.now, input, &mut effects);
    let shown = format!("ended aborted first; 1 done {}", ROOM_EVENTS_MAX + 1);
    assert_eq!(show_all(&effects, true), shown);
}

/// How long an opponent has their turn before they may be nudged, and how long after that they have
/// to act.
const AFTER: u64 = 180_000;
const ANSWER: u64 = 60_000;

/// Ann has waited for Bob, and then sent a nudge. The log has six events.
fn nudged() -> Table {
    let mut table = begun("none");
    let until = table.now + AFTER + ANSWER;
    table.run(&format!("+{AFTER} >\n 1 nudge > nudged first {until}; 1 done 6"));
    table
}

#[test]
fn who_waits_long_enough_may_ask_and_then_claim() {
    let mut table = begun("none");
    table.run(&format!(
        "3 enter Eve > 3 joined 5; +3
         3 nudge > 3 refused not_seated
         2 nudge > 2 refused your_turn
         1 nudge > 1 refused too_early
         +{} >
         1 nudge > 1 refused too_early
         +1 >
         1 nudge > nudged first {}; 1 done 6
         1 nudge > 1 refused already_asked
         2 claim_win > 2 refused opponent_here
         1 claim_win > 1 refused too_early
         +{} >
         1 claim_draw > 1 refused too_early
         +1 >",
        AFTER - 1,
        table.now + AFTER + ANSWER,
        ANSWER - 1
    ));
    let mut draw = table.clone();
    draw.run("1 claim_draw > ended abandonment; 1 done 7");
    let mut late = table.clone();
    late.run(
        "2 play 1 8,8 > played 1 8,8; 2 done 7
         1 claim_win > 1 refused opponent_here
         2 nudge > 2 refused too_early",
    );
    table.run("1 claim_win > ended abandonment first; 1 done 7");
    assert_eq!(table.finished.len(), 1);
}

#[test]
fn only_people_who_are_here_are_asked_and_only_without_a_clock() {
    begun("1m").run("1 nudge > 1 refused no_nudge");
    check(
        BOT,
        &format!(
            "1 play 0 7,7 > played 0 7,7; 1 done 5; turn 1 attack 1
             1 nudge > 1 refused no_nudge
             1 gone > -1; cancel 1
             +{AFTER} >
             1 enter Ann 5 > 1 joined []; +1; turn 2 attack 1
             1 nudge > 1 refused no_nudge"
        ),
    );
    let mut table = begun("none");
    table.run(&format!("2 gone > -2\n +{AFTER} >\n 1 nudge > 1 refused opponent_away"));
    table.run("1 resign > ended resignation second; 1 done 6\n 1 nudge > 1 refused no_game");
}

#[test]
fn a_nudged_player_cannot_escape_by_leaving() {
    let mut table = nudged();
    let until = table.now + ANSWER;
    table.run(&format!("+1000 >\n 2 gone > -2; away second 1181000 claim {until}"));
    table.run(&format!("+{} >", ANSWER - 2_000));
    let mut away = table.clone();
    away.run("1 claim_win > 1 refused too_early\n +1000 >");
    away.run("1 claim_win > ended abandonment first; 1 done 7");
    table.run("4 enter Bob > 4 joined 6; +4\n +1000 >");
    table.run("1 claim_win > ended abandonment first; 1 done 7");
}

#[test]
fn a_takeback_ends_a_nudge() {
    let mut table = begun("none");
    table.run(&format!(
        "2 play 1 8,8 > played 1 8,8; 2 done 6
         1 play 2 9,9 > played 2 9,9; 1 done 7
         +{AFTER} >
         1 nudge > nudged first {}; 1 done 8
         2 ask_takeback > takeback_asked second; 2 done 9
         1 grant_takeback > taken_back 1; 1 done 10
         +{ANSWER} >
         1 claim_win > 1 refused opponent_here",
        table.now + AFTER + ANSWER
    ));
}

#[test]
fn after_an_outage_a_nudged_player_has_the_whole_time_again() {
    let mut table = nudged();
    table.now += ANSWER - 1;
    let mut failed = table.clone();
    let until = table.now + RESUME_GRACE_MS + ANSWER;
    assert_eq!(show_all(&table.restart(), true), format!("nudged first {until}"));
    table.run(&format!(
        "1 enter Ann > 1 joined 7; +1
         2 enter Bob > 2 joined 7; +2
         +{} >
         1 claim_win > 1 refused too_early
         +1 >
         1 claim_win > ended abandonment first; 1 done 8",
        RESUME_GRACE_MS + ANSWER - 1
    ));

    failed.run("rebuild > +1; +2; snapshot 6\n +1 >\n 1 claim_win > 1 refused too_early");
    let until = failed.now + RESUME_RETRY_MS - 1 + RESUME_GRACE_MS + ANSWER;
    failed.run(&format!("+{} > nudged first {until}", RESUME_RETRY_MS - 1));
}

/// What players of a paired room do, and what happens to them.
fn act() -> impl Strategy<Value = Act> {
    let player = || 1..3_u64;
    let request = prop::sample::select(vec![
        RoomRequest::Abort,
        RoomRequest::Nudge,
        RoomRequest::Nudge,
        RoomRequest::ClaimWin,
        RoomRequest::ClaimDraw,
        RoomRequest::AskTakeback,
        RoomRequest::GrantTakeback,
        RoomRequest::Rematch,
        RoomRequest::Rematch,
    ]);
    let point = (0..3, 0..3).prop_map(Point::from);
    prop_oneof![
        6 => point.prop_map(Act::Move),
        8 => (player(), request).prop_map(|(player, request)| Act::Ask(player, request)),
        5 => (0..20_u64).prop_map(|seconds| Act::Wait(seconds * 1_000)),
        1 => player().prop_map(|player| Act::Leave(player, false)),
        3 => player().prop_map(|player| Act::Enter(player, None)),
        1 => prop::sample::select(vec![Act::Rebuild, Act::Restart]),
        1 => player().prop_map(|player| Act::Cut(player, player)),
    ]
}

/// How often the games of these logs were aborted by a command and by lateness, and claimed.
#[derive(Default)]
struct Reached {
    aborted: Cell<usize>,
    late: Cell<usize>,
    nudged: Cell<usize>,
    claimed: Cell<usize>,
}

impl Reached {
    /// Checks that games are claimed only by players who have nudged, after the answer was due.
    fn note(&self, table: &Table) {
        let add = |counter: &Cell<usize>| counter.set(counter.get() + 1);
        let mut nudge = None;
        for entry in &table.log {
            let NumberedEvent { at, event, .. } = &entry.event;
            if let Event::Nudged { by, until } = event {
                add(&self.nudged);
                nudge = Some((*by, *until));
            }
            if let Event::Ended { outcome: Outcome::Aborted { .. }, .. } = event {
                add(if entry.cause.is_some() { &self.aborted } else { &self.late });
            }
            if let Event::Ended { outcome: Outcome::Abandonment { winner }, .. } = event {
                let (by, until) = nudge.expect("nobody may claim without having asked");
                assert!(until <= *at && winner.is_none_or(|winner| winner == by), "{event:?}");
                add(&self.claimed);
            }
            if ends_nudge(event) {
                nudge = None;
            }
        }
    }
}

#[test]
fn whatever_players_do_only_those_who_do_not_act_lose_a_game_by_it() {
    let reached = Reached::default();
    let limits = RoomLimits {
        nudge_after: NUDGE_AFTER,
        nudge_answer: Duration::from_secs(10),
        // Nobody is away for long enough.
        claim_after: RoomLimits::DEFAULT.abandoned_game,
        ..RoomLimits::DEFAULT
    };
    let played = TestRunner::new(ProptestConfig {
        cases: 1_024,
        failure_persistence: None,
        ..ProptestConfig::default()
    })
    .run(&prop::collection::vec(act(), 1..150), |acts| {
        let (table, _) = Table::create_with("paired mnk:3 3x3 open open black", limits).unwrap();
        let mut watched = Watched::of(table);
        watched.act(Act::Enter(2, None));
        for act in acts {
            watched.act(act);
        }
        check_log(watched.table.log.iter().map(|entry| &entry.event));
        reached.note(&watched.table);
        Ok(())
    });
    played.unwrap();
    let Reached { aborted, late, nudged, claimed } = reached;
    let reached = [aborted, late, nudged, claimed].map(Cell::into_inner);
    assert!(reached.iter().all(|&times| times > 0), "{reached:?}");
}
