//! What friends have to do with accounts and blocks, and reading them, in memory.

use fivefold_shared::{friends::OnlineTo, protocol::MemberId};

use super::{Memory, Tables};
use crate::{
    AccountChanged, BlockKind, Call, FriendChallenge, FriendRefused, FriendStep, FriendsReader,
    KnownFriend, RequestState, StorageError, accounts::friends::Taken,
};

impl Tables {
    pub(super) fn change_friends(
        &mut self,
        member: &MemberId,
        at: u64,
        step: &FriendStep,
    ) -> AccountChanged {
        let are_people = |other: &MemberId| {
            [member, other].into_iter().all(|member| self.accounts.is_person(member))
        };
        match step {
            FriendStep::Ask(other) => {
                if member == other || !are_people(other) {
                    return AccountChanged::Gone;
                }
                let asked = if self.has_blocked(member, other) {
                    Err(FriendRefused::Blocked)
                } else if self.has_blocked(other, member) {
                    Err(FriendRefused::TheirsFull)
                } else {
                    self.friends.ask(member, other, at)
                };
                return asked.map_or_else(AccountChanged::NoFriend, |()| AccountChanged::Done);
            }
            FriendStep::Leave(other) => self.friends.leave(member, other, at),
            FriendStep::Challenge(other, settings) => {
                if !are_people(other) {
                    return AccountChanged::Gone;
                }
                let new = FriendChallenge { by: member.clone(), settings: *settings, at };
                return match self.friends.challenge(other, new) {
                    None => AccountChanged::Gone,
                    Some(Err(why)) => AccountChanged::NoFriend(why),
                    Some(Ok(())) => AccountChanged::Done,
                };
            }
            FriendStep::EndChallenge(other, of, attempt) => {
                let is_done =
                    self.friends.end_challenge([member, other], *of, attempt.as_ref(), at);
                return if is_done { AccountChanged::Done } else { AccountChanged::Gone };
            }
            FriendStep::TakeChallenge(other, of, attempt) => {
                let new = Taken { attempt: attempt.clone(), at };
                let is_done = self.friends.take_challenge(member, other, *of, new);
                return if is_done { AccountChanged::Done } else { AccountChanged::Gone };
            }
            FriendStep::ReturnChallenge(other, of, attempt) => {
                let is_done = self.friends.return_challenge(member, other, *of, attempt);
                return if is_done { AccountChanged::Done } else { AccountChanged::Gone };
            }
            FriendStep::SetOnlineTo(_) if !self.accounts.has_row(member) => {
                return AccountChanged::Gone;
            }
            FriendStep::SetOnlineTo(to) => {
                self.friends.online_to.insert(member.clone(), *to);
            }
        }
        AccountChanged::Done
    }

    /// Whether a member has blocked another one, by any of their ids.
    fn has_blocked(&self, member: &MemberId, other: &MemberId) -> bool {
        let aliases = self.accounts.aliases(other);
        let own = self.moderation.blocks.get(member);
        own.into_iter().flatten().any(|entry| {
            let is_other = entry.other == *other || aliases.contains(&entry.other);
            entry.kind == BlockKind::Block && is_other
        })
    }

    /// Ends what blocks forbid.
    pub(super) fn end_blocked_friends(&mut self) {
        let mut friends = std::mem::take(&mut self.friends);
        friends.end_blocked(|member, other| self.has_blocked(member, other));
        self.friends = friends;
    }
}

impl FriendsReader for Memory {
    fn friends(&mut self, member: &MemberId) -> Result<Vec<KnownFriend>, StorageError> {
        let tables = self.tables_for(Call::Browse)?;
        let all = tables.friends.requests.iter().filter_map(|((by, to), (state, at))| {
            let is_own = by == member;
            let other = if is_own { to } else { by };
            let concerns = is_own || to == member;
            let known = tables.members.get(other).filter(|_| tables.accounts.is_there(other));
            known.filter(|_| concerns).map(|known| KnownFriend {
                member: other.clone(),
                name: known.name.clone(),
                standing: state.standing(is_own),
                at: *at,
                online_to: tables.friends.online_to.get(other).copied().unwrap_or_default(),
                challenge: tables.friends.challenges.get(&(by.clone(), to.clone())).cloned(),
            })
        });
        let mut all: Vec<_> = all.collect();
        all.sort_by(|one, other| (other.at, &one.member).cmp(&(one.at, &other.member)));
        Ok(all)
    }

    fn are_friends(&mut self, one: &MemberId, other: &MemberId) -> Result<bool, StorageError> {
        let tables = self.tables_for(Call::Browse)?;
        let state = |one, other| tables.friends.state(one, other);
        let is_friends = |state| state == Some(RequestState::Friends);
        Ok(is_friends(state(one, other)) || is_friends(state(other, one)))
    }

    fn online_to(&mut self, member: &MemberId) -> Result<OnlineTo, StorageError> {
        Ok(self
            .tables_for(Call::Browse)?
            .friends
            .online_to
            .get(member)
            .copied()
            .unwrap_or_default())
    }
}
