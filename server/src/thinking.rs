//! The threads on which bots think.
//!
//! Jobs wait in a bounded queue (`thinking/queue.rs`), in which everybody has the same share; each
//! has a budget that shrinks as others wait, and a flag that calls it off. It knows no rooms: who
//! hands in a job gets a channel for the answer, and nothing comes through it when the bots are
//! too busy, the job was called off, or the bot broke.
//!
//! BackgroundQueue (`thinking/background job.rs`) come after all jobs. One that is under way is interrupted when a
//! job finds no thread free, and taken up again later. The more wait, the faster their time passes.

mod background;
mod queue;

use std::{
    fmt, io,
    panic::{self, AssertUnwindSafe},
    sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError},
    thread,
    time::{Duration, Instant},
};

use fivefold_shared::{
    bot::{self, Bot},
    protocol::WEIGHTS_MAX,
    room::{BotReply, Job, Task},
    rules::Position,
    search_budget::{Budget, Thinking},
};
use tokio::sync::oneshot;

use self::queue::{Queue, Waiting};
pub(crate) use self::{
    background::{BackgroundHandle, BackgroundJob, Busy, JobControl, Reports},
    queue::Owner,
};
use crate::{
    limits::{ANALYSIS_TIME_MAX, BOT_THREADS_NICE},
    metrics::Metrics,
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
    answer: oneshot::Receiver<BotReply>,
    call: Arc<JobControl>,
}

struct Shared {
    /// Held only to put in or take out a job, never while a bot thinks.
    queue: Mutex<Queue>,
    work: Condvar,
    threads: usize,
    metrics: Arc<Metrics>,
}

/// What a thread does next.
enum Work {
    /// A job, in so much time.
    Job(Waiting, Duration),
    BackgroundJob(background::Waiting),
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
                let_others_go_first();
                shared.work();
                drop(alive);
            })?;
        }
        let pool = Self(shared);
        Ok((pool.clone(), ThreadsEnd { end, pool }))
    }

    /// Hands in a job for an owner. When the queue is full, the answer to the job that has to give
    /// way is that there is none.
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
        queue.note_rounds(self.0.threads);
        self.0.work.notify_one();
        Pending { answer: receiver, call }
    }

    /// Has a position analysed for a while.
    ///
    /// # Errors
    /// When too many wait, or are this owner's.
    pub(crate) fn analyse(
        &self,
        owner: Owner,
        position: Position,
        lines: u8,
    ) -> Result<(BackgroundHandle, Reports), Busy> {
        let (background_job, reports) = background::analysis(position, lines);
        Ok((self.background_job(owner, background_job, ANALYSIS_TIME_MAX)?, reports))
    }

    /// Hands in a background job that may take so much time.
    ///
    /// # Errors
    /// When too many wait, or are this owner's.
    pub(crate) fn background_job(
        &self,
        owner: Owner,
        background_job: BackgroundJob,
        time: Duration,
    ) -> Result<BackgroundHandle, Busy> {
        let (mut queue, threads) = (self.0.lock(), self.0.threads);
        if queue.stopped {
            return Err(Busy::Server);
        }
        let idle = queue.idle;
        let call = queue.background.push(owner, background_job, time, idle, threads).inspect_err(
            |_| {
                self.0.metrics.thoughts_dropped.inc();
            },
        )?;
        queue.note_rounds(threads);
        self.0.work.notify_one();
        Ok(BackgroundHandle(call))
    }

    /// How many jobs wait.
    pub(crate) fn queued(&self) -> usize {
        self.0.lock().len()
    }

    /// Calls off everything; the threads end as soon as their bots let them.
    pub(crate) fn stop(&self) {
        self.0.lock().stop();
        self.0.work.notify_all();
    }
}

/// Lowers the priority of the calling thread, so that the system runs those that answer people
/// before it. Elsewhere than on Linux this would be the priority of the whole process.
#[cfg(target_os = "linux")]
fn let_others_go_first() {
    if let Err(error) = rustix::process::setpriority_process(None, BOT_THREADS_NICE) {
        tracing::warn!(%error, "bots think at the same priority as everything else");
    }
}

#[cfg(not(target_os = "linux"))]
const fn let_others_go_first() {}

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
    pub(crate) async fn answer(mut self) -> Option<BotReply> {
        (&mut self.answer).await.ok()
    }

    /// By which the job is called off.
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
        f.debug_struct("Shared").field("threads", &self.threads).finish_non_exhaustive()
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
                Work::BackgroundJob(waiting) => self.go_on_with(waiting),
            }
        }
    }

    fn work_on(&self, waiting: Waiting, time: Duration) {
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
            // A room that has ended meanwhile does not want to know.
            drop(answer.send(thought));
        }
        self.lock().end(&call);
    }

    /// Goes on with a background job until its time is up, it is interrupted, or nothing is left to do.
    fn go_on_with(&self, mut waiting: background::Waiting) {
        let begun = Instant::now();
        let call = Arc::clone(&waiting.call);
        let elapsed = || begun.elapsed() * call.rounds();
        let budget = Budget { time: waiting.time, nodes: None };
        let thinking = Thinking { budget, elapsed: &elapsed, cancel: &call.stop };
        let thought = panic::catch_unwind(AssertUnwindSafe(|| (waiting.background_job)(&thinking)));
        if thought.is_err() {
            tracing::error!("an analysis or a review panicked");
        }
        waiting.time = waiting.time.saturating_sub(elapsed());
        let mut queue = self.lock();
        let has_time = thought.is_ok() && !waiting.time.is_zero();
        let goes_on = call.may_go_on() && has_time && !queue.stopped;
        queue.background.leave(waiting, goes_on);
        queue.note_rounds(self.threads);
    }

    /// What is to be done next; waits for it. Nothing when the pool is stopped.
    fn next(&self) -> Option<Work> {
        let mut queue = self.lock();
        loop {
            if queue.stopped {
                return None;
            }
            if let Some((waiting, time)) = queue.take(self.threads) {
                return Some(Work::Job(waiting, time));
            }
            if let Some(waiting) = queue.background.take(self.threads) {
                return Some(Work::BackgroundJob(waiting));
            }
            queue.idle += 1;
            queue = self.work.wait(queue).unwrap_or_else(PoisonError::into_inner);
            queue.idle -= 1;
        }
    }
}

fn think(job: &Job, time: Duration, call: &JobControl) -> Option<BotReply> {
    let mut bot: Box<dyn Bot> = match bot::build(job.bot, job.position.rules(), job.seed) {
        Ok(bot) => bot,
        Err(error) => {
            tracing::error!(bot = %job.bot, %error, "a bot was asked that is not on offer");
            return None;
        }
    };
    // When others come meanwhile, what is left of the time shrinks as that of those who come later.
    let (begun, rounds) = (Instant::now(), call.rounds());
    let elapsed = || begun.elapsed() * call.rounds().max(rounds) / rounds;
    let budget = Budget { time, nodes: None };
    let thinking = Thinking { budget, elapsed: &elapsed, cancel: &call.stop };
    match job.task {
        Task::Turn | Task::Move | Task::BotsTurn => {
            bot.choose(&job.position, &thinking).map(BotReply::Move)
        }
        Task::Weigh => {
            let mut weights = bot.weigh(&job.position, &thinking);
            weights.truncate(WEIGHTS_MAX);
            Some(BotReply::Weights(weights))
        }
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::Ordering;

    use fivefold_shared::{
        bot_spec::BotKind,
        room::{SessionId, Ticket},
        rules::{Point, Position, Rules, Size, Variant},
    };

    use super::*;
    use crate::limits::{BACKGROUND_JOBS_MAX, BACKGROUND_JOBS_PER_ADDRESS_MAX};

    fn job(task: Task, bot: BotKind) -> Job {
        let rules = Rules::new(Variant::Freestyle, Size::square(15)).unwrap();
        let position = Position::new(rules);
        let (ticket, session) = (Ticket(1), SessionId(1));
        Job { ticket, task, session, bot: bot.into(), position, seed: 1, time_max: None }
    }

    fn owner(number: u8) -> Owner {
        Owner::of([192, 0, 2, number].into())
    }

    #[tokio::test]
    async fn jobs_are_answered_or_it_is_said_that_they_are_not() {
        let (pool, end) = Pool::start(1, Arc::new(Metrics::new())).unwrap();
        let submit = |task, bot| pool.submit(job(task, bot), owner(1));
        let chosen = submit(Task::Turn, BotKind::Attack).answer().await;
        assert!(matches!(chosen, Some(BotReply::Move(_))), "{chosen:?}");
        let weighed = submit(Task::Weigh, BotKind::Pattern).answer().await;
        assert!(matches!(weighed, Some(BotReply::Weights(_))), "{weighed:?}");
        // Not on offer on so large a board.
        assert_eq!(submit(Task::Turn, BotKind::Minimax).answer().await, None);
        pool.stop();
        assert_eq!(submit(Task::Turn, BotKind::Attack).answer().await, None);
        end.wait().await;
    }

    /// A pool in which everything waits.
    fn without_threads(threads: usize) -> Pool {
        let (queue, work) = (Mutex::default(), Condvar::new());
        Pool(Arc::new(Shared { queue, work, threads, metrics: Arc::new(Metrics::new()) }))
    }

    #[tokio::test]
    async fn a_study_gives_way_to_a_game_and_goes_on() {
        let (pool, end) = Pool::start(1, Arc::new(Metrics::new())).unwrap();
        let mut position = job(Task::Turn, BotKind::Attack).position;
        position.play(Point::new(7, 7)).unwrap();
        let (handle, mut reports) = pool.analyse(owner(1), position, 2).unwrap();
        let first = reports.next().await.unwrap();
        // The only thread is at the background job, for half a minute if nobody came.
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

    /// A background job that does nothing, for half a minute.
    fn background_job(pool: &Pool, number: u8) -> Result<BackgroundHandle, Busy> {
        pool.background_job(owner(number), Box::new(|_| {}), ANALYSIS_TIME_MAX)
    }

    /// What a thread does next, which must be a background job.
    fn next_study(pool: &Pool) -> background::Waiting {
        match pool.0.next() {
            Some(Work::BackgroundJob(waiting)) => waiting,
            Some(Work::Job(..)) | None => panic!("a background job waits"),
        }
    }

    #[tokio::test]
    async fn only_so_many_studies_wait() {
        let pool = without_threads(1);
        let share = u8::try_from(BACKGROUND_JOBS_PER_ADDRESS_MAX).unwrap();
        let last = u8::try_from(BACKGROUND_JOBS_MAX).unwrap();
        let mut waiting: Vec<_> =
            (0..last).map(|n| background_job(&pool, n / share).unwrap()).collect();
        assert_eq!(background_job(&pool, last).unwrap_err(), Busy::Server);
        // What is called off takes nobody's place.
        drop(waiting.pop());
        let _last = background_job(&pool, last).unwrap();
        let _turn = pool.submit(job(Task::Turn, BotKind::Attack), owner(last));
        assert!(matches!(pool.0.next(), Some(Work::Job(..))));
        assert!(matches!(pool.0.next(), Some(Work::BackgroundJob(_))));
    }

    #[tokio::test]
    async fn nobody_has_more_studies_than_a_share_of_them() {
        let pool = without_threads(2);
        let mut own: Vec<_> = (0..BACKGROUND_JOBS_PER_ADDRESS_MAX)
            .map(|_| background_job(&pool, 1).unwrap())
            .collect();
        assert_eq!(background_job(&pool, 1).unwrap_err(), Busy::Owner);
        // Those under way count, too, until they are called off.
        let _under_way = [next_study(&pool), next_study(&pool)];
        assert_eq!(background_job(&pool, 1).unwrap_err(), Busy::Owner);
        drop(own.remove(0));
        own.push(background_job(&pool, 1).unwrap());
        assert_eq!(background_job(&pool, 1).unwrap_err(), Busy::Owner);
        background_job(&pool, 2).unwrap();
    }

    fn is_stopped(waiting: &background::Waiting) -> bool {
        waiting.call.stop.load(Ordering::Relaxed)
    }

    /// A thread leaves a background job that was interrupted.
    fn leave(pool: &Pool, waiting: background::Waiting) {
        assert!(waiting.call.may_go_on());
        pool.0.lock().background.leave(waiting, true);
    }

    #[tokio::test]
    async fn who_comes_with_one_study_need_not_wait_for_those_who_have_many() {
        let pool = without_threads(2);
        let _many: Vec<_> = (0..4).map(|_| background_job(&pool, 1).unwrap()).collect();
        let (first, second) = (next_study(&pool), next_study(&pool));
        // The last one makes way, and goes on later.
        let _one = background_job(&pool, 2).unwrap();
        assert_eq!((is_stopped(&first), is_stopped(&second)), (false, true));
        leave(&pool, second);
        let others = next_study(&pool);
        assert_eq!(others.owner(), owner(2));
        // So does the first one for a third owner, but not the only one of the second.
        let _one = background_job(&pool, 3).unwrap();
        assert_eq!((is_stopped(&first), is_stopped(&others)), (true, false));
        leave(&pool, first);
        let third = next_study(&pool);
        assert_eq!(third.owner(), owner(3));
        // A fourth has to wait until one of them is over, but time passes faster for them.
        let before = third.call.rounds();
        let _one = background_job(&pool, 4).unwrap();
        assert_eq!((is_stopped(&third), is_stopped(&others)), (false, false));
        assert!(third.call.rounds() > before, "{before}");
        pool.0.lock().background.leave(third, false);
        assert_eq!(next_study(&pool).owner(), owner(4));
    }

    #[tokio::test]
    async fn who_comes_again_and_again_with_one_study_never_waits_for_those_who_have_many() {
        let pool = without_threads(1);
        let _many: Vec<_> = (0..4).map(|_| background_job(&pool, 1).unwrap()).collect();
        let mut own = next_study(&pool);
        let first = Arc::clone(&own.call);
        for _ in 0..5 {
            let _one = background_job(&pool, 2).unwrap();
            assert!(is_stopped(&own));
            leave(&pool, own);
            let other = next_study(&pool);
            assert_eq!(other.owner(), owner(2));
            pool.0.lock().background.leave(other, false);
            own = next_study(&pool);
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
                let waiting = next_study(&pool);
                let owner = waiting.owner();
                pool.0.lock().background.leave(waiting, false);
                owner
            })
            .collect();
        assert_eq!(order, [1, 2, 3, 1, 3, 1].map(owner));
    }

    #[tokio::test]
    async fn no_more_studies_are_begun_than_memory_is_meant_for() {
        let pool = without_threads(1);
        let _own: Vec<_> = (1..=4).map(|number| background_job(&pool, number).unwrap()).collect();
        let mut begun = Vec::new();
        for _ in 0..2 {
            let waiting = next_study(&pool);
            begun.push(waiting.owner());
            pool.0.lock().background.leave(waiting, true);
        }
        // Both wait again, and nobody else begins before one of them is over.
        for _ in 0..4 {
            let waiting = next_study(&pool);
            assert!(begun.contains(&waiting.owner()));
            pool.0.lock().background.leave(waiting, true);
        }
        let over = next_study(&pool);
        pool.0.lock().background.leave(over, false);
        let next = next_study(&pool);
        pool.0.lock().background.leave(next, true);
    }
}
