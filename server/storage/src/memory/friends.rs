//! Friends in memory.

use std::collections::{BTreeMap, HashMap};

use fivefold_shared::{
    clock::millis,
    friends::OnlineTo,
    protocol::{CommandId, MemberId},
};

use crate::{
    FriendChallenge, FriendRefused, RequestState,
    accounts::friends::{Taken, challenged_before, declined_before},
    limits::{FRIEND_CHALLENGES_MAX, FRIEND_DECLINED_PAUSE, FRIEND_REQUESTS_MAX, FRIENDS_MAX},
};

/// All requests, by those who ask and those who are asked, and who may see that somebody is online.
#[derive(Debug, Default)]
pub(super) struct Friends {
    pub(super) requests: BTreeMap<(MemberId, MemberId), (RequestState, u64)>,
    pub(super) online_to: HashMap<MemberId, OnlineTo>,
    /// The challenges between friends, by the pair's request.
    pub(super) challenges: BTreeMap<(MemberId, MemberId), FriendChallenge>,
    /// The last attempts to begin their games, by the time of the challenge and the pair's request.
    taken: BTreeMap<(u64, MemberId, MemberId), Taken>,
}

impl Friends {
    pub(super) fn state(&self, member: &MemberId, other: &MemberId) -> Option<RequestState> {
        Some(self.requests.get(&(member.clone(), other.clone()))?.0)
    }

    /// How many requests in a state a member has made, and how many they have got.
    fn count(&self, member: &MemberId, state: RequestState) -> (usize, usize) {
        let in_state = || self.requests.iter().filter(|(_, (known, _))| *known == state);
        let made = in_state().filter(|((by, _), _)| by == member).count();
        let got = in_state().filter(|((_, to), _)| to == member).count();
        (made, got)
    }

    fn friends_of(&self, member: &MemberId) -> usize {
        let (made, got) = self.count(member, RequestState::Friends);
        made + got
    }

    /// Makes or accepts a request.
    pub(super) fn ask(
        &mut self,
        member: &MemberId,
        other: &MemberId,
        now: u64,
    ) -> Result<(), FriendRefused> {
        let (own, theirs) = (self.state(member, other), self.state(other, member));
        if matches!(own, Some(RequestState::Asked | RequestState::Friends))
            || theirs == Some(RequestState::Friends)
        {
            return Ok(());
        }
        let is_answer = theirs == Some(RequestState::Asked);
        let (there, back) = ((member.clone(), other.clone()), (other.clone(), member.clone()));
        if let Some((RequestState::Declined, at)) = self.requests.get(&there)
            && !is_answer
            && *at > declined_before(now)
        {
            return Err(FriendRefused::Declined(at + millis(FRIEND_DECLINED_PAUSE)));
        }
        if self.friends_of(member) >= FRIENDS_MAX {
            return Err(FriendRefused::Full);
        }
        if is_answer {
            if self.friends_of(other) >= FRIENDS_MAX {
                return Err(FriendRefused::TheirsFull);
            }
            self.requests.insert(back, (RequestState::Friends, now));
            return Ok(());
        }
        if self.count(member, RequestState::Asked).0 >= FRIEND_REQUESTS_MAX {
            return Err(FriendRefused::RequestsFull);
        }
        if self.count(other, RequestState::Asked).1 >= FRIEND_REQUESTS_MAX {
            return Err(FriendRefused::TheirsFull);
        }
        self.requests.remove(&back);
        self.requests.insert(there, (RequestState::Asked, now));
        Ok(())
    }

    pub(super) fn leave(&mut self, member: &MemberId, other: &MemberId, now: u64) {
        if let Some((state @ RequestState::Asked, at)) =
            self.requests.get_mut(&(other.clone(), member.clone()))
        {
            (*state, *at) = (RequestState::Declined, now);
        }
        let pair = [member, other];
        self.requests.retain(|(by, to), (state, _)| {
            *state == RequestState::Declined || !(pair.contains(&by) && pair.contains(&to))
        });
        self.keep_friends_challenges();
    }

    /// Makes a challenge; `None` if the two are no friends.
    pub(super) fn challenge(
        &mut self,
        other: &MemberId,
        new: FriendChallenge,
    ) -> Option<Result<(), FriendRefused>> {
        let pair = self.friends_key(&new.by, other)?;
        let known = self.challenges.get(&pair);
        if known == Some(&new) {
            return Some(Ok(()));
        }
        if known.is_some_and(|known| known.stands(new.at)) {
            return Some(Err(FriendRefused::Challenged));
        }
        let standing = || self.challenges.iter().filter(|(_, known)| known.stands(new.at));
        let made = standing().filter(|(_, known)| known.by == new.by).count();
        let got = standing()
            .filter(|((one, two), known)| [one, two].contains(&other) && known.by != *other);
        let refused = if made >= FRIEND_CHALLENGES_MAX {
            Some(FriendRefused::ChallengesFull)
        } else {
            (got.count() >= FRIEND_CHALLENGES_MAX).then_some(FriendRefused::TheirChallengesFull)
        };
        if let Some(refused) = refused {
            return Some(Err(refused));
        }
        self.challenges.insert(pair, new);
        Some(Ok(()))
    }

    /// Ends the challenge of this time between two. Whether that is done.
    pub(super) fn end_challenge(
        &mut self,
        [one, other]: [&MemberId; 2],
        of: u64,
        attempt: Option<&CommandId>,
        now: u64,
    ) -> bool {
        let Some(pair) = self.friends_key(one, other) else { return false };
        let taken = self.taken.get(&(of, pair.0.clone(), pair.1.clone()));
        let is_done = self.challenges.get(&pair).is_some_and(|known| known.at == of)
            && taken.is_none_or(|taken| !taken.keeps_off(attempt, now));
        if is_done {
            self.challenges.remove(&pair);
        }
        is_done
    }

    /// Takes the challenge that another one made at this time. Returns whether that is done.
    pub(super) fn take_challenge(
        &mut self,
        member: &MemberId,
        other: &MemberId,
        of: u64,
        new: Taken,
    ) -> bool {
        let Some(key) =
            self.taken_key(member, other, of).filter(|_| of > challenged_before(new.at))
        else {
            return false;
        };
        if self.taken.get(&key).is_some_and(|known| known.keeps_off(Some(&new.attempt), new.at)) {
            return false;
        }
        // Challenges that are over have left their attempts behind.
        let challenges = &self.challenges;
        self.taken.retain(|(of, one, two), _| {
            challenges.get(&(one.clone(), two.clone())).is_some_and(|known| known.at == *of)
        });
        self.taken.insert(key, new);
        true
    }

    /// Forgets an attempt. Returns whether it had taken the challenge.
    pub(super) fn return_challenge(
        &mut self,
        member: &MemberId,
        other: &MemberId,
        of: u64,
        attempt: &CommandId,
    ) -> bool {
        let Some(key) = self.taken_key(member, other, of) else { return false };
        let is_it = self.taken.get(&key).is_some_and(|known| known.attempt == *attempt);
        if is_it {
            self.taken.remove(&key);
        }
        is_it
    }

    fn taken_key(
        &self,
        member: &MemberId,
        other: &MemberId,
        of: u64,
    ) -> Option<(u64, MemberId, MemberId)> {
        let pair = self.friends_key(member, other)?;
        let known = self.challenges.get(&pair)?;
        (known.by == *other && known.at == of).then_some((of, pair.0, pair.1))
    }

    /// Ends all challenges of a member, their own and those to them.
    pub(super) fn end_challenges_of(&mut self, member: &MemberId) {
        self.challenges.retain(|(one, two), _| ![one, two].contains(&member));
    }

    fn friends_key(&self, one: &MemberId, other: &MemberId) -> Option<(MemberId, MemberId)> {
        let ways = [(one, other), (other, one)];
        let found =
            ways.into_iter().find(|(by, to)| self.state(by, to) == Some(RequestState::Friends));
        found.map(|(by, to)| (by.clone(), to.clone()))
    }

    /// Forgets the challenges of those who are friends no more.
    fn keep_friends_challenges(&mut self) {
        let requests = &self.requests;
        self.challenges.retain(|pair, _| {
            requests.get(pair).is_some_and(|(state, _)| *state == RequestState::Friends)
        });
    }

    /// Ends friendships and open requests where one has blocked the other.
    pub(super) fn end_blocked(&mut self, has_blocked: impl Fn(&MemberId, &MemberId) -> bool) {
        self.requests.retain(|(by, to), (state, _)| {
            *state == RequestState::Declined || !(has_blocked(by, to) || has_blocked(to, by))
        });
        self.keep_friends_challenges();
    }

    /// Forgets declined requests that hold nothing off any more, and challenges that are over, at most so many.
    pub(super) fn prune(&mut self, now: u64, rows_max: usize) -> usize {
        let mut pruned = 0;
        self.requests.retain(|_, (state, at)| {
            let goes = *state == RequestState::Declined
                && *at <= declined_before(now)
                && pruned < rows_max;
            pruned += usize::from(goes);
            !goes
        });
        self.challenges.retain(|_, challenge| {
            let goes = !challenge.stands(now) && pruned < rows_max;
            pruned += usize::from(goes);
            !goes
        });
        pruned
    }

    /// Forgets those of these members.
    pub(super) fn forget(&mut self, members: &[MemberId]) {
        self.requests.retain(|(by, to), _| !members.contains(by) && !members.contains(to));
        self.keep_friends_challenges();
    }
}
