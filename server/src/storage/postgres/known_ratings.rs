//! Ratings as this server has written them last, so that the end of the next game of the same players needs no
//! reading.
//!
//! Another node may have changed them since. Then the number of the next change is taken, the commit fails, and
//! the ratings are read (`ratings.rs`). What no number protects is not counted from here.

use std::{
    collections::HashMap,
    sync::{Mutex, PoisonError},
};

use fivefold_shared::{protocol::MemberId, rating_pool::PoolKind};

use crate::{
    limits::ratings::KNOWN_RATINGS_MAX,
    storage::{PoolRating, RatingChange, ratings::Ratings},
};

/// The ratings of members whose games have ended here.
#[derive(Debug, Default)]
pub(super) struct KnownRatings {
    // A std mutex, as it is never held across an await.
    by_member: Mutex<HashMap<MemberId, Vec<PoolRating>>>,
}

impl KnownRatings {
    /// What these members have; nothing if one of them is unknown.
    pub(super) fn of(&self, members: &[&MemberId]) -> Option<Ratings> {
        let by_member = self.by_member.lock().unwrap_or_else(PoisonError::into_inner);
        let mut ratings = Ratings::default();
        for member in members {
            for rating in by_member.get(*member)? {
                ratings.insert((*member).clone(), *rating);
            }
        }
        Some(ratings)
    }

    /// These are stored.
    pub(super) fn remember(&self, members: &[&MemberId], ratings: &Ratings) {
        let mut by_member = self.by_member.lock().unwrap_or_else(PoisonError::into_inner);
        if by_member.len() + members.len() > KNOWN_RATINGS_MAX {
            by_member.clear();
        }
        for member in members {
            by_member.insert((*member).clone(), ratings.of_member(member).collect());
        }
    }

    /// Something else may be stored.
    pub(super) fn forget(&self, members: &[&MemberId]) {
        let mut by_member = self.by_member.lock().unwrap_or_else(PoisonError::into_inner);
        for member in members {
            by_member.remove(*member);
        }
    }
}

/// Whether a change that was counted from known ratings cannot be stored if these are outdated: it needs the
/// number after the last one. A first rating depends on other pools, and a placement on whether there is a
/// rating.
pub(super) fn is_protected(change: &RatingChange) -> bool {
    change.number > 1 && change.pool.kind != PoolKind::Placement
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ratings::Rating;

    fn member(number: usize) -> MemberId {
        MemberId::try_from(format!("{number:016x}")).unwrap()
    }

    #[test]
    fn as_many_members_are_known_as_the_limit_says() {
        let known = KnownRatings::default();
        let pool = "renju/15/fast".parse().unwrap();
        let rating =
            PoolRating { pool, rating: Rating::NEW, games: 1, wins: 0, draws: 0, changes: 1 };
        let remember = |number: usize| {
            let mut ratings = Ratings::default();
            ratings.insert(member(number), rating);
            known.remember(&[&member(number)], &ratings);
        };
        (0..KNOWN_RATINGS_MAX).for_each(remember);
        let both = known.of(&[&member(0), &member(KNOWN_RATINGS_MAX - 1)]).unwrap();
        assert_eq!(both.of_member(&member(0)).collect::<Vec<_>>(), [rating]);
        assert!(known.of(&[&member(0), &member(KNOWN_RATINGS_MAX)]).is_none());
        remember(KNOWN_RATINGS_MAX);
        assert!(known.of(&[&member(0)]).is_none());
        assert!(known.of(&[&member(KNOWN_RATINGS_MAX)]).is_some());
        known.forget(&[&member(KNOWN_RATINGS_MAX)]);
        assert!(known.of(&[&member(KNOWN_RATINGS_MAX)]).is_none());
    }
}
