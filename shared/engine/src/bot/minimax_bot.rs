//! Minimax: plays small boards perfectly, by searching the whole game tree.
//!
//! A win is worth +10, a loss -10, a draw 0. Among equal results it takes the quickest win and the
//! slowest loss, so it never loses a position that can be held.
//!
//! It plays where `k` or more in a row win. It keeps its own board (bit sets of points) and uses
//! exact speed-ups of plain minimax: alpha-beta bounds, a transposition table, and three facts that
//! need no search: a win at hand, a single answer to a threat, and lines that nobody can complete
//! any more.

use std::cmp::{Ordering, Reverse};

use fivefold_shared::{
    analysis::Weight,
    rules::{Axis, Point, Position, Rules, Size, Stone},
    search_budget::Thinking,
};
use rand::SeedableRng;
use rustc_hash::FxHashMap;

use super::{
    bot_trait::Bot,
    ranking::{Random, pick, sort},
};

/// The value of a won game; a lost one has the negative of it.
const WIN: f64 = 10.0;

/// The bot; see the module.
#[derive(Debug)]
pub(super) struct Minimax {
    board: Board,
    random: Random,
}

impl Minimax {
    /// A bot for games by `rules`, which
    /// [`BotSpec::offered`](fivefold_shared::bot_spec::BotSpec::offered) must allow. `seed` decides between
    /// equal moves.
    pub(super) fn new(rules: Rules, seed: u64) -> Self {
        Self { board: Board::new(rules), random: Random::seed_from_u64(seed) }
    }
}

impl Bot for Minimax {
    fn choose(&mut self, position: &Position, thinking: &Thinking<'_>) -> Option<Point> {
        let weights = self.weigh(position, thinking);
        pick(&weights, &mut self.random)
    }

    /// When the search is cut short, unfinished points weigh 0 without `plies`, and come after the
    /// proven draws.
    fn weigh(&mut self, position: &Position, thinking: &Thinking<'_>) -> Vec<Weight> {
        assert_eq!(
            position.rules(),
            self.board.rules,
            "a minimax bot serves the rules it was built for"
        );
        if position.outcome().is_some() {
            return Vec::new();
        }
        let mut search =
            MinimaxSearch { board: &self.board, thinking, nodes: 0, table: FxHashMap::default() };
        let sides = self.board.sides(position);
        let mut weights: Vec<_> = self
            .board
            .points(self.board.free(sides))
            .map(|bit| {
                let point = self.board.point(bit);
                match search.after(sides, bit, Value::LEAST, Value::GREATEST) {
                    Some(value) => weight(point, value, self.board.free(sides)),
                    None => Weight { point, weight: 0.0, plies: None },
                }
            })
            .collect();
        sort(&mut weights);
        weights
    }

    fn restart(&mut self, seed: u64) {
        self.random = Random::seed_from_u64(seed);
    }
}

/// A value for the side to move that had `free` points to choose from. A draw takes all of them.
fn weight(point: Point, value: Value, free: Points) -> Weight {
    let (weight, plies) = match value.cmp(&Value::DRAW) {
        Ordering::Less => (-WIN, value.plies()),
        Ordering::Equal => (0.0, free.count_ones()),
        Ordering::Greater => (WIN, value.plies()),
    };
    Weight { point, weight, plies: u16::try_from(plies).ok() }
}

/// A set of points, a bit each: row by row, from the top left.
type Points = u32;

/// The stones of the side to move, and those of the other side.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
struct Sides {
    own: Points,
    other: Points,
}

impl Sides {
    /// After the side to move has played a point.
    const fn play(self, bit: Points) -> Self {
        Self { own: self.other, other: self.own | bit }
    }
}

/// The value of a position for the side to move: 0 for a draw; positive for a win, higher the
/// sooner it comes; negative for a loss, lower the sooner it comes.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
struct Value(i8);

impl Value {
    const DRAW: Self = Self(0);
    /// A win by the next stone.
    const NOW: Self = Self(100);
    const GREATEST: Self = Self(101);
    const LEAST: Self = Self(-101);

    /// A win by the last of `plies` stones.
    const fn win_in(plies: i8) -> Self {
        Self(Self::NOW.0 + 1 - plies)
    }

    /// How many stones a win or a loss takes.
    fn plies(self) -> u32 {
        u32::from(Self::NOW.0.unsigned_abs() + 1 - self.0.unsigned_abs())
    }

    const fn flip(self) -> Self {
        Self(-self.0)
    }

    /// The value one ply earlier, for the same side: a win or a loss that is farther off counts for
    /// less.
    const fn later(self) -> Self {
        Self(self.0 - self.0.signum())
    }

    /// The inverse of [`later`](Self::later).
    const fn sooner(self) -> Self {
        Self(self.0 + self.0.signum())
    }
}

/// A value, or a bound of it, from a finished search.
#[derive(Clone, Copy)]
enum Bound {
    Exact(Value),
    Lower(Value),
    Upper(Value),
}

struct MinimaxSearch<'a> {
    board: &'a Board,
    thinking: &'a Thinking<'a>,
    nodes: u64,
    table: FxHashMap<Sides, Bound>,
}

impl MinimaxSearch<'_> {
    /// The value of playing a point, for the side that plays it; `None` when the thinking is over.
    /// Exact between the bounds; otherwise on the right side of the bound that it passes.
    fn after(&mut self, sides: Sides, bit: Points, alpha: Value, beta: Value) -> Option<Value> {
        if self.board.has_line(sides.own | bit) {
            return Some(Value::NOW);
        }
        let value = self.value(sides.play(bit), beta.sooner().flip(), alpha.sooner().flip())?;
        Some(value.flip().later())
    }

    /// The value of a position that is not won yet, as [`after`](Self::after) gives it.
    fn value(&mut self, sides: Sides, alpha: Value, beta: Value) -> Option<Value> {
        self.nodes += 1;
        if self.thinking.is_over(self.nodes) {
            return None;
        }
        let free = self.board.free(sides);
        if free == 0 {
            return Some(Value::DRAW);
        }
        if self.board.completions(sides.own, sides.other) != 0 {
            return Some(Value::NOW);
        }
        let threats = self.board.completions(sides.other, sides.own);
        if threats.count_ones() > 1 {
            return Some(Value::win_in(2).flip());
        }
        // Nobody wins within two plies any more, or at all once every line has both colours.
        let most = if self.board.is_open(sides.other) { Value::win_in(3) } else { Value::DRAW };
        let least =
            if self.board.is_open(sides.own) { Value::win_in(4).flip() } else { Value::DRAW };
        let (low, high) = (alpha.max(least), beta.min(most));
        if low >= high {
            return Some(low.min(most));
        }
        let key = self.board.either_way_up(sides);
        match self.table.get(&key) {
            Some(&Bound::Exact(value)) => return Some(value),
            Some(&Bound::Lower(value)) if value >= high => return Some(value),
            Some(&Bound::Upper(value)) if value <= low => return Some(value),
            Some(Bound::Lower(_) | Bound::Upper(_)) | None => {}
        }
        let moves = if threats == 0 { free } else { threats };
        let value = self.best(sides, moves, low, high)?;
        let bound = if value >= high && high < most {
            Bound::Lower(value)
        } else if value <= low && low > least {
            Bound::Upper(value)
        } else {
            Bound::Exact(value)
        };
        self.table.insert(key, bound);
        Some(value)
    }

    fn best(&mut self, sides: Sides, moves: Points, alpha: Value, beta: Value) -> Option<Value> {
        let mut best = alpha;
        for bit in self.board.points(moves) {
            best = best.max(self.after(sides, bit, best, beta)?);
            if best >= beta {
                break;
            }
        }
        Some(best)
    }
}

/// The lines of a small board.
#[derive(Debug)]
struct Board {
    rules: Rules,
    width: u8,
    full: Points,
    /// Every run of `k` points.
    lines: Vec<Points>,
    /// The points that lie on most lines first, as they tend to be the best.
    order: Vec<Points>,
}

impl Board {
    fn new(rules: Rules) -> Self {
        let (width, height) = match rules.size() {
            Size::Bounded { width, height } => (width, height),
            Size::Unbounded => panic!("minimax needs borders"),
        };
        let count = u32::from(width) * u32::from(height);
        assert!(count <= Points::BITS, "minimax needs a small board");
        let full = Points::MAX >> (Points::BITS - count);
        let mut board = Self { rules, width, full, lines: Vec::new(), order: Vec::new() };
        let bits = (0..count).map(|index| 1 << index);
        board.lines = bits
            .clone()
            .flat_map(|bit| Axis::ALL.map(|axis| (board.point(bit), axis)))
            .filter_map(|(from, axis)| {
                (0..i32::from(rules.variant().k()))
                    .map(|step| from.along(axis, step))
                    .try_fold(0, |line, point| Some(line | board.bit(point)?))
            })
            .collect();
        board.order = bits.collect();
        board
            .order
            .sort_by_key(|bit| Reverse(board.lines.iter().filter(|line| *line & bit != 0).count()));
        board
    }

    fn point(&self, bit: Points) -> Point {
        let index = bit.trailing_zeros().cast_signed();
        Point::new(index % i32::from(self.width), index / i32::from(self.width))
    }

    /// The point's bit; `None` beyond the borders.
    fn bit(&self, point: Point) -> Option<Points> {
        let x = u32::try_from(point.x).ok().filter(|x| *x < u32::from(self.width))?;
        let y = u32::try_from(point.y).ok()?;
        1_u32.checked_shl(y * u32::from(self.width) + x).filter(|bit| bit & self.full != 0)
    }

    fn sides(&self, position: &Position) -> Sides {
        let of = |stone: Stone| {
            self.points(self.full)
                .filter(|bit| position.stone_at(self.point(*bit)) == Some(stone))
                .sum()
        };
        Sides { own: of(position.turn()), other: of(position.turn().opponent()) }
    }

    /// A canonical form of a position and its half-turn, which have the same value.
    fn either_way_up(&self, sides: Sides) -> Sides {
        let turn = |points: Points| points.reverse_bits() >> self.full.leading_zeros();
        sides.min(Sides { own: turn(sides.own), other: turn(sides.other) })
    }

    const fn free(&self, sides: Sides) -> Points {
        self.full & !(sides.own | sides.other)
    }

    /// The single points of a set, in the order in which to try them.
    fn points(&self, set: Points) -> impl Iterator<Item = Points> {
        self.order.iter().copied().filter(move |bit| set & bit != 0)
    }

    fn has_line(&self, stones: Points) -> bool {
        self.lines.iter().any(|line| stones & line == *line)
    }

    /// The points that complete a line of `stones`.
    fn completions(&self, stones: Points, others: Points) -> Points {
        self.lines
            .iter()
            .map(|line| line & !stones)
            .filter(|missing| missing.is_power_of_two() && missing & others == 0)
            .fold(0, |points, missing| points | missing)
    }

    /// Whether some line is without stones of one colour, so that the other can still complete it.
    fn is_open(&self, stones: Points) -> bool {
        self.lines.iter().any(|line| line & stones == 0)
    }
}
