//! How bots act in openings.

use rand::{RngExt, SeedableRng};

use super::{bot_trait::Resources, ranking::Random};
use crate::{
    bot_spec::BotSpec,
    opening::{Act, Opening, any_act},
    rules::Position,
    search_budget::Thinking,
};

/// The act of this bot for the seat that must act, always legal, within the time of one move.
/// `None` means that the opening is over. The same arguments give the same act.
pub fn choose(
    _bot: BotSpec,
    opening: &Opening,
    position: &Position,
    seed: u64,
    _resources: Resources,
    _thinking: &Thinking<'_>,
) -> Option<Act> {
    let mut random = Random::seed_from_u64(seed);
    any_act(opening, position, &mut |below| random.random_range(0..below))
}
