//! Cancels and interrupts a job while it waits or runs, and sets how fast its time passes.

use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};

/// Cancels or interrupts a job or a background job.
#[derive(Debug, Default)]
pub(crate) struct JobControl {
    /// The flag that the search checks.
    pub(super) stop: AtomicBool,
    /// Whether the job must stop for good.
    cancelled: AtomicBool,
    /// The job's time is divided by this, because others wait; 0 before it begins.
    rounds: AtomicU32,
}

impl JobControl {
    /// Cancels the job.
    pub(crate) fn cancel(&self) {
        self.cancelled.store(true, Ordering::SeqCst);
        self.stop.store(true, Ordering::SeqCst);
    }

    /// Interrupts the job for now.
    pub(super) fn interrupt(&self) {
        self.stop.store(true, Ordering::SeqCst);
    }

    pub(super) fn note_rounds(&self, rounds: u32) {
        self.rounds.store(rounds, Ordering::Relaxed);
    }

    pub(super) fn rounds(&self) -> u32 {
        self.rounds.load(Ordering::Relaxed).max(1)
    }

    /// Whether the job was interrupted and may resume. Clears the interruption.
    pub(super) fn may_resume(&self) -> bool {
        let was_stopped = self.stop.swap(false, Ordering::SeqCst);
        // `cancel` sets this flag first, so that no cancellation is missed.
        was_stopped && !self.is_cancelled()
    }

    pub(super) fn is_cancelled(&self) -> bool {
        self.cancelled.load(Ordering::SeqCst)
    }
}
