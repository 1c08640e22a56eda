//! How even a position is: the chances of the side to move, by the engine.
//!
//! Early in a game, a search's value swings from depth to depth, depending on which side plays the
//! last stone. The truth lies between, so the result is the mean of the last two depths.

use crate::{
    analysis::{Analysis, Value},
    engine::Engine,
    rules::Position,
    search_budget::Thinking,
};

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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        engine::EngineOptions,
        rules::{Point, Rules, Size, Variant},
        search_budget::Budget,
    };

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
        let begun = position(&[(7, 7), (8, 7)]);
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
}
