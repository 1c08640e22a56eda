//! The opening protocols, and the rules under which each is offered.

use std::{fmt, str::FromStr};

use serde::{Deserialize, Serialize};

use crate::rules::{Rules, Size, Variant};

/// An opening protocol. On the wire: `swap2`, `long_pro`, `taraguchi10`.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema, ts_rs::TS))]
#[serde(rename_all = "snake_case")]
pub enum OpeningKind {
    /// No protocol: Black begins anywhere.
    #[default]
    Free,
    /// One stone; then the opponent takes a colour.
    Swap1,
    /// Three stones; then the opponent takes a colour.
    Swap,
    /// Three stones; then the opponent takes a colour, or puts two more and leaves the choice.
    Swap2,
    /// Black's first stone on the centre, the second outside of the central 5x5.
    Pro,
    /// Black's first stone on the centre, the second outside of the central 7x7.
    LongPro,
    /// Renju: a canonical opening, a choice of colours, and two fifth stones to select from.
    Rif,
    /// As [`Rif`](Self::Rif) with 1 to 12 fifth stones, declared with the first three stones.
    Yamaguchi,
    /// As [`Rif`](Self::Rif) with 1 to 8 fifth stones, declared with the fourth stone, and a second
    /// choice of colours after that.
    Soosyrv8,
    /// Renju: a choice of colours after each stone, or ten fifth stones to select from.
    Taraguchi10,
}

/// Most fifth stones that a protocol lets a player offer at once.
pub const OFFERED_MAX: u8 = 12;
/// Most stones that one act puts on the board.
pub const STONES_MAX: usize = 3;
/// Most acts in an opening.
pub const ACTS_MAX: usize = 12;

/// Shortest side of a board for the swap protocols.
const SWAP_SIDE_MIN: u8 = 9;
/// Shortest side of a board for the pro protocols.
const PRO_SIDE_MIN: u8 = 11;
/// Fewest stones in a row that may win: no protocol puts more than three of a colour.
const SWAP_K_MIN: u8 = 4;

/// Why an opening is not offered under some rules.
#[derive(Clone, Copy, PartialEq, Eq, Debug, thiserror::Error)]
pub enum OpeningError {
    /// The swap protocols need a longer winning line and a larger board.
    #[error("{0} needs at least {SWAP_K_MIN} in a row and {SWAP_SIDE_MIN}x{SWAP_SIDE_MIN} points")]
    Swap(OpeningKind),
    /// The pro protocols need a centre, and rules without handicaps for Black.
    #[error(
        "{0} is played in freestyle, standard and caro on boards with odd sides from {PRO_SIDE_MIN}"
    )]
    Pro(OpeningKind),
    /// The renju protocols are for renju.
    #[error("{0} is played in renju only")]
    Renju(OpeningKind),
    /// No opening has this name.
    #[error("there is no such opening; there are {}", names())]
    Name,
}

fn names() -> String {
    OpeningKind::ALL.map(OpeningKind::name).join(", ")
}

impl OpeningKind {
    /// All protocols.
    pub const ALL: [Self; 10] = [
        Self::Free,
        Self::Swap1,
        Self::Swap,
        Self::Swap2,
        Self::Pro,
        Self::LongPro,
        Self::Rif,
        Self::Yamaguchi,
        Self::Soosyrv8,
        Self::Taraguchi10,
    ];

    /// The name on the wire.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Free => "free",
            Self::Swap1 => "swap1",
            Self::Swap => "swap",
            Self::Swap2 => "swap2",
            Self::Pro => "pro",
            Self::LongPro => "long_pro",
            Self::Rif => "rif",
            Self::Yamaguchi => "yamaguchi",
            Self::Soosyrv8 => "soosyrv8",
            Self::Taraguchi10 => "taraguchi10",
        }
    }

    /// Whether there is no protocol.
    pub fn is_free(&self) -> bool {
        *self == Self::Free
    }

    /// Checks that the protocol is offered under these rules.
    ///
    /// # Errors
    /// What the protocol needs.
    pub fn offered(self, rules: Rules) -> Result<(), OpeningError> {
        let variant = rules.variant();
        let sides = match rules.size() {
            Size::Bounded { width, height } => Some([width, height]),
            Size::Unbounded => None,
        };
        match self {
            Self::Free => Ok(()),
            Self::Swap1 | Self::Swap | Self::Swap2 => {
                let is_wide = sides.is_none_or(|sides| sides.iter().all(|&n| n >= SWAP_SIDE_MIN));
                let is_fine = is_wide && variant.k() >= SWAP_K_MIN;
                is_fine.then_some(()).ok_or(OpeningError::Swap(self))
            }
            Self::Pro | Self::LongPro => {
                let is_odd = |&n: &u8| n >= PRO_SIDE_MIN && n % 2 == 1;
                let is_fine = sides.is_some_and(|sides| sides.iter().all(is_odd))
                    && match variant {
                        Variant::Freestyle
                        | Variant::Standard
                        | Variant::Caro
                        | Variant::CaroOverline => true,
                        Variant::Renju | Variant::Mnk { .. } => false,
                    };
                is_fine.then_some(()).ok_or(OpeningError::Pro(self))
            }
            Self::Rif | Self::Yamaguchi | Self::Soosyrv8 | Self::Taraguchi10 => {
                (variant == Variant::Renju).then_some(()).ok_or(OpeningError::Renju(self))
            }
        }
    }
}

impl fmt::Display for OpeningKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl FromStr for OpeningKind {
    type Err = OpeningError;

    /// Reads a name, also with a hyphen or a space (`long-pro`, `Soosyrv-8`).
    fn from_str(text: &str) -> Result<Self, OpeningError> {
        let plain = |name: &str| name.replace(['-', '_', ' '], "").to_ascii_lowercase();
        let is_named = |kind: &Self| plain(kind.name()) == plain(text);
        Self::ALL.into_iter().find(is_named).ok_or(OpeningError::Name)
    }
}
