//! The limits of challenges to one member.

use std::time::Duration;

use fivefold_storage::limits::{DAY, FRIEND_CHALLENGE_TAKEN};

use super::SEEKS_PER_MEMBER_MAX;

/// Most challenges that wait for one member. An account's takes the place of the newest one of a guest.
pub const CHALLENGES_WAITING_MAX: usize = 10;
/// Challenges of one person that a member may decline in a day before that person has to wait.
pub const DECLINES_FREE: u32 = 1;
/// How long they wait until they may challenge the same member again, after each further one. The last one
/// stands for all that follow.
pub const DECLINE_PAUSES: [Duration; 4] = [
    Duration::from_secs(5 * 60),
    Duration::from_secs(30 * 60),
    Duration::from_secs(3 * 60 * 60),
    DAY,
];
/// Declined challenges are forgotten after this time without another one.
pub const DECLINES_FADE: Duration = DAY;
/// Most pairs of members and challengers, or their networks, whose declines are counted. Then the older half
/// is forgotten.
pub const DECLINES_KEPT: usize = 20_000;
/// An attempt that has taken a friend's challenge gives up if it has not made the room within this time: the node may
/// have stood still, and another attempt may soon take the challenge. The rest of [`FRIEND_CHALLENGE_TAKEN`] is for storing it.
pub const FRIEND_CHALLENGE_PAIRED_WITHIN: Duration = Duration::from_secs(20);

const _: () = assert!(
    CHALLENGES_WAITING_MAX > SEEKS_PER_MEMBER_MAX
        && DECLINE_PAUSES[DECLINE_PAUSES.len() - 1].as_secs() <= DECLINES_FADE.as_secs(),
    "nobody alone takes all places, and no pause is forgotten before its end"
);
const _: () = assert!(
    FRIEND_CHALLENGE_PAIRED_WITHIN.as_secs() < FRIEND_CHALLENGE_TAKEN.as_secs(),
    "no other attempt begins before this one gives up"
);
