//! Pools of ratings: somebody is as strong as they are at one variant, on boards of one size and at one
//! speed.
//!
//! It does not know how ratings are computed, and which other things make a game count.

use std::{fmt, str::FromStr};

use serde::{Deserialize, Serialize};
use strum::{EnumString, IntoStaticStr};

use crate::{
    clock::TimeControl,
    rules::{Rules, Size, Variant},
};

/// A game of this length or longer is not [`Speed::Fast`], in milliseconds for one side.
const NORMAL_MS: u64 = 3 * 60 * 1000;
/// A game of this length or longer is [`Speed::Slow`], in milliseconds for one side.
const SLOW_MS: u64 = 10 * 60 * 1000;

/// A pool of ratings. In text and on the wire `renju/15/fast`, with `bot/` or `placement/` before it in the
/// pools of other kinds.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Serialize, Deserialize)]
#[serde(into = "String", try_from = "String")]
pub struct RatingPool {
    /// The rules, with five in a row to win.
    pub variant: Variant,
    /// The board.
    pub size: SizeClass,
    /// How fast the games are.
    pub speed: Speed,
    /// Whose ratings are in it.
    pub kind: PoolKind,
}

/// Whose ratings are in a pool.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum PoolKind {
    /// Those of people.
    People,
    /// Those of accounts that are bots.
    Bots,
    /// What people reached against the server's bots before their first rated game.
    Placement,
}

impl PoolKind {
    const fn prefix(self) -> &'static str {
        match self {
            Self::People => "",
            Self::Bots => "bot/",
            Self::Placement => "placement/",
        }
    }
}

/// Boards on which people are about as strong.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, EnumString, IntoStaticStr)]
pub enum SizeClass {
    /// 15x15.
    #[strum(serialize = "15")]
    Fifteen,
    /// 19x19 and 20x20.
    #[strum(serialize = "19")]
    Nineteen,
    /// Without borders.
    #[strum(serialize = "unbounded")]
    Unbounded,
}

/// How fast games are, by a side's time for [`EXPECTED_MOVES`](crate::clock::EXPECTED_MOVES) moves.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, EnumString, IntoStaticStr)]
#[strum(serialize_all = "lowercase")]
pub enum Speed {
    /// Less than 3 minutes.
    Fast,
    /// Less than 10 minutes.
    Normal,
    /// 10 minutes or more, and not daily.
    Slow,
    /// A day or more for each move, or as main time.
    Daily,
}

/// The text names no pool.
#[derive(Clone, Copy, PartialEq, Eq, Debug, thiserror::Error)]
#[error("a rating's pool is VARIANT/SIZE/SPEED, such as renju/15/fast")]
pub struct NoRatingPool;

impl RatingPool {
    /// The pool of a game with these rules and this time; absent if such games are not rated: without a
    /// clock, on other boards, or m,n,k games.
    pub fn of(rules: Rules, time: TimeControl) -> Option<Self> {
        let variant = rules.variant();
        let size = match rules.size() {
            Size::Bounded { width: 15, height: 15 } => SizeClass::Fifteen,
            Size::Bounded { width: side @ (19 | 20), height } if side == height => {
                SizeClass::Nineteen
            }
            Size::Unbounded => SizeClass::Unbounded,
            Size::Bounded { .. } => return None,
        };
        let speed = match time.expected_ms()? {
            ..NORMAL_MS => Speed::Fast,
            NORMAL_MS..SLOW_MS => Speed::Normal,
            SLOW_MS.. if time.is_daily() => Speed::Daily,
            SLOW_MS.. => Speed::Slow,
        };
        let kind = PoolKind::People;
        Variant::FIVES.contains(&variant).then_some(Self { variant, size, speed, kind })
    }

    /// The pool of another kind for the same games.
    #[must_use]
    pub const fn of_kind(self, kind: PoolKind) -> Self {
        Self { kind, ..self }
    }
}

impl fmt::Display for RatingPool {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (size, speed): (&str, &str) = (self.size.into(), self.speed.into());
        write!(f, "{}{}/{size}/{speed}", self.kind.prefix(), self.variant.name())
    }
}

impl FromStr for RatingPool {
    type Err = NoRatingPool;

    fn from_str(text: &str) -> Result<Self, NoRatingPool> {
        let with_prefix = |kind: PoolKind| Some((kind, text.strip_prefix(kind.prefix())?));
        let kinds = [PoolKind::Bots, PoolKind::Placement].into_iter();
        let (kind, rest) = kinds.filter_map(with_prefix).next().unwrap_or((PoolKind::People, text));
        let mut parts = rest.split('/');
        let [Some(variant), Some(size), Some(speed), None] = [(); 4].map(|()| parts.next()) else {
            return Err(NoRatingPool);
        };
        Ok(Self {
            variant: Variant::named(variant).ok_or(NoRatingPool)?,
            size: size.parse().map_err(|_| NoRatingPool)?,
            speed: speed.parse().map_err(|_| NoRatingPool)?,
            kind,
        })
    }
}

impl From<RatingPool> for String {
    fn from(pool: RatingPool) -> Self {
        pool.to_string()
    }
}

impl TryFrom<String> for RatingPool {
    type Error = NoRatingPool;

    fn try_from(text: String) -> Result<Self, NoRatingPool> {
        text.parse()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn pool(variant: Variant, size: Size, time: &str) -> Option<String> {
        let rules = Rules::new(variant, size).unwrap();
        RatingPool::of(rules, time.parse().unwrap()).map(|pool| pool.to_string())
    }

    #[test]
    fn games_fall_into_pools_by_rules_board_and_time() {
        let side = Size::square;
        let cases = [
            (Variant::Standard, side(15), "3+2", Some("standard/15/normal")),
            (Variant::Renju, side(15), "10+5", Some("renju/15/slow")),
            (Variant::Caro, side(19), "1m", Some("caro/19/fast")),
            (Variant::Freestyle, side(20), "5+3", Some("freestyle/19/normal")),
            (
                Variant::CaroOverline,
                Size::Unbounded,
                "move 30s",
                Some("caro_overline/unbounded/slow"),
            ),
            (Variant::Freestyle, side(15), "byo 1m+3x2s", Some("freestyle/15/fast")),
            // At the borders of the speeds.
            (Variant::Freestyle, side(15), "179s", Some("freestyle/15/fast")),
            (Variant::Freestyle, side(15), "3m", Some("freestyle/15/normal")),
            (Variant::Freestyle, side(15), "599s", Some("freestyle/15/normal")),
            (Variant::Freestyle, side(15), "10m", Some("freestyle/15/slow")),
            (Variant::Freestyle, side(15), "byo 0+25x24h", Some("freestyle/15/slow")),
            (Variant::Freestyle, side(15), "1d", Some("freestyle/15/daily")),
            (Variant::Renju, side(15), "7d+12h", Some("renju/15/daily")),
            // Not rated.
            (Variant::Freestyle, side(15), "none", None),
            (Variant::Freestyle, side(16), "5+3", None),
            (Variant::Freestyle, Size::Bounded { width: 19, height: 20 }, "5+3", None),
            (Variant::Mnk { k: 5 }, side(15), "5+3", None),
        ];
        for (variant, size, time, expected) in cases {
            assert_eq!(pool(variant, size, time).as_deref(), expected, "{variant} {size} {time}");
        }
    }

    #[test]
    fn a_pool_is_read_as_it_is_written_and_nothing_else_is() {
        for variant in Variant::FIVES {
            for size in [SizeClass::Fifteen, SizeClass::Nineteen, SizeClass::Unbounded] {
                for speed in [Speed::Fast, Speed::Normal, Speed::Slow, Speed::Daily] {
                    for kind in [PoolKind::People, PoolKind::Bots, PoolKind::Placement] {
                        let pool = RatingPool { variant, size, speed, kind };
                        assert_eq!(pool.to_string().parse(), Ok(pool));
                    }
                }
            }
        }
        for text in [
            "",
            "renju",
            "renju/15",
            "renju/15/fast/",
            "mnk/15/fast",
            "renju/16/fast",
            "renju/15/Fast",
            "bot/",
            "bot/bot/renju/15/fast",
            "bots/renju/15/fast",
        ] {
            assert_eq!(text.parse::<RatingPool>(), Err(NoRatingPool), "{text:?}");
        }
    }
}
