//! How even a position is: the chances of the side to move, by the engine; and those of its moves.
//!
//! Early in a game, a search's value swings from depth to depth, depending on which side plays the
//! last stone. The truth lies between, so the result is the mean of the last two depths.
//!
//! The chances are those of the search, as bots choose openings by them, and the book was made with
//! them. Nobody else sees them; a half is the same for people (`calibration`).

use fivefold_shared::{
    analysis::{Analysis, Value},
    rules::{Point, Position},
    search_budget::Thinking,
    symmetry,
};

use crate::search::Engine;

/// The chance of the side to move, from 0 to 1; 0.5 if there was no time to search anything. `None`
/// when the game is over.
///
/// # Panics
/// When the position has other rules than the engine.
pub fn chance(engine: &mut Engine, position: &Position, thinking: &Thinking<'_>) -> Option<f64> {
    let mut last = [None; 2];
    let mut note = |analysis: &Analysis| {
        last = [last[1], Some(analysis.lines[0].value.chance())];
    };
    let end = engine.search(position, thinking, 1, &mut note)?;
    Some(match (end.lines[0].value, last) {
        (proven @ (Value::Win { .. } | Value::Loss { .. }), _) => proven.chance(),
        (Value::Chance(_), [Some(one), Some(other)]) => f64::midpoint(one, other),
        (Value::Chance(_), [_, Some(only)]) => only,
        (Value::Chance(_), [_, None]) => 0.5,
    })
}

/// The best moves of the side to move with its chances after them, the best first: at most `count`,
/// and fewer, or none, if there was no time to search as many. No two give the same shape, turned,
/// mirrored and moved.
///
/// # Panics
/// When the position has other rules than the engine.
pub fn different_moves(
    engine: &mut Engine,
    position: &Position,
    thinking: &Thinking<'_>,
    count: usize,
) -> Vec<(Point, f64)> {
    let mut last: [Vec<(Point, Value)>; 2] = Default::default();
    let mut note = |analysis: &Analysis| {
        last.swap(0, 1);
        last[1] = analysis.lines.iter().map(|line| (line.moves[0], line.value)).collect();
    };
    // The engine drops only what is symmetric on the board.
    let images = symmetry::shape_symmetries(position) / (1 + symmetry::of(position).len());
    engine.search(position, thinking, count * images, &mut note);
    let [before, found] = last;
    let chance = |(point, value): &(Point, Value)| {
        let before = before.iter().find(|(other, _)| other == point);
        let chance = match (value, before) {
            (Value::Chance(chance), Some((_, before))) => f64::midpoint(*chance, before.chance()),
            (Value::Chance(_) | Value::Win { .. } | Value::Loss { .. }, _) => value.chance(),
        };
        (*point, chance)
    };
    let mut moves: Vec<_> = found.iter().map(chance).collect();
    moves.sort_by(|(one, a), (other, b)| b.total_cmp(a).then(one.cmp(other)));
    let mut shapes = Vec::new();
    moves.retain(|(point, _)| {
        let shape = symmetry::layout_with(position, *point);
        let is_new = !shapes.contains(&shape);
        shapes.push(shape);
        is_new
    });
    moves.truncate(count);
    moves
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use fivefold_shared::{
        rules::{Point, Rules, Size, Variant},
        search_budget::Budget,
    };

    use super::*;
    use crate::search::EngineOptions;

    #[test]
    fn the_chance_is_the_one_between_two_depths_or_proven() {
        let rules = Rules::new(Variant::Freestyle, Size::square(15)).unwrap();
        let options = EngineOptions { hash_bytes: 1 << 20, ..EngineOptions::default() };
        let mut engine = Engine::new(rules, options).unwrap();
        let looking_at = |nodes| {
            let budget = Budget { nodes: Some(nodes), ..Budget::UNLIMITED };
            Thinking { budget, ..Thinking::unlimited() }
        };
        let position = |stones: &[(i32, i32)]| {
            let stones: Vec<Point> = stones.iter().copied().map(Point::from).collect();
            Position::from_moves(rules, &stones).unwrap()
        };
        let begun = position(&[(7, 7), (8, 8)]);
        let found = chance(&mut engine, &begun, &looking_at(2_000)).unwrap();
        let mut chances = Vec::new();
        engine.forget();
        engine.search(&begun, &looking_at(2_000), 1, &mut |analysis| {
            chances.push(analysis.lines[0].value.chance());
        });
        let [.., one, other] = chances[..] else { panic!("two depths at least: {chances:?}") };
        assert!((one.min(other)..one.max(other)).contains(&found), "{found} of {chances:?}");
        assert_eq!(chance(&mut engine, &begun, &looking_at(0)), Some(0.5));
        // Four in a row, free at both ends, against stones far apart.
        let mut won = position(&[(5, 7), (0, 0), (6, 7), (0, 4), (7, 7), (0, 8), (8, 7), (0, 12)]);
        assert_eq!(chance(&mut engine, &won, &looking_at(5_000)), Some(1.0));
        won.play(Point::new(9, 7)).unwrap();
        assert_eq!(chance(&mut engine, &won, &looking_at(5_000)), None);
    }
    #[test]
    fn moves_are_ranked_by_the_mean_of_two_depths() {
        let rules = Rules::new(Variant::Freestyle, Size::square(15)).unwrap();
        let options = EngineOptions { hash_bytes: 1 << 20, ..EngineOptions::default() };
        let mut engine = Engine::new(rules, options).unwrap();
        let budget = Budget { nodes: Some(20_000), ..Budget::UNLIMITED };
        let thinking = Thinking { budget, ..Thinking::unlimited() };
        // Three in a row, free at both ends, Black to move.
        let stones = [(6, 7), (0, 0), (7, 7), (0, 14), (8, 7), (14, 0)].map(Point::from);
        let position = Position::from_moves(rules, &stones).unwrap();
        let found = different_moves(&mut engine, &position, &thinking, 6);
        assert_eq!(found.len(), 6, "{found:?}");
        assert!(found.is_sorted_by(|(_, one), (_, other)| one >= other), "{found:?}");
        let wins: Vec<Point> =
            found.iter().filter(|(_, chance)| *chance == 1.0).map(|(point, _)| *point).collect();
        assert!(wins.contains(&Point::new(5, 7)) && wins.contains(&Point::new(9, 7)), "{found:?}");
        // D1, and a fourth stone in White's row, which is then a mirror of the shape.
        let renju = Rules::new(Variant::Renju, Size::square(15)).unwrap();
        let stones = [(7, 7), (7, 6), (7, 5), (4, 6)].map(Point::from);
        let position = Position::from_moves(renju, &stones).unwrap();
        let mut engine = Engine::new(renju, options).unwrap();
        let found = different_moves(&mut engine, &position, &thinking, 12);
        let shapes: HashSet<_> =
            found.iter().map(|(point, _)| symmetry::layout_with(&position, *point)).collect();
        assert_eq!((found.len(), shapes.len()), (12, 12), "{found:?}");
        let none = Budget { nodes: Some(0), ..Budget::UNLIMITED };
        let none = Thinking { budget: none, ..Thinking::unlimited() };
        assert_eq!(different_moves(&mut engine, &position, &none, 6), []);
    }
}
