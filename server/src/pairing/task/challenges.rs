//! How often a member may challenge others.

use std::collections::HashMap;

use fivefold_shared::protocol::MemberId;
use tokio::time::Instant;

use crate::{
    limits::{CHALLENGERS_MAX, CHALLENGES_PER_HOUR},
    net::token_bucket::TokenBucket,
};

/// The allowances of the members who have challenged others lately.
#[derive(Debug, Default)]
pub(super) struct ChallengeLimits(HashMap<MemberId, TokenBucket>);

impl ChallengeLimits {
    /// Takes a challenge from a member's allowance; `false` if none is left.
    pub(super) fn take(&mut self, member: &MemberId, now: Instant) -> bool {
        if self.0.len() >= CHALLENGERS_MAX {
            self.0.retain(|_, allowance| !allowance.is_full(now));
        }
        if self.0.len() >= CHALLENGERS_MAX {
            // Their addresses are still limited.
            self.0.clear();
        }
        let per_second = f64::from(CHALLENGES_PER_HOUR) / 3_600.0;
        let full = || TokenBucket::new(now, per_second, CHALLENGES_PER_HOUR);
        self.0.entry(member.clone()).or_insert_with(full).take(now)
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;
    use crate::process::ids;

    #[test]
    fn a_member_may_challenge_so_often() {
        let (mut limits, now) = (ChallengeLimits::default(), Instant::now());
        let [ann, bob] = std::array::from_fn(|_| ids::member_id(&ids::identity()));
        let mut count = |member, at| (0..100).filter(|_| limits.take(member, at)).count();
        let most = CHALLENGES_PER_HOUR as usize;
        assert_eq!((count(&ann, now), count(&bob, now)), (most, most));
        assert_eq!(count(&ann, now + Duration::from_secs(3_600 / 20 + 1)), 1);
    }

    #[test]
    fn members_are_forgotten_in_time() {
        let (mut limits, now) = (ChallengeLimits::default(), Instant::now());
        for _ in 0..2 * CHALLENGERS_MAX {
            assert!(limits.take(&ids::member_id(&ids::identity()), now));
            assert!(limits.0.len() <= CHALLENGERS_MAX);
        }
    }
}
