//! The friends of accounts: requests, answers to them, and who may see that somebody is online.

use fivefold_shared::{
    friends::{FriendStanding, OnlineTo},
    protocol::{AccountNews, MemberId, Reason, Refusal, RefusalValues},
};
use fivefold_storage::{
    Account, AccountChanged, AccountStep, FriendRefused, FriendStep, KnownFriend, Reader,
    limits::{FRIEND_REQUESTS_MAX, FRIENDS_MAX},
};

use super::Accounts;

impl Accounts {
    /// With whom a member is friends, the requests that wait, and who may see that the member is online.
    ///
    /// # Errors
    /// If they cannot be read.
    pub(crate) async fn friends(
        &self,
        member: &MemberId,
    ) -> Result<(Vec<KnownFriend>, OnlineTo), Refusal> {
        let member = member.clone();
        let read = move |reader: &mut Reader| {
            let mut friends = reader.friends(&member)?;
            friends.retain(|friend| friend.standing != FriendStanding::Declined);
            Ok((friends, reader.online_to(&member)?))
        };
        self.read(read).await
    }

    /// Asks another member to be a friend, or accepts their request, and tells them.
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
        let step = AccountStep::Friend(FriendStep::Ask(other.clone()));
        match self.try_change(&own.member, step).await? {
            AccountChanged::Done => {
                self.tell(other, news, own.name.as_str());
                Ok(standing)
            }
            AccountChanged::NoFriend(why) => Err(no_friend(why, self.clock.now())),
            AccountChanged::Gone | AccountChanged::NameTaken | AccountChanged::Full => {
                Err(Refusal::new(Reason::NoSuchPlayer))
            }
        }
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

    /// Sets who may see that the member is online.
    ///
    /// # Errors
    /// If the storage fails.
    pub(crate) async fn set_online_to(&self, own: &Account, to: OnlineTo) -> Result<(), Refusal> {
        let step = AccountStep::Friend(FriendStep::SetOnlineTo(to));
        self.change(&own.member, step, Reason::SignedOut).await
    }
}

/// Why two do not become friends, at a time.
fn no_friend(why: FriendRefused, now: u64) -> Refusal {
    let most = |most| RefusalValues { most: Some(most), ..RefusalValues::default() };
    match why {
        FriendRefused::Full => Refusal::with(Reason::TooManyFriends, most(FRIENDS_MAX)),
        FriendRefused::RequestsFull => {
            Refusal::with(Reason::TooManyFriendRequests, most(FRIEND_REQUESTS_MAX))
        }
        FriendRefused::TheirsFull => Refusal::new(Reason::NoFriendRequests),
        FriendRefused::Blocked => Refusal::new(Reason::Blocked),
        FriendRefused::Declined(until) => {
            let wait_ms = Some(until.saturating_sub(now));
            let values = RefusalValues { wait_ms, ..RefusalValues::default() };
            Refusal::with(Reason::FriendDeclined, values)
        }
    }
}
