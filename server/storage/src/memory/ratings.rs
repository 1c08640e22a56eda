//! Ratings in memory.

use std::collections::HashMap;

use fivefold_shared::{
    protocol::{GameId, MemberId, Name},
    rating_pool::RatingPool,
    record::FinishedGame,
};

use crate::{
    Leaderboard, LeaderboardQuery, MemberRatings, Placed, PoolRating, RatingChange, Undone,
    limits::{
        LEADERBOARD_DEVIATION_MAX, LEADERBOARD_GAMES_MIN, LEADERBOARD_PLACES_MAX,
        RATING_HISTORY_MAX,
    },
    ratings::{self, Ratings, rated_members},
};

/// The ratings of all members, and their changes.
#[derive(Debug, Default)]
pub(super) struct StoredRatings {
    ratings: HashMap<MemberId, Vec<PoolRating>>,
    /// Oldest first.
    changes: Vec<RatingChange>,
}

impl StoredRatings {
    /// Counts these games.
    pub(super) fn count(&mut self, games: &[FinishedGame]) -> Vec<RatingChange> {
        let mut ratings = self.ratings_of_all(rated_members(games));
        let changes = ratings.count_all(games);
        self.write(&ratings, &changes);
        changes
    }

    /// Takes back what a game changed, unless that was done before.
    pub(super) fn undo(&mut self, game: &GameId, at: u64) -> Undone {
        let (counted, undone) = ratings::counted_and_undone(self.of_game(game));
        if counted.is_empty() {
            return Undone::NotRated;
        }
        if !undone.is_empty() {
            return Undone::Done(undone);
        }
        let members = counted.iter().map(|change| &change.member).collect();
        let mut ratings = self.ratings_of_all(members);
        let changes: Vec<_> =
            counted.iter().filter_map(|change| ratings.undo(change, at)).collect();
        self.write(&ratings, &changes);
        Undone::Done(changes)
    }

    fn ratings_of_all(&self, members: Vec<&MemberId>) -> Ratings {
        let mut ratings = Ratings::default();
        for member in members {
            for rating in self.of_member(member) {
                ratings.insert(member, rating);
            }
        }
        ratings
    }

    fn write(&mut self, ratings: &Ratings, changes: &[RatingChange]) {
        for change in changes {
            let Some(rating) = ratings.get(&change.member, change.pool) else { continue };
            let own = self.ratings.entry(change.member.clone()).or_default();
            match own.iter_mut().find(|own| own.pool == change.pool) {
                Some(own) => *own = *rating,
                None => own.push(*rating),
            }
        }
        self.changes.extend(changes.iter().cloned());
    }

    /// The ratings of these members, those of each by pool.
    pub(super) fn of_members(&self, members: &[MemberId]) -> MemberRatings {
        let of_one = |member: &MemberId| {
            let member = member.clone();
            self.of_member(&member).into_iter().map(move |rating| (member.clone(), rating))
        };
        members.iter().flat_map(of_one).collect()
    }

    fn of_member(&self, member: &MemberId) -> Vec<PoolRating> {
        let mut ratings = self.ratings.get(member).cloned().unwrap_or_default();
        ratings.sort_by_key(|rating| rating.pool.to_string());
        ratings
    }

    /// The last changes of a rating, the oldest first.
    pub(super) fn history(&self, member: &MemberId, pool: RatingPool) -> Vec<RatingChange> {
        let is_own = |change: &&RatingChange| change.member == *member && change.pool == pool;
        let newest = self.changes.iter().rev().filter(is_own).take(RATING_HISTORY_MAX);
        let mut history: Vec<_> = newest.cloned().collect();
        history.reverse();
        history
    }

    /// All changes, the oldest first.
    pub(super) fn changes(&self) -> impl Iterator<Item = &RatingChange> {
        self.changes.iter()
    }

    /// What a game changed, and what of it was taken back.
    pub(super) fn of_game(&self, game: &GameId) -> Vec<RatingChange> {
        let mut changes: Vec<_> =
            self.changes.iter().filter(|change| change.game == *game).cloned().collect();
        changes.sort_by(|one, other| (one.kind, &one.member).cmp(&(other.kind, &other.member)));
        changes
    }

    /// The best of a pool. `name_of` returns the names of those who have an account.
    pub(super) fn leaderboard(
        &self,
        query: &LeaderboardQuery,
        name_of: impl Fn(&MemberId) -> Option<Name>,
    ) -> Leaderboard {
        let LeaderboardQuery { pool, now, member, max } = query;
        let since = ratings::played_since(*now);
        let is_placed = |rating: &PoolRating| {
            rating.games >= LEADERBOARD_GAMES_MIN
                && rating.rating.last_at.is_some_and(|last| last >= since)
                && rating.rating.at(*now).deviation <= LEADERBOARD_DEVIATION_MAX
        };
        let mut players = Vec::new();
        for (member, ratings) in &self.ratings {
            let rating = ratings.iter().find(|rating| rating.pool == *pool);
            let rating = rating.filter(|rating| is_placed(rating));
            if let Some((rating, name)) = rating.zip(name_of(member)) {
                players.push((member.clone(), name, *rating));
            }
        }
        players.sort_by(|(one, _, first), (other, _, second)| {
            second.rating.value.total_cmp(&first.rating.value).then(one.cmp(other))
        });
        let mut places = ratings::places(players);
        let own = |placed: &&Placed| member.as_ref() == Some(&placed.member);
        let own = places.iter().find(own).cloned();
        places.truncate((*max).min(LEADERBOARD_PLACES_MAX));
        Leaderboard { places, own }
    }
}
