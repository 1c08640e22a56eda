//! Names of bots: which bots there are, at which level, and for which rules each is offered.
//!
//! It cannot build a bot; the crate `fivefold-engine` does.

use std::{fmt, str::FromStr};

use serde::{Deserialize, Serialize};

use crate::rules::{Rules, Size, Variant};

/// The largest board, in points, whose whole tree minimax finishes in its time.
///
/// Measured in release: the slowest first move on 20 points (4x5, four in a row) takes 0.35 s and
/// 20 MB, on 18 points 0.01 s. With 24 points (3x8) it takes 2 s, and with 25 (5x5) it does not end
/// within 20 s.
pub const MINIMAX_POINTS_MAX: u16 = 20;

/// The highest level of the engine; the lowest is 1.
pub const LEVEL_MAX: u8 = 10;

/// The points of `engine:1`. The ladder in `docs/measurements/levels.md` counts from it.
const RATING_OF_LEVEL_1: u32 = 784;
/// The Elo of the engine's levels on that ladder, measured in freestyle on 15x15.
const ELO_OF_LEVELS: [u32; LEVEL_MAX as usize] = [0, 101, 215, 380, 541, 691, 836, 999, 1127, 1311];
const ELO_OF_ATTACK: u32 = 137;
const ELO_OF_PATTERN: u32 = 275;

/// Which bot. On the wire and in text: `minimax`, `attack`, `pattern` or `engine`.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema, ts_rs::TS))]
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

/// A bot as a player requests it. In text `attack` or `attack:3`; on the wire `{"kind": "attack"}`
/// or `{"kind": "attack", "level": 3}`.
///
/// Any kind and level can be written; [`BotSpec::offered`] checks that the bot exists.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema, ts_rs::TS))]
pub struct BotSpec {
    /// The kind.
    pub kind: BotKind,
    /// The level of play, for kinds that have levels.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub level: Option<u8>,
}

impl BotSpec {
    /// Whether this bot can be seated in a game by `rules`.
    ///
    /// # Errors
    /// [`BotError::LevelUnexpected`] for a level of any kind but the engine;
    /// [`BotError::LevelRange`] for a level outside of 1 to [`LEVEL_MAX`];
    /// [`BotError::FiveOnly`] for pattern where another number than five wins;
    /// [`BotError::TooLarge`] for minimax on a board whose tree it cannot finish, and
    /// [`BotError::LongerRuns`] where a run of more than enough does not win.
    pub const fn offered(self, rules: Rules) -> Result<(), BotError> {
        match (self.kind, self.level) {
            (_, None) | (BotKind::Engine, Some(1..=LEVEL_MAX)) => {}
            (BotKind::Engine, Some(_)) => return Err(BotError::LevelRange),
            (BotKind::Minimax | BotKind::Attack | BotKind::Pattern, Some(_)) => {
                return Err(BotError::LevelUnexpected { kind: self.kind });
            }
        }
        match self.kind {
            BotKind::Minimax => minimax_offered(rules),
            BotKind::Attack | BotKind::Engine => Ok(()),
            BotKind::Pattern if rules.variant().k() == 5 => Ok(()),
            BotKind::Pattern => Err(BotError::FiveOnly),
        }
    }
}

impl BotSpec {
    /// The bot's rating, which no game changes; the same in all pools. Absent for minimax, which plays no
    /// rated boards, and for levels that do not exist.
    pub fn rating(self) -> Option<u32> {
        let elo = match self.kind {
            BotKind::Minimax => return None,
            BotKind::Attack => ELO_OF_ATTACK,
            BotKind::Pattern => ELO_OF_PATTERN,
            BotKind::Engine => {
                let level = usize::from(self.level.unwrap_or(LEVEL_MAX));
                *ELO_OF_LEVELS.get(level.checked_sub(1)?)?
            }
        };
        Some(RATING_OF_LEVEL_1 + elo)
    }
}

impl From<BotKind> for BotSpec {
    fn from(kind: BotKind) -> Self {
        Self { kind, level: None }
    }
}

impl fmt::Display for BotSpec {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.level {
            Some(level) => write!(f, "{}:{level}", self.kind),
            None => self.kind.fmt(f),
        }
    }
}

impl FromStr for BotSpec {
    type Err = BotError;

    /// Reads `KIND` or `KIND:LEVEL`.
    fn from_str(text: &str) -> Result<Self, BotError> {
        match text.split_once(':') {
            None => Ok(Self { kind: text.parse()?, level: None }),
            Some((kind, level)) => Ok(Self {
                kind: kind.parse()?,
                level: Some(level.parse().map_err(|_| BotError::LevelUnreadable)?),
            }),
        }
    }
}

/// Why a bot does not exist.
#[derive(Clone, Copy, PartialEq, Eq, Debug, thiserror::Error)]
pub enum BotError {
    /// The text names no known kind.
    #[error("the bots are minimax, attack, pattern and engine")]
    KindUnknown,
    /// The text after the colon is not a level.
    #[error("a level is a whole number from 0 to 255, as in KIND:LEVEL")]
    LevelUnreadable,
    /// A level for a kind without levels.
    #[error("{kind} has no levels; ask for it without a level")]
    LevelUnexpected {
        /// The requested kind.
        kind: BotKind,
    },
    /// A level that the engine does not have.
    #[error("the engine's levels are 1 to {LEVEL_MAX}")]
    LevelRange,
    /// Pattern, where five in a row do not win.
    #[error("pattern plays only where five in a row win")]
    FiveOnly,
    /// Minimax, on a board that is too large for it.
    #[error("minimax plays only on boards of at most {MINIMAX_POINTS_MAX} points")]
    TooLarge,
    /// Minimax, where too long a run does not win.
    #[error("minimax plays only mnk and freestyle, where longer runs win too")]
    LongerRuns,
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
    fn ratings_are_those_of_the_measured_ladder() {
        let ladder = include_str!("../../docs/measurements/levels.md");
        let elo_of = |bot: &str| {
            let row = format!("| `{bot}` | ");
            let line = ladder.lines().find_map(|line| line.strip_prefix(&row)).unwrap();
            line.split(' ').next().unwrap().parse::<u32>().unwrap()
        };
        let levels = (1..=LEVEL_MAX).map(|level| format!("engine:{level}"));
        for bot in levels.chain(["attack".to_owned(), "pattern".to_owned()]) {
            let spec: BotSpec = bot.parse().unwrap();
            assert_eq!(spec.rating(), Some(784 + elo_of(&bot)), "{bot}");
        }
        let rating = |text: &str| text.parse::<BotSpec>().unwrap().rating();
        assert_eq!(rating("engine"), rating("engine:10"));
        for without in ["minimax", "engine:0", "engine:11"] {
            assert_eq!(rating(without), None, "{without}");
        }
    }

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
            ("attack:", Err(BotError::LevelUnreadable)),
            ("attack:256", Err(BotError::LevelUnreadable)),
            ("attack:1:2", Err(BotError::LevelUnreadable)),
        ];
        for (text, expected) in cases {
            let expected = expected.map(|(kind, level)| BotSpec { kind, level });
            assert_eq!(text.parse(), expected, "{text:?}");
            if let Ok(spec) = expected {
                assert_eq!(spec.to_string(), text);
                let wire = serde_json::to_string(&spec).unwrap();
                assert_eq!(serde_json::from_str::<BotSpec>(&wire).unwrap(), spec, "{wire}");
            }
        }
    }

    #[test]
    fn the_wire_form_leaves_out_an_absent_level() {
        let spec = BotSpec::from(BotKind::Attack);
        assert_eq!(serde_json::to_string(&spec).unwrap(), r#"{"kind":"attack"}"#);
    }

    #[test]
    fn each_kind_is_offered_where_it_can_play() {
        let mnk = |k| Variant::Mnk { k };
        let sides = |width, height| Size::Bounded { width, height };
        let level = Err(BotError::LevelUnexpected { kind: BotKind::Attack });
        let cases = [
            ("minimax", mnk(3), Size::square(3), Ok(())),
            ("minimax", mnk(4), sides(4, 3), Ok(())),
            ("minimax", mnk(3), Size::square(15), Err(BotError::TooLarge)),
            ("minimax", mnk(3), Size::Unbounded, Err(BotError::TooLarge)),
            ("minimax", Variant::Standard, Size::square(5), Err(BotError::LongerRuns)),
            ("attack", mnk(10), Size::Unbounded, Ok(())),
            ("attack", Variant::Renju, Size::square(15), Ok(())),
            ("attack:1", Variant::Renju, Size::square(15), level),
            ("pattern", Variant::Caro, Size::Unbounded, Ok(())),
            ("pattern", mnk(5), sides(20, 7), Ok(())),
            ("pattern", mnk(6), Size::square(15), Err(BotError::FiveOnly)),
            ("engine", mnk(10), Size::Unbounded, Ok(())),
            ("engine:1", Variant::Caro, Size::square(5), Ok(())),
            ("engine:10", Variant::Renju, Size::square(15), Ok(())),
            ("engine:0", Variant::Freestyle, Size::square(15), Err(BotError::LevelRange)),
            ("engine:11", Variant::Freestyle, Size::square(15), Err(BotError::LevelRange)),
        ];
        for (spec, variant, size, expected) in cases {
            let rules = Rules::new(variant, size).unwrap();
            assert_eq!(spec.parse::<BotSpec>().unwrap().offered(rules), expected, "{spec} {rules}");
        }
    }
}
