//! Reviews a whole game with the engine: how much each move lost, and where the game was decided.

use fivefold_shared::{
    analysis::{Analysis, Value},
    review::{DECIDED_CHANCE, Review, ReviewedMove},
    rules::{Illegal, Point, Position, Rules, Stone},
    search_budget::{Budget, Thinking},
};

use crate::{
    calibration::calibrated,
    search::{Engine, EngineOptions},
};

/// Positions searched for each move of a game, in all but very long games.
const NODES: u64 = 30_000;
/// The same for the whole game, as long as no move gets less than [`NODES_MIN`].
const GAME_NODES: u64 = 3_000_000;
/// See [`GAME_NODES`].
const NODES_MIN: u64 = 500;
/// Memory of a review for remembered positions.
const HASH_BYTES: usize = 8 << 20;
/// Moves of the best line that are kept for each move.
const LINE_MOVES: usize = 8;

/// Reviews a game position by position, from the last to the first, so that the engine already
/// knows what follows each.
#[derive(Debug)]
pub struct Reviewer {
    engine: Engine,
    /// The next position to search.
    position: Position,
    moves: Vec<Point>,
    winner: Option<Stone>,
    nodes: u64,
    /// Lines searched in each position.
    lines: usize,
    /// The value of the position after each move for Black, with its analysis; the last one first.
    /// The chances are those of the search.
    seen: Vec<ReviewedPosition>,
}

/// The value of a position for Black, with its analysis unless the game was over there.
pub(crate) type ReviewedPosition = (f64, Option<Analysis>);

impl Reviewer {
    /// Prepares the review of a game by these rules. `None` if the engine does not play them.
    ///
    /// # Errors
    /// When the moves cannot be played; with the ply of the first that cannot.
    pub fn new(
        rules: Rules,
        moves: &[Point],
        winner: Option<Stone>,
    ) -> Result<Option<Self>, (usize, Illegal)> {
        Self::searching(rules, moves, winner, 1, GAME_NODES)
    }

    /// Prepares a review that searches so many lines in each position, and about so many positions for
    /// the whole game. `None` if the engine does not play these rules.
    ///
    /// # Errors
    /// When the moves cannot be played; with the ply of the first that cannot.
    pub fn searching(
        rules: Rules,
        moves: &[Point],
        winner: Option<Stone>,
        lines: usize,
        game_nodes: u64,
    ) -> Result<Option<Self>, (usize, Illegal)> {
        let position = Position::from_moves(rules, moves)?;
        let options = EngineOptions { hash_bytes: HASH_BYTES, ..EngineOptions::default() };
        let plies = u64::try_from(moves.len()).unwrap_or(u64::MAX).max(1);
        Ok(Engine::new(rules, options).map(|engine| Self {
            engine,
            position,
            moves: moves.to_vec(),
            winner,
            nodes: (game_nodes / plies).clamp(NODES_MIN, NODES),
            lines,
            seen: Vec::new(),
        }))
    }

    /// The number of moves.
    pub fn plies(&self) -> usize {
        self.moves.len()
    }

    /// The number of reviewed moves.
    pub fn done(&self) -> usize {
        self.seen.len().saturating_sub(1)
    }

    /// Analyses one more position. Returns whether there are more; `None` when the budget ran out
    /// before the position was done; the next call repeats it.
    pub fn go_on(&mut self, thinking: &Thinking<'_>) -> Option<bool> {
        if self.seen.len() > self.moves.len() {
            return Some(false);
        }
        let nodes = Budget { nodes: Some(self.nodes), ..thinking.budget };
        let bounded = Thinking { budget: nodes, ..*thinking };
        let turn = self.position.turn();
        let seen = match self.position.outcome() {
            Some(outcome) => (chance_of_black(outcome.winner()), None),
            None => {
                let analysis =
                    self.engine.search(&self.position, &bounded, self.lines, &mut |_| {})?;
                if thinking.is_over(0) {
                    return None;
                }
                (for_black(turn, analysis.lines[0].value.chance()), Some(analysis))
            }
        };
        self.seen.push(seen);
        Some(self.position.undo().is_some())
    }

    /// The positions from the last to the first, and the moves from the first to the last, once every
    /// position has been searched. The chances are those of the search, not those of the review.
    pub(crate) fn positions(&self) -> Option<(&[ReviewedPosition], &[Point])> {
        (self.seen.len() > self.moves.len()).then_some((&self.seen, &self.moves))
    }

    /// The review, with chances for people, once every position has been searched.
    pub fn finish(&self) -> Option<Review> {
        if self.seen.len() <= self.moves.len() {
            return None;
        }
        let rules = self.position.rules();
        let seen = self.seen.iter().rev().enumerate().map(|(stones, (black, analysis))| {
            let Some(Analysis { lines, .. }) = analysis else { return (*black, None) };
            let value = calibrated(lines[0].value, rules, stones);
            let black = for_black(Stone::to_move(stones), value.chance());
            (black, Some((value, lines[0].moves.as_slice())))
        });
        let seen: Vec<_> = seen.collect();
        let moves = seen.windows(2).zip(&self.moves).enumerate().map(|(ply, (pair, played))| {
            let mover = Stone::to_move(ply);
            let (before, best) = pair[0];
            let (after, _) = pair[1];
            let (value, line) = best.unwrap_or((Value::Chance(0.5), &[]));
            let loss = for_black(mover, before) - for_black(mover, after);
            let loss = if line.first() == Some(played) { 0.0 } else { loss.clamp(0.0, 1.0) };
            let line = line.iter().take(LINE_MOVES).copied().collect();
            ReviewedMove { value: rounded(value), loss: round(loss), line }
        });
        let chances: Vec<f64> = seen.iter().map(|(chance, _)| *chance).collect();
        Some(Review { moves: moves.collect(), decided: decided(&chances, self.winner) })
    }
}

/// The ply of the move from which on the winner was almost certain to win.
fn decided(chances_of_black: &[f64], winner: Option<Stone>) -> Option<usize> {
    let winner = winner?;
    let is_sure = |chance: &&f64| for_black(winner, **chance) >= DECIDED_CHANCE;
    let sure = chances_of_black.iter().rev().take_while(is_sure).count();
    // There is one position more than moves: take the move before the first sure position.
    let first = chances_of_black.len().checked_sub(sure + 1)?;
    (sure > 0).then_some(first)
}

/// Converts one side's chance to Black's, or back.
pub(crate) fn for_black(side: Stone, chance: f64) -> f64 {
    match side {
        Stone::Black => chance,
        Stone::White => 1.0 - chance,
    }
}

fn chance_of_black(winner: Option<Stone>) -> f64 {
    winner.map_or(0.5, |winner| for_black(winner, 1.0))
}

/// Rounds to four places, which is more than the precision.
fn round(number: f64) -> f64 {
    (number * 1e4).round() / 1e4
}

fn rounded(value: Value) -> Value {
    match value {
        Value::Chance(chance) => Value::Chance(round(chance)),
        Value::Win { .. } | Value::Loss { .. } => value,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_game_is_decided_where_its_winner_becomes_sure() {
        let black = Some(Stone::Black);
        let white = Some(Stone::White);
        let cases = [
            (&[0.5, 0.6, 0.95, 1.0][..], black, Some(1)),
            (&[0.5, 0.95, 0.6, 0.95], black, Some(2)),
            (&[0.5, 0.4, 0.05, 0.0], white, Some(1)),
            (&[0.5, 0.6, 0.7], black, None),
            (&[0.5, 0.6, 0.95], white, None),
            (&[0.5, 0.95], None, None),
            (&[0.95, 0.95], black, None),
        ];
        for (chances, winner, expected) in cases {
            assert_eq!(decided(chances, winner), expected, "{chances:?} {winner:?}");
        }
    }
}
