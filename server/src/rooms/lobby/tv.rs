//! The game on TV: the best public game that is running. Those who ask within a few seconds get the same answer.
//!
//! It does not know who watches: a page stays with its game until that ends, and then asks for the next one.

use std::{
    cmp::Reverse,
    collections::HashMap,
    sync::{Mutex, PoisonError},
    time::Instant,
};

use fivefold_shared::{
    protocol::{MemberId, Phase, Player, RoomCode, RoomSummary},
    rating_pool::{PoolKind, RatingPool},
};
use fivefold_storage::PoolRating;

use crate::limits::embeds::{TV_CHOICE_AGE, TV_DEMO_INTERVAL};

/// The game on TV, for all who ask.
#[derive(Debug, Default)]
pub(super) struct Tv {
    /// Locked while a choice is made: one at a time.
    pub(super) choice: tokio::sync::Mutex<Choice>,
    /// The room that was chosen last. Locked only to read or write it, so that those who come while a choice is made
    /// need not wait for it.
    room: Mutex<Option<RoomCode>>,
}

/// When the next choice is due.
#[derive(Debug, Default)]
pub(super) struct Choice {
    fresh_until: Option<Instant>,
    /// When TV may begin a demo game again.
    no_demo_until: Option<Instant>,
}

impl Tv {
    /// The room that was chosen last.
    pub(super) fn room(&self) -> Option<RoomCode> {
        self.room.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// Chooses among these rooms, by the ratings of those who play there.
    pub(super) fn choose(
        &self,
        rooms: &[RoomSummary],
        ratings: &HashMap<MemberId, Vec<PoolRating>>,
    ) {
        let best = best(rooms.iter().map(|room| offer(room, ratings)));
        *self.room.lock().unwrap_or_else(PoisonError::into_inner) = best;
    }
}

impl Choice {
    /// Whether the last choice still holds.
    pub(super) fn is_fresh(&self, now: Instant) -> bool {
        self.fresh_until.is_some_and(|until| until > now)
    }

    /// The choice, or the one before if none could be made, holds for a while.
    pub(super) fn keep(&mut self, now: Instant) {
        self.fresh_until = Some(now + TV_CHOICE_AGE);
    }

    /// Whether a demo game may begin for TV alone. The server may begin none all the same.
    pub(super) fn may_begin_demo(&self, now: Instant) -> bool {
        self.no_demo_until.is_none_or(|until| until <= now)
    }

    /// TV has asked for a demo game.
    pub(super) fn note_demo(&mut self, now: Instant) {
        self.no_demo_until = Some(now + TV_DEMO_INTERVAL);
    }
}

/// What a running game has to offer to spectators.
#[derive(Clone, PartialEq, Eq, Debug)]
struct Offer {
    room: RoomCode,
    /// Whether a person plays.
    has_people: bool,
    /// The ratings of the accounts that play, together.
    ratings: i64,
    spectators: usize,
    ply: usize,
}

/// Whether the room has a game that spectators may look at now. In a daily game, nothing may happen for hours.
pub(super) fn is_shown(room: &RoomSummary) -> bool {
    room.phase == Phase::Running && !room.time.is_daily()
}

pub(super) fn members_of(room: &RoomSummary) -> impl Iterator<Item = &MemberId> {
    [&room.seats.first, &room.seats.second].into_iter().flatten().filter_map(
        |player| match player {
            Player::Member { member, .. } => Some(member),
            Player::Bot { .. } => None,
        },
    )
}

fn offer(room: &RoomSummary, ratings: &HashMap<MemberId, Vec<PoolRating>>) -> Offer {
    let pool = RatingPool::of(room.rules, room.time);
    let rating = |member| ratings.get(member).and_then(|own| rating_in(own, pool));
    Offer {
        room: room.room.clone(),
        has_people: members_of(room).next().is_some(),
        ratings: members_of(room).filter_map(rating).sum(),
        spectators: room.spectators,
        ply: room.ply,
    }
}

/// A member's rating in the pool of the game, else the highest one that they have; absent for guests.
#[expect(clippy::cast_possible_truncation, reason = "ratings have a few digits")]
fn rating_in(ratings: &[PoolRating], pool: Option<RatingPool>) -> Option<i64> {
    let in_pool = ratings.iter().find(|own| Some(own.pool) == pool);
    let earned = ratings.iter().filter(|own| own.pool.kind != PoolKind::Placement);
    let found = in_pool
        .or_else(|| earned.max_by(|one, other| one.rating.value.total_cmp(&other.rating.value)));
    found.map(|own| own.rating.value.round() as i64)
}

/// The best of these games: those of people before those of bots alone, then by ratings, then by spectators. The
/// newest comes first among equals: the one with the fewest moves.
fn best(offers: impl Iterator<Item = Offer>) -> Option<RoomCode> {
    let order = |offer: &Offer| {
        let Offer { room, has_people, ratings, spectators, ply } = offer.clone();
        (has_people, ratings, spectators, Reverse(ply), Reverse(room))
    };
    offers.max_by_key(order).map(|offer| offer.room)
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use fivefold_shared::{
        clock::TimeControl,
        rules::{Rules, Size, Variant},
    };
    use fivefold_storage::glicko::Rating;

    use super::*;

    fn code(letter: char) -> RoomCode {
        RoomCode::try_from(format!("k7m2qpxw9ab{letter}")).unwrap()
    }

    #[test]
    fn ratings_come_first_then_spectators_then_the_newest() {
        let offer = |letter, has_people, ratings, spectators, ply| {
            let room = code(letter);
            Offer { room, has_people, ratings, spectators, ply }
        };
        let cases = [
            // games, the letter of the best
            (vec![], None),
            (vec![offer('a', false, 0, 0, 0)], Some('a')),
            (vec![offer('a', false, 0, 90, 0), offer('b', true, 0, 0, 80)], Some('b')),
            (vec![offer('a', true, 2_999, 90, 0), offer('b', true, 3_000, 0, 80)], Some('b')),
            (vec![offer('a', true, 3_000, 2, 80), offer('b', true, 3_000, 1, 0)], Some('a')),
            (vec![offer('a', true, 3_000, 1, 9), offer('b', true, 3_000, 1, 8)], Some('b')),
            (vec![offer('b', true, 0, 0, 0), offer('a', true, 0, 0, 0)], Some('a')),
        ];
        for (offers, wanted) in cases {
            assert_eq!(best(offers.iter().cloned()), wanted.map(code), "{offers:?}");
            assert_eq!(best(offers.iter().rev().cloned()), wanted.map(code), "{offers:?}");
        }
    }

    #[test]
    fn tv_alone_begins_few_demo_games() {
        let (mut choice, now) = (Choice::default(), Instant::now());
        assert!(!choice.is_fresh(now) && choice.may_begin_demo(now));
        choice.keep(now);
        choice.note_demo(now);
        let moment = Duration::from_nanos(1);
        assert!(choice.is_fresh(now + TV_CHOICE_AGE - moment));
        assert!(!choice.is_fresh(now + TV_CHOICE_AGE));
        assert!(!choice.may_begin_demo(now + TV_DEMO_INTERVAL - moment));
        assert!(choice.may_begin_demo(now + TV_DEMO_INTERVAL));
    }

    #[test]
    fn the_pool_of_the_game_counts_before_others() {
        let rules = Rules::new(Variant::Renju, Size::square(15)).unwrap();
        let fast = TimeControl::SuddenDeath { main_ms: 60_000 };
        let pool = RatingPool::of(rules, fast).unwrap();
        let slow = RatingPool::of(rules, TimeControl::SuddenDeath { main_ms: 900_000 }).unwrap();
        let of = |pool, value| {
            let rating = Rating { value, deviation: 60.0, volatility: 0.06, last_at: None };
            PoolRating { pool, rating, games: 9, wins: 5, draws: 0, changes: 9 }
        };
        let placed = slow.of_kind(PoolKind::Placement);
        let cases = [
            (vec![], Some(pool), None),
            (vec![of(pool, 1_499.6), of(slow, 1_800.0)], Some(pool), Some(1_500)),
            (vec![of(slow, 1_800.0), of(placed, 1_900.0)], Some(pool), Some(1_800)),
            (vec![of(pool, 1_500.0), of(slow, 1_800.0)], None, Some(1_800)),
        ];
        for (ratings, pool, wanted) in cases {
            assert_eq!(rating_in(&ratings, pool), wanted, "{ratings:?}");
        }
    }
}
