//! The moves of a position in the [search](super::tree_search): which are tried, in which order, and how
//! deeply.

use std::ops::ControlFlow;

use fivefold_shared::rules::Stone;

use super::{
    late_moves::{LateMove, MoveKind},
    move_order::ScoredMove,
    node::{Node, PLY, WON},
    pattern::{Flags, Threat},
    search_numbers::NUMBERS,
    spots::{Spot, SpotSet},
    transposition_table::{Bound, TableEntry, quarters},
    tree_search::{Outlook, TreeSearch, from_here, to_here},
};

/// How deeply a move is searched.
#[derive(Clone, Copy, Debug)]
pub(super) struct Depths {
    /// The depth after it.
    pub(super) full: i32,
    /// How much less it is at first.
    pub(super) reduction: i32,
}

impl TreeSearch<'_, '_> {
    /// The value of the best move, at least `outlook.least`: where something has to be stopped, of
    /// those that may stop it. `known` is the result of an earlier search.
    pub(super) fn try_moves(
        &mut self,
        node: Node,
        (alpha, beta): (i32, i32),
        outlook: &Outlook<'_>,
        known: Option<TableEntry>,
    ) -> i32 {
        let base = self.moves.len();
        let found = self.best_move(node, (alpha, beta), outlook, known);
        self.moves.truncate(base);
        let (best, best_move) = match found {
            ControlFlow::Break(value) => return value,
            ControlFlow::Continue(found) => found,
        };
        if outlook.excluded.is_some() {
            return best;
        }
        let bound = match best {
            best if best >= beta => Bound::Lower,
            best if best > alpha => Bound::Exact,
            _ => Bound::Upper,
        };
        let entry = TableEntry {
            value: to_here(best, node.ply),
            bound,
            depth: quarters(node.depth),
            standing: outlook.to_remember,
            best: best_move.filter(|_| bound != Bound::Upper),
        };
        self.table.store(self.hash(node.turn), entry);
        best
    }

    /// The best move and its value; breaks off with a value that is not to be remembered.
    fn best_move(
        &mut self,
        mut node: Node,
        (mut alpha, beta): (i32, i32),
        outlook: &Outlook<'_>,
        known: Option<TableEntry>,
    ) -> ControlFlow<i32, (i32, Option<Spot>)> {
        let Node { turn, depth, ply, .. } = node;
        let Outlook { standing, stops, excluded, .. } = *outlook;
        let is_pv = beta - alpha > 1;
        let base = self.moves.len();
        // The former best move is mostly best again; then the other moves need not be listed.
        let former = known.and_then(|known| known.best);
        let former = former.filter(|spot| self.is_candidate(*spot, turn, stops));
        let mut untried = former;
        let mut is_listed = false;
        let mut best = outlook.least;
        let mut best_move = None;
        let mut tried: Vec<Spot> = Vec::new();
        loop {
            let next = untried.take().map(|spot| self.scored(&node, spot, stops)).or_else(|| {
                if !std::mem::replace(&mut is_listed, true) {
                    self.list(node, stops, former.or(excluded));
                }
                self.next(base)
            });
            let Some(next) = next else { break };
            let ScoredMove { spot, kind, .. } = next;
            if self.grid.is_forbidden(spot, turn) {
                continue;
            }
            let is_late = tried.len() >= kind.tries(depth, is_pv);
            let is_hopeless = !is_pv && is_behind(&next, depth, standing, alpha);
            if best > -WON && (is_late || is_hopeless) {
                // So are the others of its kind, which come later.
                self.drop_all(kind, base);
                continue;
            }
            let extension = match known {
                Some(known) if tried.is_empty() && former == Some(spot) => {
                    self.extension(&node, beta, outlook, &known)?
                }
                _ => 0,
            };
            let mut depths = self.depths(&node, &next, is_pv, outlook, tried.len());
            depths.full += extension;
            let made = MoveKind::of(self.grid.flags(spot, turn), false);
            self.path[usize::from(ply)].kind = if made.is_threat() { made } else { kind };
            let value = self.try_move(node, spot, (alpha, beta), depths, tried.is_empty());
            if self.limits.is_over() {
                return ControlFlow::Break(0);
            }
            if value > best {
                best = value;
                best_move = Some(spot);
            }
            if value > alpha {
                alpha = value;
                if alpha >= beta {
                    if excluded.is_none() {
                        self.order.refuted(&node, spot, &tried);
                    }
                    break;
                }
                let (above, below) = NUMBERS.raised_depths;
                if above < node.depth && node.depth < below {
                    node.depth -= NUMBERS.raised_reduction;
                }
            }
            tried.push(spot);
        }
        if tried.is_empty() && best_move.is_none() && stops.is_none() {
            // Renju forbids all candidates; any other move hardly matters.
            return ControlFlow::Break(standing);
        }
        ControlFlow::Continue((best, best_move))
    }

    /// How deeply a move is searched after so many others.
    fn depths(
        &self,
        node: &Node,
        next: &ScoredMove,
        is_pv: bool,
        outlook: &Outlook<'_>,
        tried: usize,
    ) -> Depths {
        let ScoredMove { spot, kind, .. } = *next;
        let mut full = node.depth - PLY;
        if outlook.is_cut_likely && kind != MoveKind::Four {
            full -= NUMBERS.likely_cut_reduction;
        }
        let late_move = LateMove {
            late: kind.lateness(tried),
            is_pv,
            is_needless: node.is_cut && !self.order.is_killer(node, spot),
            is_no_better: !outlook.improves && outlook.stops.is_none(),
            goes_on: kind.is_threat() && self.attacked_before(node.ply),
            ..LateMove::default()
        };
        self.reduced(node, spot, full, late_move)
    }

    /// How deeply a late move is searched, whose depth and history are not filled in yet.
    pub(super) fn reduced(
        &self,
        node: &Node,
        spot: Spot,
        full: i32,
        late_move: LateMove,
    ) -> Depths {
        let history = self.order.history(node.turn, spot);
        let late_move = LateMove { depth: node.depth, history, ..late_move };
        let is_reduced = late_move.late > 0 && node.depth >= NUMBERS.late_depth;
        Depths { full, reduction: if is_reduced { late_move.reduction(full) } else { 0 } }
    }

    /// Whether the side to move made a threat two plies before.
    fn attacked_before(&self, ply: u16) -> bool {
        ply >= 2 && self.path[usize::from(ply) - 2].kind.is_threat()
    }

    /// By how much more deeply the best move of an earlier search is searched, as it is *singular*: all
    /// others are worse by far, as a search to half the depth shows. Breaks off where even another move
    /// is too good.
    fn extension(
        &mut self,
        node: &Node,
        beta: i32,
        outlook: &Outlook<'_>,
        known: &TableEntry,
    ) -> ControlFlow<i32, i32> {
        let is_known_well = known.bound != Bound::Upper
            && known.value.abs() < WON
            && known.depth >= quarters(node.depth - NUMBERS.singular_known);
        if node.depth < NUMBERS.singular_depth || outlook.excluded.is_some() || !is_known_well {
            return ControlFlow::Continue(0);
        }
        let limit = from_here(known.value, node.ply) - NUMBERS.singular_per_ply * node.depth / PLY;
        let others = Outlook { excluded: known.best, is_cut_likely: false, ..*outlook };
        let shallow = Node { depth: node.depth / 2, ..*node };
        let second = self.try_moves(shallow, (limit - 1, limit), &others, None);
        if self.limits.is_over() {
            return ControlFlow::Break(0);
        }
        let extension = NUMBERS.singular_extension;
        match second {
            _ if second < limit - NUMBERS.singular_by_far => ControlFlow::Continue(2 * extension),
            _ if second < limit => ControlFlow::Continue(extension),
            _ if limit >= beta => ControlFlow::Break(limit),
            _ => ControlFlow::Continue(0),
        }
    }

    /// The value of one move. All but the first are expected to be worse, and searched no further
    /// than it takes to see that.
    pub(super) fn try_move(
        &mut self,
        node: Node,
        spot: Spot,
        (alpha, beta): (i32, i32),
        Depths { full, reduction }: Depths,
        is_first: bool,
    ) -> i32 {
        let is_pv = beta - alpha > 1;
        let after = |depth, is_cut| Node { is_cut, ..node.after(spot, depth) };
        let other = !node.is_cut;
        self.table.prefetch(self.hash(node.turn.opponent()) ^ self.grid.stone_key(spot, node.turn));
        self.grid.place(spot, node.turn);
        let mut value = alpha + 1;
        let mut full = full;
        if !is_first {
            let is_cut = reduction > 0 || is_pv || other;
            value = -self.value(after(full - reduction, is_cut), -alpha - 1, -alpha);
            if value > alpha && reduction > 0 {
                let better = NUMBERS.deeper_least + NUMBERS.deeper_per_ply * reduction / PLY;
                if value > alpha + better {
                    full += PLY;
                }
                value = -self.value(after(full, other), -alpha - 1, -alpha);
            }
        }
        if is_first || value > alpha && value < beta {
            value = -self.value(after(full, !is_pv && other), -beta, -alpha);
        }
        self.grid.take_back(spot);
        value
    }

    /// Whether a move that was best in a position with the same hash is one to try here.
    fn is_candidate(&self, spot: Spot, turn: Stone, stops: Option<&SpotSet>) -> bool {
        let grid = &*self.grid;
        usize::from(spot) < grid.len()
            && grid.stone_at(spot).is_none()
            && stops
                .is_none_or(|stops| stops.contains(spot) || grid.flags(spot, turn).any(Flags::FOUR))
    }

    /// Adds the candidates but one to the moves.
    fn list(&mut self, node: Node, stops: Option<&SpotSet>, but: Option<Spot>) {
        let mut moves = std::mem::take(&mut self.moves);
        let turn = node.turn;
        let grid = &*self.grid;
        let scored = |spot| self.scored(&node, spot, stops);
        let is_other = |spot: &Spot| but != Some(*spot);
        match stops {
            Some(stops) => {
                let fours = grid.threats(turn, Threat::Four).filter(|spot| !stops.contains(*spot));
                let all = stops.iter(grid.len()).chain(fours);
                moves.extend(all.filter(is_other).map(scored));
            }
            None => moves.extend(grid.nearby().filter(is_other).map(scored)),
        }
        self.moves = moves;
    }

    /// A move with its kind and its place in the order.
    fn scored(&self, node: &Node, spot: Spot, stops: Option<&SpotSet>) -> ScoredMove {
        let kind = MoveKind::of(self.grid.flags(spot, node.turn), stops.is_some());
        ScoredMove { score: self.order.score(self.grid, node, spot), spot, kind }
    }

    /// Takes all moves of a kind above `base` out.
    fn drop_all(&mut self, kind: MoveKind, base: usize) {
        let mut index = base;
        while let Some(scored) = self.moves.get(index) {
            if scored.kind == kind {
                self.moves.swap_remove(index);
            } else {
                index += 1;
            }
        }
    }

    /// Takes the best of the moves above `base`.
    fn next(&mut self, base: usize) -> Option<ScoredMove> {
        let left = self.moves.get(base..)?;
        let (best, _) =
            left.iter().enumerate().max_by_key(|(_, scored)| (scored.score, scored.spot))?;
        Some(self.moves.swap_remove(base + best))
    }
}

/// Whether a quiet move leaves a side too far behind, by the value without a search.
fn is_behind(next: &ScoredMove, depth: i32, standing: i32, alpha: i32) -> bool {
    let best = standing + NUMBERS.behind_per_ply * depth / PLY + next.score;
    next.kind == MoveKind::Quiet && depth <= NUMBERS.behind_depth && best <= alpha
}
