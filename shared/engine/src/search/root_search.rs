//! The search from the root, and [`Engine`], its public interface: positions in, analyses out.
//!
//! The engine keeps its board and its tables from one position to the next, and searches deeper and
//! deeper until its budget is used up. With one thread and a budget of nodes alone, the same calls
//! give the same answers.
//!
//! The caller may lend more [`Threads`]. Their jobs search the same position beside the first, each
//! on a board of its own; they share the transposition table, so each profits from the others'
//! work. The first one's result is the answer.

use std::{
    cmp::Reverse,
    fmt,
    sync::atomic::{AtomicBool, AtomicU64, Ordering},
};

use fivefold_shared::{
    analysis::{Analysis, Line, Value},
    rules::{Point, Position, Rules, Stone},
    search_budget::{SearchJob, Thinking, Threads},
};

use super::{
    eval_features::CHANCE_SCALE,
    grid::Grid,
    grid_window::Window,
    late_moves::{LateMove, MoveKind},
    move_order::MoveOrder,
    node::{Node, PLY, WIN, WON, won_in},
    pattern::Flags,
    pattern::Threat,
    pattern_tables::Tables,
    root_moves::{self, RootMove, UNKNOWN},
    search_limits::{Doubt, SearchLimits},
    search_numbers::NUMBERS,
    shape_network::ShapeNetwork,
    spots::Spot,
    transposition_table::TranspositionTable,
    tree_search::{Step, TreeSearch},
    vcf::{MOVES_MAX, Vcf, Verdict},
    vct::Vct,
};

/// Settings of an engine.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct EngineOptions {
    /// Memory for remembered positions.
    pub hash_bytes: usize,
    /// How many moves ahead it finds wins by continuous fours.
    pub vcf_depth: u8,
    /// Threads to search with. A budget of nodes limits the first one.
    pub threads: Threads,
}

impl Default for EngineOptions {
    fn default() -> Self {
        Self { hash_bytes: 16 << 20, vcf_depth: MOVES_MAX, threads: Threads::ONE }
    }
}

/// A searcher for games by one set of rules.
pub struct Engine {
    tables: &'static Tables,
    rules: Rules,
    grid: Option<Grid>,
    placed: Vec<Spot>,
    vcf: Vcf,
    vct: Vct,
    table: TranspositionTable,
    order: MoveOrder,
    helpers: Vec<Helper>,
    threads: Threads,
    vcf_depth: u8,
}

/// State of one additional thread.
struct Helper {
    vcf: Vcf,
    order: MoveOrder,
}

/// The deepest that is searched.
const DEPTH_MAX: i32 = 100;
impl Engine {
    /// An engine for games by these rules; `None` where more than six in a row win, as its tables
    /// end there.
    pub fn new(rules: Rules, options: EngineOptions) -> Option<Self> {
        let entries = 1_usize << (options.hash_bytes / 64).max(1 << 10).ilog2();
        let tables = Tables::of(rules.variant())?;
        // Read now, so that the first search has its time for itself.
        ShapeNetwork::of(tables);
        Some(Self {
            tables,
            rules,
            grid: None,
            placed: Vec::new(),
            vcf: Vcf::new(entries),
            vct: Vct::new(entries),
            table: TranspositionTable::new(options.hash_bytes / 4 * 3),
            order: MoveOrder::new(),
            helpers: (1..options.threads.count())
                .map(|_| Helper { vcf: Vcf::new(entries), order: MoveOrder::new() })
                .collect(),
            vcf_depth: options.vcf_depth,
            threads: options.threads,
        })
    }

    /// Searches a position and returns the `multi` best moves, or as many as there are; one of each
    /// set of symmetric moves. `None` when the game is over. Calls `progress` with each better or
    /// deeper result.
    ///
    /// # Panics
    /// When the position is of other rules than the engine's.
    pub fn search(
        &mut self,
        position: &Position,
        thinking: &Thinking<'_>,
        multi: usize,
        progress: &mut dyn FnMut(&Analysis),
    ) -> Option<Analysis> {
        self.search_others(position, None, thinking, multi, progress)
    }

    /// As [`Engine::search`], for the best of the other moves than `excluded`; `None` also where
    /// there are no others.
    ///
    /// # Panics
    /// When the position is of other rules than the engine's.
    pub fn search_others(
        &mut self,
        position: &Position,
        excluded: Option<Point>,
        thinking: &Thinking<'_>,
        multi: usize,
        progress: &mut dyn FnMut(&Analysis),
    ) -> Option<Analysis> {
        assert_eq!(position.rules(), self.rules, "the position is of the engine's rules");
        if position.outcome().is_some() {
            return None;
        }
        self.set_up(position);
        self.table.begin();
        self.order.begin();
        self.helpers.iter_mut().for_each(|helper| helper.order.begin());
        let grid = self.grid.as_mut().expect("it was set up");
        let mut root_moves = root_moves::of(position, grid, &self.order);
        if let Some(excluded) = excluded.and_then(|point| grid.window().spot(point)) {
            root_moves.retain(|root_move| root_move.spot != excluded);
            if root_moves.is_empty() {
                return None;
            }
        }
        let (turn, vcf_depth, table) = (position.turn(), self.vcf_depth, &self.table);
        let (stop, helper_nodes) = (AtomicBool::new(false), AtomicU64::new(0));
        let (stop, helper_nodes) = (&stop, &helper_nodes);
        let helpers = self.helpers.iter_mut().enumerate().map(|(index, Helper { vcf, order })| {
            let (mut grid, root_moves) = (grid.clone(), root_moves.clone());
            let job = move || {
                let thinking = Thinking { cancel: stop, ..Thinking::unlimited() };
                let (grid, limits) = (&mut grid, &mut SearchLimits::new(&thinking));
                let (moves, path) = (Vec::new(), Step::path());
                let search = TreeSearch { grid, vcf, table, order, limits, vcf_depth, moves, path };
                Root { turn, root_moves, multi: 1, depth: 0, helper_nodes, search }
                    .run_helper(index);
            };
            Box::new(job) as SearchJob<'_>
        });
        let helpers = helpers.collect();
        let (vct, vcf, order) = (&mut self.vct, &mut self.vcf, &mut self.order);
        let mut analysis = None;
        let first = Box::new(|| {
            let limits = &mut SearchLimits::new(thinking);
            let (moves, path) = (Vec::new(), Step::path());
            let search = TreeSearch { grid, vcf, table, order, limits, vcf_depth, moves, path };
            let multi = multi.max(1);
            let mut root = Root { turn, root_moves, multi, depth: 0, helper_nodes, search };
            root.run(vct, thinking, progress);
            stop.store(true, Ordering::Relaxed);
            analysis = Some(root.analysis());
        });
        self.threads.run(first, helpers);
        analysis
    }

    /// The moves that make the strongest patterns for the side to move, best first, as if the
    /// opponent had no stones. Empty when the game is over.
    pub fn attacking_moves(&mut self, position: &Position, most: usize) -> Vec<Point> {
        assert_eq!(position.rules(), self.rules, "the position is of the engine's rules");
        self.set_up(position);
        let grid = self.grid.as_ref().expect("it was set up");
        let legal = grid.nearby().filter_map(|spot| {
            let point = grid.window().point(spot)?;
            position.legality(point).is_ok().then_some((spot, point))
        });
        let made = |spot| grid.urgency(spot, position.turn()).to_make;
        let mut moves: Vec<_> = legal.map(|(spot, point)| (Reverse(made(spot)), point)).collect();
        moves.sort_unstable();
        moves.into_iter().take(most).map(|(_, point)| point).collect()
    }

    /// Whether the side that has just moved threatens to make a five.
    pub fn is_five_threatened(&mut self, position: &Position) -> bool {
        assert_eq!(position.rules(), self.rules, "the position is of the engine's rules");
        self.set_up(position);
        let grid = self.grid.as_ref().expect("it was set up");
        grid.threat_count(position.turn().opponent(), Threat::Five) > 0
    }

    /// Clears all tables.
    pub fn forget(&mut self) {
        self.vcf.clear();
        self.vct.clear();
        self.table.clear();
        self.order.clear();
        for Helper { vcf, order } in &mut self.helpers {
            vcf.clear();
            order.clear();
        }
    }

    /// Brings the grid to a position, keeping the stones that are the same.
    fn set_up(&mut self, position: &Position) {
        let window = Window::of(position, self.grid.as_ref().map(Grid::window));
        if self.grid.as_ref().is_none_or(|grid| *grid.window() != window) {
            self.grid = Some(Grid::new(self.tables, window.clone()));
            self.placed.clear();
            self.forget();
        }
        let grid = self.grid.as_mut().expect("it was just made");
        let wanted: Vec<(Spot, Stone)> = position
            .moves()
            .iter()
            .enumerate()
            .filter_map(|(ply, point)| Some((window.spot(*point)?, Stone::to_move(ply))))
            .collect();
        let same = self
            .placed
            .iter()
            .zip(&wanted)
            .take_while(|(placed, (spot, stone))| {
                *placed == spot && grid.stone_at(*spot) == Some(*stone)
            })
            .count();
        for spot in self.placed.drain(same..).rev() {
            grid.take_back(spot);
        }
        for (spot, stone) in &wanted[same..] {
            grid.place(*spot, *stone);
            self.placed.push(*spot);
        }
    }
}

impl fmt::Debug for Engine {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Engine").field("rules", &self.rules).finish_non_exhaustive()
    }
}

/// One search from the root.
struct Root<'a, 'b> {
    turn: Stone,
    /// Best first, as far as is known.
    root_moves: Vec<RootMove>,
    multi: usize,
    depth: u16,
    /// Positions searched by the other threads.
    helper_nodes: &'a AtomicU64,
    search: TreeSearch<'a, 'b>,
}

/// The value of a win of unknown length.
const WON_SOME_TIME: i32 = WON + 1;

impl Root<'_, '_> {
    /// Searches on an additional thread. These begin at different depths, so that they do different
    /// work.
    fn run_helper(&mut self, index: usize) {
        self.begin();
        for depth in 1 + i32::from(index.is_multiple_of(2))..=DEPTH_MAX {
            let before = self.search.limits.nodes();
            self.deepen(depth, 0);
            let looked_at = self.search.limits.nodes() - before;
            self.helper_nodes.fetch_add(looked_at, Ordering::Relaxed);
            if self.search.limits.is_over() || self.root_moves[0].value.abs() >= WON {
                return;
            }
        }
    }

    /// Leaves out what is searched once, and notes what is known of the root.
    fn begin(&mut self) {
        self.root_moves.retain(|root_move| !root_move.is_image);
        let standing = self.search.static_value(self.turn);
        self.search.path[0] = Step { standing, kind: MoveKind::Quiet };
    }

    fn run(&mut self, vct: &mut Vct, thinking: &Thinking<'_>, progress: &mut dyn FnMut(&Analysis)) {
        if self.multi == 1 && self.try_threats(vct, thinking) {
            return;
        }
        self.begin();
        let mut doubt = Doubt::default();
        for depth in 1..=DEPTH_MAX {
            let lines = self.multi.min(self.root_moves.len());
            for line in 0..lines {
                self.deepen(depth, line);
                if self.search.limits.is_over() {
                    break;
                }
            }
            if self.search.limits.is_over() {
                return;
            }
            self.depth = u16::try_from(depth).expect("the depth is small");
            progress(&self.analysis());
            let best = self.root_moves[0].value;
            let is_decided = best >= WON || best <= -WON && depth >= WIN + best;
            if self.multi == 1 && (is_decided || self.root_moves.len() == 1) {
                return;
            }
            doubt.note(self.root_moves[0].spot, best);
            let is_settled = |average| doubt.is_settled(average, (thinking.elapsed)());
            if thinking.budget.average.is_some_and(is_settled) {
                return;
            }
        }
    }

    /// Looks for a win by threats alone, and puts its first move first.
    fn try_threats(&mut self, vct: &mut Vct, thinking: &Thinking<'_>) -> bool {
        let TreeSearch { grid, vcf, limits, vcf_depth, .. } = &mut self.search;
        let attacker = self.turn;
        if grid.threat_count(attacker, Threat::Five) > 0 {
            self.root_moves[0].value = won_in(1);
            return true;
        }
        if vcf.search(grid, attacker, *vcf_depth, NUMBERS.root_fours, limits) == Verdict::Win {
            let any: Vec<Spot> = vcf.line().collect();
            let moves = u8::try_from(any.len().div_ceil(2)).unwrap_or(MOVES_MAX);
            let line = match vcf.shortest(grid, attacker, moves, NUMBERS.root_fours, limits) {
                Verdict::Win => vcf.line().collect(),
                Verdict::Horizon | Verdict::NoWin => any,
            };
            let plies = u16::try_from(line.len()).unwrap_or(u16::MAX).saturating_add(2).min(1_000);
            return self.decide(line, won_in(plies));
        }
        let milliseconds = thinking.budget.time.as_millis().try_into().unwrap_or(u64::MAX);
        let most = NUMBERS.root_threats_most;
        let nodes = thinking.budget.nodes.map_or(most, |nodes| nodes / NUMBERS.root_threats_part);
        let in_time = milliseconds.saturating_mul(NUMBERS.root_threats_per_millisecond);
        let nodes = nodes.min(in_time).min(most);
        match vct.search(grid, vcf, attacker, nodes, limits) {
            Some((spot, _)) => self.decide(vec![spot], WON_SOME_TIME),
            None => false,
        }
    }

    /// Puts a won line first, if its first move may be played.
    fn decide(&mut self, moves: Vec<Spot>, value: i32) -> bool {
        let first = moves[0];
        let Some(index) = self.root_moves.iter().position(|move_| move_.spot == first) else {
            return false;
        };
        self.root_moves[..=index].rotate_right(1);
        self.root_moves[0].value = value;
        self.root_moves[0].moves = moves;
        true
    }

    /// Searches the root moves from `line` on for the best of them, and puts it there.
    fn deepen(&mut self, depth: i32, line: usize) {
        let expected = self.root_moves[line].value;
        let mut width = NUMBERS.aspiration;
        let is_known = expected.abs() < WON && expected != UNKNOWN;
        let (mut alpha, mut beta) = if depth >= NUMBERS.aspiration_plies && is_known {
            (expected - width, expected + width)
        } else {
            (-WIN, WIN)
        };
        loop {
            let value = self.search_moves(depth, line, alpha, beta);
            if self.search.limits.is_over() || value > alpha && value < beta {
                return;
            }
            width *= NUMBERS.aspiration_widens;
            if value <= alpha {
                alpha = (value - width).max(-WIN);
            } else {
                beta = (value + width).min(WIN);
            }
            if width > NUMBERS.aspiration_most {
                (alpha, beta) = (-WIN, WIN);
            }
        }
    }

    fn search_moves(&mut self, depth: i32, line: usize, mut alpha: i32, beta: i32) -> i32 {
        let mut best = -WIN;
        for index in line..self.root_moves.len() {
            let spot = self.root_moves[index].spot;
            let node = Node::root(self.turn, depth * PLY);
            let late = if self.is_quiet(spot) { index - line } else { 0 };
            let late_move = LateMove { late, is_pv: beta - alpha > 1, ..LateMove::default() };
            let depths = self.search.reduced(&node, spot, node.depth - PLY, late_move);
            self.search.path[0].kind = MoveKind::of(self.search.grid.flags(spot, self.turn), false);
            let value = self.search.try_move(node, spot, (alpha, beta), depths, index == line);
            if self.search.limits.is_over() {
                return best;
            }
            if value > best {
                best = value;
            }
            if value > alpha {
                alpha = value;
                let moves = self.principal(spot);
                let root_move = &mut self.root_moves[index];
                (root_move.value, root_move.moves) = (value, moves);
                self.root_moves[line..=index].rotate_right(1);
                if alpha >= beta {
                    return best;
                }
            } else if index == line {
                self.root_moves[index].value = value;
            }
        }
        best
    }

    /// Whether a move neither makes nor answers a threat.
    fn is_quiet(&mut self, spot: Spot) -> bool {
        let grid = &mut *self.search.grid;
        let flags = grid.flags(spot, self.turn);
        let other = self.turn.opponent();
        !flags.any(Flags::FOUR)
            && !flags.any(Flags::THREE)
            && grid.threat_count(other, Threat::Five) == 0
            && grid.threat_count(other, Threat::Unstoppable) == 0
    }

    /// The principal variation from a move on, as far as the table has it.
    fn principal(&mut self, first: Spot) -> Vec<Spot> {
        let mut moves = vec![first];
        let mut turn = self.turn;
        let mut next = Some(first);
        while let Some(spot) = next {
            self.search.grid.place(spot, turn);
            turn = turn.opponent();
            next = self.search.table.probe(self.search.hash(turn)).and_then(|known| known.best);
            let is_possible = |spot: &Spot| self.search.grid.stone_at(*spot).is_none();
            next = next.filter(is_possible).filter(|_| moves.len() < 30);
            moves.extend(next);
        }
        for spot in moves.iter().rev() {
            self.search.grid.take_back(*spot);
        }
        moves
    }

    fn analysis(&mut self) -> Analysis {
        let static_value = self.search.static_value(self.turn);
        let window = self.search.grid.window();
        // The first is always listed, even if there was no time to search it.
        let (first, others) = self.root_moves.split_first().expect("there is a root_move");
        let others = others.iter().take(self.multi - 1);
        let mut best: Vec<&RootMove> = vec![first];
        best.extend(others.filter(|root_move| root_move.value != UNKNOWN));
        best.sort_by_key(|root_move| Reverse(root_move.value));
        let lines = best.into_iter().map(|root_move| Line {
            moves: root_move.moves.iter().map_while(|spot| window.point(*spot)).collect(),
            value: match root_move.value {
                UNKNOWN => value(static_value),
                known => value(known),
            },
        });
        let nodes = self.search.limits.nodes() + self.helper_nodes.load(Ordering::Relaxed);
        Analysis { lines: lines.collect(), depth: self.depth, nodes }
    }
}

fn value(value: i32) -> Value {
    let plies = |to: i32| u16::try_from((WIN - to).max(0)).unwrap_or(u16::MAX);
    match value {
        WON_SOME_TIME => Value::Win { plies: None },
        WON.. => Value::Win { plies: Some(plies(value)) },
        _ if value <= -WON => Value::Loss { plies: plies(-value) },
        _ => Value::Chance(1.0 / (1.0 + (-f64::from(value) / f64::from(CHANCE_SCALE)).exp())),
    }
}
