//! The search proper: principal variation search on a grid.
//!
//! Values are for the side to move. A win in so many plies is [`WIN`](super::node::WIN) less those
//! plies, so a quick win is better than a slow one; everything else is well below [`WON`].
//!
//! Threats bound the moves to search: a five must be played, the other side's five and open four
//! must be stopped. Where the depth runs out, the search first follows fours to their end, then
//! evaluates the patterns.

use super::{
    grid::Grid,
    late_moves::{MoveKind, reduction},
    move_order::{MoveOrder, ScoredMove},
    node::{Node, WON, won_in},
    pattern::Flags,
    pattern::Threat,
    search_limits::SearchLimits,
    spots::{Spot, SpotSet},
    transposition_table::{Bound, TableEntry, TranspositionTable},
    vcf::{Vcf, Verdict},
};
use crate::rules::Stone;

/// The greatest value of patterns.
const VALUE_MAX: i32 = WON - 1;
/// The longest line.
const PLIES_MAX: u16 = 200;

/// Limits of positions for a search for fours: for each ply of remaining depth, and in all. A leaf
/// counts as one ply.
const VCF_NODES: (i32, i32) = (100, 400);
/// The same for those of the other side that the side to move has to stop, and the least remaining
/// depth at which they are looked for.
const THREATENED_NODES: (i32, i32) = (50, 200);
const THREATENED_DEPTH: i32 = 3;
/// How far from the window the patterns' value may lie for the network over shapes to be asked.
const NETWORK_MARGIN: i32 = 400;
/// How far ahead a side may be, for each ply of remaining depth, before its position is pruned.
const AHEAD: i32 = 75;
/// Limits below which only fours are searched: how far behind a side is, how much more for each ply
/// of remaining depth, and the greatest remaining depth at which this applies.
const LOST: (i32, i32, i32) = (120, 110, 3);
/// How far behind a quiet move may leave a side, for each ply of remaining depth, and still be
/// tried; and the greatest remaining depth at which this applies.
const BEHIND: (i32, i32) = (62, 6);
/// The least remaining depth at which a side that is ahead tries to pass, and how much of it that
/// costs, besides a quarter.
const PASS: (i32, i32) = (5, 3);
/// The state of one search.
#[derive(Debug)]
pub(super) struct Search<'a, 'b> {
    /// The position.
    pub(super) grid: &'a mut Grid,
    /// The search for wins by continuous fours.
    pub(super) vcf: &'a mut Vcf,
    /// Results for other positions.
    pub(super) table: &'a TranspositionTable,
    /// Move ordering.
    pub(super) order: &'a mut MoveOrder,
    /// When to stop.
    pub(super) limits: &'a mut SearchLimits<'b>,
    /// How many moves ahead wins by continuous fours are found.
    pub(super) vcf_depth: u8,
    /// The moves yet to try, of all positions on the way to this one.
    pub(super) moves: Vec<ScoredMove>,
}

impl Search<'_, '_> {
    /// The value of a position, as far as it lies between `alpha` and `beta`. Meaningless once
    /// the limits are over.
    pub(super) fn value(&mut self, node: Node, alpha: i32, beta: i32) -> i32 {
        if self.limits.count(1) {
            return 0;
        }
        let Node { turn, ply, .. } = node;
        if self.grid.threat_count(turn, Threat::Five) > 0 {
            return won_in(ply + 1);
        }
        if self.grid.is_full() {
            return 0;
        }
        // No win can be quicker than three plies from here, no loss quicker than two.
        let alpha = alpha.max(-won_in(ply + 2));
        let beta = beta.min(won_in(ply + 3));
        if alpha >= beta {
            return alpha;
        }
        if self.grid.threat_count(turn.opponent(), Threat::Five) > 0 {
            return self.answer_five(node, alpha, beta);
        }
        if self.grid.unstoppable(turn).is_some() {
            return won_in(ply + 3);
        }
        if ply >= PLIES_MAX {
            return self.static_value(turn);
        }
        let stops = self.grid.answers_to_unstoppable(turn.opponent());
        if node.depth <= 0 && (stops.is_none() || node.depth <= -4) {
            return self.leaf(node, alpha, beta);
        }
        self.inner(node, alpha, beta, stops.as_ref())
    }

    /// The evaluation of a position without a search: by its patterns. Where these are near the
    /// window, the network over shapes is asked too, which is slower, and the mean of both counts,
    /// which measured better than either.
    fn evaluate(&mut self, turn: Stone, alpha: i32, beta: i32) -> i32 {
        let patterns = self.grid.value(turn);
        let is_near = (alpha - NETWORK_MARGIN..=beta + NETWORK_MARGIN).contains(&patterns);
        let network = if is_near { self.grid.network_value(turn) } else { None };
        network
            .map_or(patterns, |network| (2 * patterns + 3 * network) / 5)
            .clamp(-VALUE_MAX, VALUE_MAX)
    }

    /// The evaluation, however far from any window.
    pub(super) fn static_value(&mut self, turn: Stone) -> i32 {
        self.evaluate(turn, -WON, WON)
    }

    /// The other side has a five next: it must be stopped, at no cost in depth.
    fn answer_five(&mut self, node: Node, mut alpha: i32, beta: i32) -> i32 {
        let mut answers = Vec::new();
        self.grid.answers_to_fives(node.turn.opponent(), &mut answers);
        let mut best = -won_in(node.ply + 2);
        for spot in answers {
            if self.grid.is_forbidden(spot, node.turn) {
                continue;
            }
            self.grid.place(spot, node.turn);
            let value = -self.value(node.after(spot, node.depth), -beta, -alpha);
            self.grid.take_back(spot);
            best = best.max(value);
            alpha = alpha.max(value);
            if alpha >= beta {
                break;
            }
        }
        best
    }

    /// Evaluates a position at depth zero. Where it is good enough, nobody looks for a win.
    fn leaf(&mut self, node: Node, alpha: i32, beta: i32) -> i32 {
        let standing = self.evaluate(node.turn, alpha, beta);
        if standing >= beta {
            return standing;
        }
        self.win_by_fours(node).unwrap_or(standing)
    }

    /// The value of a win by fours alone, if a short search finds one.
    fn win_by_fours(&mut self, node: Node) -> Option<i32> {
        self.plies_of_fours(node.turn, node.depth, VCF_NODES).map(|plies| won_at(node.ply + plies))
    }

    /// In how many plies fours alone win for a side that is to move, if a short search finds it.
    fn plies_of_fours(&mut self, attacker: Stone, depth: i32, nodes: (i32, i32)) -> Option<u16> {
        if self.grid.threat_count(attacker, Threat::Four) == 0 {
            return None;
        }
        let (each, most) = nodes;
        let nodes = (each * depth.max(1)).min(most).unsigned_abs().into();
        let verdict = self.vcf.search(self.grid, attacker, self.vcf_depth, nodes, self.limits);
        let plies = u16::try_from(self.vcf.line().len()).unwrap_or(PLIES_MAX) + 2;
        (verdict == Verdict::Win).then_some(plies)
    }

    /// Where fours alone would win for the other side if it were to move: the points that may stop
    /// them, and the value if none does.
    fn stops_of_fours(&mut self, node: Node) -> Option<(SpotSet, i32)> {
        let other = node.turn.opponent();
        let plies = self.plies_of_fours(other, node.depth, THREATENED_NODES)?;
        let stops = self.vcf.refutations(self.grid, other)?;
        Some((stops, -won_at(node.ply + 1 + plies)))
    }

    /// Searches a position with remaining depth where nothing is decided at once.
    fn inner(&mut self, node: Node, alpha: i32, beta: i32, stops: Option<&SpotSet>) -> i32 {
        let Node { turn, depth, ply, .. } = node;
        let is_pv = beta - alpha > 1;
        let hash = self.hash(turn);
        let known = self.table.probe(hash);
        if let Some(known) = known
            && !is_pv
            && known.depth >= depth
        {
            let value = from_here(known.value, ply);
            let is_enough = match known.bound {
                Bound::Exact => true,
                Bound::Lower => value >= beta,
                Bound::Upper => value <= alpha,
            };
            if is_enough {
                return value;
            }
        }
        let standing = self.evaluate(turn, alpha, beta);
        let is_ordinary = !is_pv && stops.is_none() && beta.abs() < WON;
        if is_ordinary && depth <= 5 && standing - AHEAD * depth >= beta {
            return standing;
        }
        if let Some(value) = self.win_by_fours(node) {
            let known = TableEntry {
                value: to_here(value, ply),
                bound: Bound::Lower,
                depth: 99,
                best: self.vcf.line().next(),
            };
            self.table.store(hash, known);
            return value;
        }
        let (least, each, most) = LOST;
        if is_ordinary && depth <= most && standing + least + each * depth <= alpha {
            return standing;
        }
        let stops_of_fours = if stops.is_none() && depth >= THREATENED_DEPTH {
            self.stops_of_fours(node)
        } else {
            None
        };
        let (stops, least) = match &stops_of_fours {
            Some((stops, least)) => (Some(stops), *least),
            None => (stops, -won_in(ply + 4)),
        };
        let is_ordinary = is_ordinary && stops.is_none();
        if is_ordinary && standing >= beta && self.is_ahead_after_pass(node, beta) {
            return beta;
        }
        let best = known.and_then(|known| known.best);
        let depth = if best.is_none() && depth >= 5 { depth - 1 } else { depth };
        self.try_moves(Node { depth, ..node }, (alpha, beta), (standing, least), stops, best)
    }

    /// Whether a side is ahead even after it has passed (a *null move*): some move is nearly always
    /// better. Not twice in a row.
    fn is_ahead_after_pass(&mut self, node: Node, beta: i32) -> bool {
        let (least, cost) = PASS;
        node.depth >= least && node.last.is_some() && {
            let passed = node.passed(node.depth - cost - node.depth / 4);
            (beta..WON).contains(&-self.value(passed, -beta, -beta + 1))
        }
    }

    /// The value of the best move, at least `least`: where something has to be stopped, of those
    /// that may stop it. `standing` is the value of the position without a search.
    fn try_moves(
        &mut self,
        node: Node,
        (mut alpha, beta): (i32, i32),
        (standing, least): (i32, i32),
        stops: Option<&SpotSet>,
        known: Option<Spot>,
    ) -> i32 {
        let Node { turn, depth, ply, .. } = node;
        let before = alpha;
        let is_pv = beta - alpha > 1;
        let base = self.moves.len();
        // The former best move is mostly best again; then the other moves need not be listed.
        let known = known.filter(|spot| self.is_candidate(*spot, turn, stops));
        let mut untried = known;
        let mut is_listed = false;
        let mut best = least;
        let mut best_move = None;
        let mut tried: Vec<Spot> = Vec::new();
        loop {
            let next = untried.take().map(|spot| ScoredMove { score: 0, spot }).or_else(|| {
                if !std::mem::replace(&mut is_listed, true) {
                    self.list(node, stops, known);
                }
                self.next(base)
            });
            let Some(ScoredMove { score, spot }) = next else { break };
            if self.grid.is_forbidden(spot, turn) {
                continue;
            }
            let kind = MoveKind::of(self.grid.flags(spot, turn), stops.is_some());
            let (each, deepest) = BEHIND;
            let is_hopeless = || {
                !is_pv
                    && kind == MoveKind::Quiet
                    && depth <= deepest
                    && standing + each * depth + score <= alpha
            };
            if best > -WON && (tried.len() >= kind.tries(depth, is_pv) || is_hopeless()) {
                continue;
            }
            let late = kind.lateness(tried.len());
            let value = self.try_move(node, spot, (alpha, beta), tried.is_empty(), late);
            if self.limits.is_over() {
                self.moves.truncate(base);
                return 0;
            }
            if value > best {
                best = value;
                best_move = Some(spot);
            }
            if value > alpha {
                alpha = value;
                if alpha >= beta {
                    self.order.refuted(&node, spot, &tried);
                    break;
                }
            }
            tried.push(spot);
        }
        self.moves.truncate(base);
        if tried.is_empty() && best_move.is_none() && stops.is_none() {
            // Renju forbids all candidates; any other move hardly matters.
            return standing;
        }
        let bound = match best {
            best if best >= beta => Bound::Lower,
            best if best > before => Bound::Exact,
            _ => Bound::Upper,
        };
        let best_move = if bound == Bound::Upper { None } else { best_move };
        let hash = self.hash(turn);
        self.table
            .store(hash, TableEntry { value: to_here(best, ply), bound, depth, best: best_move });
        best
    }

    /// The value of one move. All but the first are expected to be worse, and searched no further
    /// than it takes to see that; `late` ones less deeply at first.
    pub(super) fn try_move(
        &mut self,
        node: Node,
        spot: Spot,
        (alpha, beta): (i32, i32),
        is_first: bool,
        late: usize,
    ) -> i32 {
        let full = node.depth - 1;
        let reduced = if late == 0 || node.depth < 3 {
            full
        } else {
            let history = self.order.history(node.turn, spot);
            full - reduction(late, node.depth, history, beta - alpha > 1)
        };
        self.grid.place(spot, node.turn);
        let mut value = alpha + 1;
        if !is_first {
            value = -self.value(node.after(spot, reduced), -alpha - 1, -alpha);
            if value > alpha && reduced < full {
                value = -self.value(node.after(spot, full), -alpha - 1, -alpha);
            }
        }
        if is_first || value > alpha && value < beta {
            value = -self.value(node.after(spot, full), -beta, -alpha);
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
        let turn = node.turn;
        let (grid, order) = (&*self.grid, &*self.order);
        let scored = |spot| ScoredMove { spot, score: order.score(grid, &node, spot) };
        let is_other = |spot: &Spot| but != Some(*spot);
        match stops {
            Some(stops) => {
                let fours = grid.threats(turn, Threat::Four).filter(|spot| !stops.contains(*spot));
                let all = stops.iter(grid.len()).chain(fours);
                self.moves.extend(all.filter(is_other).map(scored));
            }
            None => self.moves.extend(grid.nearby().filter(is_other).map(scored)),
        }
    }

    /// Takes the best of the moves above `base`.
    fn next(&mut self, base: usize) -> Option<ScoredMove> {
        let left = self.moves.get(base..)?;
        let (best, _) =
            left.iter().enumerate().max_by_key(|(_, scored)| (scored.score, scored.spot))?;
        Some(self.moves.swap_remove(base + best))
    }

    /// The position's hash with the side to move.
    pub(super) const fn hash(&self, turn: Stone) -> u64 {
        self.grid.hash() ^ if matches!(turn, Stone::White) { WHITE_MOVES } else { 0 }
    }
}

/// The value of winning after so many plies, which may be beyond the longest line.
fn won_at(plies: u16) -> i32 {
    won_in(plies.min(2 * PLIES_MAX))
}

/// Distinguishes White's turn from Black's in the table.
const WHITE_MOVES: u64 = 0x1f83_d9ab_fb41_bd6b;

/// A value counted from the root, as one counted from a position that many plies on.
const fn to_here(value: i32, ply: u16) -> i32 {
    match value {
        WON.. => value + ply as i32,
        _ if value <= -WON => value - ply as i32,
        _ => value,
    }
}

/// The inverse of `to_here`.
const fn from_here(value: i32, ply: u16) -> i32 {
    match value {
        WON.. => value - ply as i32,
        _ if value <= -WON => value + ply as i32,
        _ => value,
    }
}
