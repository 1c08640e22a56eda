//! The pools of threads on which bots think, and analyses and reviews run.
//!
//! Jobs wait in a bounded queue (`thinking/queue.rs`) that shares the threads fairly between
//! owners. Each job has a time budget that shrinks as others wait, and a flag that cancels it. The
//! pool does not know rooms: the caller gets a channel for the reply. The channel closes without a
//! reply if the pool is too busy, the job was cancelled, or the bot panicked.
//!
//! Background jobs (`thinking/background.rs`) come after all other jobs. They have their own
//! threads, which run only when no other thread of the system needs the processor. A running one is
//! interrupted when as many bots think as there are threads, and resumes later. The more of them
//! wait, the faster their time passes.

mod background;
mod job_control;
mod owner;
mod queue;
pub(crate) mod reviews;

use std::{
    fmt, io,
    panic::{self, AssertUnwindSafe},
    sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError},
    thread,
    time::{Duration, Instant},
};

use fivefold_engine::bot_job;
use fivefold_shared::{
    room::{BotReply, Job},
    rules::Position,
    search_budget::{Budget, Thinking},
};
use tokio::sync::oneshot;

use self::queue::{Queue, Waiting};
pub(crate) use self::{
    background::{BackgroundHandle, BackgroundJob, Busy, Reports},
    job_control::JobControl,
    owner::Owner,
};
use crate::{limits::ANALYSIS_TIME_MAX, metrics::Metrics, process::priority};

/// Handle of the bots' threads; cheap to clone.
#[derive(Clone, Debug)]
pub(crate) struct Pool(Arc<Shared>);

/// Completes when every thread of the pool has ended. Dropping it stops the pool, so that no thread
/// outlives a server that is dropped without a shutdown.
#[derive(Debug)]
pub(crate) struct ThreadsEnd {
    end: tokio::sync::mpsc::Receiver<()>,
    pool: Pool,
}

/// A submitted job. Dropping it cancels the job.
#[derive(Debug)]
pub(crate) struct Pending {
    answer: oneshot::Receiver<BotReply>,
    call: Arc<JobControl>,
}

struct Shared {
    /// Locked only to add or take a job, never while a bot thinks.
    queue: Mutex<Queue>,
    /// Wakes a bots' thread.
    job: Condvar,
    /// Wakes a thread for background jobs.
    background_job: Condvar,
    metrics: Arc<Metrics>,
}

impl Pool {
    /// Starts this many threads for bots, and as many for background jobs. At most this many of
    /// them work at once.
    ///
    /// # Errors
    /// If a thread cannot be started.
    pub(crate) fn start(threads: usize, metrics: Arc<Metrics>) -> io::Result<(Self, ThreadsEnd)> {
        let threads = threads.max(1);
        let shared = Arc::new(Shared::new(threads, metrics));
        let (alive, end) = tokio::sync::mpsc::channel(1);
        let spawn = |name, work: fn(&Shared)| {
            let (shared, alive) = (Arc::clone(&shared), alive.clone());
            thread::Builder::new().name(name).spawn(move || {
                work(&shared);
                drop(alive);
            })
        };
        for number in 0..threads {
            spawn(format!("bots-{number}"), Shared::run_jobs)?;
            spawn(format!("background-{number}"), Shared::run_background_jobs)?;
        }
        let pool = Self(shared);
        Ok((pool.clone(), ThreadsEnd { end, pool }))
    }

    /// Submits a job for an owner. A full queue drops one job, whose reply is then `None`.
    pub(crate) fn submit(&self, job: Job, owner: Owner) -> Pending {
        let (answer, receiver) = oneshot::channel();
        let call = Arc::new(JobControl::default());
        let mut queue = self.0.lock();
        if queue.stopped {
            return Pending { answer: receiver, call };
        }
        let waiting = Waiting { job, owner, call: Arc::clone(&call), answer };
        if !queue.push(waiting) {
            self.0.metrics.thoughts_dropped.inc();
        }
        self.0.job.notify_one();
        Pending { answer: receiver, call }
    }

    /// Starts an analysis of a position.
    ///
    /// # Errors
    /// If too many background jobs wait, in total or for this owner.
    pub(crate) fn analyse(
        &self,
        owner: Owner,
        position: Position,
        lines: u8,
    ) -> Result<(BackgroundHandle, Reports), Busy> {
        let (background_job, reports) = background::analysis(position, lines);
        Ok((self.background_job(owner, background_job, ANALYSIS_TIME_MAX)?, reports))
    }

    /// Submits a background job that may think for `time`.
    ///
    /// # Errors
    /// If too many background jobs wait, in total or for this owner.
    pub(crate) fn background_job(
        &self,
        owner: Owner,
        background_job: BackgroundJob,
        time: Duration,
    ) -> Result<BackgroundHandle, Busy> {
        let mut queue = self.0.lock();
        if queue.stopped {
            return Err(Busy::Server);
        }
        let call = queue.push_background(owner, background_job, time).inspect_err(|_| {
            self.0.metrics.thoughts_dropped.inc();
        })?;
        self.0.background_job.notify_one();
        Ok(BackgroundHandle(call))
    }

    /// Number of waiting jobs.
    pub(crate) fn queued(&self) -> usize {
        self.0.lock().len()
    }

    /// Cancels everything; the threads end as soon as their bots stop.
    pub(crate) fn stop(&self) {
        self.0.lock().stop();
        self.0.job.notify_all();
        self.0.background_job.notify_all();
    }
}

impl ThreadsEnd {
    /// Waits until all threads have ended.
    pub(crate) async fn wait(mut self) {
        // The threads send nothing: this returns when the last one drops its sender.
        self.end.recv().await;
    }
}

impl Drop for ThreadsEnd {
    fn drop(&mut self) {
        self.pool.stop();
    }
}

impl Pending {
    /// Waits for the reply; `None` if there will be none.
    pub(crate) async fn answer(mut self) -> Option<BotReply> {
        (&mut self.answer).await.ok()
    }

    /// The job's cancellation handle.
    pub(crate) fn call(&self) -> Arc<JobControl> {
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
        f.debug_struct("Shared").finish_non_exhaustive()
    }
}

impl Shared {
    fn new(threads: usize, metrics: Arc<Metrics>) -> Self {
        let queue = Mutex::new(Queue::new(threads));
        Self { queue, job: Condvar::new(), background_job: Condvar::new(), metrics }
    }

    fn lock(&self) -> MutexGuard<'_, Queue> {
        // No panic under the lock can leave the queue half changed.
        self.queue.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The loop of a bots' thread.
    fn run_jobs(&self) {
        priority::give_way();
        while let Some((waiting, time)) = self.next(&self.job, Queue::take) {
            self.run_job(waiting, time);
        }
    }

    /// The loop of a thread for background jobs.
    fn run_background_jobs(&self) {
        priority::run_when_idle();
        while let Some(waiting) = self.next(&self.background_job, Queue::take_background) {
            self.run_background_job(waiting);
        }
    }

    /// Waits for work; `None` when the pool is stopped.
    fn next<T>(&self, wakeup: &Condvar, take: fn(&mut Queue) -> Option<T>) -> Option<T> {
        let mut queue = self.lock();
        loop {
            if queue.stopped {
                return None;
            }
            if let Some(work) = take(&mut queue) {
                return Some(work);
            }
            queue = wakeup.wait(queue).unwrap_or_else(PoisonError::into_inner);
        }
    }

    fn run_job(&self, waiting: Waiting, time: Duration) {
        let Waiting { job, owner: _, call, answer } = waiting;
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
            // The room may have ended.
            drop(answer.send(thought));
        }
        self.lock().end(&call);
        self.background_job.notify_one();
    }

    /// Runs a background job until its time is up, it is interrupted, or it is finished.
    fn run_background_job(&self, mut waiting: background::Waiting) {
        let begun = Instant::now();
        let call = Arc::clone(&waiting.call);
        let elapsed = || begun.elapsed() * call.rounds();
        let budget = Budget { time: waiting.time, ..Budget::UNLIMITED };
        let thinking = Thinking { budget, elapsed: &elapsed, cancel: &call.stop };
        let thought = panic::catch_unwind(AssertUnwindSafe(|| (waiting.background_job)(&thinking)));
        if thought.is_err() {
            tracing::error!("an analysis or a review panicked");
        }
        waiting.time = waiting.time.saturating_sub(elapsed());
        let mut queue = self.lock();
        let has_time = thought.is_ok() && !waiting.time.is_zero();
        let resumes = call.may_resume() && has_time && !queue.stopped;
        queue.background.leave(waiting, resumes);
        queue.note_rounds();
        self.background_job.notify_one();
    }
}

fn think(job: &Job, time: Duration, call: &JobControl) -> Option<BotReply> {
    // When other jobs arrive during the search, the remaining time shrinks to match theirs.
    let (begun, rounds) = (Instant::now(), call.rounds());
    let elapsed = || begun.elapsed() * call.rounds().max(rounds) / rounds;
    let budget = Budget { time, ..Budget::UNLIMITED };
    let thinking = Thinking { budget, elapsed: &elapsed, cancel: &call.stop };
    bot_job::run(job, &thinking).unwrap_or_else(|error| {
        tracing::error!(bot = %job.bot, %error, "a bot was asked that is not on offer");
        None
    })
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::Ordering;

    use fivefold_shared::{
        bot_spec::BotKind,
        room::{SessionId, Task, Ticket},
        rules::{Point, Position, Rules, Size, Variant},
    };

    use super::*;
    use crate::limits::{BACKGROUND_JOBS_MAX, BACKGROUND_JOBS_PER_ADDRESS_MAX};

    fn job(task: Task, bot: BotKind) -> Job {
        let rules = Rules::new(Variant::Freestyle, Size::square(15)).unwrap();
        let position = Position::new(rules);
        let (ticket, session) = (Ticket(1), Some(SessionId(1)));
        Job {
            ticket,
            task,
            session,
            bot: bot.into(),
            position,
            opening: None,
            seed: 1,
            time_max: None,
        }
    }

    fn owner(number: u8) -> Owner {
        Owner::of([192, 0, 2, number].into())
    }

    #[tokio::test]
    async fn every_job_gets_a_reply_or_a_closed_channel() {
        let (pool, end) = Pool::start(1, Arc::new(Metrics::new())).unwrap();
        let submit = |task, bot| pool.submit(job(task, bot), owner(1));
        let chosen = submit(Task::Turn, BotKind::Attack).answer().await;
        assert!(matches!(chosen, Some(BotReply::Move(_))), "{chosen:?}");
        let weighed = submit(Task::Weigh, BotKind::Pattern).answer().await;
        assert!(matches!(weighed, Some(BotReply::Weights(_))), "{weighed:?}");
        // This bot does not play on so large a board.
        assert_eq!(submit(Task::Turn, BotKind::Minimax).answer().await, None);
        pool.stop();
        assert_eq!(submit(Task::Turn, BotKind::Attack).answer().await, None);
        end.wait().await;
    }

    /// A pool in which everything waits.
    fn without_threads(threads: usize) -> Pool {
        Pool(Arc::new(Shared::new(threads, Arc::new(Metrics::new()))))
    }

    #[tokio::test]
    async fn an_analysis_gives_way_to_a_game_and_resumes() {
        let (pool, end) = Pool::start(1, Arc::new(Metrics::new())).unwrap();
        let mut position = job(Task::Turn, BotKind::Attack).position;
        position.play(Point::new(7, 7)).unwrap();
        let (handle, mut reports) = pool.analyse(owner(1), position, 2).unwrap();
        let first = reports.next().await.unwrap();
        // The only thread runs the background job, for half a minute unless interrupted.
        let chosen = pool.submit(job(Task::Turn, BotKind::Attack), owner(1)).answer().await;
        assert!(matches!(chosen, Some(BotReply::Move(_))), "{chosen:?}");
        let mut later = reports.next().await.unwrap();
        while later.depth <= first.depth + 1 {
            later = reports.next().await.unwrap();
        }
        assert!(later.nodes > first.nodes);
        drop(handle);
        while reports.next().await.is_some() {}
        pool.stop();
        end.wait().await;
    }

    /// A background job that does nothing for half a minute.
    fn background_job(pool: &Pool, number: u8) -> Result<BackgroundHandle, Busy> {
        pool.background_job(owner(number), Box::new(|_| {}), ANALYSIS_TIME_MAX)
    }

    /// The next work of a thread, which must be a background job.
    fn next_background_job(pool: &Pool) -> background::Waiting {
        pool.0.lock().take_background().expect("a background job waits")
    }

    #[tokio::test]
    async fn waiting_background_jobs_are_limited() {
        let pool = without_threads(1);
        let share = u8::try_from(BACKGROUND_JOBS_PER_ADDRESS_MAX).unwrap();
        let last = u8::try_from(BACKGROUND_JOBS_MAX).unwrap();
        let mut waiting: Vec<_> =
            (0..last).map(|n| background_job(&pool, n / share).unwrap()).collect();
        assert_eq!(background_job(&pool, last).unwrap_err(), Busy::Server);
        // A cancelled job takes no slot.
        drop(waiting.pop());
        let _last = background_job(&pool, last).unwrap();
        let _turn = pool.submit(job(Task::Turn, BotKind::Attack), owner(last));
        // The only thread is the bot's first.
        let (turn, _) = pool.0.lock().take().unwrap();
        assert!(pool.0.lock().take_background().is_none());
        pool.0.lock().end(&turn.call);
        next_background_job(&pool);
    }

    #[tokio::test]
    async fn background_jobs_of_one_owner_are_limited() {
        let pool = without_threads(2);
        let mut own: Vec<_> = (0..BACKGROUND_JOBS_PER_ADDRESS_MAX)
            .map(|_| background_job(&pool, 1).unwrap())
            .collect();
        assert_eq!(background_job(&pool, 1).unwrap_err(), Busy::Owner);
        // Running jobs count, too, until they are cancelled.
        let _under_way = [next_background_job(&pool), next_background_job(&pool)];
        assert_eq!(background_job(&pool, 1).unwrap_err(), Busy::Owner);
        drop(own.remove(0));
        own.push(background_job(&pool, 1).unwrap());
        assert_eq!(background_job(&pool, 1).unwrap_err(), Busy::Owner);
        background_job(&pool, 2).unwrap();
    }

    fn is_stopped(waiting: &background::Waiting) -> bool {
        waiting.call.stop.load(Ordering::Relaxed)
    }

    /// A thread returns an interrupted background job.
    fn leave(pool: &Pool, waiting: background::Waiting) {
        assert!(waiting.call.may_resume());
        pool.0.lock().background.leave(waiting, true);
    }

    #[tokio::test]
    async fn a_first_background_job_does_not_wait_for_owners_with_many() {
        let pool = without_threads(2);
        let _many: Vec<_> = (0..4).map(|_| background_job(&pool, 1).unwrap()).collect();
        let (first, second) = (next_background_job(&pool), next_background_job(&pool));
        // The last one gives way, and resumes later.
        let _one = background_job(&pool, 2).unwrap();
        assert_eq!((is_stopped(&first), is_stopped(&second)), (false, true));
        leave(&pool, second);
        let others = next_background_job(&pool);
        assert_eq!(others.owner(), owner(2));
        // So does the first one, for a third owner, but not the second owner's only one.
        let _one = background_job(&pool, 3).unwrap();
        assert_eq!((is_stopped(&first), is_stopped(&others)), (true, false));
        leave(&pool, first);
        let third = next_background_job(&pool);
        assert_eq!(third.owner(), owner(3));
        // A fourth has to wait until one of them ends, but time passes faster for them.
        let before = third.call.rounds();
        let _one = background_job(&pool, 4).unwrap();
        assert_eq!((is_stopped(&third), is_stopped(&others)), (false, false));
        assert!(third.call.rounds() > before, "{before}");
        pool.0.lock().background.leave(third, false);
        assert_eq!(next_background_job(&pool).owner(), owner(4));
    }

    #[tokio::test]
    async fn an_owner_with_one_job_at_a_time_never_waits_for_owners_with_many() {
        let pool = without_threads(1);
        let _many: Vec<_> = (0..4).map(|_| background_job(&pool, 1).unwrap()).collect();
        let mut own = next_background_job(&pool);
        let first = Arc::clone(&own.call);
        for _ in 0..5 {
            let _one = background_job(&pool, 2).unwrap();
            assert!(is_stopped(&own));
            leave(&pool, own);
            let other = next_background_job(&pool);
            assert_eq!(other.owner(), owner(2));
            pool.0.lock().background.leave(other, false);
            own = next_background_job(&pool);
            assert!(Arc::ptr_eq(&own.call, &first), "it goes on before others are begun");
        }
    }

    #[tokio::test]
    async fn owners_are_served_in_turn() {
        let pool = without_threads(1);
        let _many: Vec<_> = (0..3).map(|_| background_job(&pool, 1).unwrap()).collect();
        let _one = background_job(&pool, 2).unwrap();
        let _two: Vec<_> = (0..2).map(|_| background_job(&pool, 3).unwrap()).collect();
        let order: Vec<_> = (0..6)
            .map(|_| {
                let waiting = next_background_job(&pool);
                let owner = waiting.owner();
                pool.0.lock().background.leave(waiting, false);
                owner
            })
            .collect();
        assert_eq!(order, [1, 2, 3, 1, 3, 1].map(owner));
    }

    #[tokio::test]
    async fn begun_background_jobs_are_limited() {
        let pool = without_threads(1);
        let _own: Vec<_> = (1..=4).map(|number| background_job(&pool, number).unwrap()).collect();
        let mut begun = Vec::new();
        for _ in 0..2 {
            let waiting = next_background_job(&pool);
            begun.push(waiting.owner());
            pool.0.lock().background.leave(waiting, true);
        }
        // Both wait again, and no other begins before one of them ends.
        for _ in 0..4 {
            let waiting = next_background_job(&pool);
            assert!(begun.contains(&waiting.owner()));
            pool.0.lock().background.leave(waiting, true);
        }
        let over = next_background_job(&pool);
        pool.0.lock().background.leave(over, false);
        let next = next_background_job(&pool);
        pool.0.lock().background.leave(next, true);
    }
}
