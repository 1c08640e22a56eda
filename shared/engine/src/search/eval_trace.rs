//! Traces of the evaluation, from which `examples/tune` fits the [`weights`](super::weights) to
//! games, and the numbering of shapes, with which `examples/train` fits the
//! [network](super::shape_network) over them.
//!
//! Only these need this; the search does not.

use fivefold_shared::{
    rules::{Point, Position, Size, Stone, Variant},
    search_budget::Thinking,
};

use super::{
    eval_features,
    grid::Grid,
    grid_window::Window,
    pattern::Threat,
    pattern_tables::Tables,
    search_limits::SearchLimits,
    shape_network,
    shapes::{self, Folding},
    vcf::{MOVES_MAX, Vcf, Verdict},
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
    /// The value for the side to move by the network over shapes, or by the patterns where there is
    /// none.
    pub value: i32,
}

/// How the engine numbers shapes: what lies around a point on an axis.
#[derive(Debug)]
pub struct Shapes {
    foldings: Vec<Folding>,
}

impl Default for Shapes {
    fn default() -> Self {
        Self { foldings: (0..=Self::REACH).map(Folding::new).collect() }
    }
}

impl Shapes {
    /// How many shapes there are.
    pub const COUNT: u32 = shapes::SHAPES;
    /// How many points a shape has to either side.
    pub const REACH: u8 = shapes::REACH;
    /// How many numbers the network has for a shape and a colour, and how many hidden units.
    pub const CHANNELS: usize = shape_network::CHANNELS;
    /// See above.
    pub const HIDDEN: usize = shape_network::HIDDEN;
    /// Fixed-point scale of the numbers of shapes.
    pub const SCALE: f32 = shape_network::SCALE;
    /// What the network's file begins with.
    pub const FORMAT: [u8; 8] = shape_network::FORMAT;
    /// How many numbers [`Shapes::patterns`] has.
    pub const PATTERNS: usize = shape_network::PATTERN_ROWS;
    /// How many perspectives [`Shapes::perspective`] knows.
    pub const PERSPECTIVES: usize = shape_network::PERSPECTIVES;

    /// The shape of an empty point with so many points behind and before it, and no stone in sight.
    pub fn empty(behind: u8, before: u8) -> u32 {
        shapes::empty(behind, before)
    }

    /// What a stone adds to the shapes of its own point.
    pub const fn on(stone: Stone) -> u32 {
        shapes::on(stone)
    }

    /// What a stone adds to the shape of a point that sees it that far behind it, or before it.
    pub fn near(stone: Stone, is_behind: bool, distance: u8) -> u32 {
        shapes::near(stone, is_behind, distance)
    }

    /// The number of a shape as a colour sees it, cut to fewer points to either side, the same for
    /// its mirror image; less than [`Shapes::folded_count`].
    pub fn folded(&self, shape: u32, stone: Stone, reach: u8) -> u32 {
        self.foldings[usize::from(reach)].number(shape, stone)
    }

    /// How many numbers there are for shapes cut to so many points to either side.
    pub fn folded_count(&self, reach: u8) -> usize {
        self.foldings[usize::from(reach)].count()
    }

    /// The number of the row for the patterns that a colour and its opponent would make in the
    /// middle, or for the stone there; less than [`Shapes::PATTERNS`]. `None` for a variant that the engine
    /// does not know.
    pub fn patterns(variant: Variant, shape: u32, stone: Stone) -> Option<usize> {
        Some(shape_network::pattern_row(Tables::of(variant)?, shape, stone))
    }

    /// The number of the perspective from which a colour is judged by these rules; less than
    /// [`Shapes::PERSPECTIVES`]. `None` for a variant that the network is not for.
    pub fn perspective(variant: Variant, stone: Stone) -> Option<usize> {
        shape_network::perspective(variant, stone)
    }
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

    /// How many units of the search make one unit of the logistic function.
    pub const CHANCE_SCALE: f32 = eval_features::CHANCE_SCALE;

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
        let value = grid.network_value(turn).unwrap_or_else(|| grid.value(turn));
        Some(Self { points, threats: grid.threat_class(turn), value })
    }
}
