//! Runs slow work for HTTP responses: reading, judging and writing games, hashing passwords, and checking
//! passkeys.
//!
//! It runs on threads of a lower priority than the runtime's, which serve the sessions, and limits how
//! much runs at once. Addresses share it fairly (`fair_queue.rs`).
//! It does not know what the work is.

use std::net::IpAddr;

use fivefold_shared::protocol::Reason;
use fivefold_storage::Blocking;

use crate::process::fair_queue::{FairPlace, FairQueue, NoPlace, Shares};

/// Runs slow work for HTTP responses.
#[derive(Debug)]
pub(crate) struct Jobs {
    queue: FairQueue,
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

impl NoResult {
    /// What the client gets.
    pub(crate) const fn reason(self) -> Reason {
        match self {
            Self::Busy => Reason::Busy,
            Self::Broke => Reason::Broken,
        }
    }
}

impl Jobs {
    /// `lower` lowers the priority of the threads of jobs.
    pub(crate) fn new(blocking: Blocking, shares: Shares, lower: fn()) -> Self {
        Self { queue: FairQueue::new(shares), blocking, lower }
    }

    /// How many run or wait.
    pub(crate) fn in_use(&self) -> usize {
        self.queue.len()
    }

    /// A place in the queue for somebody at this address. Take it before anything is read for the job, so that a
    /// refusal costs little.
    ///
    /// # Errors
    /// If too many jobs wait.
    pub(crate) fn place(&self, address: IpAddr, is_vouched: bool) -> Result<Place<'_>, NoResult> {
        let place = self.queue.place(address, is_vouched)?;
        Ok(Place { jobs: self, place })
    }

    /// Runs a job for somebody at this address when its turn comes.
    ///
    /// # Errors
    /// If too many jobs wait, or the job panics.
    pub(crate) async fn run<T: Send + 'static>(
        &self,
        address: IpAddr,
        job: impl FnOnce() -> T + Send + 'static,
    ) -> Result<T, NoResult> {
        self.place(address, false)?.turn().await?.run(job).await
    }
}

/// A place in the queue of jobs.
#[derive(Debug)]
pub(crate) struct Place<'j> {
    jobs: &'j Jobs,
    place: FairPlace,
}

/// The turn of a job.
#[derive(Debug)]
pub(crate) struct Turn<'j>(Place<'j>);

impl<'j> Place<'j> {
    /// Waits for the turn of a job.
    ///
    /// # Errors
    /// If the place went to an address with fewer jobs.
    pub(crate) async fn turn(self) -> Result<Turn<'j>, NoResult> {
        self.place.turn().await?;
        Ok(Turn(self))
    }
}

impl Turn<'_> {
    /// Runs a job.
    ///
    /// # Errors
    /// If the job panics.
    pub(crate) async fn run<T: Send + 'static>(
        self,
        job: impl FnOnce() -> T + Send + 'static,
    ) -> Result<T, NoResult> {
        let Self(Place { jobs: Jobs { blocking, lower, .. }, place }) = self;
        // The job continues when its client disconnects, and keeps its turn until it is done.
        let call = move || {
            let _held = place;
            job()
        };
        blocking.call_below(*lower, call).await.ok_or(NoResult::Broke)
    }
}

impl From<NoPlace> for NoResult {
    fn from(NoPlace: NoPlace) -> Self {
        Self::Busy
    }
}

#[cfg(test)]
mod tests {
    use std::sync::mpsc;

    use futures_util::future::{join_all, poll_immediate};

    use super::*;
    use crate::{
        accounts::{PASSKEY_CHECKS, passwords::STRANGERS},
        shared_state::HTTP_JOBS,
    };

    fn host(number: usize) -> IpAddr {
        [192, 0, 2, u8::try_from(number).unwrap()].into()
    }

    #[tokio::test]
    async fn so_many_jobs_wait_and_so_many_run() {
        for shares in [HTTP_JOBS, STRANGERS, PASSKEY_CHECKS] {
            check_limits(shares).await;
        }
    }

    async fn check_limits(shares: Shares) {
        let jobs = Jobs::new(Blocking::Threads, shares, || ());
        let (begun, beginnings) = mpsc::channel();
        let mut waiting = Vec::new();
        let mut gates = Vec::new();
        for number in 0..shares.places_max {
            let (gate, opened) = mpsc::channel::<()>();
            let begun = begun.clone();
            let mut job = Box::pin(jobs.run(host(number), move || {
                begun.send(()).unwrap();
                // Returns when the gate is dropped.
                opened.recv().is_err()
            }));
            assert!(poll_immediate(job.as_mut()).await.is_none());
            waiting.push(job);
            gates.push(gate);
        }
        assert_eq!(jobs.run(host(200), || ()).await, Err(NoResult::Busy));
        for _ in 0..shares.running_max {
            beginnings.recv().unwrap();
        }
        assert!(beginnings.try_recv().is_err(), "no more than that are worked on");
        // A running client that disconnects frees its place only when its job is done.
        drop(waiting.remove(0));
        assert_eq!(jobs.run(host(200), || ()).await, Err(NoResult::Busy));
        drop(gates);
        assert!(join_all(waiting).await.into_iter().all(|result| result == Ok(true)));
        assert_eq!(jobs.run(host(200), || 1).await, Ok(1));
        assert_eq!(jobs.run(host(200), || -> () { panic!("a job") }).await, Err(NoResult::Broke));
    }
}
