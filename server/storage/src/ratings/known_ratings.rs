//! Ratings as this server has written them last, so that the end of the next game of the same players needs no
//! reading. Each back end finds out by itself whether somebody else has changed them since.

use std::{
    collections::HashMap,
    sync::{Mutex, PoisonError},
};

use fivefold_shared::protocol::MemberId;

use crate::limits::KNOWN_RATINGS_MAX;

/// The ratings of members whose games have ended here, as a back end stores them.
#[derive(Debug)]
pub(crate) struct KnownRatings<R> {
    // A std mutex, as it is never held across an await.
    by_member: Mutex<HashMap<MemberId, Vec<R>>>,
}

impl<R> Default for KnownRatings<R> {
    fn default() -> Self {
        Self { by_member: Mutex::default() }
    }
}

impl<R: Clone> KnownRatings<R> {
    /// What these members have; nothing if one of them is unknown.
    pub(crate) fn of<'m>(&self, members: &[&'m MemberId]) -> Option<Vec<(&'m MemberId, R)>> {
        let by_member = self.by_member.lock().unwrap_or_else(PoisonError::into_inner);
        let mut ratings = Vec::new();
        for member in members {
            ratings.extend(by_member.get(*member)?.iter().map(|own| (*member, own.clone())));
        }
        Some(ratings)
    }

    /// This is what a member has now.
    pub(crate) fn remember(&self, member: &MemberId, ratings: Vec<R>) {
        let mut by_member = self.by_member.lock().unwrap_or_else(PoisonError::into_inner);
        if by_member.len() >= KNOWN_RATINGS_MAX && !by_member.contains_key(member) {
            by_member.clear();
        }
        by_member.insert(member.clone(), ratings);
    }

    /// These may have others.
    pub(crate) fn forget(&self, members: &[&MemberId]) {
        let mut by_member = self.by_member.lock().unwrap_or_else(PoisonError::into_inner);
        for member in members {
            by_member.remove(*member);
        }
    }

    /// All may have others.
    pub(crate) fn forget_all(&self) {
        self.by_member.lock().unwrap_or_else(PoisonError::into_inner).clear();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn member(number: usize) -> MemberId {
        MemberId::try_from(format!("{number:016x}")).unwrap()
    }

    #[test]
    fn as_many_members_are_known_as_the_limit_says() {
        let known = KnownRatings::default();
        let remember = |number: usize| known.remember(&member(number), vec![number]);
        (0..KNOWN_RATINGS_MAX).for_each(remember);
        let [first, last, next] = [0, KNOWN_RATINGS_MAX - 1, KNOWN_RATINGS_MAX].map(member);
        let both = known.of(&[&first, &last]);
        assert_eq!(both, Some(vec![(&first, 0), (&last, KNOWN_RATINGS_MAX - 1)]));
        remember(0);
        assert!(known.of(&[&first, &last]).is_some(), "nobody is new");
        assert!(known.of(&[&first, &next]).is_none());
        remember(KNOWN_RATINGS_MAX);
        assert!(known.of(&[&first]).is_none());
        assert!(known.of(&[&next]).is_some());
        known.forget(&[&next]);
        assert!(known.of(&[&next]).is_none());
        remember(0);
        known.forget_all();
        assert!(known.of(&[&first]).is_none());
    }
}
