//! Runs a job where it delays nobody, and at a higher priority if it does not end there.
//!
//! A thread that runs only when no other thread needs the processor may wait for ever, and needs
//! privileges to leave that priority. So the job is repeated on the caller's thread after a while, and
//! the first result counts. It does not know what the job is.

use std::{
    sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError, mpsc},
    thread,
    time::{Duration, Instant},
};

use crate::process::priority;

/// The name of the thread that runs only when no other thread needs the processor.
const THREAD: &str = "idle-job";

/// Runs jobs on one thread at a time that gives way to all others. Clones share it.
#[derive(Clone, Debug)]
pub(crate) struct IdleFirst {
    thread: Arc<IdleThread>,
    rescued_after: Duration,
}

#[derive(Default, Debug)]
struct IdleThread {
    /// Locked only to look and to change it.
    is_busy: Mutex<bool>,
    free: Condvar,
}

/// The idle thread is free when this is dropped, even by a panic.
struct Busy(Arc<IdleThread>);

impl IdleFirst {
    /// Callers run a job themselves that has not ended after this time.
    pub(crate) fn new(rescued_after: Duration) -> Self {
        Self { thread: Arc::default(), rescued_after }
    }

    /// Runs a job, and blocks the calling thread. The job may run twice.
    pub(crate) fn run<T: Send + 'static>(&self, job: impl Fn() -> T + Clone + Send + 'static) -> T {
        let begun = Instant::now();
        let Some(busy) = self.take_thread() else { return job() };
        let (answer, answered) = mpsc::sync_channel(1);
        let idle_job = job.clone();
        let run = move || {
            priority::run_when_idle();
            let result = idle_job();
            // The next job finds the thread free.
            drop(busy);
            // The caller may have ended the job.
            drop(answer.try_send(result));
        };
        if thread::Builder::new().name(THREAD.to_owned()).spawn(run).is_err() {
            return job();
        }
        let left = self.rescued_after.saturating_sub(begun.elapsed());
        answered.recv_timeout(left).unwrap_or_else(|_| job())
    }

    /// The idle thread, when it is free; it may still run a job that its caller has ended. `None` if it is
    /// busy for too long.
    fn take_thread(&self) -> Option<Busy> {
        let thread = &self.thread;
        let (mut is_busy, _) = thread
            .free
            .wait_timeout_while(thread.lock(), self.rescued_after, |is_busy| *is_busy)
            .unwrap_or_else(PoisonError::into_inner);
        let was_busy = std::mem::replace(&mut *is_busy, true);
        (!was_busy).then(|| Busy(Arc::clone(thread)))
    }
}

impl IdleThread {
    fn lock(&self) -> MutexGuard<'_, bool> {
        // No panic under the lock can leave it half changed.
        self.is_busy.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Drop for Busy {
    fn drop(&mut self) {
        *self.0.lock() = false;
        self.0.free.notify_one();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn is_idle_thread() -> bool {
        thread::current().name() == Some(THREAD)
    }

    #[test]
    fn a_job_runs_on_the_idle_thread_where_that_ends() {
        let jobs = IdleFirst::new(Duration::from_secs(60));
        assert!(jobs.run(is_idle_thread));
        assert!(jobs.run(is_idle_thread), "it is free again");
    }

    #[test]
    fn a_job_that_does_not_end_there_is_rescued() {
        let jobs = IdleFirst::new(Duration::from_millis(20));
        let (gate, opened) = mpsc::channel::<()>();
        let opened = Arc::new(Mutex::new(opened));
        let stuck = move || {
            // Returns when the gate is dropped.
            is_idle_thread() && opened.lock().unwrap().recv().is_err()
        };
        assert!(!jobs.run(stuck), "the caller has run it");
        // The thread still runs the first job: no other one is started.
        assert!(!jobs.run(is_idle_thread));
        drop(gate);
        let patient = IdleFirst { rescued_after: Duration::from_secs(60), ..jobs };
        assert!(patient.run(is_idle_thread), "it has ended, and is free again");
    }

    #[test]
    fn a_job_that_panics_there_does_not_keep_the_thread() {
        let jobs = IdleFirst::new(Duration::from_secs(60));
        let result = jobs.run(|| {
            assert!(!is_idle_thread(), "this panic is planted");
            1
        });
        assert_eq!(result, 1);
        assert!(jobs.run(is_idle_thread));
    }
}
