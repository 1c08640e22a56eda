//! Caches engine reviews of finished games: each is made once, with its progress visible, and the
//! last requested ones are kept.
//!
//! It does not know how a review is made (see `fivefold_shared::review`), or who asks.

use std::{
    collections::HashMap,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
};

use fivefold_engine::reviewer::Reviewer;
use fivefold_shared::{
    protocol::GameId,
    record::Record,
    review::{Review, ReviewProgress},
    rules::Point,
};
use tokio::sync::watch;

use crate::{
    limits::{REVIEW_TIME_MAX, REVIEWS_MAX},
    thinking::{BackgroundHandle, Busy, Owner, Pool},
};

/// The finished reviews and those under way.
#[derive(Debug)]
pub(crate) struct Reviews {
    pool: Pool,
    /// Locked only to look up and insert.
    known: Mutex<Cache>,
}

#[derive(Debug, Default)]
struct Cache {
    reviews: HashMap<GameId, Entry>,
    /// Counts requests, to find the review requested last.
    asked: u64,
}

#[derive(Debug)]
struct Entry {
    /// The count at the last request.
    asked: u64,
    stage: Stage,
}

#[derive(Debug)]
enum Stage {
    UnderWay { progress: watch::Receiver<Progress>, plies: usize, _studying: BackgroundHandle },
    Done(Arc<Review>),
}

#[derive(Debug)]
enum Progress {
    Done(usize),
    Finished(Arc<Review>),
}

/// The state of a review.
#[derive(Debug)]
pub(crate) enum ReviewAnswer {
    /// The finished review.
    Review(Arc<Review>),
    /// The review is under way.
    UnderWay(ReviewProgress),
}

/// Why there is no review.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum ReviewError {
    /// Too many are under way.
    Busy(Busy),
    /// The engine does not support these rules.
    NoEngine,
}

impl Reviews {
    /// An empty cache. Reviews run on the pool's threads.
    pub(crate) fn new(pool: Pool) -> Self {
        Self { pool, known: Mutex::default() }
    }

    /// The review of this game, if somebody requested it before.
    pub(crate) fn known(&self, id: &GameId) -> Option<ReviewAnswer> {
        let mut known = self.lock();
        known.asked += 1;
        let asked = known.asked;
        let entry = known.reviews.get_mut(id)?;
        entry.asked = asked;
        let answer = entry.look(id);
        if answer.is_none() {
            // The time ran out or the engine panicked: the next request starts over.
            known.reviews.remove(id);
        }
        answer
    }

    /// Starts a review of this game, unless it has started. It counts among the analyses of the
    /// first requester.
    ///
    /// # Errors
    /// If the review cannot be made.
    pub(crate) fn begin(
        &self,
        id: &GameId,
        record: &Record,
        owner: Owner,
    ) -> Result<ReviewAnswer, ReviewError> {
        if let Some(answer) = self.known(id) {
            return Ok(answer);
        }
        let summary = &record.summary;
        let moves: Vec<Point> = record.moves.iter().map(|made| made.point).collect();
        let reviewer = Reviewer::new(summary.rules, &moves, summary.outcome_by_stone().winner());
        let Ok(Some(reviewer)) = reviewer else { return Err(ReviewError::NoEngine) };
        let plies = moves.len();
        let (sender, progress) = watch::channel(Progress::Done(0));
        let background_job = background_job(reviewer, sender);
        let handle = self.pool.background_job(owner, background_job, REVIEW_TIME_MAX);
        let handle = handle.map_err(ReviewError::Busy)?;
        let mut known = self.lock();
        known.make_room();
        let stage = Stage::UnderWay { progress, plies, _studying: handle };
        let asked = known.asked;
        known.reviews.insert(id.clone(), Entry { asked, stage });
        Ok(ReviewAnswer::UnderWay(ReviewProgress { id: id.clone(), done: 0, plies }))
    }

    fn lock(&self) -> MutexGuard<'_, Cache> {
        // Nothing panics between two changes that belong together.
        self.known.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Cache {
    /// Drops the review with the oldest request, if the cache is full.
    fn make_room(&mut self) {
        if self.reviews.len() < REVIEWS_MAX {
            return;
        }
        let oldest = self.reviews.iter().min_by_key(|(_, entry)| entry.asked);
        if let Some(id) = oldest.map(|(id, _)| id.clone()) {
            self.reviews.remove(&id);
        }
    }
}

impl Entry {
    /// The progress of a review; `None` if it ended without a result.
    fn look(&mut self, id: &GameId) -> Option<ReviewAnswer> {
        let (progress, plies) = match &self.stage {
            Stage::Done(review) => return Some(ReviewAnswer::Review(Arc::clone(review))),
            Stage::UnderWay { progress, plies, .. } => (progress, *plies),
        };
        let is_over = progress.has_changed().is_err();
        let review = match &*progress.borrow() {
            Progress::Finished(review) => Arc::clone(review),
            Progress::Done(_) if is_over => return None,
            Progress::Done(done) => {
                return Some(ReviewAnswer::UnderWay(ReviewProgress {
                    id: id.clone(),
                    done: *done,
                    plies,
                }));
            }
        };
        self.stage = Stage::Done(Arc::clone(&review));
        Some(ReviewAnswer::Review(review))
    }
}

fn background_job(
    mut reviewer: Reviewer,
    sender: watch::Sender<Progress>,
) -> crate::thinking::BackgroundJob {
    Box::new(move |thinking| {
        while let Some(has_more) = reviewer.go_on(thinking) {
            if has_more {
                sender.send_replace(Progress::Done(reviewer.done()));
            } else if let Some(review) = reviewer.finish() {
                sender.send_replace(Progress::Finished(Arc::new(review)));
                return;
            }
        }
    })
}
