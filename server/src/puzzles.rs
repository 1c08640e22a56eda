//! The puzzles of this server: how strong each is before anybody has tried it, whether somebody's moves
//! solve one, and which come next for a player.
//!
//! It does not know who tries, and how ratings are counted and stored.

pub(crate) mod tries;

use std::collections::{HashMap, HashSet};

use fivefold_engine::puzzle_solver::{Answer, Solver};
use fivefold_shared::{
    puzzle::{Puzzle, PuzzleId, PuzzleKind, PuzzleSet},
    rules::{Point, Position, Rules},
};
use fivefold_storage::glicko::Rating;

use crate::limits::puzzles::{PUZZLE_LINE_MAX, PUZZLES_NEAR};

/// The same files as the page has.
const FILES: [&str; 2] =
    [include_str!("../web/puzzles/freestyle.txt"), include_str!("../web/puzzles/renju.txt")];

/// The points of a puzzle in which one move of fours is to be found, before anybody has tried it.
const SHORTEST: f64 = 1000.0;
/// More points for each move more.
const BY_MOVE: f64 = 100.0;
/// More points if open threes are needed: their answers are many.
const BY_THREES: f64 = 200.0;
/// More points if the win needs a forbidden point.
const BY_TRAP: f64 = 100.0;
/// The longest wins are not harder than this.
const LONGEST: f64 = 2200.0;
/// How unsure these guesses are, in points.
const START_DEVIATION: f64 = 200.0;

/// All puzzles, by name.
#[derive(Debug)]
pub(crate) struct Puzzles(HashMap<PuzzleId, KnownPuzzle>);

/// A puzzle and its rules.
#[derive(Clone, Debug)]
pub(crate) struct KnownPuzzle {
    pub(crate) rules: Rules,
    pub(crate) puzzle: Puzzle,
}

/// Which puzzles a player wants.
#[derive(Clone, Debug)]
pub(crate) struct PuzzleFilter {
    /// The variant's name.
    pub(crate) variant: String,
    pub(crate) kind: Option<PuzzleKind>,
    /// The winner's moves: the least and the most.
    pub(crate) lengths: (u8, u8),
}

/// Why moves are no try at a puzzle.
#[derive(Clone, Copy, PartialEq, Eq, Debug, thiserror::Error)]
pub(crate) enum NoTry {
    /// More moves than anybody needs.
    #[error("a try has at most {PUZZLE_LINE_MAX} moves")]
    TooLong,
    /// A move is illegal.
    #[error("move {0} of the try is illegal")]
    Illegal(usize),
    /// The other side answers differently.
    #[error("answer {0} is not the one of this server; reload the page")]
    OtherAnswer(usize),
    /// The puzzle was over before.
    #[error("the puzzle is over before move {0} of the try")]
    Over(usize),
    /// The win goes on, and the player has not given up.
    #[error("the puzzle is not over after the last move of the try")]
    GoesOn,
    /// There is no solver for the board.
    #[error("there is no solver for these rules")]
    NoSolver,
}

impl Puzzles {
    /// The puzzles of the page.
    pub(crate) fn shipped() -> Self {
        let mut all = HashMap::new();
        for file in FILES {
            let set: PuzzleSet = file.parse().expect("a test reads the shipped files");
            for puzzle in &set.puzzles {
                let known = KnownPuzzle { rules: set.rules, puzzle: puzzle.clone() };
                all.insert(set.id_of(puzzle), known);
            }
        }
        Self(all)
    }

    /// The puzzle with this name.
    pub(crate) fn find(&self, id: &PuzzleId) -> Option<&KnownPuzzle> {
        self.0.get(id)
    }

    /// The puzzles of a filter that are the nearest to these points, the nearest first. `rated` are those
    /// that somebody has tried, `done` are left out.
    pub(crate) fn near(
        &self,
        filter: &PuzzleFilter,
        points: f64,
        rated: &HashMap<PuzzleId, f64>,
        done: &HashSet<PuzzleId>,
    ) -> Vec<PuzzleId> {
        let fits = |known: &KnownPuzzle| {
            known.rules.variant().name() == filter.variant
                && filter.kind.is_none_or(|kind| kind == known.puzzle.kind)
                && (filter.lengths.0..=filter.lengths.1).contains(&known.puzzle.length)
        };
        let open = self.0.iter().filter(|(id, known)| fits(known) && !done.contains(*id));
        let distance = |(id, known): (_, &KnownPuzzle)| {
            let value = rated.get(id).copied().unwrap_or_else(|| start(&known.puzzle).value);
            ((value - points).abs(), id)
        };
        let mut near: Vec<(f64, &PuzzleId)> = open.map(distance).collect();
        near.sort_by(|(one, first), (other, second)| one.total_cmp(other).then(first.cmp(second)));
        near.into_iter().take(PUZZLES_NEAR).map(|(_, id)| id.clone()).collect()
    }
}

/// The rating of a puzzle that nobody has tried, by its length and kind.
pub(crate) fn start(puzzle: &Puzzle) -> Rating {
    let kind = match puzzle.kind {
        PuzzleKind::Fours => 0.0,
        PuzzleKind::Threes => BY_THREES,
        PuzzleKind::Trap => BY_TRAP,
    };
    let moves = f64::from(puzzle.length.saturating_sub(1));
    let value = (SHORTEST + BY_MOVE * moves + kind).min(LONGEST);
    Rating { value, deviation: START_DEVIATION, ..Rating::NEW }
}

impl KnownPuzzle {
    /// Whether these moves solve the puzzle: the player's and the answers in turn. Every proven win
    /// does. The first move that does not win ends the try, and so does giving up.
    ///
    /// # Errors
    /// If the moves are no try.
    pub(crate) fn judge(&self, line: &[Point], gave_up: bool) -> Result<bool, NoTry> {
        if line.len() > PUZZLE_LINE_MAX {
            return Err(NoTry::TooLong);
        }
        let mut position =
            Position::from_moves(self.rules, &self.puzzle.moves).map_err(|_| NoTry::Illegal(0))?;
        let mut solver = Solver::new(self.rules).ok_or(NoTry::NoSolver)?;
        let mut answer = None;
        for (number, &point) in (1..).zip(line) {
            if let Some(due) = answer.take() {
                if point != due {
                    return Err(NoTry::OtherAnswer(number));
                }
                position.play(point).map_err(|_| NoTry::Illegal(number))?;
                continue;
            }
            position.play(point).map_err(|_| NoTry::Illegal(number))?;
            let is_solved = match solver.answer(&position) {
                Answer::GoesOn(due) => {
                    answer = Some(due);
                    continue;
                }
                Answer::Solved | Answer::Trapped(_) => true,
                Answer::Fails(_) => false,
            };
            let is_last = number == line.len();
            return if is_last { Ok(is_solved) } else { Err(NoTry::Over(number + 1)) };
        }
        if gave_up { Ok(false) } else { Err(NoTry::GoesOn) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use fivefold_storage::limits::PUZZLE_HISTORY_MAX;

    fn id(text: &str) -> PuzzleId {
        PuzzleId::try_from(text.to_owned()).unwrap()
    }

    /// The first freestyle puzzle of fours in two moves, its name and its solution.
    fn short(puzzles: &Puzzles) -> (PuzzleId, KnownPuzzle, Vec<Point>) {
        let fits = |known: &&KnownPuzzle| {
            known.puzzle.length == 2 && known.puzzle.kind == PuzzleKind::Fours
        };
        let mut ids: Vec<_> = puzzles.0.iter().filter(|(_, known)| fits(known)).collect();
        ids.sort_by_key(|(id, _)| (*id).clone());
        let (id, known) = ids[0];
        let position = Position::from_moves(known.rules, &known.puzzle.moves).unwrap();
        let solution = Solver::new(known.rules).unwrap().solution(&position).unwrap();
        (id.clone(), known.clone(), solution.moves)
    }

    #[test]
    fn the_page_and_the_server_call_a_puzzle_the_same() {
        let puzzles = Puzzles::shipped();
        assert_eq!(puzzles.0.len(), 2_000);
        assert!(puzzles.0.len() <= PUZZLE_HISTORY_MAX, "the history has all that were tried");
        // As `puzzle-set.js` names the first and the last of the files.
        for name in ["freestyle-1f110dv", "freestyle-1aev86z", "renju-1f110dv", "renju-1emja1p"] {
            assert!(puzzles.find(&id(name)).is_some(), "{name}");
        }
        assert!(puzzles.find(&id("renju-0")).is_none());
    }

    #[test]
    fn a_try_is_judged_by_the_solver() {
        let puzzles = Puzzles::shipped();
        let (_, known, line) = short(&puzzles);
        assert_eq!((line.len(), known.judge(&line, false)), (3, Ok(true)));
        // Giving up afterwards changes nothing; giving up before is a failure.
        assert_eq!(known.judge(&line, true), Ok(true));
        assert_eq!(known.judge(&line[..1], true), Ok(false));
        assert_eq!(known.judge(&[], true), Ok(false));
        assert_eq!(known.judge(&[], false), Err(NoTry::GoesOn));
        assert_eq!(known.judge(&line[..1], false), Err(NoTry::GoesOn));
        assert_eq!(known.judge(&line[..2], false), Err(NoTry::GoesOn));
        // The corner wins nowhere, and ends the try.
        let corner = Point::new(0, 0);
        assert_eq!(known.judge(&[corner], false), Ok(false));
        assert_eq!(known.judge(&[corner, line[0]], false), Err(NoTry::Over(2)));
        // Another answer than the longest defence is not believed, and neither is what is illegal.
        assert_eq!(known.judge(&[line[0], corner, line[2]], false), Err(NoTry::OtherAnswer(2)));
        assert_eq!(known.judge(&[known.puzzle.moves[0]], false), Err(NoTry::Illegal(1)));
        let endless = vec![corner; PUZZLE_LINE_MAX + 1];
        assert_eq!(known.judge(&endless, false), Err(NoTry::TooLong));
        assert_eq!(known.judge(&endless[..PUZZLE_LINE_MAX], false), Err(NoTry::Over(2)));
    }

    #[test]
    fn a_puzzle_begins_by_its_length_and_kind() {
        let puzzle = |kind, length| {
            let puzzle = Puzzle { moves: vec![], first: Point::new(0, 0), length, kind };
            let start = start(&puzzle);
            assert!((start.deviation - START_DEVIATION).abs() < 1e-9);
            start.value.round()
        };
        let cases = [
            (PuzzleKind::Fours, 1, 1000.0),
            (PuzzleKind::Fours, 3, 1200.0),
            (PuzzleKind::Threes, 3, 1400.0),
            (PuzzleKind::Trap, 3, 1300.0),
            (PuzzleKind::Threes, 11, 2200.0),
            (PuzzleKind::Threes, 12, 2200.0),
        ];
        for (kind, length, expected) in cases {
            assert!((puzzle(kind, length) - expected).abs() < 1e-9, "{kind:?} {length}");
        }
    }

    #[test]
    fn the_next_puzzles_are_the_nearest_that_fit_and_are_not_done() {
        let puzzles = Puzzles::shipped();
        let filter =
            PuzzleFilter { variant: "renju".to_owned(), kind: None, lengths: (0, u8::MAX) };
        let none = HashMap::new();
        let near = |filter: &PuzzleFilter, points, done: &HashSet<_>| {
            puzzles.near(filter, points, &none, done)
        };
        let found = near(&filter, 1600.0, &HashSet::new());
        assert_eq!(found.len(), PUZZLES_NEAR);
        for id in &found {
            let value = start(&puzzles.find(id).unwrap().puzzle).value;
            assert!(id.as_str().starts_with("renju-") && (value - 1600.0).abs() < 1e-9, "{id}");
        }
        let done: HashSet<_> = found.iter().cloned().collect();
        assert!(near(&filter, 1600.0, &done).iter().all(|id| !done.contains(id)));
        let traps =
            PuzzleFilter { kind: Some(PuzzleKind::Trap), lengths: (7, 7), ..filter.clone() };
        assert_eq!(near(&traps, 400.0, &HashSet::new()).len(), 1);
        // What people have tried is where they brought it.
        let rated = HashMap::from([(found[0].clone(), 2900.0)]);
        let hard = puzzles.near(&filter, 3000.0, &rated, &HashSet::new());
        assert_eq!(hard[0], found[0]);
        let nobody = PuzzleFilter { variant: "chess".to_owned(), ..filter };
        assert_eq!(near(&nobody, 1600.0, &HashSet::new()), []);
    }
}
