//! How far the moves of a game agree with the engine's, where the player had a choice.
//!
//! For operators: what it means, and against what it is compared, is not known here. Nor who played.
//! The chances are those of the search, so that figures of earlier games stay comparable.

use fivefold_shared::{
    analysis::{Analysis, Value},
    review::Agreement,
    rules::{Point, Stone},
};

use crate::reviewer::{Reviewer, for_black};

/// There is a choice if at least two moves have a chance of winning within this of the best.
pub const CHOICE_WITHIN: f64 = 0.15;
/// Lines that a [`Reviewer`] must search in each position: the two best.
pub const LINES: usize = 2;
/// Positions searched for a whole game, fewer for a game of few moves.
pub const GAME_NODES: u64 = 600_000;

/// The agreement of one side in a game that the reviewer is done with; `None` before. The opening has
/// put so many stones.
pub fn of(reviewer: &Reviewer, opening: usize, side: Stone) -> Option<Agreement> {
    let (positions, moves) = reviewer.positions()?;
    let last_chance = positions.first().map_or(0.5, |(black, _)| for_black(side, *black));
    let mut agreement = Agreement { last_chance, ..Agreement::default() };
    // The positions come in reverse.
    let positions: Vec<_> = positions.iter().rev().collect();
    for (ply, (pair, played)) in positions.windows(2).zip(moves).enumerate().skip(opening) {
        if Stone::to_move(ply) != side {
            continue;
        }
        let ((before, analysis), (after, _)) = (pair[0], pair[1]);
        let Some(first) = analysis.as_ref().and_then(first_of_several) else { continue };
        agreement.choices += 1;
        if first == *played {
            agreement.firsts += 1;
        } else {
            let loss = for_black(side, *before) - for_black(side, *after);
            agreement.loss += loss.clamp(0.0, 1.0);
        }
    }
    Some(agreement)
}

/// The best move, if there is another one about as good, and neither wins or loses by force.
fn first_of_several(analysis: &Analysis) -> Option<Point> {
    let [best, second, ..] = analysis.lines.as_slice() else { return None };
    let (Value::Chance(one), Value::Chance(other)) = (best.value, second.value) else {
        return None;
    };
    if one - other > CHOICE_WITHIN {
        return None;
    }
    best.moves.first().copied()
}

#[cfg(test)]
mod tests {
    use fivefold_shared::analysis::Line;

    use super::*;

    #[test]
    fn a_choice_is_between_moves_about_as_good_and_none_forced() {
        let chance = Value::Chance;
        let cases = [
            (&[chance(0.5), chance(0.36)][..], true),
            (&[chance(0.5), chance(0.34)], false),
            (&[chance(0.5)], false),
            (&[Value::Win { plies: None }, chance(0.95)], false),
            (&[chance(0.1), Value::Loss { plies: 4 }], false),
        ];
        for (values, expected) in cases {
            let line = |value: &Value| Line { value: *value, moves: vec![Point::new(7, 7)] };
            let lines = values.iter().map(line).collect();
            let analysis = Analysis { lines, depth: 1, nodes: 1 };
            assert_eq!(first_of_several(&analysis).is_some(), expected, "{values:?}");
        }
    }
}
