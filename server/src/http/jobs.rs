//! Runs slow work for HTTP responses: reading, judging and writing games, hashing passwords, and checking
//! passkeys.
//!
//! It runs on threads of a lower priority than the runtime's, which serve the sessions, and limits how
//! much runs at once.
//! It does not know what the work is.

use std::sync::Arc;

use tokio::sync::{OwnedSemaphorePermit, Semaphore};

use crate::storage::Blocking;

/// Runs slow work for HTTP responses.
#[derive(Debug)]
pub(crate) struct Jobs {
    /// Permits of the running jobs.
    running: Arc<Semaphore>,
    /// Permits of the running and the waiting jobs.
    queue: Arc<Semaphore>,
    blocking: Blocking,
    /// Lowers the priority of the thread of a job.
    lower: fn(),
}

/// Why a job has no result.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum NoResult {
    /// The queue is full.
    Busy,
    /// The job panicked.
    Broke,
}

impl Jobs {
    /// Runs so many at once, while others wait; `queue_max` counts both. `lower` lowers the priority of
    /// their threads.
    pub(crate) fn new(
        blocking: Blocking,
        running_max: usize,
        queue_max: usize,
        lower: fn(),
    ) -> Self {
        let running = Arc::new(Semaphore::new(running_max));
        let queue = Arc::new(Semaphore::new(queue_max));
        Self { running, queue, blocking, lower }
    }

    /// How many run or wait.
    pub(crate) fn in_use(&self, queue_max: usize) -> usize {
        queue_max.saturating_sub(self.queue.available_permits())
    }

    /// A place in the queue. Take it before anything is read for the job, so that a refusal costs little.
    ///
    /// # Errors
    /// If too many jobs wait.
    pub(crate) fn place(&self) -> Result<Place<'_>, NoResult> {
        let place = Arc::clone(&self.queue).try_acquire_owned().map_err(|_| NoResult::Busy)?;
        Ok(Place { jobs: self, place })
    }

    /// Runs a job when its turn comes.
    ///
    /// # Errors
    /// If too many jobs wait, or the job panics.
    pub(crate) async fn run<T: Send + 'static>(
        &self,
        job: impl FnOnce() -> T + Send + 'static,
    ) -> Result<T, NoResult> {
        self.place()?.run(job).await
    }
}

/// A place in the queue of jobs.
#[derive(Debug)]
pub(crate) struct Place<'j> {
    jobs: &'j Jobs,
    place: OwnedSemaphorePermit,
}

impl Place<'_> {
    /// Runs a job when its turn comes.
    ///
    /// # Errors
    /// If the job panics.
    pub(crate) async fn run<T: Send + 'static>(
        self,
        job: impl FnOnce() -> T + Send + 'static,
    ) -> Result<T, NoResult> {
        let Self { jobs: Jobs { running, blocking, lower, .. }, place } = self;
        let turn = Arc::clone(running).acquire_owned().await.map_err(|_| NoResult::Broke)?;
        // The job continues when its client disconnects, and keeps its slot until it is done.
        let call = move || {
            let _held = (place, turn);
            job()
        };
        blocking.call_below(*lower, call).await.ok_or(NoResult::Broke)
    }
}

#[cfg(test)]
mod tests {
    use std::sync::mpsc;

    use futures_util::future::{join_all, poll_immediate};

    use super::*;
    use crate::limits::{
        HTTP_JOB_QUEUE_MAX, HTTP_JOBS_MAX,
        accounts::{
            HASH_QUEUE_MAX, HASHES_MAX, PASSKEY_CHECK_QUEUE_MAX, PASSKEY_CHECKS_MAX,
            STRANGERS_HASH_QUEUE_MAX,
        },
    };

    #[tokio::test]
    async fn so_many_jobs_wait_and_so_many_run() {
        for (running_max, queue_max) in [
            (HTTP_JOBS_MAX, HTTP_JOB_QUEUE_MAX),
            (HASHES_MAX, HASH_QUEUE_MAX),
            (HASHES_MAX, STRANGERS_HASH_QUEUE_MAX),
            (PASSKEY_CHECKS_MAX, PASSKEY_CHECK_QUEUE_MAX),
        ] {
            check_limits(running_max, queue_max).await;
        }
    }

    async fn check_limits(running_max: usize, queue_max: usize) {
        let jobs = Jobs::new(Blocking::Threads, running_max, queue_max, || ());
        let (begun, beginnings) = mpsc::channel();
        let mut waiting = Vec::new();
        let mut gates = Vec::new();
        for _ in 0..queue_max {
            let (gate, opened) = mpsc::channel::<()>();
            let begun = begun.clone();
            let mut job = Box::pin(jobs.run(move || {
                begun.send(()).unwrap();
                // Returns when the gate is dropped.
                opened.recv().is_err()
            }));
            assert!(poll_immediate(job.as_mut()).await.is_none());
            waiting.push(job);
            gates.push(gate);
        }
        assert_eq!(jobs.run(|| ()).await, Err(NoResult::Busy));
        for _ in 0..running_max {
            beginnings.recv().unwrap();
        }
        assert!(beginnings.try_recv().is_err(), "no more than that are worked on");
        // A waiting client that disconnects frees its slot only when its job is done.
        drop(waiting.remove(0));
        assert_eq!(jobs.run(|| ()).await, Err(NoResult::Busy));
        drop(gates);
        assert!(join_all(waiting).await.into_iter().all(|result| result == Ok(true)));
        assert_eq!(jobs.run(|| 1).await, Ok(1));
        assert_eq!(jobs.run(|| -> () { panic!("a job") }).await, Err(NoResult::Broke));
        assert_eq!(jobs.queue.available_permits(), queue_max);
    }
}
