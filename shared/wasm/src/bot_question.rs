//! A bot's job in JSON.

use fivefold_shared::{
    bot_spec::BotSpec,
    opening::Opening,
    protocol::Refusal,
    questions::open_position,
    record::RecordedOpening,
    room::{Job, Task, Ticket},
    rules::{Point, Rules, moves_of_one_game},
};
use serde::{Deserialize, Serialize};

/// A job for a bot.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct BotQuestion {
    task: BotTask,
    bot: BotSpec,
    rules: Rules,
    #[serde(default, deserialize_with = "moves_of_one_game")]
    moves: Vec<Point>,
    /// The opening, if it runs; its acts stand in for the moves.
    #[serde(skip_serializing_if = "Option::is_none")]
    opening: Option<RecordedOpening>,
    /// Breaks ties between moves that the bot finds equally good.
    seed: u64,
}

/// The kinds of a bot's job.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
enum BotTask {
    Turn,
    Weigh,
}

impl From<&Job> for BotQuestion {
    fn from(job: &Job) -> Self {
        let opening = job.opening.as_ref().map(|opening| RecordedOpening {
            kind: opening.kind(),
            first: opening.first(),
            acts: opening.acts().to_vec(),
        });
        Self {
            task: match job.task {
                Task::Turn | Task::Move | Task::BotsTurn => BotTask::Turn,
                Task::Weigh => BotTask::Weigh,
            },
            bot: job.bot,
            rules: job.position.rules(),
            moves: job.position.moves().to_vec(),
            opening,
            seed: job.seed,
        }
    }
}

impl BotQuestion {
    /// The job.
    ///
    /// # Errors
    /// When the moves or acts cannot be made, or the game is over.
    pub(crate) fn job(self) -> Result<Job, Refusal> {
        let Self { task, bot, rules, moves, opening, seed } = self;
        let (opening, position) = match opening {
            None => (None, open_position(rules, &moves)?),
            Some(RecordedOpening { kind, first, acts }) => {
                let (opening, position) = Opening::after(rules, kind, first, &acts)?;
                (Some(opening), position)
            }
        };
        let task = match task {
            BotTask::Turn => Task::Turn,
            BotTask::Weigh => Task::Weigh,
        };
        let (ticket, session) = (Ticket(0), None);
        Ok(Job { ticket, task, session, bot, position, opening, seed, time_max: None })
    }
}
