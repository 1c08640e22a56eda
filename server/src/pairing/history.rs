//! What pairing remembers of each member: their last seats and opponents, and the games that they left
//! before those began.

use std::collections::{HashMap, VecDeque};

use fivefold_shared::{clock::millis, protocol::MemberId, seat::Seat};

use crate::limits::{
    ABORTS_MAX, ABORTS_OF, HISTORIES_MAX, MARK_FADES, OPPONENTS_KEPT, PAUSE, PAUSE_FACTOR,
    PAUSE_MAX, SEATS_KEPT,
};

/// The histories of the members who were paired last.
#[derive(Debug, Default)]
pub(super) struct Histories(HashMap<MemberId, History>);

/// One member's history.
#[derive(Debug, Default)]
pub(super) struct History {
    seen_at: u64,
    /// The last seats, the latest last.
    seats: VecDeque<Seat>,
    /// The last opponents, the latest last.
    opponents: VecDeque<MemberId>,
    /// The last games: when the member left each, if they did so before it began.
    marks: VecDeque<Option<u64>>,
    /// How often pairing was paused for them, until a day without a mark.
    pauses: u32,
    paused_until: u64,
}

impl Histories {
    pub(super) fn get(&self, member: &MemberId) -> Option<&History> {
        self.0.get(member)
    }

    /// When pairing goes on for a member; in the past for most.
    pub(super) fn paused_until(&self, member: &MemberId) -> u64 {
        self.0.get(member).map_or(0, |history| history.paused_until)
    }

    /// Whether `one` gets the first seat: who has had it less often lately does, and nobody a third
    /// time running if the other can take it. Otherwise `otherwise` decides.
    pub(super) fn is_first(&self, one: &MemberId, other: &MemberId, otherwise: bool) -> bool {
        let twice = |member| self.0.get(member).and_then(History::seat_twice_running);
        let balance = |member| self.0.get(member).map_or(0, History::balance);
        match (twice(one) == Some(Seat::First), twice(other) == Some(Seat::First)) {
            (true, false) => false,
            (false, true) => true,
            (true, true) | (false, false) => match balance(one).cmp(&balance(other)) {
                std::cmp::Ordering::Less => true,
                std::cmp::Ordering::Greater => false,
                std::cmp::Ordering::Equal => otherwise,
            },
        }
    }

    pub(super) fn note_pair(&mut self, now: u64, first: &MemberId, second: &MemberId) {
        let pair = [(first, second, Seat::First), (second, first, Seat::Second)];
        for (member, opponent, seat) in pair {
            let history = self.0.entry(member.clone()).or_default();
            history.seen_at = now;
            push(&mut history.seats, seat, SEATS_KEPT);
            push(&mut history.opponents, opponent.clone(), OPPONENTS_KEPT);
        }
    }

    /// The game of these two never began, so their seats do not count.
    pub(super) fn forget_seats(&mut self, first: &MemberId, second: &MemberId) {
        for member in [first, second] {
            if let Some(history) = self.0.get_mut(member) {
                history.seats.pop_back();
            }
        }
    }

    /// The end of a member's game. With `is_mark` they left it before it began; for several such
    /// marks pairing is paused for them.
    pub(super) fn note_end(&mut self, now: u64, member: &MemberId, is_mark: bool) {
        let history = self.0.entry(member.clone()).or_default();
        history.seen_at = now;
        let since = now.saturating_sub(millis(MARK_FADES));
        let stands = |mark: &&Option<u64>| mark.is_some_and(|at| at > since);
        if history.marks.iter().filter(stands).count() == 0 {
            history.pauses = 0;
        }
        push(&mut history.marks, is_mark.then_some(now), ABORTS_OF);
        if is_mark && history.marks.iter().filter(stands).count() >= ABORTS_MAX {
            let pause = millis(PAUSE).saturating_mul(PAUSE_FACTOR.saturating_pow(history.pauses));
            history.paused_until = now + pause.min(millis(PAUSE_MAX));
            history.pauses += 1;
        }
    }

    /// Forgets those who were paired longest ago, if there are too many.
    pub(super) fn forget_old(&mut self, now: u64) {
        if self.0.len() <= HISTORIES_MAX {
            return;
        }
        let mut times: Vec<u64> = self.0.values().map(|history| history.seen_at).collect();
        let middle = times.len() / 2;
        let (_, kept_since, _) = times.select_nth_unstable(middle);
        let kept_since = *kept_since;
        self.0.retain(|_, history| history.seen_at > kept_since || history.paused_until > now);
        if self.0.len() > HISTORIES_MAX {
            self.0.retain(|_, history| history.seen_at > kept_since);
        }
    }
}

impl History {
    /// The seat that the member had in both of their last two games.
    pub(super) fn seat_twice_running(&self) -> Option<Seat> {
        let mut last = self.seats.iter().rev();
        let (last, before) = (last.next()?, last.next()?);
        (last == before).then_some(*last)
    }

    pub(super) fn has_just_played(&self, member: &MemberId) -> bool {
        self.opponents.contains(member)
    }

    /// How many more times the member was First than Second.
    fn balance(&self) -> i32 {
        let one = |seat: &Seat| match seat {
            Seat::First => 1,
            Seat::Second => -1,
        };
        self.seats.iter().map(one).sum()
    }
}

fn push<T>(kept: &mut VecDeque<T>, item: T, most: usize) {
    if kept.len() >= most {
        kept.pop_front();
    }
    kept.push_back(item);
}
