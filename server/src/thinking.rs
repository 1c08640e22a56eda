//! The threads on which bots think.
//!
//! Jobs wait in a bounded queue, moves for a bot's own seat before everything else; each has a
//! budget that shrinks as the queue grows, and a flag that calls it off. It knows no rooms: who
//! hands in a job gets a channel for the answer, and nothing comes through it when the bots are
//! too busy, the job was called off, or the bot broke.

use std::{
    collections::VecDeque,
    fmt, io,
    panic::{self, AssertUnwindSafe},
    sync::{
        Arc, Condvar, Mutex, MutexGuard, PoisonError,
        atomic::{AtomicBool, Ordering},
    },
    thread,
    time::{Duration, Instant},
};

use fivefold_shared::{
    bot::{Bot, Budget, Thinking},
    protocol::WEIGHTS_MAX,
};
use tokio::sync::oneshot;

use crate::{
    limits::{THINKING_QUEUE_MAX, THINKING_TIME_MAX, THINKING_TIME_MIN},
    metrics::Metrics,
    room::{Job, Task, Thought},
};

/// The way to the bots' threads; cheap to clone.
#[derive(Clone, Debug)]
pub(crate) struct Pool(Arc<Shared>);

/// Ends when every thread of the pool has ended. Dropping it stops the pool, so that no thread
/// outlives a server that is dropped instead of stopped.
#[derive(Debug)]
pub(crate) struct ThreadsEnd {
    end: tokio::sync::mpsc::Receiver<()>,
    pool: Pool,
}

/// A job that was handed in. Dropping it calls the job off.
#[derive(Debug)]
pub(crate) struct Pending {
    answer: oneshot::Receiver<Thought>,
    cancel: Arc<AtomicBool>,
}

struct Shared {
    /// Held only to put in or take out a job, never while a bot thinks.
    queue: Mutex<Queue>,
    work: Condvar,
    threads: usize,
    metrics: Arc<Metrics>,
}

#[derive(Default)]
struct Queue {
    turns: VecDeque<Waiting>,
    help: VecDeque<Waiting>,
    /// The flags of the jobs that are being thought about.
    running: Vec<Arc<AtomicBool>>,
    stopped: bool,
}

struct Waiting {
    job: Job,
    cancel: Arc<AtomicBool>,
    answer: oneshot::Sender<Thought>,
}

impl Pool {
    /// Starts so many threads.
    ///
    /// # Errors
    /// When one cannot be started.
    pub(crate) fn start(threads: usize, metrics: Arc<Metrics>) -> io::Result<(Self, ThreadsEnd)> {
        let (queue, work) = (Mutex::default(), Condvar::new());
        let shared = Arc::new(Shared { queue, work, threads: threads.max(1), metrics });
        let (alive, end) = tokio::sync::mpsc::channel(1);
        for number in 0..shared.threads {
            let (shared, alive) = (Arc::clone(&shared), alive.clone());
            thread::Builder::new().name(format!("bots-{number}")).spawn(move || {
                shared.work();
                drop(alive);
            })?;
        }
        let pool = Self(shared);
        Ok((pool.clone(), ThreadsEnd { end, pool }))
    }

    /// Hands in a job. When the queue is full the answer is that there is none.
    pub(crate) fn submit(&self, job: Job) -> Pending {
        let (answer, receiver) = oneshot::channel();
        let cancel = Arc::new(AtomicBool::new(false));
        let mut queue = self.0.lock();
        if queue.len() < THINKING_QUEUE_MAX && !queue.stopped {
            let waiting = Waiting { job, cancel: Arc::clone(&cancel), answer };
            match waiting.job.task {
                Task::Turn => queue.turns.push_back(waiting),
                Task::Move | Task::Weigh => queue.help.push_back(waiting),
            }
            self.0.work.notify_one();
        } else {
            self.0.metrics.thoughts_dropped.inc();
            tracing::warn!(waiting = queue.len(), "the bots are too busy");
        }
        Pending { answer: receiver, cancel }
    }

    /// How many jobs wait.
    pub(crate) fn queued(&self) -> usize {
        self.0.lock().len()
    }

    /// Calls off everything; the threads end as soon as their bots let them.
    pub(crate) fn stop(&self) {
        let mut queue = self.0.lock();
        queue.stopped = true;
        queue.turns.clear();
        queue.help.clear();
        for cancel in &queue.running {
            cancel.store(true, Ordering::Relaxed);
        }
        self.0.work.notify_all();
    }
}

impl ThreadsEnd {
    /// Waits until every thread has ended.
    pub(crate) async fn wait(mut self) {
        // The threads send nothing: this returns when the last one drops its end.
        self.end.recv().await;
    }
}

impl Drop for ThreadsEnd {
    fn drop(&mut self) {
        self.pool.stop();
    }
}

impl Pending {
    /// The answer, if there is one.
    pub(crate) async fn answer(mut self) -> Option<Thought> {
        (&mut self.answer).await.ok()
    }

    /// The flag that calls the job off.
    pub(crate) fn cancel_flag(&self) -> Arc<AtomicBool> {
        Arc::clone(&self.cancel)
    }
}

impl Drop for Pending {
    fn drop(&mut self) {
        self.cancel.store(true, Ordering::Relaxed);
    }
}

impl fmt::Debug for Shared {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Shared").field("threads", &self.threads).finish_non_exhaustive()
    }
}

impl Queue {
    fn len(&self) -> usize {
        self.turns.len() + self.help.len()
    }

    fn take(&mut self) -> Option<Waiting> {
        self.turns.pop_front().or_else(|| self.help.pop_front())
    }
}

impl Shared {
    fn lock(&self) -> MutexGuard<'_, Queue> {
        // Nothing panics while the lock is held that leaves the queue half changed.
        self.queue.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The life of one thread.
    fn work(&self) {
        while let Some((waiting, time)) = self.next() {
            let Waiting { job, cancel, answer } = waiting;
            let begun = Instant::now();
            let thought = if cancel.load(Ordering::Relaxed) {
                None
            } else {
                panic::catch_unwind(AssertUnwindSafe(|| think(&job, time, &cancel))).unwrap_or_else(
                    |_| {
                        tracing::error!(bot = %job.bot, "a bot panicked");
                        None
                    },
                )
            };
            self.metrics.note_thinking(begun.elapsed());
            if let Some(thought) = thought {
                // A room that has ended meanwhile does not want to know.
                drop(answer.send(thought));
            }
            self.lock().running.retain(|running| !Arc::ptr_eq(running, &cancel));
        }
    }

    /// The next job and the time for it; waits for one. Nothing when the pool is stopped.
    fn next(&self) -> Option<(Waiting, Duration)> {
        let mut queue = self.lock();
        loop {
            if queue.stopped {
                return None;
            }
            if let Some(waiting) = queue.take() {
                queue.running.push(Arc::clone(&waiting.cancel));
                let time = time_for(queue.len(), self.threads);
                let time = waiting.job.time_max.map_or(time, |time_max| time.min(time_max));
                return Some((waiting, time));
            }
            queue = self.work.wait(queue).unwrap_or_else(PoisonError::into_inner);
        }
    }
}

/// The time for a job while others wait: as if the threads' time were shared by all.
fn time_for(waiting: usize, threads: usize) -> Duration {
    let rounds = u32::try_from(waiting / threads + 1).unwrap_or(u32::MAX);
    (THINKING_TIME_MAX / rounds).max(THINKING_TIME_MIN)
}

fn think(job: &Job, time: Duration, cancel: &AtomicBool) -> Option<Thought> {
    let mut bot: Box<dyn Bot> = match job.bot.build(job.position.rules(), job.seed) {
        Ok(bot) => bot,
        Err(error) => {
            tracing::error!(bot = %job.bot, %error, "a bot was asked that is not on offer");
            return None;
        }
    };
    let begun = Instant::now();
    let elapsed = || begun.elapsed();
    let budget = Budget { time, nodes: None };
    let thinking = Thinking { budget, elapsed: &elapsed, cancel };
    match job.task {
        Task::Turn | Task::Move => bot.choose(&job.position, &thinking).map(Thought::Move),
        Task::Weigh => {
            let mut weights = bot.weigh(&job.position, &thinking);
            weights.truncate(WEIGHTS_MAX);
            Some(Thought::Weights(weights))
        }
    }
}

#[cfg(test)]
mod tests {
    use fivefold_shared::{
        bot::BotKind,
        rules::{Position, Rules, Size, Variant},
    };

    use super::*;
    use crate::room::Ticket;

    fn job(task: Task, bot: BotKind) -> Job {
        let rules = Rules::new(Variant::Freestyle, Size::square(15)).unwrap();
        let position = Position::new(rules);
        Job { ticket: Ticket(1), task, bot: bot.into(), position, seed: 1, time_max: None }
    }

    #[tokio::test]
    async fn jobs_are_answered_or_it_is_said_that_they_are_not() {
        let (pool, end) = Pool::start(1, Arc::new(Metrics::new())).unwrap();
        let chosen = pool.submit(job(Task::Turn, BotKind::Attack)).answer().await;
        assert!(matches!(chosen, Some(Thought::Move(_))), "{chosen:?}");
        let weighed = pool.submit(job(Task::Weigh, BotKind::Pattern)).answer().await;
        assert!(matches!(weighed, Some(Thought::Weights(_))), "{weighed:?}");
        // Not on offer on so large a board.
        assert_eq!(pool.submit(job(Task::Turn, BotKind::Minimax)).answer().await, None);
        pool.stop();
        assert_eq!(pool.submit(job(Task::Turn, BotKind::Attack)).answer().await, None);
        end.wait().await;
    }

    #[tokio::test]
    async fn a_full_queue_takes_no_more_and_turns_come_first() {
        // A pool of no threads, so that everything waits.
        let (queue, work) = (Mutex::default(), Condvar::new());
        let pool =
            Pool(Arc::new(Shared { queue, work, threads: 1, metrics: Arc::new(Metrics::new()) }));
        let help = job(Task::Weigh, BotKind::Attack);
        let _waiting: Vec<_> = (1..THINKING_QUEUE_MAX).map(|_| pool.submit(help.clone())).collect();
        let _turn = pool.submit(job(Task::Turn, BotKind::Attack));
        assert_eq!(pool.submit(help).answer().await, None);
        let (first, time) = pool.0.next().unwrap();
        assert_eq!(first.job.task, Task::Turn);
        assert_eq!(time, THINKING_TIME_MIN);
    }

    #[test]
    fn the_time_shrinks_as_the_queue_grows() {
        let cases = [(0, 1, 1_000), (1, 1, 500), (1, 2, 1_000), (9, 1, 100), (10_000, 1, 10)];
        for (waiting, threads, expected_ms) in cases {
            let time = time_for(waiting, threads);
            assert_eq!(time, Duration::from_millis(expected_ms), "{waiting} on {threads}");
        }
    }
}
