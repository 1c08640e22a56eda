//! The engine as others use it: it takes positions and returns what it thinks of them.
//!
//! It keeps its board and what it has learned from one position to the next, and looks deeper and
//! deeper until its thinking is over. With one thread and a budget of nodes alone the same calls
//! give the same answers.
//!
//! More threads search the same position beside the first, each on a board of its own; they share
//! the table, so each goes quickly through what another has been through. What the first finds is
//! the answer.

use std::{
    cmp::Reverse,
    fmt,
    sync::atomic::{AtomicBool, AtomicU64, Ordering},
    thread,
};

use super::{
    candidates::{self, Candidate, UNKNOWN},
    grid::{Grid, Kept},
    limits::Limits,
    order::Order,
    pattern::{Flags, Tables},
    search::{Node, Search, WIN, WON, won_in},
    spots::Spot,
    table::Table,
    vcf::{MOVES_MAX, Vcf, Verdict},
    vct::Vct,
    window::Window,
};
use crate::{
    analysis::{Analysis, Line, Value},
    bot::Thinking,
    rules::{Point, Position, Rules, Stone, Variant},
};

/// What an operator decides about an engine.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct EngineOptions {
    /// How much memory it may use to remember positions.
    pub hash_bytes: usize,
    /// How many moves ahead it sees wins by continuous fours.
    pub fours_ahead: u8,
    /// How many threads search, at least one. A budget of nodes is that of the first.
    pub threads: usize,
}

impl Default for EngineOptions {
    fn default() -> Self {
        Self { hash_bytes: 16 << 20, fours_ahead: MOVES_MAX, threads: 1 }
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
    table: Table,
    order: Order,
    helpers: Vec<Helper>,
    fours_ahead: u8,
}

/// What a further thread needs for itself.
struct Helper {
    vcf: Vcf,
    order: Order,
}

/// The deepest that is searched.
const DEPTH_MAX: i32 = 100;
/// How many positions the search for fours at the root may look at; it takes about as long as the
/// engine may take to stop.
const VCF_NODES: u64 = 8_000;
/// How many positions the search for threats at the root may look at for each millisecond.
const VCT_NODES: u64 = 200;
/// See [`VCT_NODES`]: where time is not what bounds the search.
const VCT_NODES_MAX: u64 = 400_000;
/// How far from the last value the next is expected.
const ASPIRATION: i32 = 30;
/// How far ahead in value a chance of winning of 73 % is; fitted to the outcomes of games of the
/// engine against itself.
const CHANCE_SCALE: f64 = 600.0;

impl Engine {
    /// An engine for games by these rules; `None` where more than six in a row win, as its tables
    /// end there.
    pub fn new(rules: Rules, options: EngineOptions) -> Option<Self> {
        let entries = 1_usize << (options.hash_bytes / 64).max(1 << 10).ilog2();
        Some(Self {
            tables: Tables::of(rules.variant())?,
            rules,
            grid: None,
            placed: Vec::new(),
            vcf: Vcf::new(entries),
            vct: Vct::new(entries),
            table: Table::new(options.hash_bytes / 4 * 3),
            order: Order::new(),
            helpers: (1..options.threads.max(1))
                .map(|_| Helper { vcf: Vcf::new(entries), order: Order::new() })
                .collect(),
            fours_ahead: options.fours_ahead,
        })
    }

    /// Whether there is an engine for this variant: see [`new`](Self::new).
    pub const fn knows(variant: Variant) -> bool {
        !matches!(variant, Variant::Mnk { k: 7.. })
    }

    /// Thinks about a position and returns the `multi` best moves, or as many as there are; of moves
    /// that a symmetry of the position makes the same, one. `None` when the game is over. `progress`
    /// is told each time that something better or deeper is known.
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
        assert_eq!(position.rules(), self.rules, "the position is of the engine's rules");
        if position.outcome().is_some() {
            return None;
        }
        self.set_up(position);
        self.table.begin();
        self.order.begin();
        self.helpers.iter_mut().for_each(|helper| helper.order.begin());
        let grid = self.grid.as_mut().expect("it was set up");
        let candidates = candidates::of(position, grid, &self.order);
        let (turn, fours_ahead, table) = (position.turn(), self.fours_ahead, &self.table);
        let (stop, helped) = (AtomicBool::new(false), AtomicU64::new(0));
        thread::scope(|scope| {
            for (index, Helper { vcf, order }) in self.helpers.iter_mut().enumerate() {
                let (mut grid, candidates) = (grid.clone(), candidates.clone());
                let (stop, helped) = (&stop, &helped);
                scope.spawn(move || {
                    let thinking = Thinking { cancel: stop, ..Thinking::unlimited() };
                    let (grid, limits) = (&mut grid, &mut Limits::new(&thinking));
                    let moves = Vec::new();
                    let search = Search { grid, vcf, table, order, limits, fours_ahead, moves };
                    Root { turn, candidates, multi: 1, depth: 0, helped, search }.help(index);
                });
            }
            let limits = &mut Limits::new(thinking);
            let (vcf, order, moves) = (&mut self.vcf, &mut self.order, Vec::new());
            let search = Search { grid, vcf, table, order, limits, fours_ahead, moves };
            let multi = multi.max(1);
            let mut root = Root { turn, candidates, multi, depth: 0, helped: &helped, search };
            root.run(&mut self.vct, thinking, progress);
            stop.store(true, Ordering::Relaxed);
            Some(root.analysis())
        })
    }

    /// The moves by which the side to move would make the most, whatever the other side may do, best
    /// first: what one thinks of who sees only one's own stones. Nothing when the game is over.
    pub fn own_ideas(&mut self, position: &Position, most: usize) -> Vec<Point> {
        assert_eq!(position.rules(), self.rules, "the position is of the engine's rules");
        self.set_up(position);
        let grid = self.grid.as_ref().expect("it was set up");
        let legal = grid.nearby().filter_map(|spot| {
            let point = grid.window().point(spot)?;
            position.legality(point).is_ok().then_some((spot, point))
        });
        let made = |spot| grid.urgency(spot, position.turn()).to_make;
        let mut ideas: Vec<_> = legal.map(|(spot, point)| (Reverse(made(spot)), point)).collect();
        ideas.sort_unstable();
        ideas.into_iter().take(most).map(|(_, point)| point).collect()
    }

    /// Whether the side that has just moved makes a five next if nothing is done.
    pub fn is_five_threatened(&mut self, position: &Position) -> bool {
        assert_eq!(position.rules(), self.rules, "the position is of the engine's rules");
        self.set_up(position);
        let grid = self.grid.as_ref().expect("it was set up");
        grid.count(position.turn().opponent(), Kept::Fives) > 0
    }

    /// Forgets all that was learned.
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
    candidates: Vec<Candidate>,
    multi: usize,
    depth: u16,
    /// How many positions the other threads have looked at.
    helped: &'a AtomicU64,
    search: Search<'a, 'b>,
}

/// The value of a win of unknown length.
const WON_SOME_TIME: i32 = WON + 1;

impl Root<'_, '_> {
    /// As one of the other threads. They begin at different depths, so that they do not all do
    /// the same.
    fn help(&mut self, index: usize) {
        self.candidates.retain(|candidate| !candidate.is_image);
        for depth in 1 + i32::from(index.is_multiple_of(2))..=DEPTH_MAX {
            let before = self.search.limits.nodes();
            self.deepen(depth, 0);
            let looked_at = self.search.limits.nodes() - before;
            self.helped.fetch_add(looked_at, Ordering::Relaxed);
            if self.search.limits.is_over() || self.candidates[0].value.abs() >= WON {
                return;
            }
        }
    }

    fn run(&mut self, vct: &mut Vct, thinking: &Thinking<'_>, progress: &mut dyn FnMut(&Analysis)) {
        if self.multi == 1 && self.try_threats(vct, thinking) {
            return;
        }
        self.candidates.retain(|candidate| !candidate.is_image);
        for depth in 1..=DEPTH_MAX {
            let lines = self.multi.min(self.candidates.len());
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
            let best = self.candidates[0].value;
            let is_decided = best >= WON || best <= -WON && depth >= WIN + best;
            if self.multi == 1 && (is_decided || self.candidates.len() == 1) {
                return;
            }
        }
    }

    /// Looks for a win by threats alone, and puts its first move first.
    fn try_threats(&mut self, vct: &mut Vct, thinking: &Thinking<'_>) -> bool {
        let Search { grid, vcf, limits, fours_ahead, .. } = &mut self.search;
        let attacker = self.turn;
        if grid.count(attacker, Kept::Fives) > 0 {
            self.candidates[0].value = won_in(1);
            return true;
        }
        if vcf.search(grid, attacker, *fours_ahead, VCF_NODES, limits) == Verdict::Win {
            let any: Vec<Spot> = vcf.line().collect();
            let moves = u8::try_from(any.len().div_ceil(2)).unwrap_or(MOVES_MAX);
            let line = match vcf.shortest(grid, attacker, moves, VCF_NODES, limits) {
                Verdict::Win => vcf.line().collect(),
                Verdict::Beyond | Verdict::Never => any,
            };
            let plies = u16::try_from(line.len()).unwrap_or(u16::MAX).saturating_add(2).min(1_000);
            return self.decide(line, won_in(plies));
        }
        let milliseconds = thinking.budget.time.as_millis().try_into().unwrap_or(u64::MAX);
        let nodes = thinking.budget.nodes.map_or(VCT_NODES_MAX, |nodes| nodes / 8);
        let nodes = nodes.min(milliseconds.saturating_mul(VCT_NODES)).min(VCT_NODES_MAX);
        match vct.search(grid, vcf, attacker, nodes, limits) {
            Some((spot, _)) => self.decide(vec![spot], WON_SOME_TIME),
            None => false,
        }
    }

    /// Settles on a won line, if its first move is one that may be played.
    fn decide(&mut self, moves: Vec<Spot>, value: i32) -> bool {
        let first = moves[0];
        let Some(index) = self.candidates.iter().position(|move_| move_.spot == first) else {
            return false;
        };
        self.candidates[..=index].rotate_right(1);
        self.candidates[0].value = value;
        self.candidates[0].moves = moves;
        true
    }

    /// Searches the candidates from `line` on for the best of them, and puts it there.
    fn deepen(&mut self, depth: i32, line: usize) {
        let expected = self.candidates[line].value;
        let mut width = ASPIRATION;
        let (mut alpha, mut beta) = if depth >= 4 && expected.abs() < WON && expected != UNKNOWN {
            (expected - width, expected + width)
        } else {
            (-WIN, WIN)
        };
        loop {
            let value = self.try_candidates(depth, line, alpha, beta);
            if self.search.limits.is_over() || value > alpha && value < beta {
                return;
            }
            width *= 3;
            if value <= alpha {
                alpha = (value - width).max(-WIN);
            } else {
                beta = (value + width).min(WIN);
            }
            if width > 2_000 {
                (alpha, beta) = (-WIN, WIN);
            }
        }
    }

    fn try_candidates(&mut self, depth: i32, line: usize, mut alpha: i32, beta: i32) -> i32 {
        let mut best = -WIN;
        for index in line..self.candidates.len() {
            let spot = self.candidates[index].spot;
            let node = Node { turn: self.turn, depth, ply: 0, last: None };
            let late = if self.is_quiet(spot) { index - line } else { 0 };
            let value = self.search.try_move(node, spot, (alpha, beta), index == line, late);
            if self.search.limits.is_over() {
                return best;
            }
            if value > best {
                best = value;
            }
            if value > alpha {
                alpha = value;
                let moves = self.principal(spot);
                let candidate = &mut self.candidates[index];
                (candidate.value, candidate.moves) = (value, moves);
                self.candidates[line..=index].rotate_right(1);
                if alpha >= beta {
                    return best;
                }
            } else if index == line {
                self.candidates[index].value = value;
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
            && grid.count(other, Kept::Fives) == 0
            && grid.count(other, Kept::Unstoppable) == 0
    }

    /// A move and what follows, as far as the table remembers.
    fn principal(&mut self, first: Spot) -> Vec<Spot> {
        let mut moves = vec![first];
        let mut turn = self.turn;
        let mut next = Some(first);
        while let Some(spot) = next {
            self.search.grid.place(spot, turn);
            turn = turn.opponent();
            next = self.search.table.recall(self.search.hash(turn)).and_then(|known| known.best);
            let is_possible = |spot: &Spot| self.search.grid.stone_at(*spot).is_none();
            next = next.filter(is_possible).filter(|_| moves.len() < 30);
            moves.extend(next);
        }
        for spot in moves.iter().rev() {
            self.search.grid.take_back(*spot);
        }
        moves
    }

    fn analysis(&self) -> Analysis {
        let window = self.search.grid.window();
        // The first is always told, even if there was no time to search it.
        let (first, others) = self.candidates.split_first().expect("there is a candidate");
        let others = others.iter().take(self.multi - 1);
        let mut best: Vec<&Candidate> = vec![first];
        best.extend(others.filter(|candidate| candidate.value != UNKNOWN));
        best.sort_by_key(|candidate| Reverse(candidate.value));
        let patterns = self.search.patterns(self.turn);
        let lines = best.into_iter().map(|candidate| Line {
            moves: candidate.moves.iter().map_while(|spot| window.point(*spot)).collect(),
            value: match candidate.value {
                UNKNOWN => value(patterns),
                known => value(known),
            },
        });
        let nodes = self.search.limits.nodes() + self.helped.load(Ordering::Relaxed);
        Analysis { lines: lines.collect(), depth: self.depth, nodes }
    }
}

fn value(value: i32) -> Value {
    let plies = |to: i32| u16::try_from((WIN - to).max(0)).unwrap_or(u16::MAX);
    match value {
        WON_SOME_TIME => Value::Win { plies: None },
        WON.. => Value::Win { plies: Some(plies(value)) },
        _ if value <= -WON => Value::Loss { plies: plies(-value) },
        _ => Value::Chance(1.0 / (1.0 + (-f64::from(value) / CHANCE_SCALE).exp())),
    }
}
