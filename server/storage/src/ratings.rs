//! Ratings as they are stored: what each member has in each pool, and every change of it. It
//! computes what a finished game changes, so that all back ends write the same.
//!
//! It does not know which games count: the room decided that when the game ended
//! ([`GameSummary::rated`](fivefold_shared::record::GameSummary)).

pub(super) mod known_ratings;

use std::{collections::BTreeMap, iter, num::NonZeroU32, str::FromStr};

use fivefold_shared::{
    clock::millis,
    protocol::{GameId, MemberId, Name, Player},
    rating_pool::{PoolKind, RatingPool},
    record::{FinishedGame, GameSummary, Record},
    rules::Outcome,
    seat::{BySeat, Seat},
};
use serde::{Deserialize, Serialize};
use strum::{EnumString, IntoStaticStr};

use super::{Findings, StorageError};
use crate::{
    glicko::{Estimate, Rating, Score, rate},
    limits::{LEADERBOARD_PLAYED_WITHIN, PLACEMENT_GAMES, PLACEMENT_PLIES_MIN},
};

/// Members with their ratings: a pair for each pool of each member.
pub type MemberRatings = Vec<(MemberId, PoolRating)>;

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

/// A rating's place: whose it is, and in which pool.
pub(super) type Key = (MemberId, RatingPool);

/// A member's rating in a pool before a game there, by all of their ratings. A member without one begins where
/// the placement ended, or else at the surest other one.
pub fn rating_before(ratings: &[PoolRating], pool: RatingPool) -> Rating {
    let of = |pool: RatingPool| ratings.iter().find(|own| own.pool == pool);
    let placed = of(pool.of_kind(PoolKind::Placement)).filter(|_| pool.kind == PoolKind::People);
    match (of(pool), placed) {
        (Some(own), _) => own.rating,
        (None, Some(placed)) if placed.games >= PLACEMENT_GAMES => placed.rating.after_placement(),
        (None, _) => {
            let others = ratings.iter().filter(|other| other.pool.kind == pool.kind);
            Rating::first_in_pool(others.map(|other| other.rating))
        }
    }
}

/// A game that changes ratings.
#[derive(Clone, PartialEq, Debug)]
enum CountedGame<'a> {
    Rated(RatedGame<'a>),
    Placement(PlacementGame<'a>),
}

/// A game that counts for both players.
#[derive(Clone, PartialEq, Debug)]
struct RatedGame<'a> {
    game: &'a GameId,
    /// Bots and people have pools of their own.
    pools: BySeat<RatingPool>,
    players: BySeat<&'a MemberId>,
    score: Score,
    /// It counts whole, a half, a third and so on.
    divisor: u32,
    at: u64,
}

/// A casual game of a person with a bot of the server. The first ones give them a first rating.
#[derive(Clone, PartialEq, Debug)]
struct PlacementGame<'a> {
    game: &'a GameId,
    /// The pool in which the game would be rated.
    pool: RatingPool,
    member: &'a MemberId,
    /// Of the bot.
    points: u32,
    /// The person is the first one.
    score: Score,
    at: u64,
}

impl<'a> CountedGame<'a> {
    /// Returns nothing for a game that changes no ratings.
    fn of(game: &'a FinishedGame) -> Option<Self> {
        if game.record.summary.rated {
            RatedGame::of(game).map(Self::Rated)
        } else {
            PlacementGame::of(game).map(Self::Placement)
        }
    }

    fn members(&self) -> impl Iterator<Item = &'a MemberId> + use<'a> {
        let (first, second) = match self {
            Self::Rated(game) => (game.players.first, Some(game.players.second)),
            Self::Placement(game) => (game.member, None),
        };
        iter::once(first).chain(second)
    }
}

impl<'a> RatedGame<'a> {
    fn of(game: &'a FinishedGame) -> Option<Self> {
        let GameSummary { rules, time, players, outcome, ended_at, part, .. } =
            &game.record.summary;
        let pool = RatingPool::of(*rules, *time)?;
        // Only bots let programs play rated games.
        let player = |seat: Seat| match &players[seat] {
            Player::Member { member, engine: true, .. } => {
                Some((member, pool.of_kind(PoolKind::Bots)))
            }
            Player::Member { member, .. } => Some((member, pool)),
            Player::Bot { .. } => None,
        };
        let (first, first_pool) = player(Seat::First)?;
        let (second, second_pool) = player(Seat::Second)?;
        (first != second).then_some(Self {
            game: &game.id,
            pools: BySeat { first: first_pool, second: second_pool },
            players: BySeat { first, second },
            score: score(outcome)?,
            divisor: part.map_or(1, NonZeroU32::get),
            at: *ended_at,
        })
    }

    /// Which part of the game counts for the player in this seat. Against a bot, a person gains or loses
    /// half.
    fn divisor_for(&self, seat: Seat) -> u32 {
        let is_half = self.pools[seat].kind == PoolKind::People
            && self.pools[seat.other()].kind == PoolKind::Bots;
        self.divisor.saturating_mul(if is_half { 2 } else { 1 })
    }
}

impl<'a> PlacementGame<'a> {
    fn of(game: &'a FinishedGame) -> Option<Self> {
        let Record { summary, moves } = &game.record;
        let GameSummary { rules, time, players, outcome, ended_at, plies, .. } = summary;
        let (seat, member, bot) = match (&players.first, &players.second) {
            (Player::Member { member, engine: false, .. }, Player::Bot { bot }) => {
                (Seat::First, member, bot)
            }
            (Player::Bot { bot }, Player::Member { member, engine: false, .. }) => {
                (Seat::Second, member, bot)
            }
            _ => return None,
        };
        let is_played = *plies >= PLACEMENT_PLIES_MIN || matches!(outcome, Outcome::Five { .. });
        if !is_played || moves.iter().any(|made| made.assisted) {
            return None;
        }
        let score = score(outcome)?;
        Some(Self {
            game: &game.id,
            pool: RatingPool::of(*rules, *time)?,
            member,
            points: bot.rating()?,
            score: if seat == Seat::First { score } else { score.of_other() },
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
    let counted = games.into_iter().filter_map(CountedGame::of);
    let mut members: Vec<_> = counted.flat_map(|game| game.members()).collect();
    members.sort();
    members.dedup();
    members
}

/// The ratings of some members while their games are counted.
#[derive(Clone, Debug, Default)]
pub(super) struct Ratings(BTreeMap<MemberId, Vec<PoolRating>>);

impl Ratings {
    /// Adds what is stored of a member.
    pub(super) fn insert(&mut self, member: &MemberId, rating: PoolRating) {
        match self.get_mut(member, rating.pool) {
            Some(own) => *own = rating,
            None => self.0.entry(member.clone()).or_default().push(rating),
        }
    }

    /// A rating that is stored, or was counted since.
    pub(super) fn get(&self, member: &MemberId, pool: RatingPool) -> Option<&PoolRating> {
        self.of_member(member).iter().find(|own| own.pool == pool)
    }

    fn get_mut(&mut self, member: &MemberId, pool: RatingPool) -> Option<&mut PoolRating> {
        self.0.get_mut(member)?.iter_mut().find(|own| own.pool == pool)
    }

    /// The ratings of one member.
    pub(super) fn of_member(&self, member: &MemberId) -> &[PoolRating] {
        self.0.get(member).map_or(&[], Vec::as_slice)
    }

    fn take(&mut self, member: &MemberId, pool: RatingPool) -> Option<PoolRating> {
        let own = self.0.get_mut(member)?;
        Some(own.swap_remove(own.iter().position(|own| own.pool == pool)?))
    }

    /// Counts a rated game, and returns its changes by member. The ratings of both must have been inserted.
    fn count(&mut self, game: &RatedGame<'_>) -> Vec<RatingChange> {
        let before = Seat::BOTH.map(|seat| self.before(game.players[seat], game.pools[seat]));
        let after = rate(before.map(|before| before.rating), game.score, game.at);
        let mut changes = Vec::with_capacity(2);
        for ((seat, before), after) in Seat::BOTH.into_iter().zip(before).zip(after) {
            let after = match game.divisor_for(seat) {
                1 => after,
                divisor => before.rating.part_of_way_to(after, game.at, divisor),
            };
            let result = GameResult::of(seat, game.score);
            let of = (game.game, game.players[seat], game.at);
            changes.push(self.change(of, before, after, result));
        }
        changes.sort_by(|one, other| one.member.cmp(&other.member));
        changes
    }

    /// Counts a placement, unless the member has played all of it, or a rated game in the pool.
    fn place(&mut self, game: &PlacementGame<'_>) -> Option<RatingChange> {
        if self.get(game.member, game.pool).is_some() {
            return None;
        }
        let pool = game.pool.of_kind(PoolKind::Placement);
        let before = self.before(game.member, pool);
        if before.games >= PLACEMENT_GAMES {
            return None;
        }
        let bot = Rating::of_house_bot(game.points, game.at);
        let [after, _] = rate([before.rating, bot], game.score, game.at);
        let result = GameResult::of(Seat::First, game.score);
        Some(self.change((game.game, game.member, game.at), before, after, result))
    }

    /// Notes what a game changes for one member.
    fn change(
        &mut self,
        (game, member, at): (&GameId, &MemberId, u64),
        before: PoolRating,
        after: Rating,
        result: GameResult,
    ) -> RatingChange {
        let rating = PoolRating {
            pool: before.pool,
            rating: after,
            games: before.games + 1,
            wins: before.wins + u64::from(result == GameResult::Won),
            draws: before.draws + u64::from(result == GameResult::Drawn),
            changes: before.changes + 1,
        };
        self.insert(member, rating);
        RatingChange {
            game: game.clone(),
            member: member.clone(),
            pool: before.pool,
            kind: ChangeKind::Game,
            result,
            before: before.rating.estimate(),
            after: after.estimate(),
            number: rating.changes,
            at,
        }
    }

    /// Counts all of these games, in order.
    pub(super) fn count_all(&mut self, games: &[FinishedGame]) -> Vec<RatingChange> {
        let mut changes = Vec::new();
        for game in games.iter().filter_map(CountedGame::of) {
            match game {
                CountedGame::Rated(game) => changes.extend(self.count(&game)),
                CountedGame::Placement(game) => changes.extend(self.place(&game)),
            }
        }
        changes
    }

    /// Takes back what a game changed: the points go back by as much, from where they are now.
    /// Nothing happens without the member's rating.
    pub(super) fn undo(&mut self, change: &RatingChange, at: u64) -> Option<RatingChange> {
        let rating = self.get_mut(&change.member, change.pool)?;
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

    /// What a member has before a game. See [`rating_before`].
    fn before(&self, member: &MemberId, pool: RatingPool) -> PoolRating {
        if let Some(known) = self.get(member, pool) {
            return *known;
        }
        let rating = rating_before(self.of_member(member), pool);
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
    /// Where those begin who have played a whole placement, by the pool of their rated games.
    starts: BTreeMap<Key, Estimate>,
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
    pub(super) fn new(ratings: Ratings) -> Self {
        let start = |(member, own): (&MemberId, &PoolRating)| {
            let is_whole = own.pool.kind == PoolKind::Placement && own.games >= PLACEMENT_GAMES;
            let pool = own.pool.of_kind(PoolKind::People);
            is_whole.then(|| ((member.clone(), pool), own.rating.after_placement().estimate()))
        };
        let all =
            ratings.0.iter().flat_map(|(member, own)| own.iter().map(move |own| (member, own)));
        let starts = all.filter_map(start).collect();
        Self { ratings, starts, last: None }
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
        let start = self.starts.get(&(change.member.clone(), change.pool));
        if before.is_none() && start.is_some_and(|start| *start != change.before) {
            let RatingChange { member, pool, .. } = &change;
            findings.add(format_args!(
                "the rating of member {member} in {pool} does not begin where the placement ended"
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
        for (member, own) in self.ratings.0 {
            for PoolRating { pool, .. } in own {
                findings
                    .add(format_args!("member {member} has a rating in {pool}, and no changes"));
            }
        }
    }

    /// Compares the last change of a rating with the rating.
    fn end(&mut self, findings: &mut Findings) {
        let Some(Chain { last, counts }) = self.last.take() else { return };
        let RatingChange { member, pool, after, number, .. } = last;
        let Some(rating) = self.ratings.take(&member, pool) else {
            findings.add(format_args!("member {member} has changes in {pool}, and no rating"));
            return;
        };
        if rating.rating.estimate() != after || rating.changes != number {
            findings.add(format_args!(
                "the rating of member {member} in {pool} is not what the last change left"
            ));
        }
        if pool.kind == PoolKind::Placement && rating.games > PLACEMENT_GAMES {
            findings.add(format_args!("member {member} has too many games in {pool}"));
        }
        if [rating.games, rating.wins, rating.draws] != counts {
            findings.add(format_args!(
                "the counts of member {member} in {pool} are not those of the changes"
            ));
        }
    }
}
