//! The engine: searches positions for the best move, and for wins by continuous threats.
//!
//! [`Engine`] thinks about positions; [`ThreatSearch`] solves problems. Both work on a grid of their
//! own that keeps, for every empty point, what a stone of either colour would make there:
//!
//! - `pattern` computes what is looked up, from the rules of each variant; `window` and `spots` say
//!   which points there are, `grid` keeps them up to date, `eval` values a position by a small
//!   network and its `weights`, which are tuned on games by what `features` lays open.
//! - `threat` tells what must be answered, and where; `vcf` and `vct` search for wins by threats.
//! - `search` is the principal variation search, with `order`, `table` and `limits`; `root` is the
//!   way in.
//!
//! What the rules differ in is in the tables, so one search serves all variants. It knows positions
//! and a budget of thinking; it knows no clock, no thread, and no message.

mod candidates;
mod eval;
mod features;
mod grid;
mod limits;
mod order;
mod pattern;
mod root;
mod search;
mod spots;
mod table;
#[cfg(test)]
mod tests;
mod threat;
mod threats;
mod vcf;
mod vct;
mod weights;
mod window;

pub use self::{
    features::{Features, Four, Spot},
    root::{Engine, EngineOptions},
    threats::ThreatSearch,
};
pub use crate::analysis::{Analysis, Line, Value};
