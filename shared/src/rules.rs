//! The rules of five-in-a-row: boards, variants, moves and how games end.
//!
//! It knows no players, clocks or rooms.

mod outcome;
mod point;
mod stone;
mod variant;

pub use self::{
    outcome::{Forbidden, Outcome},
    point::{Axis, Point},
    stone::Stone,
    variant::{
        K_MAX, K_MIN, Rules, RulesError, SIDE_MAX, SIDE_MIN, Size, UNBOUNDED_FIRST,
        UNBOUNDED_PLIES_MAX, UNBOUNDED_REACH, Variant,
    },
};
