//! Reviews of finished games by the engine: each is made once, while others may ask how far it has
//! come, and the last ones are remembered.
//!
//! How a review is made is unknown here (`fivefold_shared::review`), and so is who asks.

use std::{
    collections::HashMap,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
};

use fivefold_shared::{
    protocol::GameId,
    record::Record,
    review::{Review, ReviewProgress, Reviewer},
    rules::Point,
};
use tokio::sync::watch;

use crate::{
    limits::{REVIEW_TIME_MAX, REVIEWS_MAX},
    thinking::{Busy, Owner, Pool, Studying},
};

/// The reviews that are made, or under way.
#[derive(Debug)]
pub(crate) struct Reviews {
    pool: Pool,
    /// Held only to look up and to put in.
    known: Mutex<Known>,
}

#[derive(Debug, Default)]
struct Known {
    reviews: HashMap<GameId, Entry>,
    /// Counts the questions, to tell which review was asked for last.
    asked: u64,
}

#[derive(Debug)]
struct Entry {
    /// The count at the last question.
    asked: u64,
    stage: Stage,
}

#[derive(Debug)]
enum Stage {
    UnderWay { news: watch::Receiver<News>, plies: usize, _studying: Studying },
    Done(Arc<Review>),
}

#[derive(Debug)]
enum News {
    Done(usize),
    Finished(Arc<Review>),
}

/// What is known of a game.
#[derive(Debug)]
pub(crate) enum Told {
    /// All that there is.
    Review(Arc<Review>),
    /// It is under way.
    UnderWay(ReviewProgress),
}

/// Why there is no review.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum NoReview {
    /// Too many are under way.
    Busy(Busy),
    /// The engine does not play by these rules.
    NoEngine,
}

impl Reviews {
    /// None yet. They will be made on the bots' threads.
    pub(crate) fn new(pool: Pool) -> Self {
        Self { pool, known: Mutex::default() }
    }

    /// What is known of this game, if somebody has asked for it before.
    pub(crate) fn known(&self, id: &GameId) -> Option<Told> {
        let mut known = self.lock();
        known.asked += 1;
        let asked = known.asked;
        let entry = known.reviews.get_mut(id)?;
        entry.asked = asked;
        let told = entry.look(id);
        if told.is_none() {
            // Its time was up, or the engine broke: the next question begins anew.
            known.reviews.remove(id);
        }
        told
    }

    /// Begins a review of this game, unless it has begun. It counts among the analyses of the first
    /// to ask.
    ///
    /// # Errors
    /// When it cannot be had.
    pub(crate) fn begin(
        &self,
        id: &GameId,
        record: &Record,
        owner: Owner,
    ) -> Result<Told, NoReview> {
        if let Some(told) = self.known(id) {
            return Ok(told);
        }
        let summary = &record.summary;
        let moves: Vec<Point> = record.moves.iter().map(|made| made.point).collect();
        let reviewer = Reviewer::new(summary.rules, &moves, summary.outcome.winner());
        let Ok(Some(reviewer)) = reviewer else { return Err(NoReview::NoEngine) };
        let plies = moves.len();
        let (teller, news) = watch::channel(News::Done(0));
        let study = study(reviewer, teller);
        let studying = self.pool.study(owner, study, REVIEW_TIME_MAX);
        let studying = studying.map_err(NoReview::Busy)?;
        let mut known = self.lock();
        known.make_room();
        let stage = Stage::UnderWay { news, plies, _studying: studying };
        let asked = known.asked;
        known.reviews.insert(id.clone(), Entry { asked, stage });
        Ok(Told::UnderWay(ReviewProgress { id: id.clone(), done: 0, plies }))
    }

    fn lock(&self) -> MutexGuard<'_, Known> {
        // Nothing panics between two changes that belong together.
        self.known.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Known {
    /// Forgets the review that nobody has asked for the longest, if there are as many as may be.
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
    /// How far it has come; nothing when it came to no end.
    fn look(&mut self, id: &GameId) -> Option<Told> {
        let (news, plies) = match &self.stage {
            Stage::Done(review) => return Some(Told::Review(Arc::clone(review))),
            Stage::UnderWay { news, plies, .. } => (news, *plies),
        };
        let is_over = news.has_changed().is_err();
        let review = match &*news.borrow() {
            News::Finished(review) => Arc::clone(review),
            News::Done(_) if is_over => return None,
            News::Done(done) => {
                return Some(Told::UnderWay(ReviewProgress { id: id.clone(), done: *done, plies }));
            }
        };
        self.stage = Stage::Done(Arc::clone(&review));
        Some(Told::Review(review))
    }
}

fn study(mut reviewer: Reviewer, teller: watch::Sender<News>) -> crate::thinking::Study {
    Box::new(move |thinking| {
        while let Some(has_more) = reviewer.go_on(thinking) {
            if has_more {
                teller.send_replace(News::Done(reviewer.done()));
            } else if let Some(review) = reviewer.finish() {
                teller.send_replace(News::Finished(Arc::new(review)));
                return;
            }
        }
    })
}
