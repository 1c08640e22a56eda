//! Move ordering: by the patterns that a move makes and prevents, by history, killers and replies.

use fivefold_shared::rules::Stone;

use super::{
    grid::Grid,
    late_moves::MoveKind,
    node::{Node, PLY},
    search_numbers::NUMBERS,
    spots::{SPOTS_MAX, Spot},
};

/// A move yet to try.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct ScoredMove {
    /// More is tried earlier.
    pub(super) score: i32,
    /// Where.
    pub(super) spot: Spot,
    /// What it does.
    pub(super) kind: MoveKind,
}

/// How deep killers are kept.
const PLIES: usize = 128;

/// The most that history can add.
const HISTORY_MAX: i32 = 1 << 14;
/// History, killers and replies: moves that were good elsewhere in the tree.
#[derive(Debug)]
pub(super) struct MoveOrder {
    /// By colour and point: how often a move there refuted something, against how often not.
    history: [Vec<i32>; 2],
    /// By colour and the point just played: the move that last refuted it.
    replies: [Vec<Option<Spot>>; 2],
    /// By ply: the moves that last refuted something there.
    killers: Vec<[Option<Spot>; 2]>,
}

impl MoveOrder {
    /// Empty tables.
    pub(super) fn new() -> Self {
        Self {
            history: Stone::BOTH.map(|_| vec![0; SPOTS_MAX]),
            replies: Stone::BOTH.map(|_| vec![None; SPOTS_MAX]),
            killers: vec![[None; 2]; PLIES],
        }
    }

    /// Starts a search; lets the history fade.
    pub(super) fn begin(&mut self) {
        self.killers.fill([None; 2]);
        for history in &mut self.history {
            history.iter_mut().for_each(|value| *value /= NUMBERS.history_fades);
        }
    }

    /// Forgets everything.
    pub(super) fn clear(&mut self) {
        *self = Self::new();
    }

    /// The priority of a move.
    pub(super) fn score(&self, grid: &Grid, node: &Node, spot: Spot) -> i32 {
        let Node { turn: stone, last, .. } = *node;
        let (own, other) = (grid.urgency(spot, stone), grid.urgency(spot, stone.opponent()));
        let mut score = i32::from(own.to_make) + i32::from(other.to_prevent);
        score += self.history(stone, spot) / NUMBERS.history_divisor;
        if self.is_killer(node, spot) {
            score += NUMBERS.killer;
        }
        if last.is_some_and(|last| self.replies[stone as usize][usize::from(last)] == Some(spot)) {
            score += NUMBERS.reply;
        }
        score
    }

    /// Whether a move is one of the last two that refuted something so many plies from the root.
    pub(super) fn is_killer(&self, node: &Node, spot: Spot) -> bool {
        self.killers[killer_ply(node)].contains(&Some(spot))
    }

    /// How often a move refuted something, from -[`HISTORY_MAX`] to [`HISTORY_MAX`].
    pub(super) fn history(&self, stone: Stone, spot: Spot) -> i32 {
        self.history[stone as usize][usize::from(spot)]
    }

    /// Records that a move refuted the position, after others had not.
    pub(super) fn refuted(&mut self, node: &Node, spot: Spot, tried: &[Spot]) {
        let Node { turn: stone, last, depth, .. } = *node;
        let killers = &mut self.killers[killer_ply(node)];
        if killers[0] != Some(spot) {
            *killers = [Some(spot), killers[0]];
        }
        if let Some(last) = last {
            self.replies[stone as usize][usize::from(last)] = Some(spot);
        }
        let plies = depth / PLY;
        let bonus = (NUMBERS.history_bonus * plies * plies).min(NUMBERS.history_bonus_most);
        self.learn(stone, spot, bonus);
        for other in tried {
            self.learn(stone, *other, -bonus);
        }
    }

    fn learn(&mut self, stone: Stone, spot: Spot, bonus: i32) {
        let value = &mut self.history[stone as usize][usize::from(spot)];
        *value += bonus - *value * bonus.abs() / HISTORY_MAX;
    }
}

/// Where the killers of a node are kept.
fn killer_ply(node: &Node) -> usize {
    usize::from(node.ply).min(PLIES - 1)
}
