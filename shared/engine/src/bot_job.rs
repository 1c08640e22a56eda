//! Runs a bot for a room: a room's [`Job`] in, the [`BotReply`] out. Rooms cannot run bots, and
//! bots know no rooms.

use fivefold_shared::{
    bot_spec::BotError,
    protocol::WEIGHTS_MAX,
    room::{BotReply, Job, Task},
    search_budget::Thinking,
};

use crate::bot::{self, Resources};

/// Runs the bot. Returns no reply when no move is left to make. In an opening, a bot whose turn it
/// is replies with an act.
///
/// # Errors
/// When the bot does not play by the position's rules.
pub fn run(job: &Job, thinking: &Thinking<'_>) -> Result<Option<BotReply>, BotError> {
    if let (Some(opening), Task::Turn | Task::BotsTurn) = (&job.opening, job.task) {
        let Job { bot, position, seed, .. } = job;
        let resources = Resources::default();
        let act = bot::opening::choose(*bot, opening, position, *seed, resources, thinking);
        return Ok(act.map(BotReply::Act));
    }
    let mut bot = bot::build(job.bot, job.position.rules(), job.seed)?;
    Ok(match job.task {
        Task::Turn | Task::Move | Task::BotsTurn => {
            bot.choose(&job.position, thinking).map(BotReply::Move)
        }
        Task::Weigh => {
            let mut weights = bot.weigh(&job.position, thinking);
            weights.truncate(WEIGHTS_MAX);
            Some(BotReply::Weights(weights))
        }
    })
}
