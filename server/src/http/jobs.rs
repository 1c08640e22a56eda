//! Work for answers over HTTP that takes more than a moment: games to read, to judge and to write.
//!
//! It is done off the runtime's threads, on which sessions are served, and so much at once. What
//! the work is, is unknown here.

use std::sync::Arc;

use tokio::sync::Semaphore;

use crate::{
    limits::{HTTP_JOB_QUEUE_MAX, HTTP_JOBS_MAX},
    storage::Blocking,
};

/// The way to get such work done.
#[derive(Debug)]
pub(crate) struct Jobs {
    /// For those that are worked on.
    running: Arc<Semaphore>,
    /// For these and those that wait.
    queue: Arc<Semaphore>,
    blocking: Blocking,
}

/// Why a job has no result.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum NoResult {
    /// As many wait as may.
    Busy,
    /// It panicked.
    Broke,
}

impl Jobs {
    pub(crate) fn new(blocking: Blocking) -> Self {
        let running = Arc::new(Semaphore::new(HTTP_JOBS_MAX));
        let queue = Arc::new(Semaphore::new(HTTP_JOB_QUEUE_MAX));
        Self { running, queue, blocking }
    }

    /// Does a job when it is its turn.
    ///
    /// # Errors
    /// When too many wait, or the job panics.
    pub(crate) async fn run<T: Send + 'static>(
        &self,
        job: impl FnOnce() -> T + Send + 'static,
    ) -> Result<T, NoResult> {
        let place = Arc::clone(&self.queue).try_acquire_owned().map_err(|_| NoResult::Busy)?;
        let turn = Arc::clone(&self.running).acquire_owned().await.map_err(|_| NoResult::Broke)?;
        // The job goes on when its client goes away, and keeps its place until it is done.
        let call = move || {
            let _held = (place, turn);
            job()
        };
        self.blocking.call(call).await.ok_or(NoResult::Broke)
    }
}

#[cfg(test)]
mod tests {
    use std::sync::mpsc;

    use futures_util::future::{join_all, poll_immediate};

    use super::*;

    #[tokio::test]
    async fn so_many_jobs_wait_and_so_many_run() {
        let jobs = Jobs::new(Blocking::Threads);
        let (begun, beginnings) = mpsc::channel();
        let mut waiting = Vec::new();
        let mut gates = Vec::new();
        for _ in 0..HTTP_JOB_QUEUE_MAX {
            let (gate, opened) = mpsc::channel::<()>();
            let begun = begun.clone();
            let mut job = Box::pin(jobs.run(move || {
                begun.send(()).unwrap();
                // Until its gate is gone.
                opened.recv().is_err()
            }));
            assert!(poll_immediate(job.as_mut()).await.is_none());
            waiting.push(job);
            gates.push(gate);
        }
        assert_eq!(jobs.run(|| ()).await, Err(NoResult::Busy));
        for _ in 0..HTTP_JOBS_MAX {
            beginnings.recv().unwrap();
        }
        assert!(beginnings.try_recv().is_err(), "no more than that are worked on");
        // A client that goes away takes its place with it only when its job is done.
        drop(waiting.remove(0));
        assert_eq!(jobs.run(|| ()).await, Err(NoResult::Busy));
        drop(gates);
        assert!(join_all(waiting).await.into_iter().all(|result| result == Ok(true)));
        assert_eq!(jobs.run(|| 1).await, Ok(1));
        assert_eq!(jobs.run(|| -> () { panic!("a job") }).await, Err(NoResult::Broke));
        assert_eq!(jobs.queue.available_permits(), HTTP_JOB_QUEUE_MAX);
    }
}
