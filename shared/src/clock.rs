//! Time controls, and a game's clock as a plain value.
//!
//! A side's time runs while that side is to act. The first move takes no time, so the clock is
//! stopped until it is made.
//!
//! A clock reads no time: every call takes `now`, in milliseconds since the Unix epoch. It sets no
//! alarm either: [`Clock::flag_at`] returns when to check again.

mod dates;
#[cfg(test)]
mod tests;
mod time_off;

use std::{fmt, str::FromStr, time::Duration};

use serde::{Deserialize, Deserializer, Serialize, Serializer};

pub use self::{
    dates::{DAY_MS, day, day_begins, utc, year},
    time_off::{DAYS_A_YEAR, NoTimeOff, TIME_OFF_AHEAD_MAX_MS, TimeOff, days_left},
};
use crate::seat::{BySeat, Seat};

/// A second.
pub const SECOND_MS: u64 = 1_000;
/// A minute.
pub const MINUTE_MS: u64 = 60 * SECOND_MS;
/// An hour.
pub const HOUR_MS: u64 = 60 * MINUTE_MS;
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
#[cfg_attr(test, derive(schemars::JsonSchema, ts_rs::TS))]
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
#[cfg_attr(test, derive(schemars::JsonSchema, ts_rs::TS))]
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
/// {"left_ms": 60000}, "running": {"seat": "second", "since": 1795230000000}}`. In a daily game `off` has the time off of
/// a player, in which their time stands still: `{"first": {"from": ..., "until": ...}, "second": null}`.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema, ts_rs::TS))]
pub struct Clock {
    control: TimeControl,
    #[serde(flatten)]
    sides: BySeat<SideTime>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    running: Option<Running>,
    #[serde(default, skip_serializing_if = "is_zero")]
    off: BySeat<Option<TimeOff>>,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema, ts_rs::TS))]
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
                let off = BySeat { first: None, second: None };
                Some(Self { control, sides, running: None, off })
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

    /// A player's time off, as far as the game knows: the last one that they had since it began, have, or will have.
    pub fn off(&self, seat: Seat) -> Option<TimeOff> {
        self.off[seat]
    }

    /// Sets a player's time off, in which their time stands still. A period that begins at the same time as the one
    /// before replaces it; otherwise the one before was over at `now`, or was taken back.
    pub fn set_off(&mut self, seat: Seat, off: TimeOff, now: u64) {
        let before = self.off[seat].replace(off).filter(|before| before.from != off.from);
        if let (Some(before), Some(running)) = (before, &mut self.running)
            && running.seat == seat
        {
            // What it gave to this turn stays.
            running.since += before.overlap(running.since, off.from.min(now));
        }
    }

    /// When the running flag falls, if no move comes before.
    pub fn flag_at(&self) -> Option<u64> {
        let Running { seat, since } = self.running?;
        Some(self.end_of(seat, since, self.control.allowance(self.side(seat))))
    }

    /// When a length of time is over that begins at `start` and stands still during the player's time off.
    pub fn end_of(&self, seat: Seat, start: u64, length_ms: u64) -> u64 {
        self.off[seat].unwrap_or(TimeOff::NONE).end_of(start, length_ms)
    }

    /// How much of its time a side has spent since its clock was started.
    fn spent(&self, Running { seat, since }: Running, now: u64) -> u64 {
        self.off[seat].map_or_else(|| now.saturating_sub(since), |off| off.spent(since, now))
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
        let passed = self.spent(running, now);
        if passed >= self.control.allowance(side) {
            return Err(Flag);
        }
        let saved = LAG_PER_GAME_MAX_MS.saturating_sub(side.lag_used_ms.into());
        let lag = lag_ms.min(LAG_PER_MOVE_MAX_MS).min(saved).min(passed);
        let lag_used_ms = side.lag_used_ms + u16::try_from(lag).expect("at most 200");
        Ok(Some(SideTime { lag_used_ms, ..self.control.after_move(side, passed - lag) }))
    }

    /// The time left to the running side after a move that takes none; `None` where no time runs.
    pub fn after_no_time(&self) -> Option<SideTime> {
        Some(self.control.after_move(self.side(self.running?.seat), 0))
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
        let running = self.running.filter(|running| running.seat == seat);
        let spent = running.map_or(0, |running| self.spent(running, now));
        let face = |left_ms, periods| Face { left_ms, periods, running: running.is_some() };
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
