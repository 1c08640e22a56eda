//! The threads on which bots think.
//!
//! Jobs wait in a bounded queue, moves for a bot's own seat before everything else; each has a
//! budget that shrinks as the queue grows, and a flag that calls it off. It knows no rooms: who
//! hands in a job gets a channel for the answer, and nothing comes through it when the bots are
//! too busy, the job was called off, or the bot broke.
//!
//! Studies (`thinking/study.rs`) come after all jobs. One that is under way is interrupted when a
//! job finds no thread free, and taken up again before the studies that wait: so there are never
//! more of them begun than threads. The more wait, the faster their time passes.

mod study;

use std::{
    collections::VecDeque,
    fmt, io,
    panic::{self, AssertUnwindSafe},
    sync::{
        Arc, Condvar, Mutex, MutexGuard, PoisonError,
        atomic::{AtomicUsize, Ordering},
    },
    thread,
    time::{Duration, Instant},
};

use fivefold_shared::{
    bot::{Bot, Budget, Thinking},
    protocol::WEIGHTS_MAX,
    rules::Position,
};
use tokio::sync::oneshot;

pub(crate) use self::study::{Call, Reports, Study, Studying};
use crate::{
    limits::{
        ANALYSIS_TIME_MAX, STUDIES_MAX, THINKING_QUEUE_MAX, THINKING_TIME_MAX, THINKING_TIME_MIN,
    },
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
    call: Arc<Call>,
}

struct Shared {
    /// Held only to put in or take out a job, never while a bot thinks.
    queue: Mutex<Queue>,
    work: Condvar,
    threads: usize,
    /// How many studies wait; for those under way to look at without the lock.
    studies_waiting: AtomicUsize,
    metrics: Arc<Metrics>,
}

#[derive(Default)]
struct Queue {
    turns: VecDeque<Waiting>,
    help: VecDeque<Waiting>,
    studies: VecDeque<study::Waiting>,
    /// The jobs that are being thought about.
    running: Vec<Arc<Call>>,
    /// The studies that are under way and not yet interrupted.
    studying: Vec<Arc<Call>>,
    /// Threads that wait for something to do.
    idle: usize,
    stopped: bool,
}

/// What a thread does next.
enum Work {
    /// A job, in so much time.
    Job(Waiting, Duration),
    Study(study::Waiting),
}

struct Waiting {
    job: Job,
    call: Arc<Call>,
    answer: oneshot::Sender<Thought>,
}

impl Pool {
    /// Starts so many threads.
    ///
    /// # Errors
    /// When one cannot be started.
    pub(crate) fn start(threads: usize, metrics: Arc<Metrics>) -> io::Result<(Self, ThreadsEnd)> {
        let (queue, work) = (Mutex::default(), Condvar::new());
        let (threads, studies_waiting) = (threads.max(1), AtomicUsize::new(0));
        let shared = Arc::new(Shared { queue, work, threads, studies_waiting, metrics });
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
        let call = Arc::new(Call::default());
        let mut queue = self.0.lock();
        if queue.len() < THINKING_QUEUE_MAX && !queue.stopped {
            let waiting = Waiting { job, call: Arc::clone(&call), answer };
            match waiting.job.task {
                Task::Turn => queue.turns.push_back(waiting),
                Task::Move | Task::Weigh => queue.help.push_back(waiting),
            }
            if queue.idle == 0
                && let Some(studying) = queue.studying.pop()
            {
                studying.interrupt();
            }
            self.0.work.notify_one();
        } else {
            self.0.metrics.thoughts_dropped.inc();
            tracing::warn!(waiting = queue.len(), "the bots are too busy");
        }
        Pending { answer: receiver, call }
    }

    /// Has a position analysed for a while. Nothing when as many studies wait as may.
    pub(crate) fn analyse(&self, position: Position, lines: u8) -> Option<(Studying, Reports)> {
        let (study, reports) = study::analysis(position, lines);
        Some((self.study(study, ANALYSIS_TIME_MAX)?, reports))
    }

    /// Hands in a study that may take so much time. Nothing when as many wait as may.
    pub(crate) fn study(&self, study: Study, time: Duration) -> Option<Studying> {
        let call = Arc::new(Call::default());
        let mut queue = self.0.lock();
        queue.studies.retain(|waiting| !waiting.call.is_cancelled());
        if queue.studies.len() >= STUDIES_MAX || queue.stopped {
            self.0.metrics.thoughts_dropped.inc();
            return None;
        }
        queue.studies.push_back(study::Waiting { study, call: Arc::clone(&call), time });
        self.0.note_studies(&queue);
        self.0.work.notify_one();
        Some(Studying(call))
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
        queue.studies.clear();
        for call in queue.running.iter().chain(&queue.studying) {
            call.cancel();
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

    /// By which the job is called off.
    pub(crate) fn call(&self) -> Arc<Call> {
        Arc::clone(&self.call)
    }
}

impl Drop for Pending {
    fn drop(&mut self) {
        self.call.cancel();
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
        while let Some(work) = self.next() {
            match work {
                Work::Job(waiting, time) => self.work_on(waiting, time),
                Work::Study(waiting) => self.go_on_with(waiting),
            }
        }
    }

    fn work_on(&self, Waiting { job, call, answer }: Waiting, time: Duration) {
        let begun = Instant::now();
        let thought = if call.is_cancelled() {
            None
        } else {
            panic::catch_unwind(AssertUnwindSafe(|| think(&job, time, &call))).unwrap_or_else(
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
        self.lock().running.retain(|running| !Arc::ptr_eq(running, &call));
    }

    /// Goes on with a study until its time is up, it is interrupted, or nothing is left to do.
    fn go_on_with(&self, mut waiting: study::Waiting) {
        let begun = Instant::now();
        let elapsed = || {
            let others = self.studies_waiting.load(Ordering::Relaxed);
            begun.elapsed() * rounds(others, self.threads)
        };
        let budget = Budget { time: waiting.time, nodes: None };
        let call = Arc::clone(&waiting.call);
        let thinking = Thinking { budget, elapsed: &elapsed, cancel: &call.stop };
        let thought = panic::catch_unwind(AssertUnwindSafe(|| (waiting.study)(&thinking)));
        if thought.is_err() {
            tracing::error!("a study panicked");
        }
        waiting.time = waiting.time.saturating_sub(elapsed());
        let mut queue = self.lock();
        queue.studying.retain(|studying| !Arc::ptr_eq(studying, &call));
        if call.may_go_on() && thought.is_ok() && !waiting.time.is_zero() && !queue.stopped {
            queue.studies.push_front(waiting);
            self.note_studies(&queue);
        }
    }

    fn note_studies(&self, queue: &Queue) {
        self.studies_waiting.store(queue.studies.len(), Ordering::Relaxed);
    }

    /// What is to be done next; waits for it. Nothing when the pool is stopped.
    fn next(&self) -> Option<Work> {
        let mut queue = self.lock();
        loop {
            if queue.stopped {
                return None;
            }
            if let Some(waiting) = queue.take() {
                queue.running.push(Arc::clone(&waiting.call));
                let time = time_for(queue.len(), self.threads);
                let time = waiting.job.time_max.map_or(time, |time_max| time.min(time_max));
                return Some(Work::Job(waiting, time));
            }
            if let Some(waiting) = queue.studies.pop_front() {
                self.note_studies(&queue);
                if waiting.call.is_cancelled() {
                    continue;
                }
                queue.studying.push(Arc::clone(&waiting.call));
                return Some(Work::Study(waiting));
            }
            queue.idle += 1;
            queue = self.work.wait(queue).unwrap_or_else(PoisonError::into_inner);
            queue.idle -= 1;
        }
    }
}

/// The time for a job while others wait: as if the threads' time were shared by all.
fn time_for(waiting: usize, threads: usize) -> Duration {
    (THINKING_TIME_MAX / rounds(waiting, threads)).max(THINKING_TIME_MIN)
}

/// How often the threads have to turn to new work until those who wait have had their turn.
fn rounds(waiting: usize, threads: usize) -> u32 {
    u32::try_from(waiting / threads + 1).unwrap_or(u32::MAX)
}

fn think(job: &Job, time: Duration, call: &Call) -> Option<Thought> {
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
    let thinking = Thinking { budget, elapsed: &elapsed, cancel: &call.stop };
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
        rules::{Point, Position, Rules, Size, Variant},
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

    /// A pool in which everything waits.
    fn without_threads() -> Pool {
        let (queue, work) = (Mutex::default(), Condvar::new());
        let (studies_waiting, metrics) = (AtomicUsize::new(0), Arc::new(Metrics::new()));
        Pool(Arc::new(Shared { queue, work, threads: 1, studies_waiting, metrics }))
    }

    #[tokio::test]
    async fn a_study_gives_way_to_a_game_and_goes_on() {
        let (pool, end) = Pool::start(1, Arc::new(Metrics::new())).unwrap();
        let mut position = job(Task::Turn, BotKind::Attack).position;
        position.play(Point::new(7, 7)).unwrap();
        let (studying, mut reports) = pool.analyse(position, 2).unwrap();
        let first = reports.next().await.unwrap();
        // The only thread is at the study, for half a minute if nobody came.
        let chosen = pool.submit(job(Task::Turn, BotKind::Attack)).answer().await;
        assert!(matches!(chosen, Some(Thought::Move(_))), "{chosen:?}");
        let mut later = reports.next().await.unwrap();
        while later.depth <= first.depth + 1 {
            later = reports.next().await.unwrap();
        }
        assert!(later.nodes > first.nodes);
        drop(studying);
        while reports.next().await.is_some() {}
        pool.stop();
        end.wait().await;
    }

    #[tokio::test]
    async fn only_so_many_studies_wait() {
        let pool = without_threads();
        let nothing = || -> Study { Box::new(|_| {}) };
        let mut waiting: Vec<_> =
            (0..STUDIES_MAX).map(|_| pool.study(nothing(), Duration::MAX).unwrap()).collect();
        assert!(pool.study(nothing(), Duration::MAX).is_none());
        // What is called off takes nobody's place.
        drop(waiting.pop());
        assert!(pool.study(nothing(), Duration::MAX).is_some());
        let _turn = pool.submit(job(Task::Turn, BotKind::Attack));
        assert!(matches!(pool.0.next(), Some(Work::Job(..))));
        assert!(matches!(pool.0.next(), Some(Work::Study(_))));
    }

    #[tokio::test]
    async fn a_full_queue_takes_no_more_and_turns_come_first() {
        let pool = without_threads();
        let help = job(Task::Weigh, BotKind::Attack);
        let _waiting: Vec<_> = (1..THINKING_QUEUE_MAX).map(|_| pool.submit(help.clone())).collect();
        let _turn = pool.submit(job(Task::Turn, BotKind::Attack));
        assert_eq!(pool.submit(help).answer().await, None);
        let Some(Work::Job(first, time)) = pool.0.next() else { panic!("a job waits") };
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
