//! Searches: analyses, bots' jobs and reviews. The caller hands in the time, and takes reports.

use std::{sync::atomic::AtomicBool, time::Duration};

use fivefold_engine::{
    bot_job,
    reviewer::Reviewer,
    search::{Engine, EngineOptions},
};
use fivefold_shared::{
    analysis::{self, Analysis, Report},
    protocol::{Reason, Refusal},
    questions::AnalysisQuestion,
    room::BotReply,
    rules::{Point, Rules, Stone},
    search_budget::{Budget, Thinking},
};
use serde::Deserialize;

use crate::{answer::Answer, bot_question::BotQuestion};

/// The longest that a search may take.
const TIME_MAX: Duration = Duration::from_secs(120);

/// What a search may use. Without either limit it ends after [`TIME_MAX`].
#[derive(Clone, Copy, Debug, Default, Deserialize)]
pub(crate) struct Limits {
    time_ms: Option<u64>,
    nodes: Option<u64>,
}

/// The caller's clock, and where it takes reports.
pub(crate) struct Searching<'a> {
    /// The time since the request came.
    pub(crate) elapsed: &'a (dyn Fn() -> Duration + Sync),
    /// Takes each answer that is better than the one before.
    pub(crate) report: &'a mut dyn FnMut(&Answer),
}

impl Searching<'_> {
    pub(crate) fn analyse(
        self,
        question: &AnalysisQuestion,
        limits: Limits,
    ) -> Result<Answer, Refusal> {
        let position = question.position()?;
        let mut engine = Engine::new(position.rules(), EngineOptions::default())
            .ok_or_else(|| Refusal::new(Reason::NoEngine))?;
        let Self { elapsed, report } = self;
        let lines = u8::from(question.lines());
        let mut progress = |found: &Analysis| report(&analysed(found, elapsed()));
        let found = engine
            .analyse(&position, &thinking(elapsed, limits), lines.into(), &mut progress)
            .ok_or_else(|| Refusal::new(Reason::GameOver))?;
        Ok(analysed(&found, elapsed()))
    }

    pub(crate) fn ask_bot(self, question: BotQuestion, limits: Limits) -> Result<Answer, Refusal> {
        let job = question.job()?;
        let reply = bot_job::run(&job, &thinking(self.elapsed, limits))
            .map_err(|error| Refusal::bot_not_offered(&error))?;
        Ok(match reply {
            None => Answer::Move(None),
            Some(BotReply::Move(point)) => Answer::Move(Some(point)),
            Some(BotReply::Act(act)) => Answer::Act(act),
            Some(BotReply::Weights(weights)) => Answer::Weights(weights),
        })
    }

    pub(crate) fn review(
        self,
        rules: Rules,
        moves: &[Point],
        winner: Option<Stone>,
    ) -> Result<Answer, Refusal> {
        let mut reviewer = Reviewer::new(rules, moves, winner)
            .map_err(|(_, illegal)| Refusal::from(illegal))?
            .ok_or_else(|| Refusal::new(Reason::NoEngine))?;
        // Each move has its number of positions, which limits the whole.
        while reviewer.go_on(&Thinking::unlimited()) == Some(true) {
            (self.report)(&Answer::Reviewed(reviewer.done()));
        }
        Ok(Answer::Review(reviewer.finish().expect("every position was searched")))
    }
}

fn thinking(elapsed: &(dyn Fn() -> Duration + Sync), limits: Limits) -> Thinking<'_> {
    static NEVER: AtomicBool = AtomicBool::new(false);
    let time = limits.time_ms.map_or(TIME_MAX, Duration::from_millis).min(TIME_MAX);
    Thinking {
        budget: Budget { time, nodes: limits.nodes, ..Budget::UNLIMITED },
        elapsed,
        cancel: &NEVER,
    }
}

fn analysed(found: &Analysis, time: Duration) -> Answer {
    let Analysis { lines, depth, nodes } = found;
    let nodes_per_second = analysis::nodes_per_second(*nodes, time);
    let (depth, nodes, lines) = (*depth, *nodes, lines.clone());
    Answer::Analysis(Report { depth, nodes, nodes_per_second, lines })
}
