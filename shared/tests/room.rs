//! The fold of a room's events: what a log makes of a room, and what is no log.

use fivefold_shared::{
    bot_spec::BotKind,
    clock::{SideTime, TimeControl},
    protocol::{Event, MemberId, Name, NumberedEvent, Phase, Player, Visibility},
    room::{FoldError, RoomState},
    rules::{Outcome, Point, Rules, Stone},
};

fn member(name: &str) -> Player {
    let id = format!("{:016x}", name.len());
    Player::Member {
        member: MemberId::try_from(id).expect("well formed"),
        name: Name::new(name).expect("well formed"),
        engine: false,
    }
}

fn created() -> Event {
    Event::Created {
        rules: Rules::TIC_TAC_TOE,
        visibility: Visibility::Public,
        assistance: false,
        host: MemberId::try_from("0".repeat(16)).expect("well formed"),
        time: TimeControl::None,
        chat: true,
    }
}

fn numbered(events: Vec<Event>) -> Vec<NumberedEvent> {
    (1..).zip(events).map(|(seq, event)| NumberedEvent { seq, at: 0, event }).collect()
}

fn played(ply: usize, x: i32, y: i32) -> Event {
    Event::Played { ply, point: Point::new(x, y), assisted: false, time: None }
}

fn whole_game() -> Vec<Event> {
    let (ann, bot) = (member("Ann"), Player::Bot { bot: BotKind::Attack.into() });
    let mut events = vec![
        created(),
        Event::Sat { seat: Stone::Black, player: ann.clone() },
        Event::Sat { seat: Stone::White, player: bot.clone() },
        Event::Started { game: 1, black: ann.clone(), white: bot.clone(), id: None },
        Event::Renamed { seat: Stone::Black, name: Name::new("Anna").expect("well formed") },
        played(0, 1, 1),
        Event::DrawOffered { by: Stone::Black },
        Event::DrawDeclined { by: Stone::White },
        played(1, 0, 0),
        Event::TakebackAsked { by: Stone::Black },
        Event::TakenBack { ply: 0 },
        played(0, 0, 2),
        Event::TakebackAsked { by: Stone::Black },
        Event::TakebackRefused { by: Stone::White },
        played(1, 0, 0),
        played(2, 1, 1),
        played(3, 1, 0),
        played(4, 2, 0),
    ];
    let points = vec![Point::new(0, 2), Point::new(1, 1), Point::new(2, 0)];
    events.push(Event::Ended { outcome: Outcome::Five { winner: Stone::Black, points } });
    events.push(Event::RematchAsked { by: Stone::Black });
    events.push(Event::Started { game: 2, black: bot, white: ann, id: None });
    events
}

#[test]
fn a_snapshot_taken_anywhere_is_as_good_as_the_log() {
    let log = numbered(whole_game());
    for split in 1..=log.len() {
        let early = RoomState::from_log(&log[..split]).expect("a log");
        let mut late = RoomState::from_snapshot(early.snapshot()).expect("legal moves");
        for event in &log[split..] {
            late.apply(event).expect("the log's next event");
        }
        let whole = RoomState::from_log(&log).expect("a log");
        assert_eq!(late.snapshot(), whole.snapshot(), "split after {split}");
    }
}

#[test]
fn a_room_waits_runs_and_finishes() {
    let log = numbered(whole_game());
    let phase = |events: usize| RoomState::from_log(&log[..events]).expect("a log").phase();
    assert_eq!(phase(3), Phase::Waiting);
    assert_eq!(phase(4), Phase::Running);
    assert_eq!(phase(19), Phase::Finished);
    let stood = NumberedEvent { seq: 21, at: 0, event: Event::Stood { seat: Stone::Black } };
    let mut room = RoomState::from_log(&log[..20]).expect("a log");
    room.apply(&stood).expect("the next event");
    assert_eq!(room.phase(), Phase::Waiting);
    let wish = room.game.and_then(|game| game.rematch_ask);
    assert_eq!(wish, None, "who has gone does not want another game");
    assert_eq!(phase(21), Phase::Running);
}

#[test]
fn offers_lapse_by_moves() {
    let mut events = whole_game();
    events.truncate(6);
    events.push(Event::DrawOffered { by: Stone::Black });
    let offer = |events: &[Event]| {
        let room = RoomState::from_log(&numbered(events.to_vec())).expect("a log");
        let game = room.game.expect("a game");
        (game.draw_offer, game.takeback_ask)
    };
    assert_eq!(offer(&events), (Some(Stone::Black), None));
    events.push(played(1, 0, 0));
    assert_eq!(offer(&events), (None, None), "White moved instead of answering");
    events.push(Event::DrawOffered { by: Stone::Black });
    events.push(played(2, 2, 2));
    assert_eq!(offer(&events), (Some(Stone::Black), None), "one's own move keeps the offer");
    events.push(Event::TakebackAsked { by: Stone::White });
    assert_eq!(offer(&events).1, Some(Stone::White));
    events.push(played(3, 2, 1));
    assert_eq!(offer(&events), (None, None));
}

#[test]
fn what_is_no_log_is_refused_and_changes_nothing() {
    let log = numbered(whole_game());
    assert_eq!(RoomState::from_log(&[]).expect_err("empty"), FoldError::NoBeginning);
    let headless = NumberedEvent { seq: 1, ..log[1].clone() };
    assert_eq!(RoomState::from_log([&headless]).expect_err("headless"), FoldError::NoBeginning);

    let mut room = RoomState::from_log(&log[..6]).expect("a log");
    let before = room.snapshot();
    let gap = FoldError::Gap { expected: 7, found: 8 };
    assert_eq!(room.apply(&log[7]), Err(gap));
    let misfits = [
        created(),
        played(0, 2, 2),
        played(1, 1, 1),
        Event::TakenBack { ply: 2 },
        Event::Renamed { seat: Stone::White, name: Name::new("Bot").expect("well formed") },
    ];
    for event in misfits {
        let next = NumberedEvent { seq: 7, at: 0, event };
        let error = room.apply(&next).expect_err("must not fit");
        assert!(matches!(error, FoldError::Misfit { seq: 7, .. }), "{error}");
        assert_eq!(room.snapshot(), before, "{next:?}");
    }
}

/// What both sides have, and since when whose time runs, in a game of one minute.
fn clock_after(events: &[(u64, Event)]) -> (u64, u64, Option<(Stone, u64)>) {
    let (ann, bob) = (member("Ann"), member("Robert"));
    let time = TimeControl::SuddenDeath { main_ms: 60_000 };
    let created = match created() {
        Event::Created { rules, visibility, assistance, host, time: _, chat } => {
            Event::Created { rules, visibility, assistance, host, time, chat }
        }
        other => other,
    };
    let start = [(0, created), (0, Event::Started { game: 1, black: ann, white: bob, id: None })]
        .into_iter();
    let log: Vec<_> = (1..)
        .zip(start.chain(events.iter().cloned()))
        .map(|(seq, (at, event))| NumberedEvent { seq, at, event })
        .collect();
    let room = RoomState::from_log(&log).expect("a log");
    let again = RoomState::from_snapshot(room.snapshot()).expect("legal moves");
    assert_eq!(room.snapshot(), again.snapshot());
    let clock = room.game.and_then(|game| game.clock).expect("a clock");
    let left = |stone| clock.side(stone).left_ms;
    let flag = clock.running().zip(clock.flag_at());
    (left(Stone::Black), left(Stone::White), flag)
}

#[test]
fn the_clock_follows_the_events() {
    let timed = |ply, x, left_ms: Option<u64>| Event::Played {
        ply,
        point: Point::new(x, 0),
        assisted: false,
        time: left_ms.map(|left_ms| SideTime { left_ms, periods: 0, lag_used_ms: 0 }),
    };
    let (black, white) = (Stone::Black, Stone::White);
    let mut events = Vec::new();
    let mut check = |at, event, expected| {
        events.push((at, event));
        assert_eq!(clock_after(&events), expected, "{events:?}");
    };
    check(5_000, Event::DrawOffered { by: black }, (60_000, 60_000, None));
    check(9_000, timed(0, 0, None), (60_000, 60_000, Some((white, 69_000))));
    check(12_000, timed(1, 1, Some(57_000)), (60_000, 57_000, Some((black, 72_000))));
    check(13_000, Event::DrawOffered { by: white }, (60_000, 57_000, Some((black, 72_000))));
    check(50_000, Event::Resumed { from: 60_000 }, (60_000, 57_000, Some((black, 120_000))));
    check(61_000, timed(2, 2, Some(59_000)), (59_000, 57_000, Some((white, 118_000))));
    check(62_000, Event::TakenBack { ply: 2 }, (59_000, 57_000, Some((black, 121_000))));
    check(63_000, Event::TakenBack { ply: 0 }, (59_000, 57_000, None));
    check(64_000, timed(0, 0, None), (59_000, 57_000, Some((white, 121_000))));
    let outcome = Outcome::Time { winner: black };
    check(121_000, Event::Ended { outcome }, (59_000, 0, None));
}

#[test]
fn who_loses_on_time_is_shown_no_time_at_all() {
    for control in ["1m", "1m+5s", "byo 0+3x10s", "byo 1m+3x10s", "move 30s"] {
        for winner in Stone::BOTH {
            let (black, white) = (member("Ann"), member("Robert"));
            let time = control.parse::<TimeControl>().expect("a time control");
            let created = Event::Created {
                rules: Rules::TIC_TAC_TOE,
                visibility: Visibility::Public,
                assistance: false,
                host: MemberId::try_from("0".repeat(16)).expect("well formed"),
                time,
                chat: true,
            };
            let log = numbered(vec![
                created,
                Event::Started { game: 1, black, white, id: None },
                played(0, 0, 0),
                Event::Ended { outcome: Outcome::Time { winner } },
            ]);
            let room = RoomState::from_log(&log).expect("a log");
            let late = RoomState::from_snapshot(room.snapshot()).expect("legal moves");
            for room in [room, late] {
                let clock = room.game.and_then(|game| game.clock).expect("a clock");
                let shown = clock.face(winner.opponent(), u64::MAX);
                assert_eq!((shown.left_ms, shown.periods, shown.running), (0, 0, false));
                assert_eq!(clock.side(winner).left_ms, time.start().expect("some").left_ms);
            }
        }
    }
}
