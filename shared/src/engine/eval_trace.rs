//! Traces of the evaluation, from which `examples/tune` fits the [`weights`](super::weights) to
//! games.
//!
//! Only the tuner needs this; the search does not.

use super::{
    eval_features,
    grid::Grid,
    grid_window::Window,
    pattern::Threat,
    pattern_tables::Tables,
    search_limits::SearchLimits,
    vcf::{MOVES_MAX, Vcf, Verdict},
};
use crate::{
    rules::{Point, Position, Size, Stone},
    search_budget::Thinking,
};

/// The numbers of the patterns that a stone would make on a point, one for each axis; less than
/// the number of patterns.
pub type Four = [u8; 4];

/// An empty point.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct TracedPoint {
    /// Where it is.
    pub point: Point,
    /// The patterns that the side to move would make there.
    pub own: Four,
    /// The patterns that the other side would make there.
    pub other: Four,
    /// Whether the engine considers it as a move.
    pub is_near: bool,
}

/// The evaluation's input for a position.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct EvalTrace {
    /// Every empty point.
    pub points: Vec<TracedPoint>,
    /// The threat class; less than [`EvalTrace::THREAT_CLASSES`].
    pub threats: usize,
}

/// Positions for the VCF search.
const VCF_NODES: u64 = 2_000;

impl EvalTrace {
    /// Number of features.
    pub const FEATURES: usize = eval_features::FEATURES;

    /// The features of an empty board where five in a row win. They add nothing to the
    /// accumulators.
    pub const IDLE: [usize; 2] = eval_features::IDLE;

    /// Number of threat classes.
    pub const THREAT_CLASSES: usize = eval_features::THREAT_CLASSES;

    /// Length of an accumulator, and number of hidden units.
    pub const ACCUMULATOR_SIZE: usize = eval_features::ACCUMULATOR_SIZE;
    /// See above.
    pub const HIDDEN_SIZE: usize = eval_features::HIDDEN_SIZE;

    /// Fixed-point scales: of accumulators, of the weights of hidden units, and of the output
    /// in units of the search.
    pub const ACCUMULATOR_SCALE: i32 = eval_features::ACCUMULATOR_SCALE;
    /// See above.
    pub const HIDDEN_SCALE: i32 = eval_features::HIDDEN_SCALE;
    /// See above.
    pub const OUTPUT_SCALE: i32 = eval_features::OUTPUT_SCALE;

    /// The numbers of the features of a combination; less than [`Self::FEATURES`].
    pub fn features(four: Four) -> impl Iterator<Item = usize> {
        eval_features::features(four)
    }

    /// Traces a position on a bounded board. `None` where the search would not evaluate it: a five
    /// or an open four is threatened, or the side to move wins by fours.
    pub fn of(position: &Position) -> Option<Self> {
        let Size::Bounded { width, height } = position.rules().size() else { return None };
        let tables = Tables::of(position.rules().variant())?;
        let mut grid = Grid::new(tables, Window::bordered(width, height));
        for (ply, point) in position.moves().iter().enumerate() {
            grid.place(grid.window().spot(*point)?, Stone::to_move(ply));
        }
        let turn = position.turn();
        let is_threatened = Stone::BOTH.into_iter().any(|stone| {
            [Threat::Five, Threat::Unstoppable]
                .into_iter()
                .any(|kept| grid.threat_count(stone, kept) > 0)
        });
        let thinking = Thinking::unlimited();
        let won = |grid: &mut Grid| {
            let mut limits = SearchLimits::new(&thinking);
            Vcf::new(1 << 10).search(grid, turn, MOVES_MAX, VCF_NODES, &mut limits)
        };
        if is_threatened || won(&mut grid) == Verdict::Win {
            return None;
        }
        let near: Vec<super::spots::Spot> = grid.nearby().collect();
        let points = (0..super::spots::spot(grid.len()))
            .filter(|spot| grid.stone_at(*spot).is_none())
            .filter_map(|spot| {
                Some(TracedPoint {
                    point: grid.window().point(spot)?,
                    own: grid.four(spot, turn),
                    other: grid.four(spot, turn.opponent()),
                    is_near: near.contains(&spot),
                })
            })
            .collect();
        Some(Self { points, threats: grid.threat_class(turn) })
    }
}
