//! The search proper: principal variation search on a grid.
//!
//! Values are for the side to move. A win in so many plies is [`WIN`](super::node::WIN) less those
//! plies, so a quick win is better than a slow one; everything else is well below [`WON`].
//!
//! Threats bound the moves to search: a five must be played, the other side's five and open four
//! must be stopped. Where the depth runs out, the search first follows fours to their end, then
//! evaluates the patterns.

use fivefold_shared::rules::Stone;

use super::{
    grid::Grid,
    late_moves::MoveKind,
    move_order::{MoveOrder, ScoredMove},
    node::{Node, PLY, WON, won_in},
    pattern::Threat,
    search_limits::SearchLimits,
    search_numbers::{FoursLimit, NUMBERS, SearchNumbers},
    spots::{Spot, SpotSet},
    transposition_table::{Bound, TableEntry, TranspositionTable, quarters},
    vcf::{Vcf, Verdict},
};

/// The greatest value of patterns.
const VALUE_MAX: i32 = WON - 1;
/// The longest line.
const PLIES_MAX: u16 = 200;

/// The state of one search.
#[derive(Debug)]
pub(super) struct TreeSearch<'a, 'b> {
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
    /// By ply: what was seen and done on the way to this position.
    pub(super) path: Box<[Step; PLIES_MAX as usize + 1]>,
}

/// What was seen and done at one ply of the line that is searched.
#[derive(Clone, Copy, Debug)]
pub(super) struct Step {
    /// The value without a search, or an estimate of it.
    pub(super) standing: i32,
    /// What kind of move was made.
    pub(super) kind: MoveKind,
}

impl Step {
    /// An empty line.
    pub(super) fn path() -> Box<[Self; PLIES_MAX as usize + 1]> {
        Box::new([Self { standing: 0, kind: MoveKind::Quiet }; PLIES_MAX as usize + 1])
    }
}

/// The knowledge about a position before its moves are tried.
#[derive(Clone, Copy, Debug)]
pub(super) struct Outlook<'a> {
    /// The value without a search.
    pub(super) standing: i32,
    /// The same to be remembered, if it is exact enough.
    pub(super) to_remember: Option<i32>,
    /// The least value that the position has.
    pub(super) least: i32,
    /// Where something has to be stopped: the points that may stop it.
    pub(super) stops: Option<&'a SpotSet>,
    /// Whether it is better than two plies before.
    pub(super) improves: bool,
    /// Whether some move is likely to be too good.
    pub(super) is_cut_likely: bool,
    /// A move that is left out.
    pub(super) excluded: Option<Spot>,
}

impl TreeSearch<'_, '_> {
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
        if ply >= PLIES_MAX {
            return self.static_value(turn);
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
        let stops = self.grid.answers_to_unstoppable(turn.opponent());
        if node.depth <= 0 && (stops.is_none() || node.depth <= NUMBERS.stops_depth) {
            return self.leaf(node, alpha, beta);
        }
        self.inner(node, alpha, beta, stops.as_ref())
    }

    /// The evaluation of a position without a search: by its patterns. Where these are near the
    /// window, the network over shapes is asked too, which is slower, and a mean of both counts,
    /// which measured better than either. Says whether it was asked.
    fn evaluate(&mut self, turn: Stone, alpha: i32, beta: i32) -> (i32, bool) {
        let patterns = self.grid.value(turn);
        let SearchNumbers { network_margin: margin, network_percent: share, .. } = NUMBERS;
        let is_near = (alpha - margin..=beta + margin).contains(&patterns);
        let network = if is_near { self.grid.network_value(turn) } else { None };
        let both = |network| ((100 - share) * patterns + share * network) / 100;
        (network.map_or(patterns, both).clamp(-VALUE_MAX, VALUE_MAX), network.is_some())
    }

    /// The evaluation, however far from any window.
    pub(super) fn static_value(&mut self, turn: Stone) -> i32 {
        self.evaluate(turn, -WON, WON).0
    }

    /// The other side has a five next: it must be stopped. That costs no depth.
    fn answer_five(&mut self, node: Node, mut alpha: i32, beta: i32) -> i32 {
        let mut answers = Vec::new();
        self.grid.answers_to_fives(node.turn.opponent(), &mut answers);
        let mut best = -won_in(node.ply + 2);
        self.path[usize::from(node.ply)] =
            Step { standing: self.standing_before(node.ply), kind: MoveKind::Stop };
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
        let (standing, _) = self.evaluate(node.turn, alpha, beta);
        if standing >= beta {
            return standing;
        }
        self.win_by_fours(node, NUMBERS.fours_at_leaf).unwrap_or(standing)
    }

    /// The value of a win by fours alone, if a short search finds one.
    fn win_by_fours(&mut self, node: Node, limit: FoursLimit) -> Option<i32> {
        self.plies_of_fours(node.turn, node.depth, limit).map(|plies| won_at(node.ply + plies))
    }

    /// In how many plies fours alone win for a side that is to move, if a short search finds it.
    fn plies_of_fours(&mut self, attacker: Stone, depth: i32, limit: FoursLimit) -> Option<u16> {
        if self.grid.threat_count(attacker, Threat::Four) == 0 {
            return None;
        }
        let FoursLimit { per_ply, most } = limit;
        let nodes = (per_ply * (depth / PLY).max(1)).min(most).unsigned_abs().into();
        let (grid, depth) = (&mut *self.grid, self.vcf_depth);
        let verdict = self.vcf.search_connected(grid, attacker, depth, nodes, self.limits);
        let plies = u16::try_from(self.vcf.line().len()).unwrap_or(PLIES_MAX) + 2;
        (verdict == Verdict::Win).then_some(plies)
    }

    /// Where fours alone would win for the other side if it were to move: the points that may stop
    /// them, and the value if none does.
    fn stops_of_fours(&mut self, node: Node) -> Option<(SpotSet, i32)> {
        let other = node.turn.opponent();
        let plies = self.plies_of_fours(other, node.depth, NUMBERS.fours_of_other)?;
        let stops = self.vcf.refutations(self.grid, other)?;
        Some((stops, -won_at(node.ply + 1 + plies)))
    }

    /// Searches a position with remaining depth where nothing is decided at once.
    fn inner(&mut self, node: Node, alpha: i32, beta: i32, stops: Option<&SpotSet>) -> i32 {
        let Node { turn, depth, ply, .. } = node;
        let is_pv = beta - alpha > 1;
        let hash = self.hash(turn);
        let known = self.table.probe(hash);
        if let Some(value) = known.and_then(|known| decided(&known, node, alpha, beta)) {
            return value;
        }
        let remembered = known.and_then(|known| known.standing);
        let (standing, to_remember) = self.standing(node, alpha, beta, stops.is_some(), remembered);
        self.path[usize::from(ply)] = Step { standing, kind: MoveKind::Quiet };
        let improves = ply >= 2 && standing > self.path[usize::from(ply) - 2].standing;
        let estimate = match known {
            Some(known) if stops.is_none() => {
                corrected(standing, from_here(known.value, ply), known.bound)
            }
            _ => standing,
        };
        let is_ordinary = !is_pv && stops.is_none() && beta.abs() < WON;
        let gain = if improves { NUMBERS.ahead_improving } else { 0 };
        let ahead = NUMBERS.ahead_per_ply * (depth - gain).max(0) / PLY;
        if is_ordinary && depth <= NUMBERS.ahead_depth && estimate - ahead >= beta {
            return estimate;
        }
        if let Some(value) = self.win_by_fours(node, NUMBERS.fours_inside) {
            let known = TableEntry {
                value: to_here(value, ply),
                bound: Bound::Lower,
                depth: quarters(i32::MAX),
                standing: to_remember,
                best: self.vcf.line().next(),
            };
            self.table.store(hash, known);
            return value;
        }
        let behind = NUMBERS.lost_least + NUMBERS.lost_per_ply * depth / PLY;
        if is_ordinary && depth <= NUMBERS.lost_depth && estimate + behind <= alpha {
            return estimate;
        }
        let stops_of_fours = if stops.is_none() && depth >= NUMBERS.fours_of_other_depth {
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
        let (deep, less) = (NUMBERS.unknown_best_depth, NUMBERS.unknown_best_reduction);
        let is_best_known = known.is_some_and(|known| known.best.is_some());
        let depth = if !is_best_known && depth >= deep { depth - less } else { depth };
        let far_ahead = NUMBERS.likely_cut_least + NUMBERS.likely_cut_per_ply * depth / PLY;
        let is_cut_likely = !is_pv && node.is_cut && estimate >= beta + far_ahead;
        let outlook = Outlook {
            standing,
            to_remember,
            least,
            stops,
            improves,
            is_cut_likely,
            excluded: None,
        };
        self.try_moves(Node { depth, ..node }, (alpha, beta), &outlook, known)
    }

    /// The value of a position without a search, and the same if it is exact enough to be remembered.
    fn standing(
        &mut self,
        node: Node,
        alpha: i32,
        beta: i32,
        has_to_stop: bool,
        remembered: Option<i32>,
    ) -> (i32, Option<i32>) {
        if has_to_stop {
            // It is hardly needed, as few moves are tried.
            return (self.standing_before(node.ply), None);
        }
        if let Some(standing) = remembered {
            return (standing, remembered);
        }
        let (standing, is_whole) = self.evaluate(node.turn, alpha, beta);
        (standing, is_whole.then_some(standing))
    }

    /// The value of a position whose side to move has to stop something, as far as it was seen one ply
    /// before.
    fn standing_before(&self, ply: u16) -> i32 {
        if ply == 0 { 0 } else { -self.path[usize::from(ply) - 1].standing }
    }

    /// Whether a side is ahead even after it has passed (a *null move*): some move is nearly always
    /// better. Not twice in a row.
    fn is_ahead_after_pass(&mut self, node: Node, beta: i32) -> bool {
        node.depth >= NUMBERS.pass_depth && node.last.is_some() && {
            let passed = node.passed(node.depth - NUMBERS.pass_cost - node.depth / 4);
            (beta..WON).contains(&-self.value(passed, -beta, -beta + 1))
        }
    }

    /// The position's hash with the side to move.
    pub(super) const fn hash(&self, turn: Stone) -> u64 {
        self.grid.hash() ^ if matches!(turn, Stone::White) { WHITE_MOVES } else { 0 }
    }
}

/// The value that an earlier search found, if that is enough for a node outside the principal variation.
fn decided(known: &TableEntry, node: Node, alpha: i32, beta: i32) -> Option<i32> {
    let value = from_here(known.value, node.ply);
    let is_enough = match known.bound {
        Bound::Exact => true,
        Bound::Lower => value >= beta,
        Bound::Upper => value <= alpha,
    };
    let is_pv = beta - alpha > 1;
    (!is_pv && known.depth >= quarters(node.depth) && is_enough).then_some(value)
}

/// A value without a search, corrected by what an earlier search says.
fn corrected(standing: i32, searched: i32, bound: Bound) -> i32 {
    match bound {
        _ if searched.abs() >= WON => standing,
        Bound::Exact => searched,
        Bound::Lower => standing.max(searched),
        Bound::Upper => standing.min(searched),
    }
}

/// The value of winning after so many plies, which may be beyond the longest line.
fn won_at(plies: u16) -> i32 {
    won_in(plies.min(2 * PLIES_MAX))
}

/// Distinguishes White's turn from Black's in the table.
const WHITE_MOVES: u64 = 0x1f83_d9ab_fb41_bd6b;

/// A value counted from the root, as one counted from a position that many plies on.
pub(super) const fn to_here(value: i32, ply: u16) -> i32 {
    match value {
        WON.. => value + ply as i32,
        _ if value <= -WON => value - ply as i32,
        _ => value,
    }
}

/// The inverse of `to_here`.
pub(super) const fn from_here(value: i32, ply: u16) -> i32 {
    match value {
        WON.. => value - ply as i32,
        _ if value <= -WON => value + ply as i32,
        _ => value,
    }
}
