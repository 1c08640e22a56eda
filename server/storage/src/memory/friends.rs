//! Friends in memory.

use std::collections::{BTreeMap, HashMap};

use fivefold_shared::{clock::millis, friends::OnlineTo, protocol::MemberId};

use crate::{
    FriendRefused, RequestState,
    accounts::friends::declined_before,
    limits::{FRIEND_DECLINED_PAUSE, FRIEND_REQUESTS_MAX, FRIENDS_MAX},
};

/// All requests, by those who ask and those who are asked, and who may see that somebody is online.
#[derive(Debug, Default)]
pub(super) struct Friends {
    pub(super) requests: BTreeMap<(MemberId, MemberId), (RequestState, u64)>,
    pub(super) online_to: HashMap<MemberId, OnlineTo>,
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
    }

    /// Ends friendships and open requests where one has blocked the other.
    pub(super) fn end_blocked(&mut self, has_blocked: impl Fn(&MemberId, &MemberId) -> bool) {
        self.requests.retain(|(by, to), (state, _)| {
            *state == RequestState::Declined || !(has_blocked(by, to) || has_blocked(to, by))
        });
    }

    /// Forgets declined requests that hold nothing off any more, at most so many.
    pub(super) fn prune(&mut self, now: u64, rows_max: usize) -> usize {
        let mut pruned = 0;
        self.requests.retain(|_, (state, at)| {
            let goes = *state == RequestState::Declined
                && *at <= declined_before(now)
                && pruned < rows_max;
            pruned += usize::from(goes);
            !goes
        });
        pruned
    }

    /// Forgets those of these members.
    pub(super) fn forget(&mut self, members: &[MemberId]) {
        self.requests.retain(|(by, to), _| !members.contains(by) && !members.contains(to));
    }
}
