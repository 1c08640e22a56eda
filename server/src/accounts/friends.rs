//! The friends of accounts: requests, answers to them, challenges that wait, and who may see that somebody is
//! online.

use fivefold_shared::{
    friends::{FriendStanding, OnlineTo},
    protocol::{
        AccountNews, ChallengesFrom, CommandId, GameSettings, MemberId, Message, Reason, Refusal,
        RefusalValues,
    },
};
use fivefold_storage::{
    Account, AccountChanged, AccountStep, FriendChallenge, FriendRefused, FriendStep, KnownFriend,
    Reader,
    limits::{FRIEND_REQUESTS_MAX, FRIENDS_MAX},
};
use tokio::time::Instant;

use super::Accounts;
use crate::online::pushes::PushNews;

impl Accounts {
    /// With whom a member is friends, the requests that wait, and who may see that the member is online.
    ///
    /// # Errors
    /// If they cannot be read.
    pub(crate) async fn friends(
        &self,
        member: &MemberId,
    ) -> Result<(Vec<KnownFriend>, OnlineTo), Refusal> {
        let (member, now) = (member.clone(), self.clock.now());
        let read = move |reader: &mut Reader| {
            let mut friends = reader.friends(&member)?;
            friends.retain(|friend| friend.standing != FriendStanding::Declined);
            for friend in &mut friends {
                friend.challenge = friend.challenge.take().filter(|one| one.stands(now));
            }
            Ok((friends, reader.online_to(&member)?))
        };
        self.read(read).await
    }

    /// Asks another member to be a friend, or accepts their request, and tells them. If a request is taken back and
    /// repeated, they are not told again for a while.
    ///
    /// # Errors
    /// If one of the two has no account or has blocked the other, a limit is reached, the other one has
    /// declined a short time ago, or the storage fails.
    pub(crate) async fn ask_friend(
        &self,
        own: &Account,
        other: &MemberId,
    ) -> Result<FriendStanding, Refusal> {
        let (friends, _) = self.friends(&own.member).await?;
        let before = friends.iter().find(|friend| friend.member == *other);
        let (standing, news) = match before.map(|friend| friend.standing) {
            Some(standing @ (FriendStanding::Asked | FriendStanding::Friends)) => {
                return Ok(standing);
            }
            Some(FriendStanding::Asks) => (FriendStanding::Friends, AccountNews::FriendAdded),
            Some(FriendStanding::Declined) | None => {
                (FriendStanding::Asked, AccountNews::FriendAsks)
            }
        };
        self.change_friends(&own.member, FriendStep::Ask(other.clone())).await?;
        if standing == FriendStanding::Friends
            || self.tries.notices_request(&own.member, other, Instant::now())
        {
            self.tell(other, news, own.name.as_str());
        }
        Ok(standing)
    }

    /// Ends a friendship, declines a request, or takes the own one back. The other one is not told.
    ///
    /// # Errors
    /// If the storage fails.
    pub(crate) async fn leave_friend(
        &self,
        own: &Account,
        other: &MemberId,
    ) -> Result<(), Refusal> {
        let step = AccountStep::Friend(FriendStep::Leave(other.clone()));
        self.change(&own.member, step, Reason::NoSuchPlayer).await
    }

    /// Leaves a challenge to a daily game for a friend. Tells them, unless they were told of earlier ones a short while
    /// ago and have accepted none.
    ///
    /// # Errors
    /// If the two are no friends, the friend takes no challenges, a limit is reached, or the storage fails.
    pub(crate) async fn challenge_friend(
        &self,
        own: &Account,
        other: &MemberId,
        settings: GameSettings,
    ) -> Result<(), Refusal> {
        let to = other.clone();
        let from = self.read(move |reader: &mut Reader| reader.challenges_from(&to)).await?;
        if from == ChallengesFrom::Nobody {
            return Err(Refusal::new(Reason::NoChallenges));
        }
        let step = FriendStep::Challenge(other.clone(), settings);
        self.change_friends(&own.member, step).await?;
        let now = Instant::now();
        // If it is already over, or cannot be read, there is nothing to tell.
        if let Ok(challenge) = self.friends_challenge(own, other).await
            && self.tries.notices_challenge(&own.member, other, now)
        {
            self.send_all(other, &challenge_notice(own.name.to_string(), &challenge));
        }
        if self.tries.pushes_challenge(&own.member, other, now) {
            self.pushes.note(PushNews::Challenge {
                member: other.clone(),
                from: own.member.clone(),
                by: own.name.clone(),
            });
        }
        Ok(())
    }

    /// The challenge that waits between a member and a friend.
    ///
    /// # Errors
    /// If there is none, or it cannot be read.
    pub(crate) async fn friends_challenge(
        &self,
        own: &Account,
        other: &MemberId,
    ) -> Result<FriendChallenge, Refusal> {
        let (friends, _) = self.friends(&own.member).await?;
        let friend = friends.into_iter().find(|friend| friend.member == *other);
        let challenge = friend.and_then(|friend| friend.challenge);
        challenge.ok_or_else(|| Refusal::new(Reason::NoSuchSeek))
    }

    /// Reserves a friend's challenge for an attempt to begin its game: for a while, no other attempt can take it. The
    /// challenge still waits.
    ///
    /// # Errors
    /// If it is over, another attempt has taken it, or the storage fails.
    pub(crate) async fn take_challenge(
        &self,
        own: &Account,
        challenge: &FriendChallenge,
        attempt: &CommandId,
    ) -> Result<(), Refusal> {
        let FriendChallenge { by, at, .. } = challenge;
        let step = FriendStep::TakeChallenge(by.clone(), *at, attempt.clone());
        self.change(&own.member, AccountStep::Friend(step), Reason::NoSuchSeek).await
    }

    /// Gives a challenge back after an attempt that has begun no game. If this is not stored, the challenge can still
    /// be accepted again after a while.
    pub(crate) async fn return_challenge(
        &self,
        own: &Account,
        challenge: &FriendChallenge,
        attempt: &CommandId,
    ) {
        let FriendChallenge { by, at, .. } = challenge;
        let step = FriendStep::ReturnChallenge(by.clone(), *at, attempt.clone());
        // If it fails, that is logged.
        self.try_change(&own.member, AccountStep::Friend(step)).await.ok();
    }

    /// Ends this challenge between a member and a friend: it is taken back or declined, or accepted by an attempt.
    ///
    /// # Errors
    /// If it is over already, another attempt has taken it, or the storage fails.
    pub(crate) async fn end_friends_challenge(
        &self,
        own: &Account,
        other: &MemberId,
        challenge: &FriendChallenge,
        attempt: Option<CommandId>,
    ) -> Result<(), Refusal> {
        let step = FriendStep::EndChallenge(other.clone(), challenge.at, attempt);
        self.change(&own.member, AccountStep::Friend(step), Reason::NoSuchSeek).await
    }

    /// Tells a challenger that their challenge is accepted.
    pub(crate) fn tell_accepted(&self, own: &Account, challenge: &FriendChallenge) {
        self.tries.note_accepted(&challenge.by, &own.member);
        self.tell(&challenge.by, AccountNews::ChallengeAccepted, own.name.as_str());
    }

    /// The notices that a member gets at each visit: one for each friend whose challenge is waiting.
    pub(crate) async fn challenge_notices(&self, member: &MemberId) -> Vec<Message> {
        // The list of friends shows them, too.
        let Ok((friends, _)) = self.friends(member).await else { return Vec::new() };
        let notice = |friend: KnownFriend| {
            let challenge = friend.challenge.filter(|challenge| challenge.by == friend.member)?;
            Some(challenge_notice(friend.name.to_string(), &challenge))
        };
        friends.into_iter().filter_map(notice).collect()
    }

    async fn change_friends(&self, member: &MemberId, step: FriendStep) -> Result<(), Refusal> {
        match self.try_change(member, AccountStep::Friend(step)).await? {
            AccountChanged::Done => Ok(()),
            AccountChanged::NoFriend(why) => Err(no_friend(why, self.clock.now())),
            AccountChanged::Gone
            | AccountChanged::NameTaken
            | AccountChanged::Full
            | AccountChanged::NoTimeOff(_) => Err(Refusal::new(Reason::NoSuchPlayer)),
        }
    }

    /// Sets who may see that the member is online.
    ///
    /// # Errors
    /// If the storage fails.
    pub(crate) async fn set_online_to(&self, own: &Account, to: OnlineTo) -> Result<(), Refusal> {
        let step = AccountStep::Friend(FriendStep::SetOnlineTo(to));
        self.change(&own.member, step, Reason::SignedOut).await
    }
}

/// Says that a friend's challenge waits.
fn challenge_notice(friend: String, challenge: &FriendChallenge) -> Message {
    let change = AccountNews::FriendChallenges;
    Message::AccountChanged { change, label: friend, at: Some(challenge.at) }
}

/// Why two do not become friends, at a time.
fn no_friend(why: FriendRefused, now: u64) -> Refusal {
    match why {
        FriendRefused::Full => Refusal::at_most(Reason::TooManyFriends, FRIENDS_MAX),
        FriendRefused::RequestsFull => {
            Refusal::at_most(Reason::TooManyFriendRequests, FRIEND_REQUESTS_MAX)
        }
        FriendRefused::TheirsFull => Refusal::new(Reason::NoFriendRequests),
        FriendRefused::Blocked => Refusal::new(Reason::Blocked),
        FriendRefused::Challenged => Refusal::new(Reason::AlreadyChallenged),
        FriendRefused::ChallengesFull => Refusal::new(Reason::TooManyChallenges),
        FriendRefused::TheirChallengesFull => Refusal::new(Reason::ChallengesFull),
        FriendRefused::Declined(until) => {
            let wait_ms = Some(until.saturating_sub(now));
            let values = RefusalValues { wait_ms, ..RefusalValues::default() };
            Refusal::with(Reason::FriendDeclined, values)
        }
    }
}
