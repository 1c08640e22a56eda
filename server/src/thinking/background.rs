//! Background jobs, which give way to games: analyses, and reviews of whole games.
//!
//! A background job is called repeatedly until its time is up. It runs when fewer bots think than
//! the server has threads for them, and is interrupted and resumed later when more do. It keeps its
//! own results, and reports them through a channel of its own.
//!
//! Owners without a thread get one first. If an owner has several background jobs, one of them is
//! interrupted for an owner who has fewer and waits for their first thread. A job that has begun
//! holds its memory, so at most twice as many are begun as there are threads.

use std::{fmt, sync::Arc, time::Duration};

use fivefold_engine::search::{Engine, EngineOptions};
use fivefold_shared::{
    analysis::{Analysis, Report, nodes_per_second},
    rules::Position,
    search_budget::Thinking,
};
use tokio::sync::watch;

use super::{
    job_control::JobControl,
    owner::{Owner, fair_rounds},
};
use crate::{
    limits::{BACKGROUND_JOBS_MAX, BACKGROUND_JOBS_PER_ADDRESS_MAX},
    net::network::{Network, networks},
};

/// Memory of an analysis for its transposition table, once it has begun.
const HASH_BYTES: usize = 16 << 20;

/// A step of a background job: thinks until its time is up or it is finished.
pub(crate) type BackgroundJob = Box<dyn FnMut(&Thinking<'_>) + Send>;

/// A submitted background job. Dropping it cancels the job.
#[derive(Debug)]
pub(crate) struct BackgroundHandle(pub(super) Arc<JobControl>);

impl BackgroundHandle {
    pub(crate) fn call(&self) -> Arc<JobControl> {
        Arc::clone(&self.0)
    }
}

impl Drop for BackgroundHandle {
    fn drop(&mut self) {
        self.0.cancel();
    }
}

/// Why a background job is refused.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Busy {
    /// The queue is full.
    Server,
    /// Its owner has too many.
    Owner,
}

/// A background job that waits or runs.
pub(super) struct Waiting {
    pub(super) background_job: BackgroundJob,
    pub(super) call: Arc<JobControl>,
    /// Remaining thinking time.
    pub(super) time: Duration,
    owner: Owner,
    /// The round in which the job is due: an owner's first job in the current round, each further
    /// one a round later.
    round: u64,
    is_begun: bool,
}

#[cfg(test)]
impl Waiting {
    pub(super) const fn owner(&self) -> Owner {
        self.owner
    }
}

/// A background job that a thread runs.
struct UnderWay {
    owner: Owner,
    call: Arc<JobControl>,
    round: u64,
    is_interrupted: bool,
}

/// All background jobs.
#[derive(Default)]
pub(super) struct BackgroundQueue {
    waiting: Vec<Waiting>,
    under_way: Vec<UnderWay>,
    /// The latest round in which a job began.
    round: u64,
}

impl BackgroundQueue {
    /// Adds a background job that may think for `time`. If no thread is free and the owner has none,
    /// interrupts a job of an owner who has more.
    ///
    /// # Errors
    /// If too many wait, in total or for this owner.
    pub(super) fn push(
        &mut self,
        owner: Owner,
        background_job: BackgroundJob,
        time: Duration,
        free: usize,
        threads: usize,
    ) -> Result<Arc<JobControl>, Busy> {
        self.waiting.retain(|waiting| !waiting.call.is_cancelled());
        let has_share = networks(owner.address()).all(|network| {
            // Wider networks have at most half of all.
            let most = network.limit(BACKGROUND_JOBS_PER_ADDRESS_MAX).min(BACKGROUND_JOBS_MAX / 2);
            self.jobs_of(network) < most
        });
        if !has_share {
            return Err(Busy::Owner);
        }
        let own = self.rounds_of(owner);
        if self.waiting.len() >= BACKGROUND_JOBS_MAX {
            return Err(Busy::Server);
        }
        let next = own.into_iter().max().map_or(0, |last| last + 1);
        let (call, round) = (Arc::new(JobControl::default()), self.round.max(next));
        let kept = Arc::clone(&call);
        self.waiting.push(Waiting {
            background_job,
            call: kept,
            time,
            owner,
            round,
            is_begun: false,
        });
        if free == 0 {
            self.make_way(owner, threads);
        }
        Ok(call)
    }

    /// How many background jobs a network has, except cancelled ones.
    fn jobs_of(&self, network: Network) -> usize {
        let waiting = self.waiting.iter().map(|job| (job.owner, &job.call));
        let under_way = self.under_way.iter().map(|job| (job.owner, &job.call));
        waiting
            .chain(under_way)
            .filter(|(_, call)| !call.is_cancelled())
            .filter(|(owner, _)| networks(owner.address()).any(|other| other == network))
            .count()
    }

    /// The rounds of an owner's background jobs, except cancelled ones.
    fn rounds_of(&self, owner: Owner) -> Vec<u64> {
        let waiting = self.waiting.iter().map(|background_job| {
            (background_job.owner, &background_job.call, background_job.round)
        });
        let under_way = self.under_way.iter().map(|background_job| {
            (background_job.owner, &background_job.call, background_job.round)
        });
        waiting
            .chain(under_way)
            .filter(|(other, call, _)| *other == owner && !call.is_cancelled())
            .map(|(_, _, round)| round)
            .collect()
    }

    /// Interrupts a job of the owner who has the most, if this owner has fewer and no thread.
    fn make_way(&mut self, owner: Owner, threads: usize) {
        if self.threads_of(owner) > 0 || self.begun() >= 2 * threads {
            return;
        }
        let own = self.rounds_of(owner).len();
        let last = self
            .under_way
            .iter()
            .enumerate()
            .filter(|(_, background_job)| {
                !background_job.is_interrupted && !background_job.call.is_cancelled()
            })
            .map(|(index, background_job)| {
                (self.rounds_of(background_job.owner).len(), background_job.round, index)
            })
            .filter(|(count, _, _)| *count > own)
            .max();
        if let Some((_, _, index)) = last {
            let background_job = &mut self.under_way[index];
            background_job.interrupt();
            // It queues behind the jobs that it makes way for.
            background_job.round = self.round + 1;
        }
    }

    /// Number of threads that run this owner's background jobs and are not interrupted.
    fn threads_of(&self, owner: Owner) -> usize {
        self.under_way
            .iter()
            .filter(|background_job| {
                background_job.owner == owner && !background_job.is_interrupted
            })
            .count()
    }

    fn begun(&self) -> usize {
        self.under_way.len() + self.waiting.iter().filter(|waiting| waiting.is_begun).count()
    }

    /// Whether a background job of this owner was interrupted and waits. It resumes before the
    /// owner's other jobs start.
    fn has_begun(&self, owner: Owner) -> bool {
        self.waiting.iter().any(|waiting| waiting.owner == owner && waiting.is_begun)
    }

    /// Number of jobs that have a thread.
    pub(super) const fn running(&self) -> usize {
        self.under_way.len()
    }

    /// Number of interrupted jobs that still have a thread.
    pub(super) fn interrupted(&self) -> usize {
        self.under_way.iter().filter(|background_job| background_job.is_interrupted).count()
    }

    /// Interrupts the running job that began last, if there is one.
    pub(super) fn interrupt(&mut self) -> bool {
        let last =
            self.under_way.iter_mut().rev().find(|background_job| !background_job.is_interrupted);
        last.map(UnderWay::interrupt).is_some()
    }

    /// Takes the next background job.
    pub(super) fn take(&mut self, threads: usize) -> Option<Waiting> {
        self.waiting.retain(|waiting| !waiting.call.is_cancelled());
        let only_begun = self.begun() >= 2 * threads;
        let next = self
            .waiting
            .iter()
            .enumerate()
            .filter(|(_, waiting)| {
                waiting.is_begun || !(only_begun || self.has_begun(waiting.owner))
            })
            .min_by_key(|(_, waiting)| (self.threads_of(waiting.owner), waiting.round));
        let index = next.map(|(index, _)| index)?;
        let mut waiting = self.waiting.remove(index);
        waiting.is_begun = true;
        self.round = self.round.max(waiting.round);
        let (owner, call, round) = (waiting.owner, Arc::clone(&waiting.call), waiting.round);
        self.under_way.push(UnderWay { owner, call, round, is_interrupted: false });
        self.note_rounds(threads);
        Some(waiting)
    }

    /// Takes a background job back from its thread. If it `resumes`, it waits for another turn.
    pub(super) fn leave(&mut self, mut waiting: Waiting, resumes: bool) {
        let left = |background_job: &mut UnderWay| Arc::ptr_eq(&background_job.call, &waiting.call);
        let round =
            self.under_way.extract_if(.., left).map(|background_job| background_job.round).last();
        waiting.round = round.unwrap_or(waiting.round);
        if resumes {
            self.waiting.insert(0, waiting);
        }
    }

    /// Updates how fast the time of the running jobs passes.
    pub(super) fn note_rounds(&self, threads: usize) {
        for background_job in &self.under_way {
            let own =
                self.waiting.iter().filter(|waiting| waiting.owner == background_job.owner).count();
            let mut others: Vec<_> = self
                .waiting
                .iter()
                .map(|waiting| waiting.owner)
                .filter(|o| *o != background_job.owner)
                .collect();
            others.sort_unstable();
            others.dedup();
            background_job.call.note_rounds(fair_rounds(others.len(), own, threads));
        }
    }

    /// Cancels all of them.
    pub(super) fn stop(&mut self) {
        self.waiting.clear();
        for background_job in &self.under_way {
            background_job.call.cancel();
        }
    }
}

impl UnderWay {
    fn interrupt(&mut self) {
        self.call.interrupt();
        self.is_interrupted = true;
    }
}

impl fmt::Debug for Waiting {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Waiting").field("time", &self.time).finish_non_exhaustive()
    }
}

/// Reports of an analysis. Only the latest is kept until it is taken.
#[derive(Debug)]
pub(crate) struct Reports(watch::Receiver<Option<Report>>);

impl Reports {
    /// Waits for the next report; `None` when the analysis is over.
    pub(crate) async fn next(&mut self) -> Option<Report> {
        self.0.changed().await.ok()?;
        self.0.borrow_and_update().clone()
    }
}

/// An analysis of a position whose game is not over, by rules that the engine supports.
pub(super) fn analysis(position: Position, lines: u8) -> (BackgroundJob, Reports) {
    let (teller, reports) = watch::channel(None);
    let mut engine = None;
    let (mut deepest, mut nodes_before, mut time_before) = (0, 0, Duration::ZERO);
    let background_job = move |thinking: &Thinking<'_>| {
        let options = EngineOptions { hash_bytes: HASH_BYTES, ..EngineOptions::default() };
        let engine = engine.get_or_insert_with(|| Engine::new(position.rules(), options));
        let Some(engine) = engine else { return };
        let began = std::time::Instant::now();
        let mut nodes = 0;
        let mut tell = |analysis: &Analysis| {
            nodes = analysis.nodes;
            // After an interruption the search finds again what it has already reported.
            if analysis.depth >= deepest {
                deepest = analysis.depth;
                let time = time_before + began.elapsed();
                let report = report(analysis, nodes_before + analysis.nodes, time);
                teller.send_replace(Some(report));
            }
        };
        if let Some(last) = engine.analyse(&position, thinking, lines.into(), &mut tell) {
            tell(&last);
        }
        nodes_before += nodes;
        time_before += began.elapsed();
    };
    (Box::new(background_job), Reports(reports))
}

fn report(analysis: &Analysis, nodes: u64, time: Duration) -> Report {
    Report {
        depth: analysis.depth,
        nodes,
        nodes_per_second: nodes_per_second(nodes, time),
        lines: analysis.lines.clone(),
    }
}
