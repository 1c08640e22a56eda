//! Bots: whatever chooses moves by itself and can say what each candidate is worth to it.
//!
//! A bot knows positions, a budget and a flag that calls it off. It knows no rooms, seats or
//! threads, and reads no clock and no randomness: the time that has passed and the seed are handed
//! to it, so every game of a bot can be replayed exactly.

mod attack;
mod candidates;
mod engine;
mod minimax;
mod pattern;

use std::{
    fmt,
    str::FromStr,
    sync::atomic::{AtomicBool, Ordering},
    time::Duration,
};

use serde::{Deserialize, Serialize};

use self::{attack::Attack, engine::EngineBot, minimax::Minimax, pattern::Pattern};
use crate::rules::{Point, Position, Rules, Size, Variant};

/// Whatever chooses moves.
///
/// Both answers depend on the position, on the seed the bot was built with and on what it was
/// asked before; never on time, as long as the thinking is not over too soon.
pub trait Bot: Send + fmt::Debug {
    /// The move to play. It is always legal, and there is one even if the thinking is over at
    /// once; `None` only when the game is over.
    fn choose(&mut self, position: &Position, thinking: &Thinking<'_>) -> Option<Point>;

    /// What each candidate is worth to the side to move: best first, equals by point. When the
    /// thinking is over too soon the rest of the candidates is missing, or unproven.
    fn weigh(&mut self, position: &Position, thinking: &Thinking<'_>) -> Vec<Weight>;

    /// Forgets everything: plays another game as a new bot with this seed would, but keeps its
    /// memory, which takes long to get from the system.
    fn restart(&mut self, seed: u64);
}

/// The largest board, in points, whose whole tree minimax finishes in its time.
///
/// Measured in release: the slowest first move on 20 points (4x5, four in a row) takes 0.35 s and
/// 20 MB, on 18 points 0.01 s. With 24 points (3x8) it takes 2 s, and with 25 (5x5) it does not end
/// within 20 s.
pub const MINIMAX_POINTS_MAX: u16 = 20;

/// The highest strength of a kind that has levels; the lowest is 1.
pub const STRENGTH_MAX: u8 = 10;

/// The most threads that a bot may be given.
pub const THREADS_MAX: usize = 64;

/// Which bot. On the wire and in text: `minimax`, `attack`, `pattern` or `engine`.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Serialize, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
#[serde(rename_all = "snake_case")]
pub enum BotKind {
    /// Plays small boards perfectly.
    Minimax,
    /// Weighs the runs of stones that a point would extend; made for the unbounded board.
    Attack,
    /// Fits templates to lines of nine; made for gomoku on 15x15.
    Pattern,
    /// Searches ahead, on every board and by every rule; it has levels.
    Engine,
}

impl BotKind {
    /// Every kind, in the order in which they are listed to people.
    pub const ALL: [Self; 4] = [Self::Minimax, Self::Attack, Self::Pattern, Self::Engine];

    /// The name used on the wire and in text.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Minimax => "minimax",
            Self::Attack => "attack",
            Self::Pattern => "pattern",
            Self::Engine => "engine",
        }
    }
}

impl fmt::Display for BotKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl FromStr for BotKind {
    type Err = BotError;

    fn from_str(text: &str) -> Result<Self, BotError> {
        Self::ALL
            .into_iter()
            .find(|kind| kind.name().eq_ignore_ascii_case(text))
            .ok_or(BotError::KindUnknown)
    }
}

/// A bot as people ask for it. In text `attack` or `attack:3`; on the wire
/// `{"kind": "attack"}` or `{"kind": "attack", "strength": 3}`.
///
/// Any kind and strength can be said; whether they are on offer is told by [`BotSpec::offered`].
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Serialize, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct BotSpec {
    /// Which bot.
    pub kind: BotKind,
    /// How strong, for kinds that have levels.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub strength: Option<u8>,
}

impl BotSpec {
    /// Whether this bot can be seated in a game by `rules`.
    ///
    /// # Errors
    /// [`BotError::StrengthUnexpected`] for a strength of a kind without levels, which are all but
    /// the engine; [`BotError::StrengthRange`] for one that the engine has not;
    /// [`BotError::FiveOnly`] for pattern where another number than five wins;
    /// [`BotError::TooLarge`] for minimax on a board whose tree it cannot finish, and
    /// [`BotError::LongerRuns`] where a run of more than enough does not win.
    pub const fn offered(self, rules: Rules) -> Result<(), BotError> {
        match (self.kind, self.strength) {
            (_, None) | (BotKind::Engine, Some(1..=STRENGTH_MAX)) => {}
            (BotKind::Engine, Some(_)) => return Err(BotError::StrengthRange),
            (BotKind::Minimax | BotKind::Attack | BotKind::Pattern, Some(_)) => {
                return Err(BotError::StrengthUnexpected { kind: self.kind });
            }
        }
        match self.kind {
            BotKind::Minimax => minimax_offered(rules),
            BotKind::Attack | BotKind::Engine => Ok(()),
            BotKind::Pattern if rules.variant().k() == 5 => Ok(()),
            BotKind::Pattern => Err(BotError::FiveOnly),
        }
    }

    /// Makes the bot for games by `rules`. The same seed and the same questions give the same
    /// answers.
    ///
    /// # Errors
    /// When it is not [`offered`](Self::offered).
    pub fn build(self, rules: Rules, seed: u64) -> Result<Box<dyn Bot>, BotError> {
        self.build_with(rules, seed, Resources::default())
    }

    /// As [`build`](Self::build), with what it may use of the machine.
    ///
    /// # Errors
    /// When it is not [`offered`](Self::offered).
    pub fn build_with(
        self,
        rules: Rules,
        seed: u64,
        resources: Resources,
    ) -> Result<Box<dyn Bot>, BotError> {
        self.offered(rules)?;
        Ok(match self.kind {
            BotKind::Minimax => Box::new(Minimax::new(rules, seed)),
            BotKind::Attack => Box::new(Attack::new(seed)),
            BotKind::Pattern => Box::new(Pattern::new(seed)),
            BotKind::Engine => {
                let strength = self.strength.unwrap_or(STRENGTH_MAX);
                Box::new(EngineBot::new(rules, strength, seed, resources))
            }
        })
    }
}

impl From<BotKind> for BotSpec {
    fn from(kind: BotKind) -> Self {
        Self { kind, strength: None }
    }
}

impl fmt::Display for BotSpec {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.strength {
            Some(strength) => write!(f, "{}:{strength}", self.kind),
            None => self.kind.fmt(f),
        }
    }
}

impl FromStr for BotSpec {
    type Err = BotError;

    /// Reads `KIND` or `KIND:STRENGTH`.
    fn from_str(text: &str) -> Result<Self, BotError> {
        match text.split_once(':') {
            None => Ok(Self { kind: text.parse()?, strength: None }),
            Some((kind, strength)) => Ok(Self {
                kind: kind.parse()?,
                strength: Some(strength.parse().map_err(|_| BotError::StrengthUnreadable)?),
            }),
        }
    }
}

/// Why a bot cannot be had.
#[derive(Clone, Copy, PartialEq, Eq, Debug, thiserror::Error)]
pub enum BotError {
    /// The text names no kind.
    #[error("the bots are minimax, attack, pattern and engine")]
    KindUnknown,
    /// What follows the colon is no strength.
    #[error("a strength is a whole number from 0 to 255, as in KIND:STRENGTH")]
    StrengthUnreadable,
    /// A strength for a kind that plays at its own.
    #[error("{kind} has no levels; ask for it without a strength")]
    StrengthUnexpected {
        /// The kind that was asked for.
        kind: BotKind,
    },
    /// A strength that the engine has not.
    #[error("the engine's strengths are 1 to {STRENGTH_MAX}")]
    StrengthRange,
    /// Pattern, where something else than five wins.
    #[error("pattern plays only where five in a row win")]
    FiveOnly,
    /// Minimax, on a board that is too large for it.
    #[error("minimax plays only on boards of at most {MINIMAX_POINTS_MAX} points")]
    TooLarge,
    /// Minimax, where too long a run does not win.
    #[error("minimax plays only mnk and freestyle, where longer runs win too")]
    LongerRuns,
}

/// What of the machine a bot may use; only the engine asks for it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Resources {
    /// How much memory it may use to remember positions.
    pub hash_bytes: usize,
    /// How many threads may think, from 1 to [`THREADS_MAX`]. Levels that look at a number of
    /// positions do so with one.
    pub threads: usize,
}

impl Default for Resources {
    fn default() -> Self {
        Self { hash_bytes: 8 << 20, threads: 1 }
    }
}

/// How much a bot may think before it must answer.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Budget {
    /// The longest that it may take.
    pub time: Duration,
    /// The most positions that it may look at; `None` leaves it to the time alone.
    pub nodes: Option<u64>,
}

impl Budget {
    /// No bound at all, for analysis without hurry and for tests.
    pub const UNLIMITED: Self = Self { time: Duration::MAX, nodes: None };
}

/// What surrounds one act of thinking: its budget, the time that has passed, and the flag that
/// calls it off.
#[derive(Clone, Copy)]
pub struct Thinking<'a> {
    /// How much the bot may think.
    pub budget: Budget,
    /// The time since the thinking began.
    pub elapsed: &'a (dyn Fn() -> Duration + Sync),
    /// Set by others when the answer is no longer wanted soon: the bot answers at once with the
    /// best it has.
    pub cancel: &'a AtomicBool,
}

impl Thinking<'_> {
    /// Whether to answer now, having looked at `nodes` positions.
    pub fn is_over(&self, nodes: u64) -> bool {
        self.budget.nodes.is_some_and(|most| nodes >= most)
            || self.cancel.load(Ordering::Relaxed)
            || (self.budget.time < Duration::MAX && (self.elapsed)() >= self.budget.time)
    }
}

impl Thinking<'static> {
    /// Thinking that nothing bounds or calls off.
    pub fn unlimited() -> Self {
        static NEVER: AtomicBool = AtomicBool::new(false);
        Self { budget: Budget::UNLIMITED, elapsed: &|| Duration::ZERO, cancel: &NEVER }
    }
}

impl fmt::Debug for Thinking<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Thinking")
            .field("budget", &self.budget)
            .field("cancel", &self.cancel)
            .finish_non_exhaustive()
    }
}

/// What a candidate point is worth to a bot, on that bot's own scale. On the wire:
/// `{"point": [7, 7], "weight": 13.2}`, with `"plies"` where the end is proven.
#[derive(Clone, Copy, PartialEq, Debug, Serialize, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct Weight {
    /// The candidate.
    pub point: Point,
    /// Its worth: more is better, for the side to move.
    pub weight: f64,
    /// Plies until the proven end of the game, this move included: 1 for a move that wins at once.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub plies: Option<u16>,
}

const fn minimax_offered(rules: Rules) -> Result<(), BotError> {
    match rules.variant() {
        Variant::Mnk { .. } | Variant::Freestyle => {}
        Variant::Standard | Variant::Renju | Variant::Caro | Variant::CaroOverline => {
            return Err(BotError::LongerRuns);
        }
    }
    match rules.size() {
        Size::Bounded { width, height } if width as u16 * height as u16 <= MINIMAX_POINTS_MAX => {
            Ok(())
        }
        Size::Bounded { .. } | Size::Unbounded => Err(BotError::TooLarge),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn specs_read_and_print() {
        let cases = [
            ("minimax", Ok((BotKind::Minimax, None))),
            ("attack", Ok((BotKind::Attack, None))),
            ("pattern:3", Ok((BotKind::Pattern, Some(3)))),
            ("attack:0", Ok((BotKind::Attack, Some(0)))),
            ("", Err(BotError::KindUnknown)),
            ("engine:2", Ok((BotKind::Engine, Some(2)))),
            ("rapid:2", Err(BotError::KindUnknown)),
            ("attack:", Err(BotError::StrengthUnreadable)),
            ("attack:256", Err(BotError::StrengthUnreadable)),
            ("attack:1:2", Err(BotError::StrengthUnreadable)),
        ];
        for (text, expected) in cases {
            let expected = expected.map(|(kind, strength)| BotSpec { kind, strength });
            assert_eq!(text.parse(), expected, "{text:?}");
            if let Ok(spec) = expected {
                assert_eq!(spec.to_string(), text);
                let wire = serde_json::to_string(&spec).unwrap();
                assert_eq!(serde_json::from_str::<BotSpec>(&wire).unwrap(), spec, "{wire}");
            }
        }
    }

    #[test]
    fn the_wire_forms_leave_out_what_is_absent() {
        let spec = BotSpec::from(BotKind::Attack);
        assert_eq!(serde_json::to_string(&spec).unwrap(), r#"{"kind":"attack"}"#);
        let mut weight = Weight { point: Point::new(7, -2), weight: 13.2, plies: None };
        assert_eq!(serde_json::to_string(&weight).unwrap(), r#"{"point":[7,-2],"weight":13.2}"#);
        weight.plies = Some(5);
        let wire = serde_json::to_string(&weight).unwrap();
        assert_eq!(wire, r#"{"point":[7,-2],"weight":13.2,"plies":5}"#);
        assert_eq!(serde_json::from_str::<Weight>(&wire).unwrap(), weight);
    }

    #[test]
    fn each_kind_is_offered_where_it_can_play() {
        let mnk = |k| Variant::Mnk { k };
        let sides = |width, height| Size::Bounded { width, height };
        let strength = Err(BotError::StrengthUnexpected { kind: BotKind::Attack });
        let cases = [
            ("minimax", mnk(3), Size::square(3), Ok(())),
            ("minimax", mnk(4), sides(4, 3), Ok(())),
            ("minimax", mnk(3), Size::square(15), Err(BotError::TooLarge)),
            ("minimax", mnk(3), Size::Unbounded, Err(BotError::TooLarge)),
            ("minimax", Variant::Standard, Size::square(5), Err(BotError::LongerRuns)),
            ("attack", mnk(10), Size::Unbounded, Ok(())),
            ("attack", Variant::Renju, Size::square(15), Ok(())),
            ("attack:1", Variant::Renju, Size::square(15), strength),
            ("pattern", Variant::Caro, Size::Unbounded, Ok(())),
            ("pattern", mnk(5), sides(20, 7), Ok(())),
            ("pattern", mnk(6), Size::square(15), Err(BotError::FiveOnly)),
            ("engine", mnk(10), Size::Unbounded, Ok(())),
            ("engine:1", Variant::Caro, Size::square(5), Ok(())),
            ("engine:10", Variant::Renju, Size::square(15), Ok(())),
            ("engine:0", Variant::Freestyle, Size::square(15), Err(BotError::StrengthRange)),
            ("engine:11", Variant::Freestyle, Size::square(15), Err(BotError::StrengthRange)),
        ];
        for (spec, variant, size, expected) in cases {
            let rules = Rules::new(variant, size).unwrap();
            assert_eq!(spec.parse::<BotSpec>().unwrap().offered(rules), expected, "{spec} {rules}");
        }
    }

    #[test]
    fn thinking_ends_by_nodes_by_time_or_by_the_flag() {
        let called_off = AtomicBool::new(true);
        let second: &(dyn Fn() -> Duration + Sync) = &|| Duration::from_secs(1);
        let free = Thinking::unlimited();
        let nodes = Budget { nodes: Some(10), ..Budget::UNLIMITED };
        let time = |seconds| Budget { time: Duration::from_secs(seconds), nodes: None };
        let cases = [
            (free, u64::MAX, false),
            (Thinking { budget: nodes, ..free }, 9, false),
            (Thinking { budget: nodes, ..free }, 10, true),
            (Thinking { budget: time(2), elapsed: second, ..free }, 0, false),
            (Thinking { budget: time(1), elapsed: second, ..free }, 0, true),
            (Thinking { cancel: &called_off, ..free }, 0, true),
        ];
        for (thinking, looked_at, expected) in cases {
            assert_eq!(thinking.is_over(looked_at), expected, "{thinking:?}");
        }
    }
}
