//! Builds bots from their [`BotSpec`].
//!
//! A bot knows positions, a budget and a cancellation flag. It knows no rooms, seats or threads. It
//! reads no clock and no randomness: the caller passes in the elapsed time and the seed, so every
//! game of a bot can be replayed exactly.

mod attack_bot;
mod bot_trait;
mod engine_bot;
mod engine_levels;
mod line_threats;
mod minimax_bot;
pub mod opening;
mod pattern_bot;
mod ranking;

pub use self::bot_trait::{Bot, Resources};
use fivefold_shared::{
    bot_spec::{BotError, BotKind, BotSpec, LEVEL_MAX},
    rules::Rules,
};

use self::{attack_bot::Attack, engine_bot::EngineBot, minimax_bot::Minimax, pattern_bot::Pattern};

/// Builds a bot for games by `rules`. The same seed and the same calls give the same replies.
///
/// # Errors
/// When the bot is not [`offered`](BotSpec::offered).
pub fn build(spec: BotSpec, rules: Rules, seed: u64) -> Result<Box<dyn Bot>, BotError> {
    build_with(spec, rules, seed, Resources::default())
}

/// As [`build`], with other resources than the default ones.
///
/// # Errors
/// When the bot is not [`offered`](BotSpec::offered).
pub fn build_with(
    spec: BotSpec,
    rules: Rules,
    seed: u64,
    resources: Resources,
) -> Result<Box<dyn Bot>, BotError> {
    spec.offered(rules)?;
    Ok(match spec.kind {
        BotKind::Minimax => Box::new(Minimax::new(rules, seed)),
        BotKind::Attack => Box::new(Attack::new(seed)),
        BotKind::Pattern => Box::new(Pattern::new(seed)),
        BotKind::Engine => {
            let level = spec.level.unwrap_or(LEVEL_MAX);
            Box::new(EngineBot::new(rules, level, seed, resources))
        }
    })
}
