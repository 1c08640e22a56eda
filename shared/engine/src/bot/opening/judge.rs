//! Values for the choices of an opening, within the budget of one act. It knows positions and
//! knows nothing of protocols.

use fivefold_shared::{
    rules::{Point, Position, Rules, Stone},
    search_budget::{Budget, Thinking},
};

use crate::balance;
use crate::search::{Engine, EngineOptions};

/// Positions that a search needs to see at least one move ahead.
const NODES_MIN: u64 = 120;
/// How many of the candidates get a longer search.
const FINALISTS: u32 = 5;

/// Searches positions until the budget of one act is used up.
pub(super) struct Judge<'a> {
    /// `None` for rules without one: then every position is even.
    engine: Option<Engine>,
    thinking: Thinking<'a>,
    /// Positions that may still be searched.
    nodes: Option<u64>,
}

/// A part of what is left of the budget.
#[derive(Clone, Copy, Debug)]
pub(super) struct Portion {
    part: u32,
    of: u32,
}

impl Portion {
    /// All that is left.
    pub(super) const ALL: Self = Self::new(1, 1);

    /// `part` of `of` equal parts.
    pub(super) const fn new(part: u32, of: u32) -> Self {
        Self { part, of }
    }
}

impl<'a> Judge<'a> {
    pub(super) fn new(rules: Rules, hash_bytes: usize, thinking: Thinking<'a>) -> Self {
        let options = EngineOptions { hash_bytes, ..EngineOptions::default() };
        let nodes = thinking.budget.nodes;
        Self { engine: Engine::new(rules, options), thinking, nodes }
    }

    /// Black's chance from 0 to 1 if the game goes on freely from here.
    pub(super) fn black(&mut self, position: &Position, share: Portion) -> f64 {
        let chance =
            self.search(share, |engine, thinking| balance::chance(engine, position, thinking));
        of_black(position, chance.flatten().unwrap_or(0.5))
    }

    /// At most `count` moves, the best for the side to move first, with Black's chances after them.
    /// No two are the same turned, mirrored and moved.
    pub(super) fn different(
        &mut self,
        position: &Position,
        count: usize,
        share: Portion,
    ) -> Vec<(Point, f64)> {
        let moves = self.search(share, |engine, thinking| {
            balance::different_moves(engine, position, thinking, count)
        });
        let moves = moves.unwrap_or_default().into_iter();
        moves.map(|(point, chance)| (point, of_black(position, chance))).collect()
    }

    /// Black's chance where Black offers this many different moves and White selects one: that of
    /// the least of the best.
    pub(super) fn offer(&mut self, position: &Position, count: usize, share: Portion) -> f64 {
        self.different(position, count, share).last().map_or(0.5, |(_, chance)| *chance)
    }

    /// Moves that look good for the side to move, without a search; the best first.
    pub(super) fn ideas(&mut self, position: &Position, most: usize) -> Vec<Point> {
        self.engine.as_mut().map_or_else(Vec::new, |engine| engine.attacking_moves(position, most))
    }

    /// The candidates with the least cost, the least first: all of them get a quick look, and the
    /// best ones a longer one. A look searches for this many `lines`; where the nodes are too few
    /// for that, the last candidates are left out.
    pub(super) fn least<C>(
        &mut self,
        mut candidates: Vec<C>,
        lines: usize,
        mut cost: impl FnMut(&mut Self, &C, Portion) -> f64,
    ) -> Vec<(f64, C)> {
        if let Some(nodes) = self.nodes {
            let looks = nodes / 2 / NODES_MIN;
            let most = usize::try_from(looks).unwrap_or(usize::MAX) / lines;
            candidates.truncate(most.max(1));
        }
        let count = u32::try_from(candidates.len()).unwrap_or(u32::MAX);
        // The first candidates take one of so many shares each.
        let mut rate = |judge: &mut Self, candidates: Vec<C>, shares: u32| -> Vec<(f64, C)> {
            let rated = (0..).zip(candidates).map(|(done, one)| {
                let share = Portion::new(1, shares - done);
                (cost(judge, &one, share), one)
            });
            let mut rated: Vec<_> = rated.collect();
            rated.sort_by(|(one, _), (other, _)| one.total_cmp(other));
            rated
        };
        if count <= FINALISTS {
            return rate(self, candidates, count);
        }
        // Half of the budget is for the first look.
        let quick = rate(self, candidates, count.saturating_mul(2));
        let finalists = quick.into_iter().take(FINALISTS as usize).map(|(_, one)| one).collect();
        rate(self, finalists, FINALISTS)
    }

    /// Searches with a share of the budget; `None` without an engine.
    fn search<T>(
        &mut self,
        Portion { part, of }: Portion,
        search: impl FnOnce(&mut Engine, &Thinking<'_>) -> T,
    ) -> Option<T> {
        let began = (self.thinking.elapsed)();
        let left = self.thinking.budget.time.saturating_sub(began);
        let nodes = self.nodes.map(|nodes| nodes * u64::from(part) / u64::from(of));
        self.nodes = self.nodes.map(|all| all - nodes.unwrap_or(0));
        let budget = Budget { time: left.saturating_mul(part) / of, nodes, ..Budget::UNLIMITED };
        let elapsed = || (self.thinking.elapsed)().saturating_sub(began);
        let thinking = Thinking { budget, elapsed: &elapsed, cancel: self.thinking.cancel };
        Some(search(self.engine.as_mut()?, &thinking))
    }
}

/// Black's chance, from that of the side to move.
fn of_black(position: &Position, chance: f64) -> f64 {
    match position.turn() {
        Stone::Black => chance,
        Stone::White => 1.0 - chance,
    }
}
