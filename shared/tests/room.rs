//! Tests of folding a room's events: the resulting state, and the logs that are refused.

use proptest::prelude::*;

use fivefold_shared::{
    bot_spec::BotKind,
    clock::{SideTime, TimeControl},
    opening::OpeningKind,
    protocol::{Event, GameId, MemberId, Name, NumberedEvent, Phase, Player, Visibility},
    room::{FoldError, RoomState},
    rules::{Outcome, Point, Rules, Size, Variant},
    seat::Seat,
};

fn member(name: &str) -> Player {
    let id = format!("{:016x}", name.len());
    Player::Member {
        member: MemberId::try_from(id).expect("well formed"),
        name: Name::new(name).expect("well formed"),
        engine: false,
    }
}

fn game_id() -> GameId {
    GameId::try_from("k7m2qpxw9abcdefg").expect("well formed")
}

fn created() -> Event {
    created_with(TimeControl::None)
}

fn created_with(time: TimeControl) -> Event {
    Event::Created {
        rules: Rules::TIC_TAC_TOE,
        visibility: Visibility::Public,
        assistance: false,
        host: MemberId::try_from("0".repeat(16)).expect("well formed"),
        time,
        opening: OpeningKind::Free,
        chat: true,
        paired: false,
        black: Seat::First,
    }
}

fn numbered(events: Vec<Event>) -> Vec<NumberedEvent> {
    (1..).zip(events).map(|(seq, event)| NumberedEvent { seq, at: 0, event }).collect()
}

fn played(ply: usize, x: i32, y: i32) -> Event {
    Event::Played { ply, point: Point::new(x, y), assisted: false, time: None }
}

/// A casual game begins.
fn started(game: u32, black: Seat) -> Event {
    Event::Started { game, black, id: game_id(), rated: false, casual: None, part: None }
}

fn whole_game() -> Vec<Event> {
    let (ann, bot) = (member("Ann"), Player::Bot { bot: BotKind::Attack.into() });
    let mut events = vec![
        created(),
        Event::Sat { seat: Seat::First, player: ann },
        Event::Sat { seat: Seat::Second, player: bot },
        started(1, Seat::First),
        Event::Renamed { seat: Seat::First, name: Name::new("Anna").expect("well formed") },
        played(0, 1, 1),
        Event::DrawOffered { by: Seat::First },
        Event::DrawDeclined { by: Seat::Second },
        played(1, 0, 0),
        Event::TakebackAsked { by: Seat::First },
        Event::TakenBack { ply: 0 },
        played(0, 0, 2),
        Event::TakebackAsked { by: Seat::First },
        Event::TakebackRefused { by: Seat::Second },
        played(1, 0, 0),
        played(2, 1, 1),
        played(3, 1, 0),
        played(4, 2, 0),
    ];
    let points = vec![Point::new(0, 2), Point::new(1, 1), Point::new(2, 0)];
    events.push(Event::Ended {
        outcome: Outcome::Five { winner: Seat::First, points },
        rated: false,
    });
    events.push(Event::RematchAsked { by: Seat::First });
    events.push(Event::RematchDeclined { by: Seat::Second });
    events.push(Event::RematchAsked { by: Seat::First });
    events.push(started(2, Seat::Second));
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

/// A paired game with a late first act that an outage gives more time, and one with a nudge.
fn paired_games() -> Vec<Event> {
    let (first, second) = (Seat::First, Seat::Second);
    let mut created = created();
    if let Event::Created { paired, .. } = &mut created {
        *paired = true;
    }
    vec![
        created,
        Event::Sat { seat: first, player: member("Ann") },
        Event::Sat { seat: second, player: member("Robert") },
        started(1, first),
        Event::FirstActDue { seat: first, until: 35_000 },
        played(0, 1, 1),
        Event::FirstActDue { seat: second, until: 36_000 },
        Event::FirstActDue { seat: second, until: 99_000 },
        Event::Ended { outcome: Outcome::Aborted { by: Some(second) }, rated: false },
        started(2, second),
        played(0, 1, 1),
        Event::Nudged { by: second, until: 999_000 },
        played(1, 0, 0),
        played(2, 1, 0),
        Event::Nudged { by: second, until: 999_000 },
        Event::TakenBack { ply: 1 },
        Event::Nudged { by: second, until: 999_000 },
        Event::Ended { outcome: Outcome::Abandonment { winner: Some(second) }, rated: false },
    ]
}

#[test]
fn what_a_game_waits_for_is_in_each_snapshot() {
    let log = numbered(paired_games());
    let mut seen = Vec::new();
    for split in 4..=log.len() {
        let room = RoomState::from_log(&log[..split]).expect("a log");
        let snapshot = room.snapshot();
        let late = RoomState::from_snapshot(snapshot.clone()).expect("legal moves");
        assert_eq!(late.snapshot(), snapshot);
        assert_eq!(late.is_abortable(), room.is_abortable());
        let game = snapshot.game.expect("a game");
        let due = game.first_act.map(|due| format!("{} {}", due.seat, due.until / 1_000));
        let nudge = game.nudge.map(|nudge| format!("{} asks", nudge.by));
        let abortable = room.is_abortable().then(|| "abortable".to_owned());
        seen.push([due, nudge, abortable].into_iter().flatten().collect::<Vec<_>>().join(" "));
    }
    let expected = [
        "abortable",
        "first 35 abortable",
        "abortable",
        "second 36 abortable",
        "second 99 abortable",
        "",
        "",
        "",
        "second asks",
        "",
        "",
        "second asks",
        "",
        "second asks",
        "",
    ];
    assert_eq!(seen, expected);
    let games = RoomState::finished_games(&log).expect("a log");
    assert_eq!(games.len(), 1, "an aborted game is not kept");
}

#[test]
fn a_room_waits_runs_and_finishes() {
    let log = numbered(whole_game());
    let phase = |events: usize| RoomState::from_log(&log[..events]).expect("a log").phase();
    assert_eq!(phase(3), Phase::Waiting);
    assert_eq!(phase(4), Phase::Running);
    assert_eq!(phase(19), Phase::Finished);
    let stood = NumberedEvent { seq: 21, at: 0, event: Event::Stood { seat: Seat::First } };
    let mut room = RoomState::from_log(&log[..20]).expect("a log");
    room.apply(&stood).expect("the next event");
    assert_eq!(room.phase(), Phase::Waiting);
    let wish = room.game.and_then(|game| game.rematch_ask);
    assert_eq!(wish, None, "who has gone does not want another game");
    assert_eq!(phase(23), Phase::Running);
}

#[test]
fn offers_lapse_by_moves() {
    let mut events = whole_game();
    events.truncate(6);
    events.push(Event::DrawOffered { by: Seat::First });
    let offer = |events: &[Event]| {
        let room = RoomState::from_log(&numbered(events.to_vec())).expect("a log");
        let game = room.game.expect("a game");
        (game.draw_offer, game.takeback_ask)
    };
    assert_eq!(offer(&events), (Some(Seat::First), None));
    events.push(played(1, 0, 0));
    assert_eq!(offer(&events), (None, None), "the opponent moved instead of answering");
    events.push(Event::DrawOffered { by: Seat::First });
    events.push(played(2, 2, 2));
    assert_eq!(offer(&events), (Some(Seat::First), None), "one's own move keeps the offer");
    events.push(Event::TakebackAsked { by: Seat::Second });
    assert_eq!(offer(&events).1, Some(Seat::Second));
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
        Event::Renamed { seat: Seat::Second, name: Name::new("Bot").expect("well formed") },
    ];
    for event in misfits {
        let next = NumberedEvent { seq: 7, at: 0, event };
        let error = room.apply(&next).expect_err("must not fit");
        assert!(matches!(error, FoldError::Misfit { seq: 7, .. }), "{error}");
        assert_eq!(room.snapshot(), before, "{next:?}");
    }
}

/// The remaining time of both sides, and the running side with its start, in a game of one minute.
fn clock_after(events: &[(u64, Event)]) -> (u64, u64, Option<(Seat, u64)>) {
    let (ann, bob) = (member("Ann"), member("Robert"));
    let created = created_with(TimeControl::SuddenDeath { main_ms: 60_000 });
    let start = [
        created,
        Event::Sat { seat: Seat::First, player: ann },
        Event::Sat { seat: Seat::Second, player: bob },
        started(1, Seat::First),
    ]
    .into_iter()
    .map(|event| (0, event));
    let log: Vec<_> = (1..)
        .zip(start.chain(events.iter().cloned()))
        .map(|(seq, (at, event))| NumberedEvent { seq, at, event })
        .collect();
    let room = RoomState::from_log(&log).expect("a log");
    let again = RoomState::from_snapshot(room.snapshot()).expect("legal moves");
    assert_eq!(room.snapshot(), again.snapshot());
    let clock = room.game.and_then(|game| game.clock).expect("a clock");
    let left = |seat| clock.side(seat).left_ms;
    let flag = clock.running().zip(clock.flag_at());
    (left(Seat::First), left(Seat::Second), flag)
}

#[test]
fn the_clock_follows_the_events() {
    let timed = |ply, x, left_ms: Option<u64>| Event::Played {
        ply,
        point: Point::new(x, 0),
        assisted: false,
        time: left_ms.map(|left_ms| SideTime { left_ms, periods: 0, lag_used_ms: 0 }),
    };
    let (first, second) = (Seat::First, Seat::Second);
    let mut events = Vec::new();
    let mut check = |at, event, expected| {
        events.push((at, event));
        assert_eq!(clock_after(&events), expected, "{events:?}");
    };
    check(5_000, Event::DrawOffered { by: first }, (60_000, 60_000, None));
    check(9_000, timed(0, 0, None), (60_000, 60_000, Some((second, 69_000))));
    check(12_000, timed(1, 1, Some(57_000)), (60_000, 57_000, Some((first, 72_000))));
    check(13_000, Event::DrawOffered { by: second }, (60_000, 57_000, Some((first, 72_000))));
    check(50_000, Event::Resumed { from: 60_000 }, (60_000, 57_000, Some((first, 120_000))));
    check(61_000, timed(2, 2, Some(59_000)), (59_000, 57_000, Some((second, 118_000))));
    check(62_000, Event::TakenBack { ply: 2 }, (59_000, 57_000, Some((first, 121_000))));
    check(63_000, Event::TakenBack { ply: 0 }, (59_000, 57_000, None));
    check(64_000, timed(0, 0, None), (59_000, 57_000, Some((second, 121_000))));
    let outcome = Outcome::Time { winner: first };
    check(121_000, Event::Ended { outcome, rated: false }, (59_000, 0, None));
}

#[test]
fn who_loses_on_time_is_shown_no_time_at_all() {
    for control in ["1m", "1m+5s", "byo 0+3x10s", "byo 1m+3x10s", "move 30s"] {
        for winner in Seat::BOTH {
            let (first, second) = (member("Ann"), member("Robert"));
            let time = control.parse::<TimeControl>().expect("a time control");
            let log = numbered(vec![
                created_with(time),
                Event::Sat { seat: Seat::First, player: first },
                Event::Sat { seat: Seat::Second, player: second },
                started(1, Seat::First),
                played(0, 0, 0),
                Event::Ended { outcome: Outcome::Time { winner }, rated: false },
            ]);
            let room = RoomState::from_log(&log).expect("a log");
            let late = RoomState::from_snapshot(room.snapshot()).expect("legal moves");
            for room in [room, late] {
                let clock = room.game.and_then(|game| game.clock).expect("a clock");
                let shown = clock.face(winner.other(), u64::MAX);
                assert_eq!((shown.left_ms, shown.periods, shown.running), (0, 0, false));
                assert_eq!(clock.side(winner).left_ms, time.start().expect("some").left_ms);
            }
        }
    }
}

/// One step of a game that opens by swap1: a stone, and then a choice of colours.
#[derive(Clone, Debug)]
enum Step {
    Move { left_ms: u64 },
    TakeBack,
    Take { swaps: bool, left_ms: u64 },
    OfferDraw(Seat),
    Resign(Seat),
    Rematch,
}

fn step() -> impl Strategy<Value = Step> {
    let seat = || prop::sample::select(Seat::BOTH.to_vec());
    prop_oneof![
        8 => (1_000..60_000_u64).prop_map(|left_ms| Step::Move { left_ms }),
        1 => Just(Step::TakeBack),
        3 => (any::<bool>(), 1_000..60_000_u64)
            .prop_map(|(swaps, left_ms)| Step::Take { swaps, left_ms }),
        1 => seat().prop_map(Step::OfferDraw),
        1 => seat().prop_map(Step::Resign),
        1 => Just(Step::Rematch),
    ]
}

/// The simplest model of a game, each value by seat: index 0 is the first seat.
struct Model {
    /// The index of the seat that puts the next stone.
    next: usize,
    plies: usize,
    /// Whether a colour was taken.
    is_taken: bool,
    left_ms: [u64; 2],
    offer: Option<usize>,
    winner: Option<usize>,
    games: u32,
}

impl Model {
    const fn game(games: u32) -> Self {
        let next = (games as usize + 1) % 2;
        Self {
            next,
            plies: 0,
            is_taken: false,
            left_ms: [60_000; 2],
            offer: None,
            winner: None,
            games,
        }
    }
}

proptest! {
    #[test]
    fn turns_clocks_offers_and_results_keep_to_seats(
        steps in prop::collection::vec(step(), 1..80),
    ) {
        let index = |seat: Seat| usize::from(seat == Seat::Second);
        let mut created = created();
        if let Event::Created { rules, time, opening, .. } = &mut created {
            *opening = OpeningKind::Swap1;
            *rules = Rules::new(Variant::Freestyle, Size::square(64)).unwrap();
            *time = TimeControl::SuddenDeath { main_ms: 60_000 };
        }
        let mut room = RoomState::from_log(&numbered(vec![
            created,
            Event::Sat { seat: Seat::First, player: member("Ann") },
            Event::Sat { seat: Seat::Second, player: member("Robert") },
            started(1, Seat::First),
        ])).unwrap();
        let seats = room.seats.clone();
        let mut model = Model::game(1);
        let fold = |room: &mut RoomState, event| {
            let next = NumberedEvent { seq: room.seq + 1, at: 0, event };
            room.apply(&next).unwrap();
        };
        for step in steps {
            let is_running = model.winner.is_none();
            match step {
                Step::Move { left_ms } if is_running && (model.plies == 0 || model.is_taken) => {
                    // No two stones of one colour are near enough for a five.
                    let plies = i32::try_from(model.plies).unwrap();
                    let (x, y) = (plies % 6 * 3, plies / 6 * 3);
                    let point = Point::new(x, y);
                    let time = (model.plies > 0)
                        .then_some(SideTime { left_ms, periods: 0, lag_used_ms: 0 });
                    if time.is_some() {
                        model.left_ms[model.next] = left_ms;
                    }
                    let ply = model.plies;
                    fold(&mut room, Event::Played { ply, point, assisted: false, time });
                    model.offer = model.offer.filter(|by| *by == model.next);
                    model.plies += 1;
                    model.next = 1 - model.next;
                }
                Step::TakeBack if is_running && model.plies > 1 => {
                    fold(&mut room, Event::TakenBack { ply: model.plies - 1 });
                    model.plies -= 1;
                    model.next = 1 - model.next;
                    model.offer = None;
                }
                Step::Take { swaps, left_ms } if is_running && model.plies == 1 => {
                    let by = Seat::BOTH[model.next];
                    let time = Some(SideTime { left_ms, periods: 0, lag_used_ms: 0 });
                    if model.is_taken {
                        let next = NumberedEvent {
                            seq: room.seq + 1,
                            at: 0,
                            event: Event::Swapped { by, time },
                        };
                        room.apply(&next).unwrap_err();
                        continue;
                    }
                    model.left_ms[model.next] = left_ms;
                    model.is_taken = true;
                    if swaps {
                        fold(&mut room, Event::Swapped { by, time });
                        model.next = 1 - model.next;
                    } else {
                        fold(&mut room, Event::Stayed { by, time });
                    }
                }
                Step::OfferDraw(by) if is_running => {
                    fold(&mut room, Event::DrawOffered { by });
                    model.offer = Some(index(by));
                }
                Step::Resign(by) if is_running => {
                    let outcome = Outcome::Resignation { winner: by.other() };
                    fold(&mut room, Event::Ended { outcome, rated: false });
                    model.winner = Some(index(by.other()));
                    model.offer = None;
                }
                Step::Rematch if !is_running => {
                    let game = model.games + 1;
                    let black = if game % 2 == 1 { Seat::First } else { Seat::Second };
                    fold(&mut room, Event::Started { game, black, id: game_id(), rated: false, casual: None, part: None });
                    model = Model::game(game);
                }
                Step::Move { .. }
                | Step::TakeBack
                | Step::Take { .. }
                | Step::OfferDraw(_)
                | Step::Resign(_)
                | Step::Rematch => {}
            }
            let again = RoomState::from_snapshot(room.snapshot()).unwrap();
            for room in [&room, &again] {
                let game = room.game.as_ref().unwrap();
                let to_act = model.winner.is_none().then_some(model.next);
                prop_assert_eq!(game.to_act().map(index), to_act);
                if let Some(seat) = game.to_act().filter(|_| game.opening.is_over()) {
                    prop_assert_eq!(game.stone_of(seat), game.position.turn());
                    prop_assert_eq!(game.seat_of(game.position.turn()), seat);
                }
                let clock = game.clock.unwrap();
                prop_assert_eq!(Seat::BOTH.map(|seat| clock.side(seat).left_ms), model.left_ms);
                prop_assert_eq!(clock.running().map(index), to_act.filter(|_| model.plies > 0));
                prop_assert_eq!(game.draw_offer.map(index), model.offer);
                let winner = game.outcome().and_then(|outcome| outcome.winner());
                prop_assert_eq!(winner.map(index), model.winner);
                prop_assert_eq!(&room.seats, &seats);
            }
        }
    }
}
