//! Puzzles in the module: the defence against a player, and solutions.

use fivefold_engine::puzzle_solver::Solver;
use fivefold_shared::{
    protocol::{Reason, Refusal},
    questions::open_position,
    rules::{Point, Position, Rules},
};

use crate::answer::Answer;

/// Answers the last of the moves.
pub(crate) fn answer_in_puzzle(rules: Rules, moves: &[Point]) -> Result<Answer, Refusal> {
    let mut solver = solver(rules)?;
    let position =
        Position::from_moves(rules, moves).map_err(|(_, illegal)| Refusal::from(illegal))?;
    Ok(Answer::Puzzle(solver.answer(&position)))
}

/// A win of the side to move, against the longest defence; no moves where none is found.
pub(crate) fn solve_puzzle(rules: Rules, moves: &[Point]) -> Result<Answer, Refusal> {
    let mut solver = solver(rules)?;
    let solution = solver.solution(&open_position(rules, moves)?);
    Ok(Answer::Solution(solution.map_or_else(Vec::new, |solution| solution.moves)))
}

fn solver(rules: Rules) -> Result<Solver, Refusal> {
    Solver::new(rules).ok_or_else(|| Refusal::new(Reason::NoEngine))
}
