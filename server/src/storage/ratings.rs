//! Ratings as they are stored: what each member has in each pool, and every change of it. It
//! computes what a finished game changes, so that all back ends write the same.
//!
//! It does not know which games count: the room decided that when the game ended
//! ([`GameSummary::rated`](fivefold_shared::record::GameSummary)).

use std::{collections::BTreeMap, str::FromStr};

use fivefold_shared::{
    clock::millis,
    protocol::{GameId, MemberId, Name, Player},
    rating_pool::RatingPool,
    record::{FinishedGame, GameSummary},
    rules::Outcome,
    seat::{BySeat, Seat},
};
use serde::{Deserialize, Serialize};
use strum::{EnumString, IntoStaticStr};

use super::{Findings, StorageError};
use crate::{
    limits::ratings::LEADERBOARD_PLAYED_WITHIN,
    ratings::{Estimate, Rating, Score, rate},
};

/// What a member has in one pool.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct PoolRating {
    /// The pool.
    pub pool: RatingPool,
    /// The rating after the last game.
    pub rating: Rating,
    /// How many games count, without those that an operator took back.
    pub games: u64,
    /// How many of them the member won.
    pub wins: u64,
    /// How many of them were drawn.
    pub draws: u64,
    /// The number of the last change, counted from 1.
    pub changes: u64,
}

/// What one game changed for one member, or what an operator took back.
#[derive(Clone, PartialEq, Debug)]
pub struct RatingChange {
    /// The game.
    pub game: GameId,
    /// The player.
    pub member: MemberId,
    /// The pool of the game.
    pub pool: RatingPool,
    /// Why the rating changed.
    pub kind: ChangeKind,
    /// What the member reached in the game.
    pub result: GameResult,
    /// The member's estimate before.
    pub before: Estimate,
    /// The member's estimate from then on.
    pub after: Estimate,
    /// The number of this change among the member's in the pool, counted from 1.
    pub number: u64,
    /// When the game ended, or was taken back, in milliseconds since the Unix epoch.
    pub at: u64,
}

/// Why a rating changed.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug, EnumString, IntoStaticStr)]
#[strum(serialize_all = "lowercase")]
pub enum ChangeKind {
    /// The game ended.
    Game,
    /// An operator took back what the game had changed.
    Undo,
}

/// What a player reached in a game.
#[derive(Clone, Copy, PartialEq, Eq, Debug, EnumString, IntoStaticStr, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
#[strum(serialize_all = "lowercase")]
pub enum GameResult {
    /// They won.
    Won,
    /// Nobody won.
    Drawn,
    /// The other one won.
    Lost,
}

/// Which ratings to list.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct LeaderboardQuery {
    /// The pool.
    pub pool: RatingPool,
    /// The time, in milliseconds since the Unix epoch.
    pub now: u64,
    /// Also the place of this member, who may be further down.
    pub member: Option<MemberId>,
    /// Most places in the list.
    pub max: usize,
}

/// The best players of a pool: those who play there and are sure enough to be compared.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Leaderboard {
    /// The first places, the best first.
    pub places: Vec<Placed>,
    /// The place of the member who was asked for, in the list or below; absent if they have none.
    pub own: Option<Placed>,
}

/// A player with a place.
#[derive(Clone, PartialEq, Debug)]
pub struct Placed {
    /// The place, from 1. Players with the same points have the same place.
    pub place: u64,
    /// The player.
    pub member: MemberId,
    /// Their name.
    pub name: Name,
    /// Their rating.
    pub rating: PoolRating,
}

/// The result of taking back what a game changed.
#[derive(Clone, PartialEq, Debug)]
pub enum Undone {
    /// The changes that take it back, by member; also if that was done before.
    Done(Vec<RatingChange>),
    /// The game is unknown, or changed no rating.
    NotRated,
}

/// A rating's place: whose it is, and in which pool, as text.
pub(super) type Key = (MemberId, String);

/// A game that counts.
#[derive(Clone, PartialEq, Debug)]
pub(super) struct RatedGame<'a> {
    pub(super) game: &'a GameId,
    pub(super) pool: RatingPool,
    pub(super) players: BySeat<&'a MemberId>,
    score: Score,
    at: u64,
}

impl<'a> RatedGame<'a> {
    /// Returns nothing for a game that does not count.
    pub(super) fn of(game: &'a FinishedGame) -> Option<Self> {
        let GameSummary { rules, time, players, outcome, ended_at, .. } = &game.record.summary;
        if !game.record.summary.rated {
            return None;
        }
        let member = |seat: Seat| match &players[seat] {
            Player::Member { member, .. } => Some(member),
            Player::Bot { .. } => None,
        };
        let players = BySeat { first: member(Seat::First)?, second: member(Seat::Second)? };
        let is_two = players.first != players.second;
        Some(Self {
            game: &game.id,
            pool: RatingPool::of(*rules, *time).filter(|_| is_two)?,
            players,
            score: score(outcome)?,
            at: *ended_at,
        })
    }
}

fn score(outcome: &Outcome<Seat>) -> Option<Score> {
    match outcome.winner() {
        Some(Seat::First) => Some(Score::First),
        Some(Seat::Second) => Some(Score::Second),
        None => outcome.is_draw().then_some(Score::Draw),
    }
}

/// The members whose ratings these games change, in order and each once.
pub(super) fn rated_members<'a>(
    games: impl IntoIterator<Item = &'a FinishedGame>,
) -> Vec<&'a MemberId> {
    let rated = games.into_iter().filter_map(RatedGame::of);
    let mut members: Vec<_> =
        rated.flat_map(|game| [game.players.first, game.players.second]).collect();
    members.sort();
    members.dedup();
    members
}

/// The ratings of some members while their games are counted, in the order in which rows are written.
#[derive(Clone, Debug, Default)]
pub(super) struct Ratings(BTreeMap<Key, PoolRating>);

impl Ratings {
    /// Adds what is stored of a member.
    pub(super) fn insert(&mut self, member: MemberId, rating: PoolRating) {
        self.0.insert((member, rating.pool.to_string()), rating);
    }

    /// A rating that is stored, or was counted since.
    pub(super) fn get(&self, key: &Key) -> Option<&PoolRating> {
        self.0.get(key)
    }

    /// Counts a game, and returns its changes by member. The ratings of both must have been inserted.
    pub(super) fn count(&mut self, game: &RatedGame<'_>) -> Vec<RatingChange> {
        let before = Seat::BOTH.map(|seat| self.before(game.players[seat], game.pool));
        let after = rate(before.map(|before| before.rating), game.score, game.at);
        let mut changes = Vec::with_capacity(2);
        for ((seat, before), after) in Seat::BOTH.into_iter().zip(before).zip(after) {
            let member = game.players[seat];
            let result = GameResult::of(seat, game.score);
            let rating = PoolRating {
                pool: game.pool,
                rating: after,
                games: before.games + 1,
                wins: before.wins + u64::from(result == GameResult::Won),
                draws: before.draws + u64::from(result == GameResult::Drawn),
                changes: before.changes + 1,
            };
            self.insert(member.clone(), rating);
            changes.push(RatingChange {
                game: game.game.clone(),
                member: member.clone(),
                pool: game.pool,
                kind: ChangeKind::Game,
                result,
                before: before.rating.estimate(),
                after: after.estimate(),
                number: rating.changes,
                at: game.at,
            });
        }
        changes.sort_by(|one, other| one.member.cmp(&other.member));
        changes
    }

    /// Counts all of these games, in order.
    pub(super) fn count_all(&mut self, games: &[FinishedGame]) -> Vec<RatingChange> {
        let rated = games.iter().filter_map(RatedGame::of);
        rated.flat_map(|game| self.count(&game)).collect()
    }

    /// Takes back what a game changed: the points go back by as much, from where they are now.
    /// Nothing happens without the member's rating.
    pub(super) fn undo(&mut self, change: &RatingChange, at: u64) -> Option<RatingChange> {
        let key = (change.member.clone(), change.pool.to_string());
        let rating = self.0.get_mut(&key)?;
        let before = rating.rating.estimate();
        rating.rating = rating.rating.moved_by(change.before.value - change.after.value);
        rating.games = rating.games.saturating_sub(1);
        rating.wins = rating.wins.saturating_sub(u64::from(change.result == GameResult::Won));
        rating.draws = rating.draws.saturating_sub(u64::from(change.result == GameResult::Drawn));
        rating.changes += 1;
        Some(RatingChange {
            kind: ChangeKind::Undo,
            before,
            after: rating.rating.estimate(),
            number: rating.changes,
            at,
            ..change.clone()
        })
    }

    /// What a member has before a game; the first one in a pool follows from the surest other pool.
    fn before(&self, member: &MemberId, pool: RatingPool) -> PoolRating {
        if let Some(known) = self.0.get(&(member.clone(), pool.to_string())) {
            return *known;
        }
        let own = self.0.range((member.clone(), String::new())..);
        let own = own.take_while(|((other, _), _)| other == member).map(|(_, own)| own.rating);
        let rating = Rating::first_in_pool(own);
        PoolRating { pool, rating, games: 0, wins: 0, draws: 0, changes: 0 }
    }
}

impl GameResult {
    const fn of(seat: Seat, score: Score) -> Self {
        match (seat, score) {
            (Seat::First, Score::First) | (Seat::Second, Score::Second) => Self::Won,
            (Seat::First | Seat::Second, Score::Draw) => Self::Drawn,
            (Seat::First, Score::Second) | (Seat::Second, Score::First) => Self::Lost,
        }
    }
}

/// Gives places to the first players of a pool, who are sorted by points. Those with the same
/// points, as people see them, have the same place.
pub(super) fn places(players: Vec<(MemberId, Name, PoolRating)>) -> Vec<Placed> {
    let mut places: Vec<Placed> = Vec::with_capacity(players.len());
    for (number, (member, name, rating)) in (1..).zip(players) {
        let points = |rating: &PoolRating| rating.rating.value.round();
        let same = places.last().filter(|last| points(&last.rating) <= points(&rating));
        let place = same.map_or(number, |last| last.place);
        places.push(Placed { place, member, name, rating });
    }
    places
}

/// A pool, a kind or a result as it was stored.
pub(super) fn parse<T: FromStr>(text: &str) -> Result<T, StorageError> {
    text.parse().map_err(|_| StorageError::Damaged(format!("a rating has {text:?}")))
}

/// The changes of a game by kind: those that counted it, and those that took it back.
pub(super) fn counted_and_undone(
    changes: Vec<RatingChange>,
) -> (Vec<RatingChange>, Vec<RatingChange>) {
    changes.into_iter().partition(|change| change.kind == ChangeKind::Game)
}

/// A player whose last game is older has no place in a leaderboard.
pub(super) fn played_since(now: u64) -> u64 {
    now.saturating_sub(millis(LEADERBOARD_PLAYED_WITHIN))
}

/// Checks that the changes of each rating follow each other and lead to the rating.
#[derive(Debug)]
pub(super) struct ChainCheck {
    /// The ratings whose changes have not come yet.
    ratings: Ratings,
    last: Option<Chain>,
}

/// The changes of one rating so far.
#[derive(Debug)]
struct Chain {
    last: RatingChange,
    /// Games, wins and draws.
    counts: [u64; 3],
}

impl ChainCheck {
    pub(super) const fn new(ratings: Ratings) -> Self {
        Self { ratings, last: None }
    }

    /// Checks the next change, in the order of members, pools and numbers.
    pub(super) fn add(&mut self, change: RatingChange, findings: &mut Findings) {
        let is_of_last = self.last.as_ref().is_some_and(|Chain { last, .. }| {
            last.member == change.member && last.pool == change.pool
        });
        if !is_of_last {
            self.end(findings);
        }
        let before = self.last.take();
        let due = before.as_ref().map_or(1, |chain| chain.last.number + 1);
        let begins_well = before.as_ref().is_none_or(|chain| chain.last.after == change.before);
        if change.number != due || !begins_well {
            let RatingChange { member, pool, number, .. } = &change;
            findings.add(format_args!(
                "change {number} of member {member} in {pool} does not follow the one before"
            ));
        }
        let [games, wins, draws] = before.map_or([0; 3], |chain| chain.counts);
        let won = u64::from(change.result == GameResult::Won);
        let drawn = u64::from(change.result == GameResult::Drawn);
        let counts = match change.kind {
            ChangeKind::Game => [games + 1, wins + won, draws + drawn],
            ChangeKind::Undo => {
                [games.wrapping_sub(1), wins.wrapping_sub(won), draws.wrapping_sub(drawn)]
            }
        };
        self.last = Some(Chain { last: change, counts });
    }

    /// Checks what is left after the last change.
    pub(super) fn finish(mut self, findings: &mut Findings) {
        self.end(findings);
        for ((member, pool), _) in self.ratings.0 {
            findings.add(format_args!("member {member} has a rating in {pool}, and no changes"));
        }
    }

    /// Compares the last change of a rating with the rating.
    fn end(&mut self, findings: &mut Findings) {
        let Some(Chain { last, counts }) = self.last.take() else { return };
        let RatingChange { member, pool, after, number, .. } = last;
        let Some(rating) = self.ratings.0.remove(&(member.clone(), pool.to_string())) else {
            findings.add(format_args!("member {member} has changes in {pool}, and no rating"));
            return;
        };
        if rating.rating.estimate() != after || rating.changes != number {
            findings.add(format_args!(
                "the rating of member {member} in {pool} is not what the last change left"
            ));
        }
        if [rating.games, rating.wins, rating.draws] != counts {
            findings.add(format_args!(
                "the counts of member {member} in {pool} are not those of the changes"
            ));
        }
    }
}
