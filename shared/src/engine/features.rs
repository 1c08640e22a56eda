//! What the engine's values are made from, laid open so that they can be tuned.
//!
//! `examples/tune` fits [`weights`](super::weights) to games with this. Nothing that plays
//! needs it.

use super::{
    eval,
    grid::{Grid, Kept},
    limits::Limits,
    pattern::Tables,
    vcf::{MOVES_MAX, Vcf, Verdict},
    window::Window,
};
use crate::{
    bot::Thinking,
    rules::{Point, Position, Size, Stone},
};

/// The numbers of the patterns that a stone would make on a point, one for each axis; less than
/// the number of patterns.
pub type Four = [u8; 4];

/// An empty point.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Spot {
    /// Where it is.
    pub point: Point,
    /// What the side to move would make there.
    pub own: Four,
    /// What the other side would make there.
    pub other: Four,
    /// Whether the engine looks at it as a move.
    pub is_near: bool,
}

/// What the values of a position are made from.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Features {
    /// Every empty point.
    pub spots: Vec<Spot>,
    /// Which constellation of threats there is; less than [`Features::THREATS`].
    pub threats: usize,
}

/// How many positions a search for fours may look at.
const VCF_NODES: u64 = 2_000;

impl Features {
    /// How many parts there are that combinations of patterns consist of.
    pub const PARTS: usize = eval::PARTS;

    /// The parts of what an empty board shows where five in a row win. They add nothing to the
    /// traits.
    pub const IDLE: [usize; 2] = eval::IDLE;

    /// How many constellations of threats are told apart.
    pub const THREATS: usize = eval::THREATS;

    /// How many traits a side has, and how many hidden units look at them.
    pub const TRAITS: usize = eval::TRAITS;
    /// See above.
    pub const HIDDEN: usize = eval::HIDDEN;

    /// How many integers make one: of traits, of the weights of hidden units, and of what those and
    /// threats are worth in units of the search.
    pub const TRAIT_UNITS: i32 = eval::TRAIT_UNITS;
    /// See above.
    pub const HIDDEN_UNITS: i32 = eval::HIDDEN_UNITS;
    /// See above.
    pub const WORTH_UNITS: i32 = eval::WORTH_UNITS;

    /// The numbers of the parts of a combination; less than [`Self::PARTS`].
    pub fn parts(four: Four) -> impl Iterator<Item = usize> {
        eval::parts(four)
    }

    /// Takes a position on a bounded board apart. `None` where the engine would not ask for its
    /// value: where a five or an open four is threatened or the side to move wins by fours.
    pub fn of(position: &Position) -> Option<Self> {
        let Size::Bounded { width, height } = position.rules().size() else { return None };
        let tables = Tables::of(position.rules().variant())?;
        let mut grid = Grid::new(tables, Window::bordered(width, height));
        for (ply, point) in position.moves().iter().enumerate() {
            grid.place(grid.window().spot(*point)?, Stone::to_move(ply));
        }
        let turn = position.turn();
        let is_threatened = Stone::BOTH.into_iter().any(|stone| {
            [Kept::Fives, Kept::Unstoppable].into_iter().any(|kept| grid.count(stone, kept) > 0)
        });
        let thinking = Thinking::unlimited();
        let won = |grid: &mut Grid| {
            let mut limits = Limits::new(&thinking);
            Vcf::new(1 << 10).search(grid, turn, MOVES_MAX, VCF_NODES, &mut limits)
        };
        if is_threatened || won(&mut grid) == Verdict::Win {
            return None;
        }
        let near: Vec<super::spots::Spot> = grid.nearby().collect();
        let spots = (0..super::spots::spot(grid.len()))
            .filter(|spot| grid.stone_at(*spot).is_none())
            .filter_map(|spot| {
                Some(Spot {
                    point: grid.window().point(spot)?,
                    own: grid.four(spot, turn),
                    other: grid.four(spot, turn.opponent()),
                    is_near: near.contains(&spot),
                })
            })
            .collect();
        Some(Self { spots, threats: grid.threats_kept(turn) })
    }
}
