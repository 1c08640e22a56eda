//! Tests of time controls and clocks.

use super::*;

const MINUTE: u64 = MINUTE_MS;

const fn days(days: u64) -> u64 {
    days * DAY_MS
}

fn side(left_ms: u64, periods: u8) -> SideTime {
    SideTime { left_ms, periods, lag_used_ms: 0 }
}

/// A side that begins with `before` moves after `spent` ms.
fn check(control: TimeControl, before: SideTime, spent: u64, expected: Result<SideTime, Flag>) {
    let mut clock = Clock::new(control).expect("a time control");
    clock.set(Seat::First, before);
    clock.run(Seat::First, 1_000);
    let after = clock.after_move(1_000 + spent, 0);
    assert_eq!(after, expected.map(Some), "{control:?} {before:?} {spent}");
    let in_time = clock.flag_at().is_some_and(|flag| 1_000 + spent < flag);
    assert_eq!(after.is_ok(), in_time, "the flag falls when moves begin to come too late");
}

#[test]
fn each_control_counts_its_own_way() {
    let sudden = TimeControl::SuddenDeath { main_ms: MINUTE };
    check(sudden, side(MINUTE, 0), 0, Ok(side(MINUTE, 0)));
    check(sudden, side(MINUTE, 0), MINUTE - 1, Ok(side(1, 0)));
    check(sudden, side(MINUTE, 0), MINUTE, Err(Flag));

    let fischer = TimeControl::Fischer { main_ms: MINUTE, increment_ms: 2_000 };
    check(fischer, side(MINUTE, 0), 5_000, Ok(side(MINUTE - 3_000, 0)));
    check(fischer, side(100, 0), 99, Ok(side(2_001, 0)));
    check(fischer, side(100, 0), 100, Err(Flag));
    check(fischer, side(TIME_MAX_MS, 0), 0, Ok(side(TIME_MAX_MS, 0)));

    let byo_yomi = TimeControl::ByoYomi { main_ms: MINUTE, period_ms: 10_000, periods: 3 };
    check(byo_yomi, side(MINUTE, 3), 5_000, Ok(side(MINUTE - 5_000, 3)));
    check(byo_yomi, side(1_000, 3), 10_999, Ok(side(0, 3)));
    check(byo_yomi, side(1_000, 3), 11_000, Ok(side(0, 2)));
    check(byo_yomi, side(0, 3), 29_999, Ok(side(0, 1)));
    check(byo_yomi, side(0, 3), 30_000, Err(Flag));
    check(byo_yomi, side(0, 1), 9_999, Ok(side(0, 1)));
    check(byo_yomi, side(0, 1), 10_000, Err(Flag));

    let per_move = TimeControl::PerMove { move_ms: 5_000 };
    check(per_move, side(5_000, 0), 4_999, Ok(side(5_000, 0)));
    check(per_move, side(5_000, 0), 5_000, Err(Flag));

    let daily = TimeControl::Daily { move_ms: days(3) };
    check(daily, side(days(3), 0), days(3) - 1, Ok(side(days(3), 0)));
    check(daily, side(days(3), 0), days(3), Err(Flag));

    // Four times the main time, and no more.
    let bank = TimeControl::Fischer { main_ms: days(7), increment_ms: 12 * HOUR_MS };
    check(bank, side(days(7), 0), days(1), Ok(side(days(6) + 12 * HOUR_MS, 0)));
    check(bank, side(days(28) - 12 * HOUR_MS, 0), 0, Ok(side(days(28), 0)));
    check(bank, side(days(28) - 12 * HOUR_MS, 0), 1, Ok(side(days(28) - 1, 0)));
    check(bank, side(days(28), 0), 0, Ok(side(days(28), 0)));
    check(bank, side(1, 0), 1, Err(Flag));
}

#[test]
fn lag_is_given_back_up_to_a_limit() {
    let mut clock = Clock::new(TimeControl::SuddenDeath { main_ms: MINUTE }).expect("a control");
    let mut moves = |spent: u64, lag: u64| {
        clock.run(Seat::Second, 0);
        let time = clock.after_move(spent, lag).expect("in time").expect("a clock");
        clock.set(Seat::Second, time);
        (time.left_ms, time.lag_used_ms)
    };
    assert_eq!(moves(1_000, 50), (MINUTE - 950, 50));
    assert_eq!(moves(10, 50), (MINUTE - 950, 60), "no more than has passed");
    assert_eq!(moves(1_000, 201), (MINUTE - 1_750, 260), "no more than 200 for a move");
    for used in [460, 660, 860, 1_000, 1_000] {
        assert_eq!(moves(1_000, 200).1, used, "no more than 1,000 in a game");
    }
}

#[test]
fn a_clock_that_stands_takes_no_time() {
    let mut clock = Clock::new(TimeControl::PerMove { move_ms: 5_000 }).expect("a control");
    assert_eq!(clock.after_move(u64::MAX, 0), Ok(None));
    clock.run(Seat::First, 0);
    clock.stand();
    assert_eq!((clock.flag_at(), clock.running()), (None, None));
    assert_eq!(Clock::new(TimeControl::None), None);
}

#[test]
fn controls_are_checked_at_their_limits() {
    let byo = |main_ms, period_ms, periods| TimeControl::ByoYomi { main_ms, period_ms, periods };
    let fischer = |main_ms, increment_ms| TimeControl::Fischer { main_ms, increment_ms };
    let cases = [
        (TimeControl::None, true),
        (TimeControl::SuddenDeath { main_ms: TIME_MIN_MS }, true),
        (TimeControl::SuddenDeath { main_ms: TIME_MIN_MS - 1 }, false),
        (TimeControl::SuddenDeath { main_ms: TIME_MAX_MS }, true),
        (TimeControl::SuddenDeath { main_ms: TIME_MAX_MS + 1 }, false),
        (fischer(TIME_MIN_MS, INCREMENT_MAX_MS), true),
        (fischer(TIME_MIN_MS, INCREMENT_MAX_MS + 1), false),
        (byo(0, TIME_MIN_MS, 1), true),
        (byo(TIME_MIN_MS - 1, TIME_MIN_MS, 1), false),
        (byo(0, TIME_MIN_MS - 1, 1), false),
        (byo(0, TIME_MIN_MS, 0), false),
        (byo(0, TIME_MAX_MS, PERIODS_MAX), true),
        (byo(0, TIME_MAX_MS, PERIODS_MAX + 1), false),
        (TimeControl::PerMove { move_ms: TIME_MIN_MS }, true),
        (TimeControl::PerMove { move_ms: DAY_MS - 1 }, true),
        (TimeControl::PerMove { move_ms: DAY_MS }, false),
        (TimeControl::Daily { move_ms: DAY_MS - 1 }, false),
        (TimeControl::Daily { move_ms: DAY_MS + 1 }, false),
        (fischer(DAY_MS - 1, INCREMENT_MAX_MS), true),
        (fischer(DAY_MS - 1, INCREMENT_MAX_MS + 1), false),
        (fischer(DAY_MS, 0), true),
        (fischer(DAY_MS, DAILY_INCREMENT_MAX_MS), true),
        (fischer(DAY_MS, DAILY_INCREMENT_MAX_MS + 1), false),
        (fischer(DAY_MS + 1, 0), false),
        (fischer(days(MAIN_DAYS_MAX), HOUR_MS), true),
        (fischer(days(MAIN_DAYS_MAX + 1), HOUR_MS), false),
    ];
    for (control, fine) in cases {
        assert_eq!(control.check().is_ok(), fine, "{control:?}");
    }
    let daily = (0..=15).filter(|&n| TimeControl::Daily { move_ms: days(n) }.check().is_ok());
    assert_eq!(daily.collect::<Vec<_>>(), DAYS_FOR_MOVE);
}

#[test]
fn games_of_a_day_or_more_are_daily() {
    let cases = [
        ("none", false),
        ("86399s", false),
        ("24h", true),
        ("86399s+3", false),
        ("1d+0", true),
        ("14d+24h", true),
        ("byo 0+25x24h", false),
        ("byo 24h+1x1s", true),
        ("move 86399s", false),
        ("1d", true),
    ];
    for (text, is_daily) in cases {
        let control = text.parse::<TimeControl>().expect("a control");
        assert_eq!(control.is_daily(), is_daily, "{text}");
    }
}

#[test]
fn days_for_each_move_are_a_type_of_their_own_on_the_wire() {
    let daily = TimeControl::Daily { move_ms: DAY_MS };
    let wire = r#"{"type":"daily","move_ms":86400000}"#;
    assert_eq!(serde_json::to_string(&daily).unwrap(), wire);
    let read = |text: &str| serde_json::from_str::<TimeControl>(text).ok();
    assert_eq!(read(wire), Some(daily));
    let per_move = |ms: u64| read(&format!(r#"{{"type":"per_move","move_ms":{ms}}}"#));
    assert_eq!(per_move(DAY_MS), Some(daily), "written before there were daily games");
    assert_eq!(per_move(days(2)), None);
    assert_eq!(read(r#"{"type":"daily","move_ms":30000}"#), None);
}

#[test]
fn the_expected_length_counts_25_moves() {
    let cases = [
        ("none", None),
        ("3m", Some(180_000)),
        ("3+2", Some(230_000)),
        ("byo 1m+3x10s", Some(310_000)),
        ("move 10s", Some(250_000)),
    ];
    for (text, expected) in cases {
        let control = text.parse::<TimeControl>().expect("a control");
        assert_eq!(control.expected_ms(), expected, "{text}");
    }
}

#[test]
fn text_is_read_and_written() {
    let cases = [
        ("none", TimeControl::None),
        ("10m", TimeControl::SuddenDeath { main_ms: 10 * MINUTE }),
        ("90s", TimeControl::SuddenDeath { main_ms: 90_000 }),
        ("1500ms", TimeControl::SuddenDeath { main_ms: 1_500 }),
        ("5m+3s", TimeControl::Fischer { main_ms: 5 * MINUTE, increment_ms: 3_000 }),
        ("byo 0s+3x30s", TimeControl::ByoYomi { main_ms: 0, period_ms: 30_000, periods: 3 }),
        ("move 30s", TimeControl::PerMove { move_ms: 30_000 }),
        ("5h", TimeControl::SuddenDeath { main_ms: 5 * HOUR_MS }),
        ("24h", TimeControl::SuddenDeath { main_ms: DAY_MS }),
        ("3d", TimeControl::Daily { move_ms: days(3) }),
        ("7d+12h", TimeControl::Fischer { main_ms: days(7), increment_ms: 12 * HOUR_MS }),
        ("1d+10m", TimeControl::Fischer { main_ms: DAY_MS, increment_ms: 10 * MINUTE }),
        ("2d+0s", TimeControl::Fischer { main_ms: days(2), increment_ms: 0 }),
    ];
    for (text, control) in cases {
        assert_eq!(text.parse(), Ok(control), "{text}");
        assert_eq!(control.to_string(), text);
    }
    let short =
        [("5+3", "5m+3s"), ("10", "10m"), ("byo 10+3x30", "byo 10m+3x30s"), ("7d+12", "7d+12h")];
    for (text, long) in short {
        assert_eq!(text.parse::<TimeControl>(), long.parse(), "{text}");
    }
    let wrong = [
        "",
        "m",
        "d",
        "5+",
        "+3",
        "7d+",
        "byo 5",
        "byo 5+3",
        "move",
        "-5",
        "-5d",
        "5w",
        "1d12h",
        "18446744073709551616",
    ];
    for text in wrong {
        assert_eq!(text.parse::<TimeControl>(), Err(TimeControlError::Text), "{text}");
    }
    let range = [
        "0",
        "25000",
        "5+601",
        "byo 1+26x30",
        "18446744073709551615",
        "0d",
        "4d",
        "15d",
        "move 24h",
        "15d+1h",
        "36h+1h",
        "1d+25h",
        "213503982335d",
    ];
    for text in range {
        assert_eq!(text.parse::<TimeControl>(), Err(TimeControlError::Range), "{text}");
    }
}

#[test]
fn a_face_shows_the_time_that_runs() {
    let face = |text: &str, running, now| {
        let mut clock = Clock::new(text.parse().expect("a control")).expect("a clock");
        if running {
            clock.run(Seat::First, 1_000);
        }
        let face = clock.face(Seat::First, now);
        (face.left_ms, face.periods)
    };
    assert_eq!(face("10s", false, 5_000), (10_000, 0));
    assert_eq!(face("10s", true, 5_000), (6_000, 0));
    assert_eq!(face("10s", true, 0), (10_000, 0), "not before it runs");
    assert_eq!(face("10s", true, 20_000), (0, 0));
    assert_eq!(face("byo 10s+2x5s", true, 10_999), (1, 2));
    assert_eq!(face("byo 10s+2x5s", true, 11_000), (5_000, 2));
    assert_eq!(face("byo 10s+2x5s", true, 16_000), (5_000, 1));
    assert_eq!(face("byo 10s+2x5s", true, 21_000), (0, 0));
    assert_eq!(face("byo 0+2x5s", false, 0), (5_000, 2));
}

#[test]
fn time_off_puts_a_flag_off_and_takes_no_time() {
    for (text, kept) in [("3d", days(3)), ("3d+12h", days(1) + 12 * HOUR_MS)] {
        let mut clock = Clock::new(text.parse().expect("a control")).expect("a clock");
        clock.run(Seat::First, 0);
        // The opponent's changes nothing.
        clock.set_off(Seat::Second, TimeOff::of_days(days(1), 9), 0);
        assert_eq!(clock.flag_at(), Some(days(3)));
        clock.set_off(Seat::First, TimeOff::of_days(days(2), 2), 0);
        assert_eq!(clock.flag_at(), Some(days(5)));
        let wire = serde_json::to_string(&clock).unwrap();
        assert_eq!(serde_json::from_str(&wire).ok(), Some(clock));
        let left = |clock: &Clock, now| clock.face(Seat::First, now).left_ms;
        assert_eq!([0, 2, 3, 4, 5].map(|at| left(&clock, days(at))), [3, 1, 1, 1, 0].map(days));
        let after = |clock: &Clock, now| clock.after_move(now, 0).map(|side| side.unwrap().left_ms);
        assert_eq!(after(&clock, days(3)), Ok(kept));
        assert_eq!(after(&clock, days(5)), Err(Flag));
        assert!(after(&clock, days(5) - 1).is_ok());
        // It ends early: the same period, shorter.
        clock.set_off(Seat::First, TimeOff::of_days(days(2), 1), days(3));
        assert_eq!(clock.flag_at(), Some(days(4)));
        // Another one in the same turn: what the first one gave stays.
        clock.set_off(Seat::First, TimeOff::of_days(days(3) + HOUR_MS, 5), days(3));
        assert_eq!(clock.flag_at(), Some(days(9)));
        // Taken back.
        clock.set_off(Seat::First, TimeOff::of_days(days(3) + HOUR_MS, 0), days(3));
        assert_eq!(clock.flag_at(), Some(days(4)));
        // The game has missed that a planned one was taken back: it gives nothing.
        clock.set_off(Seat::First, TimeOff::of_days(days(4), 30), days(3));
        clock.set_off(Seat::First, TimeOff::of_days(days(40), 1), days(3));
        assert_eq!(clock.flag_at(), Some(days(4)));
    }
}

#[test]
fn a_bot_that_keeps_to_its_budget_keeps_its_time() {
    for text in ["1s", "5m", "1s+0", "1s+1s", "byo 0+1x1s", "byo 10s+3x1s", "move 1s"] {
        let mut clock = Clock::new(text.parse().expect("a control")).expect("a clock");
        for _ in 0..400 {
            clock.run(Seat::First, 0);
            let budget = clock.budget_ms().expect("its time runs");
            let time = clock.after_move(budget, 0).expect("in time").expect("a clock");
            clock.set(Seat::First, time);
        }
    }
}
