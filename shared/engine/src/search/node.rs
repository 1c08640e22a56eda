//! Search nodes: the place of a position in the tree, and values of wins by number of plies.

use fivefold_shared::rules::Stone;

use super::spots::Spot;

/// The value of having won.
pub(super) const WIN: i32 = 30_000;
/// Values above this are proven wins; values below its negative are proven losses.
pub(super) const WON: i32 = WIN - 2_000;
/// The value of winning so many plies from the root.
pub(super) const fn won_in(plies: u16) -> i32 {
    WIN - plies as i32
}

/// The parts that depth is counted in, of one ply.
pub(super) const PLY: i32 = 64;

/// The place of a position in the tree.
#[derive(Clone, Copy, Debug)]
pub(super) struct Node {
    /// The side to move.
    pub(super) turn: Stone,
    /// The remaining depth, in parts of a [`PLY`].
    pub(super) depth: i32,
    /// The number of plies from the root.
    pub(super) ply: u16,
    /// The last move; none at the root and after a pass.
    pub(super) last: Option<Spot>,
    /// Whether some move is expected to be too good for the other side to allow it (a *cut node*).
    pub(super) is_cut: bool,
}

impl Node {
    /// The root of a search.
    pub(super) const fn root(turn: Stone, depth: i32) -> Self {
        Self { turn, depth, ply: 0, last: None, is_cut: false }
    }

    /// The position after a move.
    pub(super) const fn after(self, spot: Spot, depth: i32) -> Self {
        Self { last: Some(spot), ..self.passed(depth) }
    }

    /// The position after the side to move has passed.
    pub(super) const fn passed(self, depth: i32) -> Self {
        Self {
            turn: self.turn.opponent(),
            depth,
            ply: self.ply + 1,
            last: None,
            is_cut: !self.is_cut,
        }
    }
}
