//! The engine: searches positions for the best move, and for wins by continuous threats.
//!
//! [`Engine`] analyses positions; [`ThreatSearch`] solves problems. Both work on a grid that keeps,
//! for every empty point, the patterns that a stone of either colour would make there:
//!
//! - `grid_window` and `spots` number the points, `pattern` and `pattern_tables` compute the lookup
//!   tables from the rules of each variant, and `grid` keeps every point up to date.
//! - `eval` evaluates a position by its patterns, with a small network. `eval_features` numbers its
//!   input, `weights` holds the fitted weights, and `eval_trace` exposes the input for fitting.
//! - `shape_network` evaluates a position by the shapes of all lines, which `shapes` numbers and
//!   `shape_sums` keeps the sums of. It is slower, and knows all variants in which five in a row win.
//! - `threat_answers` finds the answers to threats; `vcf` and `vct` search for wins by threats, and
//!   `threat_search` is their public interface, and `threat_defence` plays them out.
//! - `tree_search` is the principal variation search, with `node`, `transposition_table` and
//!   `search_limits`; `tree_moves` tries the moves that `move_order` ranks, `late_moves` less deeply. `root_search` calls it for the
//!   `root_moves`. `search_numbers` holds the tuned numbers of all of these.
//!
//! The tables hold all differences between the rules, so one search serves all variants. The engine
//! knows positions and a budget; it knows no clock, starts no thread, and sends no message.

mod eval;
mod eval_features;
mod eval_trace;
mod grid;
mod grid_window;
mod keys;
mod late_moves;
mod move_order;
mod node;
mod pattern;
mod pattern_tables;
mod proof_table;
mod root_moves;
mod root_search;
mod search_limits;
mod search_numbers;
mod shape_network;
mod shape_sums;
mod shapes;
mod spots;
#[cfg(test)]
mod tests;
mod threat_answers;
mod threat_defence;
mod threat_search;
mod transposition_table;
mod tree_moves;
mod tree_search;
mod vcf;
mod vct;
mod weights;

pub use self::{
    eval_trace::{EvalTrace, Four, Shapes, TracedPoint},
    root_search::{Engine, EngineOptions},
    threat_defence::{Defence, ThreatWin},
    threat_search::ThreatSearch,
};
