//! A member's list of friends, as the server tells it over HTTP.

use serde::{Deserialize, Serialize};
use strum::{EnumString, IntoStaticStr};

use crate::protocol::{GameSettings, MemberId, Name, RoomCode};

/// A member's friends, the requests that wait, and one setting.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct FriendList {
    /// Friends who are online first, then by name.
    pub friends: Vec<Friend>,
    /// Who may see that the member is online.
    pub online_to: OnlineTo,
}

/// Somebody on the list.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Friend {
    /// Their account.
    pub member: MemberId,
    /// Their current name.
    pub name: Name,
    /// How the two stand.
    pub standing: FriendStanding,
    /// Since when, in milliseconds since the Unix epoch.
    pub at: u64,
    /// Whether they are online. `false` for those who are not friends, and for friends who do not show it.
    pub online: bool,
    /// The public room in which they play.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub room: Option<RoomCode>,
    /// The challenge that waits between the two.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub challenge: Option<WaitingChallenge>,
}

/// A challenge to a daily game that waits until the friend answers.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct WaitingChallenge {
    /// Whether the member has made it, and not the friend.
    pub own: bool,
    /// The game.
    pub settings: GameSettings,
    /// Since when, in milliseconds since the Unix epoch.
    pub at: u64,
}

/// How a member stands with somebody on their list.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum FriendStanding {
    /// The other one has asked.
    Asks,
    /// They are friends.
    Friends,
    /// The member has asked.
    Asked,
    /// One of the two has declined the other's request a short time ago. No list shows it.
    Declined,
}

/// Who may see that a member is online.
#[derive(
    Clone, Copy, PartialEq, Eq, Debug, Default, Serialize, Deserialize, EnumString, IntoStaticStr,
)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
#[strum(serialize_all = "snake_case")]
pub enum OnlineTo {
    /// Friends.
    #[default]
    Friends,
    /// Nobody.
    Nobody,
}

impl OnlineTo {
    /// Its word, as it is stored and sent.
    pub fn as_str(self) -> &'static str {
        self.into()
    }
}
