//! Solves puzzles: finds wins by threats, proves that one first move alone wins, and answers a player's moves with
//! the defence that lasts longest. The example `puzzles` makes puzzles from games.
//!
//! A win is proven: every answer to each of its threats was searched. That another move does not win
//! is as good as the search that tried it, which visits [`REFUTE_TIMES`] as many positions as the one
//! that found the win.

use fivefold_shared::{
    analysis::Value,
    puzzle::{Puzzle, PuzzleKind},
    rules::{Outcome, Point, Position, Rules},
    search_budget::{Budget, Thinking},
};
use serde::Serialize;

use crate::search::{Defence, Engine, EngineOptions, ThreatSearch};

/// Positions that may be searched to find a win, at each move.
pub const FIND_NODES: u64 = 30_000;
/// How many times more positions are searched for another winning first move.
pub const REFUTE_TIMES: u64 = 10;
/// The fewest positions to search after each other first move that makes a threat.
pub const REFUTE_NODES_MIN: u64 = 20_000;
/// The fewest positions that the engine searches for a win by any other first move.
pub const REFUTE_ALL_NODES_MIN: u64 = 100_000;
/// Positions of a first, short search for another winning first move.
const SHORT_LOOK_NODES: u64 = 200;
/// Positions that the engine may search to judge a player's move.
const JUDGE_NODES: u64 = 60_000;
/// The longest win that is played out, in moves of the winner.
const LENGTH_MAX: usize = 60;
/// Memory of the engine.
const HASH_BYTES: usize = 4 << 20;

/// A win, played out against the longest defence.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Solution {
    /// The winner's moves and the answers in turn; the last is the winner's.
    pub moves: Vec<Point>,
    /// What it takes.
    pub kind: PuzzleKind,
    /// Positions searched to find it.
    pub nodes: u64,
}

/// The answer to a player's move. As JSON `"solved"`, `{"trapped": [7, 7]}`, `{"goes_on": [7, 7]}`, or
/// `{"fails": [7, 7]}`.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Answer {
    /// The game is won.
    Solved,
    /// Renju forbids every answer, among them this one.
    Trapped(Point),
    /// The move wins; this answer lasts longest.
    GoesOn(Point),
    /// No win was found against this answer; absent if the move made a draw.
    Fails(Option<Point>),
}

/// Why something is no puzzle.
#[derive(Clone, Copy, PartialEq, Eq, Debug, thiserror::Error)]
pub enum Flaw {
    /// The moves are illegal, or the game is over.
    #[error("its moves are illegal, or its game is over")]
    NoPosition,
    /// One side makes a five at once, so there is nothing to find.
    #[error("a five is there to be made or stopped")]
    FiveIsNear,
    /// No win was found.
    #[error("no win was found")]
    NoWin,
    /// The win found has another first move, length or kind.
    #[error("the win begins at {first:?}, takes {length} moves and is of {kind:?}")]
    OtherWin {
        /// Its first move.
        first: Point,
        /// Moves of the winner.
        length: u8,
        /// What it takes.
        kind: PuzzleKind,
    },
    /// Another first move wins too.
    #[error("{0:?} wins too")]
    AnotherFirst(Point),
}

/// Solves positions of one set of rules.
#[derive(Debug)]
pub struct Solver {
    rules: Rules,
    threats: ThreatSearch,
    engine: Engine,
}

impl Solver {
    /// A solver for a bounded board; `None` where the engine has no tables.
    pub fn new(rules: Rules) -> Option<Self> {
        let options = EngineOptions { hash_bytes: HASH_BYTES, ..EngineOptions::default() };
        Some(Self {
            rules,
            threats: ThreatSearch::new(rules)?,
            engine: Engine::new(rules, options)?,
        })
    }

    /// The puzzle in this position.
    ///
    /// # Errors
    /// The reason why it is none.
    pub fn puzzle(&mut self, position: &Position) -> Result<Puzzle, Flaw> {
        let (puzzle, nodes) = self.candidate(position)?;
        self.refute_others(position, puzzle.first, nodes)?;
        Ok(puzzle)
    }

    /// Proves a puzzle again.
    ///
    /// # Errors
    /// The first flaw found.
    pub fn check(&mut self, puzzle: &Puzzle) -> Result<(), Flaw> {
        let position =
            Position::from_moves(self.rules, &puzzle.moves).map_err(|_| Flaw::NoPosition)?;
        let (found, nodes) = self.candidate(&position)?;
        if found != *puzzle {
            let Puzzle { first, length, kind, .. } = found;
            return Err(Flaw::OtherWin { first, length, kind });
        }
        self.refute_others(&position, puzzle.first, nodes)
    }

    /// A win in this position, and how many positions were searched to find it.
    fn candidate(&mut self, position: &Position) -> Result<(Puzzle, u64), Flaw> {
        let turn = position.turn();
        if position.outcome().is_some() {
            return Err(Flaw::NoPosition);
        }
        self.set_up(position);
        if self.threats.is_five_near(turn) || self.threats.is_five_near(turn.opponent()) {
            return Err(Flaw::FiveIsNear);
        }
        let Solution { moves, kind, nodes } = self.solution(position).ok_or(Flaw::NoWin)?;
        let length = u8::try_from(moves.len().div_ceil(2)).map_err(|_| Flaw::NoWin)?;
        let first = moves[0];
        Ok((Puzzle { moves: position.moves().to_vec(), first, length, kind }, nodes))
    }

    /// Searches for another first move that wins, longer than the `nodes` that found the first.
    fn refute_others(&mut self, position: &Position, first: Point, nodes: u64) -> Result<(), Flaw> {
        let most = REFUTE_TIMES * nodes;
        // Most positions with two wins are recognized by a short look.
        for nodes in [nodes.max(SHORT_LOOK_NODES), most.max(REFUTE_NODES_MIN)] {
            if let Some(point) = self.other_threat_that_wins(position, first, nodes) {
                return Err(Flaw::AnotherFirst(point));
            }
        }
        let most = most.max(REFUTE_ALL_NODES_MIN);
        match self.other_move_that_wins(position, first, most) {
            Some(point) => Err(Flaw::AnotherFirst(point)),
            None => Ok(()),
        }
    }

    /// A win by threats of the side to move, against the longest defence. The same position gives the
    /// same solution.
    pub fn solution(&mut self, position: &Position) -> Option<Solution> {
        let attacker = position.turn();
        let (mut position, mut moves) = (position.clone(), Vec::new());
        let mut kind = PuzzleKind::Fours;
        let mut nodes = None;
        self.threats.forget();
        while moves.len() < 2 * LENGTH_MAX {
            self.set_up(&position);
            let win = self.threats.threat_win(attacker, FIND_NODES)?;
            nodes.get_or_insert(win.nodes);
            if win.moves_before_fours > 0 {
                kind = PuzzleKind::Threes;
            }
            moves.push(win.first);
            let defence = self.threats.defence_after(attacker, win.first, FIND_NODES);
            position.play(win.first).ok()?;
            match (position.outcome(), defence) {
                (Some(Outcome::Five { .. }), _) => {}
                (None, Defence::Forbidden(_)) => kind = PuzzleKind::Trap,
                (None, Defence::Loses(answer)) => {
                    position.play(answer).ok()?;
                    moves.push(answer);
                    continue;
                }
                (Some(_), _) | (None, Defence::Unforced | Defence::Holds(_)) => return None,
            }
            return Some(Solution { moves, kind, nodes: nodes.unwrap_or_default() });
        }
        None
    }

    /// The answer to the last move of a position: the defence that lasts longest if the move wins, or
    /// else one that holds.
    pub fn answer(&mut self, position: &Position) -> Answer {
        let attacker = position.turn().opponent();
        let Some((last, before)) = position.moves().split_last() else {
            return Answer::Fails(None);
        };
        match position.outcome() {
            Some(Outcome::Five { winner, .. }) if *winner == attacker => return Answer::Solved,
            Some(_) => return Answer::Fails(None),
            None => {}
        }
        let Ok(before) = Position::from_moves(self.rules, before) else {
            return Answer::Fails(None);
        };
        self.set_up(&before);
        self.threats.forget();
        let held = match self.threats.defence_after(attacker, *last, FIND_NODES) {
            Defence::Forbidden(point) => return Answer::Trapped(point),
            Defence::Loses(answer) => return Answer::GoesOn(answer),
            Defence::Holds(answer) => Some(answer),
            Defence::Unforced => None,
        };
        // A move that threatens nothing may still win, and a longer search may find more.
        self.engine.forget();
        let best = self.engine.search(position, &thinking(JUDGE_NODES), 1, &mut |_| {});
        let best = best.and_then(|found| found.lines.into_iter().next());
        match best {
            Some(line) => match line.value {
                Value::Loss { .. } => Answer::GoesOn(line.moves[0]),
                Value::Chance(_) | Value::Win { .. } => {
                    Answer::Fails(Some(held.unwrap_or(line.moves[0])))
                }
            },
            None => Answer::Fails(held),
        }
    }

    /// Another move that makes a threat and wins by threats.
    fn other_threat_that_wins(
        &mut self,
        position: &Position,
        first: Point,
        nodes: u64,
    ) -> Option<Point> {
        self.set_up(position);
        let attacker = position.turn();
        self.threats.nearby().into_iter().find(|&point| {
            point != first
                && position.legality(point).is_ok()
                && match self.threats.defence_after(attacker, point, nodes) {
                    Defence::Loses(_) | Defence::Forbidden(_) => true,
                    Defence::Unforced | Defence::Holds(_) => false,
                }
        })
    }

    /// Another move of any kind that the engine proves to win.
    fn other_move_that_wins(
        &mut self,
        position: &Position,
        first: Point,
        nodes: u64,
    ) -> Option<Point> {
        self.engine.forget();
        let thinking = thinking(nodes);
        let found = self.engine.search_others(position, Some(first), &thinking, 1, &mut |_| {})?;
        match found.lines[0].value {
            Value::Win { .. } => Some(found.best()),
            Value::Chance(_) | Value::Loss { .. } => None,
        }
    }

    fn set_up(&mut self, position: &Position) {
        let stone = |point: &Point| Some((*point, position.stone_at(*point)?));
        self.threats.set_up(position.moves().iter().filter_map(stone));
    }
}

fn thinking(nodes: u64) -> Thinking<'static> {
    let budget = Budget { nodes: Some(nodes), ..Budget::UNLIMITED };
    Thinking { budget, ..Thinking::unlimited() }
}
