//! The engine: searches positions for the best move, and for wins by continuous threats.
//!
//! It works on a window of its own, [`grid`](self), whose patterns are computed from the rules of
//! each variant. It knows positions and a budget of thinking; it knows no clock, no thread, and no
//! message.

mod eval;
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
mod window;

pub use self::{
    root::{Analysis, Engine, EngineOptions, Line, Value},
    threats::ThreatSearch,
};
