//! Which seekers fit: queues ordered by rating, and the score of two seekers.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use fivefold_shared::protocol::GameSettings;

use super::{
    history::History,
    input::Rating,
    standing::{Seek, SeekNumber},
};

/// How many of the nearest by rating are compared with a seeker, on either side.
const NEIGHBOURS: usize = 8;
/// The largest difference of ratings, in points, to somebody who has just come.
const WINDOW: i64 = 100;
/// The largest difference between two who have both just come: somebody better may come in a moment.
const WINDOW_OF_NEW: i64 = GOOD_SCORE;
/// Both grow by so much with each second: the first as the one who waits less waits, the second as the
/// other one does.
const WINDOW_PER_SECOND: i64 = 20;
/// The largest value of both.
const WINDOW_MAX: i64 = 400;
/// A rating with a larger deviation is unsure, and half of the rest widens the window.
const DEVIATION_SURE: i64 = 60;
/// How many points of difference a second of waiting is worth, for both together.
const BONUS_PER_SECOND: i64 = 5;
/// The most points that waiting is worth.
const BONUS_MAX: i64 = 400;
/// How many points it costs that both have had the same seat twice running.
const SAME_SEATS_COST: i64 = 40;
/// A seek that begins is paired at once with one who fits so well. Otherwise the next round decides, in
/// which everybody gets the best of all who have come by then.
pub(super) const GOOD_SCORE: i64 = 40;
/// Those who have just played each other are paired after both have waited for so long: nobody else
/// was there.
const AGAIN_AFTER_MS: u64 = 10_000;

/// A place in a queue: the rating, and the seek.
pub(super) type Place = (i32, SeekNumber);

/// The seeks that wait, by the games that they want, each ordered by rating.
#[derive(Debug, Default)]
pub(super) struct Queues {
    /// Numbers the queues in the order in which they begin, so that rounds have an order.
    numbers: HashMap<GameSettings, u64>,
    queues: BTreeMap<u64, BTreeSet<Place>>,
    begun: u64,
}

/// A seek in a queue.
#[derive(Clone, Copy, Debug)]
pub(super) struct Candidate<'a> {
    pub(super) number: SeekNumber,
    pub(super) seek: &'a Seek,
    pub(super) history: Option<&'a History>,
}

impl Queues {
    pub(super) fn insert(&mut self, settings: GameSettings, place: Place) {
        let number = *self.numbers.entry(settings).or_insert_with(|| {
            self.begun += 1;
            self.begun
        });
        self.queues.entry(number).or_default().insert(place);
    }

    pub(super) fn remove(&mut self, settings: &GameSettings, place: Place) {
        let Some(number) = self.numbers.get(settings) else { return };
        let Some(queue) = self.queues.get_mut(number) else { return };
        queue.remove(&place);
        if queue.is_empty() {
            self.queues.remove(number);
            self.numbers.remove(settings);
        }
    }

    /// The nearest places on either side of one.
    pub(super) fn around(&self, settings: &GameSettings, place: Place) -> Vec<Place> {
        let queue = self.numbers.get(settings).and_then(|number| self.queues.get(number));
        let Some(queue) = queue else { return Vec::new() };
        let below = queue.range(..place).rev().take(NEIGHBOURS);
        let above = queue.range(place..).filter(|other| **other != place).take(NEIGHBOURS);
        below.chain(above).copied().collect()
    }

    /// The queues in which at least two wait.
    pub(super) fn with_company(&self) -> impl Iterator<Item = impl Iterator<Item = Place>> {
        self.queues.values().filter(|queue| queue.len() > 1).map(|queue| queue.iter().copied())
    }
}

/// The pairs among those who wait in one queue, ordered by rating: the best pair first, and one who
/// waits may be in several.
pub(super) fn pairs(
    now: u64,
    waiting: &[Candidate<'_>],
    pairs: &mut Vec<(SeekNumber, SeekNumber)>,
) {
    let mut scored = Vec::new();
    for (index, one) in waiting.iter().enumerate() {
        for other in waiting[index + 1..].iter().take(NEIGHBOURS) {
            if let Some(score) = score(now, one, other) {
                scored.push((score, one.number, other.number));
            }
        }
    }
    scored.sort_unstable();
    pairs.extend(scored.into_iter().map(|(_, one, other)| (one, other)));
}

/// How badly two fit: the difference of their ratings, less a bonus for waiting. `None` if they may not
/// be paired now.
pub(super) fn score(now: u64, one: &Candidate<'_>, other: &Candidate<'_>) -> Option<i64> {
    let (by, with) = (&one.seek.by, &other.seek.by);
    let is_theirs_alone = one.seek.settings.rated && by.is_related_to(with);
    if by.member == with.member || by.is_apart_from(with) || is_theirs_alone {
        return None;
    }
    let [waited, with_waited] = [one, other].map(|candidate| candidate.seek.waited_ms(now));
    let difference = i64::from(by.rating.value.abs_diff(with.rating.value));
    if difference > rating_window([by.rating, with.rating], [waited, with_waited]) {
        return None;
    }
    let has_played = |one: &Candidate<'_>, other: &Candidate<'_>| {
        one.history.is_some_and(|history| history.has_just_played(&other.seek.by.member))
    };
    if waited.min(with_waited) < AGAIN_AFTER_MS
        && (has_played(one, other) || has_played(other, one))
    {
        return None;
    }
    let seconds = i64::try_from((waited + with_waited) / 1_000).unwrap_or(BONUS_MAX);
    let bonus = seconds.saturating_mul(BONUS_PER_SECOND).min(BONUS_MAX);
    let [seat, with_seat] =
        [one, other].map(|candidate| candidate.history.and_then(History::seat_twice_running));
    let cost = if seat.is_some() && seat == with_seat { SAME_SEATS_COST } else { 0 };
    Some(difference - bonus + cost)
}

/// The largest difference between two ratings that may be paired, after both have waited so many
/// milliseconds.
pub fn rating_window(ratings: [Rating; 2], waited_ms: [u64; 2]) -> i64 {
    let grown = |window: i64, waited_ms: u64| {
        let seconds = i64::try_from(waited_ms / 1_000).unwrap_or(WINDOW_MAX);
        window.saturating_add(seconds.saturating_mul(WINDOW_PER_SECOND)).min(WINDOW_MAX)
    };
    let (less, more) = (waited_ms[0].min(waited_ms[1]), waited_ms[0].max(waited_ms[1]));
    let window = grown(WINDOW, less).min(grown(WINDOW_OF_NEW, more));
    let unsure = ratings.map(|rating| (i64::from(rating.deviation) - DEVIATION_SURE).max(0) / 2);
    window + unsure[0] + unsure[1]
}
