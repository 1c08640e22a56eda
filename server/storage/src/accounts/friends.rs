//! Friends as they are stored: a request by one account to another one, and what became of it.

use fivefold_shared::{
    clock::millis,
    friends::{FriendStanding, OnlineTo},
    protocol::{CommandId, GameSettings, MemberId, Name},
};

use serde::{Deserialize, Serialize};

use crate::{
    StorageError,
    contradiction::Contradiction,
    limits::{FRIEND_CHALLENGE_KEPT, FRIEND_CHALLENGE_TAKEN, FRIEND_DECLINED_PAUSE},
    moderation::words,
};

words! {
    /// What became of a request.
    RequestState {
        /// It waits for an answer.
        Asked = "asked",
        /// The two are friends.
        Friends = "friends",
        /// It was declined.
        Declined = "declined",
    }
}

impl RequestState {
    /// How a member stands who has made the request, or got it.
    pub(crate) const fn standing(self, is_own: bool) -> FriendStanding {
        match self {
            Self::Asked if is_own => FriendStanding::Asked,
            Self::Asked => FriendStanding::Asks,
            Self::Friends => FriendStanding::Friends,
            Self::Declined => FriendStanding::Declined,
        }
    }
}

/// Somebody with whom a member is friends, or may become it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct KnownFriend {
    /// Their account.
    pub member: MemberId,
    /// Their current name.
    pub name: Name,
    /// How the two stand.
    pub standing: FriendStanding,
    /// Since when, in milliseconds since the Unix epoch.
    pub at: u64,
    /// Who may see that they are online.
    pub online_to: OnlineTo,
    /// The challenge that waits between the two; its time may be over.
    pub challenge: Option<FriendChallenge>,
}

/// A challenge that waits for an answer of a friend.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct FriendChallenge {
    /// Who challenges.
    pub by: MemberId,
    /// The game.
    pub settings: GameSettings,
    /// When, in milliseconds since the Unix epoch.
    pub at: u64,
}

impl FriendChallenge {
    /// Whether it still waits.
    pub fn stands(&self, now: u64) -> bool {
        self.at > challenged_before(now)
    }
}

/// An attempt to begin the game of a challenge.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub(crate) struct Taken {
    /// Its id.
    pub(crate) attempt: CommandId,
    /// When it took the challenge, in milliseconds since the Unix epoch.
    pub(crate) at: u64,
}

impl Taken {
    /// Whether only its own attempt may change the challenge now.
    pub(crate) fn keeps_off(&self, attempt: Option<&CommandId>, now: u64) -> bool {
        attempt != Some(&self.attempt)
            && self.at > now.saturating_sub(millis(FRIEND_CHALLENGE_TAKEN))
    }
}

/// What a member does about another one.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum FriendStep {
    /// Asks them to be friends, or accepts their request. [`AccountChanged::Gone`](crate::AccountChanged::Gone)
    /// if one of the two has no account, or it is a bot's.
    Ask(MemberId),
    /// Ends the friendship, declines their request, or takes the own one back. A challenge ends with the friendship. If
    /// an attempt has taken the challenge already, its game still begins. The same holds for blocks.
    Leave(MemberId),
    /// Challenges a friend to a game, who may answer later. [`AccountChanged::Gone`](crate::AccountChanged::Gone)
    /// if they are no friends.
    Challenge(MemberId, GameSettings),
    /// Ends the challenge of this time between the member and another one, by the attempt with this id if its game has
    /// begun. [`AccountChanged::Gone`](crate::AccountChanged::Gone) if it is over already, or another attempt has taken
    /// it within [`FRIEND_CHALLENGE_TAKEN`](crate::limits::FRIEND_CHALLENGE_TAKEN): its game is about to begin.
    EndChallenge(MemberId, u64, Option<CommandId>),
    /// Takes the challenge of this time by another one, to begin its game, by an attempt with this id.
    /// [`AccountChanged::Gone`](crate::AccountChanged::Gone) if it is over, or another attempt has taken it within
    /// [`FRIEND_CHALLENGE_TAKEN`](crate::limits::FRIEND_CHALLENGE_TAKEN). It stays a challenge that waits until
    /// [`EndChallenge`](Self::EndChallenge).
    TakeChallenge(MemberId, u64, CommandId),
    /// Gives the challenge back, because the attempt has begun no game: it can be taken again.
    /// [`AccountChanged::Gone`](crate::AccountChanged::Gone) if this attempt has not taken it.
    ReturnChallenge(MemberId, u64, CommandId),
    /// Sets who may see that the member is online.
    SetOnlineTo(OnlineTo),
}

/// Why two do not become friends, and no request or challenge is made.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum FriendRefused {
    /// The member has [`FRIENDS_MAX`](crate::limits::FRIENDS_MAX) friends.
    Full,
    /// So many requests of the member wait: [`FRIEND_REQUESTS_MAX`](crate::limits::FRIEND_REQUESTS_MAX).
    RequestsFull,
    /// The other one has as many friends, or as many requests wait for them. Also if they have blocked the
    /// member, who does not learn of it.
    TheirsFull,
    /// The member has blocked the other one.
    Blocked,
    /// The other one has declined: the member may ask again at this time.
    Declined(u64),
    /// A challenge between the two waits already.
    Challenged,
    /// [`FRIEND_CHALLENGES_MAX`](crate::limits::FRIEND_CHALLENGES_MAX) challenges of the member wait.
    ChallengesFull,
    /// So many challenges wait for the other one.
    TheirChallengesFull,
}

/// Reads friends. Calls may block.
pub trait FriendsReader {
    /// With whom a member is friends, and all requests by them and to them, the newest first. Accounts that
    /// are deleted are left out.
    ///
    /// # Errors
    /// When they cannot be read.
    fn friends(&mut self, member: &MemberId) -> Result<Vec<KnownFriend>, StorageError>;

    /// Whether two members are friends.
    ///
    /// # Errors
    /// When it cannot be read.
    fn are_friends(&mut self, one: &MemberId, other: &MemberId) -> Result<bool, StorageError>;

    /// Who may see that a member is online.
    ///
    /// # Errors
    /// When it cannot be read.
    fn online_to(&mut self, member: &MemberId) -> Result<OnlineTo, StorageError>;
}

/// Rows that contradict themselves.
pub(crate) const CONTRADICTIONS: [Contradiction; 1] = [Contradiction {
    since: "friend",
    table: "friend",
    rows: "member = other OR member > other AND EXISTS (SELECT 1 FROM friend AS back
         WHERE back.member = friend.other AND back.other = friend.member)",
    problem: "requests for friends go both ways, or to oneself",
    sets: None,
}];

/// Challenges of friends up to this time are over.
pub(crate) fn challenged_before(now: u64) -> u64 {
    now.saturating_sub(millis(FRIEND_CHALLENGE_KEPT))
}

/// Requests that were declined up to this time hold nothing off.
pub(crate) fn declined_before(now: u64) -> u64 {
    now.saturating_sub(millis(FRIEND_DECLINED_PAUSE))
}
