//! Time controls, and a game's clock as a plain value.
//!
//! A side's time runs while that side is to act. The first move takes no time, so the clock is
//! stopped until it is made.
//!
//! A clock reads no time: every call takes `now`, in milliseconds since the Unix epoch. It sets no
//! alarm either: [`Clock::flag_at`] returns when to check again.

use std::{fmt, str::FromStr, time::Duration};

use serde::{Deserialize, Deserializer, Serialize, Serializer};

use crate::seat::{BySeat, Seat};

/// Longest main time, period or time for a move: a day.
pub const TIME_MAX_MS: u64 = 24 * 60 * 60 * 1000;
/// Longest increment: ten minutes.
pub const INCREMENT_MAX_MS: u64 = 10 * 60 * 1000;
/// Shortest main time, period or time for a move.
pub const TIME_MIN_MS: u64 = 1000;
/// Most byo-yomi periods.
pub const PERIODS_MAX: u8 = 25;
/// Most network lag given back for one move.
pub const LAG_PER_MOVE_MAX_MS: u64 = 200;
/// Most network lag given back to one side in a game.
pub const LAG_PER_GAME_MAX_MS: u64 = 1000;

/// How many moves of a side an average game is expected to have.
pub const EXPECTED_MOVES: u64 = 25;

/// How many more moves a bot plans for when it divides its time.
const BOT_MOVES_AHEAD: u64 = 30;

/// A duration in whole milliseconds, the unit of all times here.
pub fn millis(duration: Duration) -> u64 {
    u64::try_from(duration.as_millis()).unwrap_or(u64::MAX)
}

/// How much time the players have. On the wire: `{"type": "fischer", "main_ms": 300000,
/// "increment_ms": 3000}`; in text `none`, `10m`, `5+3` (minutes and seconds), `byo 10m+3x30s`,
/// `move 30s`. A parsed value is in range; check values built otherwise.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default, Serialize, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
#[serde(tag = "type", rename_all = "snake_case", remote = "Self")]
pub enum TimeControl {
    /// No limit.
    #[default]
    None,
    /// A fixed time for the whole game.
    SuddenDeath {
        /// For the whole game.
        main_ms: u64,
    },
    /// Sudden death with an increment after each move.
    Fischer {
        /// At the start.
        main_ms: u64,
        /// Added after each move.
        increment_ms: u64,
    },
    /// When the main time is used up, each move has a period. A used-up period is lost; losing the
    /// last one loses the game.
    ByoYomi {
        /// At the start; may be 0.
        main_ms: u64,
        /// For each move after the main time.
        period_ms: u64,
        /// How many.
        periods: u8,
    },
    /// A fixed time for each move; unused time is lost.
    PerMove {
        /// For each move.
        move_ms: u64,
    },
}

/// Why a time control is invalid.
#[derive(Clone, Copy, PartialEq, Eq, Debug, thiserror::Error)]
pub enum TimeControlError {
    /// A number is out of range.
    #[error(
        "times are 1 second to 24 hours (a byo-yomi's main time may be 0), an increment is at \
         most 10 minutes, periods are 1 to 25"
    )]
    Range,
    /// The text is not a time control.
    #[error("a time control is none, 10m, 5+3, byo 10m+3x30s or move 30s")]
    Text,
}

impl<'de> Deserialize<'de> for TimeControl {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        // Calls the inherent function that serde derives.
        Self::deserialize(deserializer)?.check().map_err(serde::de::Error::custom)
    }
}

impl Serialize for TimeControl {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        Self::serialize(self, serializer)
    }
}

impl fmt::Display for TimeControl {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match *self {
            Self::None => f.write_str("none"),
            Self::SuddenDeath { main_ms } => f.write_str(&length(main_ms)),
            Self::Fischer { main_ms, increment_ms } => {
                write!(f, "{}+{}", length(main_ms), length(increment_ms))
            }
            Self::ByoYomi { main_ms, period_ms, periods } => {
                write!(f, "byo {}+{periods}x{}", length(main_ms), length(period_ms))
            }
            Self::PerMove { move_ms } => write!(f, "move {}", length(move_ms)),
        }
    }
}

impl FromStr for TimeControl {
    type Err = TimeControlError;

    fn from_str(text: &str) -> Result<Self, TimeControlError> {
        const MINUTE_MS: u64 = 60_000;
        const SECOND_MS: u64 = 1_000;
        let control = if text == "none" {
            Self::None
        } else if let Some(rest) = text.strip_prefix("byo ") {
            let (main, rest) = rest.split_once('+').ok_or(TimeControlError::Text)?;
            let (periods, period) = rest.split_once('x').ok_or(TimeControlError::Text)?;
            Self::ByoYomi {
                main_ms: read_length(main, MINUTE_MS)?,
                period_ms: read_length(period, SECOND_MS)?,
                periods: periods.parse().map_err(|_| TimeControlError::Text)?,
            }
        } else if let Some(each) = text.strip_prefix("move ") {
            Self::PerMove { move_ms: read_length(each, SECOND_MS)? }
        } else if let Some((main, increment)) = text.split_once('+') {
            Self::Fischer {
                main_ms: read_length(main, MINUTE_MS)?,
                increment_ms: read_length(increment, SECOND_MS)?,
            }
        } else {
            Self::SuddenDeath { main_ms: read_length(text, MINUTE_MS)? }
        };
        control.check()
    }
}

/// A length of time in its largest whole unit, such as `5m` or `90s`.
fn length(ms: u64) -> String {
    match ms {
        ms if ms > 0 && ms.is_multiple_of(60_000) => format!("{}m", ms / 60_000),
        ms if ms.is_multiple_of(1_000) => format!("{}s", ms / 1_000),
        ms => format!("{ms}ms"),
    }
}

/// Reads `5m`, `90s`, `1500ms`, or a number in the given default unit.
fn read_length(text: &str, usual_ms: u64) -> Result<u64, TimeControlError> {
    let (number, unit_ms) = if let Some(number) = text.strip_suffix("ms") {
        (number, 1)
    } else if let Some(number) = text.strip_suffix('m') {
        (number, 60_000)
    } else if let Some(number) = text.strip_suffix('s') {
        (number, 1_000)
    } else {
        (text, usual_ms)
    };
    if !number.bytes().all(|digit| digit.is_ascii_digit()) {
        return Err(TimeControlError::Text);
    }
    let number: u64 = number.parse().map_err(|_| TimeControlError::Text)?;
    number.checked_mul(unit_ms).ok_or(TimeControlError::Range)
}

impl TimeControl {
    /// Checks that the numbers are in range.
    ///
    /// # Errors
    /// When a number is out of range.
    pub fn check(self) -> Result<Self, TimeControlError> {
        let time = |ms| (TIME_MIN_MS..=TIME_MAX_MS).contains(&ms);
        let fine = match self {
            Self::None => true,
            Self::SuddenDeath { main_ms } => time(main_ms),
            Self::Fischer { main_ms, increment_ms } => {
                time(main_ms) && increment_ms <= INCREMENT_MAX_MS
            }
            Self::ByoYomi { main_ms, period_ms, periods } => {
                (main_ms == 0 || time(main_ms))
                    && time(period_ms)
                    && (1..=PERIODS_MAX).contains(&periods)
            }
            Self::PerMove { move_ms } => time(move_ms),
        };
        if fine { Ok(self) } else { Err(TimeControlError::Range) }
    }

    /// Whether there is no time control.
    pub const fn is_none(&self) -> bool {
        matches!(self, Self::None)
    }

    /// A side's time for a game of [`EXPECTED_MOVES`] moves, in milliseconds; `None` without a time
    /// control.
    pub const fn expected_ms(self) -> Option<u64> {
        let (main_ms, each_ms) = match self {
            Self::None => return None,
            Self::SuddenDeath { main_ms } => (main_ms, 0),
            Self::Fischer { main_ms, increment_ms } => (main_ms, increment_ms),
            Self::ByoYomi { main_ms, period_ms, .. } => (main_ms, period_ms),
            Self::PerMove { move_ms } => (0, move_ms),
        };
        Some(main_ms.saturating_add(each_ms.saturating_mul(EXPECTED_MOVES)))
    }

    /// Each side's time at the start; `None` without a time control.
    pub const fn start(self) -> Option<SideTime> {
        let (main_ms, periods) = match self {
            Self::None => return None,
            Self::SuddenDeath { main_ms } | Self::Fischer { main_ms, .. } => (main_ms, 0),
            Self::ByoYomi { main_ms, periods, .. } => (main_ms, periods),
            Self::PerMove { move_ms } => (move_ms, 0),
        };
        Some(SideTime { left_ms: main_ms, periods, lag_used_ms: 0 })
    }

    /// How long a side with this much time can think before its flag falls.
    const fn allowance(self, side: SideTime) -> u64 {
        match self {
            Self::ByoYomi { period_ms, .. } => {
                side.left_ms.saturating_add(period_ms.saturating_mul(side.periods as u64))
            }
            Self::None | Self::SuddenDeath { .. } | Self::Fischer { .. } | Self::PerMove { .. } => {
                side.left_ms
            }
        }
    }

    /// A side's time after a move that took `spent_ms`, which is less than its allowance.
    fn after_move(self, side: SideTime, spent_ms: u64) -> SideTime {
        let left_ms = side.left_ms.saturating_sub(spent_ms);
        match self {
            Self::None => side,
            Self::SuddenDeath { .. } => SideTime { left_ms, ..side },
            Self::Fischer { increment_ms, .. } => {
                SideTime { left_ms: left_ms.saturating_add(increment_ms).min(TIME_MAX_MS), ..side }
            }
            Self::ByoYomi { period_ms, .. } => {
                let over = spent_ms.saturating_sub(side.left_ms);
                let lost = u8::try_from(over / period_ms).unwrap_or(u8::MAX);
                SideTime { left_ms, periods: side.periods.saturating_sub(lost), ..side }
            }
            Self::PerMove { move_ms } => SideTime { left_ms: move_ms, ..side },
        }
    }
}

/// The time of one side. On the wire and in events: `{"left_ms": 61500, "periods": 3}`.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Serialize, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct SideTime {
    /// Left of the main time, or for the move.
    pub left_ms: u64,
    /// Byo-yomi periods left.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub periods: u8,
    /// Network lag given back so far in this game.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub lag_used_ms: u16,
}

fn is_zero<T: Default + PartialEq>(number: &T) -> bool {
    *number == T::default()
}

/// The clock of one game: each side's time, and whose time runs since when. On the wire:
/// `{"control": {"type": "sudden_death", "main_ms": 60000}, "first": {"left_ms": 60000}, "second":
/// {"left_ms": 60000}, "running": {"seat": "second", "since": 1795230000000}}`.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct Clock {
    control: TimeControl,
    #[serde(flatten)]
    sides: BySeat<SideTime>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    running: Option<Running>,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
struct Running {
    seat: Seat,
    since: u64,
}

/// One side's clock as displayed.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize)]
pub struct Face {
    /// Left of the main time or for the move; in byo-yomi, of the period that runs.
    pub left_ms: u64,
    /// Byo-yomi periods left, the one that runs included.
    #[serde(skip_serializing_if = "is_zero")]
    pub periods: u8,
    /// Whether this side's time runs.
    pub running: bool,
}

/// The flag has fallen: the move came too late.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Flag;

impl Clock {
    /// A stopped clock with the starting time on both sides; `None` without a time control.
    pub const fn new(control: TimeControl) -> Option<Self> {
        match control.start() {
            Some(side) => {
                let sides = BySeat { first: side, second: side };
                Some(Self { control, sides, running: None })
            }
            None => None,
        }
    }

    /// A side's time when its clock was last started or stopped.
    pub fn side(&self, seat: Seat) -> SideTime {
        self.sides[seat]
    }

    /// Whose time runs.
    pub fn running(&self) -> Option<Seat> {
        self.running.map(|running| running.seat)
    }

    /// Starts a side's clock, and stops the other's as it stands.
    pub fn run(&mut self, seat: Seat, now: u64) {
        self.running = Some(Running { seat, since: now });
    }

    /// Stops the clock as it stands: the time since it was started counts for nobody. Use it at the
    /// end of a game, and for time in which nobody could move.
    pub fn stand(&mut self) {
        self.running = None;
    }

    /// Records that a side has lost on time: no time and no period is left.
    pub fn run_out(&mut self, seat: Seat) {
        let side = &mut self.sides[seat];
        *side = SideTime { left_ms: 0, periods: 0, ..*side };
    }

    /// Sets a side's time after its move, from an event.
    pub fn set(&mut self, seat: Seat, time: SideTime) {
        self.sides[seat] = time;
    }

    /// When the running flag falls, if no move comes before.
    pub fn flag_at(&self) -> Option<u64> {
        let running = self.running?;
        Some(running.since.saturating_add(self.control.allowance(self.side(running.seat))))
    }

    /// The time left to the running side after a move made now; [`set`](Self::set) stores it. Gives
    /// back part of `lag_ms`, the move's time in the network as the server measured it: at most
    /// [`LAG_PER_MOVE_MAX_MS`] for the move and [`LAG_PER_GAME_MAX_MS`] for each side in a game.
    /// Only moves that came in time get it: it does not lift a flag.
    ///
    /// # Errors
    /// When the flag has already fallen.
    pub fn after_move(&self, now: u64, lag_ms: u64) -> Result<Option<SideTime>, Flag> {
        let Some(running) = self.running else { return Ok(None) };
        let side = self.side(running.seat);
        let passed = now.saturating_sub(running.since);
        if passed >= self.control.allowance(side) {
            return Err(Flag);
        }
        let saved = LAG_PER_GAME_MAX_MS.saturating_sub(side.lag_used_ms.into());
        let lag = lag_ms.min(LAG_PER_MOVE_MAX_MS).min(saved).min(passed);
        let lag_used_ms = side.lag_used_ms + u16::try_from(lag).expect("at most 200");
        Ok(Some(SideTime { lag_used_ms, ..self.control.after_move(side, passed - lag) }))
    }

    /// How long a bot on the clock should think, so that it has time for the moves to come; `None`
    /// where no time runs.
    pub fn budget_ms(&self) -> Option<u64> {
        let side = self.side(self.running?.seat);
        let share = side.left_ms / BOT_MOVES_AHEAD;
        Some(match self.control {
            TimeControl::None => return None,
            TimeControl::SuddenDeath { .. } => share,
            TimeControl::Fischer { increment_ms, .. } => {
                (share + increment_ms / 2).min(side.left_ms / 2)
            }
            TimeControl::ByoYomi { period_ms, .. } => share.max(period_ms / 2),
            TimeControl::PerMove { move_ms } => move_ms / 2,
        })
    }

    /// A side's clock as displayed at this time.
    pub fn face(&self, seat: Seat, now: u64) -> Face {
        let side = self.side(seat);
        let since = self.running.filter(|running| running.seat == seat);
        let spent = since.map_or(0, |running| now.saturating_sub(running.since));
        let face = |left_ms, periods| Face { left_ms, periods, running: since.is_some() };
        match self.control {
            TimeControl::ByoYomi { period_ms, .. } if spent >= side.left_ms => {
                let over = spent - side.left_ms;
                let lost = u8::try_from(over / period_ms).unwrap_or(u8::MAX);
                match side.periods.saturating_sub(lost) {
                    0 => face(0, 0),
                    periods => face(period_ms - over % period_ms, periods),
                }
            }
            TimeControl::None
            | TimeControl::SuddenDeath { .. }
            | TimeControl::Fischer { .. }
            | TimeControl::ByoYomi { .. }
            | TimeControl::PerMove { .. } => face(side.left_ms.saturating_sub(spent), side.periods),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const MINUTE: u64 = 60_000;

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
    }

    #[test]
    fn lag_is_given_back_up_to_a_limit() {
        let mut clock =
            Clock::new(TimeControl::SuddenDeath { main_ms: MINUTE }).expect("a control");
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
        let byo =
            |main_ms, period_ms, periods| TimeControl::ByoYomi { main_ms, period_ms, periods };
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
            (TimeControl::PerMove { move_ms: TIME_MAX_MS + 1 }, false),
        ];
        for (control, fine) in cases {
            assert_eq!(control.check().is_ok(), fine, "{control:?}");
        }
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
        ];
        for (text, control) in cases {
            assert_eq!(text.parse(), Ok(control), "{text}");
            assert_eq!(control.to_string(), text);
        }
        let short = [("5+3", "5m+3s"), ("10", "10m"), ("byo 10+3x30", "byo 10m+3x30s")];
        for (text, long) in short {
            assert_eq!(text.parse::<TimeControl>(), long.parse(), "{text}");
        }
        let wrong =
            ["", "m", "5+", "+3", "byo 5", "byo 5+3", "move", "-5", "5h", "18446744073709551616"];
        for text in wrong {
            assert_eq!(text.parse::<TimeControl>(), Err(TimeControlError::Text), "{text}");
        }
        for text in ["0", "25000", "5+601", "byo 1+26x30", "18446744073709551615"] {
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
}
