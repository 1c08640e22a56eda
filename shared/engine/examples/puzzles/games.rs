//! Games of the engine's lower levels against each other, from random stones, so that both sides make
//! mistakes.

use std::{error::Error, ops::RangeInclusive};

use fivefold_engine::bot;
use fivefold_shared::{
    bot_spec::{BotKind, BotSpec},
    rules::{Point, Position, Rules, Size},
    search_budget::{Budget, Thinking},
};
use rand::{RngExt, SeedableRng, rngs::Xoshiro256PlusPlus};

/// The levels that play.
pub(crate) const LEVELS: RangeInclusive<u8> = 2..=6;

/// A game that is not decided by then is long enough.
const PLIES_MAX: usize = 90;

/// Positions that any level may search for a move.
const NODES: u64 = 4_000;

/// One game; the same seed and number give the same.
pub(crate) fn play(rules: Rules, seed: u64, number: u64) -> Result<Position, Box<dyn Error>> {
    let mut random =
        Xoshiro256PlusPlus::seed_from_u64(seed.wrapping_mul(1 << 32).wrapping_add(number));
    let mut position = begin(rules, &mut random);
    let mut level = || {
        let level = Some(random.random_range(LEVELS));
        bot::build(BotSpec { kind: BotKind::Engine, level }, rules, random.random())
    };
    let mut bots = [level()?, level()?];
    let budget = Budget { nodes: Some(NODES), ..Budget::UNLIMITED };
    let thinking = Thinking { budget, ..Thinking::unlimited() };
    while position.outcome().is_none() && position.ply() < PLIES_MAX {
        let bot = &mut bots[position.ply() % 2];
        let point = bot.choose(&position, &thinking).ok_or("the game goes on")?;
        position.play(point)?;
    }
    Ok(position)
}

/// A few stones near the middle.
fn begin(rules: Rules, random: &mut Xoshiro256PlusPlus) -> Position {
    let mut position = Position::new(rules);
    let Size::Bounded { width, height } = rules.size() else { return position };
    let stones = random.random_range(1..=6);
    let spread = random.random_range(2..=4);
    while position.ply() < stones {
        let mut near = |side: u8| i32::from(side) / 2 + random.random_range(-spread..=spread);
        let point = Point::new(near(width), near(height));
        if position.legality(point).is_ok() {
            position.play(point).ok();
        }
    }
    position
}
