//! The variants and board sizes on offer, and which of them go together.

use std::{fmt, str::FromStr};

use serde::{Deserialize, Serialize};

/// Shortest side of a bounded board.
pub const SIDE_MIN: u8 = 3;
/// Longest side of a bounded board.
pub const SIDE_MAX: u8 = 64;
/// Fewest stones in a row that an m,n,k game can ask for.
pub const K_MIN: u8 = 3;
/// Most stones in a row that an m,n,k game can ask for.
pub const K_MAX: u8 = 10;
/// On the unbounded board every stone lies within this distance of the first one.
pub const UNBOUNDED_REACH: u32 = 1_000_000;
/// Both coordinates of the first stone on the unbounded board lie within this of zero, so that
/// no line through any later stone leaves the range of `i32`.
pub const UNBOUNDED_FIRST: u32 = 2_000_000_000;
/// A game on the unbounded board ends as a draw after this many plies.
pub const UNBOUNDED_PLIES_MAX: usize = 4_000;
/// No game by any rules has more moves: the points of the largest board.
pub const PLIES_MAX: usize = SIDE_MAX as usize * SIDE_MAX as usize;

const _: () = assert!(
    UNBOUNDED_FIRST as i64 + UNBOUNDED_REACH as i64 + (K_MAX as i64) < i32::MAX as i64,
    "the neighbours of any stone must be representable"
);
const _: () = assert!(UNBOUNDED_PLIES_MAX <= PLIES_MAX);

/// A variant: how to win, and what is forbidden.
///
/// Sources: Renju International Federation, rules of renju, section 9; the Gomocup tournament's
/// rules 0 (freestyle), 1 (standard), 4 (renju), 9 (caro) and 8 (caro with overlines).
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Variant {
    /// Five or more in a row win.
    Freestyle,
    /// Exactly five in a row win; six or more do nothing.
    Standard,
    /// Black wins by exactly five and must not make a double-three, a double-four or an overline;
    /// White wins by five or more. 15x15 only.
    Renju,
    /// Exactly five in a row win unless opposing stones close both ends; the border closes nothing.
    Caro,
    /// As [`Caro`](Self::Caro), and six or more always win.
    CaroOverline,
    /// `k` or more in a row win; tic-tac-toe is `k` = 3 on 3x3.
    Mnk {
        /// Stones in a row that win, from [`K_MIN`] to [`K_MAX`].
        k: u8,
    },
}

impl Variant {
    /// All variants but m,n,k games: five in a row win in each.
    pub const FIVES: [Self; 5] =
        [Self::Freestyle, Self::Standard, Self::Renju, Self::Caro, Self::CaroOverline];

    /// The one of [`FIVES`](Self::FIVES) with this name.
    pub fn named(name: &str) -> Option<Self> {
        Self::FIVES.into_iter().find(|variant| variant.name() == name)
    }

    /// How many stones in a row are needed to win.
    pub const fn k(self) -> u8 {
        match self {
            Self::Freestyle | Self::Standard | Self::Renju | Self::Caro | Self::CaroOverline => 5,
            Self::Mnk { k } => k,
        }
    }

    /// The default board size.
    pub const fn default_size(self) -> Size {
        match self {
            Self::Mnk { k: 3 } => Size::square(3),
            Self::Freestyle
            | Self::Standard
            | Self::Renju
            | Self::Caro
            | Self::CaroOverline
            | Self::Mnk { .. } => Size::square(15),
        }
    }

    /// The name used on the wire, such as `caro_overline`.
    pub const fn name(self) -> &'static str {
        self.label().name()
    }

    const fn label(self) -> VariantName {
        match self {
            Self::Freestyle => VariantName::Freestyle,
            Self::Standard => VariantName::Standard,
            Self::Renju => VariantName::Renju,
            Self::Caro => VariantName::Caro,
            Self::CaroOverline => VariantName::CaroOverline,
            Self::Mnk { .. } => VariantName::Mnk,
        }
    }
}

impl fmt::Display for Variant {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Mnk { k } => write!(f, "mnk {k}"),
            Self::Freestyle | Self::Standard | Self::Renju | Self::Caro | Self::CaroOverline => {
                f.write_str(self.name())
            }
        }
    }
}

/// How far the board reaches. On the wire: `[width, height]` or `"unbounded"`; a single number is
/// read as a square board.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Serialize, Deserialize)]
#[cfg_attr(
    test,
    derive(schemars::JsonSchema, ts_rs::TS),
    ts(type = "[number, number] | \"unbounded\"")
)]
#[serde(try_from = "SizeForm", into = "SizeForm")]
pub enum Size {
    /// A board with borders, each side from [`SIDE_MIN`] to [`SIDE_MAX`].
    Bounded {
        /// Number of columns.
        width: u8,
        /// Number of rows.
        height: u8,
    },
    /// A board without borders.
    Unbounded,
}

impl Size {
    /// A square board; whether the side is one on offer is checked by [`Rules::new`].
    pub const fn square(side: u8) -> Self {
        Self::Bounded { width: side, height: side }
    }

    /// Most moves in a game: a stone on every point, or [`UNBOUNDED_PLIES_MAX`].
    pub const fn plies_max(self) -> usize {
        match self {
            Self::Bounded { width, height } => width as usize * height as usize,
            Self::Unbounded => UNBOUNDED_PLIES_MAX,
        }
    }
}

impl fmt::Display for Size {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Bounded { width, height } => write!(f, "{width}x{height}"),
            Self::Unbounded => f.write_str("unbounded"),
        }
    }
}

impl FromStr for Size {
    type Err = RulesError;

    /// Reads `15`, `20x15` or `unbounded`.
    fn from_str(text: &str) -> Result<Self, RulesError> {
        if text.eq_ignore_ascii_case("unbounded") {
            return Ok(Self::Unbounded);
        }
        let (width, height) = text.split_once(['x', 'X']).unwrap_or((text, text));
        match (width.parse(), height.parse()) {
            (Ok(width), Ok(height)) => Ok(Self::Bounded { width, height }),
            _ => Err(RulesError::Size),
        }
    }
}

/// A variant on a board that it can be played on: what a game needs to know before its first move.
///
/// On the wire: `{"variant": "mnk", "k": 3, "size": [3, 3]}`; `k` belongs to `mnk` alone, where it
/// must be given, and a missing `size` means [`Variant::default_size`].
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema, ts_rs::TS), ts(as = "RulesForm"))]
#[serde(try_from = "RulesForm", into = "RulesForm")]
pub struct Rules {
    variant: Variant,
    size: Size,
}

impl Rules {
    /// Tic-tac-toe: three in a row on 3x3.
    pub const TIC_TAC_TOE: Self = Self { variant: Variant::Mnk { k: 3 }, size: Size::square(3) };

    /// Puts a variant on a board.
    ///
    /// # Errors
    /// When a side or `k` is out of range, when no side is long enough for the winning line, and
    /// for renju on anything but 15x15.
    pub const fn new(variant: Variant, size: Size) -> Result<Self, RulesError> {
        if let Variant::Mnk { k } = variant
            && (k < K_MIN || k > K_MAX)
        {
            return Err(RulesError::K);
        }
        if let Size::Bounded { width, height } = size {
            let (shorter, longer) = if width < height { (width, height) } else { (height, width) };
            if shorter < SIDE_MIN || longer > SIDE_MAX {
                return Err(RulesError::Size);
            }
            if longer < variant.k() {
                return Err(RulesError::TooSmall);
            }
        }
        if matches!(variant, Variant::Renju)
            && !matches!(size, Size::Bounded { width: 15, height: 15 })
        {
            return Err(RulesError::RenjuSize);
        }
        Ok(Self { variant, size })
    }

    /// The variant.
    pub const fn variant(self) -> Variant {
        self.variant
    }

    /// The board's size.
    pub const fn size(self) -> Size {
        self.size
    }
}

impl fmt::Display for Rules {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if *self == Self::TIC_TAC_TOE {
            f.write_str("tic-tac-toe")
        } else {
            write!(f, "{} {}", self.variant, self.size)
        }
    }
}

/// Why a variant, a size or the two together are not on offer.
#[derive(Clone, Copy, PartialEq, Eq, Debug, thiserror::Error)]
pub enum RulesError {
    /// A side is out of range.
    #[error("a board is 3 to 64 points wide and high, or unbounded")]
    Size,
    /// `k` is out of range.
    #[error("k is 3 to 10")]
    K,
    /// `k` is missing in an m,n,k game.
    #[error("mnk needs k, the number of stones in a row that win")]
    KMissing,
    /// `k` is given for a variant that has its own.
    #[error("only mnk takes k; the other variants are won by five")]
    KUnexpected,
    /// The winning line fits on neither side.
    #[error("the winning line is longer than the board's longer side")]
    TooSmall,
    /// Renju on another board than 15x15.
    #[error("renju is played on 15x15 only")]
    RenjuSize,
}

#[derive(Clone, Copy, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema, ts_rs::TS))]
#[serde(rename_all = "snake_case")]
enum VariantName {
    Freestyle,
    Standard,
    Renju,
    Caro,
    CaroOverline,
    Mnk,
}

impl VariantName {
    const fn name(self) -> &'static str {
        match self {
            Self::Freestyle => "freestyle",
            Self::Standard => "standard",
            Self::Renju => "renju",
            Self::Caro => "caro",
            Self::CaroOverline => "caro_overline",
            Self::Mnk => "mnk",
        }
    }
}

#[derive(Clone, Copy, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema, ts_rs::TS))]
struct RulesForm {
    variant: VariantName,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    k: Option<u8>,
    #[serde(default)]
    #[cfg_attr(test, schemars(with = "Size"), ts(as = "Size"))]
    size: Option<Size>,
}

impl TryFrom<RulesForm> for Rules {
    type Error = RulesError;

    fn try_from(form: RulesForm) -> Result<Self, RulesError> {
        let variant = match (form.variant, form.k) {
            (VariantName::Mnk, Some(k)) => Variant::Mnk { k },
            (VariantName::Mnk, None) => return Err(RulesError::KMissing),
            (_, Some(_)) => return Err(RulesError::KUnexpected),
            (VariantName::Freestyle, None) => Variant::Freestyle,
            (VariantName::Standard, None) => Variant::Standard,
            (VariantName::Renju, None) => Variant::Renju,
            (VariantName::Caro, None) => Variant::Caro,
            (VariantName::CaroOverline, None) => Variant::CaroOverline,
        };
        Self::new(variant, form.size.unwrap_or(variant.default_size()))
    }
}

impl From<Rules> for RulesForm {
    fn from(rules: Rules) -> Self {
        let k = match rules.variant {
            Variant::Mnk { k } => Some(k),
            Variant::Freestyle
            | Variant::Standard
            | Variant::Renju
            | Variant::Caro
            | Variant::CaroOverline => None,
        };
        Self { variant: rules.variant.label(), k, size: Some(rules.size) }
    }
}

/// Accepts any number, so that one out of range gets the right error instead of a wrong type.
#[derive(Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(untagged, expecting = "a size is a number, [width, height] or \"unbounded\"")]
enum SizeForm {
    Sides(i64, i64),
    Side(i64),
    #[cfg_attr(test, schemars(extend("const" = "unbounded")))]
    Word(String),
}

impl TryFrom<SizeForm> for Size {
    type Error = RulesError;

    fn try_from(form: SizeForm) -> Result<Self, RulesError> {
        let (width, height) = match form {
            SizeForm::Sides(width, height) => (width, height),
            SizeForm::Side(side) => (side, side),
            SizeForm::Word(word) if word == "unbounded" => return Ok(Self::Unbounded),
            SizeForm::Word(_) => return Err(RulesError::Size),
        };
        match (u8::try_from(width), u8::try_from(height)) {
            (Ok(width), Ok(height)) => Ok(Self::Bounded { width, height }),
            _ => Err(RulesError::Size),
        }
    }
}

impl From<Size> for SizeForm {
    fn from(size: Size) -> Self {
        match size {
            Size::Bounded { width, height } => Self::Sides(width.into(), height.into()),
            Size::Unbounded => Self::Word("unbounded".into()),
        }
    }
}
