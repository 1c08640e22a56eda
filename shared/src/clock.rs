//! Time controls, and a game's clock as a plain value.
//!
//! A side's time runs while that side is to act. The first move takes no time, so the clock is
//! stopped until it is made.
//!
//! A clock reads no time: every call takes `now`, in milliseconds since the Unix epoch. It sets no
//! alarm either: [`Clock::flag_at`] returns when to check again.

mod dates;

use std::{fmt, str::FromStr, time::Duration};

use serde::{Deserialize, Deserializer, Serialize, Serializer};

pub use self::dates::{day, utc};
use crate::seat::{BySeat, Seat};

const SECOND_MS: u64 = 1_000;
const MINUTE_MS: u64 = 60 * SECOND_MS;
const HOUR_MS: u64 = 60 * MINUTE_MS;
/// A day. A game with a main time or a time for a move from here on is daily.
pub const DAY_MS: u64 = 24 * HOUR_MS;
/// Longest main time or period of a game that is not daily. The time for a move is shorter.
pub const TIME_MAX_MS: u64 = DAY_MS;
/// Longest increment of a game that is not daily: ten minutes.
pub const INCREMENT_MAX_MS: u64 = 10 * MINUTE_MS;
/// The days for each move that a daily game can have.
pub const DAYS_FOR_MOVE: [u64; 6] = [1, 2, 3, 5, 7, 14];
/// Most days of main time in a daily game with an increment.
pub const MAIN_DAYS_MAX: u64 = 14;
/// Longest increment of a daily game.
pub const DAILY_INCREMENT_MAX_MS: u64 = DAY_MS;
/// With an increment, a daily clock holds at most so many times its main time.
const DAILY_BANK_TIMES: u64 = 4;
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
/// `move 30s`, `3d`, `7d+12h`. A parsed value is in range; check values built otherwise.
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
    /// Sudden death with an increment after each move. Daily if the main time is a day or more; then
    /// the main time is in whole days.
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
    /// A fixed time for each move, less than a day; unused time is lost.
    PerMove {
        /// For each move.
        move_ms: u64,
    },
    /// The same with whole days for each move.
    Daily {
        /// For each move: 1, 2, 3, 5, 7 or 14 days.
        move_ms: u64,
    },
}

/// Why a time control is invalid.
#[derive(Clone, Copy, PartialEq, Eq, Debug, thiserror::Error)]
pub enum TimeControlError {
    /// A number is out of range.
    #[error(
        "times are 1 second to 24 hours (a byo-yomi's main time may be 0), an increment is at \
         most 10 minutes, periods are 1 to 25; a daily game has 1, 2, 3, 5, 7 or 14 days for each \
         move, or 1 to 14 whole days and an increment of at most 24 hours"
    )]
    Range,
    /// The text is not a time control.
    #[error("a time control is none, 10m, 5+3, byo 10m+3x30s, move 30s, 3d or 7d+12h")]
    Text,
}

impl<'de> Deserialize<'de> for TimeControl {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        // Calls the inherent function that serde derives.
        let control = match Self::deserialize(deserializer)? {
            // Logs and records from before there were daily games have it.
            Self::PerMove { move_ms: DAY_MS } => Self::Daily { move_ms: DAY_MS },
            control => control,
        };
        control.check().map_err(serde::de::Error::custom)
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
            // `1d` is a daily game.
            Self::SuddenDeath { main_ms: DAY_MS } => f.write_str("24h"),
            Self::SuddenDeath { main_ms } => f.write_str(&length(main_ms)),
            Self::Fischer { main_ms, increment_ms } => {
                write!(f, "{}+{}", length(main_ms), length(increment_ms))
            }
            Self::ByoYomi { main_ms, period_ms, periods } => {
                write!(f, "byo {}+{periods}x{}", length(main_ms), length(period_ms))
            }
            Self::PerMove { move_ms } => write!(f, "move {}", length(move_ms)),
            Self::Daily { move_ms } => f.write_str(&length(move_ms)),
        }
    }
}

impl FromStr for TimeControl {
    type Err = TimeControlError;

    fn from_str(text: &str) -> Result<Self, TimeControlError> {
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
            let increment_unit_ms = if main.ends_with('d') { HOUR_MS } else { SECOND_MS };
            Self::Fischer {
                main_ms: read_length(main, MINUTE_MS)?,
                increment_ms: read_length(increment, increment_unit_ms)?,
            }
        } else if text.ends_with('d') {
            Self::Daily { move_ms: read_length(text, DAY_MS)? }
        } else {
            Self::SuddenDeath { main_ms: read_length(text, MINUTE_MS)? }
        };
        control.check()
    }
}

/// The units of a length of time in text, the largest first. `ms` comes before `m` and `s`, with one
/// of which it would be confused.
const UNITS: [(&str, u64); 5] =
    [("d", DAY_MS), ("h", HOUR_MS), ("ms", 1), ("m", MINUTE_MS), ("s", SECOND_MS)];

/// A length of time in its largest whole unit, such as `5m` or `90s`.
fn length(ms: u64) -> String {
    let is_whole = |unit_ms: u64| unit_ms > 1 && ms > 0 && ms.is_multiple_of(unit_ms);
    let unit = UNITS.into_iter().find(|&(_, unit_ms)| is_whole(unit_ms));
    match unit {
        Some((unit, unit_ms)) => format!("{}{unit}", ms / unit_ms),
        None if ms == 0 => "0s".to_owned(),
        None => format!("{ms}ms"),
    }
}

/// Reads `2d`, `12h`, `5m`, `90s`, `1500ms`, or a number in the given default unit.
fn read_length(text: &str, usual_ms: u64) -> Result<u64, TimeControlError> {
    let with_unit = |(unit, unit_ms)| Some((text.strip_suffix(unit)?, unit_ms));
    let (number, unit_ms) = UNITS.into_iter().find_map(with_unit).unwrap_or((text, usual_ms));
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
        let days = |ms: u64| ms.is_multiple_of(DAY_MS).then_some(ms / DAY_MS);
        let fine = match self {
            Self::None => true,
            Self::SuddenDeath { main_ms } => time(main_ms),
            Self::Fischer { main_ms, increment_ms } if main_ms < DAY_MS => {
                time(main_ms) && increment_ms <= INCREMENT_MAX_MS
            }
            Self::Fischer { main_ms, increment_ms } => {
                days(main_ms).is_some_and(|days| days <= MAIN_DAYS_MAX)
                    && increment_ms <= DAILY_INCREMENT_MAX_MS
            }
            Self::ByoYomi { main_ms, period_ms, periods } => {
                (main_ms == 0 || time(main_ms))
                    && time(period_ms)
                    && (1..=PERIODS_MAX).contains(&periods)
            }
            Self::PerMove { move_ms } => time(move_ms) && move_ms < DAY_MS,
            Self::Daily { move_ms } => {
                days(move_ms).is_some_and(|days| DAYS_FOR_MOVE.contains(&days))
            }
        };
        if fine { Ok(self) } else { Err(TimeControlError::Range) }
    }

    /// Whether there is no time control.
    pub const fn is_none(&self) -> bool {
        matches!(self, Self::None)
    }

    /// Whether a game is played over days: it has a main time or a time for each move of a day or
    /// more. In such a game absence is normal.
    pub const fn is_daily(self) -> bool {
        match self {
            Self::None | Self::PerMove { .. } => false,
            Self::Daily { .. } => true,
            Self::SuddenDeath { main_ms }
            | Self::Fischer { main_ms, .. }
            | Self::ByoYomi { main_ms, .. } => main_ms >= DAY_MS,
        }
    }

    /// A side's time for a game of [`EXPECTED_MOVES`] moves, in milliseconds; `None` without a time
    /// control.
    pub const fn expected_ms(self) -> Option<u64> {
        let (main_ms, each_ms) = match self {
            Self::None => return None,
            Self::SuddenDeath { main_ms } => (main_ms, 0),
            Self::Fischer { main_ms, increment_ms } => (main_ms, increment_ms),
            Self::ByoYomi { main_ms, period_ms, .. } => (main_ms, period_ms),
            Self::PerMove { move_ms } | Self::Daily { move_ms } => (0, move_ms),
        };
        Some(main_ms.saturating_add(each_ms.saturating_mul(EXPECTED_MOVES)))
    }

    /// Each side's time at the start; `None` without a time control.
    pub const fn start(self) -> Option<SideTime> {
        let (main_ms, periods) = match self {
            Self::None => return None,
            Self::SuddenDeath { main_ms } | Self::Fischer { main_ms, .. } => (main_ms, 0),
            Self::ByoYomi { main_ms, periods, .. } => (main_ms, periods),
            Self::PerMove { move_ms } | Self::Daily { move_ms } => (move_ms, 0),
        };
        Some(SideTime { left_ms: main_ms, periods, lag_used_ms: 0 })
    }

    /// How long a side with this much time can think before its flag falls.
    const fn allowance(self, side: SideTime) -> u64 {
        match self {
            Self::ByoYomi { period_ms, .. } => {
                side.left_ms.saturating_add(period_ms.saturating_mul(side.periods as u64))
            }
            Self::None
            | Self::SuddenDeath { .. }
            | Self::Fischer { .. }
            | Self::PerMove { .. }
            | Self::Daily { .. } => side.left_ms,
        }
    }

    /// A side's time after a move that took `spent_ms`, which is less than its allowance.
    fn after_move(self, side: SideTime, spent_ms: u64) -> SideTime {
        let left_ms = side.left_ms.saturating_sub(spent_ms);
        match self {
            Self::None => side,
            Self::SuddenDeath { .. } => SideTime { left_ms, ..side },
            Self::Fischer { main_ms, increment_ms } => {
                let most_ms = if self.is_daily() {
                    main_ms.saturating_mul(DAILY_BANK_TIMES)
                } else {
                    TIME_MAX_MS
                };
                SideTime { left_ms: left_ms.saturating_add(increment_ms).min(most_ms), ..side }
            }
            Self::ByoYomi { period_ms, .. } => {
                let over = spent_ms.saturating_sub(side.left_ms);
                let lost = u8::try_from(over / period_ms).unwrap_or(u8::MAX);
                SideTime { left_ms, periods: side.periods.saturating_sub(lost), ..side }
            }
            Self::PerMove { move_ms } | Self::Daily { move_ms } => {
                SideTime { left_ms: move_ms, ..side }
            }
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
            TimeControl::PerMove { move_ms } | TimeControl::Daily { move_ms } => move_ms / 2,
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
            | TimeControl::PerMove { .. }
            | TimeControl::Daily { .. } => face(side.left_ms.saturating_sub(spent), side.periods),
        }
    }
}

#[cfg(test)]
mod tests {
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
        let short = [
            ("5+3", "5m+3s"),
            ("10", "10m"),
            ("byo 10+3x30", "byo 10m+3x30s"),
            ("7d+12", "7d+12h"),
        ];
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
