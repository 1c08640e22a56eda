//! Pushes, or e-mails, that wait for their turn, shared fairly between accounts.
//!
//! At most one push of an account is sent at a time. The account whose last turn was longest ago comes next. If the
//! queue is full, a new push replaces one from the account with the most queued pushes. This module does not depend
//! on what it queues.

use std::collections::{HashMap, HashSet};

use fivefold_shared::protocol::MemberId;
use tokio::time::Instant;

use crate::limits::pushes::{PUSHES_OF_ACCOUNT_MAX, PUSHES_WAITING_MAX};

/// What waits.
#[derive(Debug)]
pub(super) struct Line<T> {
    /// In the order in which they came.
    waiting: Vec<Waiting<T>>,
    /// Most on their way at once.
    running_max: usize,
    /// The accounts with one on its way.
    running: HashSet<MemberId>,
    /// When accounts that wait had their last turn, counted in turns.
    served: HashMap<MemberId, u64>,
    turns: u64,
}

#[derive(Debug)]
struct Waiting<T> {
    member: MemberId,
    from: Instant,
    item: T,
}

impl<T> Line<T> {
    /// An empty line of which so many can be on their way at once.
    pub(super) fn new(running_max: usize) -> Self {
        let (waiting, running, served) = (Vec::new(), HashSet::new(), HashMap::new());
        Self { waiting, running_max, running, served, turns: 0 }
    }

    /// Queues an item for an account; it is not sent before `from`. If there is no place for it, returns the item
    /// that was dropped: an older one or this one.
    pub(super) fn push(&mut self, member: &MemberId, from: Instant, item: T) -> Option<T> {
        let new = Waiting { member: member.clone(), from, item };
        let own = self.count(member);
        if own >= PUSHES_OF_ACCOUNT_MAX {
            return Some(new.item);
        }
        if self.waiting.len() + self.running.len() < PUSHES_WAITING_MAX {
            self.waiting.push(new);
            return None;
        }
        let Some(most) = self.most().filter(|most| self.count(most) > own + 1) else {
            return Some(new.item);
        };
        let last = self.waiting.iter().rposition(|waiting| waiting.member == most);
        let gone = last.map(|place| self.waiting.remove(place).item);
        self.waiting.push(new);
        gone
    }

    /// Takes what is next, and counts it as on its way until [`done`](Self::done). Nothing while too many are on their way.
    pub(super) fn next(&mut self, now: Instant) -> Option<(MemberId, T)> {
        if self.running.len() >= self.running_max {
            return None;
        }
        let may_go =
            |waiting: &&Waiting<T>| waiting.from <= now && !self.running.contains(&waiting.member);
        let served = |member: &MemberId| self.served.get(member).copied().unwrap_or(0);
        let first = self.waiting.iter().filter(may_go).map(|waiting| &waiting.member);
        let member = first.min_by_key(|member| served(member))?.clone();
        let is_next = |waiting: &Waiting<T>| waiting.member == member && waiting.from <= now;
        let place = self.waiting.iter().position(is_next)?;
        let Waiting { item, .. } = self.waiting.remove(place);
        self.turns += 1;
        self.served.insert(member.clone(), self.turns);
        self.running.insert(member.clone());
        Some((member, item))
    }

    /// What an account had on its way has arrived, or has not.
    pub(super) fn done(&mut self, member: &MemberId) {
        self.running.remove(member);
        // Of the others nothing has to be known.
        let waiting: HashSet<_> = self.waiting.iter().map(|waiting| &waiting.member).collect();
        self.served.retain(|member, _| waiting.contains(member));
    }

    /// When something can go that has to wait for its time; absent if nothing does.
    pub(super) fn ready_at(&self, now: Instant) -> Option<Instant> {
        self.waiting.iter().map(|waiting| waiting.from).filter(|from| *from > now).min()
    }

    fn count(&self, member: &MemberId) -> usize {
        self.waiting.iter().filter(|waiting| waiting.member == *member).count()
    }

    /// The account with the most that waits.
    fn most(&self) -> Option<MemberId> {
        let mut counts: HashMap<&MemberId, usize> = HashMap::new();
        for waiting in &self.waiting {
            *counts.entry(&waiting.member).or_default() += 1;
        }
        counts.into_iter().max_by_key(|(member, count)| (*count, *member)).map(|(m, _)| m.clone())
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;

    fn member(number: usize) -> MemberId {
        MemberId::try_from(format!("{number:0>16}")).unwrap()
    }

    #[test]
    fn one_account_takes_neither_all_places_nor_all_turns() {
        let (mut line, now) = (Line::new(2), Instant::now());
        for number in 0..PUSHES_OF_ACCOUNT_MAX {
            assert_eq!(line.push(&member(0), now, number), None, "at the limit");
        }
        assert_eq!(line.push(&member(0), now, 99), Some(99), "one past it");
        assert_eq!(line.push(&member(1), now, 7), None);
        let (first, _) = line.next(now).unwrap();
        let (second, _) = line.next(now).unwrap();
        assert_eq!([first, second], [member(0), member(1)]);
        assert!(line.next(now).is_none(), "each has one on its way");
        line.push(&member(3), now, 9);
        assert!(line.next(now).is_none(), "two are on their way");
        line.done(&member(0));
        // Those who have waited come before those who were just served.
        line.push(&member(2), now, 8);
        assert_eq!(line.next(now), Some((member(3), 9)));
        line.done(&member(3));
        assert_eq!(line.next(now), Some((member(2), 8)));
        line.done(&member(2));
        assert_eq!(line.next(now), Some((member(0), 1)));
    }

    #[test]
    fn a_flood_gives_places_up_to_others() {
        let (mut line, now) = (Line::new(2), Instant::now());
        let accounts = PUSHES_WAITING_MAX.div_ceil(PUSHES_OF_ACCOUNT_MAX);
        let all = (0..accounts).flat_map(|one| (0..PUSHES_OF_ACCOUNT_MAX).map(move |it| (one, it)));
        for (account, item) in all.take(PUSHES_WAITING_MAX) {
            assert_eq!(line.push(&member(account), now, item), None, "at the limit");
        }
        // One past it, somebody new has a place, and one of the flood has one less.
        assert_eq!(line.push(&member(999), now, 7), Some(PUSHES_OF_ACCOUNT_MAX - 1));
        assert_eq!(line.waiting.len(), PUSHES_WAITING_MAX);
        // Who has as many as the others gets none of theirs.
        assert_eq!(line.push(&member(0), now, 99), Some(99));
        for _ in 0..=accounts {
            let (served, _) = line.next(now).unwrap();
            line.done(&served);
            if served == member(999) {
                return;
            }
        }
        panic!("somebody new waits for one round at most");
    }

    #[test]
    fn what_has_to_wait_lets_others_go_first() {
        let (mut line, now) = (Line::new(2), Instant::now());
        let later = now + Duration::from_secs(5);
        line.push(&member(0), later, 1);
        line.push(&member(0), now, 2);
        assert_eq!(line.ready_at(now), Some(later));
        assert_eq!(line.next(now), Some((member(0), 2)));
        line.done(&member(0));
        assert_eq!(line.next(now), None);
        assert_eq!(line.next(later), Some((member(0), 1)));
        assert_eq!(line.ready_at(later), None);
    }
}
