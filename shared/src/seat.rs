//! The two seats of a room. A seat holds a player; the game decides which stone it has.

use std::{
    fmt,
    ops::{Index, IndexMut},
};

use serde::{Deserialize, Serialize};

use crate::rules::Stone;

/// A seat in a room. Players, clocks, offers and results belong to a seat. Its stone may change
/// from game to game, and within one.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema, ts_rs::TS))]
#[serde(rename_all = "snake_case")]
pub enum Seat {
    /// The first seat that the room's creator named.
    First,
    /// The second.
    Second,
}

impl Seat {
    /// Both seats, the first one first.
    pub const BOTH: [Self; 2] = [Self::First, Self::Second];

    /// The opponent's seat.
    pub const fn other(self) -> Self {
        match self {
            Self::First => Self::Second,
            Self::Second => Self::First,
        }
    }

    /// The seat with this stone where `black` plays Black.
    pub const fn with_stone(stone: Stone, black: Self) -> Self {
        match stone {
            Stone::Black => black,
            Stone::White => black.other(),
        }
    }

    /// This seat's stone where `black` plays Black.
    pub const fn stone(self, black: Self) -> Stone {
        match (self, black) {
            (Self::First, Self::First) | (Self::Second, Self::Second) => Stone::Black,
            (Self::First, Self::Second) | (Self::Second, Self::First) => Stone::White,
        }
    }
}

impl fmt::Display for Seat {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::First => "first",
            Self::Second => "second",
        })
    }
}

/// One value for each seat. On the wire: `{"first": ..., "second": ...}`.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema, ts_rs::TS), schemars(rename = "BySeatOf{T}"))]
pub struct BySeat<T> {
    /// For the first seat.
    pub first: T,
    /// For the second seat.
    pub second: T,
}

impl<T> Index<Seat> for BySeat<T> {
    type Output = T;

    fn index(&self, seat: Seat) -> &T {
        match seat {
            Seat::First => &self.first,
            Seat::Second => &self.second,
        }
    }
}

impl<T> IndexMut<Seat> for BySeat<T> {
    fn index_mut(&mut self, seat: Seat) -> &mut T {
        match seat {
            Seat::First => &mut self.first,
            Seat::Second => &mut self.second,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_seat_has_one_stone_and_each_stone_one_seat() {
        for black in Seat::BOTH {
            assert_eq!(black.stone(black), Stone::Black);
            for seat in Seat::BOTH {
                assert_eq!(Seat::with_stone(seat.stone(black), black), seat);
                assert_eq!(seat.stone(black).opponent(), seat.other().stone(black));
                assert_eq!(seat.stone(black).opponent(), seat.stone(black.other()));
            }
        }
    }
}
