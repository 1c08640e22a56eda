//! Records of finished games: the room's own, made from its state, against one read from the log in
//! the plainest way. The harness compares the two after every event of every other test, too.

use std::cell::Cell;

use proptest::{
    prelude::*,
    test_runner::{TestCaseError, TestRunner},
};

use super::{
    harness::{BOT, Table, check},
    property::{Act, Watched},
};
use crate::{
    clock::TimeControl,
    opening::{Act as OpeningAct, MadeAct},
    protocol::{Event, NumberedEvent, Player, RoomRequest},
    record::{FinishedGame, GameSummary, Record, RecordedMove, RecordedOpening},
    room::{BotReply, Entry, RoomState},
    rules::{Outcome, Point, Stone},
    seat::{BySeat, Seat},
};

/// The record of the game that the last event of a log ends, if it ends one: each question goes
/// through the log by itself.
pub(super) fn record_in(log: &[Entry]) -> Option<FinishedGame> {
    let events: Vec<_> = log.iter().map(|entry| &entry.event).collect();
    let (last, before) = events.split_last()?;
    let Event::Ended { outcome, rated } = &last.event else { return None };
    if let Outcome::Aborted { .. } = outcome {
        return None;
    }
    let Event::Created { rules, visibility, time, opening, .. } = &events[0].event else {
        panic!("no log")
    };
    let (began, started_at, begins, id, part) = before
        .iter()
        .enumerate()
        .filter_map(|(index, event)| match &event.event {
            Event::Started { black, id, part, .. } => {
                Some((index, event.at, *black, id.clone(), *part))
            }
            _ => None,
        })
        .next_back()?;
    let mut moves = Vec::new();
    for event in &before[began..] {
        match &event.event {
            Event::Played { point, assisted, .. } => {
                moves.push(RecordedMove { point: *point, at: event.at, assisted: *assisted });
            }
            Event::TakenBack { ply } => moves.truncate(*ply),
            _ => {}
        }
    }
    let swaps = |event: &&&NumberedEvent| matches!(event.event, Event::Swapped { .. });
    let swapped = before[began..].iter().filter(swaps).count() % 2 == 1;
    let acts = acts_in(&before[began..], begins);
    let summary = GameSummary {
        rules: *rules,
        visibility: *visibility,
        players: BySeat {
            first: player_in(before, Seat::First)?,
            second: player_in(before, Seat::Second)?,
        },
        black: if swapped { begins.other() } else { begins },
        started_at,
        ended_at: last.at,
        time: *time,
        opening: (!opening.is_free()).then_some(RecordedOpening {
            kind: *opening,
            first: begins,
            acts,
        }),
        rated: *rated,
        part: part.filter(|_| *rated),
        plies: moves.len(),
        outcome: outcome.clone(),
    };
    Some(FinishedGame { id, record: Record { summary, moves } })
}

/// The acts of an opening: all events between two questions are one act.
fn acts_in(events: &[&NumberedEvent], mut black: Seat) -> Vec<MadeAct> {
    let (mut acts, mut asked, mut offered) = (Vec::new(), None, false);
    let (mut points, mut declare) = (Vec::new(), None);
    for event in events {
        let Some(by) = asked else {
            if let Event::Asked { ask } = &event.event {
                asked = Some(ask.seat);
            }
            continue;
        };
        let mut made = |act| acts.push(MadeAct { by, act });
        match &event.event {
            Event::Played { point, .. } if offered => {
                made(OpeningAct::Select(*point));
                offered = false;
            }
            Event::Played { point, .. } => points.push(*point),
            Event::Declared { count, .. } => declare = Some(*count),
            Event::Stayed { by, .. } => made(OpeningAct::Take(by.stone(black))),
            Event::Swapped { by, .. } => {
                black = black.other();
                made(OpeningAct::Take(by.stone(black)));
            }
            Event::Offered { points, .. } => {
                made(OpeningAct::Offer(points.clone()));
                offered = true;
            }
            Event::Asked { .. } | Event::OpeningOver {} if !points.is_empty() => {
                made(OpeningAct::Put {
                    points: std::mem::take(&mut points),
                    declare: declare.take(),
                });
            }
            _ => {}
        }
        match &event.event {
            Event::Asked { ask } => asked = Some(ask.seat),
            Event::OpeningOver {} => break,
            _ => {}
        }
    }
    acts
}

/// The last player who sat down in a seat, by their last name.
fn player_in(events: &[&NumberedEvent], seat: Seat) -> Option<Player> {
    let mut player = None;
    for event in events {
        match &event.event {
            Event::Sat { seat: sat, player: who } if *sat == seat => player = Some(who.clone()),
            Event::Stood { seat: stood } if *stood == seat => player = None,
            Event::Renamed { seat: renamed, name: new } if *renamed == seat => {
                let Some(Player::Member { name, .. }) = &mut player else { panic!("no member") };
                *name = new.clone();
            }
            _ => {}
        }
    }
    player
}

/// What happened in random games that ended, to show that the test reaches it.
#[derive(Default)]
struct Reached {
    rematches: Cell<usize>,
    takebacks: Cell<usize>,
    seats_swapped: Cell<usize>,
    help: Cell<usize>,
    restarts: Cell<usize>,
}

impl Reached {
    fn note(&self, table: &Table) {
        let events = || table.log.iter().map(|entry| &entry.event.event);
        let count =
            |counter: &Cell<usize>, happened| counter.set(counter.get() + usize::from(happened));
        let [first, .., last] = &table.finished[..] else { return };
        count(&self.rematches, true);
        count(&self.takebacks, events().any(|event| matches!(event, Event::TakenBack { .. })));
        let player = |game: &FinishedGame, seat| game.record.summary.players[seat].name();
        let swapped = |seat: Seat| player(first, seat) == player(last, seat.other());
        count(&self.seats_swapped, Seat::BOTH.into_iter().any(swapped));
        let helped = |game: &FinishedGame| game.record.moves.iter().any(|played| played.assisted);
        count(&self.help, table.finished.iter().any(helped));
        count(&self.restarts, table.restarts > 0);
    }
}

/// Something that players do between two moves, and what it takes.
fn acts() -> impl Strategy<Value = Vec<Act>> {
    let player = || prop::sample::select(vec![1_u64, 2]);
    let point = || (0..3, 0..3).prop_map(Point::from);
    let ask = |player, request| Act::Ask(player, request);
    let sit = |seat| RoomRequest::Sit { seat: Some(seat) };
    prop_oneof![
        12 => point().prop_map(|point| vec![Act::Move(point)]),
        2 => player().prop_map(move |player| vec![
            ask(player, RoomRequest::AskTakeback),
            ask(3 - player, RoomRequest::GrantTakeback),
        ]),
        1 => player().prop_map(move |player| vec![ask(player, RoomRequest::Resign)]),
        3 => player().prop_map(move |player| vec![
            ask(player, RoomRequest::Rematch),
            ask(3 - player, RoomRequest::Rematch),
        ]),
        1 => prop::sample::select(Seat::BOTH.to_vec()).prop_map(move |seat| vec![
            ask(1, RoomRequest::Stand),
            ask(2, RoomRequest::Stand),
            ask(1, sit(seat)),
            ask(2, sit(seat.other())),
        ]),
        2 => (player(), 0..9_usize, point()).prop_map(move |(player, ply, point)| vec![
            ask(player, RoomRequest::BotMove { ply, bot: None }),
            Act::Think(Some(BotReply::Move(point))),
        ]),
        1 => (0..500_u64).prop_map(|ms| vec![Act::Wait(ms)]),
        1 => prop::sample::select(vec![Act::Rebuild, Act::Restart]).prop_map(|act| vec![act]),
    ]
}

#[test]
fn a_record_is_the_same_wherever_the_log_was_read_again() {
    let reached = Reached::default();
    let played = TestRunner::new(ProptestConfig {
        cases: 256,
        failure_persistence: None,
        ..ProptestConfig::default()
    })
    .run(&prop::collection::vec(acts(), 1..80), |acts| {
        let (table, _) = Table::create("mnk:3 3x3 me open black assistance").unwrap();
        let mut watched = Watched::of(table);
        watched.seat_bob();
        for act in acts.into_iter().flatten() {
            watched.act(act);
        }
        let Watched { table, .. } = watched;
        continue_anywhere(&table)?;
        reached.note(&table);
        Ok(())
    });
    played.unwrap();
    let Reached { rematches, takebacks, seats_swapped, help, restarts } = reached;
    let reached = [rematches, takebacks, seats_swapped, help, restarts].map(Cell::into_inner);
    assert!(reached.iter().all(|&games| games > 0), "{reached:?}");
}

/// Stores the log as text, cuts it anywhere, and continues from the part before the cut.
fn continue_anywhere(table: &Table) -> Result<(), TestCaseError> {
    let stored = |entry: &Entry| serde_json::to_string(&entry.event).unwrap();
    let read = |text: String| serde_json::from_str::<NumberedEvent>(&text).unwrap();
    let log: Vec<_> = table.log.iter().map(stored).map(read).collect();
    let expected: Vec<_> = (1..=log.len()).filter_map(|end| record_in(&table.log[..end])).collect();
    prop_assert_eq!(&expected, &table.finished);
    prop_assert_eq!(&expected, &RoomState::finished_games(&log).unwrap());
    for cut in 1..log.len() {
        let mut room = RoomState::from_log(&log[..cut]).unwrap();
        let before = RoomState::finished_games(&log[..cut]).unwrap().len();
        let mut after = expected[before..].iter();
        for event in &log[cut..] {
            room.apply(event).unwrap();
            if let Event::Ended { .. } = event.event {
                let game = room.finished_game();
                prop_assert_eq!(game.as_ref(), after.next(), "cut after {}", cut);
            }
        }
        prop_assert_eq!(after.next(), None);
    }
    Ok(())
}

#[test]
fn a_record_holds_the_moves_that_stayed() {
    let table = check(
        "mnk:3 3x3 me open white in move 30s",
        "2 enter Bob > 2 joined 2; +2
         2 sit > sat second Bob; started 1 second; 2 done 4
         +1000 >
         2 play 0 1,1 > played 0 1,1; 2 done 5
         +1000 >
         1 play 1 0,0 > played 1 0,0 30000ms; 1 done 6
         1 ask_takeback > takeback_asked first; 1 done 7
         2 grant_takeback > taken_back 1; 2 done 8
         +1000 >
         1 play 1 2,2 > played 1 2,2 30000ms; 1 done 9
         2 name Bert > renamed second Bert
         1 resign > ended resignation second; 1 done 11
         1 rematch > rematch_asked first; 1 done 12",
    );
    let [FinishedGame { id: _, record }] = &table.finished[..] else { panic!("one game") };
    let begun = table.now - 3_000;
    let moves = [(1, 1_000), (2, 3_000)].map(|(x, after)| RecordedMove {
        point: Point::new(x, x),
        at: begun + after,
        assisted: false,
    });
    assert_eq!(record.moves, moves);
    let summary = &record.summary;
    assert_eq!((summary.plies, summary.started_at, summary.ended_at), (2, begun, table.now));
    assert_eq!(Stone::BOTH.map(|stone| summary.player(stone).name()), ["Bert", "Ann"]);
    assert_eq!(summary.outcome, Outcome::Resignation { winner: Seat::Second });
    assert_eq!(summary.outcome_by_stone(), Outcome::Resignation { winner: Stone::Black });
    assert_eq!(summary.time, TimeControl::PerMove { move_ms: 30_000 });
}

#[test]
fn only_games_that_end_are_recorded_and_only_once() {
    assert_eq!(check(BOT, "1 play 0 7,7 > played 0 7,7; 1 done 5; turn 1 attack 1").finished, []);
    let table = check(BOT, "1 resign > ended resignation second; 1 done 5");
    assert_eq!(table.finished.len(), 1);
    let mut state = table.room.state().clone();
    let outcome = Outcome::Agreement;
    let again =
        NumberedEvent { seq: state.seq + 1, at: 0, event: Event::Ended { outcome, rated: false } };
    state.apply(&again).unwrap_err();
    assert_eq!(state.finished_game().as_ref(), table.finished.first());
    // A snapshot does not say when the moves were made.
    let late = RoomState::from_snapshot(state.snapshot()).unwrap();
    assert_eq!(late.finished_game(), None);
}
